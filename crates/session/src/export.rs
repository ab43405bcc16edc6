//! The shown game as a file: in the formats of other programs, as a picture, and as JSON for scripts; and its review.

use crate::json::ValueForm;
use crate::reply::Download;
use serde_json::{Value as Json, json};
use std::time::Duration;
use tengen::board::{Grid, Point, Setup, Side, format_point};
use tengen::rules::forbidden_points;
use tengen_analysis::analyze::{ended, winning_row};
use tengen_analysis::animation::{Animation, animation_gif};
use tengen_analysis::chart;
use tengen_analysis::export::{ReviewJson, Reviewed, review_sgf};
use tengen_analysis::picture::{Picture, board_svg};
use tengen_analysis::report::panel;
use tengen_analysis::review::Review;
use tengen_record::{self as record, Format, NodeId, Record, Tree};

/// Names of the formats, as clients request them.
pub const FORMATS: [&str; 12] =
    ["sgf", "psq", "pos", "sav", "text", "svg", "gif", "gif_rest", "json", "review_sgf", "review_svg", "review_json"];

/// What to write.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The game.
    pub record: Record,
    /// The shown node: pictures show it, and formats without variations contain the line to it.
    pub node: NodeId,
    /// The finished review of the game.
    pub review: Option<Review>,
}

/// Why no file was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The format is unknown.
    Unknown,
    /// There is no finished review.
    NoReview,
    /// The format cannot represent the game; the text says why.
    Unfit(String),
}

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExportError::Unknown => write!(f, "no such format; there are {}", FORMATS.join(", ")),
            ExportError::NoReview => write!(f, "there is no finished review of this game"),
            ExportError::Unfit(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ExportError {}

/// Writes the file.
///
/// # Errors
/// See [`ExportError`].
pub fn export(format: &str, shown: &Shown) -> Result<Download, ExportError> {
    let Shown { record, node, review } = shown;
    let kept = |form| record::write(record, *node, form).map_err(|e| ExportError::Unfit(e.to_string()));
    let review = || review.as_ref().ok_or(ExportError::NoReview);
    let unfit = ExportError::Unfit;
    let (name, content_type, bytes) = match format {
        "sgf" => ("game.sgf", SGF, kept(Format::Sgf)?),
        "psq" => ("game.psq", TEXT, kept(Format::Psq)?),
        "pos" => ("game.pos", BYTES, kept(Format::Pos)?),
        "sav" => ("game.sav", TEXT, kept(Format::Sav)?),
        "text" => ("game.txt", TEXT, [kept(Format::Labels)?, b"\n".to_vec()].concat()),
        "svg" => ("board.svg", SVG, picture(record, *node).map_err(unfit)?.into_bytes()),
        "gif" => ("game.gif", GIF, moving(record, *node, Tree::ROOT)?),
        "gif_rest" => ("line.gif", GIF, moving(record, *node, *node)?),
        "json" => ("game.json", JSON, pretty(&tree(record, *node))?),
        "review_sgf" => {
            let passes = record.passes(record.end());
            let result = record.result.as_deref();
            let assumed = record.rule_doubt.as_deref();
            let text = review_sgf(review()?, &Reviewed { names: &record.names, result, passes: &passes, assumed });
            ("review.sgf", SGF, text.into_bytes())
        }
        "review_svg" => {
            let panel = panel(review()?, &title(record));
            ("review.svg", SVG, chart::svg(&[panel]).map_err(unfit)?.into_bytes())
        }
        "review_json" => ("review.json", JSON, pretty(&ReviewJson::new(review()?, record.rule_doubt.as_deref()))?),
        _ => return Err(ExportError::Unknown),
    };
    Ok(Download { name: name.to_owned(), content_type, bytes })
}

const SGF: &str = "application/x-go-sgf";
const TEXT: &str = "text/plain; charset=utf-8";
const BYTES: &str = "application/octet-stream";
const SVG: &str = "image/svg+xml";
const GIF: &str = "image/gif";
const JSON: &str = "application/json";

/// Time of a move in an animation.
const PACE: Duration = Duration::from_millis(900);

fn pretty(value: &impl serde::Serialize) -> Result<Vec<u8>, ExportError> {
    serde_json::to_vec_pretty(value).map_err(|e| ExportError::Unfit(e.to_string()))
}

/// The title of a review's graph.
fn title(record: &Record) -> String {
    let [black, white] = record.names.0.each_ref();
    let known = !black.is_empty() && !white.is_empty();
    if known { format!("{black} - {white}") } else { "Black's win probability".to_owned() }
}

/// The board at a node.
fn picture(record: &Record, node: NodeId) -> Result<String, String> {
    let setup = record.setup(node);
    let rule = record.rule.unwrap_or_default();
    let forbidden = match rule.restricted_side() {
        Some(side) if side == setup.to_move && ended(&setup, rule).is_none() => {
            forbidden_points(&Grid::from_setup(&setup))
        }
        _ => Vec::new(),
    };
    let row = winning_row(&setup, rule);
    let first = record.start.stones.len().min(setup.stones.len());
    board_svg(&Picture { setup: &setup, first, forbidden: &forbidden, moves: &[], row: &row })
}

/// The line through a node as an animation that starts at another node of the line.
fn moving(record: &Record, node: NodeId, from: NodeId) -> Result<Vec<u8>, ExportError> {
    let end = record.tree.main_line(node).last().copied().unwrap_or(node);
    let (setup, rule) = (record.setup(end), record.rule.unwrap_or_default());
    let (unnumbered, first) = (record.start.stones.len(), record.setup(from).stones.len());
    if first >= setup.stones.len() {
        return Err(ExportError::Unfit("no moves follow this position".to_owned()));
    }
    let row = winning_row(&setup, rule);
    let animation = Animation { setup: &setup, unnumbered, first, row: &row, pace: PACE };
    animation_gif(&animation).map_err(ExportError::Unfit)
}

/// The whole game as JSON for scripts.
fn tree(record: &Record, node: NodeId) -> Json {
    let size = record.start.size;
    let label = |point: Point| format_point(size, point);
    let stones = |setup: &Setup| -> Vec<Json> {
        setup.stones.iter().map(|(point, side)| json!({"at": label(*point), "side": side.name()})).collect()
    };
    let nodes = record.tree.ids().filter_map(|id| {
        let node = record.tree.get(id)?;
        let mut json = json!({"node": id.0, "parent": node.parent.map(|parent| parent.0)});
        if let Some((point, side)) = node.stone {
            json["at"] = label(point).into();
            json["side"] = side.name().into();
        }
        if let Some(side) = node.pass {
            json["pass"] = side.name().into();
        }
        if !node.comment.is_empty() {
            json["comment"] = node.comment.as_str().into();
        }
        if let Some(time) = node.time {
            json["ms"] = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into();
        }
        if let Some(value) = &node.value {
            json["value"] = serde_json::to_value(ValueForm::from(value)).unwrap_or_default();
        }
        Some(json)
    });
    let line: Vec<u32> = record.tree.path(node).into_iter().map(|id| id.0).collect();
    json!({
        "rule": record.rule.unwrap_or_default().name(),
        "size": [size.width(), size.height()],
        "names": {"black": record.names[Side::Black], "white": record.names[Side::White]},
        "result": record.result,
        "start": {
            "stones": stones(&record.start),
            "blocked": record.start.blocked.iter().map(|point| label(*point)).collect::<Vec<_>>(),
            "to_move": record.start.to_move.name(),
        },
        "nodes": nodes.collect::<Vec<_>>(),
        "line": line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::{BoardSize, parse_point, parse_points};
    use tengen::engine::{Engine, Limits, Options, StopToken};
    use tengen::rules::Rule;
    use tengen_analysis::review::{Played, Settings, review};

    fn shown(rule: Rule, labels: &str) -> Shown {
        let size = BoardSize::RENJU;
        let mut record =
            Record::from_moves(Some(rule), Setup::empty(size), parse_points(size, labels).expect("labels"));
        record.names[Side::Black] = "A & B".to_owned();
        record.names[Side::White] = "<script>".to_owned();
        let node = record.end();
        Shown { record, node, review: None }
    }

    fn text(format: &str, shown: &Shown) -> String {
        let file = export(format, shown).unwrap_or_else(|e| panic!("{format}: {e}"));
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        assert!(file.name.chars().all(plain), "{}", file.name);
        String::from_utf8_lossy(&file.bytes).into_owned()
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        let shown = shown(Rule::Freestyle, "h8i9h9i8");
        for (format, name) in [("sgf", "a.sgf"), ("psq", "a.psq"), ("pos", "a.pos"), ("sav", "a.sav"), ("text", "")] {
            let file = export(format, &shown).expect(format);
            let name = Some(name).filter(|name| !name.is_empty());
            let read = record::read(&file.bytes, name, BoardSize::RENJU).expect(format);
            let setup = read[0].setup(read[0].end());
            assert_eq!(setup, shown.record.setup(shown.node), "{format}");
        }
    }

    #[test]
    fn the_picture_is_of_the_shown_node() {
        let mut shown = shown(Rule::Freestyle, "h8i9h9i8");
        let all = text("svg", &shown);
        shown.node = shown.record.tree.path(shown.node)[1];
        let fewer = text("svg", &shown);
        let stones = |svg: &str| svg.matches("<circle").count();
        assert_eq!(stones(&all) - stones(&fewer), 4, "two circles a stone");
    }

    #[test]
    fn json_tells_the_whole_tree() {
        let mut shown = shown(Rule::Renju, "h8i9h9");
        let first = shown.record.tree.path(shown.node)[0];
        let branch = shown.record.tree.add(first, parse_point(BoardSize::RENJU, "a1").unwrap(), Side::White);
        let json: Json = serde_json::from_str(&text("json", &shown)).expect("JSON");
        assert_eq!(json["nodes"].as_array().map(Vec::len), Some(5));
        assert_eq!(json["nodes"][4]["parent"], first.0);
        assert_eq!((json["nodes"][4]["at"].as_str(), branch.0), (Some("a1"), 4));
        assert_eq!((json["rule"].as_str(), json["line"].as_array().map(Vec::len)), (Some("renju"), Some(3)));
    }

    #[test]
    fn reviews_are_written_once_there_is_one() {
        let mut shown = shown(Rule::Freestyle, "h8a1i8a15j8o1g8o15k8");
        for format in ["review_sgf", "review_svg", "review_json"] {
            assert_eq!(export(format, &shown), Err(ExportError::NoReview));
        }
        let mut engine = Engine::new(Options { hash: Some(1 << 20), ..Options::default() });
        let setup = shown.record.setup(shown.node);
        let played = Played { rule: Rule::Freestyle, setup, first: 0 };
        let settings = Settings { limits: Limits::nodes(500), ..Settings::default() };
        shown.review = review(&mut engine, &played, &settings, &StopToken::new(), &mut |_| {}).ok();
        assert!(text("review_sgf", &shown).contains("V["));
        let svg = text("review_svg", &shown);
        assert!(svg.starts_with("<svg") && !svg.contains("<script>"), "names are text");
        let json: Json = serde_json::from_str(&text("review_json", &shown)).expect("JSON");
        assert_eq!(json["moves"].as_array().map(Vec::len), Some(9));
    }

    #[test]
    fn what_cannot_be_written_is_refused_in_words() {
        let wide = Setup::empty(BoardSize::new(20, 12).unwrap());
        let record = Record::new(None, wide);
        let shown = Shown { node: record.end(), record, review: None };
        assert!(matches!(export("pos", &shown), Err(ExportError::Unfit(_))));
        assert_eq!(export("doc", &shown), Err(ExportError::Unknown));
        for format in FORMATS {
            assert_ne!(export(format, &shown), Err(ExportError::Unknown), "{format}");
        }
    }
}
