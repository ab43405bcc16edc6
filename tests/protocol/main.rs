//! Protocol tests: sessions with a manager, without the program's threads and pipes.

mod sessions;
mod table;
mod transcript;
mod wire;
