//! The difference of strength that games tell, in the one way in which every table, file and page tells it.

use super::{Elo, Pentanomial, Trinomial, signed};
use serde::Serialize;
use std::fmt;

/// A difference of strength, and the games that it is told from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The difference with its interval.
    pub elo: Elo,
    /// What counts as a sample.
    pub from: Source,
    /// Games that are left out: those whose partner with exchanged colours is missing, if there are pairs.
    pub left_out: u64,
}

/// What counts as a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Complete pairs.
    Pairs,
    /// Single games, because there is no complete pair.
    Games,
}

impl Estimate {
    /// From complete pairs if there are any, else from single games; `None` without games.
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

/// `Elo +240.8 [+66.4, ∞] (95%), LOS 99.8%`, and which games this does not count.
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

/// An estimate for people, also where there is none.
pub fn estimate_text(estimate: Option<&Estimate>) -> String {
    estimate.map_or_else(|| "no games".to_owned(), ToString::to_string)
}

/// A number with the ends of its interval: `+69.1 [+21.4, +119.6]`. A side without a limit is `∞`.
pub fn with_interval(value: f64, (low, high): (f64, f64), decimals: usize) -> String {
    let high = if high == f64::INFINITY { "∞".to_owned() } else { signed(high, decimals) };
    format!("{} [{}, {high}]", signed(value, decimals), signed(low, decimals))
}

/// [`with_interval`].
impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_interval(self.diff, (self.low, self.high), 1))
    }
}

/// An estimate as fields of JSON. JSON has no infinity: null stands for it, and for what is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EstimateFields {
    /// The difference; null without games, and where one side took every point (the score is then 0 or 1).
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval; null if there is no lower limit.
    pub elo_low: Option<f64>,
    /// Upper end of the 95 % interval; null if there is no upper limit.
    pub elo_high: Option<f64>,
    /// Likelihood of superiority, 0 to 1; null if there is no interval.
    pub los: Option<f64>,
    /// `pairs` or `games`: what the figures above count; null without games.
    pub elo_from: Option<Source>,
    /// Games that they do not count, since their partners are missing.
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
