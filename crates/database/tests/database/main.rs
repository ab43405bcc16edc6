//! The database as its users see it: files imported, positions asked for, processes killed.

mod kills;
mod known;
mod million;
mod sources;
mod support;
mod yixin;
