//! A review as text for people: a graph, the errors by size, a summary of each player, and panels for a plot.

use crate::analyze::labels;
use crate::chart::{Axis, Panel, Shape};
use crate::review::{Better, Grade, Judgement, Review, Summary};
use crate::wording::{chance, chance_cell, count, moves, of_black};
use plotters::style::RGBColor;
use std::fmt::Write;
use tengen::board::{Side, format_point};

/// Rows of the text graph, each of two halves.
const ROWS: usize = 10;
/// Columns to the left of the graph, for percentages.
const MARGIN: usize = 6;

/// The graph's title.
const GRAPH: &str = "Black's win probability";

/// The same where a line is shorter than that.
const NARROW_GRAPH: &str = "Black wins";

/// Black's win probability after each move, as a text graph of at most `width` columns. The errors are marked below:
/// `?` an inaccuracy, `m` a mistake, `B` a blunder, `!` a win missed or allowed. Empty for a game without moves.
pub fn graph(review: &Review, width: usize) -> String {
    let rates = review.win_rates.get(1..).unwrap_or_default();
    if rates.is_empty() {
        return String::new();
    }
    // In a short game a move has several columns; in a long one a column has several moves.
    let room = width.saturating_sub(MARGIN).max(10);
    let each = (room / rates.len()).clamp(1, 2);
    let columns = (rates.len() * each).min(room);
    let move_of = |column: usize| column * rates.len() / columns;
    let mut text = format!("{}\n", if width < GRAPH.len() { NARROW_GRAPH } else { GRAPH });
    for row in (0..ROWS).rev() {
        let percent = match row {
            row if row + 1 == ROWS => "100%",
            row if row == ROWS / 2 => "50%",
            0 => "0%",
            _ => "",
        };
        let cell = |column: usize| {
            let Some(rate) = rates[move_of(column)] else { return ' ' };
            match (rate * 2.0 * ROWS as f64).round() as usize {
                halves if halves > 2 * row + 1 => '█',
                halves if halves == 2 * row + 1 => '▄',
                _ if row == ROWS / 2 => '·',
                _ => ' ',
            }
        };
        let cells: String = (0..columns).map(cell).collect();
        let _ = writeln!(text, "{percent:>4} |{}", cells.trim_end());
    }
    let first = review.game.first;
    for side in Side::BOTH {
        let mark = |column: usize| {
            let range = move_of(column)..move_of(column + 1).max(move_of(column) + 1);
            let starts = column == 0 || move_of(column - 1) != range.start;
            let here = |m: &&Judgement| m.side == side && range.contains(&(m.number - first - 1)) && m.is_error();
            let worst = review.moves.iter().filter(here).max_by(|a, b| a.loss.total_cmp(&b.loss));
            worst.filter(|_| starts).map_or(' ', mark)
        };
        let marks: String = (0..columns).map(mark).collect();
        let _ = writeln!(text, "{:>5} {}", side.name(), marks.trim_end());
    }
    let mut axis = String::new();
    let next_label = |column: usize| first + move_of(column) + 1;
    for column in 0..columns {
        let number = next_label(column);
        let starts = column == 0 || next_label(column - 1) != number;
        let fits = axis.len() <= column && column + number.to_string().len() <= columns;
        if starts && fits && (column == 0 || number.is_multiple_of(10)) {
            axis = format!("{axis:column$}{number} ");
        }
    }
    let _ = writeln!(text, "{:>5} {}", "move", axis.trim_end());
    text
}

fn mark(judged: &Judgement) -> char {
    match judged.grade {
        _ if judged.missed_win || judged.allowed_win => '!',
        Some(Grade::Inaccuracy) => '?',
        Some(Grade::Mistake) => 'm',
        Some(Grade::Blunder) => 'B',
        None => ' ',
    }
}

/// The header of the table of [`error_row`].
pub const HEAD: &str = " lost  move        played    best move         after  what was wrong";

/// An error as a row: points of win probability lost, the move, Black's win probability with the best move and after
/// the played one, and the explanation.
pub fn error_row(review: &Review, judged: &Judgement) -> String {
    let size = review.game.setup.size;
    format!(
        "{:>5.1}  {:>4} {:<6} {:<6} {}  {}  {}",
        100.0 * judged.loss,
        judged.number,
        judged.side.name(),
        format_point(size, judged.point),
        chance_cell(of_black(judged.before, judged.side)),
        chance_cell(of_black(judged.after, judged.side)),
        words(review, judged)
    )
}

/// Moves of a variation in a row; a proven win is shown completely.
const SHOWN: usize = 6;

/// The explanation of a move: the grade, wins missed and allowed, the better move and the refutation.
pub fn words(review: &Review, judged: &Judgement) -> String {
    let size = review.game.setup.size;
    let mut parts: Vec<String> = judged.grade.iter().map(|grade| grade.name().to_owned()).collect();
    let line = |moves: &[_], whole: bool| labels(size, if whole { moves } else { &moves[..moves.len().min(SHOWN)] });
    let better = judged.better.as_ref();
    match better {
        Some(Better { moves, .. }) if judged.missed_win => parts.push(format!("missed a win: {}", line(moves, true))),
        _ if judged.missed_win => parts.push("missed a win".to_owned()),
        Some(Better { moves, score }) => {
            let chance = chance(of_black(*score, judged.side));
            parts.push(format!("better {} ({chance})", line(moves, false)));
        }
        None => {}
    }
    if judged.allowed_win {
        parts.push(format!("allows a win: {}", line(&judged.reply, true)));
    }
    parts.join("; ")
}

/// A player's summary in a sentence.
pub fn summary_text(sum: &Summary) -> String {
    let [inaccuracies, mistakes, blunders] = sum.grades;
    let mean = 100.0 * sum.loss / sum.moves.max(1) as f64;
    format!(
        "{}, {}, {}, {} missed, {} allowed; {mean:.1} points lost a move",
        count(blunders, "blunder", "blunders"),
        count(mistakes, "mistake", "mistakes"),
        count(inaccuracies, "inaccuracy", "inaccuracies"),
        count(sum.missed, "win", "wins"),
        count(sum.allowed, "win", "wins"),
    )
}

/// The whole report, for a terminal of this width: graph, errors and summaries.
pub fn text(review: &Review, width: usize) -> String {
    let mut text = graph(review, width);
    let errors = review.errors();
    text.push('\n');
    if !errors.is_empty() {
        let _ = writeln!(text, "{HEAD}");
    }
    for judged in errors {
        let _ = writeln!(text, "{}", error_row(review, judged));
    }
    let sums = review.summary();
    for side in Side::BOTH {
        let _ = writeln!(text, "{}: {}", side.name(), summary_text(&sums[side]));
    }
    if !review.complete {
        let _ = writeln!(text, "stopped: {} judged", moves(review.moves.len()));
    }
    text
}

const INK: RGBColor = RGBColor(0x20, 0x55, 0x9f);
const DRAWN: RGBColor = RGBColor(0x80, 0x80, 0x80);
/// Colours of the grades, the mildest first.
const GRADES: [RGBColor; 3] = [RGBColor(0xe9, 0xb0, 0x2a), RGBColor(0xf0, 0x7d, 0x2e), RGBColor(0xc9, 0x2a, 0x3f)];

/// The score graph: black's win probability after each move, with the errors.
pub fn panel(review: &Review, title: &str) -> Panel {
    let first = review.game.first as f64;
    let points: Vec<(f64, f64)> =
        review.win_rates.iter().enumerate().filter_map(|(i, r)| Some((first + i as f64, 100.0 * (*r)?))).collect();
    let last = first + review.win_rates.len().max(2) as f64 - 1.0;
    let band = points.iter().map(|(x, y)| (*x, 0.0..*y)).collect();
    let mut shapes = vec![
        Shape::Band((String::new(), INK), band),
        Shape::Level((String::new(), DRAWN), 50.0),
        Shape::Curve((String::new(), INK), points.clone()),
    ];
    for (grade, colour) in Grade::ALL.into_iter().zip(GRADES) {
        let of = review.moves.iter().filter(|m| m.grade == Some(grade)).map(|m| m.number as f64);
        let dots: Vec<(f64, f64)> =
            of.filter_map(|number| points.iter().find(|(x, _)| *x == number).copied()).collect();
        if !dots.is_empty() {
            let name = match grade {
                Grade::Inaccuracy => "inaccuracies",
                Grade::Mistake => "mistakes",
                Grade::Blunder => "blunders",
            };
            shapes.push(Shape::Dots((name.to_owned(), colour), dots));
        }
    }
    Panel {
        title: title.to_owned(),
        x: Axis::whole("move", first..last),
        y: Axis::new("Black wins, %", 0.0..100.0),
        shapes,
    }
}
