//! Plots as SVG: histograms of training games, curves of a fit.

use super::data::DataGame;
use super::tune::spsa::State;
use crate::board::Side;
use crate::engine::Params;
use plotters::prelude::*;
use std::path::Path;

/// Counts over intervals of one width, or over named things.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Title.
    pub title: String,
    /// What stands below.
    pub label: String,
    /// Lower end of the first interval.
    pub start: f64,
    /// Width of an interval.
    pub width: f64,
    /// One count for each interval.
    pub counts: Vec<u64>,
    /// Names of the intervals instead of numbers.
    pub names: Vec<String>,
}

impl Histogram {
    /// Counts numbers; what lies outside of the intervals counts in the outermost ones.
    pub fn of(
        title: &str,
        label: &str,
        (start, width, bins): (f64, f64, usize),
        values: impl Iterator<Item = f64>,
    ) -> Histogram {
        let mut counts = vec![0; bins.max(1)];
        let last = counts.len() - 1;
        for value in values {
            // A cast of a negative number is 0.
            counts[(((value - start) / width).floor() as usize).min(last)] += 1;
        }
        Histogram { title: title.to_owned(), label: label.to_owned(), start, width, counts, names: Vec::new() }
    }

    /// A bar for each name.
    pub fn named(title: &str, bars: impl IntoIterator<Item = (String, u64)>) -> Histogram {
        let (names, counts) = bars.into_iter().unzip();
        Histogram { title: title.to_owned(), label: String::new(), start: 0.0, width: 1.0, counts, names }
    }
}

/// What there is to see in training games: lengths, results by colour, scores of black's and white's moves.
pub fn of_games(games: &[DataGame]) -> Vec<Histogram> {
    let length = |g: &DataGame| (g.game.opening.len() + g.game.moves.len()) as f64;
    let longest = games.iter().map(length).fold(0.0, f64::max);
    let width = (longest / 40.0).ceil().max(1.0);
    let lengths = Histogram::of(
        "Game lengths",
        "stones on the board at the end",
        (0.0, width, (longest / width) as usize + 1),
        games.iter().map(length),
    );
    let won = |side: Option<Side>| games.iter().filter(|g| g.game.winner == side).count() as u64;
    let results = [("black won", Some(Side::Black)), ("draw", None), ("white won", Some(Side::White))];
    let results = Histogram::named("Results", results.map(|(name, side)| (name.to_owned(), won(side))));
    let quiet = games.iter().flat_map(|g| {
        let opening = g.game.opening.len();
        let moves = g.game.moves.iter().enumerate().filter(|(_, m)| m.score.distance().is_none());
        moves.map(move |(i, m)| f64::from(if (opening + i).is_multiple_of(2) { m.score.raw() } else { -m.score.raw() }))
    });
    let proven = games.iter().flat_map(|g| &g.game.moves).filter(|m| m.score.distance().is_some()).count();
    let scores = Histogram::of(
        &format!("Scores of positions ({proven} proven wins and losses left out)"),
        "evaluation units, black's view; the outermost bars hold the rest",
        (-1000.0, 50.0, 40),
        quiet,
    );
    vec![lengths, results, scores]
}

/// Draws histograms one below the other.
///
/// # Errors
/// If the file cannot be written, or there is nothing to draw.
pub fn draw_histograms(path: &Path, histograms: &[Histogram]) -> Result<(), String> {
    if histograms.is_empty() {
        return Err("nothing to draw".to_owned());
    }
    let area = SVGBackend::new(path, (800, 300 * histograms.len() as u32)).into_drawing_area();
    area.fill(&WHITE).map_err(text)?;
    for (part, histogram) in area.split_evenly((histograms.len(), 1)).iter().zip(histograms) {
        draw_one(part, histogram)?;
    }
    area.present().map_err(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn draw_one(area: &Area, histogram: &Histogram) -> Result<(), String> {
    let Histogram { start, width, counts, names, .. } = histogram;
    let end = start + width * counts.len() as f64;
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(&histogram.title, ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(*start..end, 0.0..1.05 * most)
        .map_err(text)?;
    let named = |x: &f64| names.get((x - start).floor().max(0.0) as usize).filter(|_| x.fract() == 0.5);
    let name = |x: &f64| if names.is_empty() { format!("{x}") } else { named(x).cloned().unwrap_or_default() };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(if names.is_empty() { 10 } else { 2 * names.len() + 1 })
        .x_label_formatter(&name)
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_desc(&histogram.label)
        .draw()
        .map_err(text)?;
    let bars = counts.iter().enumerate().map(|(i, count)| {
        let left = start + width * i as f64;
        let gap = width * if names.is_empty() { 0.04 } else { 0.2 };
        Rectangle::new([(left + gap, 0.0), (left + width - gap, *count as f64)], BLUE.mix(0.6).filled())
    });
    chart.draw_series(bars).map_err(text)?;
    Ok(())
}

/// A loss curve: mean loss on training and held-out samples after each pass.
pub type LossCurve = [(f64, f64)];

/// Draws loss curves one below the other, training in blue and held-out in red.
///
/// # Errors
/// If the file cannot be written, or there is nothing to draw.
pub fn draw_losses(path: &Path, curves: &[(String, &LossCurve)]) -> Result<(), String> {
    if curves.iter().all(|(_, curve)| curve.is_empty()) {
        return Err("nothing to draw".to_owned());
    }
    let area = SVGBackend::new(path, (800, 300 * curves.len() as u32)).into_drawing_area();
    area.fill(&WHITE).map_err(text)?;
    for (part, (title, curve)) in area.split_evenly((curves.len(), 1)).iter().zip(curves) {
        let all = || curve.iter().flat_map(|(a, b)| [*a, *b]);
        let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
        let edge = 0.05 * (high - low).max(1e-6);
        let mut chart = ChartBuilder::on(part)
            .caption(title, ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(1.0..(curve.len().max(2) as f64), low - edge..high + edge)
            .map_err(text)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc("pass (blue: training, red: held out)")
            .draw()
            .map_err(text)?;
        let points = |get: fn(&(f64, f64)) -> f64| curve.iter().enumerate().map(move |(i, c)| (i as f64 + 1.0, get(c)));
        chart.draw_series(LineSeries::new(points(|c| c.0), BLUE.stroke_width(2))).map_err(text)?;
        chart.draw_series(LineSeries::new(points(|c| c.1), RED.stroke_width(2))).map_err(text)?;
    }
    area.present().map_err(text)
}

/// Draws how far tuned parameters went from their start, in steps, a line each.
///
/// # Errors
/// If the file cannot be written.
pub fn draw_way(path: &Path, way: &[State], tuned: &[usize]) -> Result<(), String> {
    let area = SVGBackend::new(path, (900, 700)).into_drawing_area();
    area.fill(&WHITE).map_err(text)?;
    let steps = |state: &State, i: usize| (state.values[i] - way[0].values[i]) / f64::from(Params::ALL[i].step);
    let far = way.iter().flat_map(|s| tuned.iter().map(|i| steps(s, *i).abs())).fold(1.0, f64::max);
    let end = way.iter().map(|s| s.pairs).max().unwrap_or(0).max(1) as f64;
    let mut chart = ChartBuilder::on(&area)
        .caption("Parameters of the search", ("sans-serif", 18))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..1.25 * end, -1.05 * far..1.05 * far)
        .map_err(text)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("pairs of games")
        .y_desc("steps from the start")
        .draw()
        .map_err(text)?;
    for (n, i) in tuned.iter().enumerate() {
        let colour = Palette99::pick(n).to_rgba();
        let points = way.iter().map(|s| (s.pairs as f64, steps(s, *i)));
        chart.draw_series(LineSeries::new(points, colour.stroke_width(1))).map_err(text)?;
        let last = way.last().map_or(0.0, |s| steps(s, *i));
        let label = Text::new(Params::ALL[*i].name, (1.005 * end, last), ("sans-serif", 11).into_font().color(&colour));
        chart.draw_series([label]).map_err(text)?;
    }
    area.present().map_err(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_where_they_belong() {
        let values = [-50.0, 0.0, 9.9, 10.0, 25.0, 1e9];
        let histogram = Histogram::of("", "", (0.0, 10.0, 3), values.into_iter());
        assert_eq!(histogram.counts, [3, 1, 2]);
        let named = Histogram::named("", [("a".to_owned(), 4), ("b".to_owned(), 0)]);
        assert_eq!((named.names.len(), named.counts), (2, vec![4, 0]));
    }
}
