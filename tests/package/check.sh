#!/usr/bin/env bash
# check.sh installed|subdirectory CMAKE SOURCES BUILD ARGUMENT...
#
# Builds and runs the user's project beside this file, against an installation of cotan made from BUILD or with cotan's
# SOURCES as a subdirectory. The ARGUMENTs go to the configuration of the user's project.
set -euo pipefail

way=$1 cmake=$2 sources=$3 build=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

case $way in
    installed)
        "$cmake" --install "$build" --prefix "$folder/prefix" >"$folder/install.log"
        where=-DCMAKE_PREFIX_PATH=$folder/prefix ;;
    subdirectory)
        where=-DCOTAN_SOURCE_DIR=$sources ;;
esac

"$cmake" -S "$(dirname "$0")" -B "$folder/build" "$@" -DCMAKE_BUILD_TYPE=Release "$where"
"$cmake" --build "$folder/build"
"$folder/build/uses_cotan"
echo "a user's project builds and runs: $way"
