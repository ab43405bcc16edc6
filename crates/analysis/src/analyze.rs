//! Analyzes one position: principal variations while they improve, and proven wins to the end of the game.

use crate::wording::{self, black_score, chance, chance_cell, of_black};
use serde::Serialize;
use tengen::board::{BoardSize, Point, Setup, Side, format_point, format_points, point_labels};
use tengen::control::StopToken;
use tengen::engine::{Answer, Engine, Limits, Line, Report, Request};
use tengen::rules::game::{Game, Status};
use tengen::rules::{Outcome, Rule};
use tengen::score::Score;

/// A proven win to the end of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Win {
    /// All moves from the root, of both sides.
    pub moves: Vec<Point>,
    /// The winner.
    pub side: Side,
    /// The outcome after the moves; `None` if the node limit ended the search before the end of the game.
    pub outcome: Option<Outcome>,
}

/// The outcome of a game that is already over: an analysis is not possible then.
pub fn ended(setup: &Setup, rule: Rule) -> Option<Outcome> {
    Game::from_setup(rule, setup.clone()).ok().and_then(|game| game.outcome().cloned())
}

/// The stones of the winning row; empty if the game was not won by a row.
pub fn winning_row(setup: &Setup, rule: Rule) -> Vec<Point> {
    match ended(setup, rule) {
        Some(Outcome::Win { row, .. }) => row,
        _ => Vec::new(),
    }
}

/// The result of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The lines, best first; empty on a full board.
    pub lines: Vec<Line>,
    /// The proven win of the best line, for either side.
    pub win: Option<Win>,
}

/// Nodes of each search that continues from the end of a proven line.
const EXTENSION: u64 = 2_000_000;

/// Runs the requested search. It calls `on_lines` with each complete set of lines, best first.
///
/// If the best line is a proven win or loss, further searches extend it to the end of the game.
pub fn analyze(
    engine: &mut Engine,
    request: &Request,
    stop: &StopToken,
    on_lines: &mut dyn FnMut(&[Line]),
) -> Analysis {
    let mut lines = best_lines(engine, request, stop, on_lines);
    let win = lines.first().and_then(|line| play_out(engine, &request.setup, request.rule, line, EXTENSION, stop));
    if let Some((win, first)) = win.as_ref().zip(lines.first_mut()) {
        first.moves.clone_from(&win.moves);
    }
    lines.iter_mut().for_each(|line| extend_short_line(engine, request, line));
    Analysis { lines, win }
}

/// A shorter line is the fragment of a search that was stopped.
const MIN_LINE_LENGTH: usize = 3;
/// Nodes of the short search that extends a fragment.
const EXTENSION_NODES: u64 = 20_000;

/// Extends a line of one or two moves by short searches, which run although the main search was stopped.
fn extend_short_line(engine: &mut Engine, request: &Request, line: &mut Line) {
    // A line without a depth does not come from a search.
    while line.moves.len() < MIN_LINE_LENGTH && line.depth > 0 {
        let mut setup = request.setup.clone();
        line.moves.iter().for_each(|point| setup.play(*point));
        if ended(&setup, request.rule).is_some() {
            return;
        }
        let request = Request::new(setup, request.rule, Limits::nodes(EXTENSION_NODES));
        let found = engine.think(&request, &StopToken::new(), &mut |_| {}).line.moves;
        if found.is_empty() {
            return;
        }
        line.moves.extend(found);
    }
}

/// The final lines of a search, best first: as many as requested, or as many as were found; none on a full board. Calls
/// `on_lines` with each complete set.
pub fn best_lines(
    engine: &mut Engine,
    request: &Request,
    stop: &StopToken,
    on_lines: &mut dyn FnMut(&[Line]),
) -> Vec<Line> {
    let mut newest: Vec<Line> = Vec::new();
    let outcome = engine.think(request, stop, &mut |report| {
        let Report::Line(line) = report else { return };
        newest.truncate(line.pv_count);
        match newest.get_mut(line.pv_index) {
            Some(slot) => *slot = line.clone(),
            None => newest.push(line.clone()),
        }
        if line.pv_index + 1 == line.pv_count {
            on_lines(&newest);
        }
    });
    // Without a search (the first move on an empty board) the answer is the only line.
    if newest.is_empty() && matches!(outcome.answer, Answer::Points(_)) {
        newest.push(outcome.line);
    }
    newest
}

/// A proven win to the end of the game: the line's moves and, if they end earlier, the moves of further searches of up
/// to `nodes` each. `None` for a line without a proven score, or an invalid setup.
pub fn play_out(
    engine: &mut Engine,
    setup: &Setup,
    rule: Rule,
    line: &Line,
    nodes: u64,
    stop: &StopToken,
) -> Option<Win> {
    let winner = winner(line.score, setup.to_move)?;
    let mut game = Game::from_setup(rule, setup.clone()).ok()?;
    let mut pending = line.moves.clone();
    let mut win = Win { moves: Vec::new(), side: winner, outcome: None };
    // Each round plays at least one move, so the number of cells limits the rounds.
    while !pending.is_empty() {
        for point in pending.drain(..) {
            let Ok(status) = game.play(point) else { return Some(win) };
            win.moves.push(point);
            if let Status::Over(outcome) = status {
                win.outcome = (outcome.winner() == Some(winner)).then_some(outcome);
                return Some(win);
            }
        }
        let request = Request::new(game.setup(), rule, Limits::nodes(nodes));
        let found = engine.think(&request, stop, &mut |_| {});
        if self::winner(found.line.score, game.to_move()) != Some(winner) {
            return Some(win);
        }
        pending = found.line.moves;
    }
    Some(win)
}

/// The winner by a proven score of the side to move.
fn winner(score: Score, to_move: Side) -> Option<Side> {
    match (score.is_win(), score.is_loss()) {
        (true, _) => Some(to_move),
        (_, true) => Some(!to_move),
        (false, false) => None,
    }
}

/// A line as a row of a table, without a line break: rank, depth, Black's win rate and score, moves.
pub fn row(size: BoardSize, to_move: Side, line: &Line) -> String {
    let moves = labels(size, &line.moves);
    let depth = format!("{}-{}", line.depth, line.seldepth);
    let rate = chance_cell(of_black(line.score, to_move));
    let score = black_score(line.score, to_move).to_string();
    format!("{:>2}  {depth:>6}  {rate} {score:>14}  {moves}", line.pv_index + 1)
}

/// A proven win in words: the winner, the number of plies, all moves, and the end of the game.
pub fn win_text(size: BoardSize, win: &Win) -> String {
    let plies = win.moves.len();
    let moves = labels(size, &win.moves);
    match &win.outcome {
        Some(outcome) => format!("{outcome} after {}: {moves}", wording::plies(plies)),
        None => format!("{} has a proven win, which begins with {moves}", win.side.name()),
    }
}

/// Labels with blanks between them.
pub(super) fn labels(size: BoardSize, points: &[Point]) -> String {
    point_labels(size, points).join(" ")
}

/// The result in a sentence: the move and its evaluation.
pub fn verdict(size: BoardSize, to_move: Side, analysis: &Analysis) -> Option<String> {
    let line = analysis.lines.first()?;
    let point = format_point(size, *line.moves.first()?);
    Some(match &analysis.win {
        Some(win) => format!("best move {point}: {}", win_text(size, win)),
        None => format!("best move {point}: {}", chance(of_black(line.score, to_move))),
    })
}

/// The header of [`row`]'s table.
pub const HEAD: &str = " #   depth           win  Black's score  line";

/// Lines or a result in JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Json {
    depth: u32,
    seldepth: u32,
    nodes: u64,
    ms: u64,
    lines: Vec<JsonLine>,
    #[serde(rename = "final")]
    last: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    win: Option<JsonWin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forbidden: Option<Vec<String>>,
}

/// One line. The score is in evaluation units, and absent if the game is decided: `mate` then gives the number of plies
/// in which the mover wins, or loses if it is negative.
#[derive(Clone, Debug, Serialize)]
struct JsonLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    win_rate: f64,
    moves: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct JsonWin {
    side: &'static str,
    plies: usize,
    moves: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
}

impl Json {
    /// An intermediate state of the search.
    pub fn of_lines(size: BoardSize, lines: &[Line]) -> Json {
        let first = lines.first();
        Json {
            depth: first.map_or(0, |l| l.depth),
            seldepth: first.map_or(0, |l| l.seldepth),
            nodes: lines.iter().map(|l| l.nodes).max().unwrap_or(0),
            ms: first.map_or(0, |l| u64::try_from(l.elapsed.as_millis()).unwrap_or(u64::MAX)),
            lines: lines.iter().map(|l| JsonLine::new(size, l)).collect(),
            last: false,
            win: None,
            forbidden: None,
        }
    }

    /// The result, with the points that are forbidden to the side to move.
    pub fn of_analysis(size: BoardSize, analysis: &Analysis, forbidden: &[Point]) -> Json {
        let win = analysis.win.as_ref().map(|w| JsonWin {
            side: w.side.name(),
            plies: w.moves.len(),
            moves: format_points(size, &w.moves),
            outcome: w.outcome.as_ref().map(ToString::to_string),
        });
        let forbidden = Some(point_labels(size, forbidden));
        Json { last: true, win, forbidden, ..Json::of_lines(size, &analysis.lines) }
    }
}

impl JsonLine {
    fn new(size: BoardSize, line: &Line) -> JsonLine {
        let decided = line.score.distance();
        JsonLine {
            score: if decided.is_none() { Some(line.score.raw()) } else { None },
            mate: decided,
            win_rate: (line.score.win_rate() * 1e4).round() / 1e4,
            moves: point_labels(size, &line.moves),
        }
    }
}
