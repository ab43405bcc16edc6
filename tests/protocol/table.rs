//! A session with an engine that answers at once and a clock that the test controls.

use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tengen::engine::{Answer, Cell, Goal, Line, Options, Outcome, Point, Request, Score};
use tengen::protocol::{Effect, Event, LineParser, Reply, Session};

/// A session with an engine that answers at once or on command.
pub struct Table {
    pub session: Session,
    parser: LineParser,
    pub written: VecDeque<String>,
    /// The running search.
    pub open: Option<u64>,
    pub last: Option<(Request, Options)>,
    pub searches: usize,
    pub cleared: usize,
    pub exited: bool,
    pub clock: Instant,
    /// Searches stay open until they are stopped or finished by the test.
    pub hold: bool,
    /// Whether text for people is stored; nearly every answer comes with some.
    pub texts: bool,
    /// The answer of the next search.
    pub say: Option<Answer>,
    /// The evaluation file requested by the session.
    pub file: Option<String>,
}

impl Table {
    pub fn new() -> Table {
        Table {
            session: Session::new(8),
            parser: LineParser::new(),
            written: VecDeque::new(),
            open: None,
            last: None,
            searches: 0,
            cleared: 0,
            exited: false,
            clock: Instant::now(),
            hold: false,
            texts: false,
            say: None,
            file: None,
        }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        for input in self.parser.parse(bytes, self.clock) {
            self.event(Event::Input(input));
        }
    }

    pub fn event(&mut self, event: Event) {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            for effect in self.session.handle(event) {
                assert!(!self.exited, "an effect after Exit: {effect:?}");
                match effect {
                    Effect::Write(reply) => self.write(&reply),
                    Effect::Start { number, request, options } => {
                        assert!(self.open.is_none(), "two searches at once");
                        request.setup.check().expect("a sound position");
                        self.searches += 1;
                        self.open = Some(number);
                        self.last = Some((*request, options));
                        if !self.hold {
                            events.extend(self.outcome());
                        }
                    }
                    Effect::Stop => events.extend(self.outcome()),
                    Effect::Clear => self.cleared += 1,
                    Effect::Prepare { .. } | Effect::Database(_) => {}
                    Effect::Evaluate(file) => self.file = Some(file),
                    Effect::Forbidden { .. } => self.write(&Reply::Forbid(Vec::new())),
                    Effect::Exit => self.exited = true,
                }
            }
        }
        assert!(self.exited || self.open.is_some() == self.session.is_thinking());
    }

    fn write(&mut self, reply: &Reply) {
        let line = reply.to_string();
        assert!(line.len() <= 4096 && line.bytes().all(|b| (b' '..=b'~').contains(&b)), "{line:?}");
        // Case 103: qpiskvork classifies lines by their first character.
        let intended = matches!(reply, Reply::Ok | Reply::Error(_) | Reply::Unknown(_) | Reply::Swap);
        assert!(intended || !line.starts_with(['E', 'R', 'U', 'N', 'W', 'S', 'A', 'P', 'O', 'K', ' ']), "{line:?}");
        assert_eq!(Reply::parse(line.as_bytes()).to_string(), line, "the reply reads back");
        if self.texts || !line.starts_with("MESSAGE depth ") {
            self.written.push_back(line);
        }
    }

    /// Advances the clock; the session gets the clock events that it has requested.
    pub fn wait(&mut self, time: Duration) {
        let end = self.clock + time;
        while let Some(at) = self.session.wake().filter(|at| *at <= end) {
            self.clock = self.clock.max(at);
            self.event(Event::Clock { at: self.clock });
            let again = self.session.wake().filter(|next| *next <= self.clock);
            assert_eq!(again, None, "the session is woken again and again");
        }
        self.clock = end;
    }

    /// Ends the running search.
    pub fn outcome(&mut self) -> Option<Event> {
        let number = self.open.take()?;
        let (request, _) = self.last.as_ref()?;
        let answer = self.say.take().unwrap_or_else(|| instant(request));
        let moves = match &answer {
            Answer::Points(points) => points.clone(),
            Answer::Swap | Answer::Full => Vec::new(),
        };
        let outcome = Outcome { answer, line: line(7, 25, 1000, moves), from_book: false };
        Some(Event::Outcome { number, outcome, hash_full: 123 })
    }
}

pub fn line(depth: u32, score: i32, nodes: u64, moves: Vec<Point>) -> Line {
    Line {
        pv_index: 0,
        pv_count: 1,
        depth,
        seldepth: depth + 5,
        score: Score::from_raw(score),
        nodes,
        elapsed: Duration::from_millis(10),
        moves,
    }
}

/// The empty points nearest to the centre, as many as requested.
fn instant(request: &Request) -> Answer {
    let wanted = match request.goal {
        Goal::Swap2Reply | Goal::Swap2Final | Goal::SoosorvReply | Goal::SoosorvSwap { .. } => return Answer::Swap,
        Goal::Swap2Open | Goal::SoosorvOpen => 3,
        Goal::BalanceTwo { .. } => 2,
        Goal::SoosorvFourth => 6,
        Goal::SoosorvOffer { fifths } => fifths,
        Goal::Move | Goal::AllMoves | Goal::BalanceOne { .. } | Goal::SoosorvChoose { .. } => 1,
        Goal::OpenByFifths { .. }
        | Goal::ColourByFifths { .. }
        | Goal::Fourth { .. }
        | Goal::FifthsNumber { .. }
        | Goal::TenOrColour { .. } => {
            panic!("the protocol has no command for {:?}", request.goal)
        }
    };
    let center = request.setup.size.center();
    let free = |p: &Point| request.setup.cell(*p) == Cell::Empty && !request.excluded.contains(p);
    let mut points = request.setup.size.points().filter(free).collect::<Vec<_>>();
    points.sort_by_key(|p| p.distance(center));
    points.truncate(wanted);
    Answer::Points(points)
}
