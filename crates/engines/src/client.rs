//! A player that is an engine process, controlled through the Gomocup protocol.
//!
//! The client is strict: if the protocol requires one line, the engine must send exactly that line, and nothing
//! unrequested. `MESSAGE` and `DEBUG` are allowed at any time, up to a rate that no correct engine reaches.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::fault::{Fault, FaultKind};
use crate::guard::Guard;
use crate::kill;
use crate::player::{Answer, Clock, Interrupt, Player, Question, Response, Table};
use crate::process::{Child, Line, Wait, private_memory, processor_time};
use crate::search_info::SearchInfo;
use crate::spec::{EngineSpec, Tolerances};
use crate::transcript::{Transcript, Way};
use tengen::board::Point;
use tengen::control::StopToken;
use tengen::protocol::{BodyLine, Command, Key, Owner, Reply, Setting};
use tengen_record::rule_code::code_of_rule;

/// `INFO time_left` of a game without a match clock.
const UNLIMITED_LEFT: i64 = i32::MAX as i64;

/// `INFO timeout_turn` of an engine with a node or depth limit: longer than any move takes.
const UNLIMITED_TURN: i64 = 2_000_000;

/// Output limit during a move: this many bytes, plus the same amount for each second.
const MAX_OUTPUT_RATE: u64 = 1 << 20;

/// Interval of the checks of memory, output rate and stop token during a wait.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum wait for the exit code of an ended process.
const EXIT_CODE_TIMEOUT: Duration = Duration::from_millis(200);

/// Time within which a run is stopped after a process that ended by itself, if the same event ended it.
const EXIT_GRACE: Duration = Duration::from_millis(200);

/// The same if a signal ended it that other programs send.
const SIGNAL_GRACE: Duration = Duration::from_millis(1000);

/// Maximum time for an engine to exit after `END`.
const QUIT_TIMEOUT: Duration = Duration::from_millis(700);

/// Number of chatter lines stored for the report of a fault.
const CONTEXT: usize = 3;

/// Longest line in the report of a fault, in characters.
const SHOWN: usize = 160;

/// State shared by all engines of a run.
#[derive(Debug)]
pub struct ProcessPool {
    guard: Option<Arc<Guard>>,
    mark: String,
    next: AtomicU64,
}

impl ProcessPool {
    /// A pool whose children have marks that start with `mark`; `guard`, if any, watches them.
    pub fn new(mark: String, guard: Option<Guard>) -> ProcessPool {
        ProcessPool { guard: guard.map(Arc::new), mark, next: AtomicU64::new(0) }
    }

    fn spawn(&self, spec: &EngineSpec) -> std::io::Result<Child> {
        let mark = format!("{}{};", self.mark, self.next.fetch_add(1, Ordering::Relaxed));
        Child::spawn(&spec.launch(), mark, self.guard.clone())
    }
}

/// One engine of a worker.
#[derive(Debug)]
pub struct EngineProcess {
    spec: EngineSpec,
    patience: Tolerances,
    processes: Arc<ProcessPool>,
    child: Option<Child>,
    /// The stones of the position that the engine has, in order of play; `None` if it has received no position since
    /// `START`, or one that was set up.
    known: Option<Vec<Point>>,
    /// Faults that did not lose a game and are not yet reported.
    notes: Vec<Fault>,
    /// How long to wait for a stop of the run after the process has ended by itself; `None` if it has not.
    may_be_stopped: Option<Duration>,
    chatter: VecDeque<String>,
    transcript: Option<Arc<Transcript>>,
    listener: Option<Listening>,
}

/// Receives the text of each `MESSAGE`.
pub type Listener = Box<dyn FnMut(&str) + Send>;

/// A listener, which has nothing to show of itself.
struct Listening(Listener);

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listening")
    }
}

impl EngineProcess {
    /// An engine whose process starts at its first game.
    pub fn new(spec: EngineSpec, patience: Tolerances, processes: Arc<ProcessPool>) -> EngineProcess {
        EngineProcess {
            spec,
            patience,
            processes,
            child: None,
            known: None,
            notes: Vec::new(),
            may_be_stopped: None,
            chatter: VecDeque::new(),
            transcript: None,
            listener: None,
        }
    }

    /// Sets what receives the text of each `MESSAGE` from now on; `None` ends it.
    pub fn set_listener(&mut self, listener: Option<Listener>) {
        self.listener = listener.map(Listening);
    }

    /// The engine's time for a move, if its limits have one.
    pub fn turn(&self) -> Option<Duration> {
        self.spec.limits.turn_ms.map(Duration::from_millis)
    }

    /// Whether the process has been started, and no fault has ended it.
    pub fn is_running(&self) -> bool {
        self.child.is_some()
    }

    /// Sets the transcript that logs all lines from now on; `None` stops logging.
    pub fn set_transcript(&mut self, transcript: Option<Arc<Transcript>>) {
        self.transcript = transcript;
    }

    fn note_line(&self, at: Instant, way: Way, text: &str) {
        if let Some(transcript) = &self.transcript {
            transcript.line(at, &self.spec.name, way, text);
        }
    }

    /// Sends `END` and waits for the exit. Dropping kills the process at once.
    pub fn quit(&mut self) {
        if let Some(child) = self.child.take() {
            self.note_line(Instant::now(), Way::Sent, &Command::End.to_string());
            child.quit(&Command::End.to_string(), QUIT_TIMEOUT);
        }
    }

    /// Describes the fault of a process that has ended.
    fn crash(&mut self, when: &str) -> Fault {
        let mut lines: Vec<String> = self.chatter.drain(..).collect();
        let how = match self.child.take() {
            Some(mut child) => {
                let status = child.exit_status(EXIT_CODE_TIMEOUT);
                self.may_be_stopped = Some(match status {
                    Some(status) if kill::is_from_outside(status) => SIGNAL_GRACE,
                    _ => EXIT_GRACE,
                });
                let how = match status {
                    Some(status) => format!("ended by itself ({status})"),
                    None => "closed its output".to_owned(),
                };
                let words = child.stderr_tail();
                words.iter().for_each(|line| self.note_line(Instant::now(), Way::Noticed, &format!("stderr: {line}")));
                lines.extend(words);
                how
            }
            None => "was not running".to_owned(),
        };
        Fault::new(FaultKind::Crash, format!("{how} {when}")).with_lines(lines.iter().map(|l| shorten(l)).collect())
    }

    /// Whether the run is stopped soon after a process has ended by itself. Whoever ends all processes of a job ends
    /// the engines too, perhaps before this program knows: that is no fault.
    fn is_being_stopped(&mut self, stop: &StopToken) -> bool {
        let Some(grace) = self.may_be_stopped.take() else { return false };
        let began = Instant::now();
        while began.elapsed() < grace && !stop.is_stopped() {
            std::thread::sleep(POLL_INTERVAL / 5);
        }
        stop.is_stopped()
    }

    /// The result of a question, which is not a fault if the run is being stopped.
    fn settled<T>(&mut self, result: Result<T, Interrupt>, stop: &StopToken) -> Result<T, Interrupt> {
        match result {
            Err(Interrupt::Fault(_)) if self.is_being_stopped(stop) => Err(Interrupt::Stopped),
            result => result,
        }
    }

    /// Kills the process because of a fault.
    fn forfeit(&mut self, kind: FaultKind, detail: String, line: Option<&str>) -> Interrupt {
        let lines = self.chatter.drain(..).chain(line.map(shorten)).collect();
        self.child = None;
        Interrupt::Fault(Fault::new(kind, detail).with_lines(lines))
    }

    fn child(&mut self) -> Result<&mut Child, Interrupt> {
        // `start` has handled a missing process; here it means that an earlier fault ended the process.
        self.child.as_mut().ok_or_else(|| Interrupt::Fault(Fault::new(FaultKind::Crash, "is not running")))
    }

    /// Sends lines. A closed pipe is a crash.
    fn send(&mut self, lines: &[String], when: &str) -> Result<(), Interrupt> {
        let now = Instant::now();
        lines.iter().for_each(|line| self.note_line(now, Way::Sent, line));
        match self.child()?.send(lines) {
            Ok(()) => Ok(()),
            Err(_) => Err(Interrupt::Fault(self.crash(when))),
        }
    }

    /// Reads unrequested output.
    fn drain(&mut self, when: &str) -> Result<(), Interrupt> {
        self.chatter.clear();
        let before = self.child()?.bytes_read();
        loop {
            // Limit the loop: lines may arrive faster than this loop reads them.
            if self.child()?.bytes_read() - before > MAX_OUTPUT_RATE {
                let detail = format!("flooded the referee with more than {MAX_OUTPUT_RATE} bytes {when}");
                return Err(self.forfeit(FaultKind::Protocol, detail, None));
            }
            match self.child()?.poll_line() {
                Wait::Nothing => return Ok(()),
                Wait::Closed => return Err(Interrupt::Fault(self.crash(when))),
                Wait::Endless(start) => {
                    return Err(self.forfeit(
                        FaultKind::Protocol,
                        format!("wrote without line ends {when}"),
                        Some(&start),
                    ));
                }
                Wait::Line(line) => {
                    if !self.is_chatter(&line, &mut SearchInfo::default()) {
                        let detail = format!("wrote an unrequested line {when}");
                        return Err(self.forfeit(FaultKind::Protocol, detail, Some(&line.text)));
                    }
                }
            }
        }
    }

    /// Processes a line that is not an answer and needs no reply; returns whether the line is one.
    fn is_chatter(&mut self, line: &Line, note: &mut SearchInfo) -> bool {
        self.note_line(line.at, Way::Received, &line.text);
        match Reply::parse(line.text.as_bytes()) {
            Reply::Message(text) => {
                note.read(&text);
                if let Some(Listening(take)) = &mut self.listener {
                    take(&text);
                }
            }
            Reply::Comment(_) | Reply::Debug(_) => {}
            Reply::Error(_) | Reply::Unknown(_) | Reply::Info { .. } | Reply::Other(_)
                if self.spec.lenient && !is_pair_of_numbers(&line.text) => {}
            Reply::Ok
            | Reply::Points(_)
            | Reply::Swap
            | Reply::Error(_)
            | Reply::Unknown(_)
            | Reply::About(_)
            | Reply::Forbid(_)
            | Reply::Info { .. }
            | Reply::Other(_) => return false,
        }
        if self.chatter.len() == CONTEXT {
            self.chatter.pop_front();
        }
        self.chatter.push_back(shorten(&line.text));
        true
    }

    /// Returns a fault if the process exceeds its memory limit.
    fn check_memory(&mut self) -> Result<(), Interrupt> {
        let limit = self.spec.memory;
        if limit == 0 {
            return Ok(());
        }
        match private_memory(self.child()?.id()) {
            Some(used) if used > limit.saturating_add(limit / 100 * self.patience.memory_percent) => {
                let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
                let detail = format!("had {:.1} MiB in memory, {:.1} allowed", mib(used), mib(limit));
                Err(self.forfeit(FaultKind::Memory, detail, None))
            }
            _ => Ok(()),
        }
    }

    /// Waits for the first line that is not chatter.
    ///
    /// Kills the engine after `patience`; `load` then describes the processor load of that time.
    fn await_answer(
        &mut self,
        sent: Instant,
        patience: Duration,
        note: &mut SearchInfo,
        load: &dyn Fn() -> String,
        stop: &StopToken,
    ) -> Result<Line, Interrupt> {
        let deadline = sent + patience;
        let before = self.child()?.bytes_read();
        loop {
            if stop.is_stopped() {
                return Err(Interrupt::Stopped);
            }
            let wait = self.child()?.wait_line(deadline.min(Instant::now() + POLL_INTERVAL));
            let elapsed = sent.elapsed();
            let written = self.child()?.bytes_read() - before;
            if written > MAX_OUTPUT_RATE + (MAX_OUTPUT_RATE as f64 * elapsed.as_secs_f64()) as u64 {
                let detail = format!("flooded the referee with {written} bytes in {} ms", elapsed.as_millis());
                return Err(self.forfeit(FaultKind::Protocol, detail, None));
            }
            match wait {
                Wait::Line(line) if self.is_chatter(&line, note) => {}
                Wait::Line(line) => return Ok(line),
                Wait::Closed => return Err(Interrupt::Fault(self.crash("while it was to answer"))),
                Wait::Endless(start) => {
                    let detail = "wrote without line ends".to_owned();
                    return Err(self.forfeit(FaultKind::Protocol, detail, Some(&start)));
                }
                Wait::Nothing => {}
            }
            self.check_memory()?;
            // Chatter must not extend the deadline.
            if Instant::now() >= deadline {
                return Err(self.no_answer(elapsed, &load()));
            }
        }
    }

    /// The fault for a missing or incomplete line.
    fn no_answer(&mut self, elapsed: Duration, load: &str) -> Interrupt {
        let rest = self.child.as_ref().map(Child::unfinished_line).unwrap_or_default();
        if rest.is_empty() {
            let detail = format!("gave no answer within {} ms and was killed{load}", elapsed.as_millis());
            return self.forfeit(FaultKind::Hang, detail, None);
        }
        let detail = format!("did not end its line within {} ms", elapsed.as_millis());
        self.forfeit(FaultKind::Protocol, detail, Some(&rest))
    }

    /// The `INFO` lines to send after `START`.
    fn settings(&self, table: &Table) -> Vec<String> {
        let limits = &self.spec.limits;
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let turn = limits.turn_ms.or(limits.match_ms).map_or(UNLIMITED_TURN, number);
        let mut settings = vec![
            Setting::Known(Key::MaxMemory, number(self.spec.memory)),
            Setting::Known(Key::TimeoutMatch, limits.match_ms.map_or(0, number)),
            Setting::Known(Key::TimeoutTurn, turn),
            Setting::Other { key: "game_type".to_owned(), value: "1".to_owned() },
            Setting::Known(Key::Rule, i64::from(code_of_rule(table.rule))),
        ];
        if limits.increment_ms > 0 {
            settings.push(Setting::Known(Key::TimeIncrement, number(limits.increment_ms)));
        }
        let optional = [
            (Key::MaxNode, limits.nodes),
            (Key::MaxDepth, limits.depth.map(u64::from)),
            (Key::ThreadNum, self.spec.threads.map(u64::from)),
        ];
        settings.extend(optional.into_iter().filter_map(|(key, n)| Some(Setting::Known(key, number(n?)))));
        let raw = |(key, value): &(String, String)| Setting::Other { key: key.clone(), value: value.clone() };
        settings.extend(self.spec.info.iter().map(raw));
        settings.into_iter().map(|s| Command::Info(s).to_string()).collect()
    }

    /// The command lines of a question.
    fn question(&self, question: &Question) -> Vec<String> {
        match *question {
            Question::Swap2(stones) => {
                let body = stones.iter().map(|p| BodyLine::Cell(*p, None).to_string());
                [Command::Swap2Board.to_string()].into_iter().chain(body).chain([BodyLine::Done.to_string()]).collect()
            }
            Question::Move([]) | Question::Position([]) => vec![Command::Begin.to_string()],
            Question::Move([before @ .., last]) if self.known.as_deref().unwrap_or_default() == before => {
                vec![Command::Turn(*last).to_string()]
            }
            Question::Move(stones) => {
                // The stones of the side to move have the same parity as the next ply.
                let is_own = |i: usize| (stones.len() - i).is_multiple_of(2);
                board(stones.iter().enumerate().map(|(i, point)| (*point, is_own(i))))
            }
            Question::Position(stones) => board(stones.iter().copied()),
        }
    }

    /// Parses an answer; an invalid answer is a fault.
    fn parse_answer(&mut self, line: &Line, question: &Question) -> Result<Answer, Interrupt> {
        let detail = match (Reply::parse(line.text.as_bytes()), question) {
            (Reply::Points(points), Question::Move(_) | Question::Position(_)) if points.len() == 1 => {
                return Ok(Answer::Points(points));
            }
            (Reply::Points(points), Question::Swap2(_)) => return Ok(Answer::Points(points)),
            (Reply::Swap, Question::Swap2([_, ..])) => return Ok(Answer::Swap),
            (Reply::Error(_), _) => "answered with an error",
            (Reply::Unknown(_), _) => "does not know the command",
            _ if is_pair_of_numbers(&line.text) => {
                let fault = Fault::new(FaultKind::Illegal, "moved off the board");
                return Err(Interrupt::Fault(fault.with_lines(vec![shorten(&line.text)])));
            }
            _ => "answered with something else than a move",
        };
        Err(self.forfeit(FaultKind::Protocol, detail.to_owned(), Some(&line.text)))
    }
}

impl EngineProcess {
    fn begin(&mut self, table: &Table, stop: &StopToken) -> Result<(), Interrupt> {
        self.known = None;
        self.chatter.clear();
        if self.spec.restart {
            self.quit();
        }
        // Record a fault between games and start a new process for the next game.
        if self.child.is_some()
            && let Err(Interrupt::Fault(fault)) = self.drain("between games")
        {
            self.notes.push(fault);
            self.child = None;
        }
        if self.child.is_none() {
            let spawned = self.processes.spawn(&self.spec);
            let failed = |e| Interrupt::Fault(Fault::new(FaultKind::Start, format!("could not be started: {e}")));
            self.child = Some(spawned.map_err(failed)?);
            self.may_be_stopped = None;
        }
        let sent = Instant::now();
        self.send(&[Command::Start(table.size).to_string()], "before START")?;
        let patience = Duration::from_millis(self.patience.startup_ms);
        let line = match self.await_answer(sent, patience, &mut SearchInfo::default(), &String::new, stop) {
            Err(Interrupt::Fault(fault)) if fault.kind == FaultKind::Hang => {
                return Err(Interrupt::Fault(Fault { kind: FaultKind::Start, ..fault }));
            }
            other => other?,
        };
        if !line.text.eq_ignore_ascii_case("OK") {
            let detail = "did not answer START with OK".to_owned();
            return Err(self.forfeit(FaultKind::Start, detail, Some(&line.text)));
        }
        let settings = self.settings(table);
        self.send(&settings, "after START")
    }

    fn answer(&mut self, question: &Question, clock: &Clock, stop: &StopToken) -> Result<Response, Interrupt> {
        if self.child.is_none()
            && let Some(fault) = self.notes.pop()
        {
            return Err(Interrupt::Fault(fault));
        }
        self.drain("while the opponent was to move")?;
        let left = clock.left.map_or(UNLIMITED_LEFT, |left| i64::try_from(left.as_millis()).unwrap_or(UNLIMITED_LEFT));
        let mut lines = vec![Command::Info(Setting::Known(Key::TimeLeft, left)).to_string()];
        lines.extend(self.question(question));
        let mut note = SearchInfo::default();
        let before = self.child.as_ref().and_then(|c| processor_time(c.id()));
        let sent = Instant::now();
        self.send(&lines, "when it was to move")?;
        let (limit, unlimited) = match clock.limit() {
            Some(limit) => (limit, false),
            None => (Duration::from_millis(self.patience.unlimited_ms), true),
        };
        let late = Duration::from_millis(if unlimited { 0 } else { self.patience.hang_ms });
        let allowed = limit + self.patience.tolerance();
        let id = self.child()?.id();
        let load = || before.zip(processor_time(id)).map_or(String::new(), describe_load);
        let line = self.await_answer(sent, allowed + late, &mut note, &load, stop)?;
        let used = line.at.saturating_duration_since(sent);
        if used > allowed {
            let ms = |d: Duration| d.as_secs_f64() * 1000.0;
            let detail = format!("answered after {:.1} ms, {:.1} allowed{}", ms(used), ms(limit), load());
            return Err(Interrupt::Fault(Fault::new(FaultKind::Late, detail).with_lines(vec![shorten(&line.text)])));
        }
        let said = self.parse_answer(&line, question)?;
        self.check_memory()?;
        // A second answer usually arrives together with the first.
        self.drain("after its answer").or_else(|interrupt| match interrupt {
            // The move of a crashed engine still counts. The next question will detect the crash.
            Interrupt::Fault(fault) if fault.kind == FaultKind::Crash => match self.is_being_stopped(stop) {
                true => Err(Interrupt::Stopped),
                false => {
                    self.notes.push(fault);
                    Ok(())
                }
            },
            other => Err(other),
        })?;
        self.known = match (question, &said) {
            (Question::Move(stones), Answer::Points(points)) => Some([stones, points.as_slice()].concat()),
            _ => None,
        };
        Ok(Response { said, used, note })
    }
}

impl Player for EngineProcess {
    fn start(&mut self, table: &Table, stop: &StopToken) -> Result<(), Interrupt> {
        let begun = self.begin(table, stop);
        self.settled(begun, stop)
    }

    fn ask(&mut self, question: &Question, clock: &Clock, stop: &StopToken) -> Result<Response, Interrupt> {
        let answered = self.answer(question, clock, stop);
        self.settled(answered, stop)
    }

    fn take_notes(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.notes)
    }
}

/// The lines of `BOARD` for stones and whether each is the engine's own.
fn board(stones: impl Iterator<Item = (Point, bool)>) -> Vec<String> {
    let owner = |is_own| if is_own { Owner::Own } else { Owner::Opponent };
    let body = stones.map(|(point, is_own)| BodyLine::Cell(point, Some(owner(is_own))).to_string());
    [Command::Board.to_string()].into_iter().chain(body).chain([BodyLine::Done.to_string()]).collect()
}

/// Whether the text is two whole numbers separated by a comma: a move, possibly off the board.
fn is_pair_of_numbers(text: &str) -> bool {
    let number = |s: &str| s.trim().parse::<i64>().is_ok();
    text.split_once(',').is_some_and(|(x, y)| number(x) && number(y))
}

/// Text on whether the engine used the time or the machine was too busy, for the person who judges the fault.
fn describe_load(times: ((Duration, Duration), (Duration, Duration))) -> String {
    let ((ran, waited), (ran_then, waited_then)) = times;
    let ms = |later: Duration, before: Duration| later.saturating_sub(before).as_millis();
    format!(" (it ran for {} ms and waited {} ms for a processor)", ms(ran_then, ran), ms(waited_then, waited))
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &line[..end], line.len()),
        None => line.to_owned(),
    }
}
