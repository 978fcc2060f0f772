#!/usr/bin/env bash
# Builds the benchmarks for this processor and runs them one after the other; arguments go to each, such as
# --benchmark_filter=softplus. Nothing else should run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install_dependencies.sh

cmake --preset bench
cmake --build --preset bench --parallel 1
for program in build/bench/benchmarks/bench.*; do
    [ -x "$program" ] || { echo "there are no benchmarks yet"; exit 1; }
    printf '\n=== %s ===\n' "$(basename "$program")"
    "$program" "$@"
done
