#!/usr/bin/env bash
# Type-checks the SwiftUI code of DuetSwiftUI and of the guide where SwiftUI does not exist, against the declarations in
# Tests/App/SwiftUIStandIn: scripts/swiftui.sh FOLDER
# The module is written to the folder, for its documentation. Everything else must have been built.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFTUI=$1
mkdir -p "$SWIFTUI"
source scripts/includes.sh
# What Package.swift sets for every target; the name of the package comes from its folder.
settings=(-swift-version 6 -strict-memory-safety -warnings-as-errors -D HTTP)
for feature in ExistentialAny ImmutableWeakCaptures InferIsolatedConformances InternalImportsByDefault MemberImportVisibility \
    NonisolatedNonsendingByDefault; do
    grep --quiet "\"$feature\"" Package.swift
    settings+=(-enable-upcoming-feature "$feature")
done
name=$(grep --max-count=1 '"-module-name","DuetSwiftUI",' .build/debug.yaml | grep --only-matching '"-package-name","[^"]*"' | cut -d '"' -f 4)
# Down to SIL, because the compiler checks the isolation of values after the types.
swiftc -emit-sil -o "$SWIFTUI/module.sil" -parse-as-library -whole-module-optimization -module-name DuetSwiftUI \
    -emit-module-path "$SWIFTUI/DuetSwiftUI.swiftmodule" -package-name "$name" "${settings[@]}" "${includes[@]}" Sources/App/DuetSwiftUI/*.swift
# The macro of Xcode's previews becomes a function.
sed 's/^    #Preview {/    @MainActor @ViewBuilder func shownByXcode() -> some View {/' Snippets/SwiftUIScreens.swift >"$SWIFTUI/main.swift"
swiftc -emit-sil -o "$SWIFTUI/main.sil" -module-name SwiftUIScreens "${settings[@]}" "${includes[@]}" \
    -load-plugin-executable .build/debug/DuetMacrosPlugin-tool#DuetMacrosPlugin "$SWIFTUI/main.swift"
# As an application has it, without the features of this package.
swiftc -emit-sil -o "$SWIFTUI/screen.sil" -parse-as-library -module-name Screen -swift-version 6 -warnings-as-errors "${includes[@]}" \
    -load-plugin-executable .build/debug/DuetMacrosPlugin-tool#DuetMacrosPlugin Tests/App/SwiftUIStandIn/MigratedScreen.swift
rm "$SWIFTUI"/{main,module,screen}.sil "$SWIFTUI/main.swift"
