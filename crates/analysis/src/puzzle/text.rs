//! The text format of puzzles.
//!
//! A line in brackets names a rule and a board, as in `[renju 15x15]`. Each line below it is a puzzle: the stones as
//! labels, black and white in turn, a colon, the one move, the kind, the plies of the win and the effort of the solver,
//! as in `h8i9h9g9: h10 fours 9 340`. A `#` starts a comment.

use super::{Kind, Puzzle, boards};
use std::fmt::{self, Write};
use tengen::board::{BoardSize, Setup, format_point, parse_point, parse_points};
use tengen::rules::{Game, Rule};

/// Error parsing puzzles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleError {
    /// Line number, from 1.
    pub line: usize,
    /// What the parser expected there.
    pub expected: &'static str,
}

impl fmt::Display for PuzzleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}", self.line, self.expected)
    }
}

impl std::error::Error for PuzzleError {}

/// Parses puzzles. It checks that each can be played, not that it has one solution.
///
/// # Errors
/// At the first line that cannot be parsed, or whose move cannot be played in its position.
pub fn parse_puzzles(text: &str) -> Result<Vec<Puzzle>, PuzzleError> {
    let mut puzzles = Vec::new();
    let mut board = None;
    for (index, line) in text.lines().enumerate() {
        let error = |expected| PuzzleError { line: index + 1, expected };
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let read = name.strip_suffix(']').and_then(read_board);
            board = Some(read.ok_or_else(|| error("[rule WIDTHxHEIGHT]"))?);
            continue;
        }
        let (rule, size) = board.ok_or_else(|| error("a line in brackets before the first puzzle"))?;
        let (stones, rest) = line.split_once(':').ok_or_else(|| error("stones, a colon, and the solution"))?;
        let stones = parse_points(size, stones).map_err(|_| error("points of the board before the colon"))?;
        let setup = Setup::from_moves(size, stones);
        let puzzle = read_puzzle(rule, setup, rest);
        let puzzle = puzzle.ok_or_else(|| error("move, kind, plies and effort after the colon"))?;
        if !is_playable(&puzzle) {
            return Err(error("different stones, a game that goes on, and a legal move"));
        }
        puzzles.push(puzzle);
    }
    Ok(puzzles)
}

fn read_board(text: &str) -> Option<(Rule, BoardSize)> {
    let (rule, size) = text.split_once(' ')?;
    Some((Rule::from_name(rule)?, size.parse().ok()?))
}

fn read_puzzle(rule: Rule, setup: Setup, text: &str) -> Option<Puzzle> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [solution, kind, plies, effort] = words[..] else { return None };
    let solution = parse_point(setup.size, solution).ok()?;
    let kind = Kind::from_name(kind)?;
    Some(Puzzle { rule, setup, solution, kind, plies: plies.parse().ok()?, effort: effort.parse().ok()? })
}

fn is_playable(puzzle: &Puzzle) -> bool {
    let Ok(mut game) = Game::from_setup(puzzle.rule, puzzle.setup.clone()) else { return false };
    let legal = game.outcome().is_none() && !game.forbidden().contains(&puzzle.solution);
    legal && game.play(puzzle.solution).is_ok()
}

/// The text of puzzles, with a comment (which may have several lines) at its head.
pub fn format_puzzles(puzzles: &[Puzzle], comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "# {line}");
    }
    for (rule, size) in boards(puzzles) {
        let _ = writeln!(text, "\n[{rule} {size}]");
        for puzzle in puzzles.iter().filter(|puzzle| (puzzle.rule, puzzle.setup.size) == (rule, size)) {
            let Puzzle { kind, plies, effort, .. } = puzzle;
            let solution = format_point(size, puzzle.solution);
            let _ = writeln!(text, "{}: {solution} {} {plies} {effort}", puzzle.stones(), kind.name());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puzzles_survive_their_text() {
        let text = "# Two boards.\n\n[freestyle 15x15]\nh8a1i8b2j8c3: g8 fours 3 1 # an open four\n\n\
                    [renju 15x15]\nh8i9h9i8: h10 escape 9 340\n";
        let puzzles = parse_puzzles(text).unwrap();
        assert_eq!(puzzles.iter().map(|p| p.kind.name()).collect::<Vec<_>>(), ["fours", "escape"]);
        let again = format_puzzles(&puzzles, "Two\nlines");
        assert!(again.starts_with("# Two\n# lines\n\n[freestyle 15x15]\nh8a1i8b2j8c3: g8 fours 3 1\n"), "{again}");
        assert_eq!(parse_puzzles(&again), Ok(puzzles));
    }

    #[test]
    fn bad_lines_are_named() {
        let line = |line: &str| parse_puzzles(&format!("[renju 15x15]\n{line}")).map_err(|error| error.line);
        for bad in ["h8", "h8: i9", "h8: i9 fours x 1", "h8: i9 sixes 5 1", "h8h8: i9 fours 5 1", "h8: h8 fours 5 1"] {
            assert_eq!(line(bad), Err(2), "{bad}");
        }
        // The game is over; the move is a double three.
        assert_eq!(line("h8a1i8b1j8c1k8d1l8: a2 fours 5 1"), Err(2));
        assert_eq!(line("h9a1h10a3i8o1j8o3: h8 fours 5 1"), Err(2));
        assert!(parse_puzzles("h8: i9 fours 5 1").is_err());
        assert!(parse_puzzles("[chess 8x8]").is_err());
        assert_eq!(line(""), Ok(Vec::new()));
    }
}
