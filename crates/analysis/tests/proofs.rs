//! Proofs in the form in which people see them, for either side to move: a proven win can be played to its end, and a
//! further proof refutes every listed defence.

#[path = "../../../tests/solver/puzzles.rs"]
mod puzzles;
#[path = "../../../tests/support/mod.rs"]
mod support;

use puzzles::{Puzzle, puzzles};
use tengen::board::{BoardSize, Cell, Diagram, Point, Setup, Side, parse_points};
use tengen::control::StopToken;
use tengen::engine::{Engine, Line, Means, Options, Proof, Question, Score, Verdict};
use tengen::movegen::{ThreatStatus, threat_status};
use tengen::position::Position;
use tengen::rules::Rule;
use tengen::rules::game::{Game, Status};
use tengen_analysis::analyze::play_out;

const NODES: u64 = 400_000;

fn engine() -> Engine {
    Engine::new(Options { hash: Some(4 << 20), ..Options::default() })
}

fn ask(engine: &mut Engine, setup: &Setup, rule: Rule, attacker: Side, means: Means) -> Proof {
    let question = Question { setup: setup.clone(), rule, attacker, means, nodes: NODES };
    engine.prove(&question, &StopToken::new())
}

/// Plays a proven win to its end and returns its number of plies.
fn played(engine: &mut Engine, setup: &Setup, rule: Rule, attacker: Side, proof: &Proof) -> usize {
    let plies = proof.plies as i32;
    let score = if setup.to_move == attacker { Score::win_in(plies) } else { Score::loss_in(plies) };
    let line = Line { score, moves: proof.line.clone(), ..Line::default() };
    let win = play_out(engine, setup, rule, &line, NODES, &StopToken::new()).expect("a proven line");
    let mut game = Game::from_setup(rule, setup.clone()).expect("a position");
    for (i, point) in win.moves.iter().enumerate() {
        let status = game.play(*point).expect("a legal move");
        assert_eq!(matches!(status, Status::Over(_)), i + 1 == win.moves.len());
    }
    assert_eq!(game.outcome().and_then(|o| o.winner()), Some(attacker), "{rule}\n{}", Diagram::new(setup.clone()));
    win.moves.len()
}

#[test]
fn wins_are_played_to_a_five_and_defences_answered() {
    let mut engine = engine();
    let (mut wins, mut defended) = (0, 0);
    for Puzzle { rule, setup, .. } in puzzles().into_iter().filter(|p| p.plies.is_some()).step_by(15) {
        let attacker = setup.to_move;
        let proof = ask(&mut engine, &setup, rule, attacker, Means::Threats);
        if proof.verdict != Verdict::Win {
            continue;
        }
        wins += 1;
        assert!(proof.defences.is_empty(), "the attacker is to move");
        assert!(played(&mut engine, &setup, rule, attacker, &proof) <= proof.plies as usize);
        // The position after the first move of the win, with the defender to move.
        let mut after = setup.clone();
        after.play(proof.line[0]);
        let proof = ask(&mut engine, &after, rule, attacker, Means::Threats);
        assert_eq!(proof.verdict, Verdict::Win, "{rule}\n{}", Diagram::new(after));
        played(&mut engine, &after, rule, attacker, &proof);
        assert!(!proof.defences.is_empty(), "a win of eleven plies or more");
        for point in after.size.points().filter(|p| after.cell(*p) == Cell::Empty) {
            let game = Game::from_setup(rule, after.clone()).expect("a position");
            if game.forbidden().contains(&point) {
                assert!(!proof.defences.contains(&point));
                continue;
            }
            let mut next = after.clone();
            next.play(point);
            let mut position = Position::new(&next, rule).expect("a position");
            let at_once = matches!(threat_status(&mut position), ThreatStatus::Won { .. });
            if proof.defences.contains(&point) {
                defended += 1;
                let proof = ask(&mut engine, &next, rule, attacker, Means::Threats);
                assert_eq!(proof.verdict, Verdict::Win, "{rule}\n{}", Diagram::new(next));
                assert!(!at_once);
                played(&mut engine, &next, rule, attacker, &proof);
            } else {
                assert!(at_once || loses(&mut engine, &next, rule, attacker), "{rule}\n{}", Diagram::new(next));
            }
        }
    }
    println!("{wins} wins, {defended} defences");
    assert!(wins >= 10 && defended >= 20, "{wins} wins, {defended} defences");
}

/// A move that is not listed as a defence loses.
fn loses(engine: &mut Engine, setup: &Setup, rule: Rule, attacker: Side) -> bool {
    ask(engine, setup, rule, attacker, Means::Threats).verdict == Verdict::Win
}

#[test]
fn near_misses_are_not_proven() {
    let mut engine = engine();
    let mut none = 0;
    for Puzzle { rule, setup, .. } in puzzles().into_iter().filter(|p| p.plies.is_none()).step_by(5) {
        let proof = ask(&mut engine, &setup, rule, setup.to_move, Means::Threats);
        assert_ne!(proof.verdict, Verdict::Win, "{rule}\n{}", Diagram::new(setup));
        none += usize::from(proof.verdict == Verdict::None);
    }
    assert!(none >= 20, "{none}");
}

fn setup(labels: &str) -> Setup {
    Setup::from_moves(BoardSize::RENJU, parse_points(BoardSize::RENJU, labels).expect("labels"))
}

fn labels(points: &[Point]) -> String {
    tengen::board::format_points(BoardSize::RENJU, points)
}

#[test]
fn the_defender_may_be_to_move() {
    let mut engine = engine();
    // Black has an open three, and white is to move: the listed defences hold.
    let three = setup("h8a1i8a15j8");
    let proof = ask(&mut engine, &three, Rule::Freestyle, Side::Black, Means::Threats);
    assert_ne!(proof.verdict, Verdict::Win);
    let mut known: Vec<Point> = parse_points(BoardSize::RENJU, "g8k8f8l8").expect("labels");
    known.sort();
    assert!(
        proof.defences.iter().all(|p| known.contains(p)) && proof.defences.len() >= 2,
        "{}",
        labels(&proof.defences)
    );
    // An open four: no defence exists, and white loses in a line of two moves and a five.
    let four = setup("h8a1i8a15j8o1k8");
    let proof = ask(&mut engine, &four, Rule::Freestyle, Side::Black, Means::Fours);
    assert_eq!((proof.verdict, proof.plies, proof.defences.len()), (Verdict::Win, 2, 0));
    assert_eq!(played(&mut engine, &four, Rule::Freestyle, Side::Black, &proof), 2);
    // White makes a five first.
    let race = setup("h8a1i8b1j8c1k8d1a15");
    let proof = ask(&mut engine, &race, Rule::Freestyle, Side::Black, Means::Any);
    assert_eq!(proof, Proof { verdict: Verdict::None, line: vec![], plies: 0, defences: vec![] });
}

#[test]
fn a_search_proves_what_threats_do_not() {
    let mut engine = engine();
    // The side that is not to move wins on its next move, whatever the opponent plays: a search finds that for both
    // sides.
    let won = setup("h8a1i8a15j8o1k8o15");
    assert_eq!(ask(&mut engine, &won, Rule::Freestyle, Side::Black, Means::Any).verdict, Verdict::Win);
    assert_eq!(ask(&mut engine, &won, Rule::Freestyle, Side::White, Means::Any).verdict, Verdict::None);
    let open = setup("h8i9");
    assert_eq!(ask(&mut engine, &open, Rule::Freestyle, Side::White, Means::Any).verdict, Verdict::Unknown);
}

#[test]
fn games_that_are_over_and_stopped_questions() {
    let mut engine = engine();
    let over = setup("h8a1i8b1j8c1k8d1l8");
    let win = ask(&mut engine, &over, Rule::Freestyle, Side::Black, Means::Any);
    assert_eq!(win, Proof { verdict: Verdict::Win, line: vec![], plies: 0, defences: vec![] });
    assert_eq!(ask(&mut engine, &over, Rule::Freestyle, Side::White, Means::Any).verdict, Verdict::None);
    let mut faulty = over.clone();
    faulty.stones.push(faulty.stones[0]);
    assert_eq!(ask(&mut engine, &faulty, Rule::Freestyle, Side::Black, Means::Any).verdict, Verdict::Unknown);
    let stop = StopToken::new();
    stop.stop();
    let question = Question {
        setup: setup("h8i9"),
        rule: Rule::Freestyle,
        attacker: Side::Black,
        means: Means::Any,
        nodes: u64::MAX / 8,
    };
    assert_eq!(engine.prove(&question, &stop).verdict, Verdict::Unknown);
}
