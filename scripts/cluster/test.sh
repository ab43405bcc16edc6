#!/usr/bin/env bash
# Runs the scripts of this folder on this machine: a Slurm cluster of one node, and GNU parallel with two "hosts".
#
#   scripts/cluster/test.sh [FOLDER WITH tengen AND pbrain-tengen]
#
# It starts daemons of its own in a temporary folder, with ports and keys of their own, and stops them. Slurm needs
# root. What is not installed is skipped with a line (Debian: slurmctld slurmd munge parallel openssh-server). It
# takes about a minute, and ends with an error if a test by tasks, some of them killed, is not the one of a single
# process.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${1:-${CARGO_TARGET_DIR:-$here/../../target}/release}" && pwd)
export TENGEN=$bin/tengen
tmp=$(mktemp -d /tmp/tengen-cluster.XXXXXX)
daemons=()

finish() {
    local status=$? pid
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${daemons[@]}"; do while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; done
    if [ "$status" = 0 ] && [ -z "${KEEP:-}" ]; then rm -rf "$tmp"; else echo "files: $tmp" >&2; fi
}
trap finish EXIT

say() { printf '\n==> %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
has() { for name in "$@"; do command -v "$name" >/dev/null || { say "skipped: no $name"; return 1; }; done; }
# A free port of this machine.
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# Waits up to 30 s for a command to succeed.
await() { for _ in $(seq 300); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; fail "waited for: $*"; }
has_games() { [ "$(wc -l <"$2")" -gt "$1" ]; }
ended() { [ -z "$(squeue --noheader --job "$1" 2>/dev/null)" ]; }
pending() { [ -n "$(squeue --noheader --states PENDING --job "$1")" ]; }
no_process() { ! pgrep -f "$1"; }
# The verdict of a report, up to the number of its games.
verdict() { sed -n 's/^  \(SPRT .* accepted\).*/\1/p' "$1"; }
counted() { sed -n 's/.*accepted after \([0-9]*\) games in their order.*/\1/p' "$1"; }

sprt=elo0=0,elo1=30
match=(-e "name=more,cmd=$bin/pbrain-tengen,nodes=400" -e "name=less,cmd=$bin/pbrain-tengen,nodes=300"
    --each info.book=0 --rule 1)

say 'one process'
"$TENGEN" match "${match[@]}" --games 1000 --sprt $sprt -j1 --plain -o "$tmp/whole.jsonl" >"$tmp/whole.txt" 2>/dev/null
wanted=$(verdict "$tmp/whole.txt")
games=$(($(wc -l <"$tmp/whole.jsonl") - 1))
echo "$wanted after $games games"
[ -n "$wanted" ] || fail "no verdict: $(cat "$tmp/whole.txt")"

# Fails unless the report has the verdict of one process after the same games. (report)
same() {
    grep 'SPRT' "$1"
    [ "$(verdict "$1") $(counted "$1")" = "$wanted $games" ] || fail "$1 has another verdict"
    grep -q '^No faults' "$1" || fail "$1 has faults"
}

start_slurm() {
    local host munge_socket=$tmp/munge.socket
    host=$(hostname -s)
    mkdir "$tmp/state" "$tmp/spool"
    head -c 1024 /dev/urandom >"$tmp/munge.key"
    chmod 600 "$tmp/munge.key"
    chmod 755 "$tmp"
    munged --force --foreground --socket "$munge_socket" --key-file "$tmp/munge.key" --pid-file "$tmp/munged.pid" \
        --log-file "$tmp/munged.log" --seed-file "$tmp/munged.seed" >/dev/null 2>&1 &
    daemons+=($!)
    await test -S "$munge_socket"
    export SLURM_CONF=$tmp/slurm.conf
    cat >"$SLURM_CONF" <<END
ClusterName=tengen
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$munge_socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort=$(port)
SlurmdPort=$(port)
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.log
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=5
SchedulerParameters=sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
    slurmctld -D >/dev/null 2>&1 &
    daemons+=($!)
    slurmd -D -N "$host" >/dev/null 2>&1 &
    daemons+=($!)
    await sh -c 'sinfo -h -o %t | grep -q idle'
}

slurm() {
    has munged slurmctld slurmd sbatch || return 0
    [ "$(id -u)" = 0 ] || { say 'skipped: Slurm needs root here'; return 0; }
    say 'Slurm: an array of four tasks, one of them killed and requeued'
    start_slurm
    "$here/slurm-match.sh" 4 "$tmp/slurm" $sprt "${match[@]}" --games 1000 >"$tmp/slurm.txt" 2>"$tmp/slurm.log" &
    local script=$! job
    await grep -q '^Job ' "$tmp/slurm.log"
    job=$(sed -n 's/^Job \([0-9]*\);.*/\1/p' "$tmp/slurm.log")
    await has_games 3 "$tmp/slurm/part2.jsonl"
    scontrol requeue "${job}_2"
    await has_games 3 "$tmp/slurm/part3.jsonl"
    scancel --batch --signal=KILL "${job}_3"
    # Slurm waits two minutes before it starts a task again.
    await pending "${job}_2"
    scontrol update "JobId=${job}_2" StartTime=now
    await ended "${job}_3"
    # A task that failed is done again under its own name.
    "$TENGEN" match "${match[@]}" --games 1000 -j1 --plain --shard 3/4 --resume -o "$tmp/slurm/part3.jsonl" >/dev/null 2>&1 &
    local again=$!
    wait "$script"
    kill "$again" 2>/dev/null || true
    wait "$again" || true
    same "$tmp/slurm.txt"
    await ended "$job"

    say 'Slurm: self-play, trees and tuning'
    local set=(--games 12 --nodes 60 --size 9 --signature 5)
    "$TENGEN" selfplay "${set[@]}" -o "$tmp/games.bin" >/dev/null 2>&1
    "$here/slurm-selfplay.sh" 3 "$tmp/slurm-games" "${set[@]}"
    "$here/slurm-tree.sh" 2 "$tmp/slurm-trees" "$tmp/games.bin" --nodes 300 --depth 3 >/dev/null
    "$here/slurm-tune.sh" 3 "$tmp/slurm-tune" "${tune[@]}" >/dev/null
    results slurm
}

tune=(--nodes 200 --pairs 24 --batch 8)

# Compares the results of the parts with those of one process. (prefix of the folders)
results() {
    local alone
    alone=$("$TENGEN" data stats "$tmp/games.bin" | grep '^freestyle')
    [ "$("$TENGEN" data stats "$tmp/$1-games/games.bin" | grep '^freestyle')" = "$alone" ] || fail "$1: other games"
    [ -f "$tmp/games.tree" ] || "$TENGEN" data tree --nodes 300 --depth 3 -o "$tmp/games.tree" "$tmp/games.bin" >/dev/null 2>&1
    [ "$(stat -c %s "$tmp/$1-trees/games.tree")" = "$(stat -c %s "$tmp/games.tree")" ] || fail "$1: other trees"
    [ -f "$tmp/tune.jsonl" ] || "$TENGEN" tune search "${tune[@]}" -o "$tmp/tune.jsonl" >/dev/null 2>&1
    cmp "$tmp/$1-tune/search.jsonl" "$tmp/tune.jsonl" || fail "$1: another log of the search"
    echo 'games, trees and log are those of one process'
}

parallel_hosts() {
    has parallel ssh || return 0
    local sshd hosts=host1,host2
    sshd=$(command -v sshd || true)
    if [ -n "$sshd" ] && [ "$(id -u)" = 0 ]; then
        say 'GNU parallel: two hosts by ssh to an sshd of this test, a task killed'
        mkdir -p "$tmp/ssh" /run/sshd
        ssh-keygen -q -t ed25519 -N '' -f "$tmp/ssh/host"
        ssh-keygen -q -t ed25519 -N '' -f "$tmp/ssh/user"
        cp "$tmp/ssh/user.pub" "$tmp/ssh/keys"
        local number
        number=$(port)
        "$sshd" -D -f /dev/null -p "$number" -h "$tmp/ssh/host" -o "AuthorizedKeysFile=$tmp/ssh/keys" \
            -o StrictModes=no -o UsePAM=no -o PidFile=none -o ListenAddress=127.0.0.1 >"$tmp/ssh/log" 2>&1 &
        daemons+=($!)
        cat >"$tmp/ssh/config" <<END
Host host1 host2
    HostName 127.0.0.1
    Port $number
    IdentityFile $tmp/ssh/user
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
END
        export PARALLEL_SSH="ssh -F $tmp/ssh/config"
        await ssh -F "$tmp/ssh/config" host1 true
    else
        say 'GNU parallel: a stub for ssh (no sshd, or not root)'
        # shellcheck disable=SC2016
        printf '#!/bin/sh\nshift\n[ "$1" != -- ] || shift\nsetsid --wait sh -c "$*"\n' >"$tmp/stub"
        chmod +x "$tmp/stub"
        export PARALLEL_SSH=$tmp/stub
    fi
    "$here/parallel-match.sh" $hosts "$tmp/hosts" $sprt "${match[@]}" --games 300 -j1 >"$tmp/hosts.txt" 2>"$tmp/hosts.log" &
    local script=$!
    await has_games 3 "$tmp/hosts/part2.jsonl"
    kill -KILL "$(pgrep -f "^$TENGEN match.*$tmp/hosts/part2.jsonl")"
    wait "$script"
    same "$tmp/hosts.txt"
    await no_process "match.*$tmp/hosts/part"

    say 'GNU parallel: self-play, trees and tuning'
    local set=(--games 12 --nodes 60 --size 9 --signature 5)
    [ -f "$tmp/games.bin" ] || "$TENGEN" selfplay "${set[@]}" -o "$tmp/games.bin" >/dev/null 2>&1
    "$here/parallel-selfplay.sh" $hosts 3 "$tmp/hosts-games" "${set[@]}"
    "$here/parallel-tree.sh" $hosts 3 "$tmp/hosts-trees" "$tmp/games.bin" --nodes 300 --depth 3
    "$here/parallel-tune.sh" $hosts "$tmp/hosts-tune" "${tune[@]}" >/dev/null 2>"$tmp/tune.log"
    results hosts
}

slurm
parallel_hosts
say "all as by one process, in $SECONDS s"
