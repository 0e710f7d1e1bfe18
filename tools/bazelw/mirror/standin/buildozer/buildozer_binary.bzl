"""Stand-in for buildozer's extension: makes the repository, without the program."""

def _empty_impl(rctx):
    rctx.file("BUILD.bazel", "")

_empty = repository_rule(implementation = _empty_impl)

def _buildozer_binary_impl(_mctx):
    _empty(name = "buildozer_binary")

buildozer_binary = module_extension(implementation = _buildozer_binary_impl)
