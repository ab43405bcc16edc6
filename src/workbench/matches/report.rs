//! Tables and plots of a match, from its record.

use super::fault::FaultKind;
use super::gamefile::rule_name;
use super::record::{GameRecord, Header, Log, RecordError};
use super::referee::End;
use super::settings::SprtSpec;
use super::tally::{Score, Tally};
use crate::workbench::chart::{self, Axis, Panel, Shape};
use crate::workbench::stats::{Elo, Pentanomial, Verdict};
use plotters::style::{BLACK, BLUE, RED, RGBColor};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// A match as far as it has been played.
#[derive(Clone, Debug)]
pub struct Report {
    /// The match.
    pub header: Header,
    /// Games by number.
    pub games: Vec<GameRecord>,
    /// What they amount to.
    pub tally: Tally,
}

impl Report {
    /// Of these games, in any order.
    pub fn new(header: Header, mut games: Vec<GameRecord>) -> Report {
        games.sort_by_key(|g| g.game);
        games.dedup_by_key(|g| g.game);
        let mut tally = Tally::new(&header.spec);
        games.iter().for_each(|g| tally.add(g));
        Report { header, games, tally }
    }

    /// Joins the records of a match's parts.
    ///
    /// # Errors
    /// If a record cannot be read or they are of different matches.
    pub fn join(paths: &[&Path]) -> Result<Report, RecordError> {
        let mut joined: Option<Log> = None;
        for path in paths {
            let log = Log::read(path)?;
            match &mut joined {
                None => joined = Some(log),
                Some(first) if first.header.id == log.header.id => first.games.extend(log.games),
                Some(_) => {
                    let what = "is of another match than the first file".to_owned();
                    return Err(RecordError::Different(path.to_path_buf(), what));
                }
            }
        }
        let log = joined.ok_or_else(|| RecordError::Empty("the list of files".into()))?;
        Ok(Report::new(log.header, log.games))
    }

    /// Prints everything: results, ratings, splits, endings, faults.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let engines = self.header.spec.engines.len();
        writeln!(out, "{} games, {} complete pairs", self.games.len(), self.complete_pairs())?;
        if engines == 2 {
            self.write_duel(out)?;
        } else {
            self.write_ratings(out)?;
            self.write_crosstable(out)?;
        }
        self.write_rules(out)?;
        self.write_endings(out)?;
        self.write_engines(out)?;
        self.write_faults(out)
    }

    fn complete_pairs(&self) -> u64 {
        let engines = self.header.spec.engines.len();
        let all = (0..engines).flat_map(|a| (a + 1..engines).map(move |b| (a, b)));
        all.map(|(a, b)| self.tally.pairs_between(a, b).pairs()).sum()
    }

    fn name(&self, engine: usize) -> &str {
        &self.header.spec.engines[engine].name
    }

    fn name_width(&self) -> usize {
        self.header.spec.engines.iter().map(|e| e.name.chars().count()).max().unwrap_or(0).max(6)
    }

    fn write_duel(&self, out: &mut dyn Write) -> io::Result<()> {
        let score = self.tally.between(0, 1, None);
        writeln!(out, "\n{} against {}", self.name(0), self.name(1))?;
        writeln!(out, "  {}", wdl(&score))?;
        writeln!(out, "  {}", elo_line(&score))?;
        let [ll, ld, dd, wd, ww] = score.pairs.counts;
        write!(out, "  pairs with 0, 1/2, 1, 1 1/2, 2 points: {ll} {ld} {dd} {wd} {ww}")?;
        match score.pairs.variance_ratio(&score.games()) {
            Some(ratio) => writeln!(out, "; variance {ratio:.2} of unpaired games")?,
            None => writeln!(out)?,
        }
        if let Some(elo) = score.pairs.elo() {
            writeln!(out, "  normalized Elo {}", plus_minus(elo.normalized, elo.normalized_error))?;
        }
        writeln!(out, "  with black: {}", trinomial_line(&score.black))?;
        writeln!(out, "  with white: {}", trinomial_line(&score.white))?;
        if let Some(line) = self.sprt_line() {
            writeln!(out, "  {line}")?;
        }
        Ok(())
    }

    /// The sequential test's state in one line, if there is a test.
    pub fn sprt_line(&self) -> Option<String> {
        sprt_line(&self.header, &self.tally)
    }

    fn write_ratings(&self, out: &mut dyn Write) -> io::Result<()> {
        let fit = self.tally.ratings();
        let mut order: Vec<usize> = (0..fit.ratings.len()).collect();
        order.sort_by(|a, b| fit.ratings[*b].elo.total_cmp(&fit.ratings[*a].elo));
        let width = self.name_width();
        writeln!(out, "\n  # {:width$}    Elo   95%   games  points      %   draws", "engine")?;
        for (rank, engine) in order.into_iter().enumerate() {
            let (rating, games) = (fit.ratings[engine], self.tally.of(engine, None).games());
            let share = |n: f64| 100.0 * n / (games.games() as f64).max(1.0);
            writeln!(
                out,
                "{:3} {:width$} {:+6.0} {:5.0} {:7} {:7.1} {:5.1}% {:6.1}%",
                rank + 1,
                self.name(engine),
                rating.elo,
                rating.error,
                games.games(),
                games.points(),
                share(games.points()),
                share(games.draws as f64)
            )?;
        }
        if fit.prior_games > 0.0 {
            writeln!(
                out,
                "  (someone took all points or none: a virtual draw against the average was added for each engine)"
            )?;
        }
        Ok(())
    }

    fn write_crosstable(&self, out: &mut dyn Write) -> io::Result<()> {
        let (engines, width) = (self.header.spec.engines.len(), self.name_width());
        write!(out, "\n{:width$}", "")?;
        (0..engines).try_for_each(|i| write!(out, " {:>12}", i + 1))?;
        writeln!(out)?;
        for a in 0..engines {
            write!(out, "{:width$}", self.name(a))?;
            for b in 0..engines {
                let games = self.tally.between(a, b, None).games();
                let cell = match games.games() {
                    _ if a == b => "-".to_owned(),
                    0 => "".to_owned(),
                    _ => format!("+{} ={} -{}", games.wins, games.draws, games.losses),
                };
                write!(out, " {cell:>12}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Results by rule and board, if there are several.
    fn write_rules(&self, out: &mut dyn Write) -> io::Result<()> {
        let events = &self.header.spec.events;
        if events.len() < 2 {
            return Ok(());
        }
        for (i, event) in events.iter().enumerate() {
            let swap2 = if event.swap2 { ", swap2" } else { "" };
            writeln!(out, "\n{} {}x{}{swap2}", rule_name(event), event.width, event.height)?;
            let engines = if self.header.spec.engines.len() == 2 { 1 } else { self.header.spec.engines.len() };
            for engine in 0..engines {
                let score = self.tally.of(engine, Some(i));
                writeln!(out, "  {:w$} {}", self.name(engine), wdl(&score), w = self.name_width())?;
                writeln!(out, "  {:w$} {}", "", elo_line(&score), w = self.name_width())?;
            }
        }
        Ok(())
    }

    fn write_endings(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut endings: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut plies, mut black) = (0, 0.0);
        for game in &self.games {
            let fault = game.faults.iter().find(|f| f.lost && game.end == End::Fault);
            *endings.entry(fault.map_or(game.end.name(), |f| f.fault.kind.name())).or_default() += 1;
            plies += game.opening.len() + game.moves.len();
            black += f64::from(game.halves(game.black)) / 2.0;
        }
        if self.games.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = endings.iter().map(|(name, n)| format!("{name} {n}")).collect();
        let n = self.games.len() as f64;
        writeln!(
            out,
            "\nEndings: {}; {:.1} stones a game; black scored {:.1}%",
            list.join(", "),
            plies as f64 / n,
            100.0 * black / n
        )
    }

    fn write_engines(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.name_width();
        writeln!(out, "\n{:width$}   moves  ms/move  depth  kN/s  over limit (worst)", "")?;
        for engine in 0..self.header.spec.engines.len() {
            let c = self.tally.clockwork(engine);
            let told = |n: f64, of: f64, digits: usize| match of > 0.0 {
                true => format!("{:.digits$}", n / of),
                false => "-".to_owned(),
            };
            writeln!(
                out,
                "{:width$} {:7} {:8.1} {:>6} {:>5}  {} ({:.1} ms)",
                self.name(engine),
                c.moves,
                c.ms / (c.moves as f64).max(1.0),
                told(c.depth.0 as f64, c.depth.1 as f64, 1),
                told(c.nodes.0 as f64, c.nodes.1, 0),
                c.over,
                c.worst_over
            )?;
        }
        Ok(())
    }

    fn write_faults(&self, out: &mut dyn Write) -> io::Result<()> {
        let engines = 0..self.header.spec.engines.len();
        if engines.clone().all(|e| FaultKind::ALL.iter().all(|k| self.tally.faults(e, *k) == 0)) {
            return writeln!(out, "\nNo faults.");
        }
        let width = self.name_width();
        write!(out, "\nFaults {:w$}", "", w = width.saturating_sub(7))?;
        FaultKind::ALL.iter().try_for_each(|k| write!(out, " {:>9}", k.name()))?;
        writeln!(out)?;
        for engine in engines {
            write!(out, "{:width$}", self.name(engine))?;
            FaultKind::ALL.iter().try_for_each(|k| write!(out, " {:9}", self.tally.faults(engine, *k)))?;
            writeln!(out)?;
        }
        let all: Vec<_> = self.games.iter().flat_map(|g| g.faults.iter().map(move |f| (g.game, f))).collect();
        const SHOWN: usize = 20;
        for (game, f) in all.iter().take(SHOWN) {
            let cost = if f.lost { "" } else { " (cost no game)" };
            writeln!(out, "  game {}: {}{cost}: {}", game + 1, self.name(f.engine), f.fault)?;
        }
        if all.len() > SHOWN {
            writeln!(out, "  ... and {} more in the record", all.len() - SHOWN)?;
        }
        Ok(())
    }

    /// Draws Elo with its interval and, if there is a test, the log-likelihood ratio, over the pairs in the
    /// order in which they were completed.
    ///
    /// # Errors
    /// If the file cannot be written, or there is nothing to draw.
    pub fn draw_svg(&self, path: &Path) -> Result<(), String> {
        let curve = self.curve();
        if self.header.spec.engines.len() != 2 || curve.is_empty() {
            return Err("a curve needs two engines and a complete pair".to_owned());
        }
        let title = format!("{} against {}", self.name(0), self.name(1));
        let mut panels = vec![elo_panel(title, &curve)];
        panels.extend(self.header.spec.sprt.map(|sprt| llr_panel(&sprt, &curve)));
        chart::draw(path, &panels)
    }

    /// Pairs, Elo and LLR after each complete pair (thinned to at most some 500 points).
    fn curve(&self) -> Vec<(u64, Elo, f64)> {
        let mut order: Vec<&GameRecord> = self.games.iter().collect();
        order.sort_by_key(|g| (g.at, g.game));
        let test = self.header.spec.sprt.map(|s| s.test());
        let mut tally = Tally::new(&self.header.spec);
        let mut curve = Vec::new();
        let step = (self.complete_pairs() / 500).max(1);
        let mut last = 0;
        for game in order {
            tally.add(game);
            let pairs = tally.pairs_between(0, 1);
            if pairs.pairs() == last || !pairs.pairs().is_multiple_of(step) {
                continue;
            }
            last = pairs.pairs();
            if let Some(elo) = pairs.elo() {
                curve.push((last, elo, test.map_or(0.0, |t| t.llr(&pairs))));
            }
        }
        curve
    }
}

/// Elo with a band for its interval.
fn elo_panel(title: String, curve: &[(u64, Elo, f64)]) -> Panel {
    // Early intervals are wide or infinite: the frame is that of the second half of the curve.
    let settled = &curve[curve.len() / 2..];
    let finite = |v: f64| if v.is_finite() { v } else { 0.0 };
    let low = settled.iter().map(|(_, e, _)| finite(e.low)).fold(0.0, f64::min).max(-1200.0) - 5.0;
    let high = settled.iter().map(|(_, e, _)| finite(e.high)).fold(0.0, f64::max).min(1200.0) + 5.0;
    let clip = |v: f64| if v.is_nan() { 0.0 } else { v.clamp(low, high) };
    // All won or all lost, there is no interval.
    let bounded = curve.iter().filter(|(_, e, _)| e.low.is_finite() || e.high.is_finite());
    let band = bounded.map(|(pairs, e, _)| (*pairs as f64, clip(e.low)..clip(e.high)));
    let elo = curve.iter().map(|(pairs, e, _)| (*pairs as f64, clip(e.diff)));
    Panel {
        title,
        x: pairs_axis(curve),
        y: Axis::new("Elo", low..high),
        shapes: vec![
            Shape::Level((String::new(), BLACK), 0.0),
            Shape::Band(("95% interval".to_owned(), BLUE), band.collect()),
            Shape::Curve(("Elo".to_owned(), BLUE), elo.collect()),
        ],
    }
}

/// The log-likelihood ratio between its bounds.
fn llr_panel(sprt: &SprtSpec, curve: &[(u64, Elo, f64)]) -> Panel {
    let (lower, upper) = sprt.test().bounds();
    let llr: Vec<_> = curve.iter().map(|(pairs, _, llr)| (*pairs as f64, *llr)).collect();
    let low = llr.iter().map(|p| p.1).fold(lower, f64::min) - 0.3;
    let high = llr.iter().map(|p| p.1).fold(upper, f64::max) + 0.3;
    let SprtSpec { elo0, elo1, .. } = sprt;
    Panel {
        title: format!("Sequential test of {}", hypotheses(sprt)),
        x: pairs_axis(curve),
        y: Axis::new("log-likelihood ratio", low..high),
        shapes: vec![
            Shape::Level((String::new(), BLACK), 0.0),
            Shape::Level((format!("H1 ({elo1} Elo) accepted above {upper:.2}"), RGBColor(0, 130, 0)), upper),
            Shape::Level((format!("H0 ({elo0} Elo) accepted below {lower:.2}"), RED), lower),
            Shape::Curve((String::new(), BLUE), llr),
        ],
    }
}

fn pairs_axis(curve: &[(u64, Elo, f64)]) -> Axis {
    Axis::new("pairs of games", 0.0..curve.last().map_or(1.0, |(pairs, ..)| *pairs as f64))
}

/// The two hypotheses of a test.
fn hypotheses(sprt: &SprtSpec) -> String {
    let unit = if sprt.normalized { "normalized Elo" } else { "Elo" };
    format!("{} to {} {unit}", sprt.elo0, sprt.elo1)
}

/// The sequential test's state in one line.
pub fn sprt_line(header: &Header, tally: &Tally) -> Option<String> {
    let spec = header.spec.sprt?;
    let test = spec.test();
    let llr = test.llr(&tally.pairs_between(0, 1));
    let (lower, upper) = test.bounds();
    let verdict = match test.verdict(llr) {
        Verdict::Continue => "undecided",
        Verdict::AcceptH0 => "H0 accepted",
        Verdict::AcceptH1 => "H1 accepted",
    };
    Some(format!("SPRT {}: LLR {llr:.2} ({lower:.2}, {upper:.2}), {verdict}", hypotheses(&spec)))
}

/// A number with its error; infinities in words of their own.
pub fn plus_minus(value: f64, error: f64) -> String {
    // Neither the sign of a zero nor that of what rounds to it means anything.
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    match (value.is_finite(), error.is_finite()) {
        (true, true) => format!("{value:+.1} ± {error:.1}"),
        (true, false) => format!("{value:+.1} ± ?"),
        _ => if value > 0.0 { "+inf" } else { "-inf" }.to_owned(),
    }
}

fn wdl(score: &Score) -> String {
    let games = score.games();
    let share = 100.0 * games.points() / (games.games() as f64).max(1.0);
    format!("{} games: +{} ={} -{}, {share:.1}%", games.games(), games.wins, games.draws, games.losses)
}

fn trinomial_line(games: &crate::workbench::stats::Trinomial) -> String {
    let share = 100.0 * games.points() / (games.games() as f64).max(1.0);
    format!("+{} ={} -{}, {share:.1}%", games.wins, games.draws, games.losses)
}

/// Elo and likelihood of superiority: from pairs if there are any, else from single games.
pub fn elo_line(score: &Score) -> String {
    match best_estimate(&score.pairs, score) {
        Some(elo) => format!("Elo {} (95%), LOS {:.1}%", plus_minus(elo.diff, elo.error), 100.0 * elo.los),
        None => "no games".to_owned(),
    }
}

fn best_estimate(pairs: &Pentanomial, score: &Score) -> Option<Elo> {
    pairs.elo().or_else(|| score.games().elo())
}
