//! The life cycle of a game: start, seats, pause, and ends by agreement.

use super::agreement::Agreement;
use super::autoplay::Autoplay;
use super::check::{self, Denied};
use super::reviews::Reviews;
use super::tip::Tip;
use super::turn_clock::Turn;
use super::{Effect, Session};
use crate::command::{Clock, NewGame, Player};
use crate::game::{Ending, Game};
use crate::view::{Names, RefusalKind};
use tengen::board::{Setup, Side};
use tengen::rules::Outcome;
use tengen_record::{Record, Value};
use web_time::{Duration, Instant};

/// The engine accepts a draw if its win probability is at most this.
const DRAW_AT_MOST: f64 = 0.55;
/// The engine's last score is too old after this many moves.
const SCORE_IS_NEW: usize = 4;

impl Session {
    pub(super) fn new_game(&mut self, game: NewGame, now: Instant) -> Result<(), Denied> {
        let (mut game, setup) = check::new_game(game)?;
        for player in [&game.black, &game.white] {
            if let Player::Other { name } = player {
                self.engine_named(name)?;
            }
        }
        if game.by_lot && self.random.below(2) == 1 {
            std::mem::swap(&mut game.black, &mut game.white);
        }
        self.begin(game, setup, now);
        Ok(())
    }

    pub(super) fn restart(&mut self, now: Instant) {
        self.begin(self.agreement.game().clone(), self.game.record().start.clone(), now);
    }

    fn begin(&mut self, agreed: NewGame, start: Setup, now: Instant) {
        let record = Record::new(Some(agreed.rule), start);
        self.take_game(agreed, record, false);
        self.autoplay.follow();
        if !self.tip.is_over() {
            self.run_timer(Duration::ZERO, now);
        }
    }

    /// Another game replaces the current one, which is saved if it has moves.
    pub(super) fn take_game(&mut self, agreed: NewGame, record: Record, loaded: bool) {
        if let Some(saved) = self.save() {
            self.outbox.push(Effect::Keep(Box::new(saved)));
        }
        self.drop_jobs();
        self.release_engines();
        self.engine.forget_fault();
        self.number += 1;
        self.game = Game::new(record, agreed.rule, agreed.opening, agreed.clock);
        self.agreement = Agreement::new(agreed, loaded);
        self.tip = Tip::shown(&self.game);
        self.clock.reset();
        self.autoplay = Autoplay::default();
        self.reviews = Reviews::default();
        self.shelf.begin();
        // In a game against the engine, analysis has to be requested again.
        if !self.may_help() || self.agreement.has_engine() && !self.agreement.both_engines() {
            self.watch.switch_off();
        }
        self.change();
    }

    /// The player of a colour at the current node.
    pub(super) fn seat(&self, side: Side) -> &Player {
        self.agreement.player(side, self.game.step().opening.swapped())
    }

    pub(super) fn engine_acts(&self) -> bool {
        self.seat(self.game.actor()).is_engine()
    }

    /// Names to show and to save.
    pub(super) fn names(&self) -> Names {
        if self.agreement.is_loaded() {
            let names = &self.game.record().names;
            return Names { black: names[Side::Black].clone(), white: names[Side::White].clone() };
        }
        let name = |side| match self.seat(side) {
            Player::Person { name } => name.clone(),
            Player::Engine { level: Some(level) } => format!("Tengen, level {level}"),
            Player::Engine { level: None } => "Tengen".to_owned(),
            Player::Other { name } => name.clone(),
        };
        Names { black: name(Side::Black), white: name(Side::White) }
    }

    /// Updates names and result in the record. What the file said about its game is not changed.
    pub(super) fn describe(&mut self) {
        if self.agreement.is_loaded() {
            return;
        }
        let Names { black, white } = self.names();
        self.game.set_names([black, white]);
        if self.tip.node() == self.game.at() {
            self.game.set_result(self.result());
        }
    }

    /// The result at the current node in SGF notation.
    fn result(&self) -> Option<String> {
        let won = |side: Side, how: &str| Some(format!("{}+{how}", if side == Side::Black { 'B' } else { 'W' }));
        match (self.game.position().ended(), self.game.ending_at(self.game.at())) {
            (Some(Outcome::Draw), _) | (None, Some(Ending::Agreed)) => Some("0".to_owned()),
            (Some(Outcome::Win { side, .. }), _) => won(*side, ""),
            (Some(Outcome::Foul { side, .. }), _) => won(!*side, "F"),
            (None, Some(Ending::Resigned(side))) => won(!side, "R"),
            (None, Some(Ending::Time(side))) => won(!side, "T"),
            (None, None) => None,
        }
    }

    pub(super) fn pause(&mut self, on: bool, now: Instant) -> Result<(), Denied> {
        if !self.agreement.both_engines() || self.game.is_over() {
            return Err(Denied::not_now("only a running game of two engines can be held"));
        }
        self.autoplay.pause(on);
        if on {
            self.stop_thinking(now);
        }
        self.show();
        self.outbox.push(Effect::Save);
        Ok(())
    }

    pub(super) fn swap_sides(&mut self, now: Instant) -> Result<(), Denied> {
        if self.game.is_over() {
            return Err(Denied::over());
        }
        if !self.game.step().opening.is_over() {
            return Err(Denied::not_now("the opening decides who has which colour"));
        }
        self.check_tip()?;
        self.stop_thinking(now);
        self.engine.forget_fault();
        self.agreement.exchange();
        if self.agreement.is_loaded() {
            self.game.exchange_names();
        }
        self.autoplay.follow();
        self.change();
        Ok(())
    }

    /// The side that would resign: the person to move, or the only person, even while the engine searches.
    pub(super) fn may_resign(&self) -> Option<Side> {
        let actor = self.game.actor();
        [actor, !actor].into_iter().find(|side| !self.seat(*side).is_engine()).filter(|_| !self.game.is_over())
    }

    pub(super) fn resign(&mut self, now: Instant) -> Result<(), Denied> {
        if self.game.is_over() {
            return Err(Denied::over());
        }
        let side = self.may_resign().ok_or_else(|| Denied::not_now("engines do not resign"))?;
        self.check_tip()?;
        self.finish(Ending::Resigned(side), now);
        Ok(())
    }

    /// Whether a draw can be offered or agreed.
    pub(super) fn may_offer_draw(&self) -> bool {
        let is_other = |side| matches!(self.seat(side), Player::Other { .. });
        let may_agree = self.game.step().opening.is_over() && ![Side::Black, Side::White].into_iter().any(is_other);
        !self.game.is_over() && !self.engine.is_searching() && may_agree && !self.engine_acts()
    }

    pub(super) fn draw(&mut self, now: Instant) -> Result<(), Denied> {
        if self.game.is_over() {
            return Err(Denied::over());
        }
        if !self.may_offer_draw() {
            return Err(Denied::new(RefusalKind::NotYourTurn, "a draw is offered by the person to move"));
        }
        self.check_tip()?;
        if !self.agreement.has_engine() || self.takes_draw() {
            self.finish(Ending::Agreed, now);
        } else {
            self.say("info", "draw_declined", "Tengen declines the draw.");
        }
        Ok(())
    }

    /// Whether the engine, the opponent of the person to move, accepts a draw by its last known score.
    fn takes_draw(&self) -> bool {
        let recent = self.game.steps().iter().rev().take(SCORE_IS_NEW);
        let value = |value: &Value| match (!self.game.actor(), value.mate) {
            (side, Some((winner, _))) => winner != side,
            (Side::Black, None) => value.win_rate <= DRAW_AT_MOST,
            (Side::White, None) => 1.0 - value.win_rate <= DRAW_AT_MOST,
        };
        recent.filter_map(|step| self.game.tree().get(step.node)?.value.as_ref()).next().is_some_and(value)
    }

    /// Ends the game at the current node.
    pub(super) fn finish(&mut self, ending: Ending, now: Instant) {
        self.stop_thinking(now);
        self.release_engines();
        self.engine.forget_fault();
        self.game.end(ending);
        self.tip = Tip::shown(&self.game);
        self.clock.reset();
        self.autoplay.end();
        self.cancel_outdated();
        self.change();
    }

    /// When the time of the player who acts runs out. An engine gets a little more: its last output may have to wait
    /// for a processor.
    pub(super) fn flag(&self) -> Option<Instant> {
        const GRACE: Duration = Duration::from_millis(500);
        // The worker of another engine watches its time: an overrun is a fault, which loses no game.
        let flag = self.clock.flag().filter(|_| !self.engine.is_other_searching())?;
        Some(if self.engine.is_searching() { flag + GRACE } else { flag })
    }

    pub(super) fn flag_falls(&mut self, now: Instant) {
        self.return_to_turn();
        self.finish(Ending::Time(self.game.actor()), now);
    }

    /// A side's time left, and its increment.
    pub(super) fn time_left(&self, side: Side, now: Instant) -> Option<(Duration, Duration)> {
        self.clock.time_left(side, self.turn_here(), now)
    }

    /// Starts the timer for the turn at the current node; `spent` of the turn has been used already.
    pub(super) fn run_timer(&mut self, spent: Duration, now: Instant) {
        self.clock.start(self.turn_here(), spent, now);
    }

    fn turn_here(&self) -> Turn {
        Turn { node: self.game.at(), side: self.game.actor(), bank: self.game.step().bank }
    }

    /// Whether the shown node differs from the one whose turn is running.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.clock.running().is_some_and(|turn| turn.node != self.game.at())
    }

    /// Shows the node whose turn is running.
    pub(super) fn return_to_turn(&mut self) {
        if let Some(turn) = self.clock.running().filter(|turn| turn.node != self.game.at()) {
            self.game.goto(turn.node);
            self.cancel_outdated();
        }
    }

    /// Whether the clock gives time for each move separately.
    pub(super) fn is_timed_by_move(&self) -> bool {
        matches!(self.agreement.game().clock, Clock::Move { .. })
    }

    pub(super) fn bye(&mut self, now: Instant) {
        self.return_to_turn();
        self.clock.hold(now);
        self.drop_jobs();
        self.closing = true;
        self.outbox.push(Effect::Save);
        self.outbox.push(Effect::Quit);
    }
}
