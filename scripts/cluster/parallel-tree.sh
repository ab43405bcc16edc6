#!/bin/sh
# Search trees of training games over ssh hosts, by GNU parallel: PARTS parts, as many at a time as there are hosts.
#
#   scripts/cluster/parallel-tree.sh HOSTS PARTS FOLDER GAMES [options of `tengen data tree`, such as --every 26]
#
# HOSTS is a list such as fast,slow,user@third, where : is this machine. All of them see this folder, FOLDER and the
# file GAMES under the same names. A part whose host fails is made by another. The trees are joined in
# FOLDER/games.tree. The same command goes on where it stopped. TENGEN is the program if it is not the installed one.
set -eu
hosts=$1 parts=$2 folder=$3 games=$4
shift 4
tengen=${TENGEN:-tengen}
mkdir -p "$folder"
parallel --quote --will-cite --sshlogin "$hosts" --jobs 1 --workdir "$PWD" --results "$folder/part{}.txt" --retries 3 \
    "$tengen" data tree "$@" --shard "{}/$parts" --resume -o "$folder/part{}.tree" "$games" ::: $(seq "$parts") >/dev/null
cat "$folder"/part*.tree >"$folder/games.tree"
