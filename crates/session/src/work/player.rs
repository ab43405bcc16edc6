//! The player's engine: moves, hints, live analysis, proofs, balance searches.

use super::analysis::{self, AnalysisRequest};
use super::proof::{self, ProofRequest};
use super::{KnownPositions, MessageSink, level};
use crate::job::{Job, Task, WorkerMessage};
use crate::level::by_number;
use crate::points::BoardPoints;
use crate::value;
use crate::view::{BalanceEvent, Event, HintEvent, PvLine};
use tengen::board::Setup;
use tengen::engine::{Answer, Engine, Goal, Limits, Line, Options, Outcome, Report, Request, Rule, StopToken};
use tengen_analysis::random::Random;

/// The engines that play.
pub struct Player {
    /// Plays at full strength and does all work except levels.
    engine: Engine,
    /// Plays levels; it does not share the other engine's state.
    weak: level::Player,
    seed: u64,
    best: Option<BestSink>,
}

/// Receives the best line so far of a search for a move, with the number of its job.
pub type BestSink = Box<dyn FnMut(u64, &Line) + Send>;

impl Player {
    /// A player. The random choices of levels depend on the seed alone.
    pub fn new(options: Options, seed: u64) -> Player {
        let weak = level::Player::new(options.evaluation.clone());
        Player { engine: Engine::new(options), weak, seed, best: None }
    }

    /// Reports the best line so far of each search for a move at full strength.
    pub fn report_best(&mut self, best: BestSink) {
        self.best = Some(best);
    }

    /// The engine for full strength.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Changes the settings of the engine for full strength.
    pub fn set_options(&mut self, options: Options) {
        self.engine.set_options(options);
    }

    /// Does a job; its last message has been sent when this returns.
    pub fn run(&mut self, job: Job, known: Option<&dyn KnownPositions>, stop: &StopToken, tell: MessageSink<'_>) {
        let id = job.id;
        let event = match job.task {
            Task::Move { setup, rule, goal, excluded, level, limits } => {
                let request = Request { goal, excluded, ..Request::new(setup, rule, limits) };
                let Outcome { answer, line, from_book } = self.decide(id, request, level, stop);
                tell(WorkerMessage::Moved { job: id, answer, line, from_book });
                return;
            }
            Task::Analysis { node, setup, rule, lines, avoid } => {
                let request = AnalysisRequest { node, setup, rule, lines, avoid };
                analysis::run(&mut self.engine, id, &request, known, stop, tell);
                return;
            }
            // Others do these.
            Task::Review { .. } | Task::Try { .. } | Task::OtherMove(_) | Task::Opinion { .. } | Task::Release => {
                return;
            }
            Task::Hint { node, setup, rule, limits } => Event::Hint(self.hint(id, node, setup, rule, limits, stop)),
            Task::Prove { node, setup, after, rule, attacker, means } => {
                let request = ProofRequest { node, setup, after, rule, attacker, means };
                Event::Proof(proof::prove(&mut self.engine, id, request, stop))
            }
            Task::Balance { node, setup, rule, moves } => {
                Event::Balance(self.balance(id, node, setup, rule, moves, stop))
            }
        };
        tell(WorkerMessage::Event { job: id, last: true, event });
    }

    /// A move of the game, or an answer in its opening. There always is an answer, however soon the job is stopped,
    /// unless the board is full.
    fn decide(&mut self, job: u64, mut request: Request, level: Option<u8>, stop: &StopToken) -> Outcome {
        request.chance = Some(Random::new(&[self.seed, job, 1]).next_u64());
        match level.and_then(by_number) {
            Some(level) => self.weak.decide(request, level, &mut Random::new(&[self.seed, job]), stop),
            None => self.engine.think(&request, stop, &mut |report| {
                if let (Report::Line(line), Some(best)) = (report, &mut self.best)
                    && request.goal == Goal::Move
                    && line.pv_index == 0
                {
                    best(job, line);
                }
            }),
        }
    }

    fn hint(&mut self, job: u64, node: u32, setup: Setup, rule: Rule, limits: Limits, stop: &StopToken) -> HintEvent {
        let (size, to_move) = (setup.size, setup.to_move);
        let found = self.engine.think(&Request::new(setup, rule, limits), stop, &mut |_| {});
        let known = matches!(found.answer, Answer::Points(_)) && !stop.is_stopped();
        let line = known.then(|| PvLine::new(size, to_move, &found.line, found.line.score));
        HintEvent { job, node, line }
    }

    fn balance(&mut self, job: u64, node: u32, setup: Setup, rule: Rule, moves: u8, stop: &StopToken) -> BalanceEvent {
        let (size, to_move) = (setup.size, setup.to_move);
        let goal = if moves == 2 { Goal::BalanceTwo { bias: 0 } } else { Goal::BalanceOne { bias: 0 } };
        let request = Request { goal, ..Request::new(setup, rule, Limits::infinite()) };
        let found = self.engine.think(&request, stop, &mut |_| {});
        let none = BalanceEvent { job, node, moves: BoardPoints::none(size), value: None };
        let Outcome { answer: Answer::Points(points), line, .. } = found else { return none };
        if stop.is_stopped() || points.is_empty() {
            return none;
        }
        BalanceEvent { moves: BoardPoints::new(size, points), value: Some(value::of_line(&line, to_move)), ..none }
    }
}
