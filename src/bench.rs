//! A fixed amount of search on fixed positions: one number that identifies the engine's behaviour.
//!
//! The signature (the node count) is the same on every machine, compiler and vector path: one thread, a fixed table,
//! fixed depths, no clock, no floating point in decisions that could differ. Most searches use the built-in network and
//! one search for each rule uses the classical evaluation, so a change of either changes the signature.

use crate::board::{BoardSize, Setup, parse_points};
use crate::control::StopToken;
use crate::engine::{Engine, Evaluation, Limits, Options, Request, STACK_BYTES};
use crate::rules::Rule;
use rayon::prelude::*;
use std::io::{self, Write};
use std::time::Duration;
use web_time::Instant;

/// The [`signature`] of this version: `--version` prints it, and every change of the search's behaviour changes it. It
/// is stored in `signature.txt`.
pub const SIGNATURE: u64 = match u64::from_str_radix(include_str!("signature.txt").trim_ascii(), 10) {
    Ok(nodes) => nodes,
    Err(_) => panic!("signature.txt holds one number"),
};

/// Settings of a bench run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Depth of each search, in plies.
    pub depth: u32,
    /// Search threads; with more than one the node count varies.
    pub threads: usize,
    /// Transposition table, in bytes.
    pub hash: u64,
    /// If set, only positions of this rule.
    pub rule: Option<Rule>,
}

impl Settings {
    /// A deeper bench of about a second per position: closer to real games, but too slow to run after every change.
    pub fn deep() -> Settings {
        Settings { depth: 16, ..Settings::default() }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { depth: 9, threads: 1, hash: 32 << 20, rule: None }
    }
}

/// One position's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// Whether the classical evaluation was used instead of the network.
    pub classical: bool,
    /// Nodes searched.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Totals of a whole bench.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Nodes of all positions.
    pub nodes: u64,
    /// Time of all positions, in seconds.
    pub seconds: f64,
}

impl Totals {
    /// Sums results.
    pub fn of(entries: &[Entry]) -> Totals {
        let seconds = entries.iter().map(|e| e.time.as_secs_f64()).sum();
        Totals { nodes: entries.iter().map(|e| e.nodes).sum(), seconds }
    }

    /// Nodes a second.
    pub fn speed(&self) -> f64 {
        self.nodes as f64 / self.seconds.max(1e-9)
    }
}

/// Searches every position from an empty table and reports each result when it is ready; returns all of them.
pub fn run(settings: &Settings, on_entry: &mut dyn FnMut(&Entry)) -> Vec<Entry> {
    let options = Options { threads: settings.threads, hash: Some(settings.hash), ..Options::default() };
    let mut engine = Engine::new(options);
    let wanted = searches().filter(|(_, (rule, ..))| settings.rule.is_none_or(|r| r == *rule));
    let mut entries = Vec::new();
    for search in wanted {
        let Some(entry) = measure(&mut engine, search, settings.depth) else { continue };
        on_entry(&entry);
        entries.push(entry);
    }
    entries
}

/// Runs a bench and prints each position's nodes and time, then the totals, and last the total node count. With default
/// settings this count is the signature. The line before it has the form that OpenBench reads.
///
/// # Errors
/// Returns errors of the writer; the bench runs to its end even then.
pub fn print(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let mut number = 0;
    let mut written = Ok(());
    let entries = run(settings, &mut |e| {
        number += 1;
        let ms = e.time.as_secs_f64() * 1e3;
        let evaluation = if e.classical { "  classical" } else { "" };
        let line =
            writeln!(out, "{number:>3} {:<11} {:<6} {:>10} nodes {ms:>9.1} ms{evaluation}", e.rule, e.size, e.nodes);
        written = std::mem::replace(&mut written, Ok(())).and(line);
    });
    written?;
    let totals = Totals::of(&entries);
    writeln!(out, "time      {:.2} s", totals.seconds)?;
    writeln!(out, "speed     {:.0} nodes/s", totals.speed())?;
    // OpenBench searches the lines from the last one upwards, and would take the speed above for the nodes.
    writeln!(out, "{} nodes {:.0} nps", totals.nodes, totals.speed())?;
    // With several threads or non-default settings the node count is not a signature.
    let name = if *settings == Settings::default() { "signature" } else { "nodes    " };
    writeln!(out, "{name} {}", totals.nodes)
}

/// The signature: all nodes of the bench with its default settings. The searches run in parallel on `threads` threads,
/// which is faster and does not change the result.
///
/// # Errors
/// If the threads cannot be started.
pub fn signature(threads: usize) -> Result<u64, rayon::ThreadPoolBuildError> {
    let Settings { depth, hash, .. } = Settings::default();
    // More threads would take much memory and save little time.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, 8)).stack_size(STACK_BYTES).build()?;
    let engine = || Engine::new(Options { hash: Some(hash), ..Options::default() });
    let nodes = |engine: &mut Engine, search| measure(engine, search, depth).map_or(0, |entry| entry.nodes);
    let searches: Vec<Search> = searches().collect();
    Ok(pool.install(|| searches.into_par_iter().map_init(engine, nodes).sum()))
}

/// A position and the evaluation to search it with.
type Search = (Evaluation, &'static (Rule, u8, &'static str));

/// All positions with the default evaluation, and the first of each rule once more with the classical one.
fn searches() -> impl Iterator<Item = Search> {
    let evaluation = Evaluation::default();
    let classical = evaluation.clone().classical();
    let once_more = Rule::ALL.iter().filter_map(|rule| POSITIONS.iter().find(|(r, ..)| r == rule));
    let all = POSITIONS.iter().map(move |position| (evaluation.clone(), position));
    all.chain(once_more.map(move |position| (classical.clone(), position)))
}

/// Searches a position from an empty table.
fn measure(engine: &mut Engine, (evaluation, (rule, side, moves)): Search, depth: u32) -> Option<Entry> {
    let setup = setup(*side, moves)?;
    let classical = evaluation.network.is_none();
    engine.set_options(Options { evaluation, ..engine.options().clone() });
    engine.clear();
    let started = Instant::now();
    let request = Request::new(setup, *rule, Limits::depth(depth));
    let outcome = engine.think(&request, &StopToken::new(), &mut |_| {});
    let size = request.setup.size;
    Some(Entry { rule: *rule, size, classical, nodes: outcome.line.nodes, time: started.elapsed() })
}

fn setup(side: u8, moves: &str) -> Option<Setup> {
    let size = BoardSize::new(side, side)?;
    Some(Setup::from_moves(size, parse_points(size, moves).ok()?))
}

/// Positions from the engine's own games: openings, attacks and crowded boards under every rule.
const POSITIONS: &[(Rule, u8, &str)] = &[
    (Rule::Freestyle, 15, "f6e7e6i5i6g6f5f7b5h5i4j5k5d7g7d9e8e10f11h8d10e9c7h6"),
    (Rule::Freestyle, 15, "f5f10h9e11g9f9f11g10e10e6e9g12h11h10"),
    (Rule::Freestyle, 15, "e9f11d11e12g10f12f10e10g11d8d12g12d9h13i14h12i12h11h14i10j9f14f13g9"),
    (
        Rule::Freestyle,
        15,
        "d8j8k8k10i10i11h10k12e9k11k13h11j11f10f11e10d10c11d9d7c9f9b9a9e11b8f6e7e13g13d11d12e12g10e8c10g7h8f8h6",
    ),
    (Rule::Freestyle, 15, "k5k6j6i7j5i5i6j4h7g8h6f6j9h5"),
    (Rule::Freestyle, 15, "j12i12h10k10i8i11j11j10k9e11i10h9f9e10"),
    (Rule::Freestyle, 15, "n4l5m10k10k7m9k8k6j7l9l6m5i7l7m8j8j5g7h5i6i5k5l11k12f5g5j3h4g6i4j4j6e4d3k3l2l3i3j2j1"),
    (Rule::Freestyle, 15, "k10n12j14k14m14k13n10m10l13k12l11k11k15l12m12j9j10"),
    (Rule::Freestyle, 15, "c9j7i9f7e11d10f11d11d9e10f9e9f10f12h11g7f8e7i11g11"),
    (Rule::Freestyle, 15, "j10j6j9k8k6"),
    (Rule::Freestyle, 20, "h10j13i11j12j11"),
    (Rule::Freestyle, 20, "k13k12j13l13m14m12l12m11o12m9m8n13n11o14l11l9m13k9n9i9"),
    (Rule::Freestyle, 20, "l6g8k7m8j7l7i3h10n9i9g11j9m7l9k5j4k9k8i10n7k10o6p5l8"),
    (Rule::Freestyle, 20, "o14l13p13m13l15m14p14o15m12n14p16p15n15m16k13l10l12m15m17k12p12m11n12o12"),
    (Rule::Standard, 15, "f2h5i7f6f5h6h4i5"),
    (Rule::Standard, 15, "m12j11k11k10l9"),
    (Rule::Standard, 15, "f9j9k9g9j11k11e8g10g11f11i8"),
    (Rule::Standard, 15, "k7h6i9j8k9k8i8j9i10i11j7"),
    (Rule::Standard, 15, "f11j11g10h10h9i8k10f8k11h8g8g9i11k8k12k9e12d13k13k14"),
    (Rule::Standard, 15, "f8f7d10g9f10d9g10d11e7e10e9c11h12g11f11e8c10f12h9i8h10h11j11i10j9c12b13i9i7e12d12g6h5i12"),
    (Rule::Standard, 15, "c7b8c5e7g8f6d7d8c9g5h4e9e8c6i5e6d6g3d2h11g4i4e4f4f5f10h6h12"),
    (Rule::Standard, 15, "e11d9c6a8e8c10a9e10f11d10f10b10a10f8g9h8d11g11c11b11f12f9e12d12b9h7f13f14g14h15h6i8g8f6"),
    (Rule::Renju, 15, "b13d12f13g13e10e12c12d11"),
    (Rule::Renju, 15, "d6e6e5d5f7f4e10f10e11e9g11d11f8e7d9c8f5f6g5g6j7h5i6h14"),
    (Rule::Renju, 15, "f6h5g9e5e6d6d5f7f4i5g5h2h6i7"),
    (Rule::Renju, 15, "g6e5i5f6g7g5e7f7f5e4e3f8f9g8h9e10h8d5j9h7"),
    (Rule::Renju, 15, "g8h8h10h9j11"),
    (Rule::Renju, 15, "h14g13g12i13j13h11j11j10f11e10h12e12e9j12d10c11k10l9k11k12l11m11m12j9"),
    (Rule::Renju, 15, "e6e5e8d6e4f10f4d7d5f7d4c4e7f3h4g4g5"),
    (Rule::Caro, 15, "k13j11i12h10h11j13j10k11i11i7k9h12l11l8i8j9e11g11f10f9i13i10h9k5d12g9j6j7"),
    (Rule::Caro, 15, "g9f10j7i7h7e10g10g11"),
    (Rule::Caro, 15, "d10d8e13e11d12e9b10c11d11d13e10f10g11c10f12c7b6c9c8c12c13h10d9f11d14c15g10g9"),
    (Rule::CaroExact, 15, "j2f3g2f6h2j4g3f2g4g5f5e6e7h6g6i5g7k3l2h7"),
    (Rule::CaroExact, 15, "h5e6g8e5e7f5d7f7f8f4d6c5d5f3"),
    (Rule::CaroExact, 15, "l7i7h3h5k3k6k5l6j3i3j6j7i6h7g7f5h6g6i8i5g5d6e4e6f7d7c8d8d9c6f6d4d5e8"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_whole_and_every_rule_is_there() {
        assert!(POSITIONS.len() >= 30);
        for (rule, side, moves) in POSITIONS {
            let setup = setup(*side, moves).unwrap_or_else(|| panic!("{rule} {moves}"));
            assert_eq!(setup.check(), Ok(()), "{rule} {moves}");
        }
        assert!(Rule::ALL.iter().all(|rule| POSITIONS.iter().any(|(r, _, _)| r == rule)));
    }

    /// OpenBench goes up the lines and takes the first `N nodes` or `nodes N`, and the first `N nps`.
    #[test]
    fn openbench_reads_nodes_and_speed() {
        let mut text = Vec::new();
        print(&Settings { depth: 2, rule: Some(Rule::Caro), ..Settings::default() }, &mut text).expect("memory");
        let text = String::from_utf8(text).expect("text");
        let mut words = text.lines().rev().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let (last, line) = (words.next().expect("a line"), words.next().expect("a line"));
        let [nodes, "nodes", speed, "nps"] = line[..] else { panic!("{line:?}") };
        assert_eq!(last[1], nodes);
        assert!(speed.parse::<u64>().is_ok_and(|speed| speed > 0));
    }

    /// A change of either evaluation changes the signature.
    #[test]
    fn every_rule_is_searched_with_both_evaluations() {
        let searched: Vec<(bool, Rule)> = searches().map(|(e, (rule, ..))| (e.network.is_none(), *rule)).collect();
        for rule in Rule::ALL {
            assert!(searched.contains(&(false, rule)) && searched.contains(&(true, rule)), "{rule}");
        }
        // The two evaluations give different node counts for a position.
        let entries = run(&Settings { depth: 4, rule: Some(Rule::Standard), ..Settings::default() }, &mut |_| {});
        let [first, .., last] = &entries[..] else { panic!("{entries:?}") };
        assert!(!first.classical && last.classical && first.nodes != last.nodes, "{first:?} {last:?}");
    }
}
