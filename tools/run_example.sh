#!/usr/bin/env bash
# Builds and runs the Challenger example; arguments go to it. Its drawings come to ./challenger-out.
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)

"$sources/tools/install_dependencies.sh"

build=$sources/build/example
cmake -S "$sources" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=g++ \
    -DCOTAN_BUILD_TESTS=OFF -DCOTAN_BUILD_BENCHMARKS=OFF
cmake --build "$build" --target challenger
"$build/examples/challenger" "$@"
