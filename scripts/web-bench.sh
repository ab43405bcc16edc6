#!/usr/bin/env bash
# Builds the engine for WebAssembly and runs its bench in Node: the signature must be that of the native program.
#
#   scripts/web-bench.sh
#
# Needs the target (rustup target add wasm32-unknown-unknown) and Node. wasm-bindgen, which makes the JavaScript around
# a module, is installed into target/tools in the version that Cargo.lock names.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
if [ "$("$target/tools/bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
    cargo install --quiet --root "$target/tools" --target-dir "$target/tools/build" --version "$version" wasm-bindgen-cli
    rm -rf "$target/tools/build"
fi
RUSTFLAGS='-C target-feature=+simd128' CARGO_TARGET_DIR=$target/web \
    cargo build --quiet --release --target wasm32-unknown-unknown -p tengen-web
"$target/tools/bin/wasm-bindgen" --target nodejs --out-dir "$target/web/node" \
    "$target/web/wasm32-unknown-unknown/release/tengen_web.wasm"
found=$(node -e 'process.stdout.write(require(process.argv[1]).bench())' "$target/web/node/tengen_web.js")
printf '%s\n' "$found" | tail -n 3
if [ "$(printf '%s\n' "$found" | awk '$1 == "signature" { print $2 }')" != "$(cat src/signature.txt)" ]; then
    printf 'the signature differs from the native one, %s\n' "$(cat src/signature.txt)" >&2
    exit 1
fi
