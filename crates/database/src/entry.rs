//! What a source says about a position, and its bytes.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version of the encoding, 1 |
//! | 1 | which of the following parts there are, a bit each from the lowest |
//! | 4 numbers | games, wins of black, wins of white, draws |
//! | 1 number | visits |
//! | signed number, byte, 2 numbers | score ([`Score::raw`]), bound (1 upper, 2 lower, 3 exact), depth, nodes |
//! | 1 number | cell of the best move |
//! | text | the comment |
//! | number, marks | marks: cell, kind, and for a label its text |
//!
//! A number has seven bits a byte, the lowest first. A text is its length and UTF-8. A cell counts row by row from the
//! top left of the stored image of the position.

use crate::bytes::{Sink, Source};
use crate::error::Damage;
use crate::key::{Place, cell, point};
use tengen::board::{BoardSize, Point};
use tengen::engine::{Bound, Score};
use tengen_record::Mark;

/// The version of the encoding.
const VERSION: u8 = 1;

/// Bits of the second byte.
mod part {
    pub const COUNTS: u8 = 1;
    pub const VISITS: u8 = 2;
    pub const EVALUATION: u8 = 4;
    pub const BEST: u8 = 8;
    pub const TEXT: u8 = 16;
    pub const MARKS: u8 = 32;
    pub const ALL: u8 = 63;
}

/// Games that went through a position. Some have no known result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All games.
    pub games: u32,
    /// Games that black won.
    pub black: u32,
    /// Games that white won.
    pub white: u32,
    /// Draws.
    pub draws: u32,
}

impl Counts {
    /// Adds games.
    pub fn add(&mut self, other: Counts) {
        self.games = self.games.saturating_add(other.games);
        self.black = self.black.saturating_add(other.black);
        self.white = self.white.saturating_add(other.white);
        self.draws = self.draws.saturating_add(other.draws);
    }
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The score of the side to move. [`Score::MAX_PLY`] plies to a win stand for an unknown number.
    pub score: Score,
    /// How the score relates to the true one.
    pub bound: Bound,
    /// Depth of the search in plies, 0 if unknown.
    pub depth: u32,
    /// Nodes of the search, 0 if unknown.
    pub nodes: u64,
}

impl Evaluation {
    /// Whether it decides the game: a win that is at least that, or a loss that is at most that.
    pub fn is_proof(&self) -> bool {
        match self.bound {
            Bound::Exact => self.score.is_proven(),
            Bound::Lower => self.score.is_win(),
            Bound::Upper => self.score.is_loss(),
        }
    }

    /// Whether it says more than another: a proof more than a value, a short win more than a long one, a deep search
    /// more than a shallow one.
    pub fn is_better_than(&self, other: &Evaluation) -> bool {
        let rank = |e: &Evaluation| (e.is_proof(), e.bound == Bound::Exact, e.depth, e.nodes);
        match (self.is_proof(), other.is_proof()) {
            (true, true) if self.score.is_win() && other.score.is_win() => self.score > other.score,
            _ => rank(self) > rank(other),
        }
    }

    /// The same for the other side, before a move that leads here.
    #[must_use]
    pub fn before_move(&self) -> Evaluation {
        Evaluation { depth: self.depth.saturating_add(1), ..self.of_other_side(1) }
    }

    /// The same for the other side, after the move that it begins with.
    #[must_use]
    pub fn after_move(&self) -> Evaluation {
        Evaluation { depth: self.depth.saturating_sub(1), ..self.of_other_side(-1) }
    }

    /// The same for the other side, with this many plies more to the end of a decided game.
    fn of_other_side(&self, plies: i32) -> Evaluation {
        let distance = |old: i32| (old.abs() + plies).clamp(0, Score::MAX_PLY);
        let score = match self.score.distance() {
            Some(old) if self.score.is_win() => Score::loss_in(distance(old)),
            Some(old) => Score::win_in(distance(old)),
            None => -self.score,
        };
        let bound = match self.bound {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        };
        Evaluation { score, bound, ..*self }
    }
}

/// What a source says about a position. Points are those of the stored image, unless a [`View`](crate::View) gave the
/// entry for a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Games through the position.
    pub counts: Counts,
    /// How often `build` went through the position.
    pub visits: u32,
    /// What a search found.
    pub evaluation: Option<Evaluation>,
    /// The best move.
    pub best: Option<Point>,
    /// A comment.
    pub text: String,
    /// Marks and texts on the board.
    pub marks: Vec<(Point, Mark)>,
}

impl Entry {
    /// Adds what the same source says about the same position in another place: counts add up, the better value stays,
    /// texts and marks are joined without repetition.
    pub fn merge(&mut self, other: Entry) {
        self.counts.add(other.counts);
        self.visits = self.visits.saturating_add(other.visits);
        self.evaluate(other.evaluation, other.best);
        if !other.text.is_empty() && !self.text.contains(&other.text) {
            let separator = if self.text.is_empty() { "" } else { "\n" };
            self.text = format!("{}{separator}{}", self.text, other.text);
        }
        for mark in other.marks {
            if !self.marks.contains(&mark) {
                self.marks.push(mark);
            }
        }
    }

    /// Takes a value and its best move if it says more than the present one.
    pub fn evaluate(&mut self, evaluation: Option<Evaluation>, best: Option<Point>) {
        let is_better = match (&evaluation, &self.evaluation) {
            (Some(new), Some(old)) => new.is_better_than(old),
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_better {
            (self.evaluation, self.best) = (evaluation, best);
        } else if self.best.is_none() {
            self.best = best;
        }
    }

    /// The entry with its points on the stored board.
    #[must_use]
    pub(crate) fn stored(mut self, place: &Place) -> Entry {
        self.move_points(|point| place.store(point));
        self
    }

    /// A stored entry with its points on the board of a position.
    #[must_use]
    pub(crate) fn restored(mut self, place: &Place) -> Entry {
        self.move_points(|point| place.restore(point));
        self
    }

    fn move_points(&mut self, map: impl Fn(Point) -> Point) {
        self.best = self.best.map(&map);
        for (point, _) in &mut self.marks {
            *point = map(*point);
        }
    }

    /// The bytes of an entry of a position on a board of this size.
    pub fn encode(&self, size: BoardSize) -> Vec<u8> {
        let parts = [
            (part::COUNTS, self.counts != Counts::default()),
            (part::VISITS, self.visits != 0),
            (part::EVALUATION, self.evaluation.is_some()),
            (part::BEST, self.best.is_some()),
            (part::TEXT, !self.text.is_empty()),
            (part::MARKS, !self.marks.is_empty()),
        ];
        let parts = parts.into_iter().filter(|(_, is_there)| *is_there).fold(0, |all, (part, _)| all | part);
        let mut sink = Sink(vec![VERSION, parts]);
        if parts & part::COUNTS != 0 {
            let Counts { games, black, white, draws } = self.counts;
            [games, black, white, draws].iter().for_each(|count| sink.number(u64::from(*count)));
        }
        if parts & part::VISITS != 0 {
            sink.number(self.visits.into());
        }
        if let Some(evaluation) = &self.evaluation {
            sink.signed(evaluation.score.raw());
            sink.0.push(evaluation.bound as u8);
            sink.number(evaluation.depth.into());
            sink.number(evaluation.nodes);
        }
        if let Some(best) = self.best {
            sink.number(cell(size, best).into());
        }
        if !self.text.is_empty() {
            sink.text(&self.text);
        }
        if !self.marks.is_empty() {
            encode_marks(&mut sink, size, &self.marks);
        }
        sink.0
    }

    /// The entry that these bytes encode.
    ///
    /// # Errors
    /// If the bytes are not those of an entry of a position on a board of this size.
    pub fn decode(bytes: &[u8], size: BoardSize) -> Result<Entry, Damage> {
        let mut source = Source(bytes);
        match source.byte()? {
            VERSION => {}
            version => return Err(Damage::Version(version)),
        }
        let parts = source.byte()?;
        let has = |part: u8| parts & part != 0;
        if has(!part::ALL) {
            return Err(Damage::Number);
        }
        let mut entry = Entry::default();
        if has(part::COUNTS) {
            let [games, black, white, draws] = [source.narrow()?, source.narrow()?, source.narrow()?, source.narrow()?];
            entry.counts = Counts { games, black, white, draws };
        }
        if has(part::VISITS) {
            entry.visits = source.narrow()?;
        }
        if has(part::EVALUATION) {
            entry.evaluation = Some(decode_evaluation(&mut source)?);
        }
        if has(part::BEST) {
            entry.best = Some(decode_point(&mut source, size)?);
        }
        if has(part::TEXT) {
            entry.text = source.text()?.to_owned();
        }
        if has(part::MARKS) {
            entry.marks = decode_marks(&mut source, size)?;
        }
        source.end()?;
        Ok(entry)
    }
}

fn decode_evaluation(source: &mut Source<'_>) -> Result<Evaluation, Damage> {
    let raw = source.signed()?;
    if raw.abs() > Score::WIN.raw() {
        return Err(Damage::Number);
    }
    let bound = match source.byte()? {
        1 => Bound::Upper,
        2 => Bound::Lower,
        3 => Bound::Exact,
        _ => return Err(Damage::Number),
    };
    Ok(Evaluation { score: Score::from_raw(raw), bound, depth: source.narrow()?, nodes: source.number()? })
}

fn decode_point(source: &mut Source<'_>, size: BoardSize) -> Result<Point, Damage> {
    point(size, source.narrow()?).ok_or(Damage::Point)
}

/// Kinds of marks.
const MARKS: [Mark; 4] = [Mark::Cross, Mark::Circle, Mark::Square, Mark::Triangle];

fn encode_marks(sink: &mut Sink, size: BoardSize, marks: &[(Point, Mark)]) {
    sink.number(marks.len() as u64);
    for (point, mark) in marks {
        sink.number(cell(size, *point).into());
        let kind = MARKS.iter().position(|known| known == mark).unwrap_or(MARKS.len());
        sink.0.push(kind as u8);
        if let Mark::Label(text) = mark {
            sink.text(text);
        }
    }
}

fn decode_marks(source: &mut Source<'_>, size: BoardSize) -> Result<Vec<(Point, Mark)>, Damage> {
    let count: u64 = source.number()?;
    let mut marks = Vec::new();
    for _ in 0..count {
        let point = decode_point(source, size)?;
        let mark = match MARKS.get(usize::from(source.byte()?)) {
            Some(mark) => mark.clone(),
            None => Mark::Label(source.text()?.to_owned()),
        };
        marks.push((point, mark));
    }
    Ok(marks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::option;
    use proptest::prelude::*;
    use proptest::sample::select;

    const SIZE: BoardSize = BoardSize::RENJU;

    fn points() -> impl Strategy<Value = Point> {
        (0..225_u16).prop_map(|cell| point(SIZE, cell).expect("on the board"))
    }

    fn marks() -> impl Strategy<Value = Mark> {
        prop_oneof![select(MARKS.to_vec()), "\\PC{0,9}".prop_map(Mark::Label)]
    }

    fn evaluations() -> impl Strategy<Value = Evaluation> {
        let bounds = select(vec![Bound::Upper, Bound::Lower, Bound::Exact]);
        (-30_000..=30_000, bounds, any::<u32>(), any::<u64>()).prop_map(|(raw, bound, depth, nodes)| Evaluation {
            score: Score::from_raw(raw),
            bound,
            depth,
            nodes,
        })
    }

    fn entries() -> impl Strategy<Value = Entry> {
        let counts = any::<[u32; 4]>().prop_map(|[games, black, white, draws]| Counts { games, black, white, draws });
        let marks = proptest::collection::vec((points(), marks()), 0..4);
        let parts = (
            option::of(counts),
            option::of(any::<u32>()),
            option::of(evaluations()),
            option::of(points()),
            "\\PC{0,20}",
            marks,
        );
        parts.prop_map(|(counts, visits, evaluation, best, text, marks)| Entry {
            counts: counts.unwrap_or_default(),
            visits: visits.unwrap_or_default(),
            evaluation,
            best,
            text,
            marks,
        })
    }

    proptest! {
        #[test]
        fn entries_are_read_back(entry in entries()) {
            prop_assert_eq!(Entry::decode(&entry.encode(SIZE), SIZE), Ok(entry));
        }

        #[test]
        fn damaged_entries_are_errors(entry in entries(), at in any::<usize>(), to in any::<u8>()) {
            let mut bytes = entry.encode(SIZE);
            for cut in 0..bytes.len() {
                prop_assert!(Entry::decode(&bytes[..cut], SIZE).is_err());
            }
            let at = at % bytes.len();
            bytes[at] = to;
            // What still decodes is an entry with one encoding.
            if let Ok(other) = Entry::decode(&bytes, SIZE) {
                prop_assert_eq!(Entry::decode(&other.encode(SIZE), SIZE), Ok(other));
            }
        }

        #[test]
        fn any_bytes_are_an_entry_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = Entry::decode(&bytes, SIZE);
        }
    }

    fn evaluation(score: Score, depth: u32) -> Evaluation {
        Evaluation { score, bound: Bound::Exact, depth, nodes: 0 }
    }

    #[test]
    fn proofs_and_depth_decide_which_value_stays() {
        let (win, short) = (evaluation(Score::win_in(9), 1), evaluation(Score::win_in(5), 1));
        let (deep, shallow) = (evaluation(Score::units(10), 20), evaluation(Score::units(90), 10));
        assert!(win.is_better_than(&deep) && deep.is_better_than(&shallow) && short.is_better_than(&win));
        assert!(!deep.is_better_than(&deep) && !deep.is_better_than(&win));
        let bound = |score, bound| Evaluation { bound, ..evaluation(score, 3) };
        assert!(bound(Score::win_in(3), Bound::Lower).is_proof());
        assert!(!bound(Score::win_in(3), Bound::Upper).is_proof());
        assert!(bound(Score::loss_in(4), Bound::Upper).is_proof());
    }

    #[test]
    fn a_move_adds_a_ply() {
        assert_eq!(evaluation(Score::loss_in(4), 7).before_move(), evaluation(Score::win_in(5), 8));
        assert_eq!(evaluation(Score::win_in(5), 7).before_move(), evaluation(Score::loss_in(6), 8));
        assert_eq!(evaluation(Score::units(-30), 7).before_move(), evaluation(Score::units(30), 8));
        assert_eq!(evaluation(Score::win_in(5), 7).after_move(), evaluation(Score::loss_in(4), 6));
        let unknown = evaluation(Score::win_in(Score::MAX_PLY), 0);
        assert!(unknown.before_move().score.is_loss());
    }

    #[test]
    fn entries_of_one_source_are_joined() {
        let [a, b] = [Point::at(1, 1), Point::at(2, 2)];
        let counts = Counts { games: 1, black: 1, ..Counts::default() };
        let marks = vec![(a, Mark::Cross)];
        let mut entry = Entry { counts, text: "one".into(), marks: marks.clone(), ..Entry::default() };
        let value = evaluation(Score::units(5), 3);
        let other = Entry { evaluation: Some(value), best: Some(b), text: "two".into(), ..entry.clone() };
        entry.merge(other.clone());
        entry.merge(Entry { counts: Counts::default(), evaluation: Some(evaluation(Score::ZERO, 2)), ..other });
        assert_eq!((entry.counts.games, entry.counts.black), (2, 2));
        assert_eq!((entry.evaluation, entry.best), (Some(value), Some(b)));
        assert_eq!((entry.text.as_str(), entry.marks), ("one\ntwo", marks));
    }
}
