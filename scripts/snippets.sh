#!/usr/bin/env bash
# Compiles each snippet as the code of a user, who has another package: what is `package` does not exist there. Links and
# runs those whose output a guide shows, and all with scripts/snippets.sh all. Everything else must have been built.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
source scripts/includes.sh
failed=0

# Down to SIL, because the compiler checks the isolation of values after the types.
compile() {
    local snippet=$1 library=()
    shift
    ! grep --quiet '^ *@main$' "$snippet" || library=(-parse-as-library)
    swiftc -emit-sil -o /dev/null -module-name "$(basename "$snippet" .swift)" -swift-version 6 -warnings-as-errors \
        "${library[@]}" "$@" -load-plugin-executable .build/debug/DuetMacrosPlugin-tool#DuetMacrosPlugin "$snippet"
}
export -f compile
printf '%s\0' Snippets/*.swift | xargs -0 -P "$(nproc)" -I '{}' bash -c 'compile "$@"' - '{}' "${includes[@]}" || failed=1

for snippet in Snippets/*.swift; do
    program=$(basename "$snippet" .swift)
    guide=Documentation/Guides.docc/$program.md
    grep --quiet '^The program prints:' "$guide" 2>/dev/null && isShown=true || isShown=false
    $isShown || [ "${1-}" = all ] || continue
    swift build --traits "$TRAITS" --quiet --product "$program" &&
        printed=$(timeout 60 ".build/debug/$program") || { echo "The snippet $program does not run." >&2; failed=1; }
    ! $isShown || [[ "$(<"$guide")" == *"$printed"* ]] ||
        { echo "$guide does not show what its program prints: $printed" >&2; failed=1; }
done
exit $failed
