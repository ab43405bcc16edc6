//! A temporary folder for one test.

// Not every test program uses all of this file.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A new folder, deleted when this value is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("tengen-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Entries of a subfolder, by relative path; empty if there is no such folder.
    pub fn entries(&self, below: &str) -> usize {
        std::fs::read_dir(self.0.join(below)).map_or(0, |entries| entries.count())
    }

    /// Saved games in a subfolder, without the lock files of those in use.
    pub fn games(&self, below: &str) -> usize {
        let entries = std::fs::read_dir(self.0.join(below)).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "json")).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
