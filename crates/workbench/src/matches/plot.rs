//! Plots of matches: one match over its pairs, and several by their time for a move.

use super::by_time::Lead;
use super::record::GameRecord;
use super::report::{Report, elo_line, hypotheses};
use super::settings::SprtSpec;
use super::tally::Tally;
use crate::stats::Elo;
use std::ops::Range;
use std::path::Path;
use tengen_analysis::chart::{self, Axis, Estimate, Panel, Shape, colour};
use tengen_analysis::chart::{BLACK, BLUE, RED, RGBColor};

impl Report {
    /// Draws Elo with its interval and, if there is a test, the log-likelihood ratio, over the completed pairs in the
    /// order of completion.
    ///
    /// # Errors
    /// If the file cannot be written, or there is no data.
    pub fn draw_svg(&self, path: &Path) -> Result<(), String> {
        let curve = self.curve();
        if self.header.spec.engines.len() != 2 || curve.is_empty() {
            return Err("a curve needs two engines and a complete pair".to_owned());
        }
        let score = self.tally.between(0, 1, None);
        let conditions = self.conditions(score.games().games());
        let title = format!("{} against {}: {conditions}, {}", self.name(0), self.name(1), elo_line(&score));
        let mut panels = vec![elo_panel(title, &curve)];
        panels.extend(self.header.spec.sprt.map(|sprt| llr_panel(&sprt, &curve)));
        chart::draw(path, &panels)
    }

    /// Pairs, Elo and LLR after each complete pair, thinned to about 500 points.
    fn curve(&self) -> Vec<(u64, Elo, f64)> {
        let mut order: Vec<&GameRecord> = self.games.iter().collect();
        order.sort_by_key(|g| (g.at, g.game));
        let test = self.header.spec.sprt.map(|s| s.test());
        let mut tally = Tally::new(&self.header.spec);
        let mut curve = Vec::new();
        let all = self.complete_pairs();
        let step = (all / 500).max(1);
        let mut last = 0;
        for game in order {
            tally.add(game);
            let pairs = tally.pairs_between(0, 1);
            let is_wanted = pairs.pairs().is_multiple_of(step) || pairs.pairs() == all;
            if pairs.pairs() == last || !is_wanted {
                continue;
            }
            last = pairs.pairs();
            if let Some(elo) = pairs.elo() {
                curve.push((last, elo, test.map_or(0.0, |t| t.llr(&pairs))));
            }
        }
        curve
    }
}

/// A panel of Elo with a band for its interval.
fn elo_panel(title: String, curve: &[(u64, Elo, f64)]) -> Panel {
    // Early intervals are wide or infinite, so the second half of the curve determines the range of the axis.
    let settled = &curve[curve.len() / 2..];
    let finite = |v: f64| v.is_finite().then_some(v);
    let low = settled.iter().filter_map(|(_, e, _)| finite(e.low)).fold(-10.0, f64::min).max(-1200.0) - 5.0;
    let high = settled.iter().filter_map(|(_, e, _)| finite(e.high)).fold(10.0, f64::max).min(1200.0) + 5.0;
    let band = curve.iter().map(|(pairs, e, _)| (*pairs as f64, e.low..e.high));
    let elo = curve.iter().map(|(pairs, e, _)| (*pairs as f64, e.diff));
    Panel {
        title,
        x: pairs_axis(curve),
        y: Axis::new("Elo", low..high),
        shapes: vec![
            Shape::Level((String::new(), BLACK), 0.0),
            Shape::Band(("95% interval".to_owned(), BLUE), band.collect()),
            Shape::Curve(("Elo".to_owned(), BLUE), elo.collect()),
        ],
    }
}

/// A panel of the log-likelihood ratio between its bounds.
fn llr_panel(sprt: &SprtSpec, curve: &[(u64, Elo, f64)]) -> Panel {
    let (lower, upper) = sprt.test().bounds();
    let llr: Vec<_> = curve.iter().map(|(pairs, _, llr)| (*pairs as f64, *llr)).collect();
    let low = llr.iter().map(|p| p.1).fold(lower, f64::min) - 0.3;
    let high = llr.iter().map(|p| p.1).fold(upper, f64::max) + 0.3;
    let (SprtSpec { elo0, elo1, .. }, unit) = (sprt, sprt.unit());
    Panel {
        title: format!("Sequential test of {}", hypotheses(sprt)),
        x: pairs_axis(curve),
        y: Axis::new("log-likelihood ratio", low..high),
        shapes: vec![
            Shape::Level((String::new(), BLACK), 0.0),
            Shape::Level((format!("H1 ({elo1} {unit}) accepted above {upper:.2}"), RGBColor(0, 130, 0)), upper),
            Shape::Level((format!("H0 ({elo0} {unit}) accepted below {lower:.2}"), RED), lower),
            Shape::Curve((String::new(), BLUE), llr),
        ],
    }
}

fn pairs_axis(curve: &[(u64, Elo, f64)]) -> Axis {
    Axis::whole("pairs of games", 0.0..curve.last().map_or(1.0, |(pairs, ..)| *pairs as f64))
}

/// Draws the leads of one engine over the time per move, a line for each rule and opponent.
///
/// # Errors
/// If the file cannot be written, or there is no data.
pub fn draw_leads(path: &Path, name: &str, leads: &[Lead]) -> Result<(), String> {
    chart::draw(path, &leads_panels(name, leads).ok_or("there are no games to draw")?)
}

/// A value and its interval.
type Known = (f64, Range<f64>);

/// A panel of the leads with their intervals and, below, a panel of the ratios of the times used.
fn leads_panels(name: &str, leads: &[Lead]) -> Option<[Panel; 2]> {
    let known: Vec<&Lead> = leads.iter().filter(|lead| lead.elo.is_some()).collect();
    let mut times: Vec<f64> = known.iter().map(|lead| lead.seconds).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut series: Vec<&str> = known.iter().map(|lead| lead.series.as_str()).collect();
    series.sort_unstable();
    series.dedup();
    let (first, last) = (*times.first()?, *times.last()?);
    // A point with its interval for each lead that has a value.
    let shapes = |value: fn(&Lead) -> Option<Known>| {
        let shape = |(number, name): (usize, &&str)| {
            // Shift intervals of the same time so that they do not overlap.
            let aside = 1.02f64.powf(number as f64 - 0.5 * (series.len() as f64 - 1.0));
            let own = known.iter().filter(|lead| lead.series == **name);
            let estimates = own.filter_map(|lead| {
                let (y, interval) = value(lead)?;
                Some(Estimate { x: lead.seconds * aside, y, interval })
            });
            Shape::Estimates(((*name).to_owned(), colour(number)), estimates.collect())
        };
        series.iter().enumerate().map(shape).collect::<Vec<_>>()
    };
    let panel = |title: String, label: &str, level: f64, least: f64, shapes: Vec<Shape>| {
        let estimates =
            || shapes.iter().flat_map(|shape| if let Shape::Estimates(_, all) = shape { &all[..] } else { &[] });
        let ends = || estimates().flat_map(|e| [e.interval.start, e.y, e.interval.end]).filter(|v| v.is_finite());
        let (low, high) = (ends().fold(level, f64::min), ends().fold(level, f64::max));
        let edge = (0.08 * (high - low)).max(least);
        Panel {
            title,
            x: Axis::logarithmic("seconds for a move", first / 1.3..last * 1.3, times.clone()),
            y: Axis::new(label, low - edge..high + edge),
            shapes: std::iter::once(Shape::Level((String::new(), BLACK), level)).chain(shapes).collect(),
        }
    };
    let elo = shapes(|lead| lead.elo.as_ref().map(|e| (e.elo.diff, e.elo.low..e.elo.high)));
    let ratio = shapes(|lead| lead.ratio.map(|ratio| (ratio, ratio..ratio)));
    let title = format!("Lead of {name} with 95% intervals");
    Some([
        panel(title, "Elo", 0.0, 10.0, elo),
        panel(format!("Time used by {name} to that of its opponent"), "ratio", 1.0, 0.02, ratio),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Estimate, Pentanomial, Trinomial};

    fn curve(counts: &[[u64; 5]]) -> Vec<(u64, Elo, f64)> {
        let pairs = counts.iter().map(|c| Pentanomial::new(*c));
        pairs.map(|p| (p.pairs(), p.elo().expect("pairs"), 0.0)).collect()
    }

    #[test]
    fn the_first_pairs_leave_everything_open() {
        let panel =
            elo_panel(String::new(), &curve(&[[0, 0, 1, 0, 0], [0, 0, 1, 1, 0], [0, 1, 1, 1, 1], [0, 1, 2, 2, 2]]));
        let Shape::Band(_, band) = &panel.shapes[1] else { panic!("{panel:?}") };
        assert_eq!(band[0].1, f64::NEG_INFINITY..f64::INFINITY);
        assert!(band[3].1.start.is_finite() && band[3].1.end > band[3].1.start);
        assert!(panel.y.range.start.is_finite() && panel.y.range.end.is_finite());
        assert!(panel.y.range.start < band[3].1.start && panel.y.range.end > band[3].1.end);
    }

    #[test]
    fn leads_are_drawn_by_time_and_rule() {
        let lead = |series: &str, seconds: f64, counts: [u64; 5]| {
            let pairs = Pentanomial::new(counts);
            Lead {
                series: series.to_owned(),
                seconds,
                games: 2 * pairs.pairs(),
                score: 0.5,
                pairs: [pairs.pairs(), 0],
                elo: Estimate::new(&pairs, &Trinomial::default()),
                ratio: Some(1.0),
            }
        };
        let leads = [
            lead("renju 15x15", 0.1, [1, 2, 3, 4, 5]),
            lead("renju 15x15", 1.0, [0, 2, 3, 4, 5]),
            lead("caro 15x15", 5.0, [0, 0, 3, 0, 0]),
            lead("caro 15x15", 0.3, [0; 5]),
        ];
        let [panel, times] = leads_panels("a", &leads).expect("panels");
        let points = |shape: &Shape| match shape {
            Shape::Estimates((name, _), points) => Some((name.clone(), points.iter().map(|p| p.x).collect::<Vec<_>>())),
            _ => None,
        };
        let drawn: Vec<_> = panel.shapes.iter().filter_map(points).collect();
        assert_eq!(drawn.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["caro 15x15", "renju 15x15"]);
        assert_eq!(drawn.iter().map(|(_, x)| x.len()).collect::<Vec<_>>(), [1, 2], "nothing is known without games");
        assert!(drawn.iter().flat_map(|(_, x)| x).all(|x| panel.x.range.contains(x)));
        assert_eq!(times.shapes.iter().filter_map(points).map(|(_, x)| x.len()).collect::<Vec<_>>(), [1, 2]);
        assert!(times.y.range.contains(&1.0));
        assert!(leads_panels("a", &leads[3..]).is_none());
    }
}
