#!/usr/bin/env bash
# nile.sh PROGRAM
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
# Durbin and Koopman: 15099 and 1469.1, log-likelihood -632.54 (of the first year nothing). The standard errors are those of the reference in
# tools/oracles/nile.py.
must_print '^variance of the error +1509[89]\.[0-9] +3145\.5 +15099\.0$'
must_print '^variance of the step +1469\.[12] +1280\.4 +1469\.1$'
must_print '^log-likelihood +-632\.546 +-632\.54$'
must_print '^the smoothed level: 1111\.7 in 1871, 798\.4 in 1970$'

# Each year has its measured flow, the smoothed level, and half of the band's width.
[ "$(grep -Ec '^1[89][0-9][0-9] [0-9]+ [0-9.]+ [0-9.]+$' "$folder/out/nile.gp")" = 100 ] || { echo "FAILED: nile.gp does not hold 100 years"; exit 1; }
if command -v gnuplot >/dev/null; then grep -q '</svg>' "$folder/out/nile.svg"; fi

# A data file with a mistake is refused with its line.
printf 'year,flow\n1871,1120\n1872,much\n' >"$folder/wrong.csv"
if message=$("$1" "$folder/out" "$folder/wrong.csv" 2>&1); then echo "FAILED: accepts a wrong file"; exit 1; fi
grep -q 'wrong.csv:3: ' <<<"$message" || { echo "FAILED: no line number in: $message"; exit 1; }
