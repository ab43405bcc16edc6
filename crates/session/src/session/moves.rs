//! Moves and answers of persons, and navigation in the tree.

use super::check::{self, Denied};
use super::tip::Tip;
use super::{Effect, Session};
use crate::game::Step;
use crate::view::RefusalKind;
use tengen::board::Side;
use tengen::opening::{Due, Step as OpeningStep};
use tengen::rules::Outcome;
use tengen_record::{NodeId, Value};
use web_time::{Duration, Instant};

/// Longest comment on a node, in bytes.
const LONGEST_COMMENT: usize = 64 << 10;

impl Session {
    /// Whether a person may act at the current node, for either seat. At an engine's seat, only while the engine waits.
    pub(super) fn check_turn(&self) -> Result<(), Denied> {
        if self.game.is_over() {
            return Err(Denied::over());
        }
        if self.engine.is_searching() || self.is_engine_due() {
            return Err(Denied::new(RefusalKind::NotYourTurn, "it is the engine's turn"));
        }
        self.check_tip()
    }

    /// Whether the running game continues only at its last move, because moves may not be taken back.
    pub(super) fn is_bound_to_tip(&self) -> bool {
        !self.agreement.assist().undo && !self.tip.is_over()
    }

    pub(super) fn check_tip(&self) -> Result<(), Denied> {
        if !self.is_bound_to_tip() || self.tip.node() == self.game.at() {
            return Ok(());
        }
        Err(Denied::not_now("moves are not taken back in this game: it goes on at its last move"))
    }

    pub(super) fn place(&mut self, label: &str, now: Instant) -> Result<(), Denied> {
        let point = check::point(self.size(), label)?;
        self.check_turn()?;
        let before = (self.game.at(), self.game.position().setup());
        let opening = &self.game.step().opening;
        let is_move = opening.is_over();
        let is_offer = matches!(opening.due(), Due::Offer { .. });
        let step = if is_offer { OpeningStep::Offer(point) } else { OpeningStep::Stone(point) };
        let took = self.clock.took(now);
        self.game.take(step, took).map_err(|illegal| Denied::illegal(illegal, label))?;
        self.drop_blunder_check();
        self.moved_on(now);
        if is_move {
            self.warn_of(before, point, now);
        }
        Ok(())
    }

    pub(super) fn answer(&mut self, answer: OpeningStep, now: Instant) -> Result<(), Denied> {
        self.check_turn()?;
        let took = self.clock.took(now);
        self.game.take(answer, took).map_err(|illegal| Denied::illegal(illegal, "the point"))?;
        self.drop_blunder_check();
        self.moved_on(now);
        Ok(())
    }

    /// A move has led to the current node: the next turn begins.
    pub(super) fn moved_on(&mut self, now: Instant) {
        self.tip = Tip::shown(&self.game);
        self.clock.reset();
        self.engine.forget_fault();
        if self.tip.is_over() {
            self.release_engines();
        } else {
            self.run_timer(Duration::ZERO, now);
        }
        self.autoplay.moved();
        self.drop_hint();
        self.note_end();
        self.change();
    }

    /// Records that the game has been won at the current node.
    pub(super) fn note_end(&mut self) {
        let Some(winner) = self.game.position().ended().and_then(Outcome::winner) else { return };
        let win_rate = if winner == Side::Black { 1.0 } else { 0.0 };
        let value = Value { win_rate, mate: Some((winner, 0)), ..Value::default() };
        let at = self.game.at();
        self.game.keep_value(at, value);
    }

    /// The node before the last move of a person. In a game without persons or without an engine: before the last move.
    pub(super) fn undo_to(&self) -> Option<NodeId> {
        let steps = self.game.steps();
        let mixed = self.agreement.has_engine() && !self.agreement.both_engines();
        let is_wanted = |pair: &&[Step]| {
            !mixed
                || pair[1].actor.is_some_and(|side| !self.agreement.player(side, pair[0].opening.swapped()).is_engine())
        };
        steps.windows(2).rev().find(is_wanted).map(|pair| pair[0].node)
    }

    pub(super) fn undo(&mut self, now: Instant) -> Result<(), Denied> {
        if !self.agreement.assist().undo {
            return Err(Denied::not_now("moves are not taken back in this game"));
        }
        if let Some(node) = self.undo_to() {
            self.visit(node, now);
            return Ok(());
        }
        // A game that ended before the first move continues where it is.
        let at = self.game.at();
        if self.game.ending_at(at).is_none() {
            return Err(Denied::not_now("there is no move to take back"));
        }
        self.game.reopen(at);
        self.tip.reopen(at);
        self.leave(now);
        self.change();
        Ok(())
    }

    /// Goes forward along the line that was left. Against the engine it skips the engine's moves, as `undo` does.
    pub(super) fn redo(&mut self, now: Instant) -> Result<(), Denied> {
        if self.game.next().is_none() {
            return Err(Denied::not_now("nothing follows here"));
        }
        self.leave(now);
        let past_engine = self.agreement.has_engine() && !self.agreement.both_engines();
        while let Some(next) = self.game.next() {
            self.game.goto(next);
            if !past_engine || self.game.is_over() || !self.engine_acts() {
                break;
            }
        }
        self.cancel_outdated();
        self.change();
        Ok(())
    }

    pub(super) fn goto(&mut self, node: u32, now: Instant) -> Result<(), Denied> {
        self.browse(self.known(node)?, now);
        Ok(())
    }

    /// Shows a node that may be the shown one.
    pub(super) fn browse(&mut self, node: NodeId, now: Instant) {
        if node != self.game.at() {
            self.visit(node, now);
        }
    }

    /// Shows another node for browsing.
    fn visit(&mut self, node: NodeId, now: Instant) {
        self.leave(now);
        self.game.goto(node);
        self.cancel_outdated();
        self.change();
    }

    /// Browsing pauses automatic play. Where moves may not be taken back, the game continues at its last move instead:
    /// otherwise browsing would stop the clock.
    pub(super) fn leave(&mut self, now: Instant) {
        if self.is_bound_to_tip() && !self.agreement.both_engines() {
            if self.is_engine_due() {
                self.think(now);
            }
            if self.clock.is_running() {
                return;
            }
        }
        self.stop_thinking(now);
        self.clock.reset();
        self.engine.forget_fault();
        self.autoplay.leave(self.agreement.both_engines());
    }

    /// The id of a node that exists.
    pub(super) fn known(&self, node: u32) -> Result<NodeId, Denied> {
        let id = NodeId(node);
        self.game.tree().get(id).map(|_| id).ok_or_else(|| Denied::no_node(node))
    }

    pub(super) fn delete(&mut self, node: u32, now: Instant) -> Result<(), Denied> {
        let id = self.known(node)?;
        let Some(before) = self.game.tree().get(id).and_then(|node| node.parent) else {
            return Err(Denied::not_now("the start of the game cannot be deleted"));
        };
        let takes_tip = self.game.tree().path(self.tip.node()).contains(&id);
        if takes_tip && self.is_bound_to_tip() {
            return Err(Denied::not_now("moves are not taken back in this game"));
        }
        let takes_current = self.game.steps().iter().any(|step| step.node == id);
        if takes_current {
            self.leave(now);
        }
        self.game.delete(id);
        if takes_tip {
            self.tip = Tip::at(&self.game, before);
        }
        if takes_current {
            self.cancel_outdated();
        }
        self.change();
        Ok(())
    }

    pub(super) fn add_line(&mut self, node: u32, moves: &[String]) -> Result<(), Denied> {
        let id = self.known(node)?;
        let points = moves.iter().map(|label| check::point(self.size(), label)).collect::<Result<Vec<_>, _>>()?;
        self.game.add_line(id, &points).map_err(|(index, illegal)| Denied::illegal(illegal, &moves[index]))?;
        self.show();
        self.outbox.push(Effect::Save);
        Ok(())
    }

    pub(super) fn promote(&mut self, node: u32) -> Result<(), Denied> {
        let id = self.known(node)?;
        self.game.promote(id);
        self.show();
        self.outbox.push(Effect::Save);
        Ok(())
    }

    pub(super) fn comment(&mut self, node: u32, text: &str) -> Result<(), Denied> {
        let id = self.known(node)?;
        if text.len() > LONGEST_COMMENT {
            return Err(Denied::malformed("a comment may have 64 KiB"));
        }
        let text = text.replace("\r\n", "\n");
        let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        self.game.comment(id, text.chars().filter(shown).collect());
        self.show();
        self.outbox.push(Effect::Save);
        Ok(())
    }
}
