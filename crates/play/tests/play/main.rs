//! The board of `tengen play`: its server, its page, its saved games.
mod explorer;
#[path = "../../../../tests/support/folder.rs"]
mod folder;
mod host;
mod page;
mod quiz;
mod server;
#[path = "../../../../tests/support/mod.rs"]
mod support;
mod trainer;
mod web;
