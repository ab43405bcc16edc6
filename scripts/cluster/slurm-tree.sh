#!/bin/sh
#SBATCH --requeue
# Search trees of training games as a Slurm array: each task searches a part of the games.
#
#   scripts/cluster/slurm-tree.sh TASKS FOLDER GAMES [options of `tengen data tree`, such as --every 26]
#
# All machines see FOLDER and the file GAMES; the trees are joined in FOLDER/games.tree. Each task has CPUS processors
# (1). The same command goes on where it stopped. SBATCH_PARTITION and its like choose the machines, and TENGEN the
# program if it is not the installed one.
set -eu
tengen=${TENGEN:-tengen}
if [ "$1" = task ]; then
    folder=$2 games=$3
    shift 3
    exec "$tengen" data tree "$@" -j "${SLURM_CPUS_PER_TASK:-1}" --shard auto --resume \
        -o "$folder/part$SLURM_ARRAY_TASK_ID.tree" "$games"
fi
tasks=$1 folder=$2 games=$3
shift 3
mkdir -p "$folder"
sbatch --wait --cpus-per-task="${CPUS:-1}" --array="1-$tasks" --open-mode=append \
    --output="$folder/part%a.txt" "$0" task "$folder" "$games" "$@"
cat "$folder"/part*.tree >"$folder/games.tree"
