#!/bin/sh
#SBATCH --requeue
# Training games as a Slurm array: each task plays a part of the set.
#
#   scripts/cluster/slurm-selfplay.sh TASKS FOLDER [options of `tengen selfplay`, such as --games 100000 --rule renju]
#
# All machines see FOLDER; the games are joined in FOLDER/games.bin. Each task has CPUS processors (1). The same
# command goes on where it stopped. SBATCH_PARTITION and its like choose the machines, and TENGEN the program if it is
# not the installed one.
set -eu
tengen=${TENGEN:-tengen}
if [ "$1" = task ]; then
    folder=$2
    shift 2
    exec "$tengen" selfplay "$@" -j "${SLURM_CPUS_PER_TASK:-1}" --shard auto -o "$folder/part$SLURM_ARRAY_TASK_ID.bin"
fi
tasks=$1 folder=$2
shift 2
mkdir -p "$folder"
sbatch --wait --cpus-per-task="${CPUS:-1}" --array="1-$tasks" --open-mode=append \
    --output="$folder/part%a.txt" "$0" task "$folder" "$@"
"$tengen" data merge -o "$folder/games.bin" "$folder"/part*.bin
