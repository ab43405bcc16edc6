//! Files that one process at a time may write: records that are appended to for hours.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

/// Why a file cannot be opened for writing.
#[derive(Debug)]
pub enum LockError {
    /// Another process, or another part of this one, is writing it.
    InUse(PathBuf),
    /// What the system says.
    Io(PathBuf, io::Error),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::InUse(path) => write!(f, "{} is being written by another process", path.display()),
            LockError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for LockError {}

/// A file that has one writer: other writers are kept out until this is dropped.
#[derive(Debug)]
pub struct LockedFile(File);

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Write for LockedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(not(windows))]
impl Drop for LockedFile {
    fn drop(&mut self) {
        // Closing alone would leave the lock to a child process that another thread has just forked, until that
        // becomes a program of its own.
        let _ = self.0.unlock();
    }
}

/// Opens a file as `options` say and keeps other writers out until the result is dropped or the process ends, however
/// it ends. Readers are not kept out. Every writer has to open the file by this function.
///
/// Do not let `options` truncate: the file would be emptied before it is known whether it is in use.
///
/// # Errors
/// At once if another writer has the file, or if it cannot be opened.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<LockedFile, LockError> {
    let io = |error| LockError::Io(path.to_owned(), error);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // Locks keep readers out there; refusing to share with other writers does not.
        const FILE_SHARE_READ: u32 = 1;
        const ERROR_SHARING_VIOLATION: i32 = 32;
        options.share_mode(FILE_SHARE_READ).open(path).map(LockedFile).map_err(|error| match error.raw_os_error() {
            Some(ERROR_SHARING_VIOLATION) => LockError::InUse(path.to_owned()),
            _ => io(error),
        })
    }
    #[cfg(not(windows))]
    {
        let file = options.open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => Ok(LockedFile(file)),
            Err(std::fs::TryLockError::WouldBlock) => Err(LockError::InUse(path.to_owned())),
            // Some network file systems have no locks.
            Err(std::fs::TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(LockedFile(file))
            }
            Err(std::fs::TryLockError::Error(error)) => Err(io(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_writer_at_a_time_and_any_number_of_readers() {
        let path = std::env::temp_dir().join(format!("tengen-lock-{}", std::process::id()));
        let append = || open(&path, OpenOptions::new().create(true).append(true));
        let mut first = append().expect("a new file");
        first.write_all(b"one\n").expect("space");
        let refused = append().expect_err("two writers");
        assert!(matches!(refused, LockError::InUse(_)), "{refused}");
        assert!(!refused.to_string().contains('\n') && refused.to_string().contains("another process"), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).expect("a reader"), "one\n");
        drop(first);
        append().expect("the first is gone").write_all(b"two\n").expect("space");
        assert_eq!(std::fs::read_to_string(&path).expect("a reader"), "one\ntwo\n");
        std::fs::remove_file(&path).expect("its end");
    }

    // On Windows children inherit no files.
    #[cfg(not(windows))]
    #[test]
    fn a_file_is_free_again_though_a_child_has_it_open() {
        let path = std::env::temp_dir().join(format!("tengen-child-{}", std::process::id()));
        let append = || open(&path, OpenOptions::new().create(true).append(true));
        let first = append().expect("a new file");
        let inherited = first.try_clone().expect("a second descriptor of the same open file");
        assert!(matches!(append(), Err(LockError::InUse(_))));
        drop(first);
        append().expect("the writer is gone");
        drop(inherited);
        std::fs::remove_file(&path).expect("its end");
    }
}
