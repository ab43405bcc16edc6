//! What a client is shown. It contains everything that the page draws; the page computes nothing of the game itself.
//!
//! The fields have the types of the engine and of the record; the terminal reads them as they are. Only when they are
//! written as JSON for the page, points become labels (`h8`) and sides `black` and `white`. Times are milliseconds, win
//! probabilities 0 to 1 and **Black's**, whoever is to move.

mod event;
mod opening;

pub use crate::json::{ValueForm, foul_name};
pub use event::{
    AnalysisEvent, BalanceEvent, Event, HintEvent, MoveReview, OpinionEvent, ProofEvent, PvLine, ReviewEvent,
    ReviewState, Root, Sum, Sums, TriedEvent, Warned,
};
pub use opening::{Answer, NamedOpening, OpeningTurn};

use crate::command::{Assist, Clock, OpeningRule, Player, StoneAt};
use crate::json::{self, ThreatKindName, opening_name, rule_name, side_name};
use crate::points::{BoardPoint, BoardPoints};
use serde::Serialize;
use tengen::board::{BoardSize, Side};
use tengen::engine::ThreatKind;
use tengen::rules::{Foul, Rule};
use tengen_record::Value;

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
    /// The opening of renju with which the game began, under whatever rule.
    pub named: Option<NamedOpening>,
    /// Whether and how the game has ended at the current node.
    pub status: Status,
    /// The side whose turn it is, and what it has to do.
    pub turn: Turn,
    /// The clocks; absent without one.
    pub clock: Option<ClockView>,
    /// The engine's current work for the game.
    pub thinking: Option<Thinking>,
    /// What another engine did wrong at its turn, until it is asked again or the game goes on without it.
    pub fault: Option<EngineFault>,
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
    /// The database of positions, if the program was started with one.
    pub database: Option<DatabaseView>,
}

/// A description of the game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameView {
    /// A unique number for each game that is started or loaded.
    pub id: u64,
    /// The rule's name.
    #[serde(with = "rule_name")]
    pub rule: Rule,
    /// The board's size.
    #[serde(serialize_with = "json::size")]
    pub size: BoardSize,
    /// The opening rule.
    #[serde(with = "opening_name")]
    pub opening: OpeningRule,
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
    /// Whether nobody plays: a position that is studied, or a loaded game.
    pub study: bool,
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
    pub at: Option<BoardPoint>,
    /// The answer in the opening, if it is one. It has the number of the move before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Answer>,
    /// Who played it.
    #[serde(with = "side_name::option")]
    pub side: Option<Side>,
    /// Time taken.
    pub ms: Option<u64>,
    /// The value of the position after it, if it was searched.
    #[serde(serialize_with = "json::value_option")]
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
    pub at: Option<BoardPoint>,
    /// The answer in the opening, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Answer>,
    /// Text that a file shows on this point of the board.
    pub text: String,
}

/// The board at the current node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardView {
    /// All stones, oldest first; moves have numbers, set-up stones 0.
    pub stones: Vec<Stone>,
    /// Cells that neither side may use.
    pub blocked: BoardPoints,
    /// The side of the next stone.
    #[serde(with = "side_name")]
    pub to_move: Side,
    /// Points where Black must not play, also when White is to move.
    pub forbidden: Vec<Forbidden>,
    /// Points where a stone makes a threat.
    pub threats: Vec<Threat>,
    /// The points of the stones in the order of play; in JSON one text of labels.
    #[serde(rename = "text", serialize_with = "BoardPoints::as_text")]
    pub played: BoardPoints,
}

/// A stone on the board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stone {
    /// Its point.
    pub at: BoardPoint,
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
    pub at: BoardPoint,
    /// Why.
    #[serde(serialize_with = "json::foul")]
    pub kind: Foul,
}

/// A point where a stone of a side makes a threat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Threat {
    /// The point.
    pub at: BoardPoint,
    /// The side.
    #[serde(with = "side_name")]
    pub side: Side,
    /// What a stone there makes.
    #[serde(with = "ThreatKindName")]
    pub kind: ThreatKind,
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
        row: BoardPoints,
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
    pub chosen: Option<Answer>,
    /// The opening, while it is not over.
    pub opening: Option<OpeningTurn>,
}

/// What the player to act has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A move.
    Move,
    /// Swap and swap2: the three stones of the opening.
    PlaceThree,
    /// Swap2: stay, swap, or two more stones.
    Choose,
    /// Swap2: two more stones.
    PlaceTwo,
    /// Stay or swap.
    ChooseFinal,
    /// A stone of another opening, where the rule allows it.
    Place,
    /// The number of fifth moves.
    Number,
    /// A fifth move to offer.
    Offer,
    /// One of the offered fifth moves.
    Pick,
    /// Taraguchi-10: stay, swap, or ten fifth moves.
    ChooseTen,
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
    pub avoid: BoardPoints,
    /// Whether the other side is to move.
    pub threat: bool,
    /// Name of the other engine that gives a second opinion.
    pub second: Option<String>,
}

/// A fault of another engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineFault {
    /// Name of the engine.
    pub engine: String,
    /// What happened; the page translates it.
    pub kind: FaultKind,
    /// The same in English, with details.
    pub detail: String,
    /// The engine's last lines.
    pub lines: Vec<String>,
}

/// What another engine did wrong, or cannot do. All but the last are faults as in matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The process could not be started, or did not accept the game in time.
    Start,
    /// A move came after the limit plus its tolerance.
    Late,
    /// No move came, and the process was killed.
    Hang,
    /// The process ended by itself.
    Crash,
    /// A move off the board or onto an occupied point.
    Illegal,
    /// A move that the rule forbids.
    Forbidden,
    /// A line that the protocol does not allow at this place.
    Protocol,
    /// Resident memory above the limit.
    Memory,
    /// The protocol cannot express the position.
    Position,
}

/// The database of positions in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DatabaseView {
    /// The name of its file.
    pub name: String,
    /// Whether what analysis and reviews find is stored in it.
    pub stores: bool,
    /// Why it is not stored although a person wanted that.
    pub problem: Option<String>,
    /// How often results were stored: the explorer asks again after each time.
    pub changes: u64,
}

/// Commands that would be accepted now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Can {
    /// A person may place a stone.
    pub place: bool,
    /// `undo`.
    pub undo: bool,
    /// `substitute`.
    pub substitute: bool,
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
    /// Its rule.
    #[serde(with = "rule_name")]
    pub rule: Rule,
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
    /// For a forbidden move: why.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::foul_option")]
    pub foul: Option<Foul>,
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
    /// 422: the opening rule does not allow it.
    Opening,
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
    /// Names of the other engines that were declared.
    pub engines: Vec<String>,
    /// Whether a program on this computer serves the page: a page can end it, and links open only here.
    pub local: bool,
}

/// A level of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LevelView {
    /// 1 to 10.
    pub level: u8,
    /// Nodes for a move.
    pub nodes: u64,
}
