//! The explorer: what the database says about the shown position and the moves from it.

use serde::Serialize;
use tengen::board::{BoardSize, Setup, Side};
use tengen::engine::{Bound, Score};
use tengen::rules::Rule;
use tengen_database::{Counts, Error, Evaluation, Filter, Kind, Summary, View, explore, proof};
use tengen_record::{Mark, Value};
use tengen_session::points::{BoardPoint, BoardPoints};
use tengen_session::value;
use tengen_session::view::ValueForm;

/// The answer to `GET /api/explore`, or null while it would help a player.
#[derive(Serialize)]
pub struct ExplorerView {
    /// The number of the game, and the node, that the answer is about.
    pub game: u64,
    /// The node.
    pub node: u32,
    /// Whether the database has no positions at all.
    pub empty: bool,
    /// All sources.
    pub sources: Vec<SourceView>,
    /// The position.
    pub position: SummaryView,
    /// The moves from it, the best first.
    pub moves: Vec<MoveView>,
}

/// A source of the database.
#[derive(Serialize)]
pub struct SourceView {
    id: u32,
    name: String,
    kind: &'static str,
}

/// What is known of a position.
#[derive(Serialize)]
pub struct SummaryView {
    games: u32,
    black: u32,
    white: u32,
    draws: u32,
    value: Option<ValueForm>,
    /// How the value relates to the true one: `lower` or `upper` in Black's view, or null.
    bound: Option<&'static str>,
    best: Option<BoardPoint>,
    texts: Vec<TextView>,
    marks: Vec<MarkView>,
}

/// A comment of a source.
#[derive(Serialize)]
pub struct TextView {
    source: String,
    text: String,
}

/// A mark or a text on the board.
#[derive(Serialize)]
pub struct MarkView {
    at: BoardPoint,
    shape: &'static str,
    text: Option<String>,
}

/// A known move.
#[derive(Serialize)]
pub struct MoveView {
    at: BoardPoint,
    /// The other points that lead to images of the same position.
    images: BoardPoints,
    /// The position after it. Its value counts plies from before the move.
    #[serde(flatten)]
    after: SummaryView,
}

/// The sources that answer, as a page names them: a number, a kind, or nothing for all.
fn filter(view: &View, wanted: &str) -> Filter {
    match (wanted.parse::<u32>(), Kind::from_name(wanted)) {
        (Ok(number), _) => Filter::of(view, |id, _| id == number),
        (_, Some(kind)) => Filter::of(view, |_, source| source.kind == kind),
        _ => Filter::ALL,
    }
}

impl ExplorerView {
    /// What the wanted sources say about a position.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn of(
        view: &View,
        (game, node): (u64, u32),
        setup: &Setup,
        rule: Rule,
        wanted: &str,
    ) -> Result<ExplorerView, Error> {
        let found = explore(view, setup, rule, &filter(view, wanted))?;
        let (size, side) = (setup.size, setup.to_move);
        let name = |id: &u32| view.sources().get(id).map(|source| source.name.clone()).unwrap_or_default();
        let summary = |summary: &Summary, evaluation| SummaryView::new(size, side, summary, evaluation, &name);
        let known = proof(&found).map(|(evaluation, best)| (Some(evaluation), best));
        let (evaluation, best) = known.unwrap_or((found.position.evaluation, found.position.best));
        // Among images the listed point stands for all.
        let listed = |point| found.moves.iter().find(|m| m.images.contains(&point)).map_or(point, |m| m.point);
        let best = best.or(found.position.best).map(|point| BoardPoint::new(size, listed(point)));
        let source = |(id, source): (&u32, &tengen_database::Source)| SourceView {
            id: *id,
            name: source.name.clone(),
            kind: source.kind.name(),
        };
        let moves = found.moves.iter().map(|m| MoveView {
            at: BoardPoint::new(size, m.point),
            images: BoardPoints::new(size, m.images.as_slice()),
            after: summary(&m.after, m.evaluation()),
        });
        Ok(ExplorerView {
            game,
            node,
            empty: view.is_empty()?,
            sources: view.sources().iter().map(source).collect(),
            position: SummaryView { best, ..summary(&found.position, evaluation) },
            moves: moves.collect(),
        })
    }
}

impl SummaryView {
    /// `evaluation` is that of `side`, who moves in the shown position.
    fn new(
        size: BoardSize,
        side: Side,
        summary: &Summary,
        evaluation: Option<Evaluation>,
        name: &dyn Fn(&u32) -> String,
    ) -> SummaryView {
        let Counts { games, black, white, draws } = summary.counts;
        let texts = summary.texts.iter().map(|(id, text)| TextView { source: name(id), text: text.clone() });
        let mark = |(point, mark): &(_, Mark)| MarkView {
            at: BoardPoint::new(size, *point),
            shape: shape(mark),
            text: if let Mark::Label(text) = mark { Some(text.clone()) } else { None },
        };
        SummaryView {
            games,
            black,
            white,
            draws,
            value: evaluation.map(|evaluation| ValueForm::from(&of_evaluation(&evaluation, side))),
            bound: evaluation.and_then(|evaluation| bound(&evaluation, side)),
            best: summary.best.map(|point| BoardPoint::new(size, point)),
            texts: texts.collect(),
            marks: summary.marks.iter().map(mark).collect(),
        }
    }
}

/// A value as Black's. A win in an unknown number of plies has 0 of them.
fn of_evaluation(evaluation: &Evaluation, side: Side) -> Value {
    let Evaluation { score, depth, nodes, .. } = *evaluation;
    let value = value::of_score(score, side);
    let is_unknown = score.distance().is_some_and(|plies| plies.abs() == Score::MAX_PLY);
    let mate = value.mate.map(|(winner, plies)| (winner, if is_unknown { 0 } else { plies }));
    Value { mate, depth, nodes, ..value }
}

/// The bound of a value that decides nothing, in Black's view.
fn bound(evaluation: &Evaluation, side: Side) -> Option<&'static str> {
    match (evaluation.bound, side) {
        _ if evaluation.is_proof() => None,
        (Bound::Exact, _) => None,
        (Bound::Lower, Side::Black) | (Bound::Upper, Side::White) => Some("lower"),
        (Bound::Upper, Side::Black) | (Bound::Lower, Side::White) => Some("upper"),
    }
}

/// The name of a mark among those that the page draws.
const fn shape(mark: &Mark) -> &'static str {
    match mark {
        Mark::Cross => "cross",
        Mark::Circle => "circle",
        Mark::Square => "square",
        Mark::Triangle => "triangle",
        Mark::Label(_) => "label",
    }
}
