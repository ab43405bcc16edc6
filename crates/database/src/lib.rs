//! A database of positions: what games, libraries and engines say about them.
//!
//! A [`Database`] is one file. Its unit is the [`Entry`]: what one [`Source`] says about one position, under a rule, on
//! a board. All images of a position under the symmetries of its board, and all orders of its stones, have one key.
//!
//! The crate prints nothing and never takes part in a search.

mod bytes;
mod entry;
mod error;
mod explore;
mod export;
mod import;
mod key;
mod known;
mod search;
mod source;
mod store;
mod yixin;

pub use entry::{Counts, Entry, Evaluation};
pub use error::{Damage, Error};
pub use explore::{Explored, Filter, Move, Statistics, Summary, explore, losing_moves, proof, statistics};
pub use export::{Export, export};
pub use import::{Import, OnProgress, Reading, Report, import};
pub use key::{Key, Place};
pub use known::{Access, Known, proven};
pub use search::{End, Plan, Step, analysis_source, build, store, store_lines};
pub use source::{Kind, Progress, Source, SourceId, checksum};
pub use store::{Changes, Database, View};
pub use yixin::YixinError;
