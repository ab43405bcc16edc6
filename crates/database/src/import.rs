//! Imports: games, libraries and databases of other programs become entries of a source.
//!
//! What was taken and how far the import has come are committed together, so that an import that was killed goes on
//! where it was, and nothing counts twice. A file that was imported before is known by its checksum.

use crate::entry::{Counts, Entry, Evaluation};
use crate::error::Error;
use crate::key::{Key, Place};
use crate::source::{Kind, Source, SourceId, checksum};
use crate::store::Database;
use crate::yixin;
use std::collections::{HashMap, HashSet};
use tengen::board::{BoardSize, Setup, Side};
use tengen::engine::{Bound, Score};
use tengen::rules::{Rule, any_winner};
use tengen::score::ODDS_UNIT;
use tengen_record::{Node, NodeId, Record, Tree, Value, visit};

/// Entries that are committed together.
const BATCH: usize = 20_000;
/// Longest comment of an entry, in bytes. Games share their first positions, and with them thousands of comments.
const LONGEST_TEXT: usize = 4 << 10;
/// Reasons that a report lists one by one.
const LISTED: usize = 20;

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Games taken, in this and earlier runs.
    pub games: u64,
    /// Entries taken in this run, before those of one position are joined.
    pub positions: u64,
    /// Games or positions that were left out, in this and earlier runs.
    pub skipped: u64,
    /// The first reasons for that in this run, and other remarks on the file, each a sentence for people.
    pub remarks: Vec<String>,
    /// Comments that were left out because their positions had too many.
    pub long_texts: u64,
    /// Whether the file was imported before, so that nothing happened.
    pub is_known: bool,
    /// Whether nothing of the file is left.
    pub is_complete: bool,
}

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The rule of all games, instead of the file's.
    pub rule: Option<Rule>,
    /// The board of a row of moves.
    pub size: BoardSize,
}

/// Tells the progress of an import as the number of the current game or record; false ends it.
pub type OnProgress<'a> = &'a mut dyn FnMut(u64) -> bool;

/// A running import.
pub struct Import<'a> {
    database: &'a mut Database,
    id: SourceId,
    source: Source,
    pending: HashMap<Key, Entry>,
    report: Report,
}

impl<'a> Import<'a> {
    /// Begins the import of a source, or goes on with it. Sources with the same checksum are the same. The result is
    /// `None` if it is complete.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub fn start(database: &'a mut Database, source: Source) -> Result<Option<Import<'a>>, Error> {
        let view = database.view()?;
        let known = view.sources().iter().find(|(_, known)| known.checksum == source.checksum);
        let (id, source) = match known {
            Some((_, known)) if known.progress.is_complete => return Ok(None),
            Some((id, known)) => (*id, known.clone()),
            None => (database.write(|changes| changes.add_source(&source))?, source),
        };
        Ok(Some(Import { database, id, source, pending: HashMap::new(), report: Report::default() }))
    }

    /// The number of the last game or record that needs no second import.
    pub fn done(&self) -> u64 {
        self.source.progress.game
    }

    /// Takes a game with its number, from 1; the numbers grow. `rule` replaces the record's.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn record(&mut self, number: u64, record: &Record, rule: Option<Rule>) -> Result<(), Error> {
        if number <= self.done() {
            return Ok(());
        }
        let rule = rule.or(record.rule).unwrap_or_default();
        let counts = counts(record, rule);
        let is_game = self.source.kind != Kind::Library;
        let main: HashSet<NodeId> =
            std::iter::once(Tree::ROOT).chain(record.tree.main_line(Tree::ROOT)).filter(|_| is_game).collect();
        let taken = if self.source.progress.part.0 == number { self.source.progress.part.1 } else { 0 };
        let mut counted = HashSet::new();
        for (i, id) in (0..).zip(record.tree.ids()) {
            let is_main = main.contains(&id);
            // What was taken before is looked at again only for the positions that a game counts once.
            if i < taken && !is_main {
                continue;
            }
            let place = match Place::of(&record.setup(id), rule) {
                Ok(place) => place,
                Err(error) => {
                    self.skip_part(number, i < taken, &error.to_string());
                    continue;
                }
            };
            let counts = if is_main && counted.insert(place.key.clone()) { counts } else { Counts::default() };
            if i >= taken {
                self.take(place, Entry { counts, ..said(record, id, is_game) });
                if self.pending.len() >= BATCH {
                    self.source.progress.part = (number, i + 1);
                    self.commit()?;
                }
            }
        }
        self.source.games += u64::from(is_game);
        self.source.progress.game = number;
        Ok(())
    }

    /// Takes a position with its number, from 1; the numbers grow.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn position(&mut self, number: u64, rule: Rule, setup: &Setup, entry: Entry) -> Result<(), Error> {
        if number <= self.done() {
            return Ok(());
        }
        match Place::of(setup, rule) {
            Ok(place) => self.take(place, entry),
            Err(error) => self.skip_part(number, false, &error.to_string()),
        }
        self.source.progress.game = number;
        if self.pending.len() >= BATCH { self.commit() } else { Ok(()) }
    }

    /// Leaves out a game or position with its number, for a reason.
    pub fn skip(&mut self, number: u64, reason: &str) {
        if number > self.done() {
            self.skip_part(number, false, reason);
            self.source.progress.game = number;
        }
    }

    fn skip_part(&mut self, number: u64, is_known: bool, reason: &str) {
        if !is_known {
            self.source.skipped += 1;
            self.remark(format!("{number}: {reason}"));
        }
    }

    /// Adds a remark to the report.
    pub fn remark(&mut self, remark: String) {
        if self.report.remarks.len() < LISTED {
            self.report.remarks.push(remark);
        }
    }

    fn take(&mut self, place: Place, entry: Entry) {
        self.report.positions += 1;
        let mut entry = entry.stored(&place);
        let known = self.pending.entry(place.key).or_default();
        if known.text.len() + entry.text.len() > LONGEST_TEXT {
            self.report.long_texts += u64::from(!entry.text.is_empty() && !known.text.contains(&entry.text));
            entry.text.clear();
        }
        known.merge(entry);
    }

    /// Commits what was taken.
    fn commit(&mut self) -> Result<(), Error> {
        let mut batch: Vec<(Key, Entry)> = self.pending.drain().collect();
        batch.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (id, source, report) = (self.id, &self.source, &mut self.report);
        self.database.write(|changes| {
            for (key, entry) in batch {
                report.long_texts += u64::from(!changes.merge_stored(&key, id, entry, LONGEST_TEXT)?);
            }
            changes.set_source(id, source)
        })
    }

    /// Commits what was taken so far; a later import of the source goes on.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn pause(mut self) -> Result<Report, Error> {
        self.commit()?;
        Ok(self.told())
    }

    /// Ends the import: nothing of the source is left.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn finish(mut self) -> Result<Report, Error> {
        self.source.progress.is_complete = true;
        self.commit()?;
        Ok(self.told())
    }

    fn told(self) -> Report {
        let (games, skipped) = (self.source.games, self.source.skipped);
        Report { games, skipped, is_complete: self.source.progress.is_complete, ..self.report }
    }
}

/// What a node says about its position, without counts.
fn said(record: &Record, id: NodeId, is_game: bool) -> Entry {
    let Some(node) = record.tree.get(id) else { return Entry::default() };
    // The comment on a whole game says nothing about the empty board.
    let is_about_game = is_game && id == Tree::ROOT && record.start.stones.is_empty();
    let text = if is_about_game { String::new() } else { node.comment.clone() };
    let marks = if is_about_game { Vec::new() } else { node.marks.clone() };
    let evaluation = node.value.as_ref().map(|value| evaluation(value, record.to_move(id)));
    Entry { evaluation, best: best(record, id, node), text, marks, ..Entry::default() }
}

/// The first move of a node's variation by an engine, if it can be played.
fn best(record: &Record, id: NodeId, node: &Node) -> Option<tengen::board::Point> {
    let point = *node.value.as_ref()?.line.first()?;
    let setup = record.setup(id);
    let is_free = setup.size.contains(point) && setup.cell(point) == tengen::board::Cell::Empty;
    is_free.then_some(point)
}

/// A record's value, which is Black's, for the side to move.
fn evaluation(value: &Value, to_move: Side) -> Evaluation {
    let black = match (value.mate, value.score) {
        (Some((Side::Black, plies)), _) => Score::win_in(plies.min(Score::MAX_PLY as u32) as i32),
        (Some((Side::White, plies)), _) => Score::loss_in(plies.min(Score::MAX_PLY as u32) as i32),
        (None, Some(units)) => Score::units(units),
        (None, None) => {
            let rate = value.win_rate.clamp(1e-9, 1.0 - 1e-9);
            Score::units((ODDS_UNIT * (rate / (1.0 - rate)).ln()) as i32)
        }
    };
    let score = if to_move == Side::Black { black } else { -black };
    Evaluation { score, bound: Bound::Exact, depth: value.depth, nodes: value.nodes }
}

/// One game with its result: the record's, or that of a winning row at its end.
fn counts(record: &Record, rule: Rule) -> Counts {
    let one = Counts { games: 1, ..Counts::default() };
    let said = record.result.as_deref().unwrap_or_default().trim().to_ascii_uppercase();
    let winner = match said.split('+').next() {
        Some("B" | "BLACK") => Some(Side::Black),
        Some("W" | "WHITE") => Some(Side::White),
        Some("0" | "D" | "DRAW" | "JIGO") => return Counts { draws: 1, ..one },
        _ => row_winner(record, rule),
    };
    match winner {
        Some(Side::Black) => Counts { black: 1, ..one },
        Some(Side::White) => Counts { white: 1, ..one },
        None => one,
    }
}

fn row_winner(record: &Record, rule: Rule) -> Option<Side> {
    let setup = record.setup(record.end());
    setup.check().ok()?;
    any_winner(&tengen::board::Grid::from_setup(&setup), rule)
}

/// Whether a file is a database of Yixin or Rapfi.
fn is_yixin(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("db"))
}

/// Imports a file in any of the formats of [`tengen_record`], or a database of Yixin or Rapfi.
///
/// # Errors
/// If the file cannot be read, in words; or if the database cannot be written.
pub fn import(
    database: &mut Database,
    name: &str,
    bytes: &[u8],
    reading: Reading,
    on_progress: OnProgress<'_>,
) -> Result<Result<Report, String>, Error> {
    let kind = match bytes {
        _ if is_yixin(name) => Kind::Positions,
        [0xFF, b'R', b'e', b'n', b'L', b'i', b'b', ..] => Kind::Library,
        _ if name.to_ascii_lowercase().ends_with(".lib") => Kind::Library,
        _ => Kind::Games,
    };
    // A file that cannot be read leaves no source behind.
    let source = Source::new(name, kind, checksum(bytes, reading.rule));
    if kind == Kind::Positions {
        import_yixin(database, source, bytes, reading, on_progress)
    } else {
        import_games(database, source, bytes, reading, on_progress)
    }
}

fn known() -> Report {
    Report { is_known: true, is_complete: true, ..Report::default() }
}

fn import_games(
    database: &mut Database,
    source: Source,
    bytes: &[u8],
    reading: Reading,
    on_progress: OnProgress<'_>,
) -> Result<Result<Report, String>, Error> {
    let name = source.name.clone();
    let mut import: Option<Import<'_>> = None;
    let mut start = Some((database, source));
    let (mut failed, mut is_stopped, mut last) = (None, false, 0);
    let mut take = |number: usize, record: Record| {
        let number = number as u64;
        let import = match (&mut import, start.take()) {
            (Some(import), _) => import,
            (None, Some((database, source))) => match Import::start(database, source) {
                Ok(Some(begun)) => import.insert(begun),
                Ok(None) => return false,
                Err(error) => {
                    failed = Some(error);
                    return false;
                }
            },
            (None, None) => return false,
        };
        (last + 1..number).for_each(|missing| import.skip(missing, "the game cannot be read"));
        last = number;
        let is_new = number > import.done();
        for warning in record.warnings.iter().filter(|_| is_new) {
            import.remark(format!("{number}: {warning}"));
        }
        if let Err(error) = import.record(number, &record, reading.rule) {
            failed = Some(error);
            return false;
        }
        is_stopped = !on_progress(number);
        !is_stopped
    };
    let visited = visit(bytes, Some(&name), reading.size, &mut take);
    if let Some(error) = failed {
        return Err(error);
    }
    let visited = match visited {
        Ok(visited) => visited,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let Some(mut import) = import else { return Ok(Ok(known())) };
    visited.warnings.into_iter().for_each(|warning| import.remark(warning));
    if is_stopped {
        return Ok(Ok(import.pause()?));
    }
    (last + 1..=visited.count as u64).for_each(|missing| import.skip(missing, "the game cannot be read"));
    Ok(Ok(import.finish()?))
}

fn import_yixin(
    database: &mut Database,
    source: Source,
    bytes: &[u8],
    reading: Reading,
    on_progress: OnProgress<'_>,
) -> Result<Result<Report, String>, Error> {
    if yixin::count(bytes) == 0 {
        return Ok(Err("not a database of Yixin or Rapfi, or an empty one".to_owned()));
    }
    let Some(mut import) = Import::start(database, source)? else { return Ok(Ok(known())) };
    let (mut failed, mut is_stopped) = (None, false);
    let read = yixin::read(bytes, &mut |number, found| {
        let taken = match found {
            Ok((rule, setup, entry)) => import.position(number, reading.rule.unwrap_or(rule), &setup, entry),
            Err(reason) => {
                import.skip(number, reason);
                Ok(())
            }
        };
        failed = taken.err();
        is_stopped = !on_progress(number);
        failed.is_none() && !is_stopped
    });
    if let Some(error) = failed {
        return Err(error);
    }
    match read {
        Ok(charset) => {
            if let Some(name) = charset {
                import.remark(format!("the file names no character set, and its texts are not UTF-8: read as {name}"));
            }
            Ok(Ok(if is_stopped { import.pause()? } else { import.finish()? }))
        }
        Err(error) => {
            import.remark(error.to_string());
            Ok(Ok(import.finish()?))
        }
    }
}
