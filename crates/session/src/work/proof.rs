//! Proofs for the board: a question about the position after some moves, and the whole win up to its last stone.

use crate::points::BoardPoints;
use crate::view::ProofEvent;
use tengen::board::{Point, Setup, Side};
use tengen::engine::{Engine, Line, Means, Proof, Question, Rule, Score, StopToken, Verdict};
use tengen::rules::game::Game;
use tengen_analysis::analyze::play_out;

/// Node limit of a question, for the solver and for the search each: some seconds.
const NODES: u64 = 3_000_000;
/// Node limit of each search that extends the proof's line beyond its end.
const LINE_NODES: u64 = 500_000;

/// A question from the session.
pub struct ProofRequest {
    /// The node where the proof begins.
    pub node: u32,
    /// The position there.
    pub setup: Setup,
    /// Moves from there to the position in question.
    pub after: Vec<Point>,
    /// The rule.
    pub rule: Rule,
    /// Who is to win.
    pub attacker: Side,
    /// What the attacker may use.
    pub means: Means,
}

/// Answers a question. If the moves cannot be played, the verdict is unknown.
pub fn prove(engine: &mut Engine, job: u64, request: ProofRequest, stop: &StopToken) -> ProofEvent {
    let mut event = unanswered(job, &request);
    let ProofRequest { node: _, setup, after, rule, attacker, means } = request;
    let size = setup.size;
    let Some(game) = played(rule, setup, &after) else { return event };
    event.to_move = game.to_move();
    if let Some(outcome) = game.outcome() {
        event.over = outcome.winner() == Some(attacker);
        event.verdict = if event.over { Verdict::Win } else { Verdict::None };
        return event;
    }
    let setup = game.setup();
    let question = Question { setup: setup.clone(), rule, attacker, means, nodes: NODES };
    let proof = engine.prove(&question, stop);
    event.verdict = proof.verdict;
    event.defences = BoardPoints::new(size, proof.defences.as_slice());
    if proof.verdict == Verdict::Win {
        event.line = BoardPoints::new(size, whole_win(engine, &question, proof, stop));
    }
    event
}

/// The event before there is an answer.
pub(super) fn unanswered(job: u64, request: &ProofRequest) -> ProofEvent {
    let size = request.setup.size;
    ProofEvent {
        job,
        node: request.node,
        after: BoardPoints::new(size, request.after.as_slice()),
        attacker: request.attacker,
        means: request.means,
        verdict: Verdict::Unknown,
        to_move: request.setup.to_move,
        line: BoardPoints::none(size),
        defences: BoardPoints::none(size),
        over: false,
    }
}

/// The game after some moves, if they can be played.
fn played(rule: Rule, setup: Setup, after: &[Point]) -> Option<Game> {
    let mut game = Game::from_setup(rule, setup).ok()?;
    after.iter().try_for_each(|point| game.play(*point).map(drop)).ok()?;
    Some(game)
}

/// The line of a proof, extended to the end of the game.
pub fn whole_win(engine: &mut Engine, question: &Question, proof: Proof, stop: &StopToken) -> Vec<Point> {
    let plies = proof.plies as i32;
    let attacks = question.setup.to_move == question.attacker;
    let score = if attacks { Score::win_in(plies) } else { Score::loss_in(plies) };
    let line = Line { score, moves: proof.line, ..Line::default() };
    let win = play_out(engine, &question.setup, question.rule, &line, LINE_NODES, stop);
    win.map_or(line.moves, |win| win.moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::{BoardSize, format_point, parse_points};
    use tengen::engine::Options;
    use tengen::rules::game::Status;

    fn ask(engine: &mut Engine, labels: &str, after: &str, attacker: Side, means: Means) -> ProofEvent {
        let points = |text| parse_points(BoardSize::RENJU, text).unwrap();
        let setup = Setup::from_moves(BoardSize::RENJU, points(labels));
        let request = ProofRequest { node: 3, setup, after: points(after), rule: Rule::Freestyle, attacker, means };
        prove(engine, 7, request, &StopToken::new())
    }

    #[test]
    fn a_win_is_walked_through_to_its_last_stone_whatever_is_answered() {
        let mut engine = Engine::new(Options { hash: Some(4 << 20), ..Options::default() });
        // Black has a three and a two that meet, so one move makes a four-three.
        let start = "h8a1i8a15j8o1h9o15h10b1";
        let first = ask(&mut engine, start, "", Side::Black, Means::Any);
        assert_eq!((first.verdict, first.to_move, first.over), (Verdict::Win, Side::Black, false));
        let (mut after, mut questions) = (String::new(), 0);
        loop {
            let event = ask(&mut engine, start, &after, Side::Black, Means::Any);
            assert_eq!((event.verdict, event.job, event.node), (Verdict::Win, 7, 3), "{after}");
            if event.over {
                assert!(event.line.is_empty() && event.defences.is_empty());
                break;
            }
            let played = parse_points(BoardSize::RENJU, &format!("{start}{after}")).unwrap();
            let setup = Setup::from_moves(BoardSize::RENJU, played);
            let mut game = Game::from_setup(Rule::Freestyle, setup).unwrap();
            for (i, point) in event.line.iter().enumerate() {
                let status = game.play(*point).unwrap();
                assert_eq!(matches!(status, Status::Over(_)), i + 1 == event.line.len(), "{after}: {:?}", event.line);
            }
            // The defender plays a defence if there is one, otherwise the move of the line.
            let next = match event.to_move {
                Side::White => event.defences.last().unwrap_or(&event.line[0]),
                Side::Black => &event.line[0],
            };
            after += &format_point(BoardSize::RENJU, *next);
            questions += 1;
        }
        assert!(questions >= 3);
    }

    #[test]
    fn moves_that_cannot_be_played_prove_nothing() {
        let mut engine = Engine::new(Options { hash: Some(1 << 20), ..Options::default() });
        let event = ask(&mut engine, "h8i9", "h8", Side::Black, Means::Fours);
        assert_eq!((event.verdict, event.line.len()), (Verdict::Unknown, 0));
        // The five is the other side's.
        let event = ask(&mut engine, "h8a1i8b1j8c1k8d1", "l8", Side::White, Means::Any);
        assert_eq!((event.verdict, event.over), (Verdict::None, false));
    }
}
