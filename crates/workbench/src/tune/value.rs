//! Point values and threat masks by logistic regression.

use super::adam::Schedule;
use super::factored::Factored;
use super::{Curve, Source, is_held_out, loss_text, quantise};
use tengen::board::{Setup, Side};
use tengen::eval::{ThreatMask, Weights};
use tengen::movegen::{ThreatStatus, threat_status};
use tengen::pattern::COMBINATIONS;
use tengen::position::{Position, Silent};
use tengen::score::ODDS_UNIT;
use tengen_analysis::random::Random;

/// Settings of a fit of values.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFit {
    /// The optimiser's schedule.
    pub schedule: Schedule,
    /// Share of the search's score in the target; the rest is the game's result.
    pub blend: f32,
    /// Divisor of recorded scores in the target's sigmoid, in the units of the recording engine.
    pub score_scale: f32,
    /// Weight of positions that the search had proven; the weight of other positions is 1.
    pub proven: f32,
}

const SCALE: f32 = ODDS_UNIT as f32;
/// Number of plies after the opening that are not used.
const SKIP: usize = 1;

/// A position as a sparse row: parameters with their coefficients, the target probability, and the weight.
struct Sample {
    terms: Box<[(u16, f32)]>,
    target: f32,
    weight: f32,
}

const POINTS_OF_BOTH: usize = 2 * COMBINATIONS;

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Fits point values and threat masks; returns the loss curve.
pub fn fit_values(games: &[Source], fit: &ValueFit, weights: &mut Weights, log: &mut dyn FnMut(&str)) -> Curve {
    let mut training = Vec::new();
    let mut held_out = Vec::new();
    for (i, source) in games.iter().enumerate() {
        samples(source, fit, if is_held_out(i) { &mut held_out } else { &mut training });
    }
    log(&format!("values: {} training and {} held-out positions", training.len(), held_out.len()));
    let foul = games.first().and_then(|g| g.rule.restricted_side());
    let mut adam = Factored::new(&Side::BOTH.map(|side| foul == Some(side)), 2 * ThreatMask::COUNT);
    let steps = fit.schedule.passes * training.len().div_ceil(fit.schedule.batch);
    let mut step = 0;
    let mut curve = Curve::new();
    for pass in 0..fit.schedule.passes {
        let order = Random::from_state(fit.schedule.seed + pass as u64).order(training.len());
        let mut loss = 0.0;
        for batch in order.chunks(fit.schedule.batch) {
            for i in batch {
                let sample = &training[*i];
                let (p, l) = predict(&adam.values, sample);
                loss += f64::from(l);
                let error = sample.weight * (p - sample.target) / batch.len() as f32;
                for (parameter, coefficient) in &sample.terms {
                    adam.gradient[usize::from(*parameter)] += error * coefficient;
                }
            }
            adam.step(&fit.schedule, step as f32 / steps as f32);
            step += 1;
        }
        let test = held_out.iter().map(|s| f64::from(predict(&adam.values, s).1)).sum::<f64>();
        curve.push((loss / weight_of(&training), test / weight_of(&held_out)));
        log(&format!(
            "values: pass {} loss {} held-out {}",
            pass + 1,
            loss_text(curve[pass].0),
            loss_text(curve[pass].1)
        ));
    }
    write(&adam.values, games, weights);
    curve
}

fn weight_of(samples: &[Sample]) -> f64 {
    samples.iter().map(|s| f64::from(s.weight)).sum()
}

/// The predicted probability and the weighted loss.
fn predict(values: &[f32], sample: &Sample) -> (f32, f32) {
    let units: f32 = sample.terms.iter().map(|(p, c)| values[usize::from(*p)] * c).sum();
    let p = sigmoid(units / SCALE);
    let clipped = p.clamp(1e-6, 1.0 - 1e-6);
    let loss = -(sample.target * clipped.ln() + (1.0 - sample.target) * (1.0 - clipped).ln());
    (p, sample.weight * loss)
}

fn write(values: &[f32], games: &[Source], weights: &mut Weights) {
    let symmetric = games.first().is_none_or(|g| g.rule.is_symmetric());
    for side in Side::BOTH {
        let from = if symmetric { 0 } else { side.index() };
        let target = &mut weights.sides[side.index()];
        for (i, value) in target.point[..COMBINATIONS].iter_mut().enumerate() {
            *value = quantise(values[from * COMBINATIONS + i]);
        }
        for (i, value) in target.threat.iter_mut().enumerate() {
            *value = quantise(values[POINTS_OF_BOTH + from * ThreatMask::COUNT + i]);
        }
    }
}

fn samples(source: &Source, fit: &ValueFit, into: &mut Vec<Sample>) {
    let Source { rule, size, game } = source;
    let setup = Setup::from_moves(*size, game.opening.iter().copied());
    let Ok(mut position) = Position::new(&setup, *rule) else { return };
    let symmetric = rule.is_symmetric();
    let mut before = terms_of(&position);
    for (i, played) in game.moves.iter().enumerate() {
        let now = terms_of(&position);
        if i >= SKIP && is_open(&mut position) {
            let mover = position.to_move();
            let result = game.winner.map_or(0.5, |w| if w == mover { 1.0 } else { 0.0 });
            let searched = sigmoid(played.score.raw() as f32 / fit.score_scale);
            let terms = row(&now, &before, mover, ThreatMask::of(&position), symmetric);
            // A proof means that a winning attack is in progress. Leaves of the search tree are often such positions.
            let weight = if played.score.is_proven() { fit.proven } else { 1.0 };
            into.push(Sample { terms, target: fit.blend * searched + (1.0 - fit.blend) * result, weight });
        }
        before = now;
        position.play(played.point, &mut Silent);
    }
}

/// Whether the classes of the points leave the outcome undecided.
fn is_open(position: &mut Position) -> bool {
    matches!(threat_status(position), ThreatStatus::Quiet | ThreatStatus::MustDefend { .. })
}

/// Number of empty points of each combination, for black, then for white.
fn terms_of(position: &Position) -> Vec<u16> {
    let mut counts = vec![0; POINTS_OF_BOTH];
    for point in position.size().points().filter(|p| position.is_empty(*p)) {
        let info = position.info(point);
        for side in Side::BOTH {
            counts[side.index() * COMBINATIONS + info.combination(side)] += 1;
        }
    }
    counts
}

fn row(now: &[u16], before: &[u16], mover: Side, mask: ThreatMask, symmetric: bool) -> Box<[(u16, f32)]> {
    let mut coefficients = std::collections::BTreeMap::new();
    for (i, (a, b)) in now.iter().zip(before).enumerate().filter(|(_, (a, b))| **a + **b > 0) {
        let side = if i < COMBINATIONS { Side::Black } else { Side::White };
        let combination = i % COMBINATIONS;
        // Points that are dead for a side have the value 0 by definition.
        if combination == 0 {
            continue;
        }
        let parameter = if symmetric { combination } else { i };
        let sign = if side == mover { 0.5 } else { -0.5 };
        *coefficients.entry(parameter as u16).or_insert(0.0) += sign * f32::from(a + b);
    }
    let mover_table = if symmetric { 0 } else { mover.index() };
    coefficients.insert((POINTS_OF_BOTH + mover_table * ThreatMask::COUNT + mask.index()) as u16, 1.0);
    coefficients.into_iter().filter(|(_, c)| *c != 0.0).collect()
}
