#!/bin/sh
#SBATCH --requeue
# Tuning of the search (SPSA) as a Slurm array: the first task coordinates, the others join it, and all play.
#
#   scripts/cluster/slurm-tune.sh TASKS FOLDER [options of `tengen tune search`, such as --rule 1 --pairs 4000 --batch 64]
#
# All machines see FOLDER; the log is FOLDER/search.jsonl. A batch is best several times as large as TASKS. Each task
# has CPUS processors (1). The same command goes on where it stopped. SBATCH_PARTITION and its like choose the
# machines, and TENGEN the program if it is not the installed one.
set -eu
tengen=${TENGEN:-tengen}
if [ "$1" = task ]; then
    folder=$2
    shift 2
    case $SLURM_ARRAY_TASK_ID in
        1) set -- "$@" --share "$folder/work" -o "$folder/search.jsonl" ;;
        *) set -- "$@" --join "$folder/work" ;;
    esac
    exec "$tengen" tune search "$@" -j "${SLURM_CPUS_PER_TASK:-1}"
fi
tasks=$1 folder=$2
shift 2
mkdir -p "$folder"
exec sbatch --wait --cpus-per-task="${CPUS:-1}" --array="1-$tasks" --open-mode=append \
    --output="$folder/task%a.txt" "$0" task "$folder" "$@"
