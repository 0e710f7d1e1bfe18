"""Forwards to Bazel's own provider."""

_native = ProtoInfo

# buildifier: disable=name-conventions
ProtoInfo = _native
