#!/bin/sh
# Generates a data set on all cores, or one part of it on each machine.
#
#   scripts/selfplay.sh FOLDER [options of `tengen selfplay`]
#
# On a cluster, each task generates its own part. The same command resumes a part that was killed:
#
#   sbatch --array=1-64 --wrap 'tengen selfplay --games 100000 --shard $SLURM_ARRAY_TASK_ID/64 \
#       -o part$SLURM_ARRAY_TASK_ID.bin'
#   tengen data merge -o games.bin part*.bin
set -eu
folder=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
tengen=${CARGO_TARGET_DIR:-$here/target}/release/tengen
mkdir -p "$folder"
"$tengen" selfplay "$@" -o "$folder/games.bin"
"$tengen" data stats "$folder/games.bin"
