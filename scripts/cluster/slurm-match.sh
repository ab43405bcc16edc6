#!/bin/sh
#SBATCH --requeue
# A match with a sequential test as a Slurm array: each task plays a part of it, and the verdict ends the array.
#
#   scripts/cluster/slurm-match.sh TASKS FOLDER TEST [options of `tengen match`]
#
# All machines see FOLDER. TEST is that of `tengen match --sprt`. The test weighs the games in their order, so TASKS
# is best the number of tasks that can run at the same time. Each task plays CPUS games at a time (1). The same
# command goes on with what is there. SBATCH_PARTITION and its like choose the machines, and TENGEN the program if it
# is not the installed one.
set -eu
tengen=${TENGEN:-tengen}
if [ "$1" = task ]; then
    folder=$2
    shift 2
    exec "$tengen" match "$@" -j "${SLURM_CPUS_PER_TASK:-1}" --plain --shard auto --resume \
        -o "$folder/part$SLURM_ARRAY_TASK_ID.jsonl"
fi
tasks=$1 folder=$2 sprt=$3
shift 3
mkdir -p "$folder"
job=$(sbatch --parsable --cpus-per-task="${CPUS:-1}" --array="1-$tasks" --open-mode=append \
    --output="$folder/part%a.txt" "$0" task "$folder" "$@")
job=${job%%;*}
echo "Job $job; its messages are in $folder/part*.txt. Ctrl-C ends the test and leaves the job running." >&2
"$tengen" match --report "$folder" --sprt "$sprt" --watch --on-verdict "scancel $job" &
watcher=$!
# When all tasks have ended, there is little to wait for.
looks=4
while [ "$looks" -gt 0 ] && kill -0 "$watcher" 2>/dev/null; do
    if left=$(squeue --noheader --job "$job" 2>/dev/null) && [ -z "$left" ]; then
        looks=$((looks - 1))
    fi
    sleep 4
done
kill "$watcher" 2>/dev/null || true
wait "$watcher"
