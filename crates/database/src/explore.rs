//! Questions about a position: what is known of it, and of the moves from it.
//!
//! A move is its position: the moves that lead to images of the same position are one, and so are the ways to a
//! position through other moves.

use crate::entry::{Counts, Entry, Evaluation};
use crate::error::Error;
use crate::key::{Key, Place};
use crate::source::{Kind, Source, SourceId};
use crate::store::View;
use std::collections::{BTreeSet, HashMap};
use tengen::board::{Cell, Point, Setup};
use tengen::rules::Rule;
use tengen_record::Mark;

/// Which sources answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter(Option<BTreeSet<SourceId>>);

impl Filter {
    /// All sources.
    pub const ALL: Filter = Filter(None);

    /// The sources that satisfy a condition.
    pub fn of(view: &View, is_wanted: impl Fn(SourceId, &Source) -> bool) -> Filter {
        let wanted = view.sources().iter().filter(|(id, source)| is_wanted(**id, source));
        Filter(Some(wanted.map(|(id, _)| *id).collect()))
    }

    /// The sources with one of these numbers, kinds, or names that contain one of the texts. No text means all.
    pub fn named(view: &View, texts: &[String]) -> Filter {
        let is = |text: &String, id: SourceId, source: &Source| {
            text.parse() == Ok(id) || source.kind.name() == text || source.name.contains(text.as_str())
        };
        match texts {
            [] => Filter::ALL,
            texts => Filter::of(view, |id, source| texts.iter().any(|text| is(text, id, source))),
        }
    }

    /// The sources whose values this engine found.
    pub fn own(view: &View) -> Filter {
        Filter::of(view, |_, source| source.kind.is_own())
    }

    fn has(&self, source: SourceId) -> bool {
        self.0.as_ref().is_none_or(|wanted| wanted.contains(&source))
    }

    /// Whether no source answers.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_some_and(BTreeSet::is_empty)
    }
}

/// What the sources say about a position together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The sources that know the position.
    pub sources: Vec<SourceId>,
    /// Games of all of them.
    pub counts: Counts,
    /// How often `build` went through the position.
    pub visits: u32,
    /// The best of the values, for the side to move.
    pub evaluation: Option<Evaluation>,
    /// The best move by that value.
    pub best: Option<Point>,
    /// Comments with their sources.
    pub texts: Vec<(SourceId, String)>,
    /// Marks and texts on the board.
    pub marks: Vec<(Point, Mark)>,
}

impl Summary {
    fn of(entries: Vec<(SourceId, Entry)>, filter: &Filter) -> Summary {
        let mut joined = Entry::default();
        let mut summary = Summary::default();
        for (source, mut entry) in entries.into_iter().filter(|(source, _)| filter.has(*source)) {
            summary.sources.push(source);
            let text = std::mem::take(&mut entry.text);
            summary.texts.extend((!text.is_empty()).then_some((source, text)));
            joined.merge(entry);
        }
        let Entry { counts, visits, evaluation, best, marks, .. } = joined;
        Summary { counts, visits, evaluation, best, marks, ..summary }
    }

    /// Whether no source knows the position.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}

/// A move from a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The point, the first in board order among its images.
    pub point: Point,
    /// The other points that lead to images of the same position.
    pub images: Vec<Point>,
    /// What is known of the position after the move; its value is that of the opponent, who moves there.
    pub after: Summary,
}

impl Move {
    /// The value for the side that makes the move.
    pub fn evaluation(&self) -> Option<Evaluation> {
        self.after.evaluation.map(|evaluation| evaluation.before_move())
    }
}

/// A position and the moves from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explored {
    /// The position.
    pub position: Summary,
    /// The known moves: first those with a value, the best first, then by games, then in board order.
    pub moves: Vec<Move>,
}

/// What is known of a position and of the moves from it.
///
/// # Errors
/// If the setup is not a position, or the database cannot be read.
pub fn explore(view: &View, setup: &Setup, rule: Rule, filter: &Filter) -> Result<Explored, Error> {
    let position = Summary::of(view.entries(setup, rule)?, filter);
    let mut moves: Vec<Move> = Vec::new();
    let mut seen: HashMap<Key, Option<usize>> = HashMap::new();
    for point in setup.size.points().filter(|point| setup.cell(*point) == Cell::Empty) {
        let after = setup.after(point);
        let place = Place::of(&after, rule)?;
        match seen.get(&place.key) {
            Some(Some(known)) => moves[*known].images.push(point),
            Some(None) => {}
            None => {
                let entries = view.stored(&place.key)?;
                let restored = entries.into_iter().map(|(source, entry)| (source, entry.restored(&place))).collect();
                let after = Summary::of(restored, filter);
                let is_known = !after.is_empty();
                seen.insert(place.key, is_known.then_some(moves.len()));
                moves.extend(is_known.then(|| Move { point, images: Vec::new(), after }));
            }
        }
    }
    let raw = |m: &Move| m.evaluation().map(|evaluation| evaluation.score.raw());
    moves.sort_by(|a, b| raw(b).cmp(&raw(a)).then(b.after.counts.games.cmp(&a.after.counts.games)));
    Ok(Explored { position, moves })
}

/// What is proven of a position: its value by the entry itself, or by an entry after one of its moves; with a winning
/// move if it is a win and one is known.
///
/// # Errors
/// As [`explore`].
pub fn proof(explored: &Explored) -> Option<(Evaluation, Option<Point>)> {
    let wins = explored.moves.iter().filter_map(|m| Some((m.evaluation()?, m.point)));
    let wins = wins.filter(|(evaluation, _)| evaluation.is_proof() && evaluation.score.is_win());
    let by_move = wins.max_by_key(|(evaluation, _)| evaluation.score);
    let own = explored.position.evaluation.filter(Evaluation::is_proof);
    match (own, by_move) {
        (Some(own), Some((won, _))) if own.score >= won.score => Some((own, explored.position.best)),
        (_, Some((won, point))) => Some((won, Some(point))),
        (Some(own), None) => Some((own, explored.position.best)),
        (None, None) => None,
    }
}

/// The moves of a position that are proven to lose, each with its images.
pub fn losing_moves(explored: &Explored) -> Vec<Point> {
    let loses = |m: &&Move| m.evaluation().is_some_and(|e| e.is_proof() && e.score.is_loss());
    explored.moves.iter().filter(loses).flat_map(|m| std::iter::once(m.point).chain(m.images.iter().copied())).collect()
}

/// How many entries of each kind of source there are, with the positions of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Different positions.
    pub positions: u64,
    /// Entries.
    pub entries: u64,
    /// Positions with a value.
    pub values: u64,
    /// Positions with a proof.
    pub proofs: u64,
    /// Positions with a comment.
    pub texts: u64,
    /// Entries of each source.
    pub of_source: HashMap<SourceId, u64>,
    /// Positions of each rule and board, by name.
    pub of_board: HashMap<(Rule, tengen::board::BoardSize), u64>,
}

/// Counts the whole database.
///
/// # Errors
/// If it cannot be read.
pub fn statistics(view: &View) -> Result<Statistics, Error> {
    let mut found = Statistics::default();
    let mut last: Option<Key> = None;
    let (mut seen_value, mut seen_proof, mut seen_text) = (false, false, false);
    let mut damaged = None;
    view.scan(|key, source, entry| {
        if last.as_ref() != Some(key) {
            (seen_value, seen_proof, seen_text) = (false, false, false);
            found.positions += 1;
            match key.decode() {
                Ok((rule, setup)) => *found.of_board.entry((rule, setup.size)).or_default() += 1,
                Err(damage) => damaged = Some(damage),
            }
            last = Some(key.clone());
        }
        found.entries += 1;
        *found.of_source.entry(source).or_default() += 1;
        let once = |seen: &mut bool, is: bool| u64::from(is && !std::mem::replace(seen, *seen || is));
        found.values += once(&mut seen_value, entry.evaluation.is_some());
        found.proofs += once(&mut seen_proof, entry.evaluation.is_some_and(|e| e.is_proof()));
        found.texts += once(&mut seen_text, !entry.text.is_empty());
        damaged.is_none()
    })?;
    match damaged {
        Some(damage) => Err(damage.into()),
        None => Ok(found),
    }
}

impl Kind {
    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
