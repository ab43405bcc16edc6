//! What searches proved is used: at the position, and through the known replies to its moves.

use crate::support::{folder, labels};
use tengen::board::{Point, parse_points};
use tengen::engine::{Bound, Engine, Options, Score, StopToken};
use tengen::rules::Rule;
use tengen_database::{Database, Entry, Evaluation, Kind, Place, Plan, Source, analysis_source, build, proven, store};

const RULE: Rule = Rule::Freestyle;

fn point(label: &str) -> Point {
    parse_points(labels("").size, label).expect("a label")[0]
}

fn proof(score: Score) -> Evaluation {
    Evaluation { score, bound: Bound::Exact, depth: 9, nodes: 100 }
}

/// A database in which this engine, and a file, gave positions their values.
fn database(path: &std::path::Path, own: &[(&str, Score)], foreign: &[(&str, Score)]) -> Database {
    let mut database = Database::create(path).expect("a database");
    let stored = database.write(|changes| {
        let sources = [
            changes.own_source(&analysis_source())?,
            changes.add_source(&Source::new("b.db", Kind::Positions, "1".into()))?,
        ];
        for (source, entries) in sources.into_iter().zip([own, foreign]) {
            for (moves, score) in entries {
                store(changes, source, &labels(moves), RULE, (proof(*score), None))?;
            }
        }
        Ok(())
    });
    stored.expect("space");
    database
}

#[test]
fn a_win_by_a_known_move_needs_no_search() {
    let folder = folder("win");
    let database = database(&folder.path().join("a.tdb"), &[("h8i9h9", Score::loss_in(4))], &[]);
    let found = proven(&database.view().expect("a view"), &labels("h8i9"), RULE).expect("readable");
    let line = found.line.expect("a line");
    assert_eq!((line.score, line.moves), (Score::win_in(5), vec![point("h9")]));
    // By another rule nothing is proven.
    let other = proven(&database.view().expect("a view"), &labels("h8i9"), Rule::Renju).expect("readable");
    assert_eq!((other.line, other.losing), (None, Vec::new()));
}

#[test]
fn a_move_with_a_winning_reply_loses_and_its_image_too() {
    let folder = folder("reply");
    // After h8 g8 is known without a value; after h8 g8 g9 the side to move has lost.
    let own = [("h8g8", Score::units(20)), ("h8g8g9", Score::loss_in(6)), ("h8i9", Score::win_in(7))];
    let database = database(&folder.path().join("a.tdb"), &own, &[("h8h10", Score::win_in(7))]);
    let found = proven(&database.view().expect("a view"), &labels("h8"), RULE).expect("readable");
    assert_eq!(found.line, None, "that some moves lose decides nothing");
    let mut losing = found.losing;
    losing.sort_unstable();
    let mut expected: Vec<_> = ["i9", "g9", "i7", "g7", "g8", "i8", "h9", "h7"].map(point).to_vec();
    expected.sort_unstable();
    assert_eq!(losing, expected, "values of files do not count");
}

#[test]
fn a_build_takes_a_win_that_another_way_found() {
    let folder = folder("crossing");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    let source = Source::new("tengen database build", Kind::Build, String::new());
    let stored = database.write(|changes| {
        let id = changes.own_source(&source)?;
        let place = Place::of(&labels("h8i9h9"), RULE)?;
        changes.update(&place, id, |entry: &mut Entry| entry.evaluate(Some(proof(Score::loss_in(4))), None)).map(drop)
    });
    stored.expect("space");
    let mut engine = Engine::new(Options { hash: Some(1 << 20), ..Options::default() });
    let plan = Plan { rule: RULE, setup: labels("h8i9"), nodes: 100, lines: 2, steps: Some(5) };
    let mut steps = Vec::new();
    let end = build(&mut database, &mut engine, &plan, &StopToken::new(), &mut |step| steps.push(step.clone()));
    assert_eq!(end.expect("space"), tengen_database::End::Proven);
    let start = steps.last().expect("a step").start;
    assert_eq!((steps.len(), start.0.expect("a value").score, start.1), (1, Score::win_in(5), Some(point("h9"))));
}
