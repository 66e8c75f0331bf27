#!/usr/bin/env bash
# Installs or removes the program: scripts/install.sh install PROGRAM, or scripts/install.sh uninstall.
# The variables PREFIX (default /usr/local) and DESTDIR (default empty) name the place, as in the GNU Coding Standards.
set -euo pipefail

root="${DESTDIR:-}${PREFIX:-/usr/local}"
folder="$root/libexec/essential-feed"
samples=duet_FeedBackend.resources
files=(
    "$root/bin/feed"
    "$root/share/man/man1/feed.1"
    "$root/share/bash-completion/completions/feed"
    "$root/share/zsh/site-functions/_feed"
    "$root/share/fish/vendor_completions.d/feed.fish"
)

# Another program of this name is neither replaced nor removed.
if [[ (-e "${files[0]}" || -L "${files[0]}") && "$(readlink "${files[0]}")" != ../libexec/essential-feed/feed ]]; then
    echo "${files[0]} is another program. It is left unchanged. Choose another PREFIX, or move it away." >&2
    exit 1
fi

case "${1:-}" in
install)
    program=$(realpath "$2")
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # Everything is made before anything is placed, so that a failure leaves no half of an installation.
    "$(dirname "$0")/manual.sh" "$program" >"$work/feed.1"
    for shell in bash zsh fish; do "$program" completions "$shell" >"$work/$shell"; done

    rm -rf "$folder"
    install -D -m 755 "$program" "$folder/feed"
    # The program finds its photographs beside itself.
    cp -RL "$(dirname "$program")/$samples" "$folder/$samples"
    mkdir -p "$root/bin"
    ln -sfn ../libexec/essential-feed/feed "${files[0]}"
    install -D -m 644 "$work/feed.1" "${files[1]}"
    install -D -m 644 "$work/bash" "${files[2]}"
    install -D -m 644 "$work/zsh" "${files[3]}"
    install -D -m 644 "$work/fish" "${files[4]}"
    echo "Installed ${files[0]}, its manual and its completions."
    ;;
uninstall)
    rm -f "${files[@]}"
    rm -rf "$folder"
    echo "Removed ${files[0]}, its manual and its completions. The cache and the backend's database are still there."
    ;;
*)
    echo "Usage: scripts/install.sh install PROGRAM | uninstall" >&2
    exit 64
    ;;
esac
