#!/bin/sh
# Tests whether one revision is stronger than another: builds both and plays until a sequential test ends.
#
#   scripts/sprt.sh NEW OLD [further options of `tengen match`]
#   scripts/sprt.sh HEAD main --rule 4 --openings crates/workbench/openings/even-renju15.txt
#
# NEW and OLD are git revisions; `.` is the current working tree. The match can be interrupted at any time; the same
# command with --resume resumes it.
set -eu
new=$1 old=$2
shift 2
here=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tengen-builds
mkdir -p "$cache"

# build REVISION: prints the path of the revision's engine; builds each commit only once.
build() {
    if [ "$1" = . ]; then
        (cd "$here" && cargo build --release --quiet --bin pbrain-tengen)
        echo "${CARGO_TARGET_DIR:-$here/target}/release/pbrain-tengen"
        return
    fi
    commit=$(git -C "$here" rev-parse --short=12 "$1^{commit}")
    if [ ! -x "$cache/$commit/pbrain-tengen" ]; then
        tree=$(mktemp -d)
        git -C "$here" archive "$commit" | tar -x -C "$tree"
        (cd "$tree" && TENGEN_REVISION=$commit CARGO_TARGET_DIR="$cache/target" cargo build --release --quiet --bin pbrain-tengen)
        mkdir -p "$cache/$commit"
        cp "$cache/target/release/pbrain-tengen" "$cache/$commit/"
        rm -rf "$tree"
    fi
    echo "$cache/$commit/pbrain-tengen"
}

new_engine=$(build "$new")
old_engine=$(build "$old")
(cd "$here" && cargo build --release --quiet --package tengen-cli)
# Options of the command line follow the defaults and override them. The default openings are those of the rule.
exec "${CARGO_TARGET_DIR:-$here/target}/release/tengen" match \
    -e "name=new,cmd=$new_engine" -e "name=old,cmd=$old_engine" --each tc=2+0.02,st=0.1 \
    --games 20000 --sprt elo0=0,elo1=5 "$@"
