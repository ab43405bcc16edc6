//! Plots as SVG: panels one below the other, each with its axes and what is drawn between them.
//!
//! Each room of the workbench puts together what it has to show as plain data; [`draw`] alone knows how it looks.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;
use std::path::Path;

/// One plot with its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What stands above.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From below upwards.
    pub y: Axis,
    /// What is drawn, the first behind the others.
    pub shapes: Vec<Shape>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// What is shown.
    pub range: Range<f64>,
    /// Names of the unit intervals from 0, instead of numbers.
    pub names: Vec<String>,
}

impl Axis {
    /// An axis of numbers.
    pub fn new(label: &str, range: Range<f64>) -> Axis {
        Axis { label: label.to_owned(), range, names: Vec::new() }
    }

    fn text(&self, value: f64) -> String {
        let span = self.range.end - self.range.start;
        match self.names.get(value.max(0.0) as usize) {
            Some(name) if value.fract() == 0.5 => name.clone(),
            _ if !self.names.is_empty() => String::new(),
            _ if span > 5.0 && value.fract() != 0.0 => String::new(),
            // A minus before a zero means nothing.
            _ => format!("{:.*}", [3, 2, 1, 0][[0.1, 1.0, 5.0].partition_point(|s| *s < span)], value + 0.0),
        }
    }
}

/// Something in a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through points.
    Curve(Named, Vec<(f64, f64)>),
    /// The area between two values at each x.
    Band(Named, Vec<(f64, Range<f64>)>),
    /// A horizontal line from side to side.
    Level(Named, f64),
    /// Filled bars: from x to x, and how high.
    Bars(Vec<(Range<f64>, f64)>),
    /// Filled dots.
    Dots(Named, Vec<(f64, f64)>),
}

/// What a shape is called, if that is to be told, and its colour.
pub type Named = (String, RGBColor);

/// Width of a plot and height of each panel, in pixels.
const PANEL: (u32, u32) = (900, 320);

const GREY: RGBColor = RGBColor(90, 90, 90);

/// Draws panels one below the other.
///
/// # Errors
/// If the file cannot be written, or there is nothing to draw.
pub fn draw(path: &Path, panels: &[Panel]) -> Result<(), String> {
    if panels.is_empty() {
        return Err("nothing to draw".to_owned());
    }
    let area = SVGBackend::new(path, (PANEL.0, PANEL.1 * panels.len() as u32)).into_drawing_area();
    area.fill(&WHITE).map_err(text)?;
    for (part, panel) in area.split_evenly((panels.len(), 1)).iter().zip(panels) {
        draw_panel(part, panel).map_err(text)?;
    }
    area.present().map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn draw_panel<'a>(area: &Area<'a>, panel: &Panel) -> Drawn<'a> {
    let Panel { title, x, y, shapes } = panel;
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        // The last number on the axis reaches beyond it.
        .margin_right(28)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(x.range.clone(), y.range.clone())?;
    let mut mesh = chart.configure_mesh();
    if !x.names.is_empty() || shapes.iter().any(|s| matches!(s, Shape::Bars(_))) {
        mesh.disable_x_mesh();
    }
    mesh.light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 15))
        .axis_desc_style(("sans-serif", 16))
        .x_labels(if x.names.is_empty() { 11 } else { 2 * x.names.len() + 1 })
        .y_labels(8)
        .x_label_formatter(&|value| x.text(*value))
        .y_label_formatter(&|value| y.text(*value))
        .x_desc(&x.label)
        .y_desc(&y.label)
        .draw()?;
    let mut legend = false;
    for shape in shapes {
        let ((name, ink), series) = match shape {
            Shape::Curve(named, points) => {
                (named, chart.draw_series(LineSeries::new(points.iter().copied(), named.1.stroke_width(2)))?)
            }
            Shape::Band(named, points) => {
                let above = points.iter().map(|(x, y)| (*x, y.end));
                let below = points.iter().rev().map(|(x, y)| (*x, y.start));
                let outline: Vec<_> = above.chain(below).collect();
                (named, chart.draw_series([Polygon::new(outline, named.1.mix(0.15))])?)
            }
            Shape::Level((name, ink), at) => {
                let ends = [(x.range.start, *at), (x.range.end, *at)];
                chart.draw_series(LineSeries::new(ends, ink.mix(0.8)))?;
                // The name stands between the line and the middle of the panel.
                let gap = 0.015 * (y.range.end - y.range.start);
                let high = at + at > y.range.start + y.range.end;
                let (vertical, base) = if high { (VPos::Top, at - gap) } else { (VPos::Bottom, at + gap) };
                let style = ("sans-serif", 15).into_font().color(ink).pos(Pos::new(HPos::Right, vertical));
                let place = (x.range.end, base);
                chart.draw_series([Text::new(name.clone(), place, style)])?;
                continue;
            }
            Shape::Dots(named, points) => {
                let dot = |point: &(f64, f64)| Circle::new(*point, 5, named.1.filled());
                (named, chart.draw_series(points.iter().map(dot))?)
            }
            Shape::Bars(bars) => {
                let bar = |(x, top): &(Range<f64>, f64)| {
                    Rectangle::new([(x.start, 0.0), (x.end, *top)], BLUE.mix(0.6).filled())
                };
                chart.draw_series(bars.iter().map(bar))?;
                continue;
            }
        };
        if !name.is_empty() {
            legend = true;
            let ink = if matches!(shape, Shape::Band(..)) { ink.mix(0.3) } else { ink.mix(1.0) };
            series.label(name).legend(move |(x, y)| Rectangle::new([(x, y - 2), (x + 18, y + 2)], ink.filled()));
        }
    }
    if legend {
        let mut labels = chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight).label_font(("sans-serif", 15));
        labels.background_style(WHITE.mix(0.8)).border_style(GREY.mix(0.3)).draw()?;
    }
    Ok(())
}

/// A panel of bars, one for each interval of `width` from `start` on; what lies outside counts in the outermost ones.
pub fn histogram(
    title: &str,
    (x, y): (&str, &str),
    (start, width, bins): (f64, f64, usize),
    values: impl Iterator<Item = f64>,
) -> Panel {
    let mut counts = vec![0; bins.max(1)];
    let last = counts.len() - 1;
    for value in values {
        // A cast of a negative number is 0.
        counts[(((value - start) / width).floor() as usize).min(last)] += 1;
    }
    let range = start..start + width * counts.len() as f64;
    bars(title, Axis::new(x, range), y, width, 0.04, &counts)
}

/// A panel with a bar for each name.
pub fn tally<const N: usize>(title: &str, y: &str, of: [(&str, u64); N]) -> Panel {
    let (names, counts) = (of.map(|(name, _)| name.to_owned()), of.map(|(_, count)| count));
    let x = Axis { label: String::new(), range: 0.0..N as f64, names: names.to_vec() };
    bars(title, x, y, 1.0, 0.2, &counts)
}

/// `gap` is the share of a bar's width that stays free at either side.
pub fn bars(title: &str, x: Axis, y: &str, width: f64, gap: f64, counts: &[u64]) -> Panel {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let left = |i: usize| x.range.start + width * i as f64;
    let bar = |(i, count): (usize, &u64)| (left(i) + width * gap..left(i + 1) - width * gap, *count as f64);
    let shapes = vec![Shape::Bars(counts.iter().enumerate().map(bar).collect())];
    Panel { title: title.to_owned(), x, y: Axis::new(y, 0.0..1.05 * most), shapes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heights(panel: &Panel) -> Vec<f64> {
        let [Shape::Bars(bars)] = &panel.shapes[..] else { panic!("{panel:?}") };
        bars.iter().map(|(_, top)| *top).collect()
    }

    #[test]
    fn values_are_counted_where_they_belong() {
        let values = [-50.0, 0.0, 9.9, 10.0, 25.0, 1e9];
        let panel = histogram("", ("", ""), (0.0, 10.0, 3), values.into_iter());
        assert_eq!((heights(&panel), panel.x.range), (vec![3.0, 1.0, 2.0], 0.0..30.0));
        let named = tally("", "", [("a", 4), ("b", 0)]);
        assert_eq!((heights(&named), named.x.range), (vec![4.0, 0.0], 0.0..2.0));
    }

    #[test]
    fn numbers_on_an_axis_are_as_exact_as_its_length_asks_for() {
        let text = |range: Range<f64>, value: f64| Axis::new("", range).text(value);
        assert_eq!(text(0.0..400.0, 50.0), "50");
        assert_eq!(text(-3.2..3.2, -1.0), "-1");
        assert_eq!(text(1.0..3.0, 1.5), "1.5");
        assert_eq!(text(0.61..0.74, 0.62), "0.62");
        assert_eq!(text(1.0..8.0, 2.5), "", "nothing is half a pass");
        assert_eq!(text(-3.0..3.0, -0.0), "0");
        let named = Axis { names: vec!["a".to_owned(), "b".to_owned()], ..Axis::new("", 0.0..2.0) };
        assert_eq!([0.0, 0.5, 1.0, 1.5, 2.0].map(|v| named.text(v)), ["", "a", "", "b", ""]);
    }
}
