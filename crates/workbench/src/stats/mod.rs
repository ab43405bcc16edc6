//! Statistics of matches: pure functions of counts, independent of games, engines and files.

pub mod elo;
pub mod estimate;
pub mod fit;
pub mod sprt;

pub use elo::{Elo, Pentanomial, Trinomial};
pub use estimate::{Estimate, EstimateFields, estimate_text, with_interval};
pub use sprt::{Model, Sprt, Verdict};

/// Quantile of the standard normal distribution that bounds a two-sided 95 % interval.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Expected score (0 to 1) of a player who is `elo` points stronger, in the logistic model.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Elo difference of an expected score; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// A number with its sign, to `decimals` places. A value that rounds to zero is `+0`, never `-0`; infinity is `+∞`.
pub fn signed(value: f64, decimals: usize) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+∞" } else { "-∞" }.to_owned();
    }
    let text = format!("{value:+.decimals$}");
    let is_zero = text.chars().all(|c| matches!(c, '-' | '+' | '0' | '.'));
    if is_zero { text.replacen('-', "+", 1) } else { text }
}

/// The 95 % interval of a probability after `hits` in `trials` (Wilson 1927); 0 to 1 without trials. Its width is
/// positive even with no hits, or with hits only.
pub fn wilson(hits: u64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, square) = (trials as f64, Z95 * Z95);
    let share = hits as f64 / n;
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half = Z95 / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// Distribution function of the standard normal distribution, to about 1e-9.
///
/// Below 3 it uses the power series of the error function, above 3 the continued fraction of Laplace (Abramowitz and
/// Stegun 26.2.11 and 26.2.14).
pub fn normal_cdf(x: f64) -> f64 {
    let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x.abs() < 3.0 {
        let (mut term, mut sum, mut k) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() && k < 400.0 {
            k += 2.0;
            term *= x * x / k;
            sum += term;
        }
        0.5 + density * sum
    } else {
        let a = x.abs();
        let fraction = (1..=60).rev().fold(a, |rest, k| a + f64::from(k) / rest);
        let tail = density / fraction;
        if x > 0.0 { 1.0 - tail } else { tail }
    }
}
