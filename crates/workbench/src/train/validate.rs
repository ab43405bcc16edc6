//! Measures the network and the classical evaluation on the same held-out positions.

use super::batch::{Machine, Parameters, Pick, Prediction};
use super::head::Precision;
use super::liveness::Liveness;
use super::sample::{Head, Samples, Yardstick};
use std::ops::Range;
use tengen::score::ODDS_UNIT;

/// Quality of an evaluator on some positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Cross-entropy of the game's result, if it counts, under the expected result, in nats.
    pub result: f64,
    /// The same with log-odds scaled by the best factor, and that factor.
    pub scaled: (f64, f64),
    /// Cross-entropy of the expected result of the search's score, for scores that are not proven, minus the minimum
    /// possible; the evaluator's log-odds are scaled by the factor that best fits the results.
    pub search: f64,
    /// Cross-entropy of the best move among the candidates, in nats.
    pub order: f64,
    /// Share of positions whose best move is ranked first.
    pub first: f64,
    /// Share of positions whose best move is ranked among the first five.
    pub five: f64,
    /// Results that count, binned by the expected result: below 0.1, below 0.2, and so on.
    pub calibration: [Bin; BINS],
}

/// Number of bins of the expected result.
pub const BINS: usize = 10;

/// Positions with similar expected results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Number of positions.
    pub count: usize,
    /// Sum of their expected results.
    pub expected: f64,
    /// Sum of their results: 1, 1/2 or 0 each.
    pub result: f64,
    /// Sum of the squares of their results.
    pub square: f64,
}

impl Bin {
    /// The mean expected result, and the mean result with its 95% interval. The interval assumes independent results;
    /// results of one game are not independent. `None` for fewer than two positions.
    pub fn mean(&self) -> Option<(f64, f64, Range<f64>)> {
        let count = (self.count >= 2).then_some(self.count as f64)?;
        let mean = self.result / count;
        let variance = (self.square / count - mean * mean).max(0.0) / (count - 1.0);
        let off = 1.96 * variance.sqrt();
        Some((self.expected / count, mean, (mean - off).max(0.0)..(mean + off).min(1.0)))
    }
}

/// Results of both evaluators on the same positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Positions with a value.
    pub positions: usize,
    /// Positions whose game's result counts.
    pub results: usize,
    /// Positions with a best move.
    pub choices: usize,
    /// The network.
    pub network: Quality,
    /// The classical evaluation.
    pub classical: Quality,
}

/// At most `most` sample indices, spread evenly.
pub fn spread(samples: usize, most: usize) -> Vec<u32> {
    let count = samples.min(most);
    (0..count).map(|i| (i * samples / count) as u32).collect()
}

/// Measures both evaluators on the given samples, which must have yardsticks.
pub fn report(
    machine: &mut Machine,
    parameters: Parameters,
    samples: &Samples,
    chosen: &[u32],
    precision: Precision,
) -> Report {
    let predictions = predictions(machine, parameters, samples, chosen, precision);
    let odds = |p: &Prediction| {
        let [win, draw, loss] = p.outcome.map(f64::from);
        ((win + draw / 2.0 + 1e-9) / (loss + draw / 2.0 + 1e-9)).ln()
    };
    compare(samples, chosen, &predictions.iter().map(odds).collect::<Vec<_>>(), &|i| {
        (predictions[i].order_loss, predictions[i].order_rank)
    })
}

/// The samples in batches, as they are.
fn batches(chosen: &[u32]) -> impl Iterator<Item = Vec<Pick>> {
    chosen.chunks(1024).map(|batch| batch.iter().map(|s| Pick { sample: *s, symmetry: 0 }).collect())
}

/// Which lanes and units are active on the given samples.
pub fn liveness(
    machine: &mut Machine,
    parameters: Parameters,
    samples: &Samples,
    chosen: &[u32],
    precision: Precision,
) -> Liveness {
    let mut all = Liveness::new(machine.sides());
    for picks in batches(chosen) {
        machine.predict(parameters, samples, &picks, precision);
        all.merge(&machine.liveness());
    }
    all
}

fn predictions(
    machine: &mut Machine,
    parameters: Parameters,
    samples: &Samples,
    chosen: &[u32],
    precision: Precision,
) -> Vec<Prediction> {
    let mut predictions = Vec::with_capacity(chosen.len());
    for picks in batches(chosen) {
        predictions.extend(machine.predict(parameters, samples, &picks, precision).1);
    }
    predictions
}

/// Mean squared error of the expected results of search tree nodes with respect to their searches; a bound that holds
/// has no error.
pub fn tree_error(
    machine: &mut Machine,
    parameters: Parameters,
    samples: &Samples,
    chosen: &[u32],
    precision: Precision,
) -> f64 {
    let predictions = predictions(machine, parameters, samples, chosen, precision);
    let square = |(s, p): (&u32, &Prediction)| f64::from(samples.head(*s as usize).error(p.outcome)).powi(2);
    chosen.iter().zip(&predictions).map(square).sum::<f64>() / chosen.len() as f64
}

/// Same as [`report`], from the log-odds of the expected results and, by index, the loss and rank of the best moves.
pub fn compare(samples: &Samples, chosen: &[u32], odds: &[f64], order: &dyn Fn(usize) -> (f32, u16)) -> Report {
    let yardstick = |i: usize| &samples.yardsticks[chosen[i] as usize];
    let classical: Vec<f64> = (0..chosen.len()).map(|i| f64::from(yardstick(i).score) / ODDS_UNIT).collect();
    let having = |what: fn(&Head) -> bool| chosen.iter().filter(|s| what(samples.head(**s as usize))).count();
    Report {
        positions: chosen.len(),
        results: having(|head| head.result.is_some()),
        choices: having(|head| head.best.is_some()),
        network: quality(samples, chosen, odds, order),
        classical: quality(samples, chosen, &classical, &|i| (yardstick(i).order_loss, yardstick(i).order_rank)),
    }
}

fn quality(samples: &Samples, chosen: &[u32], odds: &[f64], order: &dyn Fn(usize) -> (f32, u16)) -> Quality {
    let results: Vec<(f64, f64)> = chosen
        .iter()
        .zip(odds)
        .filter_map(|(s, odds)| Some((f64::from(samples.head(*s as usize).result?), *odds)))
        .collect();
    let count = results.len().max(1) as f64;
    let loss =
        |factor: f64| results.iter().map(|(result, odds)| cross_entropy(*result, factor * odds)).sum::<f64>() / count;
    let mut quality = Quality { result: loss(1.0), scaled: minimum(&loss), ..Quality::default() };
    for (result, odds) in &results {
        let expected = 1.0 / (1.0 + (-odds).exp());
        let bin = &mut quality.calibration[((BINS as f64 * expected) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.expected += expected;
        bin.result += result;
        bin.square += result * result;
    }
    let mut searched = 0.0;
    let (mut choices, mut order_sum, mut first, mut five) = (0.0, 0.0, 0.0, 0.0);
    for (i, s) in chosen.iter().enumerate() {
        let Yardstick { searched: score, .. } = samples.yardsticks[*s as usize];
        if score.is_finite() {
            searched += 1.0;
            let wanted = 1.0 / (1.0 + (-f64::from(score) / ODDS_UNIT).exp());
            let least = cross_entropy(wanted, f64::from(score) / ODDS_UNIT);
            quality.search += cross_entropy(wanted, quality.scaled.1 * odds[i]) - least;
        }
        if samples.head(*s as usize).best.is_some() {
            let (loss, rank) = order(i);
            choices += 1.0;
            order_sum += f64::from(loss);
            first += f64::from(u8::from(rank == 0));
            five += f64::from(u8::from(rank < 5));
        }
    }
    let of = |sum: f64, count: f64| if count > 0.0 { sum / count } else { f64::NAN };
    quality.search = of(quality.search, searched);
    (quality.order, quality.first, quality.five) = (of(order_sum, choices), of(first, choices), of(five, choices));
    quality
}

/// Cross-entropy of a target probability under log-odds.
fn cross_entropy(wanted: f64, odds: f64) -> f64 {
    // ln(1 + exp(odds)) - wanted * odds, without overflow.
    odds.max(0.0) + (-odds.abs()).exp().ln_1p() - wanted * odds
}

/// Minimum of a convex function on 0.1 to 3, and its argument, by golden-section search.
fn minimum(f: &dyn Fn(f64) -> f64) -> (f64, f64) {
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.1, 3.0);
    for _ in 0..24 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if f(a) < f(b) { high = b } else { low = a }
    }
    let at = (low + high) / 2.0;
    (f(at), at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_found() {
        let (value, at) = minimum(&|x| (x - 0.7) * (x - 0.7) + 2.0);
        assert!((value - 2.0).abs() < 1e-6 && (at - 0.7).abs() < 1e-3);
    }

    #[test]
    fn a_bin_knows_how_sure_its_mean_is() {
        let bin = Bin { count: 100, expected: 64.0, result: 60.0, square: 60.0 };
        let (expected, mean, interval) = bin.mean().expect("a mean");
        // The standard error of the mean of 100 tosses with 60 hits: the sample standard deviation over ten.
        let off = 1.96 * (0.6 * 0.4 / 99.0_f64).sqrt();
        assert!((expected, mean) == (0.64, 0.6) && (interval.end - mean - off).abs() < 1e-12);
        assert!((mean - interval.start - off).abs() < 1e-12);
        assert_eq!(Bin { count: 1, ..bin }.mean(), None);
    }

    #[test]
    fn cross_entropy_is_that_of_a_coin() {
        assert!((cross_entropy(1.0, 0.0) - 2_f64.ln()).abs() < 1e-12);
        assert!((cross_entropy(0.5, 3.0) - (3.0 + (1.0 + (-3_f64).exp()).ln() - 1.5)).abs() < 1e-12);
        assert!(cross_entropy(1.0, 800.0).abs() < 1e-12);
        assert_eq!(spread(10, 4), [0, 2, 5, 7]);
    }
}
