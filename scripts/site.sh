#!/usr/bin/env bash
# Makes target/site: Tengen in the browser without a server, as plain files for any host. docs/web.md says more.
#
#   scripts/site.sh
#   python3 -m http.server --directory target/site
#
# Needs what scripts/web-module.sh needs; without a nightly toolchain the site has no build with threads. Prints the
# sizes, as they are and compressed, and fails above 6 MB.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
most=6000000
site=$target/site.new
rm -rf "$site"
mkdir -p "$site"
scripts/web-module.sh web "$site"
cp -R crates/play/src/page/. "$site"
cp -R crates/web/site/. "$site"
cp src/eval/network/built_in.tnn "$site/network.tnn"
if [ -e "$(rustc +nightly --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library/Cargo.lock" ]; then
    scripts/web-module.sh web "$site/threads" threads
    sed -i.old 's/THREADS_BUILT = false/THREADS_BUILT = true/' "$site/threads-built.js"
    rm "$site/threads-built.js.old"
else
    printf 'no build with threads (rustup toolchain install nightly --component rust-src)\n'
fi
rm "$site"/watch.* "$site/http.js" "$site/head.html"
sed -i.old '/<meta charset/r crates/web/site/head.html' "$site/index.html"
rm "$site/index.html.old"

cd "$site"
files=$(find . -type f ! -name service-worker.js | sed 's|^\./||' | LC_ALL=C sort)
version=$(cat $files service-worker.js | { sha256sum 2>/dev/null || shasum -a 256; } | cut -c 1-16)
list=$(printf "'./', "; printf "'%s', " $files)
sed -i.old "s|@VERSION@|$version|; s|/\* @FILES@ \*/|${list%, }|" service-worker.js
rm service-worker.js.old
rm -rf "$target/site"
mv "$site" "$target/site"

cd "$target/site"
raw=0 packed=0
for file in $files service-worker.js; do
    size=$(wc -c <"$file") small=$(gzip -9 <"$file" | wc -c)
    raw=$((raw + size)) packed=$((packed + small))
    case $file in *.wasm | *.tnn) printf '%-24s %8d bytes, %8d compressed\n' "$file" "$size" "$small" ;; esac
done
printf '%-24s %8d bytes, %8d compressed\n' "all, version $version" "$raw" "$packed"
if [ "$packed" -gt "$most" ]; then
    printf 'the site is larger than %d bytes compressed\n' "$most" >&2
    exit 1
fi
