//! A deep look at one position: lines as they improve, and proven wins with all their moves.

use crate::wording::{self, black_score, chance, chance_cell, of_black};
use serde::Serialize;
use tengen::board::{BoardSize, Point, Setup, Side, format_point, format_points, point_labels};
use tengen::control::StopToken;
use tengen::engine::{Answer, Engine, Limits, Line, Report, Request};
use tengen::rules::game::{Game, Status};
use tengen::rules::{Outcome, Rule};
use tengen::score::Score;

/// A proven win, played out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Win {
    /// All moves from the root, both sides'.
    pub moves: Vec<Point>,
    /// The winner.
    pub side: Side,
    /// How the game ends after them; `None` if the end was not reached within the nodes given.
    pub outcome: Option<Outcome>,
}

/// How the game has ended already, if it has: then there is nothing to analyze.
pub fn ended(setup: &Setup, rule: Rule) -> Option<Outcome> {
    Game::from_setup(rule, setup.clone()).ok().and_then(|game| game.outcome().cloned())
}

/// The stones of the row that won the game; none where it was not won by a row.
pub fn winning_row(setup: &Setup, rule: Rule) -> Vec<Point> {
    match ended(setup, rule) {
        Some(Outcome::Win { row, .. }) => row,
        _ => Vec::new(),
    }
}

/// What an analysis came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The lines, best first; empty on a full board.
    pub lines: Vec<Line>,
    /// The win that the best line is, for whichever side.
    pub win: Option<Win>,
}

/// Nodes for each search that goes on from the end of a proven line.
const EXTENSION: u64 = 2_000_000;

/// Searches as the request says; `on_lines` is told each time that a set of lines is complete, best first.
///
/// A best line that is a proven win or loss is played out to the end of the game.
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
    lines.iter_mut().for_each(|line| lengthen(engine, request, line));
    Analysis { lines, win }
}

/// A line that ends sooner is a stub of a search that was stopped.
const SHORTEST: usize = 3;
/// Nodes of the short search that goes on from a stub.
const STUB: u64 = 20_000;

/// Adds to a line of one or two moves what short searches find after them, which go on though the other was stopped.
fn lengthen(engine: &mut Engine, request: &Request, line: &mut Line) {
    // A line without a depth comes from no search.
    while line.moves.len() < SHORTEST && line.depth > 0 {
        let mut setup = request.setup.clone();
        line.moves.iter().for_each(|point| setup.play(*point));
        if ended(&setup, request.rule).is_some() {
            return;
        }
        let request = Request::new(setup, request.rule, Limits::nodes(STUB));
        let found = engine.think(&request, &StopToken::new(), &mut |_| {}).line.moves;
        if found.is_empty() {
            return;
        }
        line.moves.extend(found);
    }
}

/// The lines that a search ends with, best first: as many as the request asks for, or as became known; none on a full
/// board. `on_lines` is told each time that a set is complete.
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
    // Without a search (the first move on an empty board) the answer is all there is.
    if newest.is_empty() && matches!(outcome.answer, Answer::Points(_)) {
        newest.push(outcome.line);
    }
    newest
}

/// The whole of a proven win: the line's moves and, where they end before the game does, those that further searches
/// of up to `nodes` find from there. `None` for a line that proves nothing, or a setup that is not a position.
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
    // Each round plays at least one move, so the board's cells bound the rounds.
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

/// Who wins by a score of the side to move, if it is proven.
fn winner(score: Score, to_move: Side) -> Option<Side> {
    match (score.is_win(), score.is_loss()) {
        (true, _) => Some(to_move),
        (_, true) => Some(!to_move),
        (false, false) => None,
    }
}

/// A line as a row of a table, without an end of line: rank, depth, Black's win rate and score, moves.
pub fn row(size: BoardSize, to_move: Side, line: &Line) -> String {
    let moves = labels(size, &line.moves);
    let depth = format!("{}-{}", line.depth, line.seldepth);
    let rate = chance_cell(of_black(line.score, to_move));
    let score = black_score(line.score, to_move).to_string();
    format!("{:>2}  {depth:>6}  {rate} {score:>14}  {moves}", line.pv_index + 1)
}

/// A proven win in words: who, in how many plies, all moves, and how the game ends.
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

/// The result in a sentence: the move, and what it is worth.
pub fn verdict(size: BoardSize, to_move: Side, analysis: &Analysis) -> Option<String> {
    let line = analysis.lines.first()?;
    let point = format_point(size, *line.moves.first()?);
    Some(match &analysis.win {
        Some(win) => format!("best move {point}: {}", win_text(size, win)),
        None => format!("best move {point}: {}", chance(of_black(line.score, to_move))),
    })
}

/// The head of [`row`]'s table.
pub const HEAD: &str = " #   depth           win  Black's score  line";

/// Lines or a result as JSON writes it.
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

/// One line. A score is in evaluation units, and absent when the game is decided: `mate` then says in how many plies
/// the mover wins, or, negative, loses.
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
    /// A moment of the search.
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

    /// The result, with the points that the side to move must not play.
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
