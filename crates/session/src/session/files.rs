//! Games from files: importing, loading, saving, and continuing a saved game.

use super::autoplay::Autoplay;
use super::check::{self, Denied};
use super::saved::{RestoreError, Saved, VERSION};
use super::tip::Tip;
use super::trim::{trim, trim_warnings};
use super::{Session, analysis_board};
use crate::view::{Imported, Names, Offer, RefusalKind};
use tengen::board::{BoardSize, Side};
use tengen::rules::Rule;
use tengen_record::{self as record, NodeId, Record, Tree};
use web_time::{Duration, Instant};

impl Session {
    /// Takes the games of a file. A single game is loaded at once; of several games
    /// [`Command::Load`](crate::command::Command::Load) chooses one.
    pub fn import(&mut self, mut records: Vec<Record>) -> Vec<Imported> {
        records.iter_mut().for_each(trim_warnings);
        self.shelf.import(records);
        let rule = self.game.rule();
        let found =
            self.shelf.imports().iter().enumerate().map(|(index, record)| imported(index, record, rule)).collect();
        if let Some(record) = self.shelf.take_single() {
            self.take_record(record);
            self.settle_analysis();
        }
        found
    }

    pub(super) fn load(&mut self, index: usize) -> Result<(), Denied> {
        let unknown = || Denied::new(RefusalKind::Unknown, format!("the last import had no game {index}"));
        let record = self.shelf.imports().get(index).cloned().ok_or_else(unknown)?;
        self.take_record(record);
        Ok(())
    }

    /// Makes a record the current game and shows the end of its main line.
    fn take_record(&mut self, mut record: Record) {
        let doubt = doubt(&record, self.game.rule());
        record.warnings.splice(0..0, doubt);
        trim(&mut record);
        let rule = *record.rule.get_or_insert(self.game.rule());
        let names = record.names.0.each_ref().map(|name| check::tidy(name));
        let agreed = analysis_board(rule, &record.start, names);
        let end = record.end();
        // Looking at a file does not discard the game that is offered.
        let offer = self.shelf.take_offer();
        self.take_game(agreed, record, true);
        self.shelf.set_offer(offer);
        self.game.goto(end);
        self.tip = Tip::shown(&self.game);
        self.note_end();
        self.shelf.read(record::write_sgf(self.game.record()));
    }

    /// The game in the form to save; `None` if it has no moves, or came from a file and is unchanged.
    pub fn save(&self) -> Option<Saved> {
        let tree = self.game.tree();
        if tree.is_empty() {
            return None;
        }
        let sgf = record::write_sgf(self.game.record());
        if self.shelf.is_as_read(&sgf) {
            return None;
        }
        let index = |id: &NodeId| {
            let parent = tree.get(tree.get(*id)?.parent?)?;
            parent.children.iter().position(|child| child == id)
        };
        let path = |node| tree.path(node).iter().filter_map(index).collect();
        let is_live = self.clock.is_running() || self.tip.node() == self.game.at() && self.autoplay.follows();
        let spent = self.now.map_or(Duration::ZERO, |now| self.clock.spent(now));
        let names = self.names();
        Some(Saved {
            version: VERSION,
            sgf,
            game: self.agreement.game().clone(),
            path: path(self.game.at()),
            tip: path(self.tip.node()),
            spent_ms: is_live.then(|| u64::try_from(spent.as_millis()).unwrap_or(u64::MAX)),
            held: self.autoplay.is_held(),
            loaded: self.agreement.is_loaded(),
            moves: self.game.position().moves(),
            names: [names.black, names.white],
        })
    }

    /// Offers a saved game to be continued; `at` is when it was saved, in seconds since 1970.
    pub fn offer(&mut self, saved: Saved, at: u64) {
        self.offer_as(saved, at, false);
    }

    /// Offers a game that another program is using: continuing it makes a copy.
    pub fn offer_copy(&mut self, saved: Saved, at: u64) {
        self.offer_as(saved, at, true);
    }

    /// Whether a saved game is offered.
    pub fn is_offering(&self) -> bool {
        self.shelf.offer().is_some()
    }

    /// Sets why the game cannot be saved at the moment; `None` if it can.
    pub fn set_unsaved(&mut self, why: Option<String>) {
        if self.shelf.set_unsaved(why) {
            self.show();
        }
    }

    fn offer_as(&mut self, saved: Saved, at: u64, copy: bool) {
        let [black, white] = saved.names.clone();
        let names = Names { black: check::tidy(&black), white: check::tidy(&white) };
        let offer = Offer { rule: saved.game.rule, moves: saved.moves, names, saved: at, copy };
        self.shelf.set_offer(Some((saved, offer)));
        self.show();
    }

    pub(super) fn go_on(&mut self, now: Instant) -> Result<(), Denied> {
        let (saved, _) = self.shelf.offer().cloned().ok_or_else(|| Denied::not_now("no game is offered"))?;
        self.restore(saved, now).map_err(|error| Denied::new(RefusalKind::File, error.to_string()))
    }

    /// Continues a saved game. If it is the engine's turn, the engine moves by itself, and the clock continues with the
    /// time that the turn had left.
    ///
    /// # Errors
    /// If the game cannot be read; the session is unchanged then.
    pub fn restore(&mut self, saved: Saved, now: Instant) -> Result<(), RestoreError> {
        if saved.version != VERSION {
            return Err(RestoreError::Version(saved.version));
        }
        let mut saved = saved;
        let unknown = self.replace_unknown(&mut saved.game);
        let (agreed, start) = check::new_game(saved.game).map_err(|denied| RestoreError::Settings(denied.message))?;
        let games = record::read(saved.sgf.as_bytes(), Some("game.sgf"), BoardSize::RENJU);
        let mut games = games.map_err(|error| RestoreError::Record(error.to_string()))?;
        if games.is_empty() || games[0].start.size != start.size {
            return Err(RestoreError::Record("they are of another board".to_owned()));
        }
        let mut record = games.swap_remove(0);
        trim(&mut record);
        record.start = start;
        record.rule = Some(agreed.rule);
        self.take_game(agreed, record, saved.loaded);
        let (at, tip) = (self.by_path(&saved.path), self.by_path(&saved.tip));
        self.game.goto(tip);
        self.tip = Tip::shown(&self.game);
        self.autoplay = Autoplay::continued(saved.held && self.agreement.both_engines());
        let is_live = !self.tip.is_over() && at == tip || self.is_bound_to_tip();
        if let Some(ms) = saved.spent_ms.filter(|_| is_live) {
            self.autoplay.follow();
            self.run_timer(Duration::from_millis(ms), now);
        } else {
            self.game.goto(at);
        }
        for name in unknown {
            self.say("warning", "engine_missing", format!("{name} is not declared now: Tengen plays in its place."));
        }
        self.change();
        self.settle(now);
        Ok(())
    }

    /// The node at the end of a path, or the last existing node on it.
    fn by_path(&self, path: &[usize]) -> NodeId {
        let child = |at: NodeId, index: &usize| self.game.tree().get(at)?.children.get(*index).copied();
        path.iter().try_fold(Tree::ROOT, |at, index| child(at, index).ok_or(at)).unwrap_or_else(|at| at)
    }
}

/// Why the game's rule may differ from the one it is shown with, which is `rule` if the file names none.
fn doubt(record: &Record, rule: Rule) -> Option<String> {
    let said = record.rule_doubt.as_deref();
    match record.rule {
        Some(_) => said.map(str::to_owned),
        None => Some(format!("{}: {rule} is assumed", said.unwrap_or("the file names no rule"))),
    }
}

/// Describes a game of a file; it is shown with `rule` if the file names none.
fn imported(index: usize, record: &Record, rule: Rule) -> Imported {
    let names = [Side::Black, Side::White].map(|side| check::tidy(&record.names[side]));
    let title = match names.iter().filter(|name| !name.is_empty()).count() {
        0 => check::tidy(&record.event),
        _ => names.map(|name| if name.is_empty() { "?".to_owned() } else { name }).join(" – "),
    };
    let warnings = doubt(record, rule).into_iter().chain(record.warnings.iter().cloned()).collect();
    let is_move = |id: &NodeId| record.tree.get(*id).is_some_and(|node| node.stone.is_some());
    Imported {
        index,
        title: if title.is_empty() { format!("Game {}", index + 1) } else { title },
        rule: record.rule.map(|rule| rule.name()),
        size: (record.start.size.width(), record.start.size.height()),
        moves: record.tree.main_line(Tree::ROOT).iter().filter(|id| is_move(id)).count(),
        nodes: record.tree.len(),
        warnings,
    }
}
