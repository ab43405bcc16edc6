//! Games besides the current one: those of the last import and the one that is offered; and how the current one
//! relates to its files.

use super::Saved;
use crate::view::Offer;
use tengen_record::Record;

/// What the session knows of files.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// The games of the last import.
    imports: Vec<Record>,
    offer: Option<(Saved, Offer)>,
    /// The record of a file as it was read: while the game equals it there is nothing to save.
    pristine: Option<String>,
    /// Why the game cannot be saved, as the host reports it.
    unsaved: Option<String>,
}

impl Shelf {
    pub fn import(&mut self, records: Vec<Record>) {
        self.imports = records;
    }

    pub fn imports(&self) -> &[Record] {
        &self.imports
    }

    /// The only game of the import, which then leaves it; `None` if there are several.
    pub fn take_single(&mut self) -> Option<Record> {
        if self.imports.len() == 1 { self.imports.pop() } else { None }
    }

    pub fn set_offer(&mut self, offer: Option<(Saved, Offer)>) {
        self.offer = offer;
    }

    pub fn offer(&self) -> Option<&(Saved, Offer)> {
        self.offer.as_ref()
    }

    pub fn take_offer(&mut self) -> Option<(Saved, Offer)> {
        self.offer.take()
    }

    /// Another game begins: it is not of a file, and no other one is offered any more.
    pub fn begin(&mut self) {
        (self.pristine, self.offer) = (None, None);
    }

    /// The current game is this one of a file.
    pub fn read(&mut self, sgf: String) {
        self.pristine = Some(sgf);
    }

    /// Whether the game is as its file has it.
    pub fn is_as_read(&self, sgf: &str) -> bool {
        self.pristine.as_deref() == Some(sgf)
    }

    /// Sets why the game cannot be saved; false if that is known.
    pub fn set_unsaved(&mut self, why: Option<String>) -> bool {
        let is_news = self.unsaved != why;
        self.unsaved = why;
        is_news
    }

    pub fn unsaved(&self) -> Option<&str> {
        self.unsaved.as_deref()
    }
}
