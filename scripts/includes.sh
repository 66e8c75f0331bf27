# Sets `includes`, the compiler's arguments for modules that are already built. Scripts in the folder of the package source this file.
# SWIFTUI=FOLDER puts the folder of scripts/swiftui.sh in front, and the declarations in place of SwiftUI.
shopt -s nullglob
includes=(${SWIFTUI:+-I "$SWIFTUI" -I Tests/App/SwiftUIStandIn} -I .build/debug/Modules)
# C modules have a module map, or one that SwiftPM writes beside their objects; their headers are in the checkout.
for map in .build/debug/*.build/module.modulemap Sources/*/*/module.modulemap .build/checkouts/*/Sources/*/{,include/}module.modulemap; do
    includes+=(-Xcc "-fmodule-map-file=$map")
done
for headers in .build/checkouts/*/Sources/*/include; do
    includes+=(-Xcc -I -Xcc "$headers")
done
[ "$(uname)" = Linux ] || includes+=(-sdk "$(xcrun --show-sdk-path)")
