//! What the session asks of the worker threads, and what they answer. The session never waits: it hands out a job,
//! goes on, and is told the news later. Every job has a number of its own; news of a job that the session has given
//! up is dropped there, so a late move never reaches the board.

use crate::command::Means;
use crate::view;
use tengen::board::{Point, Setup, Side};
use tengen::engine::{Answer, Goal, Limits, Line};
use tengen::rules::Rule;
use tengen_analysis::review::Played;

/// A job for a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number, never used twice.
    pub id: u64,
    /// What is to be done.
    pub task: Task,
}

/// What a review said of the position before a move: other moves there are judged by the same measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Standard {
    /// Nodes of each of its searches.
    pub nodes: u64,
    /// The move of the game, judged.
    pub played: view::MoveReview,
}

/// What is to be done. All but reviews and judgements run one at a time on the player's engine; those two
/// have a worker and an engine each.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// A move of the game, or an answer in its opening.
    Move {
        /// The position.
        setup: Setup,
        /// The rule.
        rule: Rule,
        /// A move, or what swap2 asks for.
        goal: Goal,
        /// 1 to 10; `None` is full strength.
        level: Option<u8>,
        /// Time; the nodes of a level come on top.
        limits: Limits,
    },
    /// The best move for a person.
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
        /// Lines wanted.
        lines: usize,
        /// Moves that are not considered.
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
        /// Who is to win.
        attacker: Side,
        /// What the attacker may use.
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
        /// What the review of the game said of this position; without one the move is judged by itself.
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

/// What a worker tells. Each job ends with one last piece of news, cancelled or not: a move's is `Moved`, that of
/// live analysis an event with `done`, that of a review one whose state is not `running`; any may be `Failed`.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The answer to [`Task::Move`].
    Moved {
        /// The job.
        job: u64,
        /// The decision.
        answer: Answer,
        /// The line that it rests on.
        line: Line,
        /// Whether the opening book decided.
        from_book: bool,
    },
    /// The job has ended by a fault of the program, without an answer.
    Failed {
        /// The job.
        job: u64,
    },
    /// Something to be passed on to the clients as it is.
    Event {
        /// The job.
        job: u64,
        /// Whether it is the last of the job.
        last: bool,
        /// The event.
        event: view::Event,
    },
}
