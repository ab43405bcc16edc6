//! The game in a terminal, in words: for people, for scripts and for screen readers.
//!
//! Lines of commands arrive through a channel; sentences and drawings go to a writer. With a script each line is
//! finished before the next one is read, so that the same script always gives the same dialogue. A person may stop the
//! engine while it searches.

mod ask;
mod words;

pub use ask::{clock, player, rule, size, usual_game, warn};

use crate::host::Host;
use ask::{Ask, HELP, Simple};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use tengen::board::{Point, Side, parse_point};
use tengen::engine::{Means, StopToken, Verdict};
use tengen_analysis::wording::{moves, plies};
use tengen_record::MAX_BYTES;
use tengen_session::command::{Analysis, Answer, Choice, Command, NewGame, Prove};
use tengen_session::view::{AnalysisEvent, Event, ReviewState, State, Status};

/// Interval of the checks whether the program has to end.
const TICK: Duration = Duration::from_millis(20);
/// Number of games of a file that are listed.
const LISTED: usize = 20;

/// Input and environment of a dialogue.
pub struct Dialogue<'a> {
    /// The board.
    pub host: &'a Host,
    /// Every event of the board, from the start.
    pub events: &'a Receiver<Event>,
    /// Lines without line ends; closed at the end of the input.
    pub lines: &'a Receiver<String>,
    /// Ends the dialogue.
    pub stop: &'a StopToken,
    /// Whether a person types: then there is a prompt, and lines are also read while the engine searches.
    pub live: bool,
    /// The game that `new` without words starts.
    pub game: NewGame,
}

/// Runs the dialogue until the input ends, the person quits, or it is stopped.
///
/// # Errors
/// If the output cannot be written.
pub fn talk(dialogue: &Dialogue<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (state, later) = beginning(dialogue);
    let game = dialogue.game.clone();
    let mut talk = Talk {
        with: dialogue,
        out,
        said: String::new(),
        moved: true,
        draws: true,
        state,
        game,
        news: Vec::new(),
        awaited: false,
        waiting: VecDeque::new(),
        input_ended: false,
        quits: false,
    };
    talk.say_game()?;
    later.into_iter().try_for_each(|event| talk.take(event))?;
    talk.run()
}

/// The file that a name refers to, with links resolved.
fn target(file: &str) -> PathBuf {
    std::fs::canonicalize(file).unwrap_or_else(|_| PathBuf::from(file))
}

/// The first state of the newest game, and the events since then: the engine may have moved already.
fn beginning(dialogue: &Dialogue<'_>) -> (State, Vec<Event>) {
    let mut events: Vec<Event> = dialogue.events.try_iter().collect();
    let game = |event: &Event| match event {
        Event::State(state) => Some(state.game.id),
        _ => None,
    };
    let newest = events.iter().rev().find_map(game);
    let first = events.iter().position(|event| newest.is_some() && game(event) == newest);
    let later = first.map_or(Vec::new(), |first| events.split_off(first + 1));
    match events.pop() {
        Some(Event::State(state)) => (*state, later),
        _ => (dialogue.host.shown(), later),
    }
}

struct Talk<'a, 'b> {
    with: &'a Dialogue<'a>,
    out: &'b mut dyn Write,
    /// The last sentence about the turn.
    said: String,
    /// Whether the board has changed since it was drawn.
    moved: bool,
    draws: bool,
    state: State,
    game: NewGame,
    /// Answers that have not been read.
    news: Vec<Event>,
    /// Whether a script has waited for the check of a move.
    awaited: bool,
    /// Lines that came while the engine was thinking.
    waiting: VecDeque<String>,
    input_ended: bool,
    quits: bool,
}

impl Talk<'_, '_> {
    fn run(&mut self) -> io::Result<()> {
        if let Some(offer) = &self.state.offer {
            let text =
                format!("A game of {} with {} was saved: continue goes on with it.", offer.rule, moves(offer.moves));
            let copy = offer.copy;
            self.say(&text)?;
            if copy {
                self.say("Another Tengen is playing it: you would go on with a copy.")?;
            }
        }
        while self.settle()? {
            self.at_rest()?;
            let Some(line) = self.next_line()? else { break };
            self.execute(&line)?;
        }
        self.out.flush()
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// Prints a description of the game, and the warnings of its file.
    fn say_game(&mut self) -> io::Result<()> {
        self.say(&words::game(&self.state))?;
        for warning in self.state.game.warnings.clone() {
            self.say(&format!("The file: {warning}."))?;
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.quits || self.with.stop.is_stopped() || self.with.host.quit().is_stopped()
    }

    /// Prints the board and the turn when the person has to act.
    fn at_rest(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.moved) && self.draws {
            let board = words::board(&self.state);
            self.say(&board)?;
        }
        let turn = words::turn(&self.state);
        if turn != self.said {
            self.say(&turn)?;
            self.said = turn;
        }
        if self.with.live {
            write!(self.out, "> ")?;
        }
        self.out.flush()
    }

    /// Waits for the next line; `None` at the end of the input.
    fn next_line(&mut self) -> io::Result<Option<String>> {
        if let Some(line) = self.waiting.pop_front() {
            return Ok(Some(line));
        }
        while !self.is_over() && !self.input_ended {
            match self.with.lines.recv_timeout(TICK) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => self.input_ended = true,
                // A player's time may run out while a person thinks.
                Err(RecvTimeoutError::Timeout) => self.hear()?,
            }
        }
        Ok(None)
    }

    /// Handles all events that have arrived.
    fn hear(&mut self) -> io::Result<()> {
        while let Ok(event) = self.with.events.try_recv() {
            self.take(event)?;
        }
        Ok(())
    }

    fn take(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::State(state) => {
                let before = std::mem::replace(&mut self.state, *state);
                self.announce(&before)
            }
            Event::Message(message) => self.say(&message.text),
            Event::Warned(warned) => self.say(&words::warning(&warned)),
            event => {
                self.news.push(event);
                Ok(())
            }
        }
    }

    /// Prints what has changed.
    fn announce(&mut self, before: &State) -> io::Result<()> {
        let now = self.state.clone();
        self.moved |= before.board.played != now.board.played || before.game.id != now.game.id;
        if before.game.id != now.game.id {
            self.said.clear();
            self.say_game()?;
        } else {
            let path = |state: &State| state.line[..state.ply.min(state.line.len())].to_vec();
            let (old, new) = (path(before), path(&now));
            let goes_on = new.len() > old.len() && old.iter().zip(&new).all(|(a, b)| a.node == b.node);
            if goes_on {
                for node in &new[old.len()..] {
                    self.say(&words::step(node))?;
                }
                if let Some(named) = words::named(&now).filter(|_| before.named.is_none()) {
                    self.say(&named)?;
                }
            } else if before.node != now.node {
                self.say(&format!("At move {} of {}.", new.len(), now.line.len()))?;
            }
            if (&before.game.black, &before.game.white) != (&now.game.black, &now.game.white) {
                self.say(&words::game(&now))?;
            }
        }
        if let Some(fault) = now.fault.as_ref().filter(|_| before.fault != now.fault) {
            self.say(&words::fault(fault))?;
        }
        if before.status != now.status && now.status != Status::Running {
            self.said = words::turn(&now);
            let said = self.said.clone();
            self.say(&said)?;
        }
        Ok(())
    }

    /// Waits until the engine has no work for the game; false at the end.
    fn settle(&mut self) -> io::Result<bool> {
        loop {
            self.hear()?;
            if self.is_over() {
                return Ok(false);
            }
            let state = &self.state;
            let engine_moves = state.turn.engine && !state.paused;
            // A script waits for warnings, so that they always appear at the same place.
            let judging = state.judging && !self.with.live;
            if !judging && std::mem::take(&mut self.awaited) {
                // The board releases its mutex after it has sent the warning.
                self.with.host.shown();
                continue;
            }
            self.awaited = judging;
            let state = &self.state;
            if state.status != Status::Running || (state.thinking.is_none() && !engine_moves && !judging) {
                return Ok(true);
            }
            self.listen()?;
        }
    }

    /// Waits a moment for an event, and meanwhile reads what a person types.
    fn listen(&mut self) -> io::Result<()> {
        if let Ok(event) = self.with.events.recv_timeout(TICK) {
            self.take(event)?;
        }
        if !self.with.live {
            return Ok(());
        }
        match self.with.lines.try_recv() {
            Ok(line) => match ask::parse(&line) {
                Ok(Some(Ask::Simple(Simple::Go | Simple::Stop | Simple::Pause | Simple::Undo | Simple::Quit))) => {
                    self.execute(&line)
                }
                _ => {
                    self.waiting.push_back(line);
                    Ok(())
                }
            },
            Err(TryRecvError::Empty) => Ok(()),
            Err(TryRecvError::Disconnected) => {
                self.input_ended = true;
                Ok(())
            }
        }
    }

    /// Carries out a command; false if it was refused, which has been printed.
    fn ask(&mut self, command: Command) -> io::Result<bool> {
        Ok(self.start(command)?.is_some())
    }

    /// Carries out a command and returns its job (0 without one); `None` if it was refused.
    fn start(&mut self, command: Command) -> io::Result<Option<u64>> {
        self.hear()?;
        let result = self.with.host.handle(command, Some(self.state.rev));
        self.hear()?;
        match result {
            Ok(accepted) => Ok(Some(accepted.job.unwrap_or(0))),
            Err(refused) => {
                self.say(&format!("No: {}.", refused.message))?;
                Ok(None)
            }
        }
    }

    /// Carries out a command and waits for the answer of its job; `pick` selects it among the events.
    fn answer<T>(&mut self, command: Command, pick: impl Fn(&Event, u64) -> Option<T>) -> io::Result<Option<T>> {
        let Some(job) = self.start(command)? else { return Ok(None) };
        loop {
            if let Some(found) = self.news.drain(..).find_map(|event| pick(&event, job)) {
                return Ok(Some(found));
            }
            if self.is_over() {
                self.with.host.handle(Command::Cancel { job }, None).ok();
                return Ok(None);
            }
            let stopped = self.with.live && {
                let line = self.with.lines.try_recv().ok();
                let is_stop = line.as_deref().is_some_and(|line| line.trim().eq_ignore_ascii_case("stop"));
                self.waiting.extend(line.filter(|_| !is_stop));
                is_stop
            };
            if stopped {
                self.with.host.handle(Command::Cancel { job }, None).ok();
                self.say("Stopped.")?;
                return Ok(None);
            }
            if let Ok(event) = self.with.events.recv_timeout(TICK) {
                self.take(event)?;
            }
        }
    }

    fn execute(&mut self, line: &str) -> io::Result<()> {
        let ask = match ask::parse(line) {
            Ok(Some(ask)) => ask,
            Ok(None) => return Ok(()),
            Err(why) => return self.say(&format!("No: {why}.")),
        };
        match ask {
            Ask::Move(at) => self.ask(Command::Move { at }).map(drop),
            Ask::New(words) => match ask::new_game(&words, self.game.clone()) {
                Ok(game) => {
                    if self.ask(Command::New(game.clone()))? {
                        self.game = game;
                    }
                    Ok(())
                }
                Err(why) => self.say(&format!("No: {why}.")),
            },
            Ask::Simple(simple) => self.simple(simple),
            Ask::Answer(choice) => {
                let command = match choice {
                    Answer::Choice(Choice::Swap) if self.state.turn.opening.is_none() => Command::SwapSides,
                    choice => Command::Opening { choice },
                };
                self.ask(command).map(drop)
            }
            Ask::Analyse(seconds, lines) => self.analyse(Duration::from_secs_f64(seconds), lines),
            Ask::Prove(side, means) => self.prove(side, means),
            Ask::Try(at) => self.judge(at),
            Ask::Balance(moves) => self.balance(moves),
            Ask::Review(nodes) => self.review(nodes),
            Ask::Save(file) => self.save(&file),
            Ask::Load(file, number) => self.load(&file, number),
            Ask::Goto(number) => self.goto(number),
            Ask::Branch(number) => match number.checked_sub(1).and_then(|i| self.state.children.get(i)) {
                Some(child) => {
                    let node = child.node;
                    self.ask(Command::Goto { node }).map(drop)
                }
                None => self.say("No: there is no such variation here."),
            },
            Ask::Comment(text) => {
                let node = self.state.node;
                self.ask(Command::Comment { node, text }).map(drop)
            }
            Ask::Line(label) => self.with_point(&label, words::lines_through),
            Ask::At(label) => self.with_point(&label, words::at),
            Ask::Row(number) => {
                let label = format!("a{number}");
                self.with_point(&label, |state, point| {
                    let points = state.game.size.points().filter(|p| p.y() == point.y());
                    words::cells(state, &points.collect::<Vec<_>>())
                })
            }
            Ask::Column(letter) => {
                let label = format!("{letter}1");
                self.with_point(&label, |state, point| {
                    let points = state.game.size.points().filter(|p| p.x() == point.x());
                    let mut points: Vec<Point> = points.collect();
                    points.reverse();
                    words::cells(state, &points)
                })
            }
            Ask::Threads(threads) => self.settings(Some(threads), None),
            Ask::Hash(hash_mb) => self.settings(None, Some(hash_mb)),
            Ask::Board(on) => {
                self.draws = on;
                Ok(())
            }
        }
    }

    fn simple(&mut self, simple: Simple) -> io::Result<()> {
        let state = &self.state;
        let text = match simple {
            Simple::Show => words::board(state),
            Simple::Moves => words::moves(state),
            Simple::LastMove => {
                let last = state.ply.checked_sub(1).and_then(|i| state.line.get(i));
                last.map_or("No moves yet.".to_owned(), words::step)
            }
            Simple::Threats => words::threats(state),
            Simple::Forbidden => words::forbidden(state),
            Simple::Time => words::clocks(&self.with.host.shown()),
            Simple::Game => {
                let named = words::named(state).map(|named| named + "\n").unwrap_or_default();
                words::game(state) + "\n" + &named + &words::turn(state)
            }
            Simple::Help => HELP.to_owned(),
            Simple::Hint => return self.hint(),
            Simple::Back => return self.step_to(state.ply.checked_sub(1)),
            Simple::Forward => return self.step_to(Some(state.ply + 1)),
            Simple::First => return self.step_to(Some(0)),
            Simple::Last => return self.step_to(Some(state.line.len())),
            Simple::Quit => {
                self.quits = true;
                return Ok(());
            }
            simple => {
                let command = match simple {
                    Simple::Undo => Command::Undo,
                    Simple::Redo => Command::Redo,
                    Simple::Restart => Command::Restart,
                    Simple::Go => Command::Go,
                    Simple::Substitute => Command::Substitute,
                    Simple::Stop => Command::Stop,
                    Simple::Pause => Command::Pause { on: true },
                    Simple::Resume => Command::Pause { on: false },
                    Simple::Resign => Command::Resign,
                    Simple::Draw => Command::Draw,
                    Simple::Continue => Command::Continue,
                    _ => Command::Dismiss,
                };
                return self.ask(command).map(drop);
            }
        };
        self.say(&text)
    }

    fn settings(&mut self, threads: Option<usize>, hash_mb: Option<u64>) -> io::Result<()> {
        self.ask(Command::Settings { threads, hash_mb }).map(drop)
    }

    fn with_point(&mut self, label: &str, look: impl Fn(&State, Point) -> String) -> io::Result<()> {
        let text = match parse_point(self.state.game.size, label) {
            Ok(point) => look(&self.state, point),
            Err(error) => format!("No: {error}."),
        };
        self.say(&text)
    }

    /// Goes to the position after this number of steps of the shown line.
    fn step_to(&mut self, steps: Option<usize>) -> io::Result<()> {
        let node = match steps {
            Some(0) => Some(0),
            Some(steps) => self.state.line.get(steps - 1).map(|node| node.node),
            None => None,
        };
        match node {
            Some(node) => self.ask(Command::Goto { node }).map(drop),
            None => self.say("No: the line does not go on there."),
        }
    }

    /// Goes to the position after the move with this number.
    fn goto(&mut self, number: usize) -> io::Result<()> {
        let steps = match number {
            0 => Some(0),
            number => self.state.line.iter().rposition(|node| node.number == number).map(|i| i + 1),
        };
        self.step_to(steps.or(Some(usize::MAX)))
    }

    fn hint(&mut self) -> io::Result<()> {
        let found = self.answer(Command::Hint, |event, wanted| match event {
            Event::Hint(hint) if hint.job == wanted => Some(hint.line.clone()),
            _ => None,
        })?;
        match found.flatten() {
            Some(line) => {
                let text = format!("Hint: {} ({}).", line.moves, words::value(&line.value));
                self.say(&text)
            }
            None => Ok(()),
        }
    }

    fn analyse(&mut self, time: Duration, lines: usize) -> io::Result<()> {
        let wanted = Analysis { on: Some(true), lines: Some(lines), ..Analysis::default() };
        if !self.ask(Command::Analysis(wanted))? {
            return Ok(());
        }
        let end = Instant::now() + time;
        let mut newest: Option<AnalysisEvent> = None;
        while Instant::now() < end && !self.is_over() && newest.as_ref().is_none_or(|event| !event.done) {
            self.listen()?;
            for event in self.news.drain(..) {
                if let Event::Analysis(event) = event {
                    newest = Some(event).filter(|event| !event.lines.is_empty()).or(newest);
                }
            }
        }
        self.ask(Command::Analysis(Analysis { on: Some(false), ..Analysis::default() }))?;
        match newest {
            Some(event) => {
                for (i, line) in event.lines.iter().enumerate() {
                    self.say(&words::line(i + 1, line))?;
                }
                if let Some(book) = event.book {
                    self.say(&format!("The opening book plays {book}."))?;
                }
                Ok(())
            }
            None => self.say("Nothing was found in that time."),
        }
    }

    fn prove(&mut self, attacker: Option<Side>, means: Means) -> io::Result<()> {
        let question = Prove { node: self.state.node, after: Vec::new(), attacker, means };
        let found = self.answer(Command::Prove(question), |event, job| match event {
            Event::Proof(proof) if proof.job == job => Some(proof.clone()),
            _ => None,
        })?;
        let Some(proof) = found else { return Ok(()) };
        let attacker = words::name(proof.attacker);
        let text = match proof.verdict {
            Verdict::Win if proof.line.is_empty() => format!("{attacker} has won."),
            Verdict::Win => {
                format!("{attacker} wins by force, in {}: {}.", plies(proof.line.len()), proof.line)
            }
            Verdict::None => format!("{attacker} has no such forced win."),
            Verdict::Unknown => format!("No forced win of {attacker} was found, and none is excluded."),
        };
        self.say(&text)?;
        if !proof.defences.is_empty() {
            self.say(&format!("Moves that do not lose at once: {}.", proof.defences))?;
        }
        Ok(())
    }

    fn judge(&mut self, at: String) -> io::Result<()> {
        let found = self.answer(Command::Try { node: self.state.node, at }, |event, job| match event {
            Event::Tried(tried) if tried.job == job => Some(tried.clone()),
            _ => None,
        })?;
        let Some(tried) = found else { return Ok(()) };
        let Some(loss) = tried.loss else { return self.say(&format!("{}: not judged.", tried.at)) };
        let grade = tried.grade.map_or(String::new(), |grade| format!(", {}", grade.name()));
        let best = words::value(&tried.best);
        self.say(&format!(
            "{}: {}{grade}, {:.1} points lost; with the best move {best}: {}.",
            tried.at,
            words::value(&tried.value),
            100.0 * loss,
            tried.line
        ))
    }

    fn balance(&mut self, moves: u8) -> io::Result<()> {
        let found = self.answer(Command::Balance { moves }, |event, job| match event {
            Event::Balance(balance) if balance.job == job => Some(balance.clone()),
            _ => None,
        })?;
        match found {
            Some(found) if !found.moves.is_empty() => {
                let value = found.value.as_ref().map_or(String::new(), words::value);
                self.say(&format!("Even after {} ({value}).", found.moves))
            }
            Some(_) => self.say("No such moves were found."),
            None => Ok(()),
        }
    }

    fn review(&mut self, nodes: Option<u64>) -> io::Result<()> {
        let found = self.answer(Command::Review { nodes }, |event, job| match event {
            Event::Review(review) if review.job == job && review.state != ReviewState::Running => Some(review.clone()),
            _ => None,
        })?;
        match found {
            Some(review) => self.say(&words::review(&review)),
            None => Ok(()),
        }
    }

    fn save(&mut self, file: &str) -> io::Result<()> {
        let lower = file.to_lowercase();
        let endings = [
            (".review.sgf", "review_sgf"),
            (".review.svg", "review_svg"),
            (".review.json", "review_json"),
            (".sgf", "sgf"),
            (".psq", "psq"),
            (".pos", "pos"),
            (".sav", "sav"),
            (".txt", "text"),
            (".svg", "svg"),
            (".json", "json"),
        ];
        let Some((_, format)) = endings.iter().find(|(ending, _)| lower.ends_with(ending)) else {
            let known = endings.map(|(ending, _)| ending).join(" ");
            return self.say(&format!("No: the name should end with one of {known}."));
        };
        let text = match self.with.host.write(format) {
            Err(refused) => format!("No: {}.", refused.message),
            Ok(download) => match tengen_files::replace(&target(file), &download.bytes) {
                Ok(()) => format!("Written to {file}."),
                Err(error) => format!("No: {file}: {error}."),
            },
        };
        self.say(&text)
    }

    fn load(&mut self, file: &str, number: Option<usize>) -> io::Result<()> {
        let mut bytes = Vec::new();
        let read = std::fs::File::open(file).and_then(|f| f.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            return self.say(&format!("No: {file}: {error}."));
        }
        let name = Path::new(file).file_name().and_then(|name| name.to_str());
        let games = match self.with.host.read(name, &bytes) {
            Ok(games) => games,
            Err(refused) => return self.say(&format!("No: {}.", refused.message)),
        };
        self.hear()?;
        match (number, games.len()) {
            (_, 1) => Ok(()),
            (Some(number), count) if (1..=count).contains(&number) => {
                self.ask(Command::Load { index: number - 1 }).map(drop)
            }
            (Some(_), count) => self.say(&format!("No: the file has {count} games.")),
            (None, count) => {
                for game in games.iter().take(LISTED) {
                    self.say(&format!("{}. {}, {}", game.index + 1, game.title, moves(game.moves)))?;
                }
                self.say(&format!("{count} games: load {file} N takes the game N."))
            }
        }
    }
}
