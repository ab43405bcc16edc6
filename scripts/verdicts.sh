#!/bin/sh
# Tests whether the referee and c-gomoku-cli agree. Plays fast games of a weak engine with `tengen match`, lets
# c-gomoku-cli judge the same games move by move, and compares results, ways of winning, fouls and draws.
#
#   scripts/verdicts.sh PATH/TO/c-gomoku-cli
#
# Requires python3 and a preceding `cargo build --release --workspace --examples`.
set -eu
judge=$1
here=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}/${PROFILE:-release}
engine=$target/examples/bad_engine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for case in "0 15 even-freestyle15" "1 15 even-standard15" "4 15 even-renju15" "0 6 -" "1 6 -" "4 6 -"; do
    set -- $case
    rule=$1 size=$2 list=$3
    if [ "$list" = - ]; then
        # Small boards, so that some games fill the board; openings with two stones anywhere.
        awk 'BEGIN { for (i = 0; i < 36; i += 2) for (j = 1; j < 36; j += 5) if (i != j)
            print i % 6 - 3 "," int(i / 6) - 3 ", " j % 6 - 3 "," int(j / 6) - 3 }' >"$work/openings"
    else
        cp "$here/crates/workbench/openings/$list.txt" "$work/openings"
    fi
    games=$(grep -c , "$work/openings")
    rm -f "$work/match.jsonl"
    "$target/tengen" match -e "name=a,cmd=$engine" -e "name=b,cmd=$engine" --each st=5 --rule "$rule" --size "$size" \
        --openings "$work/openings" --no-shuffle --no-transform --games "$((2 * games))" -o "$work/match.jsonl" \
        --tolerance 5000 >/dev/null 2>&1
    python3 "$here/scripts/verdicts.py" script "$work/match.jsonl" >"$work/script"
    rm -f "$work/games.sgf"
    timeout 300 "$judge" -each tc=0/5 "cmd=$engine script:$work/script" -engine name=a -engine name=b -rule "$rule" \
        -boardsize "$size" -games "$games" -openings "file=$work/openings" -sgf "$work/games.sgf" >/dev/null 2>"$work/errors" ||
        cat "$work/errors"
    echo "rule $rule on ${size}x$size:"
    python3 "$here/scripts/verdicts.py" compare "$work/match.jsonl" "$work/games.sgf"
done
