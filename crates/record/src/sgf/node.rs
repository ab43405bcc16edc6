//! The meaning of a node's properties.

use crate::builder::Builder;
use crate::error::Problem;
use crate::text::{clean, shortened};
use crate::tree::{Mark, Value};
use std::time::Duration;
use tengen::board::{BoardSize, Point, Side, parse_point, parse_points};

/// A property's name and values.
pub(super) type Property = (String, Vec<String>);

/// A point as SGF names it: two letters from the top left, or, as some boards write, letter and row number.
pub(super) fn point(size: BoardSize, text: &str) -> Option<Point> {
    let letter = |c: u8| i32::from(c.to_ascii_lowercase()) - i32::from(b'a');
    match text.trim().as_bytes() {
        [x, y] if x.is_ascii_alphabetic() && y.is_ascii_alphabetic() => size.point(letter(*x), letter(*y)),
        _ => parse_point(size, text.trim()).ok(),
    }
}

/// The points of a list, in which `aa:cc` is a rectangle. Empty values name none.
pub(super) fn points(size: BoardSize, (name, values): &Property) -> Result<Vec<Point>, Problem> {
    let wrong = |value: &str| Problem::NoPoint(format!("{name}[{}]", shortened(value)));
    let mut points = Vec::new();
    for value in values.iter().filter(|v| !v.trim().is_empty()) {
        let (from, to) = value.split_once(':').unwrap_or((value, value));
        let (a, b) = point(size, from).zip(point(size, to)).ok_or_else(|| wrong(value))?;
        let columns = a.x().min(b.x())..=a.x().max(b.x());
        let rows = a.y().min(b.y())..=a.y().max(b.y());
        points.extend(rows.flat_map(|y| columns.clone().map(move |x| Point::at(x, y))));
        // Limits the list: a rectangle of few letters can name many points.
        if points.len() > 2 * size.cells() + values.len() {
            return Err(wrong(value));
        }
    }
    Ok(points)
}

/// The side that `PL` names.
pub(super) fn player(values: &[String]) -> Option<Side> {
    let text = values.first()?.trim_start();
    if text.starts_with(['W', 'w']) {
        Some(Side::White)
    } else if text.starts_with(['B', 'b']) {
        Some(Side::Black)
    } else {
        None
    }
}

/// Adds the nodes that one node of a file stands for: one for each of its moves. A node without a move adds one node
/// unless it is the `root`.
pub(super) fn add(builder: &mut Builder, properties: Vec<Property>, root: bool) -> Result<(), Problem> {
    let size = builder.record.start.size;
    let mut moved = root;
    for property in &properties {
        let side = match property.0.as_str() {
            "B" => Side::Black,
            "W" => Side::White,
            _ => continue,
        };
        moved = true;
        for value in &property.1 {
            match point(size, value) {
                Some(point) => builder.play(point, side)?,
                // On go boards of up to 19x19, tt is a pass.
                None if matches!(value.trim(), "" | "tt") => builder.pass(side)?,
                None => return Err(Problem::NoPoint(format!("{}[{}]", property.0, shortened(value)))),
            }
        }
    }
    if !moved {
        builder.empty()?;
    }
    let (mut rate, mut found) = (None, None);
    for (name, values) in properties {
        let marks: fn() -> Option<Mark> = match name.as_str() {
            "MA" => || Some(Mark::Cross),
            "CR" => || Some(Mark::Circle),
            "SQ" => || Some(Mark::Square),
            "TR" => || Some(Mark::Triangle),
            _ => || None,
        };
        match name.as_str() {
            "B" | "W" => {}
            // At the root they belong to the start position.
            "AB" | "AW" | "AE" | "PL" if root => {}
            "AB" | "AW" | "AE" => {
                let side = match name.as_str() {
                    "AB" => Some(Side::Black),
                    "AW" => Some(Side::White),
                    _ => None,
                };
                for point in points(size, &(name, values))? {
                    builder.edit(point, side)?;
                }
            }
            "PL" => {
                if let Some(side) = player(&values) {
                    builder.node().to_move = Some(side);
                    builder.to_move = side;
                }
            }
            "C" => builder.comment(&values.iter().map(|v| clean(v)).collect::<String>()),
            // Values that name no point are skipped.
            "MA" | "CR" | "SQ" | "TR" => {
                for value in values {
                    let points = points(size, &(name.clone(), vec![value])).unwrap_or_default();
                    // Limits memory: a rectangle of few letters can name many points.
                    builder.spend(points.len().saturating_sub(1))?;
                    builder.keep(points.len())?;
                    builder.node().marks.extend(points.into_iter().filter_map(|point| Some((point, marks()?))));
                }
            }
            "LB" => {
                let label = |v: &String| {
                    let (at, text) = v.split_once(':')?;
                    Some((point(size, at)?, Mark::Label(clean(text))))
                };
                builder.keep(values.len())?;
                builder.node().marks.extend(values.iter().filter_map(label));
            }
            "SBKV" => {
                let percent = values.first().and_then(|v| v.trim().parse::<f64>().ok()).filter(|p| p.is_finite());
                // Rounded to a hundredth of a percent, the precision of the file.
                rate = percent.map(|percent| (percent.clamp(0.0, 100.0) * 100.0).round() / 1e4).or(rate);
            }
            "TGN" => found = values.into_iter().next(),
            _ => keep(builder, name, values)?,
        }
    }
    let (value, time) = found.map(|text| words(size, &text)).unwrap_or_default();
    let node = builder.node();
    node.time = time.or(node.time);
    if let Some(win_rate) = rate {
        node.value = Some(Value { win_rate, ..value });
    }
    Ok(())
}

/// Properties that the writer generates from the record alone.
pub(super) const KNOWN: [&str; 19] =
    ["FF", "GM", "CA", "AP", "SZ", "B", "W", "AB", "AW", "AE", "PL", "C", "MA", "CR", "SQ", "TR", "LB", "SBKV", "TGN"];

/// Maximum of unknown properties of one node.
const MAX_UNKNOWN: usize = 100;

/// Stores a property without a meaning here; all its values become one entry.
fn keep(builder: &mut Builder, name: String, values: Vec<String>) -> Result<(), Problem> {
    if name.is_empty() || KNOWN.contains(&name.as_str()) {
        return Ok(());
    }
    builder.keep(values.len())?;
    let values = values.iter().map(|v| clean(v));
    let properties = &mut builder.node().properties;
    match properties.iter().position(|(known, _)| *known == name) {
        Some(at) => properties[at].1.extend(values),
        None if properties.len() < MAX_UNKNOWN => properties.push((name, values.collect())),
        None => {}
    }
    Ok(())
}

/// The value and the time in the words of `TGN`. Unknown words are ignored: later versions may define them.
fn words(size: BoardSize, text: &str) -> (Value, Option<Duration>) {
    let (mut value, mut time) = (Value::default(), None);
    for (name, word) in text.split_whitespace().filter_map(|word| word.split_once('=')) {
        match name {
            "depth" => value.depth = word.parse().unwrap_or(0),
            "nodes" => value.nodes = word.parse().unwrap_or(0),
            "score" => value.score = word.parse().ok(),
            "mate" => {
                value.mate =
                    word.split_once(':').and_then(|(by, plies)| Some((Side::from_name(by)?, plies.parse().ok()?)));
            }
            "time" => time = word.parse().ok().map(Duration::from_millis),
            "line" => value.line = parse_points(size, word).unwrap_or_default(),
            _ => {}
        }
    }
    (value, time)
}

/// The blocked cells in a root's `TGN`.
pub(super) fn blocked(size: BoardSize, text: &str) -> Vec<Point> {
    let list = text.split_whitespace().find_map(|word| word.strip_prefix("blocked="));
    list.and_then(|list| parse_points(size, list).ok()).unwrap_or_default()
}
