#!/usr/bin/env bash
# The fitted parabola of Galileo's data is the published one: 199.91 + 0.7083 height - 0.0003437 height^2 (F. Ramsey, D. Schafer, The Statistical
# Sleuth, 2012, chapter 10). A file that is none is refused.
set -euo pipefail
out=$("$1")
grep -q '^a = 199\.91' <<<"$out"
grep -q '^b = 708\.3' <<<"$out"
grep -q '^c = -343\.[67]' <<<"$out"
message=$("$1" /dev/null 2>&1) && exit 1
grep -q 'a model cannot be read' <<<"$message"
