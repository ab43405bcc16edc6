//! Moves of other engines. Each seat of a game has a process of its own, which lives as long as its game, unless a
//! fault or a cancelled search ends it: the protocol has no command that stops a search.

use super::MessageSink;
use crate::others::OtherEngines;
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, Point, Setup, Side};
use tengen::control::StopToken;
use tengen::rules::Rule;
use tengen_engines::client::EngineProcess;
use tengen_engines::fault::{Fault, FaultKind as Known};
use tengen_engines::player::{Answer, Clock as PlayerClock, Interrupt, Player, Question, Response, Table};
use tengen_engines::spec::{EngineLimits, EngineSpec, Tolerances};
use tengen_session::ENGINE_TURN;
use tengen_session::command::Clock;
use tengen_session::job::{Job, OtherMove, Task, WorkerMessage};
use tengen_session::view::{EngineFault, FaultKind};

/// Tolerances in a game with a clock. A late move loses no game here, but the clock must not wait for ever.
const WITH_CLOCK: Tolerances =
    Tolerances { tolerance_ms: 500, memory_percent: 100, startup_ms: 15_000, hang_ms: 1_000, unlimited_ms: 600_000 };

/// Tolerances without a clock: nothing is lost by a late move.
const WITHOUT_CLOCK: Tolerances = Tolerances { tolerance_ms: 10_000, ..WITH_CLOCK };

/// Time between an answer and the next question: some engines lose a line that comes while they still finish a search.
const REST: Duration = Duration::from_millis(60);

/// The engines of the games that are played.
pub struct Seats {
    engines: OtherEngines,
    seats: Vec<Seat>,
    tell: MessageSink,
}

/// A process at a seat.
struct Seat {
    game: u64,
    engine: usize,
    side: Side,
    process: EngineProcess,
    /// Before this it is not asked again.
    rests_until: Option<Instant>,
}

impl Seats {
    pub fn new(engines: OtherEngines, tell: MessageSink) -> Seats {
        Seats { engines, seats: Vec::new(), tell }
    }

    /// Does a job; its last message has been sent when this returns.
    pub fn run(&mut self, job: Job, stop: &StopToken) {
        match job.task {
            Task::OtherMove(request) => {
                let answer = match self.answer(&request, stop) {
                    Ok(found) => Some(Ok(found)),
                    Err(Interrupt::Stopped) => None,
                    Err(Interrupt::Fault(fault)) => {
                        let name = self.engines.spec(request.engine).map(|spec| spec.name.clone());
                        Some(Err(engine_fault(name.unwrap_or_default(), fault)))
                    }
                };
                (self.tell)(WorkerMessage::Answered { job: job.id, answer });
            }
            Task::Release => self.release(|_| true),
            _ => {}
        }
    }

    fn answer(&mut self, request: &OtherMove, stop: &StopToken) -> Result<(Point, Duration), Interrupt> {
        self.release(|seat| seat.game != request.game);
        let side = request.setup.to_move;
        let is_seat = |seat: &Seat| seat.engine == request.engine && seat.side == side;
        let mut seat = match self.seats.iter().position(is_seat) {
            Some(index) => self.seats.swap_remove(index),
            None => {
                let spec = self.engines.spec(request.engine).ok_or_else(unknown)?;
                let (spec, tolerances) = playing(spec, request.clock);
                let process = EngineProcess::new(spec, tolerances, self.engines.processes());
                Seat { game: request.game, engine: request.engine, side, process, rests_until: None }
            }
        };
        // After a fault, or when the search is stopped, the process is dropped with the seat.
        if let Some(until) = seat.rests_until {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
        let response = ask(&mut seat.process, request, stop)?;
        let point = single(&response, request.setup.size)?;
        seat.rests_until = Instant::now().checked_add(REST);
        self.seats.push(seat);
        Ok((point, response.used))
    }

    fn release(&mut self, is_idle: impl Fn(&Seat) -> bool) {
        for mut seat in self.seats.extract_if(.., |seat| is_idle(seat)) {
            seat.process.quit();
        }
    }
}

impl Drop for Seats {
    fn drop(&mut self) {
        self.release(|_| true);
    }
}

fn unknown() -> Interrupt {
    Interrupt::Fault(Fault::new(Known::Start, "is not declared"))
}

/// The engine and its tolerances in a game with this clock.
fn playing(spec: &EngineSpec, clock: Clock) -> (EngineSpec, Tolerances) {
    let own = spec.limits;
    let without_time = EngineLimits { turn_ms: None, match_ms: None, increment_ms: 0, ..own };
    let limits = match clock {
        Clock::None => EngineLimits { turn_ms: Some(own_turn(&own)), ..without_time },
        Clock::Move { ms } => EngineLimits { turn_ms: Some(ms), ..without_time },
        Clock::Game { ms, increment_ms } => EngineLimits { match_ms: Some(ms), increment_ms, ..without_time },
    };
    let tolerances = if clock == Clock::None { WITHOUT_CLOCK } else { WITH_CLOCK };
    (EngineSpec { limits, ..spec.clone() }, tolerances)
}

/// Time for a move without a clock: the declared one, or that of Tengen.
fn own_turn(limits: &EngineLimits) -> u64 {
    limits.turn_ms.unwrap_or(ENGINE_TURN.as_millis() as u64)
}

fn ask(process: &mut EngineProcess, request: &OtherMove, stop: &StopToken) -> Result<Response, Interrupt> {
    let clock = match request.clock {
        Clock::Game { .. } => PlayerClock::with(None, request.left),
        _ => PlayerClock::with(request.left.or(process.turn()), None),
    };
    ask_at(process, &request.setup, request.rule, &clock, stop)
}

/// Asks for a move in any position; starts the process if it does not run.
pub fn ask_at(
    process: &mut EngineProcess,
    setup: &Setup,
    rule: Rule,
    clock: &PlayerClock,
    stop: &StopToken,
) -> Result<Response, Interrupt> {
    check(setup, rule).map_err(|why| Interrupt::Fault(Fault::new(Known::Start, why)))?;
    if !process.is_running() {
        // It ended right after its last answer.
        if let Some(fault) = process.take_notes().pop() {
            return Err(Interrupt::Fault(fault));
        }
        process.start(&Table { rule, size: setup.size }, stop)?;
    }
    if is_in_turn(setup) {
        let points: Vec<Point> = setup.stones.iter().map(|(point, _)| *point).collect();
        return process.ask(&Question::Move(&points), clock, stop);
    }
    let stones: Vec<_> = setup.stones.iter().map(|(point, side)| (*point, *side == setup.to_move)).collect();
    process.ask(&Question::Position(&stones), clock, stop)
}

/// The point of an answer.
pub fn single(response: &Response, size: BoardSize) -> Result<Point, Interrupt> {
    match &response.said {
        Answer::Points(points) if points.len() == 1 && size.contains(points[0]) => Ok(points[0]),
        Answer::Points(_) => Err(Interrupt::Fault(Fault::new(Known::Illegal, "moved off the board"))),
        Answer::Swap => Err(Interrupt::Fault(Fault::new(Known::Protocol, "answered with something else than a move"))),
    }
}

/// Whether the stones were placed in turn, black first, so that the protocol has no need to say whose they are.
fn is_in_turn(setup: &Setup) -> bool {
    let side = |index: usize| if index.is_multiple_of(2) { Side::Black } else { Side::White };
    setup.stones.iter().enumerate().all(|(index, (_, of))| *of == side(index))
        && setup.to_move == side(setup.stones.len())
}

/// What of a position the protocol cannot express. It does not name colours: an engine infers them from the number of
/// stones, and only in renju they matter.
fn check(setup: &Setup, rule: Rule) -> Result<(), &'static str> {
    if !setup.blocked.is_empty() {
        return Err(BLOCKED);
    }
    let of = |side| setup.stones.iter().filter(|(_, of)| *of == side).count();
    let more = usize::from(setup.to_move == Side::White);
    if rule.restricted_side().is_some() && of(Side::Black) != of(Side::White) + more {
        return Err(COLOURS);
    }
    Ok(())
}

/// The reasons of [`check`].
const BLOCKED: &str = "cannot be told of blocked points";
const COLOURS: &str = "cannot be told who is Black in this position";

/// A fault in the form for clients.
pub fn engine_fault(engine: String, fault: Fault) -> EngineFault {
    let kind = match fault.kind {
        Known::Start if [BLOCKED, COLOURS].contains(&fault.detail.as_str()) => FaultKind::Position,
        Known::Start => FaultKind::Start,
        Known::Late => FaultKind::Late,
        Known::Hang => FaultKind::Hang,
        Known::Crash => FaultKind::Crash,
        Known::Illegal => FaultKind::Illegal,
        Known::Forbidden => FaultKind::Forbidden,
        Known::Protocol => FaultKind::Protocol,
        Known::Memory => FaultKind::Memory,
    };
    EngineFault { engine, kind, detail: fault.detail, lines: fault.lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::parse_points;

    #[test]
    fn positions_that_the_protocol_cannot_express_are_refused() {
        let size = BoardSize::RENJU;
        let points = parse_points(size, "h8i9j10").expect("points");
        let moves = Setup::from_moves(size, points.clone());
        assert!(is_in_turn(&moves) && check(&moves, Rule::Renju).is_ok());
        // In a threat the other side is to move: without restrictions colours do not matter.
        let turned = Setup { to_move: Side::Black, ..moves.clone() };
        assert!(!is_in_turn(&turned) && check(&turned, Rule::Freestyle).is_ok());
        assert_eq!(check(&turned, Rule::Renju), Err(COLOURS));
        let blocked = Setup { blocked: vec![Point::at(0, 0)], ..moves };
        assert_eq!(check(&blocked, Rule::Freestyle), Err(BLOCKED));
        let fault = engine_fault("Rapfi".to_owned(), Fault::new(Known::Start, BLOCKED));
        assert_eq!((fault.kind, fault.engine.as_str()), (FaultKind::Position, "Rapfi"));
    }
}
