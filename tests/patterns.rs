//! Compares the generated tables with a plain classifier of rows on every code, and checks their symmetries.
//!
//! This is a test program of its own because it measures the time to build the tables, which happens once per process.

#[path = "support/machine.rs"]
mod machine;

use machine::{Machine, Who, this_thread, tried};
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tengen::board::Side;
use tengen::pattern::{COMBINATIONS, LineClass, LineCode, PointClass, Tables, combination_lines};
use tengen::rules::{LineRule, Overline, Rule};

/// Time to build all tables, and how much of it the machine explains.
static BUILT: LazyLock<(Duration, Duration)> = LazyLock::new(|| {
    Machine::watched(|machine| {
        let mark = machine.mark(Who::Threads(this_thread().into_iter().collect(), Vec::new()));
        let start = Instant::now();
        for rule in Rule::ALL {
            Tables::of(rule);
        }
        (start.elapsed(), machine.excuse(&mark))
    })
});

fn tables(rule: Rule) -> &'static Tables {
    LazyLock::force(&BUILT);
    Tables::of(rule)
}

#[test]
fn all_tables_are_built_in_no_time() {
    println!("all tables: {:?}", *BUILT);
    // The tables are built once per process, so a second try would give the same time.
    tried(Duration::from_millis(1000), || *BUILT).unwrap_or_else(|late| panic!("{late}"));
}

/// All arms: up to five cells, the cell next to the point first. `X` is black, `O` white, `.` empty.
fn arms() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..5 {
        last = last.iter().flat_map(|arm| ['.', 'X', 'O'].map(|cell| format!("{arm}{cell}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Index of an arm by the definition of line codes.
fn arm_code(arm: &str) -> u32 {
    let digit = |cell| ".XO".find(cell).expect("a cell") as u32;
    arm.chars().enumerate().map(|(i, cell)| 3_u32.pow(i as u32) * (1 + digit(cell))).sum()
}

/// Eleven cells with the point in the middle; `#` is off the board.
type Row = [char; 11];
const CENTER: usize = 5;

fn row_of(back: &str, ahead: &str, center: char) -> Row {
    let mut row = ['#'; 11];
    row[CENTER] = center;
    back.chars().enumerate().for_each(|(i, c)| row[CENTER - 1 - i] = c);
    ahead.chars().enumerate().for_each(|(i, c)| row[CENTER + 1 + i] = c);
    row
}

fn code_of_row(row: &Row) -> LineCode {
    let arm = |cells: &mut dyn Iterator<Item = &char>| cells.take_while(|c| **c != '#').collect::<String>();
    arm_code(&arm(&mut row[..CENTER].iter().rev())) * 364 + arm_code(&arm(&mut row[CENTER + 1..].iter()))
}

fn with(row: &Row, at: usize, cell: char) -> Row {
    let mut row = *row;
    row[at] = cell;
    row
}

fn empty_cells(row: &Row) -> impl Iterator<Item = usize> {
    let row = *row;
    (0..11).filter(move |i| row[*i] == '.')
}

/// First and last stone of black's run through the middle.
fn run(row: &Row) -> (usize, usize) {
    let first = (0..CENTER).rev().take_while(|i| row[*i] == 'X').last().unwrap_or(CENTER);
    let last = (CENTER + 1..11).take_while(|i| row[*i] == 'X').last().unwrap_or(CENTER);
    (first, last)
}

fn wins(row: &Row, rule: LineRule) -> bool {
    let (first, last) = run(row);
    let held = [first.checked_sub(1), Some(last + 1)].into_iter().flatten().filter(|i| row.get(*i) == Some(&'O'));
    rule.wins(last - first + 1, held.count())
}

/// Empty cells that complete a winning run through the middle.
fn completions(row: &Row, rule: LineRule) -> Vec<usize> {
    let completes = |at: &usize| {
        let after = with(row, *at, 'X');
        let (first, last) = run(&after);
        wins(&after, rule) && (first..=last).contains(at)
    };
    empty_cells(row).filter(completes).collect()
}

/// Five, open four, four or foul, by their definitions; `None` for anything less.
fn plain_class(row: &Row, rule: LineRule) -> Option<LineClass> {
    let (first, last) = run(row);
    let fives = completions(row, rule);
    if wins(row, rule) {
        return Some(LineClass::Five);
    }
    if rule.overline == Overline::Foul {
        if last - first >= 5 {
            return Some(LineClass::Foul);
        }
        // Each four is the four stones of a possible five.
        let mut fours: Vec<Vec<usize>> = Vec::new();
        for five in &fives {
            let (first, last) = run(&with(row, *five, 'X'));
            let four = (first..=last).filter(|i| i != five).collect();
            if !fours.contains(&four) {
                fours.push(four);
            }
        }
        return match (fours.len(), fives.len()) {
            (0, _) => None,
            (1, 1) => Some(LineClass::Four),
            (1, _) => Some(LineClass::OpenFour),
            _ => Some(LineClass::Foul),
        };
    }
    if fives.is_empty() {
        return None;
    }
    let unstoppable = empty_cells(row).all(|reply| !completions(&with(row, reply, 'O'), rule).is_empty());
    Some(if unstoppable { LineClass::OpenFour } else { LineClass::Four })
}

/// Threes by the next stone: open in two or more ways, open, blocked; `None` for anything less.
fn plain_three(row: &Row, known: &[Option<LineClass>]) -> Option<LineClass> {
    let next: Vec<Option<LineClass>> =
        empty_cells(row).map(|at| known[code_of_row(&with(row, at, 'X')) as usize]).collect();
    let count = |class| next.iter().filter(|c| **c == Some(class)).count();
    match (count(LineClass::OpenFour), count(LineClass::Four)) {
        (0, 0) => None,
        (0, _) => Some(LineClass::BlockedThree),
        (1, _) => Some(LineClass::OpenThree),
        _ => Some(LineClass::RichThree),
    }
}

fn each_row(mut look: impl FnMut(&Row, LineCode)) {
    let arms = arms();
    for back in &arms {
        for ahead in &arms {
            look(&row_of(back, ahead, 'X'), arm_code(back) * 364 + arm_code(ahead));
        }
    }
}

fn show(row: &Row) -> String {
    row.iter().collect()
}

/// Compares black's classes with the plain evaluator on all codes.
fn compare(rule: Rule) {
    let line_rule = rule.line_rule(Side::Black);
    let mut known = vec![None; 364 * 364];
    let mut counts: HashMap<LineClass, usize> = HashMap::new();
    each_row(|row, code| known[code as usize] = plain_class(row, line_rule));
    each_row(|row, code| {
        let class = tables(rule).line_class(Side::Black, code);
        let plain = known[code as usize].or_else(|| plain_three(row, &known));
        match plain {
            Some(plain) => assert_eq!(class, plain, "{rule} {}", show(row)),
            None => assert!(class < LineClass::BlockedThree, "{rule} {}: {class:?}", show(row)),
        }
        *counts.entry(class).or_default() += 1;
    });
    let fouls = rule == Rule::Renju;
    for class in LineClass::ALL {
        assert_eq!(counts.contains_key(&class), class != LineClass::Foul || fouls, "{rule} {class:?}: {counts:?}");
    }
}

#[test]
fn freestyle_classes_are_what_they_mean() {
    compare(Rule::Freestyle);
}

#[test]
fn standard_classes_are_what_they_mean() {
    compare(Rule::Standard);
}

#[test]
fn renju_classes_are_what_they_mean() {
    compare(Rule::Renju);
}

#[test]
fn caro_classes_are_what_they_mean() {
    compare(Rule::Caro);
}

#[test]
fn exact_caro_classes_are_what_they_mean() {
    compare(Rule::CaroExact);
}

#[test]
fn colours_are_alike_where_the_rule_does_not_tell_them_apart() {
    let swapped = |row: &Row| {
        row.map(|c| match c {
            'X' => 'O',
            'O' => 'X',
            c => c,
        })
    };
    each_row(|row, code| {
        let other = code_of_row(&swapped(row));
        for rule in Rule::ALL {
            // For white, renju has the same line classes as freestyle has for both sides.
            let black = if rule == Rule::Renju { tables(Rule::Freestyle) } else { tables(rule) };
            let (black, white) = (black.line_class(Side::Black, code), tables(rule).line_class(Side::White, other));
            assert_eq!(black, white, "{rule} {}", show(row));
        }
    });
}

#[test]
fn a_row_is_worth_the_same_from_both_ends() {
    each_row(|row, code| {
        let mut mirrored = *row;
        mirrored.reverse();
        let mirrored = code_of_row(&mirrored);
        for rule in Rule::ALL {
            assert_eq!(tables(rule).classes(code), tables(rule).classes(mirrored), "{rule} {}", show(row));
        }
    });
}

#[test]
fn what_lies_beyond_the_other_side_does_not_matter() {
    each_row(|row, code| {
        // Black's row ends at white stones. If the rule does not consider held ends, a white stone is the same as the
        // border.
        let mut cut = *row;
        for arm in [(0..CENTER).rev().collect::<Vec<_>>(), (CENTER + 1..11).collect()] {
            arm.into_iter().skip_while(|i| row[*i] != 'O').for_each(|i| cut[i] = '#');
        }
        let cut = code_of_row(&cut);
        for rule in Rule::ALL {
            let (class, alone) = [code, cut].map(|c| tables(rule).line_class(Side::Black, c)).into();
            if rule.line_rule(Side::Black).held_five_is_dead {
                assert!(class <= alone, "{rule} {}: {class:?}, without white {alone:?}", show(row));
            } else {
                assert_eq!(class, alone, "{rule} {}", show(row));
            }
        }
    });
}

/// A stone of the other side may remove a foul, or the foul that another stone would have made. In the order of
/// classes, where a foul comes last, it never raises the class.
#[test]
fn a_stone_of_the_other_side_never_helps() {
    let mut lowered = 0;
    each_row(|row, code| {
        for at in empty_cells(row) {
            let with_stone = code_of_row(&with(row, at, 'O'));
            for rule in Rule::ALL {
                let [before, after] = [code, with_stone].map(|c| tables(rule).line_class(Side::Black, c));
                assert!(after <= before, "{rule} {}, then white on {at}: {before:?}, then {after:?}", show(row));
                lowered += usize::from(after < before);
            }
        }
    });
    assert!(lowered > 100_000, "{lowered}");
}

#[test]
fn points_are_the_sum_of_their_lines_in_any_order() {
    assert_eq!(combination_lines().len(), COMBINATIONS);
    let n = LineClass::COUNT;
    for rule in [Rule::Freestyle, Rule::Renju] {
        for side in Side::BOTH {
            let restricted = rule.restricted_side() == Some(side);
            for i in 0..n.pow(4) {
                let lines = [i % n, i / n % n, i / n / n % n, i / n / n / n].map(|k| LineClass::ALL[k]);
                let nibbles = lines.iter().enumerate().fold(0, |acc, (i, c)| acc | (*c as u16) << (4 * i));
                let combined = tables(rule).combined(side, nibbles);
                assert_eq!(combined.class(), PointClass::combine(lines, restricted), "{rule} {side:?} {lines:?}");
                let mut sorted = lines;
                sorted.sort();
                assert_eq!(combination_lines_cached()[combined.combination()], sorted);
            }
        }
    }
}

fn combination_lines_cached() -> &'static [[LineClass; 4]] {
    static LINES: LazyLock<Vec<[LineClass; 4]>> = LazyLock::new(combination_lines);
    &LINES
}
