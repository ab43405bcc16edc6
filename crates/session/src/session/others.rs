//! Other engines in the game: their turns, their faults, and second opinions.
//!
//! A fault loses no game. The turn waits with its time put back to the beginning: a person asks the engine again, lets
//! Tengen go on in its place, or makes the move.

use super::Session;
use super::check::Denied;
use crate::command::{NewGame, Player};
use crate::job::{OtherMove, Task};
use crate::json::foul_name;
use crate::position::Illegal;
use crate::view::{EngineFault, Event, FaultKind, RefusalKind};
use tengen::board::{Point, Side, format_point};
use tengen::opening::Step;
use web_time::{Duration, Instant};

impl Session {
    /// Declares the other engines that clients may choose.
    pub fn declare(&mut self, names: Vec<String>) {
        self.engines = names;
    }

    /// Names of the other engines.
    pub fn engines(&self) -> &[String] {
        &self.engines
    }

    /// The index of the other engine that plays a side now. In an opening Tengen answers for it: the protocol has
    /// questions for one opening rule only, which few engines know.
    pub(super) fn other_engine(&self, side: Side) -> Option<usize> {
        let Player::Other { name } = self.seat(side) else { return None };
        self.engines.iter().position(|known| known == name).filter(|_| self.game.step().opening.is_over())
    }

    /// Starts the search of another engine for a move.
    pub(super) fn ask_other(&mut self, engine: usize, side: Side, now: Instant) {
        let task = Task::OtherMove(OtherMove {
            game: self.number,
            engine,
            setup: self.game.position().setup(),
            rule: self.game.rule(),
            clock: self.agreement.game().clock,
            left: self.time_left(side, now).map(|(left, _)| left),
        });
        let job = self.start(task);
        self.engine.begin_other_search(job, side, now);
        self.run_timer(self.clock.spent(now), now);
        self.show();
    }

    /// The search of another engine for a move has ended.
    pub(super) fn answered(&mut self, answer: Option<Result<(Point, Duration), EngineFault>>, now: Instant) {
        let side = self.engine.search().map_or(self.game.actor(), |search| search.side);
        self.engine.end_search();
        self.return_to_turn();
        let engine = match self.seat(side) {
            Player::Other { name } => name.clone(),
            Player::Person { .. } | Player::Engine { .. } => String::new(),
        };
        match answer {
            Some(Ok((point, used))) => self.take_other(point, used, engine, now),
            Some(Err(fault)) => self.fail_other(fault, now),
            None => self.wait_for_person(now),
        }
    }

    fn take_other(&mut self, point: Point, used: Duration, engine: String, now: Instant) {
        let took = self.clock.is_running().then_some(used);
        if let Err(illegal) = self.game.take(Step::Stone(point), took) {
            let at = format_point(self.size(), point);
            let (kind, detail) = match illegal {
                Illegal::Forbidden(foul) => {
                    (FaultKind::Forbidden, format!("moved to {at}, which is forbidden: {}", foul_name(foul)))
                }
                _ => (FaultKind::Illegal, format!("moved to {at}, which is not empty")),
            };
            return self.fail_other(EngineFault { engine, kind, detail, lines: Vec::new() }, now);
        }
        self.moved_on(now);
        if self.agreement.both_engines() {
            self.autoplay.wait_a_little(now);
        }
    }

    /// Another engine has failed: its process ends, and the turn waits for a person.
    fn fail_other(&mut self, fault: EngineFault, now: Instant) {
        self.outbox.start(Task::Release);
        self.engine.set_fault(fault);
        self.wait_for_person(now);
    }

    /// The game is over: the processes of its other engines end.
    pub(super) fn release_engines(&mut self) {
        let NewGame { black, white, .. } = self.agreement.game();
        if [black, white].into_iter().any(|player| matches!(player, Player::Other { .. })) {
            self.outbox.start(Task::Release);
        }
    }

    /// The turn begins again when a person says so.
    fn wait_for_person(&mut self, now: Instant) {
        self.autoplay.give_up();
        self.run_timer(Duration::ZERO, now);
        self.clock.hold(now);
        self.show();
    }

    /// Whether Tengen can take over the seat of another engine that is to move.
    pub(super) fn may_substitute(&self) -> bool {
        let is_other = matches!(self.seat(self.game.actor()), Player::Other { .. });
        is_other && !self.game.is_over() && !self.is_elsewhere()
    }

    pub(super) fn substitute(&mut self, now: Instant) -> Result<(), Denied> {
        if !self.may_substitute() {
            return Err(Denied::new(RefusalKind::NotNow, "no other engine is to move"));
        }
        self.check_tip()?;
        self.stop_thinking(now);
        let (side, swapped) = (self.game.actor(), self.game.step().opening.swapped());
        self.agreement.replace(side, swapped, Player::Engine { level: None });
        self.engine.forget_fault();
        self.autoplay.follow();
        self.autoplay.resume();
        self.change();
        Ok(())
    }

    /// Replaces engines of a saved game that are not declared any more by Tengen. Returns their names.
    pub(super) fn replace_unknown(&self, game: &mut NewGame) -> Vec<String> {
        let mut unknown = Vec::new();
        for player in [&mut game.black, &mut game.white] {
            if let Player::Other { name } = player
                && !self.engines.contains(name)
            {
                unknown.push(std::mem::take(name));
                *player = Player::Engine { level: None };
            }
        }
        unknown
    }

    /// Chooses the engine of second opinions; an empty name ends them.
    pub(super) fn set_second(&mut self, name: &str) -> Result<(), Denied> {
        let engine = match name {
            "" => None,
            name => Some(self.engine_named(name)?),
        };
        self.stop_opinion();
        self.second.choose(engine);
        Ok(())
    }

    /// The index of a declared engine.
    pub(super) fn engine_named(&self, name: &str) -> Result<usize, Denied> {
        let known = self.engines.iter().position(|known| known == name);
        known.ok_or_else(|| Denied::malformed(format!("no engine {name:?} was declared when the program started")))
    }

    /// The name of the engine of second opinions.
    pub(super) fn second_name(&self) -> Option<&String> {
        self.engines.get(self.second.engine()?)
    }

    /// Ends the running opinion; its later messages are dropped.
    pub(super) fn stop_opinion(&mut self) {
        self.outbox.cancel(self.second.job.stop());
    }

    /// Starts or stops the second opinion as the state of the game requires.
    pub(super) fn settle_opinion(&mut self) {
        let (at, is_wanted) = (self.game.at(), self.may_analyse());
        if self.second.job.is_outdated(at, is_wanted) {
            self.stop_opinion();
        }
        let is_due = is_wanted && self.second.job.is_due(at);
        let Some(engine) = self.second.engine().filter(|_| is_due) else { return };
        let setup = self.analysed_setup();
        let job = self.start(Task::Opinion { node: at.0, setup, rule: self.game.rule(), engine });
        self.second.job.begin(job, at);
    }

    /// Takes a message of the running opinion.
    pub(super) fn opined(&mut self, last: bool, event: Event) {
        if last {
            self.second.job.finish();
        }
        self.outbox.send(event);
    }
}
