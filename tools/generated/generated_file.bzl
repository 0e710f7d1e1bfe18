"""Files that are generated and committed too, so that they can be read, and used without Bazel."""

load("@bazel_skylib//rules:diff_test.bzl", "diff_test")
load("@rules_shell//shell:sh_binary.bzl", "sh_binary")

def generated_file(name, generated, committed):
    """Keeps a committed file equal to a generated one.

    Makes a test `name.current`, which fails when the two differ, and a program `name.update`, which
    `bazel run` starts to copy the generated file over the committed one.

    Args:
      name: prefix of the targets' names.
      generated: label of the file as it should be.
      committed: name of the committed file, in this package.
    """
    diff_test(
        name = name + ".current",
        size = "small",
        failure_message = "To bring {} up to date: ./bazelw run //{}:{}.update".format(committed, native.package_name(), name),
        file1 = generated,
        file2 = committed,
    )
    sh_binary(
        name = name + ".update",
        srcs = ["//tools/generated:update.sh"],
        args = [
            "$(rlocationpath {})".format(generated),
            "{}/{}".format(native.package_name(), committed),
        ],
        data = [generated],
    )
