//! The estimated difference in strength, in the one format that all tables, files and pages use.

use super::{Elo, Pentanomial, Trinomial, signed};
use serde::Serialize;
use std::fmt;

/// A difference in strength, and its sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The difference with its interval.
    pub elo: Elo,
    /// Kind of the samples.
    pub from: Source,
    /// Number of games that do not count: with pairs, those without a partner with exchanged colours.
    pub left_out: u64,
}

/// Kind of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Complete pairs.
    Pairs,
    /// Single games, because there is no complete pair.
    Games,
}

impl Estimate {
    /// Uses complete pairs if there are any, otherwise single games; `None` without games.
    pub fn new(pairs: &Pentanomial, games: &Trinomial) -> Option<Estimate> {
        match pairs.elo() {
            Some(elo) => {
                let left_out = games.games().saturating_sub(2 * pairs.pairs());
                Some(Estimate { elo, from: Source::Pairs, left_out })
            }
            None => Some(Estimate { elo: games.elo()?, from: Source::Games, left_out: 0 }),
        }
    }
}

/// `Elo +240.8 [+66.4, ∞] (95%), LOS 99.8%`, and the games that do not count.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elo {}", self.elo)?;
        match (self.elo.has_interval(), self.from) {
            (true, _) => write!(f, " (95%), LOS {:.1}%", 100.0 * self.elo.los)?,
            (false, Source::Pairs) => write!(f, " (no interval: all pairs alike)")?,
            (false, Source::Games) => write!(f, " (no interval: all games alike)")?,
        }
        match (self.from, self.left_out) {
            (Source::Games, _) => write!(f, " (from games without a partner)"),
            (Source::Pairs, 0) => Ok(()),
            (Source::Pairs, 1) => write!(f, " (1 game without a partner left out)"),
            (Source::Pairs, n) => write!(f, " ({n} games without a partner left out)"),
        }
    }
}

/// An estimate as text, also for a missing one.
pub fn estimate_text(estimate: Option<&Estimate>) -> String {
    estimate.map_or_else(|| "no games".to_owned(), ToString::to_string)
}

/// A number with the ends of its interval: `+69.1 [+21.4, +119.6]`. An infinite end is `∞`.
pub fn with_interval(value: f64, (low, high): (f64, f64), decimals: usize) -> String {
    let high = if high == f64::INFINITY { "∞".to_owned() } else { signed(high, decimals) };
    format!("{} [{}, {high}]", signed(value, decimals), signed(low, decimals))
}

/// Same format as [`with_interval`].
impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_interval(self.diff, (self.low, self.high), 1))
    }
}

/// An estimate as JSON fields. JSON has no infinity: null represents infinite and unknown values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EstimateFields {
    /// The difference; null without games, or if one side scored every point (the score is then 0 or 1).
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval; null if it is infinite.
    pub elo_low: Option<f64>,
    /// Upper end of the 95 % interval; null if it is infinite.
    pub elo_high: Option<f64>,
    /// Likelihood of superiority, 0 to 1; null if there is no interval.
    pub los: Option<f64>,
    /// Samples of the values above, `pairs` or `games`; null without games.
    pub elo_from: Option<Source>,
    /// Games that do not count because their partners are missing.
    pub left_out: u64,
}

impl From<Option<Estimate>> for EstimateFields {
    fn from(estimate: Option<Estimate>) -> EstimateFields {
        let Some(Estimate { elo, from, left_out }) = estimate else { return EstimateFields::default() };
        let finite = |value: f64| value.is_finite().then_some(value);
        EstimateFields {
            elo: finite(elo.diff),
            elo_low: finite(elo.low),
            elo_high: finite(elo.high),
            los: elo.has_interval().then_some(elo.los),
            elo_from: Some(from),
            left_out,
        }
    }
}
