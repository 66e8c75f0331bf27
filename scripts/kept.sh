# The built dependencies, kept from one run of .ci/run to the next, which sources this file: an archive outside of the
# clone, with nothing of the project in it, whose name stands for the releases, the compiler, the traits and the flags.
# DUET_KEPT=FOLDER names another folder, and DUET_KEPT= none. A missing, other or damaged archive is no fault.
#
# What is built knows its absolute path, so a clean clone builds in a folder of that one. One run at a time uses it: the
# others, and clones in which something was built, build in the clone.
kept=${DUET_KEPT-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/duet}
archive=

if [ -n "$kept" ] && [ ! -e .build ] && mkdir -p "$kept" 2>/dev/null && exec 9>"$kept/lock" && flock --nonblock 9; then
    archive=$kept/$({ cat scripts/packages.txt; swift --version; echo "$TRAITS $BUILD_FLAGS"; } 2>/dev/null |
        sha256sum | cut --characters=1-16).tar.zst
    rm -rf "$kept/build"
    mkdir "$kept/build"
    ln -s "$kept/build" .build
    export SWIFTPM_BUILD_DIR=$kept/build
    trap 'rm .build; mkdir .build; cp "$kept"/build/*.log .build 2>/dev/null; rm -rf "$kept/build"' EXIT
fi

# Builds the dependencies, or takes the kept ones.
kept_dependencies() {
    [ -n "$archive" ] || { scripts/dependencies.sh; return; }
    scripts/setup.sh zstd
    if [ -e "$archive" ]; then
        if tar --extract --zstd --file "$archive" --directory "$kept" && scripts/dependencies.sh; then return; fi
        echo "The kept dependencies cannot be used, and are built again."
        find "$kept/build" -mindepth 1 -maxdepth 1 ! -name servers -exec rm -rf {} +
    fi
    scripts/dependencies.sh
    rm -f "$kept"/*.tar.zst*
    tar --create --exclude=build/servers --exclude='build/*.log' --directory "$kept" build |
        zstd --quiet -T0 -o "$archive.new" && mv "$archive.new" "$archive"
}
