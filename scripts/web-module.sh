#!/usr/bin/env bash
# Builds the WebAssembly module and the JavaScript around it.
#
#   scripts/web-module.sh nodejs|web FOLDER
#
# Needs the target (rustup target add wasm32-unknown-unknown). wasm-bindgen, which makes the JavaScript, is installed
# into target/tools in the version that Cargo.lock names. A build for the web is made smaller by wasm-opt (binaryen)
# if that is installed.
set -euo pipefail
kind=$1 folder=$2
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
if [ "$("$target/tools/bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
    cargo install --quiet --root "$target/tools" --target-dir "$target/tools/build" --version "$version" wasm-bindgen-cli
    rm -rf "$target/tools/build"
fi
CARGO_TARGET_DIR=$target/web cargo build --quiet --release --target wasm32-unknown-unknown -p tengen-web
"$target/tools/bin/wasm-bindgen" --target "$kind" --no-typescript --remove-name-section --remove-producers-section \
    --out-dir "$folder" "$target/web/wasm32-unknown-unknown/release/tengen_web.wasm"
optimiser=$(PATH="$target/tools/bin:$PATH" command -v wasm-opt || true)
if [ "$kind" = web ] && [ -n "$optimiser" ]; then
    "$optimiser" -O3 --enable-simd --enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int \
        --enable-sign-ext --enable-reference-types --enable-multivalue "$folder/tengen_web_bg.wasm" -o "$folder/small.wasm"
    mv "$folder/small.wasm" "$folder/tengen_web_bg.wasm"
fi
