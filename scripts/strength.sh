#!/bin/sh
# Repeats a match of the README's table of strength.
#
#   scripts/strength.sh LEAGUE RAPFI [further options of `tengen match`]
#   scripts/strength.sh freestyle15 ~/rapfi/pbrain-rapfi
#   scripts/strength.sh caro15
#
# LEAGUE is freestyle15, freestyle20, standard15, renju15 or caro15; old-standard15 has the older openings. Tengen gets
# more time, of which it uses less, so that both use about the same. RAPFI is the program of Rapfi, set up for its
# classical evaluation. caro15 does not need RAPFI: there Tengen plays against its own classical evaluation, 1 s a move
# for both. Results depend on the machine; --seed determines the openings.
set -eu
league=${1:?usage: scripts/strength.sh LEAGUE RAPFI}
shift
here=$(cd "$(dirname "$0")/.." && pwd)
programs=${CARGO_TARGET_DIR:-$here/target}/release
openings=$here/crates/workbench/openings
size=15 list=even-$league
case $league in
    freestyle15) rule=0 time=1.2 games=54 seed=106 ;;
    freestyle20) rule=0 size=20 time=1.25 games=54 seed=105 ;;
    standard15) rule=1 time=1.29 games=70 seed=4 ;;
    old-standard15) rule=1 time=1.27 games=100 seed=364 list=standard15 ;;
    renju15) rule=4 time=1.41 games=70 seed=303 ;;
    caro15) rule=8 time=1 games=24 seed=424 ;;
    *) echo "no league $league: freestyle15, freestyle20, standard15, old-standard15, renju15 or caro15" >&2; exit 2 ;;
esac
if [ "$league" = caro15 ]; then
    opponent="name=classical,cmd=$programs/pbrain-tengen,st=1,info.book=0,info.evaluation=classical"
else
    opponent="name=rapfi,cmd=${1:?RAPFI is the program of the opponent},st=1,lenient=on,restart=on"
    shift
fi
(cd "$here" && cargo build --release --quiet --workspace --bins)
exec "$programs/tengen" match -e "name=tengen,cmd=$programs/pbrain-tengen,st=$time,info.book=0" -e "$opponent" \
    --rule "$rule" --size "$size" --games "$games" --seed "$seed" --tolerance 500 --openings "$openings/$list.txt" \
    -o "strength-$league.jsonl" "$@"
