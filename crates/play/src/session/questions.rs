//! Requests of persons to the engine (hints, proofs, judgements, balance, reviews), and the answers.

use super::check::{self, Denied};
use super::{Effect, Session, values};
use crate::command::Prove;
use crate::job::{Standard, Task};
use crate::machine::largest_hash_mb;
use crate::position::{Illegal, Position};
use crate::view::{Event, JobKind, MoveReview, RefusalKind, ReviewState};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};
use tengen::board::Side;
use tengen::engine::{Answer, Limits, Line, Options};
use tengen_analysis::review::{Played, Settings as ReviewSettings};
use tengen_record::NodeId;

/// Time for a hint.
const HINT: Duration = Duration::from_secs(2);
/// Maximum number of requests that wait for an answer.
const MOST_QUESTIONS: usize = 8;
/// Allowed nodes a position in a review.
const REVIEW_NODES: RangeInclusive<u64> = 1_000..=100_000_000;

/// Kinds of requests that share the player's engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Hint,
    Proof,
    Try,
    Balance,
}

impl Purpose {
    pub const fn kind(self) -> JobKind {
        match self {
            Purpose::Hint => JobKind::Hint,
            Purpose::Proof => JobKind::Proof,
            Purpose::Try => JobKind::Try,
            Purpose::Balance => JobKind::Balance,
        }
    }
}

/// A request whose last message has not arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub job: u64,
    pub purpose: Purpose,
    pub side: Side,
    /// When it was requested, if a time is known.
    pub since: Option<Instant>,
    /// Whether it has been cancelled.
    pub cancelled: bool,
}

/// A review that is requested or finished.
#[derive(Clone, Debug)]
pub(super) struct Reviewed {
    /// Nodes of the search of each position.
    nodes: u64,
    /// Nodes of the line; the first one is its start.
    line: Vec<u32>,
    /// The judgements; empty until the review is finished.
    moves: Vec<MoveReview>,
}

impl Reviewed {
    /// The review's judgement of the position at a node.
    fn standard(&self, node: u32) -> Option<Standard> {
        let is_next = |judged: &&MoveReview| self.line.get(judged.number - 1) == Some(&node);
        let played = self.moves.iter().find(is_next)?.judged.clone();
        Some(Standard { nodes: self.nodes, played })
    }
}

impl Session {
    /// Whether the engine may report evaluations: the players may have agreed to play the running game without help.
    pub(super) fn may_help(&self) -> bool {
        self.agreed.assist.hints || self.tip_over
    }

    /// Whether values of positions are shown. In a game of a person against the engine only live analysis shows them,
    /// and a person has to switch it on. While a game without help runs, no values are shown.
    pub fn shows_values(&self) -> bool {
        let watches = !self.has_engine() || self.both_engines() || self.watch.on;
        self.tip_over || watches && self.may_help()
    }

    pub(super) fn check_help(&self) -> Result<(), Denied> {
        if self.may_help() { Ok(()) } else { Err(Denied::not_now("no help was agreed for this game")) }
    }

    /// Whether the player's engine can take a request now.
    pub(super) fn check_question(&self) -> Result<(), Denied> {
        self.check_help()?;
        if self.move_search.is_some() || self.is_engine_due() {
            return Err(Denied::not_now("the engine is thinking of its move"));
        }
        if self.open_questions().count() >= MOST_QUESTIONS {
            return Err(Denied::not_now("too many questions wait for an answer"));
        }
        Ok(())
    }

    pub(super) fn open_questions(&self) -> impl Iterator<Item = &Asked> {
        self.asked.iter().filter(|asked| !asked.cancelled)
    }

    fn ask(&mut self, purpose: Purpose, side: Side, task: Task) -> u64 {
        self.stop_analysis();
        let job = self.start(task);
        // Limits the memory for requests that are never answered.
        if self.asked.len() >= 4 * MOST_QUESTIONS
            && let Some(oldest) = self.asked.iter().position(|asked| asked.cancelled)
        {
            self.asked.remove(oldest);
        }
        self.asked.push(Asked { job, purpose, side, since: self.now, cancelled: false });
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
            Err(Illegal::Over | Illegal::NoStone) => return Err(Denied::over()),
            Ok(()) => {}
        }
        self.check_question()?;
        let standard = self.reviewed.as_ref().and_then(|reviewed| reviewed.standard(node)).map(Box::new);
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
        if let Some(old) = self.review.take() {
            self.effects.push(Effect::Cancel(old));
        }
        let limits = Limits { nodes: Some(budget), ..unlimited(now) };
        self.reviewed = Some(Reviewed { nodes: budget, line: line.clone(), moves: Vec::new() });
        let job = self.start(Task::Review { game: self.number, nodes: line, played, limits });
        self.review = Some(job);
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
        if self.move_search.is_some_and(|move_search| move_search.job == job) {
            self.stop(now);
        } else if let Some(asked) = self.asked.iter_mut().find(|asked| asked.job == job && !asked.cancelled) {
            asked.cancelled = true;
            self.effects.push(Effect::Cancel(job));
            self.show();
        } else if self.watch.is_running(job) {
            self.watch.on = false;
            self.show();
        } else if self.review == Some(job) {
            self.effects.push(Effect::Cancel(job));
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
        let mut any = false;
        for asked in self.asked.iter_mut().filter(|asked| !asked.cancelled && is_wanted(asked)) {
            asked.cancelled = true;
            any = true;
            self.effects.push(Effect::Cancel(asked.job));
        }
        if any {
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
        self.watch.avoid.clear();
    }

    pub(super) fn drop_blunder_check(&mut self) {
        if let Some(blunder_check) = self.blunder_check.take() {
            self.effects.push(Effect::Cancel(blunder_check.job));
            self.show();
        }
    }

    /// Cancels all requests: the engine has to move, or a person has stopped it.
    pub(super) fn drop_questions(&mut self) {
        self.cancel_if(|_| true);
    }

    /// Another game begins: cancels all work for the old one.
    pub(super) fn drop_jobs(&mut self) {
        if let Some(move_search) = self.move_search.take() {
            self.effects.push(Effect::Cancel(move_search.job));
        }
        self.cancel_outdated();
        self.drop_questions();
        // Their answers concern nodes of the old game.
        self.asked.clear();
        self.stop_analysis();
        self.watch.forget();
        if let Some(review) = self.review.take() {
            self.effects.push(Effect::Cancel(review));
        }
    }

    /// Takes a message of a worker.
    pub(super) fn told(&mut self, job: u64, last: bool, event: Event) {
        if let Some(blunder_check) = self.blunder_check.filter(|blunder_check| blunder_check.job == job) {
            self.judged(blunder_check, event, last);
        } else if self.watch.is_running(job) {
            self.analysed(last, event);
        } else if let Some(at) = self.asked.iter().position(|asked| asked.job == job) {
            values::keep_event(&mut self.game.record_mut().tree, &event);
            self.effects.push(Effect::Send(event));
            if last {
                self.asked.remove(at);
                self.show();
            }
        } else if self.review == Some(job) {
            values::keep_event(&mut self.game.record_mut().tree, &event);
            if let (Event::Review(done), Some(reviewed)) = (&event, &mut self.reviewed)
                && done.state == ReviewState::Done
            {
                reviewed.moves.clone_from(&done.moves);
            }
            self.effects.push(Effect::Send(event));
            if last {
                self.effects.push(Effect::Save);
                self.show();
            }
        }
    }

    /// A job has ended without an answer.
    pub(super) fn failed(&mut self, job: u64, now: Instant) {
        if self.move_search.is_some_and(|move_search| move_search.job == job) {
            self.moved(&Answer::Full, &Line::default(), false, now);
        } else if self.blunder_check.is_some_and(|blunder_check| blunder_check.job == job) {
            self.blunder_check = None;
        } else if self.watch.is_running(job) {
            // It would fail at this node again.
            self.watch.finish();
        } else if self.review == Some(job) {
            self.review = None;
        } else if let Some(at) = self.asked.iter().position(|asked| asked.job == job) {
            self.asked.remove(at);
        } else {
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
        let largest = largest_hash_mb();
        if hash_mb.is_some_and(|mb| !(1..=largest).contains(&mb)) {
            return Err(Denied::malformed(format!("the table has 1 to {largest} MiB on this computer")));
        }
        let mut settings = self.settings;
        settings.threads = threads.unwrap_or(settings.threads);
        settings.hash_mb = hash_mb.unwrap_or(settings.hash_mb);
        if settings != self.settings {
            self.settings = settings;
            self.stop_analysis();
            self.effects.push(Effect::Configure(settings));
            self.show();
        }
        Ok(())
    }
}

/// Limits without bounds, with a start time.
fn unlimited(now: Instant) -> Limits {
    Limits { started: Some(now), ..Limits::infinite() }
}
