#!/bin/sh
# Plays one engine against every engine in a folder.
#
#   scripts/gauntlet.sh ENGINE FOLDER [further options of `tengen match`]
#   scripts/gauntlet.sh target/release/pbrain-tengen ~/engines --openings crates/workbench/openings/even-freestyle15.txt
#
# The opponents are the programs FOLDER/pbrain-* and FOLDER/*/pbrain-*, named by their file names.
set -eu
engine=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")/.." && pwd)
for program in "$folder"/pbrain-* "$folder"/*/pbrain-*; do
    if [ -f "$program" ] && [ -x "$program" ]; then
        set -- "$@" -e "cmd=$program"
    fi
done
exec "${CARGO_TARGET_DIR:-$here/target}/release/tengen" match --gauntlet -e "name=challenger,cmd=$engine" \
    --each tc=60+0.1,st=5 "$@"
