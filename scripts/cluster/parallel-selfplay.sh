#!/bin/sh
# Training games over ssh hosts, by GNU parallel: PARTS parts, as many at a time as there are hosts.
#
#   scripts/cluster/parallel-selfplay.sh HOSTS PARTS FOLDER [options of `tengen selfplay`, such as --games 100000]
#
# HOSTS is a list such as fast,slow,user@third, where : is this machine. All of them see this folder and FOLDER under
# the same names. More parts than hosts keep fast hosts busy; a part whose host fails is played by another. The games
# are joined in FOLDER/games.bin. The same command goes on where it stopped. TENGEN is the program if it is not the
# installed one.
set -eu
hosts=$1 parts=$2 folder=$3
shift 3
tengen=${TENGEN:-tengen}
mkdir -p "$folder"
parallel --quote --will-cite --sshlogin "$hosts" --jobs 1 --workdir "$PWD" --results "$folder/part{}.txt" --retries 3 \
    "$tengen" selfplay "$@" --shard "{}/$parts" -o "$folder/part{}.bin" ::: $(seq "$parts") >/dev/null
"$tengen" data merge -o "$folder/games.bin" "$folder"/part*.bin
