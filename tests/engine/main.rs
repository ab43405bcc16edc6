//! The engine's answers: searches, openings, the book and the network.

#[path = "../support/engine.rs"]
mod engine;
#[path = "../support/folder.rs"]
mod folder;
mod inference;
#[path = "../support/machine.rs"]
mod machine;
mod network;
mod openings;
#[path = "../support/play.rs"]
mod play;
mod playouts;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/random_network.rs"]
mod random_network;
mod search;
mod signature;
#[path = "../support/mod.rs"]
mod support;
mod swap2;
