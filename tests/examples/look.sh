#!/usr/bin/env bash
# look.sh PROGRAM PAGE
#
# Runs the example: what the page shows in its ```text blocks is what the program prints.
set -euo pipefail

program=$(realpath "$1") page=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$program" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >printed
awk '/^```text$/ { inside = 1; if (blocks++) print ""; next } /^```$/ { inside = 0 } inside' "$page" >shown
diff -u shown printed || { echo "FAILED: the program prints other text than the page shows"; exit 1; }

grep -q '^digraph' graph.dot || { echo "FAILED: graph.dot is no Graphviz graph"; exit 1; }
if command -v dot >/dev/null; then dot -Tsvg graph.dot | grep -q '</svg>'; fi
