//! Elo differences with intervals, from single games and from pairs of games.
//!
//! Two games with one opening and colours swapped are not independent: an opening that favours black gives
//! each engine a point. Counting pairs (the pentanomial model of fishtest) removes that variance, so the interval is
//! narrower and still correct. Formulas: M. Van den Bergh, "Normalized Elo", 2021.

use super::{Z95, elo_of_score, normal_cdf};

/// An estimated difference in strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// Mean score of a game, 0 to 1.
    pub score: f64,
    /// Logistic Elo; infinite if one side scored every point.
    pub diff: f64,
    /// Half the width of the 95 % interval of `diff`; infinite if all samples are equal, because they then contain no
    /// information about the variance.
    pub error: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Normalized Elo: the score's distance from one half in standard deviations, on a scale like Elo's.
    pub normalized: f64,
    /// Half the width of the 95 % interval of `normalized`.
    pub normalized_error: f64,
    /// Likelihood of superiority, 0 to 1.
    pub los: f64,
}

/// Factor from standard deviations of one game to normalized Elo.
const NORMALIZED: f64 = 800.0 / std::f64::consts::LN_10;

impl Elo {
    /// Computes the estimate from the mean and variance of a sample's score, the number of samples, and the games in a
    /// sample.
    fn from_moments(score: f64, variance: f64, samples: f64, games_in_sample: f64) -> Elo {
        let se = (variance / samples).sqrt();
        let (low, high) = match se > 0.0 {
            true => ((score - Z95 * se).max(0.0), (score + Z95 * se).min(1.0)),
            false => (0.0, 1.0),
        };
        let (low, high) = (elo_of_score(low), elo_of_score(high));
        let per_game = (variance * games_in_sample).sqrt();
        let (normalized, normalized_error) = if per_game > 0.0 {
            let unit = NORMALIZED / per_game;
            ((score - 0.5) * unit, Z95 * se * unit)
        } else if score == 0.5 {
            (0.0, f64::INFINITY)
        } else {
            ((score - 0.5) * f64::INFINITY, f64::INFINITY)
        };
        let los = match se > 0.0 {
            true => normal_cdf((score - 0.5) / se),
            false if score == 0.5 => 0.5,
            false => f64::from(u8::from(score > 0.5)),
        };
        let diff = elo_of_score(score);
        Elo { score, diff, error: (high - low) / 2.0, low, high, normalized, normalized_error, los }
    }

    /// Whether the interval is known; it is unknown if all samples are equal.
    pub fn has_interval(&self) -> bool {
        self.low.is_finite() || self.high.is_finite()
    }

    /// The 95 % interval of `normalized`.
    pub fn normalized_interval(&self) -> (f64, f64) {
        (self.normalized - self.normalized_error, self.normalized + self.normalized_error)
    }
}

/// Wins, draws and losses of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trinomial {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Trinomial {
    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win is 1, a draw one half.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Counts one game by its half points: 0 lost, 1 drawn, 2 won.
    pub fn add(&mut self, halves: u8) {
        match halves {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// The same games from the opponent's view.
    pub fn reversed(&self) -> Trinomial {
        Trinomial { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// The estimate for independent games; `None` without games.
    pub fn elo(&self) -> Option<Elo> {
        let n = self.games() as f64;
        if n == 0.0 {
            return None;
        }
        let score = self.points() / n;
        let square = (self.wins as f64 + self.draws as f64 / 4.0) / n;
        Some(Elo::from_moments(score, (square - score * score).max(0.0), n, 1.0))
    }
}

/// Pairs of games by the points of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Number of pairs with 0, half, 1, one and a half and 2 points.
    pub counts: [u64; 5],
}

impl Pentanomial {
    /// Counts from the player's view, worst pair first.
    pub fn new(counts: [u64; 5]) -> Pentanomial {
        Pentanomial { counts }
    }

    /// All pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Counts a pair by its half points, 0 to 4.
    pub fn add(&mut self, halves: u8) {
        self.counts[usize::from(halves.min(4))] += 1;
    }

    /// The same pairs from the opponent's view.
    pub fn reversed(&self) -> Pentanomial {
        let mut counts = self.counts;
        counts.reverse();
        Pentanomial { counts }
    }

    /// Mean and variance of a pair's score per game (0 to 1); `None` without pairs.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let n = self.pairs() as f64;
        if n == 0.0 {
            return None;
        }
        let weighted = |f: &dyn Fn(f64) -> f64| {
            self.counts.iter().enumerate().map(|(i, c)| *c as f64 * f(i as f64 / 4.0)).sum::<f64>() / n
        };
        let mean = weighted(&|s| s);
        Some((mean, weighted(&|s| (s - mean) * (s - mean))))
    }

    /// The estimate with pairs as samples; `None` without pairs.
    pub fn elo(&self) -> Option<Elo> {
        let (mean, variance) = self.moments()?;
        Some(Elo::from_moments(mean, variance, self.pairs() as f64, 2.0))
    }

    /// Ratio of a pair's variance to that of two independent games, estimated from the same games as singles: 1 means
    /// that pairing has no gain. `None` without pairs or without variance.
    pub fn variance_ratio(&self, games: &Trinomial) -> Option<f64> {
        let (_, pair) = self.moments()?;
        let n = games.games() as f64;
        let score = games.points() / n;
        let single = (games.wins as f64 + games.draws as f64 / 4.0) / n - score * score;
        (single > 0.0).then(|| 2.0 * pair / single)
    }
}
