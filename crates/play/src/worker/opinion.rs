//! Second opinions of other engines: one search of the shown position, and what the engine tells meanwhile.
//!
//! A cancelled search ends the process, since the protocol has no command that stops one. A short wait before each
//! search lets a person step through the moves without starting a process for each.

use super::search_report::{Rows, SearchReport};
use super::{MessageSink, other};
use crate::others::OtherEngines;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tengen::board::{Point, Setup};
use tengen::control::StopToken;
use tengen::rules::Rule;
use tengen_engines::client::EngineProcess;
use tengen_engines::player::{Clock, Interrupt, Table};
use tengen_engines::spec::{EngineLimits, EngineSpec, Tolerances};
use tengen_session::job::{Job, Task, WorkerMessage};
use tengen_session::lock;
use tengen_session::points::{BoardPoint, BoardPoints};
use tengen_session::view::{EngineFault, Event, FaultKind, OpinionEvent};

/// Wait before a search.
const PAUSE: Duration = Duration::from_millis(200);
/// Interval of events, and of looks at the stop token.
const INTERVAL: Duration = Duration::from_millis(100);
/// Time of a search, unless the declaration of the engine says another.
const SEARCH_MS: u64 = 10_000;

/// The engine that was asked last, and what is known of the others.
pub struct Opinions {
    engines: OtherEngines,
    kept: Option<(usize, Table, EngineProcess)>,
    /// How each engine counts rows, as far as its answers have shown it.
    rows: BTreeMap<usize, Rows>,
    tell: MessageSink,
}

/// A question.
struct OpinionRequest {
    node: u32,
    setup: Setup,
    rule: Rule,
    engine: usize,
}

impl Opinions {
    pub fn new(engines: OtherEngines, tell: MessageSink) -> Opinions {
        Opinions { engines, kept: None, rows: BTreeMap::new(), tell }
    }

    /// Does a job; its last message has been sent when this returns.
    pub fn run(&mut self, job: Job, stop: &StopToken) {
        match job.task {
            Task::Opinion { node, setup, rule, engine } => {
                let event = self.search(job.id, &OpinionRequest { node, setup, rule, engine }, stop);
                (self.tell)(WorkerMessage::Event { job: job.id, last: true, event: Event::Opinion(event) });
            }
            Task::Release => self.release(),
            _ => {}
        }
    }

    fn release(&mut self) {
        if let Some((_, _, mut process)) = self.kept.take() {
            process.quit();
        }
    }

    /// Searches and tells meanwhile; returns the last event.
    fn search(&mut self, job: u64, request: &OpinionRequest, stop: &StopToken) -> OpinionEvent {
        let Some(spec) = self.engines.spec(request.engine).cloned() else {
            return event(request, "", &SearchReport::default(), Duration::ZERO);
        };
        let name = spec.name.clone();
        let shared = Arc::new(Mutex::new((SearchReport::default(), false)));
        let started = Instant::now();
        let snapshot = || {
            let (report, _) = lock(&shared).clone();
            event(request, &name, &report, started.elapsed())
        };
        wait(PAUSE, stop);
        if stop.is_stopped() {
            return OpinionEvent { done: true, ..snapshot() };
        }
        let mut process = self.process(request, spec);
        let rows = self.rows.get(&request.engine).copied();
        let into = Arc::clone(&shared);
        let setup = request.setup.clone();
        process.set_listener(Some(Box::new(move |text| {
            let mut shared = lock(&into);
            shared.0.read(text, &setup, rows);
            shared.1 = true;
        })));
        let turn = process.turn();
        let ended = AtomicBool::new(false);
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    std::thread::sleep(INTERVAL);
                    if std::mem::take(&mut lock(&shared).1) && !stop.is_stopped() {
                        let event = Event::Opinion(snapshot());
                        (self.tell)(WorkerMessage::Event { job, last: false, event });
                    }
                }
            });
            let _end = End(&ended);
            let response = other::ask_at(&mut process, &request.setup, request.rule, &Clock::with(turn, None), stop);
            response.and_then(|response| other::single(&response, request.setup.size))
        });
        process.set_listener(None);
        let last = OpinionEvent { done: true, ..snapshot() };
        match result {
            Ok(point) => {
                self.learn(request, &lock(&shared).0, point);
                let report = lock(&shared).0.clone().reread(&request.setup, self.rows.get(&request.engine).copied());
                self.kept = Some((request.engine, Table { rule: request.rule, size: request.setup.size }, process));
                with_answer(event(request, &name, &report, started.elapsed()), &request.setup, point)
            }
            Err(Interrupt::Stopped) => last,
            Err(Interrupt::Fault(fault)) => OpinionEvent { fault: Some(other::engine_fault(name, fault)), ..last },
        }
    }

    /// The running process if it is of this engine and table, or else a new one.
    fn process(&mut self, request: &OpinionRequest, spec: EngineSpec) -> EngineProcess {
        let table = Table { rule: request.rule, size: request.setup.size };
        if let Some((engine, of, process)) =
            self.kept.take_if(|(engine, of, _)| *engine == request.engine && *of == table)
        {
            debug_assert!(engine == request.engine && of == table, "the condition above");
            return process;
        }
        self.release();
        let limits = EngineLimits {
            turn_ms: Some(spec.limits.turn_ms.unwrap_or(SEARCH_MS)),
            match_ms: None,
            increment_ms: 0,
            ..spec.limits
        };
        let tolerances =
            Tolerances { tolerance_ms: 10_000, memory_percent: 100, startup_ms: 15_000, ..Tolerances::default() };
        EngineProcess::new(EngineSpec { limits, ..spec }, tolerances, self.engines.processes())
    }

    /// Learns from an answer how the engine counts the rows of its line, which begins with the same point.
    fn learn(&mut self, request: &OpinionRequest, report: &SearchReport, answer: Point) {
        if let Some(rows) = report.rows_if_first_is(answer, request.setup.size) {
            self.rows.insert(request.engine, rows);
        }
    }
}

impl Drop for Opinions {
    fn drop(&mut self) {
        self.release();
    }
}

/// Sets the flag when it is dropped, also after a panic.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits, unless the job is stopped.
fn wait(time: Duration, stop: &StopToken) {
    let until = Instant::now() + time;
    while !stop.is_stopped() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What the engine has told so far.
fn event(request: &OpinionRequest, engine: &str, report: &SearchReport, elapsed: Duration) -> OpinionEvent {
    let size = request.setup.size;
    let score = report.score();
    OpinionEvent {
        node: request.node,
        engine: engine.to_owned(),
        depth: report.info().depth,
        nodes: report.info().nodes,
        eval: score.filter(|score| score.distance().is_none()).map(|score| score.raw()),
        win: score.and_then(|score| score.distance()),
        moves: BoardPoints::new(size, report.line()),
        answer: None,
        text: report.text().to_vec(),
        ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        done: false,
        fault: None,
    }
}

/// The last event: the line begins with the answer, or is the answer alone. An answer onto a stone is a fault.
fn with_answer(event: OpinionEvent, setup: &Setup, point: Point) -> OpinionEvent {
    let done = OpinionEvent { done: true, ..event };
    if setup.stones.iter().any(|(taken, _)| *taken == point) {
        let fault = EngineFault {
            engine: done.engine.clone(),
            kind: FaultKind::Illegal,
            detail: format!("moved onto a stone: {},{}", point.x(), point.y()),
            lines: Vec::new(),
        };
        return OpinionEvent { fault: Some(fault), ..done };
    }
    let fits = done.moves.first() == Some(&point);
    let moves = if fits { done.moves.clone() } else { BoardPoints::new(setup.size, [point].as_slice()) };
    OpinionEvent { moves, answer: Some(BoardPoint::new(setup.size, point)), ..done }
}
