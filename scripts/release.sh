#!/usr/bin/env bash
# Builds the downloads: static programs for Linux and Windows, archives and checksums. Runs the bench of each program
# that this machine can run.
#
#   scripts/release.sh [--available] [--out FOLDER]
#
# --available  skips builds that are impossible on this machine, instead of failing after the others
# --out        folder of the archives [default: target/release-VERSION]
#
# Archives:
#   tengen-VERSION-linux-x86_64.tar.gz    pbrain-tengen, tengen and the documentation
#   tengen-VERSION-windows-x86_64.zip     the same for Windows
#   pbrain-tengen64.zip                   for Gomocup and Piskvork: pbrain-tengen64.exe alone
#   SHA256SUMS
#
# Requirements besides a Rust toolchain:
#   Linux    rustup target add x86_64-unknown-linux-musl
#   Windows  rustup target add x86_64-pc-windows-gnu, the linker x86_64-w64-mingw32-gcc (Debian:
#            gcc-mingw-w64-x86-64), zip; wine to run it
set -euo pipefail
cd "$(dirname "$0")/.."

available=
out=
while [ $# -gt 0 ]; do
    case $1 in
        --available) available=1 ;;
        --out) out=${2:?--out needs a folder}; shift ;;
        *) echo "usage: scripts/release.sh [--available] [--out FOLDER]" >&2; exit 2 ;;
    esac
    shift
done

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
expected=$(tr -d '[:space:]' < src/signature.txt)
built=${CARGO_TARGET_DIR:-target}
out=${out:-$built/release-$version}
rm -rf "$out"
mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
missing=()

# Whether the standard library of a target is installed.
has_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; }

# Records a missing requirement and how to install it.
lacks() {
    echo "missing: $1" >&2
    missing+=("$1")
}

# Prints the bench signature of a program; prints nothing if the program does not run.
signature() { "$@" bench 2> /dev/null | tr -d '\r' | sed -n 's/^signature  *//p' || true; }

# Fails unless the signature equals the recorded one. (program, signature)
check() {
    echo "$1: signature $2"
    [ "$2" = "$expected" ] || { echo "src/signature.txt says $expected" >&2; exit 1; }
}

# Copies the programs of a build and the documentation to a folder. (target, suffix, name of the engine)
collect() {
    local folder=$stage/$1
    mkdir -p "$folder"
    cp "$built/$1/release/pbrain-tengen$2" "$folder/$3$2"
    cp "$built/$1/release/tengen$2" "$folder/tengen$2"
    cp -r README.md docs LICENSE "$folder/"
}

linux() {
    local target=x86_64-unknown-linux-musl
    if ! has_target $target; then
        lacks "the static Linux build: rustup target add $target"
        # Use the C library of this system instead, linked statically.
        target=x86_64-unknown-linux-gnu
        [ -n "$available" ] && has_target $target || return 0
        echo "building $target with a static C library instead"
    fi
    RUSTFLAGS="${RUSTFLAGS-} -C target-feature=+crt-static" cargo build --release --workspace --bins --target $target
    collect $target "" pbrain-tengen
    check $target "$(signature "$stage/$target/pbrain-tengen")"
    tar -C "$stage/$target" -czf "$out/tengen-$version-linux-x86_64.tar.gz" .
}

windows() {
    local target=x86_64-pc-windows-gnu linker=x86_64-w64-mingw32-gcc ready=1
    has_target $target || { lacks "the Windows build: rustup target add $target"; ready=; }
    command -v $linker > /dev/null || { lacks "the Windows linker: $linker (Debian: gcc-mingw-w64-x86-64)"; ready=; }
    command -v zip > /dev/null || { lacks "zip, for the Windows archives"; ready=; }
    [ -n "$ready" ] || return 0
    # The program must not need a DLL of the compiler.
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$linker RUSTFLAGS="${RUSTFLAGS-} -C link-arg=-static" \
        cargo build --release --workspace --bins --target $target
    collect $target .exe pbrain-tengen64
    local found=
    if command -v wine > /dev/null; then
        found=$(WINEDEBUG=-all signature wine "$stage/$target/pbrain-tengen64.exe")
    fi
    if [ -n "$found" ]; then
        check $target "$found"
    else
        lacks "a run of the Windows program: wine, of a version that has bcryptprimitives.dll"
    fi
    local archives
    archives=$(realpath "$out")
    (cd "$stage/$target" && zip -qr "$archives/tengen-$version-windows-x86_64.zip" ./* \
        && zip -q "$archives/pbrain-tengen64.zip" pbrain-tengen64.exe)
}

linux
windows
(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs -r sha256sum > SHA256SUMS && cat SHA256SUMS)
echo "in $out"
if [ ${#missing[@]} -gt 0 ]; then
    printf 'not done: %s\n' "${missing[@]}" >&2
    [ -n "$available" ] || exit 1
fi
