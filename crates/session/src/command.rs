//! The commands of a game, for the page, the terminal and scripts.
//!
//! Over HTTP a command is the JSON body of `POST /api/command`. Its name is under `do`, its fields are beside it. A
//! command that depends on what the client saw has the revision that it saw under `rev`:
//!
//! ```json
//! {"do": "move", "rev": 12, "at": "h8"}
//! ```
//!
//! Points are labels (`h8`), sides `black` and `white`, times milliseconds. Unknown names, unknown fields and wrong
//! types are refused, not ignored.

use crate::json::{MeansName, choice_name, opening_name, rule_name, side_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tengen::board::Side;
use tengen::engine::Means;
use tengen::opening::Step;
pub use tengen::opening::{Choice, OpeningRule};
use tengen::rules::Rule;

/// All commands of clients.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Starts another game. The old one stays in the autosave folder if it has moves.
    New(NewGame),
    /// Puts a stone of the side to move on a point, at the current node; where fifth moves are due, offers one. Needs
    /// `rev`.
    Move {
        /// Label of the point.
        at: String,
    },
    /// A person's answer in the opening. Needs `rev`. A fifth move is offered by [`Command::Move`].
    Opening {
        /// The answer.
        choice: Answer,
    },
    /// Goes to the position before the last move of the person: two plies back against the engine, one between persons.
    /// Deletes nothing. Needs `rev`.
    Undo,
    /// Goes forward again along the line that was left. Needs `rev`.
    Redo,
    /// Shows another node. The engine does not move by itself there until a move is made or `go` asks it to.
    Goto {
        /// Its id.
        node: u32,
    },
    /// Shows a node further along the shown line, or before the shown one; at most the ends of the line. Steps that are
    /// sent before the board has answered add up, since each begins where the one before it has led.
    Step {
        /// Number of plies; back if it is negative.
        by: i32,
    },
    /// Shows a sibling of the shown node, in the order in which they came into the tree, and round again.
    Sibling {
        /// How many further; back if it is negative.
        by: i32,
    },
    /// Deletes a node and its descendants. If the current node is among them, the position before the deleted node is
    /// shown.
    DeleteBranch {
        /// Its id.
        node: u32,
    },
    /// Adds a line of moves to the tree as a variation, without playing it: the shown position, the clocks and the
    /// engine's turn do not change.
    AddLine {
        /// Id of the node where the line begins.
        node: u32,
        /// Labels of its moves.
        moves: Vec<String>,
    },
    /// Makes a node's branch the main one among its siblings.
    Promote {
        /// Its id.
        node: u32,
    },
    /// Sets the comment of a node.
    Comment {
        /// Its id.
        node: u32,
        /// The text; empty deletes it.
        text: String,
    },
    /// The engine moves for the side to move, whoever plays that side. If it is searching already, it moves at once.
    /// Needs `rev`.
    Go,
    /// Tengen takes over the seat of another engine that is to move, for example after a fault. Needs `rev`.
    Substitute,
    /// Stops a search for a move or a hint; its result is dropped. The engine's seat waits until `go` or a move.
    Stop,
    /// Pauses a game of two engines, or resumes it.
    Pause {
        /// Whether it is paused.
        on: bool,
    },
    /// The players exchange their colours. The engine moves if it is now its turn. Needs `rev`.
    SwapSides,
    /// The person to move resigns; between persons the side to move. Needs `rev`.
    Resign,
    /// Both agree to a draw. The engine accepts if its last score gives it at most a small advantage. Needs `rev`.
    Draw,
    /// Starts the same game again: the same players, rule, clock and starting position.
    Restart,
    /// Requests the best move of the shown position; the answer is the event `hint`.
    Hint,
    /// Turns live analysis of the shown position on or off, or changes its settings. It follows the shown node.
    Analysis(Analysis),
    /// Asks the solver for a forced win; the answer is the event `proof`.
    Prove(Prove),
    /// Judges a move without playing it. For "find your mistakes" it uses the standard of the finished review, if the
    /// review has the position. The answer is the event `tried`.
    Try {
        /// The node before the move.
        node: u32,
        /// Label of the move.
        at: String,
    },
    /// Reviews the line that is shown, from its first move to its last. Progress and result are events `review`.
    Review {
        /// Nodes of the search of each position.
        nodes: Option<u64>,
    },
    /// Requests one or two moves after which the position is even; the answer is the event `balance`.
    Balance {
        /// 1 or 2.
        moves: u8,
    },
    /// Ends a job: a review, a proof, a hint, a balance search.
    Cancel {
        /// Its number, from the answer to the command that started it.
        job: u64,
    },
    /// Makes one of the games of the last import the current game, for browsing: two persons, no clock.
    Load {
        /// Its index in the answer to the import.
        index: usize,
    },
    /// Continues the game that was running when the program last ended.
    Continue,
    /// Drops the offer of [`Command::Continue`]. The file stays.
    Dismiss,
    /// Changes the engine's settings. Absent fields do not change.
    Settings {
        /// Threads of analysis and of full strength.
        threads: Option<usize>,
        /// Transposition table in mebibytes.
        hash_mb: Option<u64>,
    },
    /// Stores what analysis and reviews find in the database of positions, or no more.
    Store {
        /// Whether it is stored.
        on: bool,
    },
    /// Ends the program, after saving.
    Bye,
}

impl Command {
    /// Reads the command and its revision from a JSON body.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(mut body: Value) -> Result<(Command, Option<u64>), String> {
        let fields = body.as_object_mut().ok_or("expected an object such as {\"do\": \"undo\", \"rev\": 3}")?;
        let rev = match fields.remove("rev") {
            Some(rev) => Some(rev.as_u64().ok_or("expected a number as rev")?),
            None => None,
        };
        let extra = fields.keys().find(|name| *name != "do").cloned();
        let command: Command = serde_json::from_value(body).map_err(|error| error.to_string())?;
        // For a tagged variant without fields Serde ignores extra fields.
        match extra {
            Some(name) if command.is_bare() => Err(format!("unknown field `{name}`: this command has no fields")),
            _ => Ok((command, rev)),
        }
    }

    /// Whether it has no fields.
    const fn is_bare(&self) -> bool {
        matches!(
            self,
            Command::Undo
                | Command::Redo
                | Command::Go
                | Command::Substitute
                | Command::Stop
                | Command::SwapSides
                | Command::Resign
                | Command::Draw
                | Command::Restart
                | Command::Hint
                | Command::Continue
                | Command::Dismiss
                | Command::Bye
        )
    }

    /// Whether it is refused without the revision that the client saw.
    pub const fn needs_rev(&self) -> bool {
        matches!(
            self,
            Command::Move { .. }
                | Command::Opening { .. }
                | Command::Undo
                | Command::Redo
                | Command::Go
                | Command::Substitute
                | Command::SwapSides
                | Command::Resign
                | Command::Draw
        )
    }
}

/// The settings of a new game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// The rule, by its name: `freestyle`, `standard`, `renju`, `caro`, or `caro-exact` where an
    /// overline does not win.
    #[serde(with = "rule_name")]
    pub rule: Rule,
    /// Width and height, 5 to 25 each.
    pub size: (u8, u8),
    /// How the game opens.
    #[serde(default, with = "opening_name")]
    pub opening: OpeningRule,
    /// Who plays black; in an opening with swaps, who begins.
    pub black: Player,
    /// Who plays white.
    pub white: Player,
    /// Whether the first player is chosen at random.
    #[serde(default)]
    pub by_lot: bool,
    /// The clock.
    #[serde(default)]
    pub clock: Clock,
    /// The help that persons get.
    #[serde(default)]
    pub assist: Assist,
    /// The starting position; if absent, the empty board.
    #[serde(default)]
    pub start: Option<Start>,
    /// Whether nobody plays: a board to study a position on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub study: bool,
}

/// A position to start from. Either side may have any number of stones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The stones, in the order in which they are shown.
    pub stones: Vec<StoneAt>,
    /// Labels of cells that neither side may use.
    #[serde(default)]
    pub blocked: Vec<String>,
    /// Who moves first.
    #[serde(with = "side_name")]
    pub to_move: Side,
}

/// A stone of a starting position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoneAt {
    /// Label of the point.
    pub at: String,
    /// Whose it is.
    #[serde(with = "side_name")]
    pub side: Side,
}

/// An answer in the opening: a word, or the number of fifth moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    /// `stay`, `swap`, `two` or `ten`.
    #[serde(with = "choice_name")]
    Choice(Choice),
    /// The number of fifth moves.
    Number(u8),
}

impl From<Answer> for Step {
    fn from(answer: Answer) -> Step {
        match answer {
            Answer::Choice(choice) => Step::Choice(choice),
            Answer::Number(number) => Step::Number(number),
        }
    }
}

/// Who plays a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Player {
    /// A person at the board.
    Person {
        /// Name to show and to save.
        #[serde(default)]
        name: String,
    },
    /// This engine.
    Engine {
        /// 1 to 10; absent for full strength.
        #[serde(default)]
        level: Option<u8>,
    },
    /// Another engine: one of those that were declared when the program started.
    Other {
        /// Its name.
        name: String,
    },
}

impl Player {
    /// Whether it is an engine.
    pub const fn is_engine(&self) -> bool {
        matches!(self, Player::Engine { .. } | Player::Other { .. })
    }
}

/// The time of the players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", from = "ClockForm")]
pub enum Clock {
    /// No limit for persons; the engine takes [`ENGINE_TURN`](super::ENGINE_TURN) a move at full strength.
    #[default]
    None,
    /// A fixed time for each move.
    Move {
        /// Milliseconds.
        ms: u64,
    },
    /// A fixed time for all moves of a player.
    Game {
        /// Milliseconds at the start.
        ms: u64,
        /// Milliseconds added after each move.
        #[serde(default)]
        increment_ms: u64,
    },
}

/// [`Clock`] in JSON: for a variant without braces Serde would ignore unknown fields.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ClockForm {
    None {},
    Move {
        ms: u64,
    },
    Game {
        ms: u64,
        #[serde(default)]
        increment_ms: u64,
    },
}

impl From<ClockForm> for Clock {
    fn from(form: ClockForm) -> Clock {
        match form {
            ClockForm::None {} => Clock::None,
            ClockForm::Move { ms } => Clock::Move { ms },
            ClockForm::Game { ms, increment_ms } => Clock::Game { ms, increment_ms },
        }
    }
}

/// The help that persons get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Assist {
    /// Hints are allowed.
    pub hints: bool,
    /// Moves may be taken back.
    pub undo: bool,
    /// Warns after a move that loses too much.
    pub warn: bool,
    /// The smallest loss that causes a warning, in points of winning chances: 1 to 100.
    pub warn_from: u8,
    /// Shows forbidden points.
    pub forbidden: bool,
}

impl Default for Assist {
    fn default() -> Assist {
        Assist { hints: true, undo: true, warn: false, warn_from: 20, forbidden: true }
    }
}

/// Settings of live analysis. Absent fields do not change.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Analysis {
    /// Whether it runs.
    pub on: Option<bool>,
    /// Number of lines, 1 to 10.
    pub lines: Option<usize>,
    /// Labels of moves that are excluded.
    pub avoid: Option<Vec<String>>,
    /// Whether the other side is to move instead of the side to move. This shows what it threatens.
    pub threat: Option<bool>,
    /// Name of another engine that gives a second opinion; empty for none.
    pub second: Option<String>,
}

/// A question to the solver.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prove {
    /// The node where the proof begins.
    pub node: u32,
    /// Labels of the moves from there to the position in question: the moves tried in the proof player.
    #[serde(default)]
    pub after: Vec<String>,
    /// The side that should win. If absent, the side to move in the position.
    #[serde(default, with = "side_name::option")]
    pub attacker: Option<Side>,
    /// The kinds of moves that the attacker may use; if absent, any.
    #[serde(default = "any_means", with = "MeansName")]
    pub means: Means,
}

const fn any_means() -> Means {
    Means::Any
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(body: Value) -> Result<Command, String> {
        Command::parse(body).map(|(command, _)| command)
    }

    /// One example of each command, in the form that clients send.
    fn examples() -> Vec<(Value, Command)> {
        let person = || Player::Person { name: String::new() };
        let two_persons = NewGame {
            rule: Rule::Renju,
            size: (15, 15),
            opening: OpeningRule::Free,
            black: person(),
            white: person(),
            by_lot: false,
            clock: Clock::None,
            assist: Assist::default(),
            start: None,
            study: false,
        };
        let players = || {
            json!({"do": "new", "rule": "renju", "size": [15, 15],
            "black": {"kind": "person"}, "white": {"kind": "person"}})
        };
        let with = |name: &str, value: Value| {
            let mut body = players();
            body[name] = value;
            body
        };
        let at = || "h8".to_owned();
        let stone = StoneAt { at: at(), side: Side::White };
        let start = Start { stones: vec![stone], blocked: vec!["a1".to_owned()], to_move: Side::White };
        vec![
            (players(), Command::New(two_persons.clone())),
            (with("rule", json!("caro-exact")), Command::New(NewGame { rule: Rule::CaroExact, ..two_persons.clone() })),
            (
                with("opening", json!("swap2")),
                Command::New(NewGame { opening: OpeningRule::Swap2, ..two_persons.clone() }),
            ),
            (
                with("white", json!({"kind": "engine", "level": 3})),
                Command::New(NewGame { white: Player::Engine { level: Some(3) }, ..two_persons.clone() }),
            ),
            (
                with("clock", json!({"kind": "game", "ms": 60_000})),
                Command::New(NewGame { clock: Clock::Game { ms: 60_000, increment_ms: 0 }, ..two_persons.clone() }),
            ),
            (with("clock", json!({"kind": "none"})), Command::New(two_persons.clone())),
            (
                with("assist", json!({"warn": true})),
                Command::New(NewGame { assist: Assist { warn: true, ..Assist::default() }, ..two_persons.clone() }),
            ),
            (
                with(
                    "start",
                    json!({"stones": [{"at": "h8", "side": "white"}], "blocked": ["a1"], "to_move": "white"}),
                ),
                Command::New(NewGame { start: Some(start), ..two_persons }),
            ),
            (json!({"do": "move", "rev": 3, "at": "h8"}), Command::Move { at: at() }),
            (json!({"do": "opening", "choice": "two"}), Command::Opening { choice: Answer::Choice(Choice::Two) }),
            (json!({"do": "opening", "choice": 7}), Command::Opening { choice: Answer::Number(7) }),
            (json!({"do": "undo"}), Command::Undo),
            (json!({"do": "redo"}), Command::Redo),
            (json!({"do": "goto", "node": 7}), Command::Goto { node: 7 }),
            (json!({"do": "step", "by": -7}), Command::Step { by: -7 }),
            (json!({"do": "sibling", "by": 1}), Command::Sibling { by: 1 }),
            (json!({"do": "delete_branch", "node": 7}), Command::DeleteBranch { node: 7 }),
            (json!({"do": "add_line", "node": 7, "moves": ["h8"]}), Command::AddLine { node: 7, moves: vec![at()] }),
            (json!({"do": "promote", "node": 7}), Command::Promote { node: 7 }),
            (json!({"do": "comment", "node": 7, "text": "h8"}), Command::Comment { node: 7, text: at() }),
            (json!({"do": "go"}), Command::Go),
            (json!({"do": "substitute"}), Command::Substitute),
            (json!({"do": "stop"}), Command::Stop),
            (json!({"do": "pause", "on": true}), Command::Pause { on: true }),
            (json!({"do": "swap_sides"}), Command::SwapSides),
            (json!({"do": "resign"}), Command::Resign),
            (json!({"do": "draw"}), Command::Draw),
            (json!({"do": "restart"}), Command::Restart),
            (json!({"do": "hint"}), Command::Hint),
            (
                json!({"do": "analysis", "on": true, "lines": 3}),
                Command::Analysis(Analysis { on: Some(true), lines: Some(3), ..Analysis::default() }),
            ),
            (
                json!({"do": "prove", "node": 1, "after": ["h8"], "attacker": "black", "means": "fours"}),
                Command::Prove(Prove { node: 1, after: vec![at()], attacker: Some(Side::Black), means: Means::Fours }),
            ),
            (json!({"do": "try", "node": 1, "at": "h8"}), Command::Try { node: 1, at: at() }),
            (json!({"do": "review"}), Command::Review { nodes: None }),
            (json!({"do": "balance", "moves": 2}), Command::Balance { moves: 2 }),
            (json!({"do": "cancel", "job": 9}), Command::Cancel { job: 9 }),
            (json!({"do": "load", "index": 0}), Command::Load { index: 0 }),
            (json!({"do": "continue"}), Command::Continue),
            (json!({"do": "dismiss"}), Command::Dismiss),
            (json!({"do": "settings", "threads": 2}), Command::Settings { threads: Some(2), hash_mb: None }),
            (json!({"do": "store", "on": true}), Command::Store { on: true }),
            (json!({"do": "bye"}), Command::Bye),
        ]
    }

    #[test]
    fn every_command_is_read() {
        for (body, command) in examples() {
            assert_eq!(parse(body.clone()), Ok(command), "{body}");
        }
        assert_eq!(Command::parse(json!({"do": "undo", "rev": 12})), Ok((Command::Undo, Some(12))));
    }

    #[test]
    fn unknown_names_fields_and_types_are_refused() {
        for (mut body, _) in examples() {
            body["colour"] = json!("red");
            assert!(parse(body.clone()).unwrap_err().contains("colour"), "{body}");
        }
        for body in [
            json!({"do": "jump"}),
            json!({"do": 1}),
            json!({}),
            json!([]),
            json!("undo"),
            json!(null),
            json!({"do": "undo", "rev": "3"}),
            json!({"do": "undo", "rev": -3}),
            json!({"do": "undo", "rev": null}),
            json!({"do": "move"}),
            json!({"do": "move", "at": 8}),
            json!({"do": "goto", "node": -1}),
            json!({"do": "goto", "node": 4_294_967_296_u64}),
            json!({"do": "step"}),
            json!({"do": "step", "by": 0.5}),
            json!({"do": "sibling", "by": 4_294_967_296_u64}),
            json!({"do": "pause", "on": 1}),
            json!({"do": "balance", "moves": 256}),
            json!({"do": "opening", "choice": "pass"}),
            json!({"do": "opening", "choice": 256}),
            json!({"do": "opening", "choice": "7"}),
            json!({"do": "prove", "node": 1, "attacker": "red"}),
        ] {
            assert!(parse(body.clone()).is_err(), "{body}");
        }
        // The fields of the parts of a game.
        let (body, _) = examples().swap_remove(0);
        for (name, value) in [
            ("clock", json!({"kind": "none", "ms": 5})),
            ("clock", json!({"kind": "move", "ms": 5, "increment_ms": 5})),
            ("clock", json!({"kind": "move"})),
            ("black", json!({"kind": "person", "level": 3})),
            ("black", json!({"kind": "engine", "name": "x"})),
            ("assist", json!({"hint": true})),
            ("start", json!({"stones": [], "to_move": "black", "x": 1})),
            ("start", json!({"stones": [{"at": "h8", "side": "black", "number": 1}], "to_move": "black"})),
            ("rule", json!("go")),
            ("size", json!([15])),
        ] {
            let mut body = body.clone();
            body[name] = value;
            assert!(parse(body.clone()).is_err(), "{body}");
        }
    }
}
