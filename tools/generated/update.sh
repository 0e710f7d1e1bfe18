#!/bin/sh
# Copies a generated file into the workspace. Started by `bazel run`; usage: update.sh RUNFILE WORKSPACE_PATH
set -eu
: "${BUILD_WORKSPACE_DIRECTORY:?start this with bazel run}"
cp "${RUNFILES_DIR:-$0.runfiles}/$1" "$BUILD_WORKSPACE_DIRECTORY/$2"
chmod u+w,a-x "$BUILD_WORKSPACE_DIRECTORY/$2"
echo "updated $2"
