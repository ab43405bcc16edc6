#!/bin/sh
# Generates a data set on all cores.
#
#   scripts/selfplay.sh FOLDER [options of `tengen selfplay`]
#
# The same command resumes a run that was killed. On a cluster, see scripts/cluster/slurm-selfplay.sh.
set -eu
folder=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
tengen=${CARGO_TARGET_DIR:-$here/target}/release/tengen
mkdir -p "$folder"
"$tengen" selfplay "$@" -o "$folder/games.bin"
"$tengen" data stats "$folder/games.bin"
