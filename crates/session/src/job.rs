//! Jobs from the session to the worker threads, and the answers. The session never waits: it starts a job, goes on, and
//! receives the answers later. Every job has its own number. The session drops answers of jobs that it has given up, so
//! a late move never reaches the board.

use crate::command::Clock;
use crate::view::{self, EngineFault};
use std::time::Duration;
use tengen::board::{Point, Setup, Side};
use tengen::engine::{Answer, Goal, Limits, Line, Means};
use tengen::rules::Rule;
use tengen_analysis::review::{Judgement, Played};

/// A job for a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number; numbers are not reused.
    pub id: u64,
    /// The work to do.
    pub task: Task,
}

/// A review's judgement of the position before a move. Other moves in that position are judged by the same standard.
#[derive(Clone, Debug, PartialEq)]
pub struct Standard {
    /// Nodes of each of the review's searches.
    pub nodes: u64,
    /// The move of the game, judged.
    pub played: Judgement,
}

/// The work to do. Reviews and judgements have a worker and an engine each. All other jobs run one at a time on the
/// player's engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// A move of the game, or an answer in its opening.
    Move {
        /// The position.
        setup: Setup,
        /// The rule.
        rule: Rule,
        /// A move, or what the opening requires.
        goal: Goal,
        /// Points that the opening does not allow.
        excluded: Vec<Point>,
        /// 1 to 10; `None` is full strength.
        level: Option<u8>,
        /// Limits of time; a level has its limit of nodes in addition.
        limits: Limits,
    },
    /// The best move, as a hint for a person.
    Hint {
        /// The node.
        node: u32,
        /// The position.
        setup: Setup,
        /// The rule.
        rule: Rule,
        /// Limits.
        limits: Limits,
    },
    /// Live analysis, until it is cancelled or everything is proven.
    Analysis {
        /// The node.
        node: u32,
        /// The position.
        setup: Setup,
        /// The rule.
        rule: Rule,
        /// Number of lines.
        lines: usize,
        /// Moves that are excluded.
        avoid: Vec<Point>,
    },
    /// A proof of a forced win.
    Prove {
        /// The node where the proof begins.
        node: u32,
        /// The position there.
        setup: Setup,
        /// Moves from there to the position in question.
        after: Vec<Point>,
        /// The rule.
        rule: Rule,
        /// The side that should win.
        attacker: Side,
        /// The kinds of moves that the attacker may use.
        means: Means,
    },
    /// The judgement of one move.
    Try {
        /// The node before it.
        node: u32,
        /// The position before it.
        setup: Setup,
        /// The rule.
        rule: Rule,
        /// The move.
        point: Point,
        /// The review's judgement of this position; without one the move is judged on its own.
        standard: Option<Box<Standard>>,
    },
    /// One or two moves that leave the position even.
    Balance {
        /// The node.
        node: u32,
        /// The position.
        setup: Setup,
        /// The rule.
        rule: Rule,
        /// 1 or 2.
        moves: u8,
    },
    /// A move of another engine.
    OtherMove(OtherMove),
    /// A second opinion of another engine.
    Opinion {
        /// The node.
        node: u32,
        /// The position.
        setup: Setup,
        /// The rule.
        rule: Rule,
        /// Index of the engine among the declared ones.
        engine: usize,
    },
    /// The processes of other engines end: their game is over. This job has no answer.
    Release,
    /// A review of a line.
    Review {
        /// The game's number.
        game: u64,
        /// Nodes of the line, its start first.
        nodes: Vec<u32>,
        /// The game as it was played.
        played: Played,
        /// Limits of each search.
        limits: Limits,
    },
}

/// A question for a move to another engine.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherMove {
    /// Number of the game. Each game has its own process.
    pub game: u64,
    /// Index of the engine among the declared ones.
    pub engine: usize,
    /// The position.
    pub setup: Setup,
    /// The rule.
    pub rule: Rule,
    /// The clock that was agreed.
    pub clock: Clock,
    /// Time left, with a clock.
    pub left: Option<Duration>,
}

/// A message of a worker. Each job ends with one last message, cancelled or not: `Moved` for a move, an event with
/// `done` for live analysis, an event whose state is not `running` for a review, `Answered` for a move of another
/// engine. Any job may end with `Failed`.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerMessage {
    /// The answer to [`Task::Move`].
    Moved {
        /// The job.
        job: u64,
        /// The decision.
        answer: Answer,
        /// The line that the decision is based on.
        line: Line,
        /// Whether the decision comes from the opening book.
        from_book: bool,
    },
    /// The answer to [`Task::OtherMove`].
    Answered {
        /// The job.
        job: u64,
        /// The point and the time used, or what went wrong. `None` if the job was cancelled.
        answer: Option<Result<(Point, Duration), EngineFault>>,
    },
    /// The job has ended because of a bug, without an answer.
    Failed {
        /// The job.
        job: u64,
    },
    /// An event to send to the clients unchanged.
    Event {
        /// The job.
        job: u64,
        /// Whether it is the last message of the job.
        last: bool,
        /// The event.
        event: view::Event,
    },
}
