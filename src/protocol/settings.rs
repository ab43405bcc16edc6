//! The settings sent by `INFO` lines, and their meaning for a search.

use super::command::{EvaluationKind, Key, Setting};
use crate::engine::{Evaluation, Limits, Options, Rule};
use std::time::Duration;
use web_time::Instant;

/// The value that managers send for "unlimited".
const UNLIMITED: i64 = 2_147_483_647;

/// Milliseconds for a move and for a game with which Yixin-Board says that both are unlimited.
const BOARD_UNLIMITED: [i64; 2] = [2_000_000, 100_000_000];

/// Time for a move if there is no limit of any kind.
const DEFAULT_TURN: Duration = Duration::from_secs(5);

/// All settings, as received.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    turn: Option<i64>,
    game: Option<i64>,
    left: Option<i64>,
    increment: i64,
    memory: i64,
    hash: i64,
    threads: i64,
    nodes: i64,
    depth: i64,
    rule: i64,
    book: Option<i64>,
    root_parallel: i64,
    database: Option<i64>,
    detail: i64,
    message: Option<i64>,
    pub(super) evaluation: EvaluationKind,
    /// The manager is an analysis board: rule number 2 is renju, and coordinates are row, column.
    pub(super) board: bool,
}

impl Settings {
    /// Stores the setting of an `INFO` line.
    pub(super) fn set(&mut self, setting: &Setting) {
        let (key, value) = match setting {
            Setting::Known(key, value) => (*key, *value),
            Setting::Evaluation(kind) => {
                self.evaluation = *kind;
                return;
            }
            Setting::EvaluationFile(_) | Setting::DatabaseFile(_) | Setting::Other { .. } => return,
        };
        match key {
            Key::TimeoutTurn => self.turn = Some(value),
            Key::TimeoutMatch => self.game = Some(value),
            Key::TimeLeft => self.left = Some(value),
            Key::TimeIncrement => self.increment = value,
            Key::MaxMemory => self.memory = value,
            Key::HashSize => self.hash = value,
            Key::ThreadNum => self.threads = value,
            Key::MaxNode => self.nodes = value,
            Key::MaxDepth => self.depth = value,
            // No rule has a negative number: the rule does not change.
            Key::Rule => self.rule = if value < 0 { self.rule } else { value },
            Key::ShowMessage => self.message = Some(value),
            Key::Book => self.book = Some(value),
            Key::RootParallel => self.root_parallel = value,
            Key::UseDatabase => self.database = Some(value),
            // The database itself knows what is allowed.
            Key::DatabaseReadonly => {}
            Key::ShowDetail => {
                self.detail = value;
                self.board = true;
            }
        }
    }

    /// The rule in force. It is decided at each use, because the number 2 has two meanings.
    pub(super) fn rule(&self) -> Rule {
        if self.board && self.rule == 2 {
            return Rule::Renju;
        }
        let bit = |bit: i64| self.rule & bit != 0;
        // Bit 2 (continuous: play goes on after a five) has no effect on an engine.
        match (bit(4), bit(8), bit(1)) {
            (true, _, _) => Rule::Renju,
            (false, true, true) => Rule::CaroExact,
            (false, true, false) => Rule::Caro,
            (false, false, true) => Rule::Standard,
            (false, false, false) => Rule::Freestyle,
        }
    }

    /// The limits of a search whose command arrived at `started`.
    pub(super) fn limits(&self, started: Instant) -> Limits {
        let untimed = self.board && [self.turn, self.game] == BOARD_UNLIMITED.map(Some);
        let turn = match self.turn {
            Some(0..UNLIMITED) if !untimed => self.turn.map(millis),
            Some(_) | None => None,
        };
        // A match without a time limit ignores the time left, which some clients send although they have no match
        // clock.
        let is_endless = self.game.is_some_and(|game| !(1..UNLIMITED).contains(&game));
        let left = if untimed || is_endless { None } else { self.left.or(self.game) };
        let left = left.filter(|left| *left < UNLIMITED).map(millis);
        let nodes = (1..i64::MAX).contains(&self.nodes).then_some(self.nodes.unsigned_abs());
        let depth = (self.depth > 0).then(|| u32::try_from(self.depth).unwrap_or(u32::MAX));
        let unlimited = self.turn.is_none() && left.is_none() && nodes.is_none() && depth.is_none();
        Limits {
            started: Some(started),
            turn: if unlimited { Some(DEFAULT_TURN) } else { turn },
            left,
            increment: millis(self.increment.min(UNLIMITED)),
            nodes,
            depth,
        }
    }

    /// The settings that outlive a search.
    pub(super) fn options(&self) -> Options {
        let positive = |n: i64| (n > 0).then_some(n.unsigned_abs());
        Options {
            threads: usize::try_from(self.threads).unwrap_or(1).clamp(1, Options::MAX_THREADS),
            root_parallel: self.root_parallel != 0,
            max_memory: positive(self.memory),
            hash: positive(self.hash).map(|kilobytes| kilobytes.saturating_mul(1024)),
            evaluation: Evaluation::default(),
            book: self.book != Some(0),
        }
    }

    /// Whether the database of positions is used, if there is one.
    pub(super) fn uses_database(&self) -> bool {
        self.database != Some(0)
    }

    /// Whether `MESSAGE REALTIME` lines are requested.
    pub(super) fn wants_realtime(&self) -> bool {
        self.detail & 1 != 0
    }

    /// Whether text for people is wanted. It is on by default, because managers skip or log `MESSAGE` lines (Piskvork,
    /// qpiskvork, Yixin-Board, c-gomoku-cli, Gomocup's judge). A script that takes the first line for the move switches
    /// it off.
    pub(super) fn wants_text(&self) -> bool {
        self.message != Some(0)
    }

    /// Whether `INFO` analysis lines are requested.
    pub(super) fn wants_lines(&self) -> bool {
        self.detail & 2 != 0
    }
}

/// Milliseconds as a duration; negative values count as 0.
fn millis(milliseconds: i64) -> Duration {
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0))
}
