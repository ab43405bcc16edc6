//! The engine's answers: searches, openings, the book and the network.

mod book;
#[path = "../support/folder.rs"]
mod folder;
mod inference;
#[path = "../support/machine.rs"]
mod machine;
mod network;
#[path = "../support/play.rs"]
mod play;
mod playouts;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/random_network.rs"]
mod random_network;
mod same_moves;
mod search;
#[path = "../support/mod.rs"]
mod support;
mod swap2;
