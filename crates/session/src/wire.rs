//! Jobs and the messages of their workers as text, for a worker that shares no memory with the session.
//!
//! The text is JSON without names: a structure is the list of its fields, a choice the list of its name and its fields.
//! Both ends are the same build of the program, so the form needs no version. Numbers arrive as they were, fractions
//! bit by bit. Jobs of other engines have no such form.

use crate::job::{Job, Standard, Task, WorkerMessage};
use crate::points::{BoardPoint, BoardPoints};
use crate::view::{
    AnalysisEvent, BalanceEvent, Event, HintEvent, MoveReview, ProofEvent, PvLine, ReviewEvent, ReviewState, Root, Sum,
    Sums, TriedEvent,
};
use serde_json::{Value as Json, json};
use tengen::board::{BoardSize, Point, Setup, Side};
use tengen::engine::{Answer, Goal, Limits, Line, Means, RootState, Score, Verdict};
use tengen::rules::{Foul, Outcome, RowKind, Rule};
use tengen_analysis::review::{Better, Grade, Judgement, Played, Review};
use tengen_record::Value;
use web_time::{Duration, Instant};

/// A value that can be sent.
pub trait Wire: Sized {
    /// Its form.
    fn form(&self) -> Json;
    /// The value of a form; `None` if it is none.
    fn of(form: &Json) -> Option<Self>;
}

/// A value as text.
pub fn write(value: &impl Wire) -> String {
    value.form().to_string()
}

/// The value of a text; `None` if it is none.
pub fn read<T: Wire>(text: &str) -> Option<T> {
    T::of(&serde_json::from_str(text).ok()?)
}

macro_rules! structures {
    ($($name:ident { $($field:ident),* })*) => { $(
        impl Wire for $name {
            fn form(&self) -> Json {
                let $name { $($field),* } = self;
                json!([$($field.form()),*])
            }

            fn of(form: &Json) -> Option<$name> {
                let mut fields = form.as_array()?.iter();
                let value = $name { $($field: Wire::of(fields.next()?)?),* };
                fields.next().is_none().then_some(value)
            }
        }
    )* };
}

macro_rules! choices {
    ($($name:ident { $($variant:ident { $($field:tt: $value:ident),* })* })*) => { $(
        impl Wire for $name {
            fn form(&self) -> Json {
                #[allow(unreachable_patterns)]
                match self {
                    $($name::$variant { $($field: $value),* } => json!([stringify!($variant) $(, $value.form())*]),)*
                    // It is never sent.
                    _ => Json::Null,
                }
            }

            fn of(form: &Json) -> Option<$name> {
                let (name, fields) = form.as_array()?.split_first()?;
                let mut fields = fields.iter();
                let value = match name.as_str()? {
                    $(stringify!($variant) => $name::$variant { $($field: Wire::of(fields.next()?)?),* },)*
                    _ => return None,
                };
                fields.next().is_none().then_some(value)
            }
        }
    )* };
}

macro_rules! integers {
    ($($name:ident),*) => { $(
        impl Wire for $name {
            fn form(&self) -> Json {
                json!(self)
            }

            fn of(form: &Json) -> Option<$name> {
                serde_json::from_value(form.clone()).ok()
            }
        }
    )* };
}

integers!(bool, u8, u32, u64, i32, usize);

structures! {
    Job { id, task }
    Setup { size, stones, blocked, to_move }
    Standard { nodes, played }
    Played { rule, setup, first }
    Judgement { number, side, point, before, after, loss, grade, missed_win, allowed_win, better, reply }
    Better { moves, score }
    Review { game, outcome, win_rates, moves, complete, nodes }
    Line { pv_index, pv_count, depth, seldepth, score, nodes, elapsed, moves }
    Value { win_rate, score, mate, depth, nodes, line }
    BoardPoint { size, point }
    PvLine { value, loss, moves }
    Root { at, state }
    AnalysisEvent { node, depth, seldepth, nodes, nps, ms, done, lines, roots, book, stored }
    HintEvent { job, node, line }
    ProofEvent { job, node, after, attacker, means, verdict, to_move, line, defences, over }
    TriedEvent { job, node, at, best, value, loss, grade, right, line, reply }
    BalanceEvent { job, node, moves, value }
    ReviewEvent { job, game, nodes, done, total, state, moves, win_rates, sums }
    MoveReview { node, number, size, judged }
    Sums { black, white }
    Sum { moves, grades, missed, allowed, mean_loss, accuracy }
}

choices! {
    Task {
        Move { setup: setup, rule: rule, goal: goal, excluded: excluded, level: level, limits: limits }
        Hint { node: node, setup: setup, rule: rule, limits: limits }
        Analysis { node: node, setup: setup, rule: rule, lines: lines, avoid: avoid }
        Prove { node: node, setup: setup, after: after, rule: rule, attacker: attacker, means: means }
        Try { node: node, setup: setup, rule: rule, point: point, standard: standard }
        Balance { node: node, setup: setup, rule: rule, moves: moves }
        Review { game: game, nodes: nodes, played: played, limits: limits }
    }
    WorkerMessage {
        Moved { job: job, answer: answer, line: line, from_book: from_book }
        Failed { job: job }
        Event { job: job, last: last, event: event }
    }
    Event {
        Analysis { 0: event }
        Hint { 0: event }
        Proof { 0: event }
        Tried { 0: event }
        Balance { 0: event }
        Review { 0: event }
    }
    Goal {
        Move {}
        AllMoves {}
        BalanceOne { bias: bias }
        BalanceTwo { bias: bias }
        Swap2Open {}
        Swap2Reply {}
        Swap2Final {}
        SoosorvOpen {}
        SoosorvReply {}
        SoosorvFourth {}
        SoosorvSwap { fifths: fifths }
        SoosorvOffer { fifths: fifths }
        SoosorvChoose { fifths: fifths }
        OpenByFifths { fifths: fifths }
        ColourByFifths { fifths: fifths }
        Fourth { fifths: fifths }
        FifthsNumber { most: most }
        TenOrColour { fifths: fifths }
    }
    Answer { Points { 0: points } Swap {} Full {} }
    Outcome { Win { side: side, row: row, how: how } Foul { side: side, foul: foul } Draw {} }
    RowKind { Five {} Overline {} }
    Foul { Overline {} DoubleFour {} DoubleThree {} }
    Side { Black {} White {} }
    Means { Fours {} Threats {} Any {} }
    Verdict { Win {} None {} Unknown {} }
    RootState { Searching {} Searched {} Lost {} Best {} }
    ReviewState { Running {} Done {} Cancelled {} }
    Grade { Inaccuracy {} Mistake {} Blunder {} }
}

impl Wire for f64 {
    fn form(&self) -> Json {
        json!(self.to_bits())
    }

    fn of(form: &Json) -> Option<f64> {
        form.as_u64().map(f64::from_bits)
    }
}

impl Wire for Duration {
    fn form(&self) -> Json {
        json!((self.as_secs(), self.subsec_nanos()))
    }

    fn of(form: &Json) -> Option<Duration> {
        let (secs, nanos): (u64, u32) = serde_json::from_value(form.clone()).ok()?;
        (nanos < 1_000_000_000).then(|| Duration::new(secs, nanos))
    }
}

impl Wire for Point {
    fn form(&self) -> Json {
        json!((self.x(), self.y()))
    }

    fn of(form: &Json) -> Option<Point> {
        let (x, y): (u8, u8) = serde_json::from_value(form.clone()).ok()?;
        (x < BoardSize::MAX && y < BoardSize::MAX).then(|| Point::at(x, y))
    }
}

impl Wire for BoardSize {
    fn form(&self) -> Json {
        json!((self.width(), self.height()))
    }

    fn of(form: &Json) -> Option<BoardSize> {
        let (width, height) = serde_json::from_value(form.clone()).ok()?;
        BoardSize::new(width, height)
    }
}

impl Wire for Score {
    fn form(&self) -> Json {
        json!(self.raw())
    }

    fn of(form: &Json) -> Option<Score> {
        i32::of(form).map(Score::from_raw)
    }
}

impl Wire for Rule {
    fn form(&self) -> Json {
        json!(self.name())
    }

    fn of(form: &Json) -> Option<Rule> {
        Rule::from_name(form.as_str()?)
    }
}

/// The beginning is sent as the time that has passed since.
impl Wire for Limits {
    fn form(&self) -> Json {
        let Limits { started, turn, left, increment, nodes, depth } = self;
        let passed = started.map(|started| started.elapsed());
        json!([passed.form(), turn.form(), left.form(), increment.form(), nodes.form(), depth.form()])
    }

    fn of(form: &Json) -> Option<Limits> {
        let [passed, turn, left, increment, nodes, depth] = form.as_array()?.as_slice() else { return None };
        let passed: Option<Duration> = Wire::of(passed)?;
        let now = Instant::now();
        Some(Limits {
            started: passed.map(|passed| now.checked_sub(passed).unwrap_or(now)),
            turn: Wire::of(turn)?,
            left: Wire::of(left)?,
            increment: Wire::of(increment)?,
            nodes: Wire::of(nodes)?,
            depth: Wire::of(depth)?,
        })
    }
}

impl Wire for BoardPoints {
    fn form(&self) -> Json {
        json!([self.size().form(), self.to_vec().form()])
    }

    fn of(form: &Json) -> Option<BoardPoints> {
        let (size, points): (BoardSize, Vec<Point>) = Wire::of(form)?;
        Some(BoardPoints::new(size, points))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn form(&self) -> Json {
        self.as_ref().map_or(Json::Null, |value| json!([value.form()]))
    }

    fn of(form: &Json) -> Option<Option<T>> {
        match form {
            Json::Null => Some(None),
            form => T::of(form.as_array()?.first()?).map(Some),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn form(&self) -> Json {
        self.iter().map(Wire::form).collect()
    }

    fn of(form: &Json) -> Option<Vec<T>> {
        form.as_array()?.iter().map(Wire::of).collect()
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn form(&self) -> Json {
        self.iter().map(Wire::form).collect()
    }

    fn of(form: &Json) -> Option<[T; N]> {
        Vec::of(form)?.try_into().ok()
    }
}

impl<T: Wire> Wire for Box<T> {
    fn form(&self) -> Json {
        T::form(self)
    }

    fn of(form: &Json) -> Option<Box<T>> {
        T::of(form).map(Box::new)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn form(&self) -> Json {
        json!([self.0.form(), self.1.form()])
    }

    fn of(form: &Json) -> Option<(A, B)> {
        let [a, b] = form.as_array()?.as_slice() else { return None };
        Some((A::of(a)?, B::of(b)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::player::Player;
    use crate::work::{judge, review};
    use std::cell::RefCell;
    use tengen::board::parse_points;
    use tengen::engine::{Engine, Options, StopToken};

    fn setup(labels: &str) -> Setup {
        let size = BoardSize::RENJU;
        Setup::from_moves(size, parse_points(size, labels).expect("points"))
    }

    /// Jobs of all kinds that a worker without processes does, with small limits.
    fn tasks() -> Vec<Task> {
        let (rule, limits) = (Rule::Renju, Limits::nodes(2_000));
        let won = setup("h8a1i8a15j8o1");
        let played = Played { rule, setup: setup("h8a1i8a15j8o1g8o15k8"), first: 0 };
        let goal = Goal::SoosorvOffer { fifths: 2 };
        vec![
            Task::Move {
                setup: setup("h8i9"),
                rule,
                goal: Goal::Move,
                excluded: vec![Point::at(3, 4)],
                level: Some(3),
                limits: limits.clone(),
            },
            Task::Move {
                setup: setup("h8h9i10j11"),
                rule,
                goal,
                excluded: vec![],
                level: None,
                limits: limits.clone(),
            },
            Task::Hint { node: 4, setup: setup("h8i9"), rule, limits: limits.clone() },
            Task::Analysis { node: 7, setup: won.clone(), rule, lines: 1, avoid: vec![] },
            Task::Prove { node: 1, setup: won.clone(), after: vec![], rule, attacker: Side::Black, means: Means::Any },
            Task::Try { node: 2, setup: won, rule, point: Point::at(0, 7), standard: None },
            Task::Review { game: 5, nodes: (10..20).collect(), played, limits },
        ]
    }

    fn messages(job: Job) -> Vec<WorkerMessage> {
        let options = Options { hash: Some(4 << 20), ..Options::default() };
        let (found, stop) = (RefCell::new(Vec::new()), StopToken::new());
        let tell = |message| found.borrow_mut().push(message);
        match job.task {
            Task::Try { .. } => judge::run(&mut Engine::new(options), job, &stop, &tell),
            Task::Review { .. } => drop(review::run(&mut Engine::new(options), job, &stop, &tell)),
            _ => Player::new(options, 1).run(job, None, &stop, &tell),
        }
        found.into_inner()
    }

    #[test]
    fn jobs_and_answers_arrive_as_they_were() {
        for (id, task) in (1..).zip(tasks()) {
            let job = Job { id, task };
            assert_eq!(read(&write(&job)).as_ref(), Some(&job));
            let messages = messages(job);
            assert!(!messages.is_empty());
            for message in messages {
                assert_eq!(read(&write(&message)).as_ref(), Some(&message), "{}", write(&message));
            }
        }
    }

    #[test]
    fn a_review_with_its_judgements_is_the_standard_of_other_moves() {
        let Some(Task::Review { played, .. }) = tasks().pop() else { panic!("a review") };
        let mut engine = Engine::new(Options { hash: Some(4 << 20), ..Options::default() });
        let settings = tengen_analysis::review::Settings { limits: Limits::nodes(2_000), ..Default::default() };
        let review = tengen_analysis::review::review(&mut engine, &played, &settings, &StopToken::new(), &mut |_| {});
        let review = review.expect("a game");
        assert!(review.outcome.is_some() && review.moves.iter().any(|judged| judged.better.is_some()));
        assert_eq!(read(&write(&review)).as_ref(), Some(&review));
        let standard = Some(Box::new(Standard { nodes: 9, played: review.moves[0].clone() }));
        let task = Task::Try { node: 2, setup: setup("h8"), rule: Rule::Caro, point: Point::at(1, 1), standard };
        assert_eq!(read(&write(&task)), Some(task));
    }

    #[test]
    fn the_time_that_has_passed_counts() {
        let begun = Instant::now().checked_sub(Duration::from_secs(2)).expect("the machine runs longer than that");
        let limits = Limits { started: Some(begun), turn: Some(Duration::from_millis(1_500)), ..Limits::infinite() };
        let read: Limits = read(&write(&limits)).expect("limits");
        let passed = read.started.expect("a beginning").elapsed();
        assert!(passed >= Duration::from_secs(2), "{passed:?}");
        assert_eq!((read.turn, read.left), (limits.turn, None));
    }

    #[test]
    fn other_texts_are_nothing() {
        for text in ["", "null", "[]", "[1]", "[1,[\"Fly\"]]", "[1,[\"Hint\",1]]", "[1,[\"Release\"]]"] {
            assert_eq!(read::<Job>(text), None, "{text}");
        }
        assert_eq!(read::<Job>(&write(&Job { id: 1, task: Task::Release })), None, "no job of such a worker");
        assert_eq!((read::<Point>("[25,0]"), read::<BoardSize>("[4,9]"), read::<u8>("256")), (None, None, None));
    }
}
