#!/bin/sh
# A match with a sequential test over ssh hosts, by GNU parallel: each host plays a part, and the verdict ends all.
#
#   scripts/cluster/parallel-match.sh HOSTS FOLDER TEST [options of `tengen match`]
#
# HOSTS is a list such as fast,slow,user@third, where : is this machine. All of them see this folder and FOLDER under
# the same names. TEST is that of `tengen match --sprt`. A part that fails is tried again when another host is free,
# and the same command goes on where it stopped. TENGEN is the program if it is not the installed one.
set -eu
hosts=$1 folder=$2 sprt=$3
shift 3
tengen=${TENGEN:-tengen}
parts=$(printf '%s\n' "$hosts" | tr , '\n' | wc -l | tr -d ' ')
mkdir -p "$folder"
parallel --quote --will-cite --sshlogin "$hosts" --jobs 1 --workdir "$PWD" --results "$folder/part{}.txt" --retries 3 \
    "$tengen" match "$@" --plain --shard "{}/$parts" --resume -o "$folder/part{}.jsonl" \
    ::: $(seq "$parts") >/dev/null 2>"$folder/hosts.txt" &
running=$!
trap 'kill "$running" 2>/dev/null || true' INT TERM
"$tengen" match --report "$folder" --sprt "$sprt" --watch --on-verdict "kill $running" >/dev/null &
watcher=$!
# The verdict, the last game or a failure ends the parts.
wait "$running" || true
kill "$watcher" 2>/dev/null || true
wait "$watcher" || true
exec "$tengen" match --report "$folder" --sprt "$sprt"
