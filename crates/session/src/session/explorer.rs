//! The database of positions: what may be asked of it, and whether results are stored.

use super::check::Denied;
use super::{Effect, Session, Storing};
use crate::view::DatabaseView;
use tengen::board::Setup;
use tengen::rules::Rule;

impl Session {
    /// The board uses a database with this name.
    pub fn set_database(&mut self, name: String) {
        self.database = Some(DatabaseView { name, ..DatabaseView::default() });
        self.show();
    }

    /// Takes what has happened to the storing of results.
    pub fn set_storing(&mut self, status: Storing) {
        if let Storing::Failed(why) = &status {
            self.say("error", "not_stored", format!("Nothing is stored in the database: {why}."));
        }
        let Some(database) = &mut self.database else { return };
        match status {
            Storing::On(on) => (database.stores, database.problem) = (on, None),
            Storing::Stored => database.changes += 1,
            Storing::Failed(why) => (database.stores, database.problem) = (false, Some(why)),
        }
        self.show();
    }

    /// Game, node and position that the explorer shows. `None` while values are hidden: it would help a player.
    pub fn explored(&self) -> Option<(u64, u32, Setup, Rule)> {
        let found = || (self.number, self.game.at().0, self.game.position().setup(), self.game.rule());
        self.shows_values().then(found)
    }

    pub(super) fn store(&mut self, on: bool) -> Result<(), Denied> {
        if self.database.is_none() {
            return Err(Denied::not_now("there is no database; start the board with --database FILE"));
        }
        self.outbox.push(Effect::Store(on));
        Ok(())
    }
}
