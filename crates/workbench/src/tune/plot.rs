//! Plots of fits and of tuned parameters.

use super::spsa::{Gains, State};
use tengen::engine::Params;
use tengen_analysis::chart::{Axis, Panel, Shape};
use tengen_analysis::chart::{BLUE, RED, RGBColor, distinct_color};

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

/// Number of curves in one panel of [`of_way`].
const TOGETHER: usize = 8;

/// Distance of tuned parameters from their start: the largest distances first, several parameters in a panel, each with
/// its last value and its distance in steps. If `gains` are known, bands show the perturbations of the pairs, and the
/// distance that a parameter without effect would reach by chance (two standard deviations).
pub fn of_way(way: &[State], tuned: &[usize], gains: Option<Gains>) -> Vec<Panel> {
    let (Some(first), Some(last)) = (way.first(), way.last()) else { return Vec::new() };
    let steps = |state: &State, i: usize| (state.values[i] - first.values[i]) / f64::from(Params::ALL[i].step);
    let mut order = tuned.to_vec();
    order.sort_by(|a, b| steps(last, *b).abs().total_cmp(&steps(last, *a).abs()));
    let bands: Vec<Shape> = gains.map_or_else(Vec::new, |gains| bands(way, gains));
    let panel = |(n, group): (usize, &[usize])| {
        let ends = bands.iter().flat_map(|band| match band {
            Shape::Band(_, points) => points.iter().map(|(_, range)| range.end).collect(),
            _ => Vec::new(),
        });
        let far = way.iter().flat_map(|s| group.iter().map(|i| steps(s, *i).abs())).chain(ends).fold(1.0, f64::max);
        let curve = |(n, i): (usize, &usize)| {
            let points = way.iter().map(|s| (s.pairs as f64, steps(s, *i))).collect();
            let label = format!("{} {:.1} ({:+.1})", Params::ALL[*i].name, last.values[*i], steps(last, *i) + 0.0);
            Shape::Labelled((label, distinct_color(n)), points)
        };
        Panel {
            title: format!("Parameters of the search, {} to {}", n * TOGETHER + 1, n * TOGETHER + group.len()),
            x: Axis::new("pairs of games", 0.0..last.pairs.max(1) as f64),
            y: Axis::new("steps from the start", -1.05 * far..1.05 * far),
            shapes: bands.iter().cloned().chain(group.iter().enumerate().map(curve)).collect(),
        }
    };
    order.chunks(TOGETHER).enumerate().map(panel).collect()
}

/// Bands of the perturbations and the noise over a run.
fn bands(way: &[State], gains: Gains) -> Vec<Shape> {
    let both = |x: u64, size: f64| (x as f64, -size..size);
    let perturbed = way.iter().map(|s| both(s.pairs, gains.perturbation(s.pairs))).collect();
    let mut shapes = vec![Shape::Band(("perturbation of a pair".to_owned(), RGBColor(90, 90, 90)), perturbed)];
    let last = way.last().filter(|s| s.pairs > 0 && s.squares > 0);
    shapes.extend(last.map(|last| {
        // A pair moves each parameter by rate times points, with a random sign: a random walk.
        let square = last.squares as f64 / last.pairs as f64;
        let (mut variance, mut done) = (0.0, 0);
        let wandered = way.iter().map(|s| {
            variance += (done..s.pairs).map(|k| gains.rate(k).powi(2) * square).sum::<f64>();
            done = s.pairs;
            both(s.pairs, 2.0 * variance.sqrt())
        });
        Shape::Band(("by chance, in 95 of 100 cases".to_owned(), RGBColor(220, 120, 0)), wandered.collect())
    }));
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::rules::Rule;

    fn way() -> Vec<State> {
        let start = State::new(&Params::of(Rule::Freestyle));
        let after = |k: u64| {
            let mut state = State { pairs: 16 * k, points: 32 * k, squares: 16 * k, ..start.clone() };
            state.values.iter_mut().enumerate().for_each(|(i, v)| *v += (i as u64 * k) as f64);
            state
        };
        std::iter::once(start.clone()).chain((1..=10).map(after)).collect()
    }

    #[test]
    fn every_parameter_has_its_last_value_at_its_end() {
        let tuned: Vec<usize> = (0..Params::ALL.len()).collect();
        let way = way();
        let panels = of_way(&way, &tuned, Some(Gains { pairs: 160, gain: 0.02 }));
        let shapes = || panels.iter().flat_map(|panel| &panel.shapes);
        let labels: Vec<&str> = shapes()
            .filter_map(|shape| match shape {
                Shape::Labelled((label, _), _) => Some(label.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(labels.len(), Params::ALL.len());
        for i in tuned {
            let expected = format!("{} {:.1} (", Params::ALL[i].name, way[10].values[i]);
            assert!(labels.iter().any(|label| label.starts_with(&expected)), "{expected} in {labels:?}");
        }
        assert!(panels.iter().all(|panel| panel.shapes.iter().filter(|s| matches!(s, Shape::Band(..))).count() == 2));
    }

    #[test]
    fn noise_grows_from_nothing_and_is_left_out_where_it_is_not_known() {
        let gains = Gains { pairs: 160, gain: 0.02 };
        let way = way();
        let [_, Shape::Band(_, noise)] = &bands(&way, gains)[..] else { panic!("two bands") };
        let sizes: Vec<f64> = noise.iter().map(|(_, range)| range.end).collect();
        assert!(sizes[0] == 0.0 && sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
        // 160 steps of the mean square one, with rates from 0.02 upwards: at least 2 * 0.02 * sqrt(160).
        assert!((0.5..1.5).contains(&sizes[10]), "{sizes:?}");
        let old: Vec<State> = way.into_iter().map(|s| State { squares: 0, ..s }).collect();
        assert_eq!(bands(&old, gains).len(), 1);
        assert!(of_way(&old, &[0], None)[0].shapes.len() == 1);
    }
}
