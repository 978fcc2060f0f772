#!/usr/bin/env bash
# Installs what cotan's tests, examples and benchmarks need and is not there yet, on Debian and its relatives.
set -euo pipefail

packages=(
    g++ clang-19 libclang-rt-19-dev                        # compilers, and clang's sanitizers
    cmake ninja-build ccache python3                       # the build; python3 checks the documentation
    libxtensor-dev libxsimd-dev librandom123-dev           # what cotan includes
    libeigen3-dev nlohmann-json3-dev                       # and sparse matrices, the runtime graph's products, model files
    catch2 libbenchmark-dev                                # tests and benchmarks
    gnuplot-nox graphviz                                   # the examples' drawings
    libnlopt-dev libnlopt-cxx-dev                          # the optimiser of the example with the Nile
)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "no Debian packages on this system; see to it that these are there: ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update
"${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"
