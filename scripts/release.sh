#!/usr/bin/env bash
# Builds the downloads: programs for Linux, Windows and macOS, archives and checksums. Runs the bench of each program
# that this machine can run, itself or in an emulator.
#
#   scripts/release.sh [--available] [--out FOLDER]
#
# --available  skips builds that are impossible on this machine, instead of failing after the others
# --out        folder of the archives [default: target/release-VERSION]
#
# Archives:
#   tengen-VERSION-linux-x86_64.tar.gz    pbrain-tengen, tengen and the documentation; static programs
#   tengen-VERSION-linux-aarch64.tar.gz   the same for 64-bit ARM
#   tengen_VERSION-1_amd64.deb            the same as a Debian package
#   tengen-VERSION-windows-x86_64.zip     the same for Windows
#   tengen-VERSION-macos-ARCH.tar.gz      the same for macOS, for both processors; only a Mac can build them
#   pbrain-tengen64.zip                   for Gomocup and Piskvork: pbrain-tengen64.exe alone
#   SHA256SUMS
#
# Requirements besides a Rust toolchain:
#   Linux    rustup target add x86_64-unknown-linux-musl aarch64-unknown-linux-gnu; the linker and C library of the
#            latter (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross), qemu-aarch64 to run it (Debian: qemu-user)
#   Debian   cargo install cargo-deb
#   Windows  rustup target add x86_64-pc-windows-gnu, the linker x86_64-w64-mingw32-gcc (Debian:
#            gcc-mingw-w64-x86-64), zip; wine to run it
#   macOS    rustup target add x86_64-apple-darwin aarch64-apple-darwin
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
processor=$(rustc -vV | sed -n 's/^host: \([^-]*\).*/\1/p')
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

# Copies the programs of a build and the documentation to a folder: $stage/TARGET/tengen-VERSION. (target, suffix, name of
# the engine)
collect() {
    local folder=$stage/$1/tengen-$version
    mkdir -p "$folder"
    cp "$built/$1/release/pbrain-tengen$2" "$folder/$3$2"
    cp "$built/$1/release/tengen$2" "$folder/tengen$2"
    cp -r README.md CHANGELOG.md docs LICENSE "$folder/"
}

# Builds both programs for a target, checks the signature and packs them. (target, name of the archive, runner)
programs() {
    cargo build --release --workspace --bins --target "$1"
    collect "$1" "" pbrain-tengen
    local found
    # shellcheck disable=SC2086
    found=$(signature ${3-} "$stage/$1/tengen-$version/pbrain-tengen")
    # A program for another processor needs a runner.
    if [ -z "$found" ] && [ "${1%%-*}" != "$processor" ]; then
        lacks "a run of the program for $1"
    else
        check "$1" "$found"
    fi
    tar -C "$stage/$1" -czf "$out/tengen-$version-$2.tar.gz" "tengen-$version"
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
    RUSTFLAGS="${RUSTFLAGS-} -C target-feature=+crt-static" programs $target linux-x86_64
    debian $target
}

# A Debian package of the programs that linux() has built. (target)
debian() {
    cargo deb --version > /dev/null 2>&1 || { lacks "the Debian package: cargo install cargo-deb"; return 0; }
    cargo deb --quiet --package tengen-cli --no-build --no-strip --target "$1" --output "$out/"
}

arm() {
    local target=aarch64-unknown-linux-gnu linker=aarch64-linux-gnu-gcc
    has_target $target || { lacks "the build for ARM: rustup target add $target"; return 0; }
    command -v $linker > /dev/null || { lacks "the linker for ARM: $linker (Debian: gcc-aarch64-linux-gnu)"; return 0; }
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$linker RUSTFLAGS="${RUSTFLAGS-} -C target-feature=+crt-static" \
        programs $target linux-aarch64 "$(command -v qemu-aarch64 || true)"
}

macos() {
    local arch
    for arch in aarch64 x86_64; do
        has_target $arch-apple-darwin || { lacks "the build for macOS: rustup target add $arch-apple-darwin"; continue; }
        programs $arch-apple-darwin macos-$arch
    done
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
        found=$(WINEDEBUG=-all signature wine "$stage/$target/tengen-$version/pbrain-tengen64.exe")
    fi
    if [ -n "$found" ]; then
        check $target "$found"
    else
        lacks "a run of the Windows program: wine, of a version that has bcryptprimitives.dll"
    fi
    local archives
    archives=$(realpath "$out")
    (cd "$stage/$target" && zip -qr "$archives/tengen-$version-windows-x86_64.zip" "tengen-$version" \
        && zip -qj "$archives/pbrain-tengen64.zip" "tengen-$version/pbrain-tengen64.exe")
}

if [ "$(uname)" = Darwin ]; then
    macos
else
    linux
    arm
    windows
fi
sums=$(cd "$out" && if command -v sha256sum > /dev/null; then sha256sum -- *; else shasum -a 256 -- *; fi)
printf '%s\n' "$sums" | tee "$out/SHA256SUMS"
echo "in $out"
if [ ${#missing[@]} -gt 0 ]; then
    printf 'not done: %s\n' "${missing[@]}" >&2
    [ -n "$available" ] || exit 1
fi
