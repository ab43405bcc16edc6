//! Exports a review: JSON, and SGF with values and variations.

use crate::report::words;
use crate::review::{Grade, Judgement, Review};
use crate::wording::{chance, of_black};
use serde::Serialize;
use tengen::board::{BySide, Point, Setup, Side, format_point, format_points, point_labels};
use tengen::score::Score;
use tengen_record::{NodeId, Record, Tree, Value, write_sgf};

/// A review in JSON. Win probabilities are 0 to 1; moves are labels.
#[derive(Clone, Debug, Serialize)]
pub struct ReviewJson {
    /// Width and height.
    size: (u8, u8),
    rule: &'static str,
    /// Why the rule may be wrong, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_assumed: Option<String>,
    /// All stones in order.
    stones: String,
    /// Stones that were set up before the first move.
    first: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// Black's win probability before the first move and after each; null for positions that a stopped review did not
    /// reach.
    black_win_rate: Vec<Option<f64>>,
    moves: Vec<MoveJson>,
    black: SumJson,
    white: SumJson,
    complete: bool,
    nodes: u64,
    /// As in the output for a position: true in the last object for this game.
    #[serde(rename = "final")]
    last: bool,
}

#[derive(Clone, Debug, Serialize)]
struct MoveJson {
    number: usize,
    side: &'static str,
    #[serde(rename = "move")]
    point: String,
    before: ScoreJson,
    after: ScoreJson,
    /// Win probability lost, 0 to 1.
    loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'static str>,
    missed_win: bool,
    allowed_win: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    better: Option<BetterJson>,
    reply: Vec<String>,
}

/// A score of the side that moves: evaluation units, or plies from before its move to a proven win (negative: a loss).
#[derive(Clone, Debug, Serialize)]
struct ScoreJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    win_rate: f64,
}

#[derive(Clone, Debug, Serialize)]
struct BetterJson {
    #[serde(flatten)]
    score: ScoreJson,
    moves: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct SumJson {
    moves: usize,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
    missed_wins: usize,
    allowed_wins: usize,
    /// Mean loss of win probability for a move, 0 to 1.
    mean_loss: f64,
}

fn rounded(rate: f64) -> f64 {
    (rate * 1e4).round() / 1e4
}

impl ScoreJson {
    fn new(score: Score) -> ScoreJson {
        let mate = score.distance();
        let score_units = if mate.is_none() { Some(score.raw()) } else { None };
        ScoreJson { score: score_units, mate, win_rate: rounded(score.win_rate()) }
    }
}

impl ReviewJson {
    /// A review for JSON; `assumed` states why the rule may be wrong.
    pub fn new(review: &Review, assumed: Option<&str>) -> ReviewJson {
        let size = review.game.setup.size;
        let stones: Vec<Point> = review.game.setup.stones.iter().map(|(p, _)| *p).collect();
        let labels = |points: &[Point]| point_labels(size, points);
        let sums = review.summary();
        let sum = |side: Side| {
            let sum = sums[side];
            let [inaccuracies, mistakes, blunders] = sum.grades;
            SumJson {
                moves: sum.moves,
                inaccuracies,
                mistakes,
                blunders,
                missed_wins: sum.missed,
                allowed_wins: sum.allowed,
                mean_loss: rounded(sum.loss / sum.moves.max(1) as f64),
            }
        };
        let judged = |m: &Judgement| MoveJson {
            number: m.number,
            side: m.side.name(),
            point: format_point(size, m.point),
            before: ScoreJson::new(m.before),
            after: ScoreJson::new(m.after),
            loss: rounded(m.loss),
            grade: m.grade.map(|grade| grade.name()),
            missed_win: m.missed_win,
            allowed_win: m.allowed_win,
            better: m
                .better
                .as_ref()
                .map(|better| BetterJson { score: ScoreJson::new(better.score), moves: labels(&better.moves) }),
            reply: labels(&m.reply),
        };
        ReviewJson {
            size: (size.width(), size.height()),
            rule: review.game.rule.name(),
            rule_assumed: assumed.map(str::to_owned),
            stones: format_points(size, &stones),
            first: review.game.first,
            outcome: review.outcome.as_ref().map(ToString::to_string),
            black_win_rate: review.win_rates.iter().map(|rate| rate.map(rounded)).collect(),
            moves: review.moves.iter().map(judged).collect(),
            black: sum(Side::Black),
            white: sum(Side::White),
            complete: review.complete,
            nodes: review.nodes,
            last: true,
        }
    }
}

/// Data about the game that a review does not contain.
#[derive(Clone, Copy, Debug)]
pub struct Reviewed<'a> {
    /// Names of the players.
    pub names: &'a BySide<String>,
    /// The result in SGF notation.
    pub result: Option<&'a str>,
    /// The passes: the side, and the number of stones at that time.
    pub passes: &'a [(usize, Side)],
    /// Why the rule may be wrong, in words.
    pub assumed: Option<&'a str>,
}

/// A review as SGF: the game as the main line, with values (`V`: -1 white wins, 1 black wins), bad moves (`DO`, `BM`)
/// and comments, and the better moves as variations. The game's passes stay in place; `assumed` states why the rule may
/// be wrong.
pub fn review_sgf(review: &Review, of: &Reviewed<'_>) -> String {
    let Reviewed { names, result, passes, assumed } = *of;
    let setup = &review.game.setup;
    let result = match &review.outcome {
        Some(outcome) => match outcome.winner() {
            Some(Side::Black) => "B+",
            Some(Side::White) => "W+",
            None => "0",
        },
        None => result.unwrap_or("?"),
    };
    let (set_up, moves) = setup.stones.split_at(review.game.first);
    let first = |stones: usize| passes.iter().find(|(at, _)| *at == stones).map(|(_, side)| *side);
    let to_move = first(set_up.len()).or(moves.first().map(|(_, side)| *side)).unwrap_or(setup.to_move);
    let start = Setup { stones: set_up.to_vec(), to_move, ..setup.clone() };
    let mut record = Record::new(Some(review.game.rule), start);
    record.names = names.clone();
    record.result = Some(result.to_owned());
    let tree = &mut record.tree;
    tree.root_mut().comment = assumed.unwrap_or_default().to_owned();
    let mut at = Tree::ROOT;
    let pass_at = |tree: &mut Tree, mut at: NodeId, stones: usize| {
        for (_, side) in passes.iter().filter(|(before, _)| *before == stones) {
            at = tree.add_pass(at, *side);
        }
        at
    };
    for (i, (point, side)) in moves.iter().enumerate() {
        let before = pass_at(tree, at, set_up.len() + i);
        at = tree.add(before, *point, *side);
        let judged = review.moves.iter().find(|m| m.number == review.game.first + i + 1);
        let node = tree.get_mut(at).expect("just added");
        let property = |name: &str, value: &str| (name.to_owned(), vec![value.to_owned()]);
        if let Some(Some(rate)) = review.win_rates.get(i + 1) {
            node.value = Some(Value { win_rate: *rate, ..Value::default() });
            node.properties.push(property("V", &format!("{:.2}", 2.0 * rate - 1.0)));
        }
        let Some(judged) = judged else { continue };
        node.properties.extend(judged.grade.map(|grade| match grade {
            Grade::Inaccuracy => property("DO", ""),
            Grade::Mistake => property("BM", "1"),
            Grade::Blunder => property("BM", "2"),
        }));
        node.comment = comment(review, judged);
        let Some(better) = &judged.better else { continue };
        let (mut branch, mut side) = (before, judged.side);
        for (i, point) in better.moves.iter().enumerate() {
            branch = tree.add(branch, *point, side);
            if let Some(node) = tree.get_mut(branch).filter(|_| i == 0) {
                node.comment = chance(of_black(better.score, side));
            }
            side = !side;
        }
    }
    pass_at(&mut record.tree, at, setup.stones.len());
    write_sgf(&record)
}

/// The comment of a move.
fn comment(review: &Review, judged: &Judgement) -> String {
    let [before, after] = [judged.before, judged.after].map(|score| chance(of_black(score, judged.side)));
    let rates = format!("{after}, with the best move {before}");
    match words(review, judged) {
        words if words.is_empty() => rates,
        words => format!("{rates}\n{words}"),
    }
}
