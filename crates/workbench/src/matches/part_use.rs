//! Time use of a match's parts, which shows unequal machines.
//!
//! A slow machine loses no game by itself where nodes or depth limit a move. With a time limit it plays worse for
//! both engines, and the result is that of a mixture of time limits.

use super::parts::Part;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Part of the median speed by which a part may differ without a warning.
const TOLERANCE: f64 = 0.15;
/// Games from which on a part is compared.
const FEWEST: u64 = 10;

/// Time use of one record.
#[derive(Clone, Debug, PartialEq)]
pub struct PartUse {
    /// Name of the record.
    pub record: String,
    /// Number of the part, from 1, and the number of parts.
    pub part: (u64, u64),
    /// Games in the record.
    pub games: u64,
    /// Moves of both engines, and their total time in milliseconds.
    pub moves: (u64, f64),
    /// Sum of the reported nodes, and milliseconds of the same moves.
    pub nodes: (u64, f64),
    /// Bytes of an incomplete last line.
    pub torn: u64,
}

impl PartUse {
    /// The time use of a part; `None` before its header is complete.
    pub fn of(part: &Part) -> Option<PartUse> {
        let header = part.header()?;
        let (mut moves, mut nodes) = ((0, 0.0), (0, 0.0));
        for made in part.games.iter().flat_map(|game| &game.moves) {
            moves = (moves.0 + 1, moves.1 + made.ms);
            if let Some(count) = made.note.nodes {
                nodes = (nodes.0 + count, nodes.1 + made.ms);
            }
        }
        let (record, games) = (part.path.display().to_string(), part.games.len() as u64);
        Some(PartUse { record, part: (header.part, header.parts), games, moves, nodes, torn: part.torn })
    }

    /// Nodes a second, if the engines report nodes.
    pub fn speed(&self) -> Option<f64> {
        (self.nodes.1 > 0.0 && self.nodes.0 > 0).then(|| self.nodes.0 as f64 * 1e3 / self.nodes.1)
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "record": self.record,
            "part": self.part.0,
            "of": self.part.1,
            "games": self.games,
            "moves": self.moves.0,
            "ms": self.moves.1,
            "nodes_per_second": self.speed(),
            "torn_bytes": self.torn,
        })
    }
}

/// The median speed; `None` if no part has any.
fn median(parts: &[PartUse]) -> Option<f64> {
    let mut speeds: Vec<f64> = parts.iter().filter_map(PartUse::speed).collect();
    speeds.sort_by(f64::total_cmp);
    let last = speeds.len().checked_sub(1)?;
    Some((speeds[last / 2] + speeds[last.div_ceil(2)]) / 2.0)
}

/// The parts whose speed differs much from the median, each as a sentence.
pub fn unequal(parts: &[PartUse]) -> Vec<String> {
    let compared: Vec<PartUse> = parts.iter().filter(|part| part.games >= FEWEST).cloned().collect();
    let Some(median) = median(&compared).filter(|_| compared.len() > 1) else { return Vec::new() };
    let differs = |part: &&PartUse| part.speed().is_some_and(|speed| (speed / median - 1.0).abs() > TOLERANCE);
    let sentence = |part: &PartUse| {
        let share = 100.0 * (part.speed().unwrap_or(median) / median - 1.0);
        format!("Part {}/{} has {share:+.0}% nodes a second against the median part.", part.part.0, part.part.1)
    };
    compared.iter().filter(differs).map(sentence).collect()
}

/// Prints the time use of several parts, what is incomplete, and warnings.
///
/// # Errors
/// Errors of the writer.
pub fn write_parts(out: &mut dyn Write, parts: &[PartUse]) -> io::Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    let median = median(parts);
    writeln!(out, "\n  part   games  time used  ms/move    kN/s  ratio  record")?;
    for part in parts {
        let number = format!("{}/{}", part.part.0, part.part.1);
        let mean = part.moves.1 / part.moves.0.max(1) as f64;
        let speed = part.speed().map_or("-".to_owned(), |speed| format!("{:.0}", speed / 1e3));
        let ratio = part.speed().zip(median).map_or("-".to_owned(), |(speed, median)| format!("{:.2}", speed / median));
        let time = duration(part.moves.1);
        writeln!(out, "{number:>7} {:6} {time:>10} {mean:8.1} {speed:>7} {ratio:>6}  {}", part.games, part.record)?;
    }
    writeln!(out, "ratio: nodes a second of both engines, to those of the median part")?;
    for part in parts.iter().filter(|part| part.torn > 0) {
        writeln!(out, "{} ends with an incomplete line of {} bytes, which does not count.", part.record, part.torn)?;
    }
    unequal(parts).iter().try_for_each(|sentence| writeln!(out, "Unequal machines: {sentence}"))
}

/// Milliseconds as hours, minutes and seconds.
pub(super) fn duration(ms: f64) -> String {
    let seconds = ms / 1000.0;
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_part_is_named() {
        let part = |number: u64, games: u64, nodes: u64| PartUse {
            record: format!("part{number}.jsonl"),
            part: (number, 4),
            games,
            moves: (100, 1000.0),
            nodes: (nodes, 1000.0),
            torn: 0,
        };
        let equal = [part(1, 20, 1000), part(2, 20, 1100), part(3, 20, 950)];
        assert_eq!(unequal(&equal), [] as [&str; 0]);
        let slow = [&equal[..], &[part(4, 20, 600)]].concat();
        assert_eq!(unequal(&slow), ["Part 4/4 has -38% nodes a second against the median part."]);
        assert_eq!(unequal(&[&equal[..], &[part(4, 9, 600)]].concat()), [] as [&str; 0], "too few games to say");
        let mut out = Vec::new();
        write_parts(&mut out, &slow).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert!(text.contains("    4/4     20      1.0 s     10.0       1   0.62  part4.jsonl"), "{text}");
        assert!(
            text.ends_with("Unequal machines: Part 4/4 has -38% nodes a second against the median part.\n"),
            "{text}"
        );
        // Engines that report no nodes.
        let silent = [part(1, 20, 0), part(2, 20, 0)];
        assert_eq!((median(&silent), unequal(&silent)), (None, Vec::new()));
    }
}
