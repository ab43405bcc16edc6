//! Files that stay valid if a process is killed: JSON lines with appends, and atomically replaced files.

pub mod lock;

use lock::{LockError, LockedFile};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Error reading or writing a file of lines.
#[derive(Debug)]
pub enum LinesError {
    /// The file cannot be opened, or another process is writing it.
    Open(LockError),
    /// Any I/O error.
    Io(PathBuf, io::Error),
    /// The line with this number, from 1, is invalid.
    Line(PathBuf, usize),
}

impl fmt::Display for LinesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinesError::Open(error) => error.fmt(f),
            LinesError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            LinesError::Line(path, line) => {
                write!(f, "{}: line {line} is of another version, or of another kind of file", path.display())
            }
        }
    }
}

impl std::error::Error for LinesError {}

/// A file with a JSON value in each line, for one writer at a time.
#[derive(Debug)]
pub struct Lines {
    file: LockedFile,
    path: PathBuf,
}

impl Lines {
    /// Creates a file, or opens an existing one and returns its values. Cuts off an incomplete last line if it begins
    /// with `start`, the common prefix of all lines.
    ///
    /// # Errors
    /// See [`LinesError`].
    pub fn open<T: DeserializeOwned>(path: &Path, start: &[u8]) -> Result<(Lines, Vec<T>), LinesError> {
        let io = |error| LinesError::Io(path.to_owned(), error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = lock::open(path, &mut options).map_err(LinesError::Open)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let (mut values, mut whole) = (Vec::new(), 0);
        for (i, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate().filter(|(_, line)| line.ends_with(b"\n")) {
            values.push(serde_json::from_slice(line).map_err(|_| LinesError::Line(path.to_owned(), i + 1))?);
            whole += line.len();
        }
        let torn = &bytes[whole..];
        if !start.starts_with(torn) && !torn.starts_with(start) {
            return Err(LinesError::Line(path.to_owned(), values.len() + 1));
        }
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(io)?;
        Ok((Lines { file, path: path.to_owned() }, values))
    }

    /// Appends a value. After the call returns, the value survives the end of the process.
    ///
    /// # Errors
    /// [`LinesError::Io`].
    pub fn append(&mut self, value: &impl Serialize) -> Result<(), LinesError> {
        let written = line_of(value).and_then(|line| self.file.write_all(&line));
        written.map_err(|error| LinesError::Io(self.path.clone(), error))
    }
}

/// Serializes a value as a JSON line.
///
/// # Errors
/// If it cannot be serialized as JSON.
pub fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Replaces the content of a file atomically: at any time the file contains either all new bytes or the old content.
///
/// # Errors
/// Any I/O error.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_with(path, bytes, Access::Usual, None)
}

/// Read permissions of a file, on systems with file owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The default permissions of the user's files.
    Usual,
    /// The owner only.
    Private,
}

/// Attempts after which a temporary file that disappears is an error. Three were too few for four busy writers.
const TRIES: u32 = 100;

/// Same as [`replace`], with the given permissions and modification time.
///
/// The bytes are first written to a temporary file in the same folder, which no other process writes, and flushed to
/// the disk before the rename. Temporary files that killed processes left behind are deleted.
///
/// # Errors
/// Any I/O error.
pub fn replace_with(path: &Path, bytes: &[u8], access: Access, modified: Option<SystemTime>) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    clean(folder, |other| is_part(other, &name));
    let mut tries = 0;
    loop {
        match try_replace(folder, path, bytes, access, modified) {
            // Another process deleted the temporary file as an orphan before it was locked.
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES && folder.is_dir() => tries += 1,
            Err(error) => return Err(plain(error)),
            Ok(()) => {
                sync_folder(folder);
                return Ok(());
            }
        }
    }
}

/// The error without the path of the temporary file, which the user does not know.
fn plain(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => io::Error::from(error.kind()),
    }
}

/// Suffix of temporary files.
const PART: &str = ".part";

fn try_replace(
    folder: &Path,
    path: &Path,
    bytes: &[u8],
    access: Access,
    modified: Option<SystemTime>,
) -> io::Result<()> {
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(PART);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = if access == Access::Private { 0o600 } else { 0o666 };
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = access;
    let mut part = builder.tempfile_in(folder)?;
    // The lock shows other processes that the file is not an orphan. On systems without locks, no process deletes
    // orphans.
    let _ = part.as_file().try_lock();
    part.write_all(bytes)?;
    if let Some(modified) = modified {
        // Some file systems do not store times.
        let _ = part.as_file().set_modified(modified);
    }
    part.as_file().sync_all()?;
    part.persist(path).map(drop).map_err(|error| error.error)
}

/// Flushes the folder so that a rename survives a power loss, on systems that can flush folders.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        // Some file systems do not support this.
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Whether `name` is the name of a temporary file in which [`replace`] prepares the content of the file `of`.
pub fn is_part(name: &str, of: &str) -> bool {
    let middle = name.strip_prefix(of).and_then(|rest| rest.strip_suffix(PART));
    // Earlier versions had no random part between them.
    middle.is_some_and(|middle| {
        middle.is_empty()
            || middle
                .strip_prefix('.')
                .is_some_and(|random| random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    })
}

/// Deletes orphaned temporary files: those whose names satisfy `is_wanted` and that no process has locked.
pub fn clean(folder: &Path, is_wanted: impl Fn(&str) -> bool) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_str().is_some_and(&is_wanted) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let file = OpenOptions::new().write(true).open(entry.path());
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            // Ignore the error: another process may have deleted it first.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Identity of a file: its name without the folder, its length and its checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Name without the folder.
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
    /// CRC-32 (IEEE), in hexadecimal.
    pub crc32: String,
}

impl Fingerprint {
    /// Computes the fingerprint of a file.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn of(path: &Path) -> io::Result<Fingerprint> {
        let (bytes, crc) = checksum(File::open(path)?)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Fingerprint { name, bytes, crc32: format!("{crc:08x}") })
    }
}

/// Length and CRC-32 (IEEE) of a stream. The stream is read in chunks and never lies in memory as a whole.
fn checksum(mut from: impl Read) -> io::Result<(u64, u32)> {
    let (mut crc, mut bytes) = (crc32fast::Hasher::new(), 0);
    let mut chunk = vec![0; 1 << 20];
    loop {
        match from.read(&mut chunk)? {
            0 => return Ok((bytes, crc.finalize())),
            read => {
                crc.update(&chunk[..read]);
                bytes += read as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tengen-files-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn lines_survive_a_torn_end_and_have_one_writer() {
        let folder = folder("lines");
        let path = folder.join("lines.jsonl");
        let open = || Lines::open::<Vec<u32>>(&path, b"[");
        let (mut lines, values) = open().expect("a new file");
        assert!(values.is_empty());
        lines.append(&[1, 2]).and_then(|()| lines.append(&[3])).expect("space");
        assert!(matches!(open(), Err(LinesError::Open(LockError::InUse(_)))));
        drop(lines);
        let whole = std::fs::read(&path).expect("a file");
        std::fs::write(&path, [&whole[..], b"[4, 5"].concat()).expect("a file");
        let (mut lines, values) = open().expect("a torn line is no fault");
        assert_eq!(values, [vec![1, 2], vec![3]]);
        lines.append(&[6]).expect("space");
        drop(lines);
        assert_eq!(std::fs::read_to_string(&path).expect("text"), "[1,2]\n[3]\n[6]\n");
        for letter in ["[1]\nDear reader\n", "[1]\nDear reader"] {
            std::fs::write(&path, letter).expect("a file");
            let refused = open().expect_err("a letter").to_string();
            let why = "lines.jsonl: line 2 is of another version, or of another kind of file";
            assert!(refused.ends_with(why), "{refused}");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), letter);
        }
        std::fs::remove_dir_all(&folder).expect("its end");
    }

    #[test]
    fn files_are_replaced_whole_and_told_apart() {
        let folder = folder("whole");
        let path = folder.join("a file");
        replace(&path, b"one").expect("space");
        let first = Fingerprint::of(&path).expect("a file");
        replace(&path, b"two").expect("space");
        assert_eq!(std::fs::read(&path).expect("a file"), b"two");
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing else is left");
        let second = Fingerprint::of(&path).expect("a file");
        assert_eq!((first.name.as_str(), first.bytes), ("a file", 3));
        assert_eq!([first.crc32, second.crc32], [b"one", b"two"].map(|b| format!("{:08x}", crc32fast::hash(b))));
        let error = replace(&folder.join("no/file"), b"").expect_err("no folder");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains(".part"), "{error}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
            let plain = folder.join("plain");
            std::fs::write(&plain, b"").expect("a file");
            assert_eq!(mode(&path), mode(&plain), "readable as other files are");
            replace_with(&path, b"", Access::Private, None).expect("space");
            assert_eq!(mode(&path), 0o600);
        }
        std::fs::remove_dir_all(&folder).expect("its end");
    }

    #[test]
    fn what_killed_writers_left_is_removed_and_what_is_being_written_stays() {
        let folder = folder("orphans");
        let path = folder.join("run-001.ckpt");
        let file = |name: &str| folder.join(name);
        let orphans = ["run-001.ckpt.part", "run-001.ckpt.a1B2c3.part"];
        let others = ["run-002.ckpt.part", "run-001.ckpt.notes.part", "run-001.ckpt.a1B2c3.parts"];
        for name in orphans.iter().chain(&others) {
            std::fs::write(file(name), b"half").expect("a file");
        }
        std::fs::write(file("run-001.ckpt.zzzzzz.part"), b"half").expect("a file");
        let writer = OpenOptions::new().write(true).open(file("run-001.ckpt.zzzzzz.part")).expect("a file");
        writer.try_lock().expect("nobody else");
        replace(&path, b"whole").expect("space");
        assert!(orphans.iter().all(|name| !file(name).exists()));
        assert!(others.iter().all(|name| file(name).exists()), "other files are not ours");
        assert!(file("run-001.ckpt.zzzzzz.part").exists(), "somebody writes it");
        drop(writer);
        replace(&path, b"whole").expect("space");
        assert!(!file("run-001.ckpt.zzzzzz.part").exists());
        std::fs::remove_dir_all(&folder).expect("its end");
    }

    #[test]
    fn writers_at_the_same_time_never_mix() {
        let folder = folder("writers");
        let path = folder.join("a file");
        let text = |writer: u8| vec![writer; 50_000];
        std::thread::scope(|scope| {
            for writer in b'a'..b'e' {
                let (path, text) = (&path, text(writer));
                scope.spawn(move || (0..50).for_each(|_| replace(path, &text).expect("space")));
            }
            for _ in 0..200 {
                if let Ok(bytes) = std::fs::read(&path) {
                    assert!((b'a'..b'e').any(|writer| bytes == text(writer)), "{} bytes, mixed or cut", bytes.len());
                }
            }
        });
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing else is left");
        std::fs::remove_dir_all(&folder).expect("its end");
    }
}
