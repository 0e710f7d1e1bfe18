"""Forwards to Bazel's own rule."""

proto_library = native.proto_library
