//! The worker that computes: it does one job after another, each to its end.

use crate::threads;
use tengen::engine::{Answer, Engine, Evaluation, Options, StopToken};
use tengen_session::job::{Job, Task, WorkerMessage};
use tengen_session::wire;
use tengen_session::work::player::Player;
use tengen_session::work::{judge, review, review_options};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Posts a message of a job: `event`, `last` for its last message, `best` for an answer that can be given if the
    /// worker is ended, `review` for a whole review.
    #[wasm_bindgen(js_name = tengenTell)]
    fn tell(kind: &str, job: f64, text: &str);
}

/// The engines of a worker. Each is made at the first job that needs it.
#[wasm_bindgen]
pub struct Worker {
    seed: u64,
    stop: StopToken,
    player: Option<Player>,
    reviewer: Option<Engine>,
}

#[wasm_bindgen]
impl Worker {
    /// A worker; the random choices of levels depend on the seed alone.
    #[wasm_bindgen(constructor)]
    pub fn new(seed: u64) -> Worker {
        threads::use_helpers();
        Worker { seed, stop: StopToken::new(), player: None, reviewer: None }
    }

    /// Address of the byte that ends the job when it becomes 1. The one who gives the next job sets it to 0 before.
    pub fn stop_address(&self) -> usize {
        self.stop.address()
    }

    /// Makes the player's engine, so that its first job begins at once.
    pub fn warm(&mut self, hash_mb: u32) {
        self.player(hash_mb, 1);
    }

    /// Does a job, at full strength with this many threads if there are as many. Its last message has been posted when
    /// this returns.
    pub fn run(&mut self, job: &str, hash_mb: u32, threads: usize) {
        let Some(job) = wire::read::<Job>(job) else { return };
        let stop = self.stop.clone();
        match job.task {
            Task::Review { .. } => {
                let id = job.id;
                if let Some(review) = review::run(self.reviewer(), job, &stop, &post) {
                    tell("review", id as f64, &wire::write(&review));
                }
            }
            Task::Try { .. } => judge::run(self.reviewer(), job, &stop, &post),
            _ => self.player(hash_mb, threads).run(job, None, &stop, &post),
        }
    }

    fn player(&mut self, hash_mb: u32, threads: usize) -> &mut Player {
        let hash = Some(u64::from(hash_mb) << 20);
        let options = Options { threads, hash, book: true, ..Options::default() };
        let seed = self.seed;
        let player = self.player.get_or_insert_with(|| {
            let mut player = Player::new(options.clone(), seed);
            player.report_best(Box::new(|job, line| {
                let answer = Answer::Points(line.moves.iter().take(1).copied().collect());
                let moved = WorkerMessage::Moved { job, answer, line: line.clone(), from_book: false };
                tell("best", job as f64, &wire::write(&moved));
            }));
            player
        });
        player.set_options(options);
        player
    }

    fn reviewer(&mut self) -> &mut Engine {
        self.reviewer.get_or_insert_with(|| Engine::new(review_options(Evaluation::default())))
    }
}

/// Posts a message of a job.
fn post(message: WorkerMessage) {
    let (job, kind) = match &message {
        WorkerMessage::Moved { job, .. } | WorkerMessage::Answered { job, .. } | WorkerMessage::Failed { job } => {
            (*job, "last")
        }
        WorkerMessage::Event { job, last, .. } => (*job, if *last { "last" } else { "event" }),
    };
    tell(kind, job as f64, &wire::write(&message));
}
