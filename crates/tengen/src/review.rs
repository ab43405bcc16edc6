//! Reviews as `tengen analyze` prints and writes them.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{Write, stdout};
use std::path::Path;
use tengen::engine::{Engine, Limits, Rule, Side, StopToken};
use tengen_analysis::chart;
use tengen_analysis::export::{ReviewJson, Reviewed, review_sgf};
use tengen_analysis::load::{ASSUMED, Loaded, MOVES, draw};
use tengen_analysis::report::{panel, text};
use tengen_analysis::review::{Played, Review, Settings, review};

/// Width of a report that does not go to a terminal, in columns.
const WIDTH: usize = 100;

/// A review with its name (if there are several), its game, and why its rule may be wrong.
pub type Named<'a> = (String, Review, &'a Loaded, Option<String>);

/// Reviews a game by a rule and prints the report; `assumed` is the reason why the rule may be wrong.
pub fn run(
    json: bool,
    engine: &mut Engine,
    game: &Loaded,
    (rule, assumed): (Rule, Option<&str>),
    limits: Option<Limits>,
    stop: &StopToken,
) -> Result<Review> {
    let played = Played { rule, setup: game.setup.clone(), first: game.first };
    let settings = limits.map_or_else(Settings::default, |limits| Settings { limits, ..Settings::default() });
    if !json {
        head(game, &played, assumed)?;
    }
    // The bar is hidden if standard error is not a terminal.
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("reviewing {wide_bar} {pos}/{len} {eta} left")?);
    let found = review(engine, &played, &settings, stop, &mut |progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    })?;
    bar.finish_and_clear();
    let mut out = stdout().lock();
    if json {
        serde_json::to_writer(&mut out, &ReviewJson::new(&found, assumed))?;
        writeln!(out)?;
    } else {
        let width = console::Term::stdout().size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns));
        writeln!(out, "{}", text(&found, width))?;
    }
    Ok(found)
}

/// Prints the final board, the moves and the outcome.
fn head(game: &Loaded, played: &Played, assumed: Option<&str>) -> Result<()> {
    let mut out = stdout().lock();
    if let Some(assumed) = assumed {
        writeln!(out, "{ASSUMED}{assumed}")?;
    }
    let setup = &game.setup;
    writeln!(out, "{}", draw(setup, &[]))?;
    let rule = played.rule;
    writeln!(out, "{rule}, move {}, {} to move", setup.stones.len() + 1, setup.to_move.name())?;
    if let Some(labels) = game.labels() {
        writeln!(out, "{MOVES}{labels}")?;
    }
    let (end, outcome) = played.ending()?;
    let ending = match (outcome, &game.result) {
        (Some(outcome), _) => outcome.to_string(),
        (None, Some(result)) => format!("result {result}"),
        (None, None) => "not finished".to_owned(),
    };
    writeln!(out, "{ending}")?;
    if end < setup.stones.len() {
        writeln!(out, "the game is over after move {end}; later moves are not judged")?;
    }
    writeln!(out)?;
    Ok(())
}

/// Draws the score graphs of all reviews, one below the other.
pub fn draw_graphs(path: &Path, reviews: &[Named<'_>]) -> Result<()> {
    let title = |(name, review, game, _): &Named<'_>| {
        let names = &game.names;
        let known = Side::BOTH.into_iter().all(|side| !names[side].is_empty());
        let players = if known { format!(", {} - {}", names[Side::Black], names[Side::White]) } else { String::new() };
        let outcome = review.outcome.as_ref().map_or(String::new(), |outcome| format!(": {outcome}"));
        let name = if name.is_empty() { "Black's win probability" } else { name };
        format!("{name}{players}{outcome}")
    };
    let panels: Vec<_> = reviews.iter().map(|named| panel(&named.1, &title(named))).collect();
    chart::draw(path, &panels).map_err(anyhow::Error::msg).with_context(|| path.display().to_string())
}

/// Writes all reviews as one SGF collection.
pub fn write_sgf(path: &Path, reviews: &[Named<'_>]) -> Result<()> {
    let text = |(_, review, game, assumed): &Named<'_>| {
        let (result, assumed) = (game.result.as_deref(), assumed.as_deref());
        review_sgf(review, &Reviewed { names: &game.names, result, passes: &game.passes, assumed })
    };
    std::fs::write(path, reviews.iter().map(text).collect::<String>()).with_context(|| path.display().to_string())
}
