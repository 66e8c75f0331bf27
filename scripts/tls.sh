#!/usr/bin/env bash
# Runs the TLS tests on every client, without building them. URLSession on Linux trusts only the authorities of the
# system. So the tests run in a separate mount namespace, in which a temporary authority is one of them.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
bundle=/etc/ssl/certs/ca-certificates.crt

in_namespace=(unshare --mount)
[ "$(id -u)" -eq 0 ] || in_namespace=(unshare --map-root-user --mount)
if ! reason=$("${in_namespace[@]}" mount --bind "$bundle" "$bundle" 2>&1); then
    cat >&2 <<EOF
!!
!! NOT TESTED: URLSession over TLS and HTTP/2. The test needs a mount namespace, which this system does not permit:
!! $reason
!! In a container, --cap-add SYS_ADMIN permits it.
!!
EOF
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj "/CN=Duet's tests in this run" \
    -addext basicConstraints=critical,CA:TRUE -keyout "$folder/authority.key" -out "$folder/authority.pem" 2>"$folder/log" ||
    { cat "$folder/log" >&2; exit 1; }
cat "$bundle" "$folder/authority.pem" >"$folder/bundle.crt"

echo "TLS tests of all clients, in a namespace whose system trusts the tests' authority"
DUET_TLS_AUTHORITY=$folder "${in_namespace[@]}" bash -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' - \
    "$folder/bundle.crt" "$bundle" \
    "$(swift build --traits "$TRAITS" --show-bin-path)/duetPackageTests.xctest" --testing-library swift-testing \
    --filter DuetHTTPAdapterTests.TLSTests
