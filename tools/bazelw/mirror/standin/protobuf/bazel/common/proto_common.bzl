"""Forwards to Bazel's own proto_common."""

# buildifier: disable=native-proto-common
_native = proto_common_do_not_use

proto_common = _native
