//! Saved games on disk: one file each in the state directory, under names that are made here.
//!
//! A file is written beside its place and then moved there, so that an end in the middle leaves the old one. Only the
//! owner may read them where the system knows owners. What is read may be damaged, and is then passed over.

use super::session::Saved;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Games that are kept; the oldest go first.
const KEPT: usize = 50;
/// Most bytes of a file that is read.
const MAX_BYTES: u64 = 64 << 20;

/// Name of a saved game's file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

const BEGINNING: &str = "game-";
const ENDING: &str = ".json";

impl Name {
    /// A name that no other file has, in the order of time.
    fn fresh() -> Name {
        // Without randomness the time has to do.
        let random = getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id()));
        Name(format!("{BEGINNING}{:012}-{random:016x}{ENDING}", now()))
    }

    /// The name of a file, if it is one of ours.
    fn of(file: &str) -> Option<Name> {
        let middle = file.strip_prefix(BEGINNING)?.strip_suffix(ENDING)?;
        let (time, random) = middle.split_once('-')?;
        let is_ours = time.len() == 12
            && time.bytes().all(|c| c.is_ascii_digit())
            && random.len() == 16
            && random.bytes().all(|c| c.is_ascii_hexdigit());
        is_ours.then(|| Name(file.to_owned()))
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// A file's content.
#[derive(Serialize)]
struct Written<'a> {
    saved: u64,
    game: &'a Saved,
}

/// The same, read.
#[derive(Deserialize)]
struct Known {
    saved: u64,
    game: Saved,
}

/// A game that was saved earlier.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its file.
    pub name: Name,
    /// The game.
    pub game: Saved,
    /// When it was saved, in seconds since 1970.
    pub saved: u64,
}

/// A directory of saved games.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The games in a folder, which is made if it is missing.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Store> {
        let folder = folder.into();
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Store { folder })
    }

    /// A name for another game.
    pub fn name(&self) -> Name {
        Name::fresh()
    }

    /// Writes a game, replacing what its file held, and removes the oldest games beyond those that are kept.
    ///
    /// # Errors
    /// What the system says; the old file is still there then.
    pub fn write(&self, name: &Name, game: &Saved) -> io::Result<()> {
        let bytes = serde_json::to_vec(&Written { saved: now(), game })?;
        let beside = self.folder.join(format!("{}.new", name.0));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(&beside).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_all()
        });
        let moved = written.and_then(|()| fs::rename(&beside, self.folder.join(&name.0)));
        if moved.is_err() {
            // Nothing is lost if that fails too.
            let _ = fs::remove_file(&beside);
        }
        moved?;
        self.prune(name);
        Ok(())
    }

    /// The game that was saved last, files that cannot be read being passed over.
    pub fn newest(&self) -> Option<Found> {
        let time = |name: &Name| fs::metadata(self.folder.join(&name.0)).and_then(|data| data.modified()).ok();
        let mut names: Vec<(Option<SystemTime>, Name)> =
            self.names().into_iter().map(|name| (time(&name), name)).collect();
        names.sort();
        names.into_iter().rev().find_map(|(_, name)| self.read(name))
    }

    fn read(&self, name: Name) -> Option<Found> {
        let mut bytes = Vec::new();
        File::open(self.folder.join(&name.0)).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let Known { saved, game } = serde_json::from_slice(&bytes).ok()?;
        Some(Found { name, game, saved })
    }

    /// Our files, oldest name first.
    fn names(&self) -> Vec<Name> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut names: Vec<Name> =
            entries.flatten().filter_map(|entry| Name::of(entry.file_name().to_str()?)).collect();
        names.sort();
        names
    }

    fn prune(&self, written: &Name) {
        let names = self.names();
        let surplus = names.len().saturating_sub(KEPT);
        for name in names.iter().filter(|name| *name != written).take(surplus) {
            // Another program may have been quicker.
            let _ = fs::remove_file(self.folder.join(&name.0));
        }
    }
}

/// Where this system keeps the state of programs: `$XDG_STATE_HOME/tengen` or `~/.local/state/tengen`,
/// `%LOCALAPPDATA%\tengen` on Windows, `~/Library/Application Support/tengen` on macOS. `None` where the environment
/// does not say.
pub fn default_folder() -> Option<PathBuf> {
    folder_by(|name| std::env::var_os(name))
}

fn folder_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = |rest: &str| absolute("HOME").map(|home| home.join(Path::new(rest)));
    let base = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home("Library/Application Support")
    } else {
        absolute("XDG_STATE_HOME").or_else(|| home(".local/state"))
    };
    base.map(|base| base.join("tengen"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::command::Command;
    use crate::play::session::{Session, Surroundings};
    use crate::play::view::Settings;
    use std::time::Instant;

    /// A folder of its own that goes away with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Folder {
            Folder(std::env::temp_dir().join(format!("tengen-store-{:016x}", getrandom::u64().unwrap())))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A game of this number of moves.
    fn game(moves: usize) -> Saved {
        let settings = Settings { threads: 1, processors: 1, hash_mb: 1 };
        let mut session = Session::new(Surroundings { seed: 1, settings });
        for column in ["a", "b", "c"].iter().take(moves) {
            let place = Command::Move { at: format!("{column}{moves}") };
            session.handle(place, Some(session.rev()), Instant::now()).expect("a move");
        }
        session.save().expect("a game with moves")
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        assert_eq!(store.newest(), None);
        let name = store.name();
        store.write(&name, &game(1)).unwrap();
        store.write(&name, &game(2)).unwrap();
        let found = Store::open(&folder.0).unwrap().newest().unwrap();
        assert_eq!((&found.name, &found.game), (&name, &game(2)));
        assert!(found.saved + 60 > now());
        let files: Vec<_> = fs::read_dir(&folder.0).unwrap().flatten().collect();
        assert_eq!(files.len(), 1, "nothing is left beside it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&folder.0), mode(&files[0].path())), (0o700, 0o600));
        }
    }

    #[test]
    fn damaged_and_foreign_files_are_passed_over() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        let name = store.name();
        store.write(&name, &game(3)).unwrap();
        let whole = fs::read(folder.0.join(&name.0)).unwrap();
        // All of these are newer.
        for bytes in [&b""[..], b"{", b"[1,2]", &whole[..whole.len() / 2], b"\xff\xfe\x00"] {
            fs::write(folder.0.join(store.name().0), bytes).unwrap();
        }
        let text = String::from_utf8(whole).unwrap();
        fs::write(folder.0.join(store.name().0), text.replace("\"version\"", "\"verso\"")).unwrap();
        fs::write(folder.0.join("game-1.json"), &text).unwrap();
        fs::create_dir(folder.0.join(store.name().0)).unwrap();
        assert_eq!(store.newest().map(|found| found.name), Some(name));
    }

    #[test]
    fn only_the_last_games_are_kept() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        fs::write(folder.0.join("notes.txt"), "mine").unwrap();
        let names: Vec<Name> =
            (0..KEPT as u64 + 3).map(|n| Name(format!("{BEGINNING}{n:012}-{n:016x}{ENDING}"))).collect();
        for name in &names {
            store.write(name, &game(1)).unwrap();
        }
        assert_eq!(store.names(), names[3..]);
        // The game that is written stays, however old its name is.
        store.write(&names[0], &game(1)).unwrap();
        assert_eq!((store.names().len(), &store.names()[0]), (KEPT, &names[0]));
        assert!(folder.0.join("notes.txt").exists());
    }

    #[test]
    fn names_are_never_paths() {
        let name = Name::fresh();
        assert_eq!(Name::of(&name.0), Some(name.clone()));
        assert!(name < Name::of("game-999999999999-0000000000000000.json").unwrap());
        for bad in
            ["game-1-2.json", "../game-000000000001-0000000000000001.json", "game-000000000001-000000000000000g.json"]
        {
            assert_eq!(Name::of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = Folder::new();
        fs::write(&folder.0, "a file").unwrap();
        assert!(Store::open(folder.0.join("below")).is_err());
        fs::remove_file(&folder.0).unwrap();
    }

    #[test]
    #[cfg(not(any(windows, target_os = "macos")))]
    fn the_folder_is_where_the_system_says() {
        let of = |known: &[(&str, &str)]| {
            folder_by(|name| known.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).into()))
        };
        assert_eq!(of(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]), Some("/s/tengen".into()));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_STATE_HOME", "s")]), Some("/h/.local/state/tengen".into()));
        assert_eq!(of(&[]), None);
    }
}
