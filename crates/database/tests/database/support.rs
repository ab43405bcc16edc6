//! Shared by the tests: folders, positions, imports.

use tempfile::TempDir;
use tengen::board::{BoardSize, Setup, parse_points};
use tengen_database::{Database, Reading, Report, import};

/// A folder that is removed at the end.
pub fn folder(name: &str) -> TempDir {
    tempfile::Builder::new().prefix(&format!("tengen-database-{name}-")).tempdir().expect("a folder")
}

/// A position of alternating moves.
pub fn position(size: BoardSize, text: &str) -> Setup {
    Setup::from_moves(size, parse_points(size, text).expect("labels"))
}

/// A position on 15x15.
pub fn labels(text: &str) -> Setup {
    position(BoardSize::RENJU, text)
}

/// Imports a file as long as the last argument wants it.
pub fn import_while(database: &mut Database, name: &str, bytes: &[u8], goes_on: &mut dyn FnMut(u64) -> bool) -> Report {
    let reading = Reading { rule: None, size: BoardSize::RENJU };
    import(database, name, bytes, reading, goes_on).expect("space").expect("a file of games")
}

/// Imports a file.
pub fn import_bytes(database: &mut Database, name: &str, bytes: &[u8]) -> Report {
    import_while(database, name, bytes, &mut |_| true)
}

/// Imports a file that may be unreadable.
pub fn try_import(database: &mut Database, name: &str, bytes: &[u8]) -> Result<Report, String> {
    let reading = Reading { rule: None, size: BoardSize::RENJU };
    import(database, name, bytes, reading, &mut |_| true).expect("space")
}
