//! `tengen database query` and `stats`.

use super::{Position, Sources, count};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tengen::board::{format_point, point_labels};
use tengen::engine::{BoardSize, Bound, Rule, Score, Setup};
use tengen_analysis::load::draw;
use tengen_database::{Counts, Database, Evaluation, Explored, Summary, View, explore, proof, statistics};

/// Options of `tengen database query`.
#[derive(clap::Args)]
pub struct QueryArgs {
    /// Database
    database: PathBuf,
    #[command(flatten)]
    position: Position,
    #[command(flatten)]
    sources: Sources,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `tengen database query`.
pub fn query(args: &QueryArgs) -> Result<ExitCode> {
    let view = Database::open(&args.database)?.view()?;
    let (setup, rule) = args.position.find(&view)?;
    let filter = args.sources.filter(&view)?;
    let found = explore(&view, &setup, rule, &filter)?;
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", json_of(&view, &setup, rule, &found))?;
    } else {
        print(&mut out, &view, &setup, rule, &found)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A value of the side to move in words.
fn value_text(evaluation: &Evaluation) -> String {
    let bound = match evaluation.bound {
        Bound::Exact => "",
        Bound::Lower => ">=",
        Bound::Upper => "<=",
    };
    match evaluation.score.distance() {
        Some(plies) if plies.abs() == Score::MAX_PLY => {
            (if evaluation.score.is_win() { "win" } else { "loss" }).to_owned()
        }
        _ => format!("{bound}{}", evaluation.score),
    }
}

fn counts_text(counts: Counts) -> String {
    let Counts { games, black, white, draws } = counts;
    format!("{}: black {black}, white {white}, draws {draws}", count(games.into(), "game"))
}

fn print(out: &mut dyn Write, view: &View, setup: &Setup, rule: Rule, found: &Explored) -> std::io::Result<()> {
    let size = setup.size;
    writeln!(out, "{}", draw(setup, &[]))?;
    writeln!(out, "{rule}, move {}, {} to move", setup.stones.len() + 1, setup.to_move.name())?;
    if found.position.is_empty() && found.moves.is_empty() {
        return writeln!(out, "unknown");
    }
    if found.position.counts.games > 0 {
        writeln!(out, "{}", counts_text(found.position.counts))?;
    }
    if let Some((evaluation, best)) = proof(found) {
        let best = best.map_or(String::new(), |point| format!(", best move {}", format_point(size, point)));
        writeln!(out, "proven: {}{best}", value_text(&evaluation))?;
    } else if let Some(evaluation) = &found.position.evaluation {
        let best =
            found.position.best.map_or(String::new(), |point| format!(", best move {}", format_point(size, point)));
        writeln!(out, "value {} at depth {}{best}", value_text(evaluation), evaluation.depth)?;
    }
    texts(out, view, &found.position)?;
    if !found.moves.is_empty() {
        writeln!(out, "\nmove    games  black  white  draws    value  depth  text")?;
    }
    for m in &found.moves {
        let Counts { games, black, white, draws } = m.after.counts;
        let value = m.evaluation();
        let depth = value.map_or(String::new(), |value| value.depth.to_string());
        let value = value.as_ref().map_or(String::new(), value_text);
        let text = m.after.texts.first().and_then(|(_, text)| text.lines().next()).unwrap_or_default();
        let label = format_point(size, m.point);
        let row = format!("{label:<6}{games:>7}{black:>7}{white:>7}{draws:>7}{value:>9}{depth:>7}  {text}");
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

fn texts(out: &mut dyn Write, view: &View, position: &Summary) -> std::io::Result<()> {
    for (source, text) in &position.texts {
        let name = view.sources().get(source).map_or("", |source| source.name.as_str());
        writeln!(out, "{name}: {text}")?;
    }
    Ok(())
}

fn json_of(view: &View, setup: &Setup, rule: Rule, found: &Explored) -> Value {
    let size = setup.size;
    let value = |evaluation: Option<Evaluation>| {
        evaluation.map(|e| {
            let bound = match e.bound {
                Bound::Exact => "exact",
                Bound::Lower => "lower",
                Bound::Upper => "upper",
            };
            json!({ "score": e.score.to_string(), "win_rate": e.score.win_rate(), "bound": bound, "proven": e.is_proof(),
                "depth": e.depth, "nodes": e.nodes })
        })
    };
    let counts = |counts: Counts| json!({ "games": counts.games, "black": counts.black, "white": counts.white, "draws": counts.draws });
    let name = |source: &u32| view.sources().get(source).map(|source| source.name.clone());
    let texts = |summary: &Summary| {
        summary.texts.iter().map(|(source, text)| json!({ "source": name(source), "text": text })).collect::<Vec<_>>()
    };
    let moves = found.moves.iter().map(|m| {
        json!({ "move": format_point(size, m.point), "images": point_labels(size, &m.images),
            "counts": counts(m.after.counts), "value": value(m.evaluation()), "visits": m.after.visits,
            "texts": texts(&m.after), "sources": m.after.sources.iter().map(name).collect::<Vec<_>>() })
    });
    let position = &found.position;
    json!({ "rule": rule.name(), "board": size.to_string(), "counts": counts(position.counts),
        "value": value(position.evaluation), "best": position.best.map(|point| format_point(size, point)),
        "proof": value(proof(found).map(|(evaluation, _)| evaluation)), "texts": texts(position),
        "sources": position.sources.iter().map(name).collect::<Vec<_>>(), "moves": moves.collect::<Vec<_>>() })
}

/// Runs `tengen database stats`.
pub fn stats(path: &Path, json: bool) -> Result<ExitCode> {
    let bytes = std::fs::metadata(path).map_or(0, |data| data.len());
    let view = Database::open(path)?.view()?;
    let found = statistics(&view)?;
    let mut boards: Vec<(Rule, BoardSize, u64)> =
        found.of_board.iter().map(|((rule, size), count)| (*rule, *size, *count)).collect();
    boards.sort_by_key(|(_, size, count)| (std::cmp::Reverse(*count), size.width(), size.height()));
    let entries = |source: &u32| found.of_source.get(source).copied().unwrap_or(0);
    let mut out = stdout().lock();
    if json {
        let sources = view.sources().iter().map(|(id, source)| {
            json!({ "number": id, "name": source.name, "kind": source.kind.name(), "positions": entries(id),
                "games": source.games, "skipped": source.skipped, "complete": source.progress.is_complete })
        });
        let boards = boards
            .iter()
            .map(|(rule, size, count)| json!({ "rule": rule.name(), "board": size.to_string(), "positions": count }));
        let all = json!({ "positions": found.positions, "entries": found.entries, "values": found.values,
            "proofs": found.proofs, "texts": found.texts, "bytes": bytes, "boards": boards.collect::<Vec<_>>(),
            "sources": sources.collect::<Vec<_>>() });
        writeln!(out, "{all}")?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "{} positions in {:.1} MB: {} with a value, {} of them proven, {} with a comment",
        found.positions,
        bytes as f64 / 1e6,
        found.values,
        found.proofs,
        found.texts
    )?;
    for (rule, size, count) in boards {
        writeln!(out, "{rule} {size}: {count}")?;
    }
    writeln!(out, "\n{:>5}  {:<10} {:>10} {:>10} {:>9}  name", "no.", "kind", "positions", "games", "left out")?;
    for (id, source) in view.sources() {
        let is_own = source.kind.is_own();
        let state = if source.progress.is_complete || is_own { "" } else { " (not complete)" };
        writeln!(
            out,
            "{id:>5}  {:<10} {:>10} {:>10} {:>9}  {}{state}",
            source.kind.name(),
            entries(id),
            source.games,
            source.skipped,
            source.name
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
