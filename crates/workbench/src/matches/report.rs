//! Tables of a match, from its record.

use super::part_use::{PartUse, duration, write_parts};
use super::parts::{Parts, in_order};
use super::record::{GameRecord, Header, RecordError};
use super::referee::End;
use super::schedule::pairings;
use super::sequential::Sequential;
use super::settings::SprtSpec;
use super::tally::{Faulty, Score, Tally};
use crate::stats::{Verdict, estimate_text, wilson, with_interval};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use tengen_engines::fault::FaultKind;

/// The state of a match and its results so far.
#[derive(Clone, Debug)]
pub struct Report {
    /// The match.
    pub header: Header,
    /// Games, ordered by number.
    pub games: Vec<GameRecord>,
    /// Counts over these games.
    pub tally: Tally,
    /// Time use of the parts, if there are several.
    pub parts: Vec<PartUse>,
    /// The sequential test over the games in the order of their numbers; `None` if the games were counted as they
    /// ended.
    pub sequential: Option<Sequential>,
}

impl Report {
    /// Builds the report of these games, given in any order.
    pub fn new(header: Header, games: Vec<GameRecord>) -> Report {
        let games = in_order(games);
        let mut tally = Tally::new(&header.spec);
        games.iter().for_each(|g| tally.add(g));
        Report { header, games, tally, parts: Vec::new(), sequential: None }
    }

    /// Joins the records of the parts of a match.
    ///
    /// # Errors
    /// If a record cannot be read or has no header, or the records belong to different matches.
    pub fn join(paths: &[PathBuf]) -> Result<Report, RecordError> {
        let mut parts = Parts::default();
        parts.look(paths)?;
        let missing = paths.iter().find_map(|path| Some(RecordError::Io(path.clone(), path.metadata().err()?)));
        let empty = parts.iter().find(|part| part.header().is_none());
        match missing.or_else(|| empty.map(|part| RecordError::Empty(part.path.clone()))) {
            Some(error) => Err(error),
            None => Report::of(&parts).ok_or_else(|| RecordError::Empty("the list of files".into())),
        }
    }

    /// The report of the parts as far as they have been read; `None` without a complete header.
    pub fn of(parts: &Parts) -> Option<Report> {
        let mut report = Report::new(parts.header()?, parts.games());
        report.parts = parts.iter().filter_map(PartUse::of).collect();
        if report.parts.len() < 2 {
            report.parts.clear();
        }
        Some(report)
    }

    /// Applies a sequential test to the games in the order of their numbers.
    ///
    /// # Errors
    /// A sentence, if the match has another test or is not one of two engines.
    pub fn test(&mut self, sprt: SprtSpec) -> Result<(), String> {
        let spec = &mut self.header.spec;
        if spec.engines.len() != 2 {
            return Err("a sequential test is for two engines".to_owned());
        }
        if let Some(own) = spec.sprt.filter(|own| *own != sprt) {
            return Err(format!("the match has a test of its own: {}", hypotheses(&own)));
        }
        spec.sprt = Some(sprt);
        self.sequential = Sequential::of(spec, &self.games);
        Ok(())
    }

    /// Whether all games of the match are there.
    pub fn is_complete(&self) -> bool {
        let spec = &self.header.spec;
        self.games.len() as u64 >= spec.games.saturating_mul(pairings(spec).len() as u64)
    }

    /// Prints all tables: results, ratings, splits, endings, faults.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let engines = self.header.spec.engines.len();
        let counted = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (games, pairs) = (self.games.len() as u64, self.complete_pairs());
        writeln!(out, "{}, {}", counted(games, "game"), counted(pairs, "complete pair"))?;
        if self.header.spec.games % 2 == 1 {
            writeln!(out, "An odd number of games: the last game of each pairing has no partner.")?;
        }
        if engines == 2 {
            self.write_duel(out)?;
        } else {
            self.write_ratings(out)?;
            self.write_crosstable(out)?;
            self.write_pairings(out)?;
        }
        self.write_rules(out)?;
        self.write_endings(out)?;
        self.write_engines(out)?;
        write_parts(out, &self.parts)?;
        self.write_faults(out)
    }

    pub(super) fn complete_pairs(&self) -> u64 {
        let engines = self.header.spec.engines.len();
        let all = (0..engines).flat_map(|a| (a + 1..engines).map(move |b| (a, b)));
        all.map(|(a, b)| self.tally.pairs_between(a, b).pairs()).sum()
    }

    /// Rule, time and number of games in one line.
    pub(super) fn conditions(&self, games: u64) -> String {
        let spec = &self.header.spec;
        let boards: Vec<String> = spec.events.iter().map(ToString::to_string).collect();
        let mut limits: Vec<String> = spec.engines.iter().map(|e| e.limits.to_string()).collect();
        limits.dedup();
        format!("{}, {}, {games} games", boards.join(" and "), limits.join(" against "))
    }

    pub(super) fn name(&self, engine: usize) -> &str {
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
        writeln!(out, "  {}", one_colour(&score))?;
        if let Some(elo) = score.pairs.elo().filter(|elo| elo.normalized_error.is_finite()) {
            writeln!(out, "  normalized Elo {}", with_interval(elo.normalized, elo.normalized_interval(), 1))?;
        }
        writeln!(out, "  with black: {}", trinomial_line(&score.black))?;
        writeln!(out, "  with white: {}", trinomial_line(&score.white))?;
        if let Some(line) = self.sprt_line() {
            writeln!(out, "  {line}")?;
        }
        Ok(())
    }

    /// The sequential test's state in one line; `None` without a test.
    pub fn sprt_line(&self) -> Option<String> {
        match (&self.sequential, self.header.spec.sprt) {
            (Some(state), Some(sprt)) => Some(self.sequential_line(state, &sprt)),
            _ => sprt_line(&self.header, &self.tally),
        }
    }

    fn sequential_line(&self, state: &Sequential, sprt: &SprtSpec) -> String {
        if let Some(engine) = state.forfeits {
            return no_verdict(sprt, self.name(engine));
        }
        let (counted, later) = (state.games, self.games.len() as u64 - state.games);
        let line = format!("{} after {counted} games in their order", llr_text(sprt, state.llr, state.verdict));
        match (state.verdict, later) {
            (_, 0) => line,
            (Verdict::Continue, _) => format!("{line}; {later} later ones wait for game {}", counted + 1),
            _ => format!("{line}; {later} later ones do not count"),
        }
    }

    fn write_ratings(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(fit) = self.tally.ratings() else { return Ok(()) };
        let mut order: Vec<usize> = (0..fit.ratings.len()).collect();
        order.sort_by(|a, b| fit.ratings[*b].elo.total_cmp(&fit.ratings[*a].elo));
        let width = self.name_width();
        writeln!(out, "\n  # {:width$} rating             95%   games  points      %   draws", "engine")?;
        for (rank, engine) in order.into_iter().enumerate() {
            let (rating, games) = (fit.ratings[engine], self.tally.of(engine, None).games());
            let share = |n: f64| 100.0 * n / (games.games() as f64).max(1.0);
            let rating_text = match games.games() {
                0 => "-".to_owned(),
                _ => with_interval(rating.elo, rating.interval(), 0),
            };
            let (elo, interval) = rating_text.split_once(' ').unwrap_or((&rating_text, "-"));
            writeln!(
                out,
                "{:3} {:width$} {elo:>6} {interval:>15} {:7} {:7.1} {:5.1}% {:6.1}%",
                rank + 1,
                self.name(engine),
                games.games(),
                games.points(),
                share(games.points()),
                share(games.draws as f64)
            )?;
        }
        writeln!(out, "rating: Elo against the mean of all engines, from single games")?;
        if fit.prior_games > 0.0 {
            writeln!(
                out,
                "  (an engine took all points or none: a virtual draw against the average was added for each engine)"
            )?;
        }
        Ok(())
    }

    /// Prints the difference of each pair of engines that met.
    fn write_pairings(&self, out: &mut dyn Write) -> io::Result<()> {
        for [a, b] in pairings(&self.header.spec) {
            let score = self.tally.between(a, b, None);
            writeln!(out, "\n{} against {}", self.name(a), self.name(b))?;
            writeln!(out, "  {}", wdl(&score))?;
            writeln!(out, "  {}", elo_line(&score))?;
            writeln!(out, "  {}", one_colour(&score))?;
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

    /// Prints results by rule and board, if there are several.
    fn write_rules(&self, out: &mut dyn Write) -> io::Result<()> {
        let events = &self.header.spec.events;
        if events.len() < 2 {
            return Ok(());
        }
        for (i, event) in events.iter().enumerate() {
            writeln!(out, "\n{}", event)?;
            let engines = if self.header.spec.engines.len() == 2 { 1 } else { self.header.spec.engines.len() };
            for engine in 0..engines {
                let score = self.tally.of(engine, Some(i));
                writeln!(out, "  {:w$} {}", self.name(engine), wdl(&score), w = self.name_width())?;
                writeln!(out, "  {:w$} {}", "", elo_line(&score), w = self.name_width())?;
                writeln!(out, "  {:w$} {}", "", one_colour(&score), w = self.name_width())?;
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

    /// Prints time, depth and speed. The last line explains the columns that need an explanation.
    fn write_engines(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.name_width();
        writeln!(out, "\n{:width$}   moves   book  ms/move  time used   ratio  depth  kN/s  over limit (worst)", "")?;
        for engine in 0..self.header.spec.engines.len() {
            let c = self.tally.clockwork(engine);
            let mean = |n: f64, of: f64, digits: usize| match of > 0.0 {
                true => format!("{:.digits$}", n / of),
                false => "-".to_owned(),
            };
            writeln!(
                out,
                "{:width$} {:7} {:>6} {:>8} {:>10} {:>7} {:>6} {:>5}  {} ({:.1} ms)",
                self.name(engine),
                c.moves,
                if c.has_search_info() { c.book.to_string() } else { "-".to_owned() },
                mean(c.ms, c.moves as f64, 1),
                duration(c.ms),
                mean(c.ms, c.opponents_ms, 3),
                mean(c.depth.0 as f64, c.depth.1 as f64, 1),
                mean(c.nodes.0 as f64, c.nodes.1, 0),
                c.over,
                c.worst_over
            )?;
        }
        writeln!(
            out,
            "ratio: time used by an engine to that of its opponents; depth and kN/s: of searched moves, as reported"
        )
    }

    /// Prints the share of games in which each engine commits faults, with its interval.
    fn write_fault_rates(&self, out: &mut dyn Write) -> io::Result<()> {
        for engine in 0..self.header.spec.engines.len() {
            let Faulty { games, faulty, .. } = self.tally.faulty(engine);
            let (low, high) = wilson(faulty, games);
            writeln!(
                out,
                "  {:w$} games with a fault: {faulty} of {games}; {:.1}% to {:.1}% (95%)",
                self.name(engine),
                100.0 * low,
                100.0 * high,
                w = self.name_width()
            )?;
        }
        Ok(())
    }

    fn write_faults(&self, out: &mut dyn Write) -> io::Result<()> {
        let engines = 0..self.header.spec.engines.len();
        if engines.clone().all(|e| FaultKind::ALL.iter().all(|k| self.tally.faults(e, *k) == 0)) {
            writeln!(out, "\nNo faults.")?;
            return self.write_fault_rates(out);
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
        self.write_fault_rates(out)?;
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
}

/// The two hypotheses of a test.
pub(super) fn hypotheses(sprt: &SprtSpec) -> String {
    format!("{} to {} {}", sprt.elo0, sprt.elo1, sprt.unit())
}

/// The sequential test's state in one line; `None` without a test.
pub fn sprt_line(header: &Header, tally: &Tally) -> Option<String> {
    let spec = header.spec.sprt?;
    if let Some(engine) = tally.always_forfeits() {
        return Some(no_verdict(&spec, &header.spec.engines[engine].name));
    }
    let llr = spec.test().llr(&tally.pairs_between(0, 1));
    Some(llr_text(&spec, llr, spec.test().verdict(llr)))
}

fn llr_text(sprt: &SprtSpec, llr: f64, verdict: Verdict) -> String {
    let (lower, upper) = sprt.test().bounds();
    format!("SPRT {}: LLR {llr:.2} ({lower:.2}, {upper:.2}), {}", hypotheses(sprt), verdict.name())
}

fn no_verdict(sprt: &SprtSpec, name: &str) -> String {
    format!("SPRT {}: no verdict: {name} lost every game by a fault", hypotheses(sprt))
}

fn wdl(score: &Score) -> String {
    let games = score.games();
    let share = 100.0 * games.points() / (games.games() as f64).max(1.0);
    format!("{} games: +{} ={} -{}, {share:.1}%", games.games(), games.wins, games.draws, games.losses)
}

fn trinomial_line(games: &crate::stats::Trinomial) -> String {
    let share = 100.0 * games.points() / (games.games() as f64).max(1.0);
    format!("+{} ={} -{}, {share:.1}%", games.wins, games.draws, games.losses)
}

/// The pairs in which one colour won both games: they show the bias of the opening, not a difference of the engines.
fn one_colour(score: &Score) -> String {
    let [black, white] = score.one_colour;
    format!(
        "pairs that one colour won twice: {} of {} (black {black}, white {white})",
        black + white,
        score.pairs.pairs()
    )
}

/// The difference in strength as text, see [`Score::estimate`].
pub fn elo_line(score: &Score) -> String {
    estimate_text(score.estimate().as_ref())
}
