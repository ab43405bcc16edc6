//! What happens besides changes of the state: answers of the engine, messages.

use super::{EngineFault, Message, State};
use crate::json::{self, MeansName, RootStateName, VerdictName, side_name};
use crate::points::{BoardPoint, BoardPoints};
use crate::value;
use serde::{Serialize, Serializer};
use tengen::board::{BoardSize, Side};
use tengen::engine::{Line, Means, RootState, Score, Verdict};
use tengen_analysis::review::{Grade, Judgement};
use tengen_record::Value;

/// Live analysis: the event `analysis`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnalysisEvent {
    /// The node that is analysed: a page that shows another one drops the event.
    pub node: u32,
    /// Completed iteration of the best line, in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Nodes so far.
    pub nodes: u64,
    /// Nodes a second.
    pub nps: u64,
    /// Time so far.
    pub ms: u64,
    /// Whether the search has ended: everything is proven, or the depth limit reached.
    pub done: bool,
    /// Best lines, best first.
    pub lines: Vec<PvLine>,
    /// The states of single root moves.
    pub roots: Vec<Root>,
    /// The opening book's move, if the book has the position.
    pub book: Option<BoardPoint>,
    /// Whether the line is a proof from the database of positions.
    pub stored: bool,
}

/// A second opinion of another engine: the event `opinion`. Values are in the engine's own units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpinionEvent {
    /// The node: a page that shows another one drops the event.
    pub node: u32,
    /// Name of the engine.
    pub engine: String,
    /// Depth that it told.
    pub depth: Option<u32>,
    /// Nodes that it told.
    pub nodes: Option<u64>,
    /// Evaluation for the side to move that it told.
    pub eval: Option<i32>,
    /// Plies to a win of the side to move, or negative to its loss, if it told one.
    pub win: Option<i32>,
    /// Its best line; empty if it told none that can be read.
    pub moves: BoardPoints,
    /// Its answer, at the end.
    pub answer: Option<BoardPoint>,
    /// Its last messages as they came.
    pub text: Vec<String>,
    /// Time so far.
    pub ms: u64,
    /// Whether it has ended.
    pub done: bool,
    /// What went wrong.
    pub fault: Option<EngineFault>,
}

/// One line of analysis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PvLine {
    /// Its value.
    #[serde(serialize_with = "json::value")]
    pub value: Value,
    /// Win probability that its first move loses against the best line's, for the side to move, 0 to 1.
    pub loss: f64,
    /// Its moves.
    pub moves: BoardPoints,
}

impl PvLine {
    /// A line of the side to move; `best` is the score of the best line.
    pub fn new(size: BoardSize, to_move: Side, line: &Line, best: Score) -> PvLine {
        PvLine {
            value: value::of_line(line, to_move),
            loss: (best.win_rate() - line.score.win_rate()).max(0.0),
            moves: BoardPoints::new(size, line.moves.as_slice()),
        }
    }
}

/// The state of a root move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Root {
    /// The move's point.
    pub at: BoardPoint,
    /// Its state.
    #[serde(with = "RootStateName")]
    pub state: RootState,
}

/// The answer to [`Command::Hint`](crate::command::Command::Hint): the event `hint`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HintEvent {
    /// The job.
    pub job: u64,
    /// The node.
    pub node: u32,
    /// The best line; absent on a full board or when the job was cancelled.
    pub line: Option<PvLine>,
}

/// The answer to [`Command::Prove`](crate::command::Command::Prove): the event `proof`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofEvent {
    /// The job.
    pub job: u64,
    /// The node where the proof begins.
    pub node: u32,
    /// The moves after it that lead to the position in question.
    pub after: BoardPoints,
    /// The side that should win.
    #[serde(with = "side_name")]
    pub attacker: Side,
    /// The kinds of moves that the attacker may use.
    #[serde(with = "MeansName")]
    pub means: Means,
    /// Whether the win is proven.
    #[serde(with = "VerdictName")]
    pub verdict: Verdict,
    /// The side to move after `after`.
    #[serde(with = "side_name")]
    pub to_move: Side,
    /// The moves of both sides from there to the end of the game; the defender resists as long as is known. Empty if
    /// nothing is proven or the game is over.
    pub line: BoardPoints,
    /// If the defender is to move: the moves that do not lose at once. Each of them can be asked about separately.
    pub defences: BoardPoints,
    /// Whether the attacker's row is complete.
    pub over: bool,
}

/// The judgement of one move: the event `tried`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedEvent {
    /// The job.
    pub job: u64,
    /// The node before the move.
    pub node: u32,
    /// The move.
    pub at: BoardPoint,
    /// The value with the best move.
    #[serde(serialize_with = "json::value")]
    pub best: Value,
    /// The value after this move; a win is counted from there.
    #[serde(serialize_with = "json::value")]
    pub value: Value,
    /// Win probability lost by the mover, 0 to 1; `None` if the job was cancelled before the move was judged, and then
    /// the values are meaningless.
    pub loss: Option<f64>,
    /// The grade of the loss, if it is large enough for one.
    #[serde(serialize_with = "json::grade")]
    pub grade: Option<Grade>,
    /// Whether a review would accept the move. If a finished review has the position, these moves are right: the move
    /// that it recommends, and every move that keeps the value in a search like the review's.
    pub right: bool,
    /// The best line.
    pub line: BoardPoints,
    /// The expected line after this move.
    pub reply: BoardPoints,
}

/// The answer to [`Command::Balance`](crate::command::Command::Balance): the event `balance`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BalanceEvent {
    /// The job.
    pub job: u64,
    /// The node.
    pub node: u32,
    /// The moves; empty if it was cancelled or there are no such moves.
    pub moves: BoardPoints,
    /// The value after them.
    #[serde(serialize_with = "json::value_option")]
    pub value: Option<Value>,
}

/// A running or finished review: the event `review`. Each new client gets the latest one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewEvent {
    /// The job.
    pub job: u64,
    /// The game.
    pub game: u64,
    /// Nodes of the reviewed line, from the start of the game. `win_rates` and `moves` are in this order.
    pub nodes: Vec<u32>,
    /// Positions done.
    pub done: usize,
    /// Positions in all.
    pub total: usize,
    /// Whether it goes on.
    pub state: ReviewState,
    /// The judgements so far, in the order of the game. They may change until the review is finished.
    pub moves: Vec<MoveReview>,
    /// Black's win probability before the first move and after each move, where it is known.
    pub win_rates: Vec<Option<f64>>,
    /// The sums of black's and white's moves, when the review is finished.
    pub sums: Option<Sums>,
}

/// Whether a review goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// It goes on.
    Running,
    /// All moves are judged.
    Done,
    /// It was cancelled.
    Cancelled,
}

/// One judged move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReview {
    /// The node of the move.
    pub node: u32,
    /// Its number in the line, from 1.
    pub number: usize,
    /// The board.
    pub size: BoardSize,
    /// The judgement.
    pub judged: Judgement,
}

impl MoveReview {
    /// The move's point.
    pub const fn at(&self) -> BoardPoint {
        BoardPoint::new(self.size, self.judged.point)
    }

    /// The value with the best move.
    pub fn before(&self) -> Value {
        value::of_score(self.judged.before, self.judged.side)
    }

    /// The value after the move; a win is counted from there.
    pub fn after(&self) -> Value {
        value::after_move(self.judged.after, self.judged.side)
    }

    /// A better line; empty if there is none.
    pub fn better(&self) -> BoardPoints {
        BoardPoints::new(self.size, self.judged.better.as_ref().map_or(&[][..], |better| &better.moves))
    }

    /// The expected line after the move.
    pub fn reply(&self) -> BoardPoints {
        BoardPoints::new(self.size, self.judged.reply.as_slice())
    }
}

impl Serialize for MoveReview {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Judgement { side, loss, grade, missed_win, allowed_win, .. } = self.judged;
        let form = MoveReviewForm {
            node: self.node,
            number: self.number,
            at: self.at(),
            side,
            before: self.before(),
            after: self.after(),
            loss,
            grade,
            missed_win,
            allowed_win,
            better: self.better(),
            reply: self.reply(),
        };
        form.serialize(to)
    }
}

/// [`MoveReview`] in JSON.
#[derive(Serialize)]
struct MoveReviewForm {
    node: u32,
    number: usize,
    at: BoardPoint,
    #[serde(with = "side_name")]
    side: Side,
    #[serde(serialize_with = "json::value")]
    before: Value,
    #[serde(serialize_with = "json::value")]
    after: Value,
    loss: f64,
    #[serde(serialize_with = "json::grade")]
    grade: Option<Grade>,
    missed_win: bool,
    allowed_win: bool,
    better: BoardPoints,
    reply: BoardPoints,
}

/// Sums of a review.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sums {
    /// The sums of Black's moves.
    pub black: Sum,
    /// The sums of White's moves.
    pub white: Sum,
}

/// Sums of a player's moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sum {
    /// Judged moves.
    pub moves: usize,
    /// Inaccuracies, mistakes, blunders.
    pub grades: [usize; 3],
    /// Wins missed.
    pub missed: usize,
    /// Wins allowed.
    pub allowed: usize,
    /// Mean win probability lost per move, 0 to 1.
    pub mean_loss: f64,
    /// 0 to 100: how close the moves were to the engine's.
    pub accuracy: f64,
}

/// A person's last move was bad: the event `warned`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warned {
    /// The move.
    pub at: BoardPoint,
    /// Who made it.
    #[serde(with = "side_name")]
    pub side: Side,
    /// The value with the best move.
    #[serde(serialize_with = "json::value")]
    pub best: Value,
    /// The value after the move.
    #[serde(serialize_with = "json::value")]
    pub value: Value,
    /// Win probability lost, 0 to 1.
    pub loss: f64,
    /// Whether `undo` takes it back.
    pub undo: bool,
}

/// All events for clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// See [`State`].
    State(Box<State>),
    /// See [`AnalysisEvent`].
    Analysis(AnalysisEvent),
    /// See [`OpinionEvent`].
    Opinion(OpinionEvent),
    /// See [`HintEvent`].
    Hint(HintEvent),
    /// See [`ProofEvent`].
    Proof(ProofEvent),
    /// See [`TriedEvent`].
    Tried(TriedEvent),
    /// See [`BalanceEvent`].
    Balance(BalanceEvent),
    /// See [`ReviewEvent`].
    Review(ReviewEvent),
    /// See [`Warned`].
    Warned(Warned),
    /// See [`Message`].
    Message(Message),
}

impl Event {
    /// Its name in the event stream.
    pub const fn name(&self) -> &'static str {
        match self {
            Event::State(_) => "state",
            Event::Analysis(_) => "analysis",
            Event::Opinion(_) => "opinion",
            Event::Hint(_) => "hint",
            Event::Proof(_) => "proof",
            Event::Tried(_) => "tried",
            Event::Balance(_) => "balance",
            Event::Review(_) => "review",
            Event::Warned(_) => "warned",
            Event::Message(_) => "message",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tengen::board::{parse_point, parse_points};
    use tengen_analysis::review::Better;

    const SIZE: BoardSize = BoardSize::RENJU;

    fn points(labels: &str) -> BoardPoints {
        BoardPoints::new(SIZE, parse_points(SIZE, labels).expect("points"))
    }

    #[test]
    fn a_judged_move_is_written_with_values_of_black_and_labels() {
        let better = Better { moves: points("g7h8").to_vec(), score: Score::ZERO };
        let judged = Judgement {
            number: 6,
            side: Side::White,
            point: parse_point(SIZE, "o1").expect("a point"),
            before: Score::ZERO,
            after: Score::loss_in(4),
            loss: 0.5,
            grade: Some(Grade::Blunder),
            missed_win: false,
            allowed_win: true,
            better: Some(better),
            reply: points("k8").to_vec(),
        };
        let written = json!(MoveReview { node: 12, number: 2, size: SIZE, judged });
        let expected = json!({
            "node": 12, "number": 2, "at": "o1", "side": "white",
            "before": {"win_rate": 0.5, "score": 0, "win": null, "depth": 0, "nodes": 0},
            "after": {"win_rate": 1.0, "score": null, "win": {"side": "black", "plies": 3}, "depth": 0, "nodes": 0},
            "loss": 0.5, "grade": "blunder", "missed_win": false, "allowed_win": true,
            "better": ["g7", "h8"], "reply": ["k8"],
        });
        assert_eq!(written, expected);
    }

    #[test]
    fn a_proof_is_written_by_names_and_labels() {
        let proof = ProofEvent {
            job: 3,
            node: 0,
            after: points("h8"),
            attacker: Side::Black,
            means: Means::Fours,
            verdict: Verdict::Unknown,
            to_move: Side::White,
            line: BoardPoints::none(SIZE),
            defences: points("a1b2"),
            over: false,
        };
        let expected = json!({
            "job": 3, "node": 0, "after": ["h8"], "attacker": "black", "means": "fours", "verdict": "unknown",
            "to_move": "white", "line": [], "defences": ["a1", "b2"], "over": false,
        });
        assert_eq!(json!(Event::Proof(proof)), expected);
    }
}
