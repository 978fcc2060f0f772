#!/usr/bin/env bash
# Builds and runs an example; its drawings come to ./<example>-out.
#
#     tools/run_example.sh [nile | challenger] [output folder] [data file]
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)

example=${1:-nile}
[ $# -eq 0 ] || shift
case $example in
    nile | challenger) ;;
    *) echo "no example '$example' to run: nile or challenger" >&2; exit 2 ;;
esac

"$sources/tools/install_dependencies.sh"

build=$sources/build/example
cmake -S "$sources" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=g++ \
    -DCOTAN_BUILD_TESTS=OFF -DCOTAN_BUILD_BENCHMARKS=OFF
cmake --build "$build" --target "$example"
"$build/examples/$example" "$@"
