//! Files of search trees that are written game by game, and go on after an interruption.

use super::file::FileError;
use super::record::DataGame;
use super::tree::{Plan, Tree, bodies, record_bytes};
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tengen_files::lock::{self, LockedFile};

/// Appends trees to a file.
#[derive(Debug)]
pub struct TreeFile(LockedFile);

impl TreeFile {
    /// Creates a file.
    ///
    /// # Errors
    /// If it exists already or cannot be written.
    pub fn create(path: &Path) -> Result<TreeFile, FileError> {
        lock::open(path, OpenOptions::new().write(true).create_new(true)).map(TreeFile).map_err(FileError::Open)
    }

    /// Goes on with a file that has the trees of the first of these games, and returns their number; without a file,
    /// creates one. Cuts off an incomplete last record.
    ///
    /// A file does not store the plan. So the last tree that has nodes is made again, and must be the same.
    ///
    /// # Errors
    /// If another process writes the file, if it has trees of other games or with other settings, or if it cannot be
    /// read or written.
    pub fn resume(path: &Path, plan: &Plan, games: &[DataGame]) -> Result<(TreeFile, usize), FileError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = lock::open(path, &mut options).map_err(FileError::Open)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(FileError::Io)?;
        let mut at = 0;
        let mut last = None;
        let bodies = bodies(&bytes).map_err(|error| FileError::Damaged(error, 0))?;
        for (number, body) in bodies.iter().enumerate() {
            let tree = Tree::decode(body).map_err(|error| FileError::Damaged(error, at))?;
            let game = games.get(number);
            if !game.is_some_and(|g| (g.rule, g.size) == (tree.rule, tree.size) && g.line() == tree.line) {
                let what = format!("tree {} is of another game: name a new file", number + 1);
                return Err(FileError::Different(what));
            }
            last = game.zip(Some(tree)).filter(|(_, tree)| !tree.nodes.is_empty()).or(last);
            at += record_bytes(body) as u64;
        }
        if last.is_some_and(|(game, tree)| plan.tree(game) != tree) {
            return Err(FileError::Different("the trees were made with other settings: name a new file".to_owned()));
        }
        file.set_len(at).and_then(|()| file.seek(SeekFrom::End(0))).map_err(FileError::Io)?;
        Ok((TreeFile(file), bodies.len()))
    }

    /// Appends a tree. After the call returns, it survives the end of the process.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, tree: &Tree) -> io::Result<()> {
        self.0.write_all(&tree.encode())
    }
}
