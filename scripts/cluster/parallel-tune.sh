#!/bin/sh
# Tuning of the search (SPSA) over ssh hosts, by GNU parallel: this machine coordinates, the hosts join it, and all
# play.
#
#   scripts/cluster/parallel-tune.sh HOSTS FOLDER [options of `tengen tune search`, such as --pairs 4000 --batch 64]
#
# HOSTS is a list such as fast,slow,user@third. All of them see this folder and FOLDER under the same names. The log
# is FOLDER/search.jsonl. A batch is best several times as large as the number of all cores. The same command goes on
# where it stopped. TENGEN is the program if it is not the installed one.
set -eu
hosts=$1 folder=$2
shift 2
tengen=${TENGEN:-tengen}
parts=$(printf '%s\n' "$hosts" | tr , '\n' | wc -l | tr -d ' ')
mkdir -p "$folder"
parallel --quote --will-cite --sshlogin "$hosts" --jobs 1 --workdir "$PWD" --results "$folder/worker{#}.txt" -N0 \
    "$tengen" tune search "$@" --join "$folder/work" ::: $(seq "$parts") >/dev/null 2>"$folder/hosts.txt" &
running=$!
trap 'kill "$running" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
"$tengen" tune search "$@" --share "$folder/work" -o "$folder/search.jsonl"
# The workers see that the search has ended.
wait "$running"
