#!/usr/bin/env bash
# Builds and tests everything with both compilers, then what touches memory once more with sanitizers.
# COTAN_JOBS sets how many compilers run at once (default: one for each processor).
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install_dependencies.sh

jobs=${COTAN_JOBS:-$(nproc)}
for preset in gcc clang clang-sanitize; do
    printf '\n=== %s ===\n' "$preset"
    cmake --preset "$preset"
    cmake --build --preset "$preset" --parallel "$jobs"
    ctest --preset "$preset" --parallel "$jobs"
done
