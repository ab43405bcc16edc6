//! Sequential probability ratio test on pairs of games.
//!
//! The generalised test (GSPRT) of fishtest: the log-likelihood ratio compares the two multinomial distributions that
//! best fit the counted pairs under "the strength is `elo0`" and "the strength is `elo1`". Sources: M. Van den Bergh,
//! "A practical introduction to the GSPRT" and "Comments on normalized Elo" (the constrained fits).

use super::elo::Pentanomial;
use super::score_of_elo;

/// Unit of the hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Model {
    /// Logistic Elo: a fixed expected score.
    #[default]
    Logistic,
    /// Normalized Elo: a fixed number of standard deviations. The expected length of a test then does not depend on the
    /// share of draws or on the bias of openings.
    Normalized,
}

/// Hypotheses and error rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// H0: the first engine is stronger by this much.
    pub elo0: f64,
    /// H1: the first engine is stronger by this much; above `elo0`.
    pub elo1: f64,
    /// Accepted probability of "H1" when H0 holds.
    pub alpha: f64,
    /// Accepted probability of "H0" when H1 holds.
    pub beta: f64,
    /// The unit of `elo0` and `elo1`.
    pub model: Model,
}

/// State of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Neither bound was crossed.
    Continue,
    /// The lower bound was crossed.
    AcceptH0,
    /// The upper bound was crossed.
    AcceptH1,
}

impl Verdict {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Continue => "undecided",
            Verdict::AcceptH0 => "H0 accepted",
            Verdict::AcceptH1 => "H1 accepted",
        }
    }
}

/// Pair scores per game.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Replaces a count of zero, so that no result is impossible under either hypothesis.
const REGULARISER: f64 = 1e-3;

impl Sprt {
    /// Lower and upper bound of the log-likelihood ratio (Wald).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// A sentence that describes the problem.
    pub fn check(&self) -> Result<(), &'static str> {
        let open = |p: f64| p > 0.0 && p < 1.0;
        if !self.elo0.is_finite() || !self.elo1.is_finite() || self.elo0 >= self.elo1 {
            return Err("elo0 must be below elo1");
        }
        if !open(self.alpha) || !open(self.beta) || self.alpha + self.beta >= 1.0 {
            return Err("alpha and beta must lie between 0 and 1, and their sum below 1");
        }
        Ok(())
    }

    /// The log-likelihood ratio of H1 to H0; 0 without pairs.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.counts.map(|c| if c == 0 { REGULARISER } else { c as f64 });
        let n: f64 = counts.iter().sum();
        let observed = counts.map(|c| c / n);
        let (p0, p1) = match self.model {
            Model::Logistic => {
                (fit_mean(&observed, score_of_elo(self.elo0)), fit_mean(&observed, score_of_elo(self.elo1)))
            }
            Model::Normalized => {
                // Normalized Elo refers to one game's deviation; a pair's is smaller by the square root of two.
                let t = |elo: f64| elo * std::f64::consts::LN_10 / 800.0 * 2f64.sqrt();
                (fit_t_value(&observed, t(self.elo0)), fit_t_value(&observed, t(self.elo1)))
            }
        };
        n * (0..5).map(|i| observed[i] * (p1[i] / p0[i]).ln()).sum::<f64>()
    }

    /// The verdict for this log-likelihood ratio.
    pub fn verdict(&self, llr: f64) -> Verdict {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Verdict::AcceptH1
        } else if llr <= lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }
}

/// The distribution nearest to `observed` (maximum likelihood) under which the values `a` have mean zero.
///
/// Its weights are `p / (1 + x a)` for the one `x` at which the mean is zero. The mean decreases strictly with `x`, so
/// bisection finds it.
fn fit_zero_mean(observed: &[f64; 5], a: &[f64; 5]) -> [f64; 5] {
    let (min, max) = a.iter().fold((f64::MAX, f64::MIN), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
    if min >= 0.0 || max <= 0.0 {
        return *observed;
    }
    let (mut lo, mut hi) = (-1.0 / max, -1.0 / min);
    for _ in 0..200 {
        let x = 0.5 * (lo + hi);
        let mean: f64 = (0..5).map(|i| observed[i] * a[i] / (1.0 + x * a[i])).sum();
        if mean > 0.0 { lo = x } else { hi = x }
    }
    let x = 0.5 * (lo + hi);
    std::array::from_fn(|i| observed[i] / (1.0 + x * a[i]))
}

/// The nearest distribution with this expected score.
fn fit_mean(observed: &[f64; 5], score: f64) -> [f64; 5] {
    fit_zero_mean(observed, &SCORES.map(|s| s - score))
}

/// The nearest distribution whose score is `t` standard deviations away from one half.
///
/// With mean m and deviation d of the current estimate, the constraint is linearised at the estimate: its gradient at
/// the score s is `s - 1/2 - t d (1 + ((m - s)/d)^2) / 2`. A distribution with zero mean for these values is the next
/// estimate. The iteration converges in a few steps.
fn fit_t_value(observed: &[f64; 5], t: f64) -> [f64; 5] {
    let mut law = [0.2; 5];
    for _ in 0..50 {
        let mean: f64 = (0..5).map(|i| law[i] * SCORES[i]).sum();
        let deviation = (0..5).map(|i| law[i] * (SCORES[i] - mean).powi(2)).sum::<f64>().sqrt();
        let values = SCORES.map(|s| s - 0.5 - 0.5 * t * deviation * (1.0 + ((mean - s) / deviation).powi(2)));
        let next = fit_zero_mean(observed, &values);
        let change = (0..5).map(|i| (next[i] - law[i]).abs()).fold(0.0, f64::max);
        law = next;
        if change < 1e-9 {
            break;
        }
    }
    law
}
