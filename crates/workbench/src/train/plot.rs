//! Plots of a training run.

use super::checkpoint::Mark;
use super::validate::{Quality, Report};
use tengen_analysis::chart::{Axis, Estimate, Panel, Shape};
use tengen_analysis::chart::{BLACK, BLUE, RED, RGBColor};

/// A curve's name, colour and values.
type Curve<'a> = (&'a str, RGBColor, &'a dyn Fn(&Mark) -> f32);

/// Curves of a training run over its steps: losses of value and policy, and share of best moves ranked first. Empty
/// before the first measurement.
pub fn of_training(history: &[Mark]) -> Vec<Panel> {
    let Some(last) = history.last().map(|mark| mark.step) else { return Vec::new() };
    let panel = |title: &str, y: &str, curves: &[Curve]| {
        let points = |get: &dyn Fn(&Mark) -> f32| {
            let all = history.iter().map(|m| (f64::from(m.step), f64::from(get(m))));
            all.filter(|(_, loss)| loss.is_finite()).collect::<Vec<_>>()
        };
        let all = || curves.iter().flat_map(|(_, _, get)| points(*get)).map(|(_, y)| y);
        let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
        let edge = 0.05 * (high - low).max(1e-3);
        let shape = |(name, ink, get): &Curve| Shape::Curve(((*name).to_owned(), *ink), points(*get));
        Panel {
            title: title.to_owned(),
            x: Axis::new("steps", 0.0..f64::from(last)),
            y: Axis::new(y, if low <= high { low - edge..high + edge } else { 0.0..1.0 }),
            shapes: curves.iter().map(shape).collect(),
        }
    };
    vec![
        panel("Value: loss on the target", "nats", &[("training games", BLUE, &|m| m.training[0])]),
        panel("Value: loss on the result", "nats", &[("held-out games", RED, &|m| m.held_out[0])]),
        panel(
            "Policy: loss on the best move",
            "nats",
            &[("training games", BLUE, &|m| m.training[1]), ("held-out games", RED, &|m| m.held_out[1])],
        ),
        panel("Policy: best moves that come first", "share", &[("held-out games", RED, &|m| m.held_out[2])]),
    ]
}

/// Results of held-out games over the result that the network and the classical evaluation expected. A well-calibrated
/// evaluation lies on the diagonal, an overconfident one is flatter, an underconfident one steeper.
pub fn of_calibration(report: &Report) -> Panel {
    let estimates = |name: &str, ink, quality: &Quality| {
        let bins = quality.calibration.iter().filter_map(|bin| bin.mean());
        let estimate = |(x, y, interval)| Estimate { x, y, interval };
        Shape::Estimates((name.to_owned(), ink), bins.map(estimate).collect())
    };
    Panel {
        title: format!("Calibration: results of {} held-out positions", report.results),
        x: Axis::new("expected result", 0.0..1.0),
        y: Axis::new("mean result", 0.0..1.0),
        shapes: vec![
            Shape::Curve(("as expected".to_owned(), BLACK), vec![(0.0, 0.0), (1.0, 1.0)]),
            estimates("network", RED, &report.network),
            estimates("classical", BLUE, &report.classical),
        ],
    }
}
