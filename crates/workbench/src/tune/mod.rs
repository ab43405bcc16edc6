//! Fits the classical evaluation to games: values by logistic regression, move ordering by softmax. Tunes the search
//! parameters by games between settings ([`spsa`], [`duel`]) from sharp [`openings`], with a [`log`](mod@log), on one
//! machine or on several ([`share`]).
//!
//! The fit of values follows Texel's tuning method (Österlund 2014): the prediction is `sigmoid(score / 200)`, the
//! target a blend of the game's result and the search's score. Fits are deterministic: batches follow a seeded shuffle,
//! and sums have a fixed order.

mod adam;
pub mod duel;
mod factored;
pub mod log;
pub mod openings;
mod order;
pub mod plot;
pub mod share;
pub mod spsa;
mod text;
mod value;

pub use adam::Schedule;
pub use order::fit_order;
pub use tengen::eval::{WeightSets, Weights};
pub use text::{SET_NAMES, TextError, from_text, to_text};
pub use value::{ValueFit, fit_values};

use crate::data::selfplay::Game;
use tengen::board::BoardSize;
use tengen::rules::Rule;
use tengen::score::ORDER_UNIT;

/// A game with its rule and board.
#[derive(Clone, Debug)]
pub struct Source {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// The game.
    pub game: Game,
}

/// Loss curve of a fit: mean loss on training and held-out games (NaN if there are none), an entry for each epoch.
pub type Curve = Vec<(f64, f64)>;

/// Every twentieth game is held out.
fn is_held_out(index: usize) -> bool {
    index % 20 == 7
}

/// A mean loss as text in a log; there is none without samples.
fn loss_text(loss: f64) -> String {
    if loss.is_finite() { format!("{loss:.5}") } else { "-".to_owned() }
}

fn quantise(value: f32) -> i16 {
    value.round().clamp(-30_000.0, 30_000.0) as i16
}

fn order_units(logit: f32) -> i16 {
    quantise(logit * ORDER_UNIT as f32)
}

/// Fits all weights of one set to games of the rules that share it.
pub fn fit(games: &[Source], fit: &ValueFit, order: &Schedule, log: &mut dyn FnMut(&str)) -> (Weights, Curve, Curve) {
    let mut weights = Weights::default();
    let values = fit_values(games, fit, &mut weights, log);
    let orders = fit_order(games, order, &mut weights, log);
    (weights, values, orders)
}
