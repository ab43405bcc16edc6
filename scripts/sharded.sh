#!/bin/sh
# A match in parts, on one machine or many; no part knows of the others.
#
#   scripts/sharded.sh PARTS FOLDER options of `tengen match`...
#
# Here the parts run at once, one game at a time each. On a cluster, let a job array run one part a task instead:
#
#   sbatch --array=1-64 --wrap 'tengen match --shard $SLURM_ARRAY_TASK_ID/64 -o part$SLURM_ARRAY_TASK_ID.jsonl ...'
#
# and join the parts with the last line of this script. A part that was killed goes on with --resume.
set -eu
parts=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")/.." && pwd)
tengen=${CARGO_TARGET_DIR:-$here/target}/release/tengen
mkdir -p "$folder"
# Ctrl-C reaches all parts, which end by themselves.
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
