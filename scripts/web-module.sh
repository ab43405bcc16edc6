#!/usr/bin/env bash
# Builds the WebAssembly module and the JavaScript around it.
#
#   scripts/web-module.sh nodejs|web FOLDER [threads]
#
# Needs the target (rustup target add wasm32-unknown-unknown). The build with threads needs a nightly toolchain with the
# sources of the standard library (rustup toolchain install nightly --component rust-src). wasm-bindgen, which makes the
# JavaScript, is installed into target/tools in the version that Cargo.lock names. A build for the web is made smaller
# by wasm-opt (binaryen) if that is installed.
set -euo pipefail
kind=$1 folder=$2 threads=${3:-}
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
if [ "$("$target/tools/bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
    cargo install --quiet --root "$target/tools" --target-dir "$target/tools/build" --version "$version" wasm-bindgen-cli
    rm -rf "$target/tools/build"
fi
build=$target/web options=(--enable-simd)
# What is not the engine is built for size.
small=()
for package in tengen-analysis tengen-record tengen-session serde_json; do
    small+=(--config "profile.release.package.$package.opt-level='s'")
done
if [ -n "$threads" ]; then
    build=$target/web/threads options+=(--enable-threads)
    # The memory that the workers share has at most 2 GiB: board-worker.js.
    RUSTFLAGS="$(sed -n 's/^rustflags = \[\(.*\)\]$/\1/p' .cargo/config.toml | tr -d '",') -C target-feature=+atomics"
    for flag in shared-memory import-memory max-memory=2147483648 export=__heap_base export=__wasm_init_tls \
        export=__tls_size export=__tls_align export=__tls_base; do
        RUSTFLAGS+=" -C link-arg=--$flag"
    done
    export RUSTFLAGS
    CARGO_TARGET_DIR=$build cargo +nightly build --quiet --release --target wasm32-unknown-unknown \
        -Z build-std=std,panic_abort -p tengen-web "${small[@]}"
else
    CARGO_TARGET_DIR=$build cargo build --quiet --release --target wasm32-unknown-unknown -p tengen-web "${small[@]}"
fi
"$target/tools/bin/wasm-bindgen" --target "$kind" --no-typescript --remove-name-section --remove-producers-section \
    --out-dir "$folder" "$build/wasm32-unknown-unknown/release/tengen_web.wasm"
optimiser=$(PATH="$target/tools/bin:$PATH" command -v wasm-opt || true)
if [ "$kind" = web ] && [ -n "$optimiser" ]; then
    "$optimiser" -O3 "${options[@]}" --enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int \
        --enable-sign-ext --enable-reference-types --enable-multivalue "$folder/tengen_web_bg.wasm" -o "$folder/small.wasm"
    mv "$folder/small.wasm" "$folder/tengen_web_bg.wasm"
fi
