//! `tengen puzzles`: games go in, puzzles come out, and a file of puzzles is checked.

use crate::common::{file, refusal, run, tengen};
use std::path::Path;
use tengen::board::format_point;
use tengen_analysis::puzzle::{Kind, Puzzle, built_in, format_puzzles, parse_puzzles};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Easy puzzles of renju whose solutions are found quickly.
fn known() -> Vec<Puzzle> {
    let easy = |puzzle: &&Puzzle| puzzle.rule.name() == "renju" && puzzle.kind != Kind::Escape && puzzle.grade() == 1;
    built_in().iter().filter(easy).take(3).cloned().collect()
}

#[test]
fn the_puzzles_of_games_are_found_once() {
    let (games, found) = (file("games.txt"), file("puzzles.txt"));
    // Each game ends with the solution, and the first one is there twice.
    let game = |puzzle: &Puzzle| {
        let size = puzzle.setup.size;
        let stones: Vec<_> = puzzle.setup.stones.iter().map(|(point, _)| format_point(size, *point)).collect();
        format!("{} {}\n", stones.join(" "), format_point(size, puzzle.solution))
    };
    let known = known();
    let lines: String = known.iter().chain(known.first()).map(game).collect();
    std::fs::write(&games, lines).expect("a file");
    let args = ["puzzles", text(&games), "-r", "renju", "-j", "2", "-o", text(&found)];
    let told = String::from_utf8(tengen(&args).stdout).expect("text");
    assert!(told.contains(" puzzles; by grade from easy to hard: "), "{told}");
    let written = std::fs::read_to_string(&found).expect("the file");
    assert!(written.contains("#   tengen puzzles games.txt") || written.contains("games.txt --most 20"), "{written}");
    let puzzles = parse_puzzles(&written).expect("puzzles");
    // An earlier position of a game may be the harder puzzle.
    assert!(!puzzles.is_empty() && puzzles.len() <= 2 * known.len(), "{written}");
    assert!(puzzles.iter().any(|puzzle| known.contains(puzzle)), "{written}");
    // The number of threads changes nothing.
    let other = file("other.txt");
    tengen(&["puzzles", text(&games), "-r", "renju", "-j", "1", "-o", text(&other)]);
    assert_eq!(parse_puzzles(&std::fs::read_to_string(&other).expect("the file")), Ok(puzzles));
}

#[test]
fn wrong_puzzles_are_named() {
    let path = file("puzzles.txt");
    let mut puzzles = known();
    std::fs::write(&path, format_puzzles(&puzzles, "Right.")).expect("a file");
    let told = String::from_utf8(tengen(&["puzzles", "--check", text(&path)]).stdout).expect("text");
    assert!(told.ends_with("; 0 wrong, 0 twice\n"), "{told}");
    puzzles[0].plies += 2;
    puzzles.push(puzzles[1].clone());
    std::fs::write(&path, format_puzzles(&puzzles, "Wrong.")).expect("a file");
    let checked = run(&["puzzles", "--check", text(&path)]);
    let told = String::from_utf8(checked.stdout).expect("text");
    assert!(!checked.status.success() && told.ends_with("; 1 wrong, 1 twice\n"), "{told}");
    assert!(told.contains(&puzzles[0].stones()), "{told}");
    std::fs::write(&path, "[renju 15x15]\nh8h8: i9 fours 9 1\n").expect("a file");
    assert!(refusal(&run(&["puzzles", "--check", text(&path)])).contains("line 2: expected different stones"));
    assert!(refusal(&run(&["play", "--no-open", "--puzzles", text(&path)])).contains("line 2"));
}
