//! What a client is shown: plain data, written as JSON. Whatever the page draws is in here; it computes nothing of
//! the game itself.
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
    /// Grows with each change of anything below but times and values; commands name the revision that they were made
    /// on. They are stale if the game has changed since, not if only a job has begun or ended.
    pub rev: u64,
    /// What the game is.
    pub game: GameView,
    /// The line that is shown: the nodes to the current one, then the line that was left there, else the main one.
    pub line: Vec<LineNode>,
    /// How many nodes of the line lead to the current one, which is the last of them.
    pub ply: usize,
    /// The current node; 0 is the start of the game.
    pub node: u32,
    /// All moves known after the current node, the main one first.
    pub children: Vec<Branch>,
    /// The board at the current node.
    pub board: BoardView,
    /// Whether and how the game has ended at the current node.
    pub status: Status,
    /// Whose turn it is, and for what.
    pub turn: Turn,
    /// The clocks; absent without one.
    pub clock: Option<ClockView>,
    /// What the engine computes for the game just now.
    pub thinking: Option<Thinking>,
    /// Whether a person's move is being judged, for a warning.
    pub judging: bool,
    /// Whether a game of two engines is held, or an engine's turn waits for `go`.
    pub paused: bool,
    /// Whether values of positions are told. They are not while a person plays the engine and live analysis is off.
    pub opinion: bool,
    /// Live analysis as it is set.
    pub analysis: AnalysisView,
    /// Commands that would be accepted now.
    pub can: Can,
    /// The game that was running when the program ended last, if it is offered.
    pub offer: Option<Offer>,
    /// Why the game cannot be saved just now; it is kept in memory then, and tried again.
    pub unsaved: Option<String>,
    /// The review that belongs to this game, if there is one: its result comes as an event of its own.
    pub review: Option<u64>,
    /// Engine settings in force.
    pub settings: Settings,
}

/// What a game is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameView {
    /// Another number for each game started or loaded.
    pub id: u64,
    /// The rule's name.
    #[serde(with = "rule_name")]
    pub rule: Rule,
    /// Width and height.
    pub size: (u8, u8),
    /// How it opened.
    pub opening: Opening,
    /// Who plays black now.
    pub black: Player,
    /// Who plays white now.
    pub white: Player,
    /// Names to be shown.
    pub names: Names,
    /// The clock that was agreed.
    pub clock: Clock,
    /// What persons are helped with.
    pub assist: Assist,
    /// Set-up stones that were there before the first move.
    pub start: Vec<StoneAt>,
    /// What its file says of the result, for a loaded game.
    pub result: Option<String>,
    /// What was odd in the file that it was loaded from.
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

/// A move of the line that is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineNode {
    /// Its node.
    pub node: u32,
    /// Its number, from 1, set-up stones not counted.
    pub number: usize,
    /// Its point; absent for an answer in the opening, and for passes and remarks, which only files have.
    pub at: Option<String>,
    /// The answer in the opening that it is. It has the number of the move before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Who played it.
    #[serde(with = "side_name::option")]
    pub side: Option<Side>,
    /// Time taken.
    pub ms: Option<u64>,
    /// What the position after it is worth, as far as it was searched.
    pub value: Option<Value>,
    /// Comment.
    pub comment: String,
    /// The other moves known instead of it.
    pub siblings: Vec<Branch>,
}

/// A move that leads to a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Branch {
    /// The node.
    pub node: u32,
    /// Its point; absent where [`LineNode::at`] is.
    pub at: Option<String>,
    /// The answer in the opening that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Text that a file shows on the board there.
    pub text: String,
}

/// What a position is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Value {
    /// Black's win probability.
    pub win_rate: f64,
    /// Evaluation units for Black; absent if it is proven.
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
    /// Whose stone comes next.
    #[serde(with = "side_name")]
    pub to_move: Side,
    /// Points where Black must not play, whoever is to move.
    pub forbidden: Vec<Forbidden>,
    /// Points where a stone makes a threat.
    pub threats: Vec<Threat>,
    /// The position as text: labels in the order of play.
    pub text: String,
}

/// A stone on the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stone {
    /// Where.
    pub at: String,
    /// Whose.
    #[serde(with = "side_name")]
    pub side: Side,
    /// Number of the move, from 1; 0 for a set-up stone.
    pub number: usize,
}

/// A forbidden point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forbidden {
    /// Where.
    pub at: String,
    /// `double three`, `double four`, or `overline`.
    pub kind: &'static str,
}

/// A point where a stone of a side makes something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Threat {
    /// Where.
    pub at: String,
    /// For whom.
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
    /// It goes on.
    Running,
    /// Somebody has won.
    Win {
        /// The winner.
        #[serde(with = "side_name")]
        side: Side,
        /// How.
        how: WinKind,
        /// The stones of the row, in order along it; empty for a win without a row.
        row: Vec<String>,
    },
    /// Nobody has won.
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

/// Whose turn it is, and for what.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// The side whose player acts. In the opening that need not be the colour of the next stone.
    #[serde(with = "side_name")]
    pub side: Side,
    /// Whether that player is the engine.
    pub engine: bool,
    /// What is to be done.
    pub phase: Phase,
    /// The engine's last answer in this opening, to be told to the person.
    pub chosen: Option<Choice>,
}

/// What the player whose turn it is has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A move.
    Move,
    /// Swap2: the three stones of the opening.
    PlaceThree,
    /// Swap2: stay, swap, or two more stones.
    Choose,
    /// Swap2: the two more stones.
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
    /// The side whose clock runs: the page counts it down by itself.
    #[serde(with = "side_name::option")]
    pub running: Option<Side>,
}

/// What the engine computes for the game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thinking {
    /// The job.
    pub job: u64,
    /// What it is.
    pub kind: JobKind,
    /// For whom.
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

/// Live analysis as it is set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnalysisView {
    /// Whether it runs.
    pub on: bool,
    /// Lines wanted.
    pub lines: usize,
    /// Moves that are not considered.
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
    /// Whether another program is using it, so that a copy would be gone on with.
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
    /// What the search says of single root moves.
    pub roots: Vec<Root>,
    /// The opening book's move, where it knows the position.
    pub book: Option<String>,
}

/// One line of analysis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PvLine {
    /// What it is worth.
    pub value: Value,
    /// Win probability that its first move loses against the best line's, for the side to move, 0 to 1.
    pub loss: f64,
    /// Its moves, labels.
    pub moves: Vec<String>,
}

/// News of a root move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Root {
    /// Where.
    pub at: String,
    /// What is known of it.
    pub state: RootState,
}

/// What the search says of a root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RootState {
    /// It is searched just now.
    Searching,
    /// It has been searched in this iteration.
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
    /// The moves after it that were asked about.
    pub after: Vec<String>,
    /// The side that is to win.
    #[serde(with = "side_name")]
    pub attacker: Side,
    /// What the proof may use.
    pub means: Means,
    /// Whether the win is proven.
    pub verdict: Verdict,
    /// Who is to move after `after`.
    #[serde(with = "side_name")]
    pub to_move: Side,
    /// The moves from there to the end of the game, both sides', the defender resisting longest as far as is known;
    /// empty if nothing is proven or the game is over.
    pub line: Vec<String>,
    /// Where the defender is to move: the moves that do not lose at once, each worth a question of its own.
    pub defences: Vec<String>,
    /// Whether the attacker's row is complete.
    pub over: bool,
}

/// What is known of a forced win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The attacker wins.
    Win,
    /// There is no win by these means.
    None,
    /// The question was not settled within its limits, or was cancelled.
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
    /// The value after this move, a win counted from there.
    pub value: Value,
    /// Win probability lost by the mover, 0 to 1; `None` if the question was given up before the move was judged, and
    /// then the values mean nothing.
    pub loss: Option<f64>,
    /// `inaccuracy`, `mistake` or `blunder`.
    pub grade: Option<&'static str>,
    /// Whether a review would say nothing against it. Where a finished review knows the position, its answer is right,
    /// and every move that keeps its value by a search like its own.
    pub right: bool,
    /// The best line.
    pub line: Vec<String>,
    /// What follows this move.
    pub reply: Vec<String>,
}

/// The answer to [`Command::Balance`](super::command::Command::Balance): the event `balance`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BalanceEvent {
    /// The job.
    pub job: u64,
    /// The node.
    pub node: u32,
    /// The moves, labels; none if it was cancelled or there are none.
    pub moves: Vec<String>,
    /// The value after them.
    pub value: Option<Value>,
}

/// A review under way or done: the event `review`. The latest is sent again to each new client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewEvent {
    /// The job.
    pub job: u64,
    /// The game.
    pub game: u64,
    /// Nodes of the line under review, the start of the game first: `win_rates` and `moves` follow them.
    pub nodes: Vec<u32>,
    /// Positions done.
    pub done: usize,
    /// Positions in all.
    pub total: usize,
    /// `running`, `done`, or `cancelled`.
    pub state: &'static str,
    /// The judgements so far, in the order of the game. Until it is done they may still be revised.
    pub moves: Vec<MoveReview>,
    /// Black's win probability before the first move and after each, as far as known.
    pub win_rates: Vec<Option<f64>>,
    /// What black's and white's moves add up to, once it is done.
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
    /// The value after the move, a win counted from there.
    pub after: Value,
    /// Win probability lost by the mover, 0 to 1.
    pub loss: f64,
    /// `inaccuracy`, `mistake` or `blunder`.
    pub grade: Option<&'static str>,
    /// There was a proven win, and after the move there is none.
    pub missed_win: bool,
    /// After the move the opponent has a proven win that could have been avoided.
    pub allowed_win: bool,
    /// A better line, where there is one.
    pub better: Vec<String>,
    /// What the engine expects after the move.
    pub reply: Vec<String>,
}

/// Sums of a review.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sums {
    /// Black's.
    pub black: Sum,
    /// White's.
    pub white: Sum,
}

/// What a player's moves add up to.
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
    /// Mean win probability lost a move, 0 to 1.
    pub mean_loss: f64,
    /// 0 to 100: how near the moves were to the engine's.
    pub accuracy: f64,
}

/// A text for the person: the event `message`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `info`, `warning` or `error`.
    pub level: &'static str,
    /// A word for the page to translate by, such as `draw_declined`, `saved`, `book`.
    pub code: &'static str,
    /// The same in English.
    pub text: String,
}

/// A game found in an imported file: part of the answer to `POST /api/import`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Imported {
    /// For [`Command::Load`](super::command::Command::Load).
    pub index: usize,
    /// Names of the players, or what else tells it from others.
    pub title: String,
    /// The rule's name, if the file tells one.
    pub rule: Option<&'static str>,
    /// Width and height.
    pub size: (u8, u8),
    /// Moves of its main line.
    pub moves: usize,
    /// Nodes of its tree.
    pub nodes: usize,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What kind of refusal it is.
    pub error: RefusalKind,
    /// The reason in a line of English.
    pub message: String,
    /// The revision now.
    pub rev: u64,
    /// For a forbidden move: `double three`, `double four` or `overline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foul: Option<&'static str>,
}

/// Kinds of refusals, each with the HTTP status that says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// 400: no command, or one with wrong fields.
    Malformed,
    /// 409: the game has changed since the client looked.
    Stale,
    /// 422: the point holds a stone, is blocked, or is off the board.
    Occupied,
    /// 422: the move is forbidden for Black.
    Forbidden,
    /// 422: the game is over at this node.
    Over,
    /// 422: it is not this player's turn.
    NotYourTurn,
    /// 422: the command makes no sense now.
    NotNow,
    /// 404: no such node, job, or game.
    Unknown,
    /// 422: the file cannot be read, or the game not be written in this format.
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

/// What a client learns once: part of the answer to `POST /api/hello`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    /// Version and signature of the program.
    pub version: &'static str,
    /// The levels, weakest first.
    pub levels: Vec<LevelView>,
    /// The level that plays where nobody chooses one.
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

/// Everything that is pushed to clients.
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
    /// The name that it has in the stream of events.
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
