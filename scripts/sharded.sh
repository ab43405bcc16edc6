#!/bin/sh
# Plays a match in independent parts.
#
#   scripts/sharded.sh PARTS FOLDER options of `tengen match`...
#
# This script runs all parts concurrently, each with one game at a time, on this machine; scripts/cluster has scripts for
# many. It joins the parts with `tengen match --report`. The same command resumes parts that were killed.
set -eu
parts=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")/.." && pwd)
tengen=${CARGO_TARGET_DIR:-$here/target}/release/tengen
[ -x "$tengen" ] || tengen=tengen # installed
mkdir -p "$folder"
# Ctrl-C reaches all parts, and each ends by itself.
trap : INT TERM
part=1 running=''
while [ "$part" -le "$parts" ]; do
    "$tengen" match "$@" -j1 --resume --shard "$part/$parts" -o "$folder/part$part.jsonl" >"$folder/part$part.txt" 2>&1 &
    running="$running $!"
    part=$((part + 1))
done
for process in $running; do
    wait "$process" || failed=$?
done
"$tengen" match --report "$folder"/part*.jsonl
if [ -n "${failed:-}" ]; then
    echo "a part ended with status $failed; see $folder/part*.txt" >&2
    exit "$failed"
fi
