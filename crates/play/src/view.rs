//! What a client is shown: plain data, written as JSON. It contains everything that the page draws; the page computes
//! nothing of the game itself.
//!
//! Points are labels (`h8`), sides `black` and `white`, times milliseconds, win probabilities 0 to 1 and **Black's**,
//! whoever is to move.

mod warned;

pub use warned::Warned;

use crate::command::{Assist, Choice, Clock, Means, Opening, Player, StoneAt, rule_name, side_name};
use serde::Serialize;
use tengen::board::Side;
use tengen::rules::Rule;

/// The whole game as one snapshot: the event `state`, and the answer to `GET /api/state`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// Increases with each change of anything below except times and values. Commands name the revision that they were
    /// made on. They are stale if the game has changed since, but not if only a job has started or ended.
    pub rev: u64,
    /// What the game is.
    pub game: GameView,
    /// The shown line: the nodes to the current one, then the line that was left there, or else the main line.
    pub line: Vec<LineNode>,
    /// The number of nodes on the line up to the current one.
    pub ply: usize,
    /// The current node; 0 is the start of the game.
    pub node: u32,
    /// All moves known after the current node, the main one first.
    pub children: Vec<Branch>,
    /// The board at the current node.
    pub board: BoardView,
    /// Whether and how the game has ended at the current node.
    pub status: Status,
    /// The side whose turn it is, and what it has to do.
    pub turn: Turn,
    /// The clocks; absent without one.
    pub clock: Option<ClockView>,
    /// The engine's current work for the game.
    pub thinking: Option<Thinking>,
    /// Whether a person's move is being checked for a warning.
    pub judging: bool,
    /// Whether a game of two engines is paused, or an engine's turn waits for `go`.
    pub paused: bool,
    /// Whether values of positions are shown. They are hidden while a person plays the engine without live analysis.
    pub opinion: bool,
    /// The settings of live analysis.
    pub analysis: AnalysisView,
    /// Commands that would be accepted now.
    pub can: Can,
    /// The game that was running when the program last ended, if it is offered.
    pub offer: Option<Offer>,
    /// Why the game cannot be saved at the moment. It stays in memory then, and saving is retried.
    pub unsaved: Option<String>,
    /// The job of this game's review, if there is one. The result of the review is an event of its own.
    pub review: Option<u64>,
    /// The current engine settings.
    pub settings: Settings,
}

/// A description of the game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameView {
    /// A unique number for each game that is started or loaded.
    pub id: u64,
    /// The rule's name.
    #[serde(with = "rule_name")]
    pub rule: Rule,
    /// Width and height.
    pub size: (u8, u8),
    /// The kind of opening.
    pub opening: Opening,
    /// Who plays black now.
    pub black: Player,
    /// Who plays white now.
    pub white: Player,
    /// Names to show.
    pub names: Names,
    /// The clock that was agreed.
    pub clock: Clock,
    /// The help that persons get.
    pub assist: Assist,
    /// Set-up stones on the board before the first move.
    pub start: Vec<StoneAt>,
    /// The result in the file of a loaded game.
    pub result: Option<String>,
    /// Warnings about the file of a loaded game.
    pub warnings: Vec<String>,
}

/// Names of the players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Names {
    /// Black's.
    pub black: String,
    /// White's.
    pub white: String,
}

/// A move of the shown line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineNode {
    /// Its node.
    pub node: u32,
    /// Its number, from 1, without set-up stones.
    pub number: usize,
    /// Its point. Absent for an answer in the opening, and for passes and remarks, which occur only in files.
    pub at: Option<String>,
    /// The answer in the opening, if it is one. It has the number of the move before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Who played it.
    #[serde(with = "side_name::option")]
    pub side: Option<Side>,
    /// Time taken.
    pub ms: Option<u64>,
    /// The value of the position after it, if it was searched.
    pub value: Option<Value>,
    /// Comment.
    pub comment: String,
    /// The other known moves in the same position.
    pub siblings: Vec<Branch>,
}

/// A move that leads to a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Branch {
    /// The node.
    pub node: u32,
    /// Its point; absent where [`LineNode::at`] is.
    pub at: Option<String>,
    /// The answer in the opening, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Text that a file shows on this point of the board.
    pub text: String,
}

/// The value of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// Black's win probability.
    pub win_rate: f64,
    /// Score for Black in evaluation units; absent for a proven value.
    pub score: Option<i32>,
    /// A proven win.
    pub win: Option<ProvenWin>,
    /// Completed iteration, in plies; 0 if nothing was searched.
    pub depth: u32,
    /// Nodes of the search.
    pub nodes: u64,
}

/// A proven win.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProvenWin {
    /// The winner.
    #[serde(with = "side_name")]
    pub side: Side,
    /// Plies until the row is complete.
    pub plies: u32,
}

/// The board at the current node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardView {
    /// All stones, oldest first; moves have numbers, set-up stones 0.
    pub stones: Vec<Stone>,
    /// Cells that neither side may use.
    pub blocked: Vec<String>,
    /// The side of the next stone.
    #[serde(with = "side_name")]
    pub to_move: Side,
    /// Points where Black must not play, also when White is to move.
    pub forbidden: Vec<Forbidden>,
    /// Points where a stone makes a threat.
    pub threats: Vec<Threat>,
    /// The position as text: labels in the order of play.
    pub text: String,
}

/// A stone on the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stone {
    /// Its point.
    pub at: String,
    /// Its colour.
    #[serde(with = "side_name")]
    pub side: Side,
    /// Number of the move, from 1; 0 for a set-up stone.
    pub number: usize,
}

/// A forbidden point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forbidden {
    /// Its point.
    pub at: String,
    /// `double three`, `double four`, or `overline`.
    pub kind: &'static str,
}

/// A point where a stone of a side makes a threat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Threat {
    /// The point.
    pub at: String,
    /// The side.
    #[serde(with = "side_name")]
    pub side: Side,
    /// What a stone there makes.
    pub kind: ThreatKind,
}

/// What a stone makes, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreatKind {
    /// A five: it wins.
    Five,
    /// An open four, a double four, or a four and an open three.
    OpenFour,
    /// A four.
    Four,
    /// An open three.
    Three,
}

/// Whether and how the game has ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Status {
    /// The game has not ended.
    Running,
    /// A side has won.
    Win {
        /// The winner.
        #[serde(with = "side_name")]
        side: Side,
        /// How.
        how: WinKind,
        /// The stones of the row, in order along it; empty for a win without a row.
        row: Vec<String>,
    },
    /// Neither side has won.
    Draw {
        /// Whether it was agreed; else the board is full.
        agreed: bool,
    },
}

/// How a game was won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WinKind {
    /// Five in a row.
    Five,
    /// Six or more in a row.
    Overline,
    /// The other side resigned.
    Resigned,
    /// The other side's time is over.
    Time,
    /// The other side made a forbidden move (a file may hold one).
    Foul,
}

/// The side whose turn it is, and what it has to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// The side whose player acts. In the opening it may differ from the colour of the next stone.
    #[serde(with = "side_name")]
    pub side: Side,
    /// Whether that player is the engine.
    pub engine: bool,
    /// What the player has to do.
    pub phase: Phase,
    /// The engine's last answer in this opening, to show to the person.
    pub chosen: Option<Choice>,
}

/// What the player to act has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A move.
    Move,
    /// Swap2: the three stones of the opening.
    PlaceThree,
    /// Swap2: stay, swap, or two more stones.
    Choose,
    /// Swap2: two more stones.
    PlaceTwo,
    /// Swap2: stay or swap.
    ChooseFinal,
    /// Nothing: the game is over.
    Over,
}

/// The clocks now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClockView {
    /// Black's time left.
    pub black_ms: u64,
    /// White's time left.
    pub white_ms: u64,
    /// The side whose clock runs; the page counts it down on its own.
    #[serde(with = "side_name::option")]
    pub running: Option<Side>,
}

/// The engine's current work for the game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thinking {
    /// The job.
    pub job: u64,
    /// Its kind.
    pub kind: JobKind,
    /// The side that it is for.
    #[serde(with = "side_name")]
    pub side: Side,
    /// How long it has run.
    pub ms: u64,
}

/// Kinds of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// A move of the game, or an answer in its opening.
    Move,
    /// A hint.
    Hint,
    /// Live analysis.
    Analysis,
    /// A proof.
    Proof,
    /// The judgement of one move.
    Try,
    /// A balance search.
    Balance,
    /// A review.
    Review,
}

/// The settings of live analysis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnalysisView {
    /// Whether it runs.
    pub on: bool,
    /// Number of lines.
    pub lines: usize,
    /// Moves that are excluded.
    pub avoid: Vec<String>,
    /// Whether the other side is to move.
    pub threat: bool,
}

/// Commands that would be accepted now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Can {
    /// A person may place a stone.
    pub place: bool,
    /// `undo`.
    pub undo: bool,
    /// `redo`.
    pub redo: bool,
    /// `go`.
    pub go: bool,
    /// `hint`.
    pub hint: bool,
    /// `swap_sides`.
    pub swap_sides: bool,
    /// `resign`.
    pub resign: bool,
    /// `draw`.
    pub draw: bool,
    /// `pause`.
    pub pause: bool,
}

/// A saved game that can be continued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// Its rule's name.
    pub rule: String,
    /// Its moves.
    pub moves: usize,
    /// Names of the players.
    pub names: Names,
    /// When it was saved, in seconds since 1970.
    pub saved: u64,
    /// Whether another program is using it, so that continuing it makes a copy.
    pub copy: bool,
}

/// Engine settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Threads of analysis and of full strength.
    pub threads: usize,
    /// Processors of this computer.
    pub processors: usize,
    /// Transposition table in mebibytes.
    pub hash_mb: u64,
}

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
    pub book: Option<String>,
}

/// One line of analysis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PvLine {
    /// Its value.
    pub value: Value,
    /// Win probability that its first move loses against the best line's, for the side to move, 0 to 1.
    pub loss: f64,
    /// Its moves, labels.
    pub moves: Vec<String>,
}

/// The state of a root move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Root {
    /// The move's point.
    pub at: String,
    /// Its state.
    pub state: RootState,
}

/// The state of a root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RootState {
    /// It is being searched.
    Searching,
    /// It has been searched in the current iteration.
    Searched,
    /// It is proven to lose.
    Lost,
    /// It is the best so far.
    Best,
}

/// The answer to [`Command::Hint`](super::command::Command::Hint): the event `hint`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HintEvent {
    /// The job.
    pub job: u64,
    /// The node.
    pub node: u32,
    /// The best line; absent on a full board or when the job was cancelled.
    pub line: Option<PvLine>,
}

/// The answer to [`Command::Prove`](super::command::Command::Prove): the event `proof`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofEvent {
    /// The job.
    pub job: u64,
    /// The node where the proof begins.
    pub node: u32,
    /// The moves after it that lead to the position in question.
    pub after: Vec<String>,
    /// The side that should win.
    #[serde(with = "side_name")]
    pub attacker: Side,
    /// The kinds of moves that the attacker may use.
    pub means: Means,
    /// Whether the win is proven.
    pub verdict: Verdict,
    /// The side to move after `after`.
    #[serde(with = "side_name")]
    pub to_move: Side,
    /// The moves of both sides from there to the end of the game; the defender resists as long as is known. Empty if
    /// nothing is proven or the game is over.
    pub line: Vec<String>,
    /// If the defender is to move: the moves that do not lose at once. Each of them can be asked about separately.
    pub defences: Vec<String>,
    /// Whether the attacker's row is complete.
    pub over: bool,
}

/// The verdict on a forced win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The attacker wins.
    Win,
    /// There is no win with these kinds of moves.
    None,
    /// The question was not decided within its limits, or was cancelled.
    Unknown,
}

/// The judgement of one move: the event `tried`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedEvent {
    /// The job.
    pub job: u64,
    /// The node before the move.
    pub node: u32,
    /// The move.
    pub at: String,
    /// The value with the best move.
    pub best: Value,
    /// The value after this move; a win is counted from there.
    pub value: Value,
    /// Win probability lost by the mover, 0 to 1; `None` if the job was cancelled before the move was judged, and then
    /// the values are meaningless.
    pub loss: Option<f64>,
    /// `inaccuracy`, `mistake` or `blunder`.
    pub grade: Option<&'static str>,
    /// Whether a review would accept the move. If a finished review has the position, these moves are right: the move
    /// that it recommends, and every move that keeps the value in a search like the review's.
    pub right: bool,
    /// The best line.
    pub line: Vec<String>,
    /// The expected line after this move.
    pub reply: Vec<String>,
}

/// The answer to [`Command::Balance`](super::command::Command::Balance): the event `balance`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BalanceEvent {
    /// The job.
    pub job: u64,
    /// The node.
    pub node: u32,
    /// The moves as labels; empty if it was cancelled or there are no such moves.
    pub moves: Vec<String>,
    /// The value after them.
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
    /// `running`, `done`, or `cancelled`.
    pub state: &'static str,
    /// The judgements so far, in the order of the game. They may change until the review is finished.
    pub moves: Vec<MoveReview>,
    /// Black's win probability before the first move and after each move, where it is known.
    pub win_rates: Vec<Option<f64>>,
    /// The sums of black's and white's moves, when the review is finished.
    pub sums: Option<Sums>,
}

/// One judged move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveReview {
    /// The node of the move.
    pub node: u32,
    /// Its number in the line, from 1.
    pub number: usize,
    /// Its point.
    pub at: String,
    /// Who played it.
    #[serde(with = "side_name")]
    pub side: Side,
    /// The value with the best move.
    pub before: Value,
    /// The value after the move; a win is counted from there.
    pub after: Value,
    /// Win probability lost by the mover, 0 to 1.
    pub loss: f64,
    /// `inaccuracy`, `mistake` or `blunder`.
    pub grade: Option<&'static str>,
    /// There was a proven win before the move, and there is none after it.
    pub missed_win: bool,
    /// After the move the opponent has a proven win that was avoidable.
    pub allowed_win: bool,
    /// A better line, if there is one.
    pub better: Vec<String>,
    /// The expected line after the move.
    pub reply: Vec<String>,
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

/// A text for the person: the event `message`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `info`, `warning` or `error`.
    pub level: &'static str,
    /// A code that the page translates, such as `draw_declined`, `saved`, `book`.
    pub code: &'static str,
    /// The same in English.
    pub text: String,
}

/// A game found in an imported file: part of the answer to `POST /api/import`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Imported {
    /// Its index for [`Command::Load`](super::command::Command::Load).
    pub index: usize,
    /// Names of the players, or another text that identifies the game.
    pub title: String,
    /// The rule's name, if the file contains one.
    pub rule: Option<&'static str>,
    /// Width and height.
    pub size: (u8, u8),
    /// Moves of its main line.
    pub moves: usize,
    /// Nodes of its tree.
    pub nodes: usize,
    /// Warnings about the game.
    pub warnings: Vec<String>,
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The kind of refusal.
    pub error: RefusalKind,
    /// The reason, as one line of English.
    pub message: String,
    /// The current revision.
    pub rev: u64,
    /// For a forbidden move: `double three`, `double four` or `overline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foul: Option<&'static str>,
}

/// Kinds of refusals, each with its HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// 400: unknown command or wrong fields.
    Malformed,
    /// 409: the game has changed since the client's revision.
    Stale,
    /// 422: the point holds a stone, is blocked, or is off the board.
    Occupied,
    /// 422: the move is forbidden for Black.
    Forbidden,
    /// 422: the game is over at this node.
    Over,
    /// 422: it is not this player's turn.
    NotYourTurn,
    /// 422: the command is not possible now.
    NotNow,
    /// 404: no such node, job, or game.
    Unknown,
    /// 422: the file cannot be read, or the game cannot be written in this format.
    File,
}

impl RefusalKind {
    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            RefusalKind::Malformed => 400,
            RefusalKind::Unknown => 404,
            RefusalKind::Stale => 409,
            _ => 422,
        }
    }
}

/// Constant data, which a client reads once: part of the answer to `POST /api/hello`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    /// Version and signature of the program.
    pub version: &'static str,
    /// The levels, weakest first.
    pub levels: Vec<LevelView>,
    /// The default level.
    pub default_level: u8,
    /// Names of the rules.
    pub rules: Vec<&'static str>,
    /// Formats that can be exported.
    pub formats: Vec<&'static str>,
}

/// A level of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LevelView {
    /// 1 to 10.
    pub level: u8,
    /// Nodes for a move.
    pub nodes: u64,
}

/// All events for clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Event {
    /// See [`State`].
    State(Box<State>),
    /// See [`AnalysisEvent`].
    Analysis(AnalysisEvent),
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
