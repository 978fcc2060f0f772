#!/usr/bin/env bash
# check.sh SOURCE HEADERS COMPILER FLAG...
#
# Passes when the compiler refuses SOURCE with exactly one error, at a line of a file under HEADERS, in a message that
# contains what each "// expect: ..." line of SOURCE says. Echoed source lines and file names do not count as message:
# a word that stands in the program itself proves nothing.
#
# A SOURCE that mentions COTAN_TWIN holds its corrected self under #ifdef COTAN_TWIN, which must compile: then the
# refusal is owed to the mistake and not to something else in the program.
set -euo pipefail
export LC_ALL=C

source=$1 headers=$2
shift 2
# Warnings are off, so that what is counted is the library's own refusal.
compile=("$@" -w -fsyntax-only "$source")

fail() {
    printf 'FAILED: %s: %s\n' "$(basename "$source")" "$1"
    shift
    printf '%s\n' "$@"
    exit 1
}

if grep -q COTAN_TWIN "$source"; then
    output=$("${compile[@]}" -DCOTAN_TWIN 2>&1) || fail "the corrected program does not compile" "$output"
fi

if output=$("${compile[@]}" 2>&1); then
    fail "compiles, and must not"
fi

errors=$(grep 'error: ' <<<"$output" || true)
count=$(grep -o 'error: ' <<<"$output" | wc -l)
[ "$count" -eq 1 ] || fail "$count errors where one says it all" "$output"
case $errors in
    "$headers"*) ;;
    *) fail "the error is not the library's own" "$output" ;;
esac

# Echoed source: "   12 | code" and "      | ^~~~". File names: "In file included from ...", "path/file.hpp:1:2:".
message=$(sed -E -e '/^ *[0-9]* \|/d' -e '/^(In file included| +)from /d' \
    -e 's#[^ ]*\.(hpp|cpp|h)(:[0-9]+)*[:,]?##g' <<<"$output")

expected=$(sed -nE 's#^// expect: *(.*[^ ]) *$#\1#p' "$source")
[ -n "$expected" ] || fail "has no line '// expect: ...'"
while IFS= read -r words; do
    grep -qF -e "$words" <<<"$message" || fail "the message does not contain '$words'" "$output"
done <<<"$expected"
