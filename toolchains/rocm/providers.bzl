"""What the ROCm toolchain tells rules."""

RocmToolInfo = provider(
    doc = "A program of the toolchain, to be run by an action: `executable`, then `arguments`, then the action's own.",
    fields = {
        "arguments": "list[string]: what comes before the action's own arguments; paths are relative to the execution root",
        "env": "dict[string, string]: the action's environment",
        "executable": "File: what to start; the toolchain's own loader, where there is one",
        "files": "depset[File]: everything the program needs to run, and nothing that another needs",
    },
)

RocmArchInfo = provider(
    doc = "What the toolchain adds for one GPU architecture.",
    fields = {
        "compile_arguments": "list[string]: what a compile for it needs, besides --offload-arch",
        "compile_files": "depset[File]: the device library of this architecture alone",
    },
)

RocmToolchainInfo = provider(
    doc = "A compiler from HIP to AMD GPU code. Each tool has its own files: a link does not drag in the compiler.",
    fields = {
        "archs": "dict[string, RocmArchInfo]: by name, the architectures that it knows",
        "compile": "RocmToolInfo: clang, with what compiles HIP for the device into a relocatable object",
        "compile_files": "depset[File]: headers and device libraries that a compile reads for any architecture",
        "hipify": "RocmToolInfo: hipify-perl, from CUDA to HIP",
        "link": "RocmToolInfo: lld, from relocatable objects to a code object",
        "llvm_major": "int: the major version of clang and lld",
        "name": "string: the toolchain's name, for messages",
    },
)

RocmInspectInfo = provider(
    doc = "LLVM's programs that inspect and assemble code.",
    fields = {
        "programs": "dict[string, RocmToolInfo]: by name: llvm-mc, llvm-objdump, llvm-readelf",
    },
)

ArchsInfo = provider(
    doc = "The GPU architectures that code is built for.",
    fields = {
        "archs": "list[string]: target IDs in canonical form, without duplicates, in the order of the table",
    },
)
