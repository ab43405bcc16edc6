#!/bin/sh
# Runs tests with random seeds for a limited time. `cargo test` alone uses fixed seeds (.cargo/config.toml).
#
#   scripts/nightly.sh [MINUTES]        default: 60
#   SEED=7 scripts/nightly.sh           one round with this seed
#   SUITES="--lib|--test rules" scripts/nightly.sh         only these suites
#
# Each round draws a seed for the property tests (PROPTEST_RNG_SEED) and for the random positions and games of the other
# tests (TENGEN_TEST_SEED). After a failure the script prints the command that repeats it and stores seed, command and
# output in target/nightly/. No suite starts after the time limit; a suite that exceeds LONGEST seconds is a failure.
# The exit status is 1 after a failure.
set -u
minutes=${1:-60}
case $minutes in
'' | *[!0-9]*)
    echo "usage: scripts/nightly.sh [MINUTES]" >&2
    exit 2
    ;;
esac
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here" || exit 2
folder=${CARGO_TARGET_DIR:-$here/target}/nightly
mkdir -p "$folder" || exit 2
cases=${PROPTEST_CASES:-1024}
# Suites with random cases. Tests of the clock have none.
all="--test protocol|--package tengen-record|--package tengen-session --lib|--package tengen-cli --test commands figures::"
suites=${SUITES:-"$all|--test rules|--test solver|--test engine|--package tengen-play --test play host::"}
# Time limit of a suite, in seconds.
longest=${LONGEST:-1800}

draw() {
    od -An -N6 -tu8 /dev/urandom | tr -d ' \n'
}

# run SECONDS COMMAND: runs a command and kills it after that time, if the system has `timeout`.
run() {
    limit=$1
    shift
    if command -v timeout >/dev/null; then timeout "$limit" "$@"; else "$@"; fi
}

if ! cargo test --workspace --no-run >"$folder/build.txt" 2>&1; then
    cat "$folder/build.txt" >&2
    exit 2
fi
end=$(($(date +%s) + 60 * minutes))
rounds=0 failures=0
while :; do
    seed=${SEED:-$(draw)}
    rest=$suites
    while [ -n "$rest" ]; do
        if [ "$(date +%s)" -ge "$end" ] && [ -z "${SEED:-}" ]; then
            break 2
        fi
        suite=${rest%%|*}
        case $rest in *'|'*) rest=${rest#*|} ;; *) rest= ;; esac
        log=$folder/seed-$seed.txt
        # A suite consists of several words.
        # shellcheck disable=SC2086
        run "$longest" env PROPTEST_RNG_SEED="$seed" PROPTEST_CASES="$cases" TENGEN_TEST_SEED="$seed" \
            cargo test --no-fail-fast $suite >"$log.part" 2>&1
        status=$?
        repeat="PROPTEST_RNG_SEED=$seed PROPTEST_CASES=$cases TENGEN_TEST_SEED=$seed cargo test $suite"
        if [ "$status" -ne 0 ]; then
            failures=$((failures + 1))
            [ "$status" -eq 124 ] && echo "did not end within $longest s" >>"$log.part"
            { echo "$repeat"; cat "$log.part"; } >>"$log"
            echo "$repeat" >>"$folder/failures.txt"
            echo "FAILED: $repeat"
            sed -n 's/^test \(.*\) \.\.\. FAILED$/    \1/p' "$log.part"
            echo "    output: $log"
        fi
        rm -f "$log.part"
    done
    rounds=$((rounds + 1))
    [ -n "${SEED:-}" ] && break
done
echo "$rounds whole rounds, $failures failures"
[ "$failures" -eq 0 ]
