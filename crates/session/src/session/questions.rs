//! Requests of persons to the engine (hints, proofs, judgements, balance, reviews), and the answers.

use super::check::{self, Denied};
use super::requests::{Asked, Purpose};
use super::{Effect, Session, values};
use crate::command::Prove;
use crate::job::Task;
use crate::position::{Illegal, Position};
use crate::view::{Event, RefusalKind, ReviewState};
use std::ops::RangeInclusive;
use tengen::board::Side;
use tengen::engine::{Answer, Limits, Line, Options};
use tengen_analysis::review::{Played, Settings as ReviewSettings};
use tengen_record::NodeId;
use web_time::{Duration, Instant};

/// Time for a hint.
const HINT: Duration = Duration::from_secs(2);
/// Allowed nodes a position in a review.
const REVIEW_NODES: RangeInclusive<u64> = 1_000..=100_000_000;

impl Session {
    /// Whether the engine may report evaluations: the players may have agreed to play the running game without help.
    pub(super) fn may_help(&self) -> bool {
        self.agreement.assist().hints || self.tip.is_over()
    }

    /// Whether values of positions are shown. In a game of a person against the engine only live analysis shows them,
    /// and a person has to switch it on. While a game without help runs, no values are shown.
    pub fn shows_values(&self) -> bool {
        let watches = !self.agreement.has_engine() || self.agreement.both_engines() || self.watch.is_on();
        self.tip.is_over() || watches && self.may_help()
    }

    pub(super) fn check_help(&self) -> Result<(), Denied> {
        if self.may_help() { Ok(()) } else { Err(Denied::not_now("no help was agreed for this game")) }
    }

    /// Whether the player's engine can take a request now.
    pub(super) fn check_question(&self) -> Result<(), Denied> {
        self.check_help()?;
        if self.engine.is_searching() || self.is_engine_due() {
            return Err(Denied::not_now("the engine is thinking of its move"));
        }
        if self.requests.is_full() {
            return Err(Denied::not_now("too many questions wait for an answer"));
        }
        Ok(())
    }

    fn ask(&mut self, purpose: Purpose, side: Side, task: Task) -> u64 {
        self.stop_analysis();
        let job = self.start(task);
        self.requests.add(job, purpose, side, self.now);
        self.show();
        job
    }

    pub(super) fn hint(&mut self, now: Instant) -> Result<u64, Denied> {
        if self.game.is_over() {
            return Err(Denied::over());
        }
        self.check_question()?;
        self.cancel_all(Purpose::Hint);
        let limits = Limits { turn: Some(HINT), ..unlimited(now) };
        let setup = self.game.position().setup();
        let side = setup.to_move;
        let task = Task::Hint { node: self.game.at().0, setup, rule: self.game.rule(), limits };
        Ok(self.ask(Purpose::Hint, side, task))
    }

    /// The board at a node where the game is not over.
    fn position_in_question(&self, node: u32) -> Result<Position, Denied> {
        let position = self.game.position_at(NodeId(node)).ok_or_else(|| Denied::no_node(node))?;
        if position.ended().is_some() { Err(Denied::over()) } else { Ok(position) }
    }

    pub(super) fn prove(&mut self, question: &Prove) -> Result<u64, Denied> {
        let mut position = self.position_in_question(question.node)?;
        self.check_question()?;
        let setup = position.setup();
        let mut after = Vec::new();
        for label in question.after.iter().take(self.size().cells()) {
            let point = check::point(self.size(), label)?;
            position.play(point).map_err(|illegal| Denied::illegal(illegal, label))?;
            after.push(point);
        }
        // If the attacker's row is complete, the worker reports it. Otherwise the other side has won.
        let attacker = question.attacker.unwrap_or(position.to_move());
        let node = question.node;
        let task = Task::Prove { node, setup, after, rule: self.game.rule(), attacker, means: question.means };
        Ok(self.ask(Purpose::Proof, attacker, task))
    }

    pub(super) fn try_move(&mut self, node: u32, label: &str) -> Result<u64, Denied> {
        let position = self.position_in_question(node)?;
        let point = check::point(self.size(), label)?;
        match position.check(point) {
            Err(illegal @ (Illegal::Occupied | Illegal::Forbidden(_))) => return Err(Denied::illegal(illegal, label)),
            Err(Illegal::Over | Illegal::NoStone | Illegal::Opening(_)) => return Err(Denied::over()),
            Ok(()) => {}
        }
        self.check_question()?;
        let standard = self.reviews.standard(node).map(Box::new);
        let task = Task::Try { node, setup: position.setup(), rule: self.game.rule(), point, standard };
        Ok(self.ask(Purpose::Try, position.to_move(), task))
    }

    pub(super) fn balance(&mut self, moves: u8) -> Result<u64, Denied> {
        if !(1..=2).contains(&moves) {
            return Err(Denied::malformed("one or two moves can balance a position"));
        }
        if self.game.is_over() {
            return Err(Denied::over());
        }
        self.check_question()?;
        let setup = self.game.position().setup();
        if setup.empty_cells() <= usize::from(moves) {
            return Err(Denied::not_now("there is no room for these moves"));
        }
        let side = setup.to_move;
        let task = Task::Balance { node: self.game.at().0, setup, rule: self.game.rule(), moves };
        Ok(self.ask(Purpose::Balance, side, task))
    }

    /// Reviews the shown line. Stones put by hand have no player: the reviewed line begins after the last of them.
    pub(super) fn start_review(&mut self, nodes: Option<u64>, now: Instant) -> Result<u64, Denied> {
        self.check_help()?;
        let budget = nodes.unwrap_or(ReviewSettings::NODES);
        if !REVIEW_NODES.contains(&budget) {
            return Err(Denied::malformed("a review spends 1,000 to 100,000,000 nodes on a position"));
        }
        let (line, played) = self.line_to_review();
        if line.len() < 2 {
            return Err(Denied::not_now("there are no moves to be reviewed"));
        }
        self.outbox.cancel(self.reviews.end());
        let limits = Limits { nodes: Some(budget), ..unlimited(now) };
        let job = self.start(Task::Review { game: self.number, nodes: line.clone(), played, limits });
        self.reviews.begin(job, budget, line);
        self.show();
        Ok(job)
    }

    fn line_to_review(&self) -> (Vec<u32>, Played) {
        let start = &self.game.record().start;
        let path = self.game.steps().iter().map(|step| step.node).chain(self.game.continuation());
        let mut position = Position::new(self.game.rule(), start);
        let mut nodes = vec![0];
        let mut first = position.stones().len();
        for id in path.skip(1) {
            let Some(node) = self.game.tree().get(id) else { break };
            let before = position.stones().len();
            position.apply_known(node, None);
            if !node.edits.is_empty() {
                (nodes, first) = (vec![id.0], position.stones().len());
            } else if position.stones().len() > before {
                nodes.push(id.0);
            }
        }
        (nodes, Played { rule: self.game.rule(), setup: position.setup(), first })
    }

    pub(super) fn cancel(&mut self, job: u64, now: Instant) -> Result<(), Denied> {
        if self.engine.is_search(job) {
            self.stop(now);
        } else if self.requests.open().any(|asked| asked.job == job) {
            self.cancel_if(|asked| asked.job == job);
        } else if self.watch.job.is_running(job) {
            self.watch.turn_off();
            self.show();
        } else if self.reviews.job() == Some(job) {
            self.outbox.cancel([job]);
        } else {
            return Err(Denied::new(RefusalKind::Unknown, format!("there is no job {job}")));
        }
        Ok(())
    }

    /// Cancels all requests of one kind.
    pub(super) fn cancel_all(&mut self, purpose: Purpose) {
        self.cancel_if(|asked| asked.purpose == purpose);
    }

    fn cancel_if(&mut self, is_wanted: impl Fn(&Asked) -> bool) {
        let jobs = self.requests.cancel(is_wanted);
        if !jobs.is_empty() {
            self.outbox.cancel(jobs);
            self.show();
        }
    }

    /// Another node is shown, and not because of a move.
    pub(super) fn cancel_outdated(&mut self) {
        self.drop_hint();
        self.drop_blunder_check();
    }

    /// Another node is shown: a hint for the old one is useless.
    pub(super) fn drop_hint(&mut self) {
        self.cancel_all(Purpose::Hint);
        self.watch.avoid_nothing();
    }

    pub(super) fn drop_blunder_check(&mut self) {
        if let Some(job) = self.engine.end_check() {
            self.outbox.cancel([job]);
            self.show();
        }
    }

    /// Cancels all requests: the engine has to move, or a person has stopped it.
    pub(super) fn drop_questions(&mut self) {
        self.cancel_if(|_| true);
    }

    /// Another game begins: cancels all work for the old one.
    pub(super) fn drop_jobs(&mut self) {
        self.outbox.cancel(self.engine.end_search());
        self.cancel_outdated();
        self.drop_questions();
        // Their answers concern nodes of the old game.
        self.requests.clear();
        self.stop_analysis();
        self.stop_opinion();
        self.watch.job.forget();
        self.second.job.forget();
        self.outbox.cancel(self.reviews.end());
    }

    /// Takes a message of a worker.
    pub(super) fn told(&mut self, job: u64, last: bool, event: Event) {
        if let Some(blunder_check) = self.engine.check(job) {
            self.judged(blunder_check, event, last);
        } else if self.watch.job.is_running(job) {
            self.analysed(last, event);
        } else if self.second.job.is_running(job) {
            self.opined(last, event);
        } else if self.requests.has(job) {
            values::keep_event(&mut self.game, &event);
            self.outbox.send(event);
            if last {
                self.requests.finish(job);
                self.show();
            }
        } else if self.reviews.job() == Some(job) {
            values::keep_event(&mut self.game, &event);
            if let Event::Review(done) = &event
                && done.state == ReviewState::Done
            {
                self.reviews.finish(&done.moves);
            }
            self.outbox.send(event);
            if last {
                self.outbox.push(Effect::Save);
                self.show();
            }
        }
    }

    /// Whether the answer of a job is still wanted.
    pub fn expects(&self, job: u64) -> bool {
        self.engine.is_search(job)
            || self.engine.check(job).is_some()
            || self.watch.job.is_running(job)
            || self.second.job.is_running(job)
            || self.requests.has(job)
            || self.reviews.job() == Some(job)
    }

    /// A job has ended without an answer.
    pub(super) fn failed(&mut self, job: u64, now: Instant) {
        if self.engine.is_search(job) {
            self.moved(&Answer::Full, &Line::default(), false, now);
        } else if self.engine.check(job).is_some() {
            self.engine.end_check();
        } else if self.watch.job.is_running(job) {
            // It would fail at this node again.
            self.watch.job.finish();
        } else if self.second.job.is_running(job) {
            self.second.job.finish();
        } else if self.reviews.job() == Some(job) {
            self.reviews.end();
        } else if !self.requests.finish(job) {
            return;
        }
        self.say("error", "failed", "The engine failed and gave no answer.");
        self.show();
    }

    pub(super) fn configure(&mut self, threads: Option<usize>, hash_mb: Option<u64>) -> Result<(), Denied> {
        let most = self.settings.processors.clamp(1, Options::MAX_THREADS);
        if threads.is_some_and(|threads| !(1..=most).contains(&threads)) {
            return Err(Denied::malformed(format!("there are 1 to {most} threads")));
        }
        let largest = self.largest_hash_mb;
        if hash_mb.is_some_and(|mb| !(1..=largest).contains(&mb)) {
            return Err(Denied::malformed(format!("the table has 1 to {largest} MiB on this computer")));
        }
        let mut settings = self.settings;
        settings.threads = threads.unwrap_or(settings.threads);
        settings.hash_mb = hash_mb.unwrap_or(settings.hash_mb);
        if settings != self.settings {
            self.settings = settings;
            self.stop_analysis();
            self.outbox.push(Effect::Configure(settings));
            self.show();
        }
        Ok(())
    }
}

/// Limits without bounds, with a start time.
fn unlimited(now: Instant) -> Limits {
    Limits { started: Some(now), ..Limits::infinite() }
}
