//! The protocol: sessions with a manager, without the program around them.

mod sessions;
mod table;
mod transcript;
mod wire;
