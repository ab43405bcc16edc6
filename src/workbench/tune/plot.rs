//! Plots of fits and of tuned parameters.

use super::spsa::State;
use crate::engine::Params;
use crate::workbench::chart::{Axis, Panel, Shape};
use plotters::prelude::*;

/// The curve of a fit: mean loss on training and held-out samples after each pass.
pub fn of_losses(title: &str, curve: &[(f64, f64)]) -> Panel {
    let all = || curve.iter().flat_map(|(a, b)| [*a, *b]).filter(|loss| loss.is_finite());
    let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
    let edge = 0.05 * (high - low).max(1e-3);
    let after = |get: fn(&(f64, f64)) -> f64| {
        let points = curve.iter().enumerate().map(|(i, c)| (i as f64 + 1.0, get(c)));
        points.filter(|(_, loss)| loss.is_finite()).collect()
    };
    Panel {
        title: title.to_owned(),
        x: Axis::new("passes", 1.0..curve.len().max(2) as f64),
        y: Axis::new("mean loss, nats", if low <= high { low - edge..high + edge } else { 0.0..1.0 }),
        shapes: vec![
            Shape::Curve(("training games".to_owned(), BLUE), after(|c| c.0)),
            Shape::Curve(("held-out games".to_owned(), RED), after(|c| c.1)),
        ],
    }
}

/// Curves in one panel of [`of_way`].
const TOGETHER: usize = 8;

/// How far tuned parameters went from their start: those that went farthest first, some to a panel.
pub fn of_way(way: &[State], tuned: &[usize]) -> Vec<Panel> {
    let (Some(first), Some(last)) = (way.first(), way.last()) else { return Vec::new() };
    let steps = |state: &State, i: usize| (state.values[i] - first.values[i]) / f64::from(Params::ALL[i].step);
    let mut order = tuned.to_vec();
    order.sort_by(|a, b| steps(last, *b).abs().total_cmp(&steps(last, *a).abs()));
    let panel = |(n, group): (usize, &[usize])| {
        let far = way.iter().flat_map(|s| group.iter().map(|i| steps(s, *i).abs())).fold(1.0, f64::max);
        let curve = |(n, i): (usize, &usize)| {
            let (r, g, b) = Palette99::pick(n).rgb();
            let points = way.iter().map(|s| (s.pairs as f64, steps(s, *i))).collect();
            Shape::Curve((Params::ALL[*i].name.to_owned(), RGBColor(r, g, b)), points)
        };
        Panel {
            title: format!("Parameters of the search, {} to {}", n * TOGETHER + 1, n * TOGETHER + group.len()),
            // Room for the names on the right.
            x: Axis::new("pairs of games", 0.0..1.3 * last.pairs.max(1) as f64),
            y: Axis::new("steps from the start", -1.05 * far..1.05 * far),
            shapes: group.iter().enumerate().map(curve).collect(),
        }
    };
    order.chunks(TOGETHER).enumerate().map(panel).collect()
}
