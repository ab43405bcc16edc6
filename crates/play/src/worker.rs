//! Threads that compute for the session: one with the player's engine, one with an engine for reviews, one with an
//! engine that judges single moves, and two that wait for other engines: at their turns, and for second opinions.
//!
//! A thread does its jobs one after another, in the order given. Cancelling a job only sets its stop token. A running
//! job ends when its search stops; a waiting job starts and ends at once. Both send a last message, as all jobs do.
//! Messages go through one callback. The threads call it, so it must not wait for them.

mod analysis;
mod opinion;
mod other;
mod search_report;

use crate::explorer::Explorer;
use crate::others::OtherEngines;
use opinion::Opinions;
use other::Seats;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use tengen::engine::{Engine, Evaluation, Options, STACK_BYTES, StopToken};
use tengen_analysis::review::Review;
use tengen_session::job::{Job, Task, WorkerMessage};
use tengen_session::lock;
use tengen_session::view::Settings;
use tengen_session::work::analysis::AnalysisRequest;
use tengen_session::work::player::Player;
use tengen_session::work::{KnownPositions, judge, review, review_options};

/// Callback that receives the messages of workers.
pub type MessageSink = Arc<dyn Fn(WorkerMessage) + Send + Sync>;

/// The threads. Dropping them cancels all jobs and waits until the jobs have ended.
pub struct Workers {
    player: Lane,
    reviewer: Lane,
    judge: Lane,
    others: Lane,
    opinions: Lane,
    settings: Arc<Mutex<Settings>>,
    reviewed: Arc<Mutex<Option<(u64, Review)>>>,
}

impl Workers {
    /// Starts the threads. The random choices of levels depend on the seed alone.
    ///
    /// # Errors
    /// If the system cannot start the threads.
    pub fn new(
        settings: Settings,
        evaluation: Evaluation,
        engines: OtherEngines,
        seed: u64,
        explorer: Option<Arc<Explorer>>,
        tell: MessageSink,
    ) -> io::Result<Workers> {
        let settings = Arc::new(Mutex::new(settings));
        let reviewed = Arc::new(Mutex::new(None));
        let player = {
            let (settings, tell) = (Arc::clone(&settings), Arc::clone(&tell));
            let (mut kept, evaluation, explorer) = (None, evaluation.clone(), explorer.clone());
            Lane::start("player", Arc::clone(&tell), move |job, stop| {
                let options = options(*lock(&settings), evaluation.clone());
                // A player that panicked is not used again.
                let mut player = kept.take().unwrap_or_else(|| Player::new(options.clone(), seed));
                player.set_options(options);
                play(&mut player, job, explorer.as_deref(), stop, &tell);
                kept = Some(player);
            })?
        };
        let reviewer = {
            let (reviewed, tell) = (Arc::clone(&reviewed), Arc::clone(&tell));
            let (mut kept, evaluation) = (None, evaluation.clone());
            Lane::start("reviewer", Arc::clone(&tell), move |job, stop| {
                let mut engine = kept.take().unwrap_or_else(|| Engine::new(review_options(evaluation.clone())));
                let id = job.id;
                if let Some(review) = review::run(&mut engine, job, stop, &*tell) {
                    if let Some(explorer) = &explorer {
                        explorer.reviewed(review.clone());
                    }
                    *lock(&reviewed) = Some((id, review));
                }
                kept = Some(engine);
            })?
        };
        let judge = {
            let tell = Arc::clone(&tell);
            let mut kept = None;
            Lane::start("judge", Arc::clone(&tell), move |job, stop| {
                let mut engine = kept.take().unwrap_or_else(|| Engine::new(review_options(evaluation.clone())));
                judge::run(&mut engine, job, stop, &*tell);
                kept = Some(engine);
            })?
        };
        let others = {
            let (engines, told) = (engines.clone(), Arc::clone(&tell));
            let mut kept = None;
            Lane::start("others", Arc::clone(&tell), move |job, stop| {
                let mut seats = kept.take().unwrap_or_else(|| Seats::new(engines.clone(), Arc::clone(&told)));
                seats.run(job, stop);
                kept = Some(seats);
            })?
        };
        let opinions = {
            let told = Arc::clone(&tell);
            let mut kept = None;
            Lane::start("opinions", tell, move |job, stop| {
                let mut opinions = kept.take().unwrap_or_else(|| Opinions::new(engines.clone(), Arc::clone(&told)));
                opinions.run(job, stop);
                kept = Some(opinions);
            })?
        };
        Ok(Workers { player, reviewer, judge, others, opinions, settings, reviewed })
    }

    /// Gives a job to its thread.
    pub fn start(&self, job: Job) {
        match job.task {
            Task::Review { .. } => self.reviewer.add(job),
            Task::Try { .. } => self.judge.add(job),
            Task::OtherMove(_) => self.others.add(job),
            Task::Opinion { .. } => self.opinions.add(job),
            Task::Release => {
                self.others.add(job.clone());
                self.opinions.add(job);
            }
            _ => self.player.add(job),
        }
    }

    /// Requests the end of a job. Jobs that have ended are unknown.
    pub fn cancel(&self, job: u64) {
        self.player.cancel(job);
        self.reviewer.cancel(job);
        self.judge.cancel(job);
        self.others.cancel(job);
        self.opinions.cancel(job);
    }

    /// Changes the settings of the player's engine, from the next job on.
    pub fn configure(&self, settings: Settings) {
        *lock(&self.settings) = settings;
    }

    /// The last finished review, if this job made it.
    pub fn review(&self, job: u64) -> Option<Review> {
        lock(&self.reviewed).as_ref().filter(|(id, _)| *id == job).map(|(_, review)| review.clone())
    }
}

fn options(settings: Settings, evaluation: Evaluation) -> Options {
    let hash = settings.hash_mb.saturating_mul(1 << 20);
    Options { threads: settings.threads, hash: Some(hash), book: true, evaluation, ..Options::default() }
}

/// Does a job of the player. Live analysis has a thread for its events.
fn play(player: &mut Player, job: Job, explorer: Option<&Explorer>, stop: &StopToken, tell: &MessageSink) {
    let known = explorer.map(|explorer| explorer as &dyn KnownPositions);
    match job.task {
        Task::Analysis { node, setup, rule, lines, avoid } => {
            let request = AnalysisRequest { node, setup, rule, lines, avoid };
            analysis::run(player.engine(), job.id, &request, known, stop, tell);
        }
        _ => player.run(job, known, stop, &**tell),
    }
}

/// A thread and its queue of jobs.
struct Lane {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<Jobs>,
    added: Condvar,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<(Job, StopToken)>,
    current: Option<(u64, StopToken)>,
    closed: bool,
}

impl Lane {
    /// Starts a thread that does its jobs by `work` and reports jobs that panic.
    fn start(
        name: &str,
        tell: MessageSink,
        mut work: impl FnMut(Job, &StopToken) + Send + 'static,
    ) -> io::Result<Lane> {
        let queue = Arc::new(Queue::default());
        let own = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(move || {
            while let Some((job, stop)) = own.next() {
                let id = job.id;
                if catch_unwind(AssertUnwindSafe(|| work(job, &stop))).is_err() {
                    tell(WorkerMessage::Failed { job: id });
                }
            }
        })?;
        Ok(Lane { queue, thread: Some(thread) })
    }

    fn add(&self, job: Job) {
        lock(&self.queue.jobs).waiting.push_back((job, StopToken::new()));
        self.queue.added.notify_one();
    }

    fn cancel(&self, job: u64) {
        let jobs = lock(&self.queue.jobs);
        let waiting = jobs.waiting.iter().map(|(job, stop)| (job.id, stop));
        let current = jobs.current.iter().map(|(id, stop)| (*id, stop));
        waiting.chain(current).filter(|(id, _)| *id == job).for_each(|(_, stop)| stop.stop());
    }
}

impl Queue {
    /// Waits for the next job; `None` when no more jobs will come.
    fn next(&self) -> Option<(Job, StopToken)> {
        let mut jobs = lock(&self.jobs);
        jobs.current = None;
        loop {
            if jobs.closed {
                return None;
            }
            if let Some((job, stop)) = jobs.waiting.pop_front() {
                jobs.current = Some((job.id, stop.clone()));
                return Some((job, stop));
            }
            jobs = self.added.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let mut jobs = lock(&self.queue.jobs);
        jobs.closed = true;
        jobs.waiting.clear();
        jobs.current.iter().for_each(|(_, stop)| stop.stop());
        drop(jobs);
        self.queue.added.notify_one();
        let own = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        if let Some(thread) = self.thread.take().filter(|thread| !own(thread)) {
            // The panic hook has already reported a panic of that thread.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use tengen::board::{BoardSize, Setup};
    use tengen::rules::Rule;

    #[test]
    fn a_job_that_panics_is_told_and_the_next_one_is_done() {
        let (news, told) = channel();
        let (ids, done) = channel();
        let work = move |job: Job, _: &StopToken| {
            assert_ne!(job.id, 1, "a fault");
            ids.send(job.id).expect("a listener");
        };
        let lane = Lane::start("test", Arc::new(move |one| drop(news.send(one))), work).expect("a thread");
        for id in [1, 2] {
            let setup = Setup::empty(BoardSize::RENJU);
            lane.add(Job { id, task: Task::Balance { node: 0, setup, rule: Rule::Freestyle, moves: 1 } });
        }
        assert_eq!(told.recv(), Ok(WorkerMessage::Failed { job: 1 }));
        assert_eq!(done.recv(), Ok(2));
    }
}
