#!/usr/bin/env bash
# challenger.sh PROGRAM
#
# Runs the example and compares what it prints with the published fit, and checks what it writes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

output=$("$1" "$folder/out")
printf '%s\n' "$output"

must_print() {
    grep -Eq "$1" <<<"$output" || { echo "FAILED: no line like: $1"; exit 1; }
}
must_print '^intercept +15\.0429 +7\.3786 '
must_print '^temperature +-0\.2322 +0\.1082 '
must_print '^residual deviance +20\.315 '

grep -q '^digraph' "$folder/out/graph.dot" || { echo "FAILED: graph.dot is no Graphviz graph"; exit 1; }
if command -v dot >/dev/null; then grep -q '</svg>' "$folder/out/graph.svg"; fi
if command -v gnuplot >/dev/null; then grep -q '</svg>' "$folder/out/challenger.svg"; fi

# A data file with a mistake is refused with its line.
printf 'temperature,distress\n66,0\n70,yes\n' >"$folder/wrong.csv"
if message=$("$1" "$folder/out" "$folder/wrong.csv" 2>&1); then echo "FAILED: accepts a wrong file"; exit 1; fi
grep -q 'wrong.csv:3: ' <<<"$message" || { echo "FAILED: no line number in: $message"; exit 1; }
