//! Plots as SVG: panels one below the other, each with its axes and shapes.
//!
//! Each module of the workbench describes its plots as plain data; only [`draw`] determines how they look. Shapes are
//! clipped to the frame; names are placed outside of it.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
pub use plotters::style::{BLACK, BLUE, RED, RGBColor};

use std::ops::Range;
use std::path::Path;

/// The `n`-th of 99 colours that are easily told apart.
pub fn distinct_color(n: usize) -> RGBColor {
    let (r, g, b) = Palette99::pick(n).rgb();
    RGBColor(r, g, b)
}

/// One plot with its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The title above the panel.
    pub title: String,
    /// The horizontal axis, from left to right.
    pub x: Axis,
    /// The vertical axis, from bottom to top.
    pub y: Axis,
    /// The shapes; later ones cover earlier ones.
    pub shapes: Vec<Shape>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity, with its unit.
    pub label: String,
    /// The visible range.
    pub range: Range<f64>,
    /// The scale of its marks.
    pub scale: Scale,
}

/// The scale of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Linear, with marks at round numbers.
    Numbers,
    /// Linear, with marks at integers: counts.
    Whole,
    /// Logarithmic, with marks at these values; the range is above 0.
    Logarithmic(Vec<f64>),
    /// Categories: unit intervals from 0 with these names.
    Names(Vec<String>),
}

impl Axis {
    /// An axis of numbers.
    pub fn new(label: &str, range: Range<f64>) -> Axis {
        Axis { label: label.to_owned(), range, scale: Scale::Numbers }
    }

    /// An axis of counts, with marks at integers.
    pub fn whole(label: &str, range: Range<f64>) -> Axis {
        Axis { scale: Scale::Whole, ..Axis::new(label, range) }
    }

    /// A logarithmic axis with marks at these values.
    pub fn logarithmic(label: &str, range: Range<f64>, marks: Vec<f64>) -> Axis {
        Axis { scale: Scale::Logarithmic(marks), ..Axis::new(label, range) }
    }

    /// The positions of the marks.
    fn ticks(&self) -> Vec<f64> {
        let Range { start, end } = self.range;
        match &self.scale {
            Scale::Names(names) => (0..names.len()).map(|i| i as f64 + 0.5).collect(),
            Scale::Logarithmic(marks) => marks.clone(),
            Scale::Numbers | Scale::Whole => {
                let step = self.step();
                let (first, last) = ((start / step - 1e-9).ceil() as i64, (end / step + 1e-9).floor() as i64);
                (first..=last).map(|n| n as f64 * step).collect()
            }
        }
    }

    fn text(&self, value: f64) -> String {
        match &self.scale {
            Scale::Names(names) => names.get(value.max(0.0) as usize).cloned().unwrap_or_default(),
            Scale::Logarithmic(_) => format!("{value}"),
            Scale::Whole => format!("{value:.0}"),
            // As many decimals as the distance of two marks needs; a minus sign before zero is removed.
            Scale::Numbers => {
                let decimals = (-self.step().log10().floor()).max(0.0) as usize;
                let text = format!("{value:.decimals$}");
                if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) {
                    text.replace('-', "")
                } else {
                    text
                }
            }
        }
    }

    /// The distance of two marks: the smallest of 1, 2 and 5 times a power of ten with which the number of marks stays
    /// in the limit.
    fn step(&self) -> f64 {
        let distance = ((self.range.end - self.range.start) / MARKS).max(1e-9);
        let power = 10f64.powf(distance.log10().floor());
        let step = [1.0, 2.0, 5.0].map(|m| m * power).into_iter().find(|s| *s >= distance * 0.999_999);
        let step = step.unwrap_or(10.0 * power);
        if self.scale == Scale::Whole { step.max(1.0) } else { step }
    }

    /// The relative position of a value on the axis, from 0 to 1 inside the range.
    fn place(&self, value: f64) -> f64 {
        let scaled = |v: f64| if matches!(self.scale, Scale::Logarithmic(_)) { v.ln() } else { v };
        (scaled(value) - scaled(self.range.start)) / (scaled(self.range.end) - scaled(self.range.start))
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        // Values that are not finite have been clipped before; a cast saturates.
        limit.0 + (self.place(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.text(*value)
    }
}

/// A shape in a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through points, named in the legend.
    Curve(Named, Vec<(f64, f64)>),
    /// A line through points, named at its right end beside the panel.
    Labelled(Named, Vec<(f64, f64)>),
    /// The area between two values at each x; infinite ends extend beyond the axis.
    Band(Named, Vec<(f64, Range<f64>)>),
    /// Points with confidence intervals, joined by a thin line.
    Estimates(Named, Vec<Estimate>),
    /// A horizontal line from side to side.
    Level(Named, f64),
    /// Filled bars: the x range and the height of each.
    Bars(Vec<(Range<f64>, f64)>),
    /// Filled dots, named in the legend.
    Dots(Named, Vec<(f64, f64)>),
}

/// An estimate with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The x coordinate.
    pub x: f64,
    /// The best guess.
    pub y: f64,
    /// The interval of the true value.
    pub interval: Range<f64>,
}

/// A shape's name for the legend (empty: no entry), and its colour.
pub type Named = (String, RGBColor);

/// Distinct colours of curves by number; most people can tell them apart.
pub fn colour(number: usize) -> RGBColor {
    let (r, g, b) = Palette99::pick(number).rgb();
    RGBColor(r, g, b)
}

/// Width of a plot and height of each panel, in pixels.
const PANEL: (u32, u32) = (900, 320);

/// Approximate number of marks on an axis.
const MARKS: f64 = 9.0;

/// Width of the labels beside a panel and height of each, in pixels.
const LABEL: (u32, i32) = (215, 17);

/// In the legend: width of a character, width of an entry without its name, and height of a row, in pixels.
const LEGEND: (u32, u32, u32) = (8, 44, 20);

/// Draws panels one below the other.
///
/// # Errors
/// If the file cannot be written, or there is nothing to draw.
pub fn draw(path: &Path, panels: &[Panel]) -> Result<(), String> {
    std::fs::write(path, svg(panels)?).map_err(text)
}

/// Draws panels as SVG text.
///
/// # Errors
/// If there is nothing to draw.
pub fn svg(panels: &[Panel]) -> Result<String, String> {
    if panels.is_empty() {
        return Err("nothing to draw".to_owned());
    }
    let mut drawn = String::new();
    {
        let size = (PANEL.0, PANEL.1 * panels.len() as u32);
        let area = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        area.fill(&WHITE).map_err(text)?;
        for (part, panel) in area.split_evenly((panels.len(), 1)).iter().zip(panels) {
            draw_panel(part, panel).map_err(text)?;
        }
        area.present().map_err(text)?;
    }
    Ok(drawn)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failed<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;
type Drawn<'a> = Result<(), Failed<'a>>;

fn draw_panel<'a>(area: &Area<'a>, panel: &Panel) -> Drawn<'a> {
    let Panel { title, x, y, shapes } = panel;
    let labelled = shapes.iter().any(|s| matches!(s, Shape::Labelled(..)));
    let area = &draw_legend(&area.titled(title, ("sans-serif", 17))?, shapes)?;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        // The last number of the axis extends beyond the panel.
        .margin_right(if labelled { LABEL.0 } else { 28 })
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(x.clone(), y.clone())?;
    let mut mesh = chart.configure_mesh();
    if matches!(x.scale, Scale::Names(_)) || shapes.iter().any(|s| matches!(s, Shape::Bars(_))) {
        mesh.disable_x_mesh();
    }
    mesh.light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 15))
        .axis_desc_style(("sans-serif", 16))
        .x_label_formatter(&|value| x.text(*value))
        .y_label_formatter(&|value| y.text(*value))
        .x_desc(&x.label)
        .y_desc(&y.label)
        .draw()?;
    let frame = (&x.range, &y.range);
    for shape in shapes {
        match shape {
            Shape::Curve((_, ink), points) | Shape::Labelled((_, ink), points) => {
                let parts = clip_line(points, frame);
                chart.draw_series(parts.into_iter().map(|part| PathElement::new(part, ink.stroke_width(2))))?;
            }
            Shape::Band((_, ink), points) => {
                // Infinite ends become finite values outside of the frame; clipping removes them.
                let far = 2.0 * (y.range.end - y.range.start);
                let finite = |v: f64| v.clamp(y.range.start - far, y.range.end + far);
                let above = points.iter().map(|(x, y)| (*x, finite(y.end)));
                let below = points.iter().rev().map(|(x, y)| (*x, finite(y.start)));
                let outline = clip_area(above.chain(below).collect(), frame);
                chart.draw_series([Polygon::new(outline, ink.mix(0.15))])?;
            }
            Shape::Estimates((_, ink), estimates) => {
                let joined: Vec<_> = estimates.iter().map(|e| (e.x, e.y)).collect();
                let thin = clip_line(&joined, frame).into_iter().map(|part| PathElement::new(part, ink.mix(0.5)));
                chart.draw_series(thin)?;
                let bars = estimates.iter().flat_map(|e| {
                    let end = |v: f64| v.clamp(y.range.start, y.range.end);
                    clip_line(&[(e.x, end(e.interval.start)), (e.x, end(e.interval.end))], frame)
                });
                chart.draw_series(bars.map(|part| PathElement::new(part, ink.stroke_width(2))))?;
                let seen = estimates.iter().filter(|e| y.range.contains(&e.y));
                chart.draw_series(seen.map(|e| Circle::new((e.x, e.y), 4, ink.filled())))?;
            }
            Shape::Level((name, ink), at) => {
                let ends = [(x.range.start, *at), (x.range.end, *at)];
                let parts = clip_line(&ends, frame);
                chart.draw_series(parts.into_iter().map(|part| PathElement::new(part, ink.mix(0.8))))?;
                // The name is placed on the side of the line that faces the middle of the panel.
                let gap = 0.015 * (y.range.end - y.range.start);
                let high = at + at > y.range.start + y.range.end;
                let (vertical, base) = if high { (VPos::Top, at - gap) } else { (VPos::Bottom, at + gap) };
                let style = ("sans-serif", 15).into_font().color(ink).pos(Pos::new(HPos::Right, vertical));
                chart.draw_series([Text::new(name.clone(), (x.range.end, base), style)])?;
            }
            Shape::Dots((_, ink), points) => {
                let seen = points.iter().filter(|(at, v)| frame.0.start <= *at && *at <= frame.0.end && v.is_finite());
                chart.draw_series(seen.map(|point| Circle::new(*point, 5, ink.filled())))?;
            }
            Shape::Bars(bars) => {
                let bar = |(x, top): &(Range<f64>, f64)| {
                    Rectangle::new([(x.start, 0.0), (x.end, *top)], BLUE.mix(0.6).filled())
                };
                chart.draw_series(bars.iter().map(bar))?;
            }
        }
    }
    let ends = shapes.iter().filter_map(|shape| match shape {
        Shape::Labelled(named, points) => points.last().map(|(_, y)| (named, *y)),
        _ => None,
    });
    // Pixels are counted from the top of the whole plot, not of this panel.
    let top = area.get_base_pixel().1;
    let (left, height) = (area.dim_in_pixel().0 as i32 - LABEL.0 as i32 + 6, area.dim_in_pixel().1 as i32);
    let clamped = ends.map(|(named, value)| (named, value.clamp(y.range.start, y.range.end)));
    let mut ends: Vec<_> =
        clamped.map(|(named, value)| (named, chart.backend_coord(&(x.range.end, value)).1 - top)).collect();
    ends.sort_by_key(|(_, at)| *at);
    let places = spread(&ends.iter().map(|(_, at)| *at).collect::<Vec<_>>(), LABEL.1, height - LABEL.1 / 2);
    for (((name, ink), _), place) in ends.iter().zip(places) {
        let style = ("sans-serif", 15).into_font().color(ink).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(name.clone(), (left, place), style))?;
    }
    Ok(())
}

/// Writes the names of shapes below the title, outside of the plot area; returns the remaining area.
fn draw_legend<'a>(area: &Area<'a>, shapes: &[Shape]) -> Result<Area<'a>, Failed<'a>> {
    let entries = shapes.iter().filter_map(|shape| match shape {
        Shape::Curve((name, ink), _) | Shape::Estimates((name, ink), _) | Shape::Dots((name, ink), _) => {
            Some((name, ink.mix(1.0)))
        }
        Shape::Band((name, ink), _) => Some((name, ink.mix(0.3))),
        Shape::Labelled(..) | Shape::Level(..) | Shape::Bars(_) => None,
    });
    let entries: Vec<_> = entries.filter(|(name, _)| !name.is_empty()).collect();
    let (per_char, besides, row) = LEGEND;
    // Below the numbers of the y axis, with as many entries in a row as fit.
    let (left, width) = (76, area.dim_in_pixel().0);
    let (mut places, mut at) = (Vec::new(), (left, 0));
    for (name, _) in &entries {
        let needs = name.chars().count() as u32 * per_char + besides;
        if at.0 > left && at.0 + needs > width {
            at = (left, at.1 + row);
        }
        places.push(at);
        at.0 += needs;
    }
    let height = places.last().map_or(0, |(_, top)| top + row);
    for ((name, ink), (x, top)) in entries.into_iter().zip(places) {
        let (x, y) = (x as i32, (top + row / 2) as i32);
        area.draw(&Rectangle::new([(x, y - 2), (x + 18, y + 2)], ink.filled()))?;
        let style = ("sans-serif", 15).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(name.clone(), (x + 24, y), style))?;
    }
    Ok(area.split_vertically(height).1)
}

/// Positions of labels near `wanted`, in ascending order: at least `gap` apart and at most at `end`.
fn spread(wanted: &[i32], gap: i32, end: i32) -> Vec<i32> {
    let mut places = wanted.to_vec();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + gap);
    }
    // Blocks that were moved down move back by half of their shift, unless they meet the label above.
    let mut limit = end;
    for i in (0..places.len()).rev() {
        let above = if i > 0 { wanted[i - 1] + gap } else { i32::MIN };
        let centred = places[i] - (places[i] - wanted[i]) / 2;
        places[i] = centred.max(above).min(places[i]).min(limit);
        limit = places[i] - gap;
    }
    places
}

/// The visible ranges of both axes.
type Frame<'a> = (&'a Range<f64>, &'a Range<f64>);

/// The parts of a line inside the frame (after Liang and Barsky 1984).
fn clip_line(points: &[(f64, f64)], (x, y): Frame) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let (dx, dy) = (x1 - x0, y1 - y0);
        if !dx.is_finite() || !dy.is_finite() {
            continue;
        }
        // The fraction of the segment at which it crosses each side.
        let sides = [(-dx, x0 - x.start), (dx, x.end - x0), (-dy, y0 - y.start), (dy, y.end - y0)];
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (speed, distance) in sides {
            if speed < 0.0 {
                enter = enter.max(distance / speed);
            } else if speed > 0.0 {
                leave = leave.min(distance / speed);
            } else if distance < 0.0 {
                leave = -1.0;
            }
        }
        if enter > leave {
            continue;
        }
        // Unclipped ends stay bit-identical, so that the next piece connects to this one.
        let at = |share: f64| if share == 1.0 { pair[1] } else { (x0 + share * dx, y0 + share * dy) };
        match parts.last_mut() {
            Some(part) if enter == 0.0 && part.last() == Some(&pair[0]) => part.push(at(leave)),
            _ => parts.push(vec![at(enter), at(leave)]),
        }
    }
    parts
}

/// The part of an area inside the frame (after Sutherland and Hodgman 1974).
fn clip_area(mut outline: Vec<(f64, f64)>, (x, y): Frame) -> Vec<(f64, f64)> {
    // The signed distance of a point from each side, positive inside.
    let sides: [&dyn Fn((f64, f64)) -> f64; 4] =
        [&|p| p.0 - x.start, &|p| x.end - p.0, &|p| p.1 - y.start, &|p| y.end - p.1];
    for within in sides {
        let mut kept = Vec::new();
        for (i, p) in outline.iter().enumerate() {
            let before = outline[(i + outline.len() - 1) % outline.len()];
            let (a, b) = (within(before), within(*p));
            if (a < 0.0) != (b < 0.0) {
                let share = a / (a - b);
                kept.push((before.0 + share * (p.0 - before.0), before.1 + share * (p.1 - before.1)));
            }
            if b >= 0.0 {
                kept.push(*p);
            }
        }
        outline = kept;
    }
    outline
}

/// A panel of bars, one for each interval of `width` from `start` on; values outside count in the first or last bar.
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
    let x = Axis { scale: Scale::Names(names.to_vec()), ..Axis::new("", 0.0..N as f64) };
    bars(title, x, y, 1.0, 0.2, &counts)
}

/// `gap` is the fraction of a bar's width that stays empty on each side.
pub fn bars(title: &str, x: Axis, y: &str, width: f64, gap: f64, counts: &[u64]) -> Panel {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let left = |i: usize| x.range.start + width * i as f64;
    let bar = |(i, count): (usize, &u64)| (left(i) + width * gap..left(i + 1) - width * gap, *count as f64);
    let shapes = vec![Shape::Bars(counts.iter().enumerate().map(bar).collect())];
    Panel { title: title.to_owned(), x, y: Axis::whole(y, 0.0..1.05 * most), shapes }
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
    fn lines_end_at_the_axes() {
        let clip = |points: &[(f64, f64)]| clip_line(points, (&(0.0..10.0), &(-1.0..1.0)));
        assert_eq!(clip(&[(0.0, 0.0), (5.0, 0.5), (10.0, 1.0)]), [vec![(0.0, 0.0), (5.0, 0.5), (10.0, 1.0)]]);
        // The line leaves at the top and enters again: two parts, without a piece along the frame.
        let parts = clip(&[(0.0, 0.0), (4.0, 2.0), (8.0, 0.0)]);
        assert_eq!(parts, [vec![(0.0, 0.0), (2.0, 1.0)], vec![(6.0, 1.0), (8.0, 0.0)]]);
        assert_eq!(clip(&[(0.0, 3.0), (10.0, 3.0)]), Vec::<Vec<_>>::new());
        assert_eq!(clip(&[(2.0, -3.0), (2.0, 3.0)]), [vec![(2.0, -1.0), (2.0, 1.0)]]);
        assert_eq!(clip(&[(2.0, f64::NAN), (2.0, 3.0)]), Vec::<Vec<_>>::new());
    }

    #[test]
    fn areas_end_at_the_axes() {
        let clipped = clip_area(vec![(0.0, 2.0), (10.0, 2.0), (10.0, 0.0), (0.0, 0.0)], (&(0.0..5.0), &(-1.0..1.0)));
        let (low, high) = clipped.iter().fold((f64::MAX, f64::MIN), |(low, high), p| (low.min(p.1), high.max(p.1)));
        assert_eq!((low, high), (0.0, 1.0));
        assert!(clipped.iter().all(|p| (0.0..=5.0).contains(&p.0)), "{clipped:?}");
    }

    #[test]
    fn labels_keep_their_distance() {
        for (wanted, end) in [(vec![10, 11, 12, 100], 300), (vec![290, 291, 292], 300), (vec![50], 300), (vec![], 300)]
        {
            let places = spread(&wanted, 17, end);
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 17), "{places:?}");
            assert!(places.iter().all(|place| *place <= end), "{places:?}");
        }
        assert_eq!(spread(&[50, 200], 17, 300), [50, 200]);
    }

    #[test]
    fn axes_are_marked_where_people_expect_it() {
        let marks = |axis: Axis| axis.ticks().iter().map(|v| axis.text(*v)).collect::<Vec<_>>();
        assert_eq!(marks(Axis::new("", 0.0..400.0)), ["0", "50", "100", "150", "200", "250", "300", "350", "400"]);
        assert_eq!(marks(Axis::new("", -3.2..3.2)), ["-3", "-2", "-1", "0", "1", "2", "3"]);
        assert_eq!(marks(Axis::new("", 0.61..0.66)), ["0.61", "0.62", "0.63", "0.64", "0.65", "0.66"]);
        assert_eq!(marks(Axis::whole("", 0.0..3.0)), ["0", "1", "2", "3"], "nothing is half a pair");
        assert_eq!(marks(Axis::logarithmic("", 0.08..6.0, vec![0.1, 0.3, 5.0])), ["0.1", "0.3", "5"]);
        let named = Axis { scale: Scale::Names(vec!["a".to_owned(), "b".to_owned()]), ..Axis::new("", 0.0..2.0) };
        assert_eq!(marks(named), ["a", "b"]);
        let log = Axis::logarithmic("", 0.1..10.0, Vec::new());
        assert_eq!([0.1, 1.0, 10.0].map(|v| log.map(&v, (0, 100))), [0, 50, 100]);
    }
}
