//! `tengen gomocup`: the engine of the protocol, with a database of positions or at a level of play.

use crate::play::random_seed;
use anyhow::{Context, Result};
use std::io::{stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use tengen::board::{Cell, Point, Setup};
use tengen::engine::loader::Loader;
use tengen::engine::{Bound, Line, Proven, Score};
use tengen::protocol::database::{self as protocol, Edit, Filter, Record};
use tengen::protocol::shell::{self, Beside, Decider};
use tengen::rules::Rule;
use tengen_analysis::random::Random;
use tengen_database::{
    Access, Changes, Entry, Evaluation, Explored, Filter as Sources, Kind, Move, Place, Source, SourceId, Summary,
    View, explore, proof, proven,
};
use tengen_record::Mark;
use tengen_session::level::{Level, by_number};
use tengen_session::work::level::Player;

pub const EXAMPLES: &str = "\
Examples:
  tengen gomocup --database positions.tdb           (what is proven there is played without a search)
  tengen gomocup --database positions.tdb --write   (a board may edit it, and searches are stored)
  tengen gomocup --level 4                          (a level of the board, for another board or a match)

It speaks the protocol as pbrain-tengen does. In Yixin-Board it answers the commands of the database.";

/// The name of the source of what a person edits in a board.
const EDITS: &str = "edited in a board";

/// The score of a win at once in Yixin-Board's records.
const MATE: i32 = 30_000;

/// Options of `tengen gomocup`.
#[derive(clap::Args)]
pub struct GomocupArgs {
    /// Database of positions; --write makes it if the file does not exist
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// Let boards edit the database, and store what searches find
    #[arg(long)]
    write: bool,
    /// Play at a level of the board, 1 to 10, instead of full strength; its moves neither use nor fill the database
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=10))]
    level: Option<u8>,
    /// Seed of the level's choices [default: a random one]
    #[arg(long, requires = "level")]
    seed: Option<u64>,
    /// Evaluation: a network of `tengen train`, weights of `tengen tune`, or `classical` [default: the built-in
    /// network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

/// Runs `tengen gomocup`.
pub fn main(args: &GomocupArgs) -> Result<ExitCode> {
    let mut loader = Loader::default();
    let evaluation = loader.read_or_default(args.weights.as_deref())?;
    let mut positions = Positions { path: None, access: Access::Closed, writes: args.write };
    if let Some(path) = &args.database {
        protocol::Database::open(&mut positions, path).map_err(anyhow::Error::msg)?;
    }
    let positions = Arc::new(Mutex::new(positions));
    let database: protocol::Shared = Arc::<Mutex<Positions>>::clone(&positions);
    let decider = args.level.and_then(by_number).map(|level| at_level(level, args.seed, evaluation.clone()));
    let beside = Beside { database: Some(database), decider };
    shell::run(stdin(), stdout().lock(), evaluation, shell::reading(loader), beside).context("protocol")?;
    // A search may still run, but what it would store is not wanted any more.
    positions.lock().unwrap_or_else(PoisonError::into_inner).access = Access::Closed;
    Ok(ExitCode::SUCCESS)
}

/// Plays a level of the board.
fn at_level(level: &'static Level, seed: Option<u64>, evaluation: tengen::engine::Evaluation) -> Decider {
    let mut player = Player::new(evaluation);
    let mut random = Random::new(&[seed.unwrap_or_else(random_seed)]);
    Box::new(move |request, stop| player.decide(request, level, &mut random, stop))
}

/// The database of the protocol.
struct Positions {
    path: Option<PathBuf>,
    access: Access,
    writes: bool,
}

/// The source of what a person edits in a board. Its values never count as proofs.
fn edits() -> Source {
    let mut source = Source::new(EDITS, Kind::Positions, String::new());
    source.progress.is_complete = true;
    source
}

impl Positions {
    fn reopen(&mut self) -> Result<(), String> {
        let Some(path) = &self.path else { return Ok(()) };
        self.access.reopen(path, self.writes).map_err(|error| error.to_string())
    }

    /// The database as it is now; `None` without one.
    fn view(&self) -> Result<Option<View>, String> {
        self.access.view().map_err(|error| error.to_string())
    }

    /// What all sources say about a position and its moves, and what a person said in a board.
    fn explored(&self, setup: &Setup, rule: Rule) -> Result<Option<[Explored; 2]>, String> {
        let Some(view) = self.view()? else { return Ok(None) };
        let edited = Sources::of(&view, |_, source| source.name == EDITS);
        let found = |filter: &Sources| explore(&view, setup, rule, filter).map_err(|error| error.to_string());
        let all = found(&Sources::ALL)?;
        Ok(Some([all, if edited.is_empty() { Explored::default() } else { found(&edited)? }]))
    }

    fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Changes<'_>, SourceId) -> Result<T, tengen_database::Error>,
    ) -> Result<T, String> {
        let Access::Writer(known) = &mut self.access else {
            return Err(
                "it is open for reading only; `tengen gomocup --write` or INFO database_readonly 0 changes that"
                    .to_owned(),
            );
        };
        let changed = known.write(|changes| {
            let source = changes.own_source(&edits())?;
            change(changes, source)
        });
        changed.map_err(|error| error.to_string())
    }

    /// The positions behind a position that a deletion removes.
    fn doomed(&self, setup: &Setup, rule: Rule, filter: &Filter) -> Result<Vec<Setup>, String> {
        let (mut waiting, mut seen, mut doomed) = (vec![setup.clone()], std::collections::HashSet::new(), Vec::new());
        while let Some(setup) = waiting.pop() {
            let Some([all, edited]) = self.explored(&setup, rule)? else { break };
            for m in &all.moves {
                let after = setup.after(m.point);
                let place = Place::of(&after, rule).map_err(|error| error.to_string())?;
                if seen.insert(place.key) {
                    let is_doomed = selects(filter, value_after(m, &edited).as_ref());
                    if is_doomed || filter.recursive {
                        waiting.push(after.clone());
                    }
                    doomed.extend(is_doomed.then_some(after));
                }
            }
        }
        Ok(doomed)
    }
}

/// The value of the position after a move: a person's, or the best one.
fn value_after(m: &Move, edited: &Explored) -> Option<Evaluation> {
    by_hand(m, edited).and_then(|after| after.evaluation).or(m.after.evaluation)
}

/// What a person said in a board about the position after a move.
fn by_hand<'a>(m: &Move, edited: &'a Explored) -> Option<&'a Summary> {
    edited.moves.iter().find(|other| other.point == m.point).map(|m| &m.after)
}

/// Whether a filter selects a position with this value.
fn selects(filter: &Filter, evaluation: Option<&Evaluation>) -> bool {
    let (sign, plies) = sign(evaluation);
    let has_label = sign.is_some_and(|sign| filter.labels.contains(sign));
    match filter.within {
        Some(0) => has_label && plies.is_none(),
        Some(most) => has_label && plies.is_some_and(|plies| plies <= most),
        None => has_label != filter.others,
    }
}

/// The label of a position: `w`, `l` or `d` for the side that moved last, and the plies from its move to the end, if
/// known.
fn sign(evaluation: Option<&Evaluation>) -> (Option<char>, Option<u32>) {
    let Some(evaluation) = evaluation.filter(|evaluation| evaluation.is_proof()) else {
        let is_draw =
            |e: &&Evaluation| e.score == Score::ZERO && e.bound == Bound::Exact && e.depth == 0 && e.nodes == 0;
        return (evaluation.filter(is_draw).map(|_| 'd'), None);
    };
    let plies =
        evaluation.score.distance().map(i32::unsigned_abs).filter(|plies| *plies < Score::MAX_PLY.unsigned_abs());
    (Some(if evaluation.score.is_win() { 'l' } else { 'w' }), plies.map(|plies| plies + 1))
}

/// The record of a position for a board. A comment that a person wrote there replaces all others: it was edited from
/// them.
fn record(summary: &Summary, edited: Option<&Summary>, evaluation: Option<Evaluation>) -> Record {
    let texts = edited.map(|edited| &edited.texts).filter(|texts| !texts.is_empty()).unwrap_or(&summary.texts);
    let text = texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    let Some(evaluation) = evaluation else { return Record { label: -1, text, ..Record::default() } };
    let (sign, plies) = sign(Some(&evaluation));
    let value = match evaluation.score.distance() {
        Some(plies) if evaluation.score.is_win() => MATE - plies.abs().min(500),
        Some(plies) => plies.abs().min(500) - MATE,
        None => evaluation.score.raw(),
    };
    let shown = match (sign, plies) {
        (Some('d'), _) => "d".to_owned(),
        (Some(sign), Some(plies)) => format!("{sign}{plies}"),
        (Some(sign), None) => format!("{sign}*"),
        // The chances of the side that moved last.
        (None, _) => format!("{:.0}%", (99.0 * (1.0 - evaluation.score.win_rate())).round()),
    };
    let bound = evaluation.bound as u8;
    Record { label: sign.map_or(-1, |sign| sign as i32), shown, value, depth: evaluation.depth, bound, text }
}

/// The value of an edited record.
fn edited(old: Option<Evaluation>, mask: i64, label: i64, value: i64, depth: i64) -> Option<Evaluation> {
    let depth_of = |old: u32| if mask & 4 == 0 { old } else { u32::try_from(depth.max(0)).unwrap_or(u32::MAX) };
    let was = old.unwrap_or(Evaluation { score: Score::ZERO, bound: Bound::Exact, depth: 0, nodes: 0 });
    let raw = i32::try_from(value).unwrap_or(0).clamp(-MATE, MATE);
    let of_value = || match MATE - raw.abs() {
        plies @ 0..500 if raw > 0 => Score::win_in(plies),
        plies @ 0..500 => Score::loss_in(plies),
        _ => Score::units(raw),
    };
    let valued = if mask & 2 == 0 { was.score } else { of_value() };
    let sign = u8::try_from(label).map_or(' ', |label| char::from(label).to_ascii_lowercase());
    let (score, bound) = match sign {
        _ if mask & 1 == 0 => (valued, was.bound),
        'w' if !valued.is_loss() => (Score::loss_in(Score::MAX_PLY), Bound::Upper),
        'l' if !valued.is_win() => (Score::win_in(Score::MAX_PLY), Bound::Lower),
        'd' => (Score::ZERO, Bound::Exact),
        _ => (valued, Bound::Exact),
    };
    let is_cleared = mask & 3 == 3 && label <= 0 && value == 0;
    (!is_cleared).then(|| Evaluation { score, bound, depth: depth_of(was.depth), nodes: 0 })
}

impl protocol::Database for Positions {
    fn open(&mut self, file: &Path) -> Result<(), String> {
        self.path = Some(file.to_owned());
        self.reopen()
    }

    fn allow_changes(&mut self, on: bool) -> Result<(), String> {
        if self.writes == on {
            return Ok(());
        }
        self.writes = on;
        self.reopen()
    }

    fn proven(&mut self, setup: &Setup, rule: Rule) -> Result<Proven, String> {
        let Some(view) = self.view()? else { return Ok(Proven::default()) };
        proven(&view, setup, rule).map_err(|error| error.to_string())
    }

    fn found(&mut self, setup: &Setup, rule: Rule, line: &Line, is_of_all: bool) -> Result<(), String> {
        let Access::Writer(known) = &mut self.access else { return Ok(()) };
        known.store_lines(setup, rule, std::slice::from_ref(line), is_of_all).map_err(|error| error.to_string())
    }

    fn moves(&mut self, setup: &Setup, rule: Rule) -> Result<Vec<(Point, Option<Record>, String)>, String> {
        let Some([found, edited]) = self.explored(setup, rule)? else { return Ok(Vec::new()) };
        let label = |point: Point| {
            let is_here = |(at, mark): &&(Point, Mark)| *at == point && matches!(mark, Mark::Label(_));
            let marks = edited.position.marks.iter().chain(&found.position.marks);
            let mark = marks.into_iter().find(is_here).map(|(_, mark)| mark);
            if let Some(Mark::Label(text)) = mark { text.clone() } else { String::new() }
        };
        let known = |point: Point| {
            let m = found.moves.iter().find(|m| m.point == point || m.images.contains(&point))?;
            Some(record(&m.after, by_hand(m, &edited), value_after(m, &edited)))
        };
        let empty = setup.size.points().filter(|point| setup.cell(*point) == Cell::Empty);
        let rows = empty.map(|point| (point, known(point), label(point)));
        Ok(rows.filter(|(_, record, text)| record.is_some() || !text.is_empty()).collect())
    }

    fn record(&mut self, setup: &Setup, rule: Rule) -> Result<Option<Record>, String> {
        let Some([found, edited]) = self.explored(setup, rule)? else { return Ok(None) };
        let best = proof(&found).map(|(evaluation, _)| evaluation).or(found.position.evaluation);
        let evaluation = edited.position.evaluation.or(best);
        let is_known = !found.position.is_empty() || evaluation.is_some();
        Ok(is_known.then(|| record(&found.position, Some(&edited.position), evaluation)))
    }

    fn edit(&mut self, setup: &Setup, rule: Rule, edit: &Edit) -> Result<u64, String> {
        let place = Place::of(setup, rule).map_err(|error| error.to_string())?;
        let doomed = match edit {
            Edit::DeleteAll(filter) if matches!(self.access, Access::Writer(_)) => self.doomed(setup, rule, filter)?,
            _ => Vec::new(),
        };
        self.change(|changes, source| {
            let mut update =
                |change: &dyn Fn(&mut Entry)| changes.update(&place, source, |entry| change(entry)).map(|_| 1);
            match edit {
                Edit::Record { mask, label, value, depth } => update(&|entry| {
                    entry.evaluation = edited(entry.evaluation, *mask, *label, *value, *depth);
                }),
                Edit::Comment(text) => update(&|entry| entry.text.clone_from(text)),
                Edit::Label(point, text) => update(&|entry| {
                    entry.marks.retain(|(at, _)| at != point);
                    entry.marks.extend((!text.is_empty()).then(|| (*point, Mark::Label(text.clone()))));
                }),
                Edit::Delete => changes.remove(&place),
                Edit::DeleteAll(_) => {
                    let mut count = 0;
                    for setup in &doomed {
                        changes.remove(&Place::of(setup, rule)?)?;
                        count += 1;
                    }
                    Ok(count)
                }
            }
        })
    }
}
