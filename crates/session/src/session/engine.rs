//! The engine's part of the game: when it moves, how long it searches, and how its answers are applied.

use super::Session;
use super::check::Denied;
use super::engine_turn::BlunderCheck;
use super::values;
use crate::ENGINE_TURN;
use crate::command::Player;
use crate::job::Task;
use crate::view::{Event, TriedEvent, Warned};
use tengen::board::{BoardSize, Point, Setup};
use tengen::engine::{Answer, Limits, Line, opening_goal, opening_steps};
use tengen::opening::Step;
use tengen_record::NodeId;
use web_time::{Duration, Instant};

/// Longest time that the engine delays its move for the blunder check of the person's move.
const BLUNDER_CHECK: Duration = Duration::from_millis(1_500);

impl Session {
    pub(super) fn size(&self) -> BoardSize {
        self.game.record().start.size
    }

    /// Whether the engine is to move at the current node, no turn runs at another node, and the engine is not
    /// searching.
    pub(super) fn engine_waits(&self) -> bool {
        !self.engine.is_searching() && !self.is_elsewhere() && self.engine_acts()
    }

    /// Whether the engine has to move by itself as soon as possible.
    pub(super) fn is_engine_due(&self) -> bool {
        self.autoplay.is_on(self.agreement.both_engines()) && self.engine_waits() && !self.game.is_over()
    }

    /// The time before which the engine does not move by itself.
    pub(super) fn may_think_at(&self) -> Option<Instant> {
        self.autoplay.earliest().max(self.engine.waits_until())
    }

    /// Starts and stops the work that the state of the game requires.
    pub(super) fn settle(&mut self, now: Instant) {
        if self.closing {
            return;
        }
        if self.is_engine_due() {
            if self.may_think_at().is_none_or(|at| at <= now) {
                self.think(now);
            } else {
                self.clock.hold(now);
            }
        } else if self.engine_waits() {
            self.clock.hold(now);
        }
        self.settle_analysis();
        self.settle_opinion();
    }

    /// Starts the search for a move.
    pub(super) fn think(&mut self, now: Instant) {
        self.drop_questions();
        self.stop_analysis();
        self.stop_opinion();
        let side = self.game.actor();
        if let Some(engine) = self.other_engine(side) {
            return self.ask_other(engine, side, now);
        }
        let (mine, other) = (self.seat(side), self.seat(!side));
        let level = match (mine, other) {
            (Player::Engine { level }, _) | (Player::Person { .. }, Player::Engine { level }) => *level,
            (Player::Person { .. } | Player::Other { .. }, _) => None,
        };
        let (left, increment) = self.time_left(side, now).unzip();
        let by_move = self.is_timed_by_move();
        let unlimited = left.is_none() && level.is_none();
        let limits = Limits {
            started: Some(now),
            turn: if unlimited { Some(ENGINE_TURN) } else { left.filter(|_| by_move) },
            left: left.filter(|_| !by_move),
            increment: increment.unwrap_or_default(),
            nodes: None,
            depth: None,
        };
        let setup = self.game.position().setup();
        let (goal, excluded) = opening_goal(&self.game.step().opening, &setup);
        let task = Task::Move { setup, rule: self.game.rule(), goal, excluded, level, limits };
        let job = self.start(task);
        self.engine.begin_search(job, side, now);
        self.run_timer(self.clock.spent(now), now);
        self.show();
    }

    /// Cancels the search for a move, if there is one. Its answer is dropped.
    pub(super) fn stop_thinking(&mut self, now: Instant) {
        if let Some(job) = self.engine.end_search() {
            self.outbox.cancel([job]);
            self.clock.hold(now);
            self.show();
        }
    }

    pub(super) fn go(&mut self, now: Instant) -> Result<(), Denied> {
        if self.game.is_over() {
            return Err(Denied::over());
        }
        if self.engine.is_other_searching() {
            return Err(Denied::not_now("another engine cannot be told to move at once"));
        }
        if self.engine.is_searching() {
            self.outbox.cancel(self.engine.hurry());
        } else {
            self.check_tip()?;
            self.think(now);
        }
        Ok(())
    }

    pub(super) fn stop(&mut self, now: Instant) {
        self.drop_questions();
        if self.engine.is_searching() || self.is_engine_due() {
            self.stop_thinking(now);
            self.autoplay.stop(self.agreement.both_engines());
            self.show();
        }
    }

    /// The search for a move has ended.
    pub(super) fn moved(&mut self, answer: &Answer, line: &Line, from_book: bool, now: Instant) {
        self.engine.end_search();
        self.return_to_turn();
        let at = self.game.at();
        let took = self.clock.took(now);
        let was_move = self.game.step().opening.is_over();
        let mover = self.game.position().to_move();
        let steps = opening_steps(&self.game.step().opening, &self.game.position().setup(), answer);
        self.take_all(&steps, took);
        if self.game.at() == at {
            self.autoplay.give_up();
            self.clock.hold(now);
            self.say("error", "no_move", "The engine found no move.");
            self.show();
            return;
        }
        if was_move {
            if let Some(value) = values::after_move(line, mover) {
                let node = self.game.at();
                self.game.keep_value(node, value);
            }
            if from_book {
                self.say("info", "book", "The move is from the opening book.");
            }
        }
        self.moved_on(now);
        if self.agreement.both_engines() {
            self.autoplay.wait_a_little(now);
        }
    }

    /// Takes steps as long as they are legal. The first one gets the time, the others get none.
    fn take_all(&mut self, steps: &[Step], took: Option<Duration>) {
        let mut time = took;
        for step in steps {
            if self.game.take(*step, time).is_err() {
                break;
            }
            time = took.map(|_| Duration::ZERO);
        }
    }

    /// Has a person's move checked, if warnings are on. Play goes on: the engine delays its own move for a limited
    /// time, and the warning may come later.
    pub(super) fn warn_of(&mut self, (node, setup): (NodeId, Setup), point: Point, now: Instant) {
        if !self.agreement.assist().warn || self.game.is_over() {
            return;
        }
        let side = setup.to_move;
        let job = self.start(Task::Try { node: node.0, setup, rule: self.game.rule(), point, standard: None });
        self.engine.begin_check(BlunderCheck { job, side, until: now + BLUNDER_CHECK });
    }

    /// Takes the result of the blunder check.
    pub(super) fn judged(&mut self, blunder_check: BlunderCheck, event: Event, last: bool) {
        let Event::Tried(TriedEvent { at, best, value, loss: Some(loss), .. }) = event else {
            if last {
                self.engine.end_check();
                self.show();
            }
            return;
        };
        self.engine.end_check();
        self.show();
        // Where all moves lose, no move loses anything.
        let is_bad = 100.0 * loss >= f64::from(self.agreement.assist().warn_from);
        if is_bad && !self.game.is_over() {
            let (side, undo) = (blunder_check.side, self.agreement.assist().undo);
            self.outbox.send(Event::Warned(Warned { at, side, best, value, loss, undo }));
        }
    }
}
