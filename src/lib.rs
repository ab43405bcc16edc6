//! Tengen, a Gomoku and Renju engine: the architecture.
//!
//! The parts are layers: each uses those below it and is independent of those above. A boundary lies where the way of
//! judging correctness changes.
//!
//! | part | what it is | what it may know |
//! |---|---|---|
//! | [`board`] | sizes, points, stones, symmetries, text forms | |
//! | [`rules`] | what wins and what is forbidden, from stones alone, slowly | `board` |
//! | [`pattern`] | classes of lines and points, generated from one predicate a rule | `board` `rules` |
//! | [`position`] | stones and classes, kept up to date by play and undo | `board` `rules` `pattern` |
//! | [`movegen`] | what classes prove about a node; moves that answer a threat | `board` `pattern` `position` |
//! | [`score`] | evaluation units and distances to a win | |
//! | [`control`] | how a search is stopped | |
//! | [`memory_hints`] | prefetch, huge pages, freed blocks: hints that change no result | |
//! | [`eval`] | what a position is worth when nothing is proven | `board` `rules` `pattern` `position` `score` `memory_hints` |
//! | [`solver`] | proven forced wins, with the replies to every defence | `board` `pattern` `position` `movegen` `score` `control` |
//! | [`search`] | which move, its score, and how certain that is | all above |
//! | [`book`] | openings searched beforehand | `board` `rules` `score` |
//! | [`opening`] | the opening rules of federations as one state machine | `board` |
//! | [`engine`] | the facade: plain data in and out | all above |
//! | [`protocol`] | the Gomocup protocol and Yixin-Board's dialect | `engine` |
//! | [`mod@bench`] | a fixed amount of search: one number that identifies the engine's behaviour | `board` `rules` `control` `engine` |
//! | `bin` | arguments, log, standard streams | `bench` `engine` `protocol` |
//!
//! `tests/architecture.rs` enforces this table and checks that this page shows it. The clients of the engine are crates
//! of their own, and their manifests define which crate may use which:
//!
//! | crate | what it is | crates that it knows beside the engine; `files` does not know the engine |
//! |---|---|---|
//! | `files` | files that survive kills, and have one writer | |
//! | `record` | records of games: trees of moves and their files | |
//! | `engines` | other engines as child processes: their protocol, clocks and faults | `record` |
//! | `analysis` | analysis of positions, review of games, charts and pictures, the making of the book | `record` |
//! | `database` | a database of positions: values, results of games, comments; its imports and exports | `record` `analysis` |
//! | `workbench` | matches and their statistics, training games, training, tuning, generations of the network | `files` `record` `engines` `analysis` |
//! | `session` | a board for a person as a state machine, and the engine's work for it: game, clock, opening, levels | `record` `analysis` |
//! | `play` | what surrounds the board: a web server and its page, the terminal, threads, saved games | `files` `record` `engines` `analysis` `database` `session` |
//! | `watch` | a match in the browser | `workbench` `play` |
//! | `web` | the board and the engine in WebAssembly, for a page without a server | `analysis` `session` |
//! | `tengen` | the program for people: arguments and output | `files` `record` `engines` `analysis` `database` `workbench` `session` `play` `watch` |
//!
//! # One move
//!
//! 1. A reader thread timestamps each line with the arrival of its first byte ([`protocol::shell`]).
//! 2. [`protocol::LineParser`] turns it into a value. [`protocol::Session`] takes the value as an event and
//!    returns effects; `TURN 7,7` puts a stone into its [`Setup`](board::Setup) and becomes "start a search" with a
//!    [`Request`](engine::Request).
//! 3. The thinking thread, which owns the [`Engine`](engine::Engine), calls [`Engine::think`](engine::Engine::think).
//!    The call blocks; a [`StopToken`](control::StopToken) ends it from another thread.
//! 4. The [`Searcher`](search::Searcher) builds a [`Position`](position::Position) with an observing evaluator
//!    ([`Neural`](eval::network::Neural) if there is a network for the rule, else [`Classical`](eval::Classical)),
//!    deepens from iteration to iteration, and reports each new best [`Line`](search::Line). At each node
//!    [`movegen::threat_status`] first returns what is proven without a search. Between iterations the
//!    [`Solver`](solver::Solver) looks for forced wins at the root.
//! 5. The [`Outcome`](engine::Outcome) returns to the session as an event. The session plays the move in its own game
//!    and writes one line.
//!
//! The same from a Rust program, without the protocol:
//!
//! ```
//! use tengen::board::{BoardSize, Setup, parse_points};
//! use tengen::engine::{Answer, Engine, Limits, Options, Request, Rule, StopToken};
//!
//! let size = BoardSize::new(15, 15).expect("5 to 25 a side");
//! // Black has four in a row, and white holds one end.
//! let moves = parse_points(size, "h8h9i8i9j8j9k8l8").expect("labels on the board");
//! let request = Request::new(Setup::from_moves(size, moves), Rule::Renju, Limits::nodes(10_000));
//! let outcome = Engine::new(Options::default()).think(&request, &StopToken::new(), &mut |_| {});
//! assert_eq!(outcome.answer, Answer::Points(parse_points(size, "g8").expect("a label")));
//! assert!(outcome.line.score.is_win());
//! ```
//!
//! # What holds everywhere
//!
//! * **One definition of each fact.** [`LineRule::wins`](rules::LineRule::wins) is the only definition of a win.
//!   Tables, fast code and referee are derived from it or tested against it.
//! * **Incremental state has a slow reference.** [`Position::audit`](position::Position::audit) recomputes from the
//!   stones what play and undo maintain; [`rules::renju`] checks the fast test for forbidden points.
//! * **Code above the patterns does not depend on the rule.** The rule affects only the classes, whether a point is
//!   forbidden, and the key for tables of learned weights.
//! * **One search command, one answer**, however the search ends. The session guarantees this, not the search.
//! * **A search always answers** with a legal move if there is one, within its limits.
//! * **Determinism.** With one thread and limits of nodes or depth, the same calls give the same moves and node
//!   counts on every machine: ties are broken by board order, and neither a clock nor hash order has any influence.
//!   [`mod@bench`] turns that into one number.
//! * **Scores are the mover's.** Positive is good for the side to move; a proven win carries its distance in plies.
//!
//! # What the engine avoids
//!
//! * Board and rules do not depend on the search, the search does not depend on the protocol, and the protocol depends
//!   only on the facade of the engine.
//! * No mutable globals: the only globals are tables, weights and the host of threads, which never change once they are
//!   set. Two engines in one process are independent.
//! * No printing and no exit in the library; nothing on stderr unless a log is enabled.
//! * No `unsafe`, except for hints about memory (`memory_hints.rs`) and vector instructions
//!   (`eval/network/kernel.rs`). The shared [transposition table](search) consists of atomic words.
//! * No hand-written list of patterns, and no evaluation in [`position`]: evaluators observe it through
//!   [`Observer`](position::Observer).
//! * No threads in the engine unless more than one is requested, and never rayon's global pool.
//!
//! # Where a change belongs
//!
//! | change | place | what tests it |
//! |---|---|---|
//! | a rule | [`rules`]: a [`LineRule`](rules::LineRule), a [`Rule`](rules::Rule); its number in `protocol/settings.rs` | diagrams, and the text of the rule |
//! | a kind of threat | [`pattern`]: a class, defined by what one more stone makes | brute force over all rows |
//! | something kept by play and undo | [`position`], with its line in `audit` | property tests over random games |
//! | "this wins", "only these defend" | [`movegen`] | an independent solver |
//! | how forced wins are searched | [`solver`] | every win played against every defence; `tests/data/attacks.txt` |
//! | a term of the evaluation | [`eval`], as an observer | matches |
//! | a pruning, an extension, an order of moves | [`search`]; its numbers in `search/params.rs` | bench signature, then matches |
//! | time | `search/time.rs` | limits under load, then matches |
//! | a request that a client can make | [`engine`]: a [`Goal`](engine::Goal) or an option | tests of the facade |
//! | an opening rule | `opening/table.rs` | a table of its legal and illegal steps in `tests/opening` |
//! | an opening | `book/book.txt`, by `tengen book` or by hand | a deeper search |
//! | a command | `protocol/command.rs` or `extension.rs`, its meaning in `session/commands.rs` | a transcript in `tests/transcripts` |
//! | a file format of games | `crates/record`: a reader, a writer, a `Format` | round trips, damaged files |
//! | something that is known of a position | `crates/database`: a part of `Entry` and its encoding | round trips, damaged bytes |
//! | something that a person at the board can do | `crates/session`: a `Command`, its meaning in `session`, what it shows in `view`; the page in `crates/play` | random commands against all invariants; a real browser (`tests/browser`) |
//! | a measurement | `crates/workbench` | known values, simulation |
//!
//! Up to [`movegen`], and in the [`solver`], code is right or wrong, and tests decide. From [`eval`] on it is
//! stronger or weaker, and only games decide. That is why [`rules`] uses no tables (it is what they are tested
//! against), why [`position`] holds no evaluator (provable and tuned code stay apart), and why the workbench stands
//! outside of what it measures.
//!
//! # Glossary
//!
//! * **Arm**: the cells to one side of a point on a line, five at most ([`pattern::REACH`]).
//! * **Candidate**: an empty point near a stone ([`Position::candidates`](position::Position::candidates)).
//! * **Class** of a line or point: what a stone there would make, from dead to five
//!   ([`LineClass`](pattern::LineClass), [`PointClass`](pattern::PointClass)).
//! * **Code**: the ten cells around a point on one line as one number ([`LineCode`](pattern::LineCode)).
//! * **Combination**: a point's four line classes, unordered ([`Combined`](pattern::Combined)); evaluation and move
//!   ordering are tables over it.
//! * **Four**: one more stone makes five. **Open four** (straight four): in two ways, so one reply does not stop it.
//! * **Four-three**: a move that makes a four and an open three; usually a win in five plies.
//! * **Three**, open: one more stone makes an open four.
//! * **Overline**: six or more in a row. **Foul**: what renju forbids black ([`Foul`](rules::Foul)).
//! * **Held end**: an end of a row that an opponent's stone occupies; it matters in caro.
//! * **Answer** to a threat: a move that may refute it. All other moves lose.
//! * **VCF**: a win by continuous fours, searched in the quiescence search and by the [`solver`]. **VCT**: by fours and
//!   threes.
//! * **Verdict**: win, no win by these means, or unknown ([`Verdict`](solver::Verdict)).
//! * **Observer**: is notified of every change of the position ([`Observer`](position::Observer)).
//! * **Request**, **outcome**: what the engine is asked to decide, and its decision ([`Request`](engine::Request),
//!   [`Outcome`](engine::Outcome)).
//! * **Setup**: a position as described from outside, not yet checked ([`Setup`](board::Setup)).
//! * **Signature**: the nodes of the bench; the same for the same behaviour.
//! * **ThreatStatus**: what is proven of a node before any move is searched
//!   ([`ThreatStatus`](movegen::ThreatStatus)).

pub mod bench;
pub mod board;
pub mod book;
pub mod control;
pub mod engine;
pub mod eval;
pub mod memory_hints;
pub mod movegen;
pub mod opening;
pub mod pattern;
pub mod position;
pub mod protocol;
pub mod rules;
pub mod score;
pub mod search;
pub mod solver;

/// Version, revision and bench signature: the output of `--version`.
pub const VERSION: &str = env!("TENGEN_VERSION");
