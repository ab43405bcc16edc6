//! A million positions: how long they take, and how large they are. Run by hand, with the numbers on standard output.

use crate::support::folder;
use std::io::Write;
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, Point, Setup};
use tengen::rules::Rule;
use tengen_database::{Database, Filter, Import, Kind, Source, explore, statistics};
use tengen_record::Record;

const GAMES: u64 = 33_000;
const MOVES: usize = 40;

/// Game `number`: moves near the middle that differ from game to game after the first few.
fn game(number: u64) -> Vec<Point> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut points = vec![Point::at(7, 7)];
    while points.len() < MOVES {
        let reach = (2 + points.len() as u64 / 8).min(7);
        let mut coordinate = || (7 - reach + random(2 * reach + 1)) as u8;
        let point = Point::at(coordinate(), coordinate());
        if !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

#[test]
#[ignore = "takes minutes"]
fn a_million_positions_are_asked_for_in_milliseconds() {
    let folder = folder("million");
    let path = folder.path().join("a.tdb");
    let mut database = Database::create(&path).expect("a database");
    let begun = Instant::now();
    let source = Source::new("random games", Kind::Games, "checksum".to_owned());
    let mut import = Import::start(&mut database, source).expect("space").expect("new");
    for number in 1..=GAMES {
        let mut record = Record::from_moves(Some(Rule::Renju), Setup::empty(BoardSize::RENJU), game(number));
        record.result = Some("B+".to_owned());
        import.record(number, &record, None).expect("space");
    }
    import.finish().expect("space");
    let loaded = begun.elapsed();
    let bytes = || std::fs::metadata(&path).expect("a file").len();
    let before = bytes();
    let begun = Instant::now();
    database.compact().expect("no reader");
    let compacted = begun.elapsed();
    let view = database.view().expect("a view");
    let begun = Instant::now();
    let found = statistics(&view).expect("readable");
    let counted = begun.elapsed();
    let mut tell = std::io::stdout();
    writeln!(
        tell,
        "{} positions: import {loaded:.0?}, {} MB, compaction {compacted:.1?} to {} MB, count {counted:.1?}",
        found.positions,
        before / 1_000_000,
        bytes() / 1_000_000,
    )
    .expect("a reader");
    assert!(found.positions > 1_000_000, "{found:?}");
    let setups: Vec<Setup> = (1..=GAMES)
        .step_by(331)
        .map(|number| Setup::from_moves(BoardSize::RENJU, game(number).into_iter().take(number as usize % MOVES)))
        .collect();
    let mut lookups = Duration::ZERO;
    let mut explored = Vec::new();
    for setup in &setups {
        let begun = Instant::now();
        assert!(!view.entries(setup, Rule::Renju).expect("readable").is_empty());
        lookups += begun.elapsed();
        let begun = Instant::now();
        assert!(!explore(&view, setup, Rule::Renju, &Filter::ALL).expect("readable").moves.is_empty());
        explored.push(begun.elapsed());
    }
    explored.sort();
    let lookup = lookups / setups.len() as u32;
    let (median, worst) = (explored[explored.len() / 2], explored[explored.len() - 1]);
    writeln!(tell, "lookup {lookup:.0?}; all moves of a position {median:.1?}, at worst {worst:.1?}")
        .expect("a reader");
    assert!(lookup < Duration::from_millis(1) && worst < Duration::from_millis(50), "{lookup:?} {worst:?}");
}
