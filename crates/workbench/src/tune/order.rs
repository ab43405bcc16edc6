//! Move ordering by softmax regression on the search's best moves.

use super::adam::Schedule;
use super::factored::Factored;
use super::{Curve, Source, is_held_out, loss_text, order_units};
use tengen::board::{Point, Setup, Side};
use tengen::eval::{DISPLACEMENTS, OrderingContext, Weights, displacement};
use tengen::movegen::{ThreatStatus, threat_status};
use tengen::pattern::{COMBINATIONS, PointClass};
use tengen::position::{PointSet, Position, Silent};
use tengen_analysis::random::Random;

/// The candidates of a position, each as the indices of the parameters whose sum is its score: those of the shapes that
/// it makes and denies, and of its displacements from the last stones. The first candidate is the best move.
struct Sample(Box<[[u32; 4]]>);

/// Number of tables over combinations: for each stance, for making by black, denying black, and the same for white.
const TABLES: usize = 4 * OrderingContext::COUNT;
/// Number of parameters of one side by displacement from one kind of last stone.
const NEAR: usize = PointClass::COUNT * DISPLACEMENTS;
/// A parameter that is always 0.
const ZERO: u32 = (TABLES * COMBINATIONS + 4 * NEAR) as u32;

/// Fits the ordering tables; returns the loss curve (cross-entropy of the best move).
pub fn fit_order(games: &[Source], schedule: &Schedule, weights: &mut Weights, log: &mut dyn FnMut(&str)) -> Curve {
    let mut training = Vec::new();
    let mut held_out = Vec::new();
    for (i, source) in games.iter().enumerate() {
        samples(source, if is_held_out(i) { &mut held_out } else { &mut training });
    }
    log(&format!("order: {} training and {} held-out positions", training.len(), held_out.len()));
    let foul = |side| games.first().and_then(|g| g.rule.restricted_side()) == Some(side);
    let restricted: Vec<bool> = (0..TABLES).map(|t| foul(Side::BOTH[t / 2 % 2])).collect();
    let mut adam = Factored::new(&restricted, 4 * NEAR + 1);
    let steps = schedule.passes * training.len().div_ceil(schedule.batch);
    let mut step = 0;
    let mut curve = Curve::new();
    let mut shares = Vec::new();
    for pass in 0..schedule.passes {
        let order = Random::from_state(schedule.seed + pass as u64).order(training.len());
        let mut loss = 0.0;
        for batch in order.chunks(schedule.batch) {
            for i in batch {
                let sample = &training[*i];
                loss += f64::from(softmax(&adam.values, sample, &mut shares));
                for (k, row) in sample.0.iter().enumerate() {
                    let error = (shares[k] - if k == 0 { 1.0 } else { 0.0 }) / batch.len() as f32;
                    row.iter().filter(|p| **p != ZERO).for_each(|p| adam.gradient[*p as usize] += error);
                }
            }
            adam.step(schedule, step as f32 / steps as f32);
            step += 1;
        }
        let test = held_out.iter().map(|s| f64::from(softmax(&adam.values, s, &mut shares))).sum::<f64>();
        curve.push((loss / training.len() as f64, test / held_out.len() as f64));
        log(&format!(
            "order: pass {} loss {} held-out {}",
            pass + 1,
            loss_text(curve[pass].0),
            loss_text(curve[pass].1)
        ));
    }
    let symmetric = games.first().is_none_or(|g| g.rule.is_symmetric());
    let learned = |parameter: u32| order_units(adam.values[parameter as usize]);
    for side in Side::BOTH {
        let target = &mut weights.sides[side.index()];
        for stance in 0..OrderingContext::COUNT {
            for i in 0..COMBINATIONS {
                target.own[stance][i] = learned(by_combination(stance, side, true, i, symmetric));
                target.denied[stance][i] = learned(by_combination(stance, side, false, i, symmetric));
            }
        }
        for class in 0..PointClass::COUNT {
            for d in 0..DISPLACEMENTS {
                target.reply[class][d] = learned(by_stone(side, true, class, d, symmetric));
                target.follow[class][d] = learned(by_stone(side, false, class, d, symmetric));
            }
        }
    }
    curve
}

/// Index of an entry over combinations. The tables belong to the side that has the combination.
fn by_combination(stance: usize, side: Side, own: bool, combination: usize, symmetric: bool) -> u32 {
    let side = if symmetric { 0 } else { side.index() };
    (((2 * stance + side) * 2 + usize::from(!own)) * COMBINATIONS + combination) as u32
}

/// Index of an entry by an earlier stone, the opponent's or the own one. The tables belong to the side to move.
fn by_stone(side: Side, opponents: bool, class: usize, displacement: usize, symmetric: bool) -> u32 {
    let side = if symmetric { 0 } else { side.index() };
    (TABLES * COMBINATIONS + (2 * side + usize::from(!opponents)) * NEAR + class * DISPLACEMENTS + displacement) as u32
}

/// Cross-entropy of the best move; writes the probabilities to `shares`.
fn softmax(values: &[f32], sample: &Sample, shares: &mut Vec<f32>) -> f32 {
    shares.clear();
    shares.extend(sample.0.iter().map(|row| row.iter().map(|p| values[*p as usize]).sum::<f32>()));
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
    let symmetric = rule.is_symmetric();
    for played in &game.moves {
        let choice = match threat_status(&mut position) {
            ThreatStatus::Quiet => Some((position.candidates(), OrderingContext::of(&position))),
            ThreatStatus::MustDefend { moves, .. } => Some((moves, OrderingContext::DEFENCE)),
            ThreatStatus::Won { .. } | ThreatStatus::Lost { .. } | ThreatStatus::MustBlock { .. } => None,
        };
        let choice = choice.filter(|(set, _)| set.contains(played.best) && !played.score.is_loss());
        into.extend(choice.map(|(set, stance)| sample(&position, &set, stance, played.best, symmetric)));
        position.play(played.point, &mut Silent);
    }
}

fn sample(position: &Position, set: &PointSet, stance: OrderingContext, best: Point, symmetric: bool) -> Sample {
    let us = position.to_move();
    let others = set.iter().filter(|p| *p != best);
    let near = |side: Side, point: Point| {
        position.recent(side).map_or(ZERO, |from| {
            let class = position.info(from).class(side) as usize;
            by_stone(us, side != us, class, displacement(from, point), symmetric)
        })
    };
    let rows = std::iter::once(best).chain(others).map(|point| {
        let info = position.info(point);
        let own = by_combination(stance.index(), us, true, info.combination(us), symmetric);
        let denied = by_combination(stance.index(), !us, false, info.combination(!us), symmetric);
        [own, denied, near(!us, point), near(us, point)]
    });
    Sample(rows.collect())
}
