#!/usr/bin/env bash
# Generates training games of all rules at the lowest priority, round after round, until it is stopped.
#
#   scripts/generate-games.sh [ROUNDS]            without a number it does not end by itself
#
# The games go to $TENGEN_DATA/games (TENGEN_DATA is ~/tengen-data if it is not set), a file for each rule and seed. The
# program that generates them is copied to $TENGEN_DATA/bin first, so that the sources may change meanwhile. Stopped or
# killed, the same command resumes where it was. $TENGEN_DATA/games.log has a line for each finished file: date, file,
# games, positions, SHA-256.
#
# NODES=2000    nodes a move
# GAMES=8000    games a file; freestyle, which has two boards, gets twice as many, and caro half
# SEED=5000     seed of the first round
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
data=${TENGEN_DATA:-$HOME/tengen-data}
rounds=${1:-0} nodes=${NODES:-2000} games=${GAMES:-8000} first=${SEED:-5000}
mkdir -p "$data/bin" "$data/games"
if [ ! -x "$data/bin/tengen" ]; then
    built=${CARGO_TARGET_DIR:-$here/target}/release
    (cd "$here" && cargo build --release --quiet --workspace --bins)
    cp "$built/tengen" "$built/pbrain-tengen" "$data/bin/"
fi
signature=$("$data/bin/pbrain-tengen" --version | sed 's/.*bench \([0-9]*\).*/\1/')
idle=()
if command -v chrt >/dev/null; then idle=(chrt -i 0); elif command -v nice >/dev/null; then idle=(nice -n 19); fi

# make NAME RULE SIZES GAMES SEED
make() {
    local file="$1-n$nodes-s$5.bin"
    "${idle[@]}" "$data/bin/tengen" selfplay --rule "$2" --size "$3" --games "$4" --nodes "$nodes" --opening 3,10 \
        --balance 200 --random 0 --seed "$5" --signature "$signature" -o "$data/games/$file" >>"$data/progress.log" 2>&1
    grep -q "	$file	" "$data/games.log" 2>/dev/null && return
    local positions sum
    positions=$("$data/bin/tengen" data stats "$data/games/$file" |
        awk '$2 ~ /^[0-9]+x[0-9]+$/ { n += $4 } END { print n }')
    sum=$( (sha256sum "$data/games/$file" 2>/dev/null || shasum -a 256 "$data/games/$file") | cut -d' ' -f1)
    printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$file" "$4" "$positions" "$sum" >>"$data/games.log"
}

round=1
while [ "$rounds" -eq 0 ] || [ "$round" -le "$rounds" ]; do
    seed=$((first + 10 * round))
    make freestyle 0 15,15,20 $((2 * games)) $seed
    make standard 1 15 "$games" $((seed + 1))
    make renju 4 15 "$games" $((seed + 4))
    make caro 8 15 $((games / 2)) $((seed + 8))
    round=$((round + 1))
done
