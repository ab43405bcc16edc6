//! Files that a killed process leaves whole: JSON lines that are appended to, and files that are replaced at once.

use super::lock::{self, LockError, LockedFile};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Why a file of lines cannot be used.
#[derive(Debug)]
pub enum LinesError {
    /// The file cannot be opened, or another process is writing it.
    Open(LockError),
    /// What the system says.
    Io(PathBuf, io::Error),
    /// The line with this number, from 1, is not what was expected.
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
    /// Begins a file, or goes on with one; returns its values. A torn last line is cut off if it begins like all
    /// lines of such a file: with `start`.
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

    /// Appends a value; when this returns, it survives the process.
    ///
    /// # Errors
    /// [`LinesError::Io`].
    pub fn append(&mut self, value: &impl Serialize) -> Result<(), LinesError> {
        let written = line_of(value).and_then(|line| self.file.write_all(&line));
        written.map_err(|error| LinesError::Io(self.path.clone(), error))
    }
}

/// A value as a line of JSON.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Gives a file these bytes: at every moment it holds either all of them, or what it held before.
///
/// # Errors
/// What the system says.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path))
}

/// What tells a file from others: its name without the folder, its length and its checksum.
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
    /// The fingerprint of a file as it is now.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(path: &Path) -> io::Result<Fingerprint> {
        let (bytes, crc) = checksum(File::open(path)?)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Fingerprint { name, bytes, crc32: format!("{crc:08x}") })
    }
}

/// Length and CRC-32 (IEEE) of all that can be read, which is never in memory as a whole.
///
/// # Errors
/// What the system says.
pub fn checksum(mut from: impl Read) -> io::Result<(u64, u32)> {
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
        assert!(replace(&folder.join("no/file"), b"").is_err());
        std::fs::remove_dir_all(&folder).expect("its end");
    }
}
