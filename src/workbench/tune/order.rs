//! Move ordering by softmax regression on the search's best moves.

use super::adam::{Schedule, shuffled};
use super::factored::Factored;
use super::{Curve, Source, is_held_out, is_symmetric, order_units, told};
use crate::board::{Setup, Side};
use crate::eval::Weights;
use crate::movegen::{Situation, assess};
use crate::pattern::COMBINATIONS;
use crate::position::{PointSet, Position, Silent};

/// The candidates of a position, as (own, denied) parameters; the first is the best move.
struct Sample(Box<[(u16, u16)]>);

/// Fits the ordering tables; returns the loss curve (cross-entropy of the best move).
pub fn fit_order(games: &[Source], schedule: &Schedule, weights: &mut Weights, log: &mut dyn FnMut(&str)) -> Curve {
    let mut training = Vec::new();
    let mut held_out = Vec::new();
    for (i, source) in games.iter().enumerate() {
        samples(source, if is_held_out(i) { &mut held_out } else { &mut training });
    }
    log(&format!("order: {} training and {} held-out positions", training.len(), held_out.len()));
    let foul = |side| games.first().and_then(|g| g.rule.restricted_side()) == Some(side);
    let restricted = [foul(Side::Black), foul(Side::Black), foul(Side::White), foul(Side::White)];
    let mut adam = Factored::new(&restricted, 0);
    let steps = schedule.passes * training.len().div_ceil(schedule.batch);
    let mut step = 0;
    let mut curve = Curve::new();
    let mut shares = Vec::new();
    for pass in 0..schedule.passes {
        let order = shuffled(training.len(), schedule.seed + pass as u64);
        let mut loss = 0.0;
        for batch in order.chunks(schedule.batch) {
            for i in batch {
                let sample = &training[*i as usize];
                loss += f64::from(softmax(&adam.values, sample, &mut shares));
                for (k, (own, denied)) in sample.0.iter().enumerate() {
                    let error = (shares[k] - if k == 0 { 1.0 } else { 0.0 }) / batch.len() as f32;
                    adam.gradient[usize::from(*own)] += error;
                    adam.gradient[usize::from(*denied)] += error;
                }
            }
            adam.step(schedule, step as f32 / steps as f32);
            step += 1;
        }
        let test = held_out.iter().map(|s| f64::from(softmax(&adam.values, s, &mut shares))).sum::<f64>();
        curve.push((loss / training.len() as f64, test / held_out.len() as f64));
        log(&format!("order: pass {} loss {} held-out {}", pass + 1, told(curve[pass].0), told(curve[pass].1)));
    }
    let symmetric = games.first().is_none_or(|g| is_symmetric(g.rule));
    for side in Side::BOTH {
        let target = &mut weights.sides[side.index()];
        for i in 0..COMBINATIONS {
            target.own[i] = order_units(adam.values[parameter(side, true, i, symmetric)]);
            target.denied[i] = order_units(adam.values[parameter(side, false, i, symmetric)]);
        }
    }
    curve
}

/// Index of a table entry; the tables belong to the side whose combination it is.
fn parameter(side: Side, own: bool, combination: usize, symmetric: bool) -> usize {
    let side = if symmetric { 0 } else { side.index() };
    (2 * side + usize::from(!own)) * COMBINATIONS + combination
}

/// Cross-entropy of the best move; leaves the probabilities in `shares`.
fn softmax(values: &[f32], sample: &Sample, shares: &mut Vec<f32>) -> f32 {
    shares.clear();
    shares.extend(sample.0.iter().map(|(own, denied)| values[usize::from(*own)] + values[usize::from(*denied)]));
    let most = shares.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for s in shares.iter_mut() {
        *s = (*s - most).exp();
        sum += *s;
    }
    shares.iter_mut().for_each(|s| *s /= sum);
    -shares[0].max(1e-9).ln()
}

fn samples(source: &Source, into: &mut Vec<Sample>) {
    let Source { rule, size, game } = source;
    let setup = Setup::from_moves(*size, game.opening.iter().copied());
    let Ok(mut position) = Position::new(&setup, *rule) else { return };
    let symmetric = is_symmetric(*rule);
    for played in &game.moves {
        let set = match assess(&mut position) {
            Situation::Quiet => Some(position.candidates()),
            Situation::MustDefend { moves, .. } => Some(moves),
            Situation::Won { .. } | Situation::Lost { .. } | Situation::MustBlock { .. } => None,
        };
        if let Some(set) = set.filter(|s| s.contains(played.best) && !played.score.is_loss()) {
            into.push(sample(&position, &set, played.best, symmetric));
        }
        position.play(played.point, &mut Silent);
    }
}

fn sample(position: &Position, set: &PointSet, best: crate::board::Point, symmetric: bool) -> Sample {
    let us = position.to_move();
    let others = set.iter().filter(|p| *p != best);
    let rows = std::iter::once(best).chain(others).map(|point| {
        let info = position.info(point);
        let own = parameter(us, true, info.combination(us), symmetric);
        let denied = parameter(!us, false, info.combination(!us), symmetric);
        (own as u16, denied as u16)
    });
    Sample(rows.collect())
}
