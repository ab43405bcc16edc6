//! Lead of one engine over others by rule and time per move, from the results of several matches.

use super::record::{Log, RecordError, difference_of_matches};
use super::report::Report;
use crate::stats::{Estimate, estimate_text};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Result of one match for one rule and board.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// Rule and board, and the opponent if there are several.
    pub series: String,
    /// Seconds for a move: the smaller limit of the two engines or, without limits, the mean time used.
    pub seconds: f64,
    /// Games played.
    pub games: u64,
    /// Mean score of a game, 0 to 1.
    pub score: f64,
    /// Complete pairs, and the number of pairs in which one colour won both games.
    pub pairs: [u64; 2],
    /// The difference in Elo; `None` without games.
    pub elo: Option<Estimate>,
    /// Ratio of the time used to the opponent's time, over the whole match.
    pub ratio: Option<f64>,
}

impl Lead {
    /// The ratio of times with two decimals, or a dash.
    pub fn ratio_text(&self) -> String {
        self.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))
    }
}

/// The leads of an engine by rule and time, and its name. It is the first engine of the first file and must play in
/// every other file under the same name. Parts of one match are joined.
///
/// # Errors
/// If a record cannot be read, does not have two engines, or lacks that engine.
pub fn leads(paths: &[&Path]) -> Result<(String, Vec<Lead>), RecordError> {
    let mut matches: Vec<(PathBuf, Log)> = Vec::new();
    for path in paths {
        let log = Log::read(path)?;
        let same =
            |other: &&mut (PathBuf, Log)| difference_of_matches(&other.1.header.spec, &log.header.spec).is_none();
        match matches.iter_mut().find(same) {
            Some((_, whole)) => whole.games.extend(log.games),
            None => matches.push((path.to_path_buf(), log)),
        }
    }
    let wrong = |path: &Path, what: String| RecordError::Different(path.to_owned(), what);
    let name = match matches.first() {
        Some((_, log)) if !log.header.spec.engines.is_empty() => log.header.spec.engines[0].name.clone(),
        Some((path, _)) => return Err(wrong(path, "is of no engines".to_owned())),
        None => return Err(RecordError::Empty("the list of files".into())),
    };
    let mut leads = Vec::new();
    let mut opponents = Vec::new();
    for (path, log) in matches {
        let report = Report::new(log.header, log.games);
        let engines = &report.header.spec.engines;
        let [a, b] = &engines[..] else {
            return Err(wrong(&path, format!("is of {} engines, not of two", engines.len())));
        };
        let (own, other) = match (a.name == name, b.name == name) {
            (true, _) => (0, 1),
            (_, true) => (1, 0),
            _ => return Err(wrong(&path, format!("is a match without {name}"))),
        };
        let clock = report.tally.clockwork(own);
        // Without a time limit, use the mean time used.
        let used = (clock.ms / clock.moves.max(1) as f64).round().max(1.0);
        let limits = engines.iter().filter_map(|e| e.limits.turn_ms).min().map_or(used, |ms| ms as f64);
        let opponent = engines[other].name.clone();
        for (i, event) in report.header.spec.events.iter().enumerate() {
            let score = report.tally.between(own, other, Some(i));
            let games = score.games();
            let lead = Lead {
                series: event.to_string(),
                seconds: limits / 1000.0,
                games: games.games(),
                score: games.points() / (games.games() as f64).max(1.0),
                pairs: [score.pairs.pairs(), score.one_colour.iter().sum()],
                elo: score.estimate(),
                ratio: (clock.opponents_ms > 0.0).then(|| clock.ms / clock.opponents_ms),
            };
            leads.push((opponent.clone(), lead));
        }
        opponents.push(opponent);
    }
    opponents.sort();
    opponents.dedup();
    let several = opponents.len() > 1;
    let named = |(opponent, lead): (String, Lead)| match several {
        true => Lead { series: format!("{}, {opponent}", lead.series), ..lead },
        false => lead,
    };
    let mut leads: Vec<Lead> = leads.into_iter().map(named).collect();
    leads.sort_by(|a, b| a.series.cmp(&b.series).then(a.seconds.total_cmp(&b.seconds)));
    Ok((name, leads))
}

/// Prints the leads as a table.
///
/// # Errors
/// Errors of the writer.
pub fn write_leads(out: &mut dyn Write, name: &str, leads: &[Lead]) -> io::Result<()> {
    let width = leads.iter().map(|lead| lead.series.chars().count()).max().unwrap_or(0);
    writeln!(out, "Lead of {name} by seconds for a move")?;
    writeln!(out, "{:width$}  seconds  games  pairs  one colour  score  time used  Elo", "")?;
    for lead in leads {
        let [pairs, one_colour] = lead.pairs;
        writeln!(
            out,
            "{:width$} {:8} {:6} {pairs:6} {one_colour:11} {:5.1}% {:>10}  {}",
            lead.series,
            lead.seconds,
            lead.games,
            100.0 * lead.score,
            lead.ratio_text(),
            estimate_text(lead.elo.as_ref())
        )?;
    }
    writeln!(out, "one colour: complete pairs that the same colour won twice")?;
    writeln!(out, "time used: by {name}, to that of its opponent")
}
