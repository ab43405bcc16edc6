//! The board of `tengen play`: its server, its page, the games that it keeps, and the watching of matches.
#![cfg(feature = "play")]

#[path = "../arena/mod.rs"]
mod arena;
#[path = "../support/folder.rs"]
mod folder;
mod host;
mod keeping;
mod page;
mod quiz;
mod server;
#[path = "../support/mod.rs"]
mod support;
mod text;
mod watch;
mod web;
