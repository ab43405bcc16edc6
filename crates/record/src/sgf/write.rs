//! Writes SGF.

use crate::game::Record;
use crate::sgf::node::KNOWN;
use crate::text::{clean, clean_line};
use crate::tree::{Mark, Node, NodeId, Tree};
use tengen::board::{BoardSize, Point, Side, format_points};

/// The two letters of a point.
fn letters(point: Point) -> String {
    [point.x(), point.y()].map(|n| char::from(b'a' + n)).iter().collect()
}

/// Text as a value, with `]` and `\` escaped.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// The parts still to write, as a stack.
enum Step {
    Node(NodeId),
    /// A variation and its brackets.
    Branch(NodeId),
    End,
}

/// A game with all its variations.
pub fn write(record: &Record) -> String {
    let mut text = String::from("(");
    let mut steps = vec![Step::End, Step::Node(Tree::ROOT)];
    while let Some(step) = steps.pop() {
        let id = match step {
            Step::End => {
                text.push(')');
                continue;
            }
            Step::Branch(id) => {
                text.push_str("\n(");
                steps.push(Step::End);
                id
            }
            Step::Node(id) => id,
        };
        let Some(node) = record.tree.get(id) else { continue };
        text.push_str(match step {
            Step::Node(id) if id != Tree::ROOT => "\n;",
            _ => ";",
        });
        let mut properties = if id == Tree::ROOT { header(record) } else { Vec::new() };
        add(&mut properties, record, node);
        for (name, values) in properties {
            text.push_str(name);
            text.push_str(&values);
        }
        match node.children[..] {
            [child] => steps.push(Step::Node(child)),
            ref children => steps.extend(children.iter().rev().map(|child| Step::Branch(*child))),
        }
    }
    text.push('\n');
    text
}

/// A property's name, and its values in their brackets.
type Property<'a> = (&'a str, String);

fn value(text: &str) -> String {
    format!("[{}]", escape(text))
}

/// The properties of the first node that describe the game.
fn header(record: &Record) -> Vec<Property<'_>> {
    let start = &record.start;
    let size = match (start.size.width(), start.size.height()) {
        (width, height) if width == height => format!("{width}"),
        (width, height) => format!("{width}:{height}"),
    };
    let program = concat!("Tengen:", env!("CARGO_PKG_VERSION"));
    let mut properties: Vec<Property<'_>> =
        [("FF", "4"), ("GM", "4"), ("CA", "UTF-8"), ("AP", program), ("SZ", &size)].map(|(n, v)| (n, value(v))).into();
    let result = record.result.as_deref().unwrap_or_default();
    let [black, white] = record.names.0.each_ref().map(String::as_str);
    let lines = [
        ("RU", record.rule_text()),
        ("PB", black),
        ("PW", white),
        ("RE", result),
        ("DT", &record.date),
        ("EV", &record.event),
    ];
    let lines = lines.map(|(name, line)| (name, clean_line(line)));
    properties.extend(lines.iter().filter(|(_, line)| !line.is_empty()).map(|(name, line)| (*name, value(line))));
    for (name, side) in [("AB", Side::Black), ("AW", Side::White)] {
        let stones = start.stones.iter().filter(|(_, s)| *s == side);
        properties.extend(list(name, stones.map(|(point, _)| *point)));
    }
    if !start.stones.is_empty() || start.to_move != record.first_side() {
        properties.push(("PL", format!("[{}]", colour(start.to_move))));
    }
    properties
}

/// A node's move and its other properties.
fn add<'a>(properties: &mut Vec<Property<'a>>, record: &'a Record, node: &'a Node) {
    properties.extend(node.stone.map(|(point, side)| (colour(side), format!("[{}]", letters(point)))));
    properties.extend(node.pass.map(|side| (colour(side), "[]".to_owned())));
    for (name, side) in [("AB", Some(Side::Black)), ("AW", Some(Side::White)), ("AE", None)] {
        // The last edit of a point takes effect.
        let last = |i: usize, point: Point| node.edits[i + 1..].iter().all(|(p, _)| *p != point);
        let edits = node.edits.iter().enumerate().filter(|(i, (p, s))| *s == side && last(*i, *p));
        properties.extend(list(name, edits.map(|(_, (point, _))| *point)));
    }
    properties.extend(node.to_move.map(|side| ("PL", format!("[{}]", colour(side)))));
    properties.extend(Some(&node.comment).filter(|c| !c.is_empty()).map(|c| ("C", value(&clean(c)))));
    for (name, mark) in [("MA", Mark::Cross), ("CR", Mark::Circle), ("SQ", Mark::Square), ("TR", Mark::Triangle)] {
        properties.extend(list(name, node.marks.iter().filter(|(_, m)| *m == mark).map(|(point, _)| *point)));
    }
    let labels = node.marks.iter().filter_map(|(point, mark)| match mark {
        Mark::Label(label) => Some(format!("[{}:{}]", letters(*point), escape(&clean(label)).replace(':', "\\:"))),
        _ => None,
    });
    properties.extend(Some(labels.collect::<String>()).filter(|l| !l.is_empty()).map(|labels| ("LB", labels)));
    let rate = node.value.as_ref().map(|value| value.win_rate).filter(|rate| rate.is_finite());
    properties.extend(rate.map(|rate| ("SBKV", format!("[{:.2}]", rate.clamp(0.0, 1.0) * 100.0))));
    let words = words(record.start.size, node, if node.parent.is_none() { &record.start.blocked } else { &[] });
    properties.extend(Some(words).filter(|w| !w.is_empty()).map(|words| ("TGN", format!("[{}]", words.join(" ")))));
    // The file's other properties. Properties with a meaning are skipped: they would appear twice.
    let known = properties.len();
    for (name, values) in &node.properties {
        let is_name = !name.is_empty() && name.bytes().all(|c| c.is_ascii_uppercase());
        let has_meaning = KNOWN.contains(&name.as_str()) || properties[..known].iter().any(|(known, _)| known == name);
        if is_name && !has_meaning && !values.is_empty() {
            properties.push((name, values.iter().map(|v| value(&clean(v))).collect()));
        }
    }
}

/// The words of the property `TGN`.
fn words(size: BoardSize, node: &Node, blocked: &[Point]) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(value) = &node.value {
        words.extend(Some(value.depth).filter(|n| *n > 0).map(|n| format!("depth={n}")));
        words.extend(Some(value.nodes).filter(|n| *n > 0).map(|n| format!("nodes={n}")));
        words.extend(value.score.map(|score| format!("score={score}")));
        words.extend(value.mate.map(|(side, plies)| format!("mate={}:{plies}", side.name())));
        words.extend(Some(&value.line).filter(|l| !l.is_empty()).map(|l| format!("line={}", format_points(size, l))));
    }
    words.extend(node.time.map(|time| format!("time={}", time.as_millis())));
    words.extend(Some(blocked).filter(|b| !b.is_empty()).map(|b| format!("blocked={}", format_points(size, b))));
    words
}

/// A property with a list of points, or `None` if the list is empty.
fn list(name: &'static str, points: impl Iterator<Item = Point>) -> Option<Property<'static>> {
    let points: String = points.map(|point| format!("[{}]", letters(point))).collect();
    Some((name, points)).filter(|(_, points)| !points.is_empty())
}

fn colour(side: Side) -> &'static str {
    match side {
        Side::Black => "B",
        Side::White => "W",
    }
}
