//! What a client can ask of a game: the commands of the page, of the terminal, and of scripts.
//!
//! Over HTTP a command is the JSON body of `POST /api/command`: its name under `do`, its fields beside it, and, where it
//! depends on what the client saw, the revision that it saw under `rev`:
//!
//! ```json
//! {"do": "move", "rev": 12, "at": "h8"}
//! ```
//!
//! Points are labels (`h8`), sides `black` and `white`, times milliseconds. Unknown names, unknown fields and wrong types
//! are refused, never ignored.

use crate::board::Side;
use crate::rules::Rule;
use serde::{Deserialize, Serialize};

/// Everything that a client can ask.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Starts another game. The old one stays in the autosave folder if it has moves.
    New(NewGame),
    /// Puts a stone of the side to move on a point, at the current node. Needs `rev`.
    Move {
        /// Label of the point.
        at: String,
    },
    /// A person's answer in the opening. Needs `rev`.
    Opening {
        /// The answer.
        choice: Choice,
    },
    /// Goes to the position before the last move of the person who undoes: two plies against the engine, one between
    /// persons. Nothing is deleted. Needs `rev`.
    Undo,
    /// Goes forward again along the line that was left. Needs `rev`.
    Redo,
    /// Shows another node. The engine does not move by itself there until a move is made or `go` asks it to.
    Goto {
        /// Its id.
        node: u32,
    },
    /// Deletes a node with all that follows it; the position before it is shown if the current one was among them.
    DeleteBranch {
        /// Its id.
        node: u32,
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
    /// The engine moves for the side to move, whoever plays that side; while it thinks already, at once. Needs `rev`.
    Go,
    /// Ends a search for a move or a hint without its move. The engine's seat waits until `go` or a move.
    Stop,
    /// Holds a game of two engines, or lets it go on.
    Pause {
        /// Whether it is held.
        on: bool,
    },
    /// The players exchange their colours. The engine moves if it is now its turn. Needs `rev`.
    SwapSides,
    /// The person to move resigns; between persons the side to move. Needs `rev`.
    Resign,
    /// Both agree to a draw. Against the engine it is accepted where the engine's last score says at most a small
    /// advantage for itself. Needs `rev`.
    Draw,
    /// Starts the same game again: the same players, rule, clock and starting position.
    Restart,
    /// Asks for the best move of the shown position; the answer is the event `hint`.
    Hint,
    /// Turns live analysis of the shown position on or off, or changes its settings. It follows the shown node.
    Analysis(Analysis),
    /// Asks the solver about a forced win; the answer is the event `proof`.
    Prove(Prove),
    /// Judges a move that is not played: for "find your mistakes" and warnings. The answer is the event `tried`.
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
    /// Asks for one or two moves after which the position is even; the answer is the event `balance`.
    Balance {
        /// 1 or 2.
        moves: u8,
    },
    /// Ends a job: a review, a proof, a hint, a balance search.
    Cancel {
        /// Its number, from the answer to the command that began it.
        job: u64,
    },
    /// Takes one of the games of the last import as the game, to be looked at: two persons, no clock.
    Load {
        /// Its index in the answer to the import.
        index: usize,
    },
    /// Goes on with the game that was running when the program ended last.
    Continue,
    /// Forgets the offer of [`Command::Continue`]. The file stays.
    Dismiss,
    /// Changes the engine's settings. Absent ones stay.
    Settings {
        /// Threads of analysis and of full strength.
        threads: Option<usize>,
        /// Transposition table in mebibytes.
        hash_mb: Option<u64>,
    },
    /// Ends the program, after saving.
    Bye,
}

/// A game to be started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// The rule, by its name: `freestyle`, `standard`, `renju`, `caro`, or `caro6` where an overline wins too.
    #[serde(with = "rule_name")]
    pub rule: Rule,
    /// Width and height, 5 to 25 each.
    pub size: (u8, u8),
    /// How the game opens.
    #[serde(default)]
    pub opening: Opening,
    /// Who plays black; under swap2, who places the opening.
    pub black: Player,
    /// Who plays white.
    pub white: Player,
    /// Whether lots decide which of the two begins.
    #[serde(default)]
    pub by_lot: bool,
    /// The clock.
    #[serde(default)]
    pub clock: Clock,
    /// What a person is helped with.
    #[serde(default)]
    pub assist: Assist,
    /// The position that the game starts from; without it the empty board.
    #[serde(default)]
    pub start: Option<Start>,
}

/// A position to start from. Either side may have any number of stones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The stones, in the order to be shown.
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

/// How a game opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// Black moves first, anywhere.
    #[default]
    None,
    /// Swap2: one player puts three stones (black, white, black); the other stays white, takes black, or puts two more
    /// (white, black), whereupon the first chooses the colour.
    Swap2,
}

/// An answer in the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Keeps the colour.
    Stay,
    /// Takes the other colour.
    Swap,
    /// Puts two more stones and lets the other choose.
    Two,
}

/// Who plays a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Player {
    /// Somebody at the board.
    Person {
        /// A name to be shown and saved.
        #[serde(default)]
        name: String,
    },
    /// This engine.
    Engine {
        /// 1 to 10; without it full strength.
        #[serde(default)]
        level: Option<u8>,
    },
}

impl Player {
    /// Whether it is an engine.
    pub const fn is_engine(&self) -> bool {
        matches!(self, Player::Engine { .. })
    }
}

/// The time that players have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Clock {
    /// No limit for persons; the engine takes [`ENGINE_TURN`](super::ENGINE_TURN) a move at full strength.
    #[default]
    None,
    /// So much for each move.
    Move {
        /// Milliseconds.
        ms: u64,
    },
    /// So much for all moves of a player.
    Game {
        /// Milliseconds at the start.
        ms: u64,
        /// Milliseconds added after each move.
        #[serde(default)]
        increment_ms: u64,
    },
}

/// What a person is helped with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Assist {
    /// Hints may be asked for.
    pub hints: bool,
    /// Moves may be taken back.
    pub undo: bool,
    /// Says so before a move that lets the opponent win by force.
    pub warn: bool,
    /// Shows forbidden points.
    pub forbidden: bool,
}

impl Default for Assist {
    fn default() -> Assist {
        Assist { hints: true, undo: true, warn: false, forbidden: true }
    }
}

/// Settings of live analysis. Absent ones stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Analysis {
    /// Whether it runs.
    pub on: Option<bool>,
    /// Number of lines, 1 to 10.
    pub lines: Option<usize>,
    /// Labels of moves that are not considered.
    pub avoid: Option<Vec<String>>,
    /// Instead of the side to move, the other one is to move: what does it threaten?
    pub threat: Option<bool>,
}

/// A question to the solver.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prove {
    /// The node where the proof begins.
    pub node: u32,
    /// Labels of moves from there to the position in question: what the player of the proof has tried.
    #[serde(default)]
    pub after: Vec<String>,
    /// The side that is to win. Without it the side to move at the position.
    #[serde(default, with = "side_name::option")]
    pub attacker: Option<Side>,
    /// What the attacker may use.
    #[serde(default)]
    pub means: Means,
}

/// What a proof may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Fours alone (VCF).
    Fours,
    /// Fours and threes (VCT).
    Threats,
    /// Threats first, then a search.
    #[default]
    Any,
}

/// Names of sides in JSON.
pub(super) mod side_name {
    use crate::board::Side;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(side: &Side, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(side.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Side, D::Error> {
        let name = String::deserialize(from)?;
        Side::BOTH
            .into_iter()
            .find(|side| side.name() == name)
            .ok_or_else(|| D::Error::custom("expected black or white"))
    }

    pub mod option {
        use super::*;

        pub fn serialize<S: Serializer>(side: &Option<Side>, to: S) -> Result<S::Ok, S::Error> {
            match side {
                Some(side) => to.serialize_some(side.name()),
                None => to.serialize_none(),
            }
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Side>, D::Error> {
            let name = Option::<String>::deserialize(from)?;
            let side = |name: String| Side::BOTH.into_iter().find(|side| side.name() == name);
            name.map(|name| side(name).ok_or_else(|| D::Error::custom("expected black or white"))).transpose()
        }
    }
}

/// Names of rules in JSON.
pub(super) mod rule_name {
    use crate::rules::Rule;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(rule: &Rule, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(rule.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Rule, D::Error> {
        let name = String::deserialize(from)?;
        let known = || Rule::ALL.into_iter().map(Rule::name).collect::<Vec<_>>().join(", ");
        let rule = Rule::ALL.into_iter().find(|rule| rule.name() == name);
        rule.ok_or_else(|| D::Error::custom(format!("no such rule; there are {}", known())))
    }
}
