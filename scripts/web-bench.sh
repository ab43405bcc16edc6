#!/usr/bin/env bash
# Builds the engine for WebAssembly and runs its bench in Node: the signature must be that of the native program.
#
#   scripts/web-bench.sh
#
# Needs Node, and what scripts/web-module.sh needs.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
scripts/web-module.sh nodejs "$target/web/node"
run='const module = require(process.argv[1]);
module.provideNetwork(require("fs").readFileSync(process.argv[2]));
process.stdout.write(module.bench());'
found=$(node -e "$run" "$target/web/node/tengen_web.js" src/eval/network/built_in.tnn)
printf '%s\n' "$found" | tail -n 3
if [ "$(printf '%s\n' "$found" | awk '$1 == "signature" { print $2 }')" != "$(cat src/signature.txt)" ]; then
    printf 'the signature differs from the native one, %s\n' "$(cat src/signature.txt)" >&2
    exit 1
fi
