//! Files with one writing process at a time: records that grow over hours.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

/// Error opening a file for writing.
#[derive(Debug)]
pub enum LockError {
    /// Another process, or another part of this process, is writing the file.
    InUse(PathBuf),
    /// Any I/O error.
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

/// An open file with exclusive write access: other writers are locked out until this value is dropped.
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
        // Unlock explicitly. After a plain close, a child process that another thread has just forked would hold the
        // lock until it calls exec.
        let _ = self.0.unlock();
    }
}

/// Opens a file with `options` and locks out other writers until the result is dropped or the process ends for any
/// reason. Readers are not locked out. Every writer must open the file with this function.
///
/// `options` must not truncate: that would empty the file before the lock is checked.
///
/// # Errors
/// Without waiting if another writer has the file, or if it cannot be opened.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<LockedFile, LockError> {
    let io = |error| LockError::Io(path.to_owned(), error);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // On Windows a lock would also exclude readers. A share mode without write access excludes only other writers.
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
            // Some network file systems do not support locks.
            Err(std::fs::TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(LockedFile(file))
            }
            Err(std::fs::TryLockError::Error(error)) => Err(io(error)),
        }
    }
}

/// A lock that protects another file. It is an empty file next to the protected one and is deleted when this value is
/// dropped. The protected file may be replaced meanwhile.
#[derive(Debug)]
pub struct Hold {
    file: Option<LockedFile>,
    path: PathBuf,
}

impl Hold {
    /// Acquires the lock in this file unless another process, or another part of this process, has it.
    ///
    /// # Errors
    /// Without waiting if it is in use, or if the file cannot be created.
    pub fn take(path: &Path) -> Result<Hold, LockError> {
        // Opening a pipe of this name would block.
        if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file");
            return Err(LockError::Io(path.to_owned(), error));
        }
        loop {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = open(path, &mut options)?;
            // If the file is no longer at its path, the previous holder deleted it after it was opened here: retry.
            if is_file_at(&file, path) {
                return Ok(Hold { file: Some(file), path: path.to_owned() });
            }
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // On other systems a file cannot be deleted while this process or another one has it open: close it first.
        if !cfg!(unix) {
            self.file = None;
        }
        // Ignore the error: a remaining empty file is reused by the next holder.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether a path still refers to an open file.
#[cfg(unix)]
fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |data: std::fs::Metadata| (data.dev(), data.ino());
    matches!((file.metadata().map(id), std::fs::metadata(path).map(id)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn is_file_at(_: &File, _: &Path) -> bool {
    true
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

    // On Windows children do not inherit files.
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

    #[test]
    fn one_at_a_time_holds_a_lock_and_its_file_goes_with_it() {
        let path = std::env::temp_dir().join(format!("tengen-hold-{}", std::process::id()));
        let first = Hold::take(&path).expect("nobody has it");
        assert!(matches!(Hold::take(&path), Err(LockError::InUse(_))));
        drop(first);
        assert!(!path.exists());
        // A killed process leaves the file behind, which does no harm.
        std::fs::write(&path, b"").expect("a file");
        drop(Hold::take(&path).expect("nobody has it"));
        assert!(!path.exists());
        // Under contention one thread at a time holds it.
        let held = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        if let Ok(hold) = Hold::take(&path) {
                            assert_eq!(held.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                            held.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                            drop(hold);
                        }
                    }
                });
            }
        });
        std::fs::create_dir(&path).expect("a folder");
        assert!(matches!(Hold::take(&path), Err(LockError::Io(..))));
        std::fs::remove_dir(&path).expect("its end");
    }
}
