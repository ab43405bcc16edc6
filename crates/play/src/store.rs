//! Saved games on disk: one file for each, in the state directory. This module chooses the names.
//!
//! A file is written under a temporary name and then renamed, so that a crash in the middle leaves the old one. Where
//! the system has file owners, only the owner may read it. A damaged file is skipped, and a note reports it.
//!
//! Several programs may share a folder. Each game has one writer, which holds a lock file; other programs get a copy.
//!
//! The order of games does not rely on the clock: a game that is written becomes the newest by its number and its time,
//! whatever the times of the others are.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tengen_files::lock::{Hold, LockError};
use tengen_files::{self as files, Access};
use tengen_session::lock;
use tengen_session::session::Saved;

/// Maximum number of saved games; the oldest are removed first.
const KEPT: usize = 50;
/// Number of games that this program wrote last. They are not removed, even if their times are old.
const OWN: usize = 16;
/// Maximum length of a file in bytes, for writing and reading.
const MAX_BYTES: u64 = 64 << 20;

/// Name of a saved game's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    /// Seconds since 1970 if the clock is right; newer games have larger numbers in any case.
    number: u64,
    random: u64,
}

const BEGINNING: &str = "game-";
const ENDING: &str = ".json";
/// Suffix of the lock file's name after the game's name.
const LOCK: &str = ".lock";

impl Name {
    /// A unique name that sorts after all existing ones.
    fn after(newest: Option<Name>) -> Name {
        let number = newest.map_or(0, |name| name.number.saturating_add(1)).max(now());
        // Without random numbers the time and the process id have to do.
        let random = getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id()));
        Name { number, random }
    }

    /// Parses the name of a saved game's file; `None` for other files.
    fn of(file: &str) -> Option<Name> {
        let (number, random) = file.strip_prefix(BEGINNING)?.strip_suffix(ENDING)?.split_once('-')?;
        let name = Name { number: number.parse().ok()?, random: u64::from_str_radix(random, 16).ok()? };
        (name.file() == file).then_some(name)
    }

    fn file(self) -> String {
        let Name { number, random } = self;
        format!("{BEGINNING}{number:012}-{random:016x}{ENDING}")
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// The content of a file, for writing.
#[derive(Serialize)]
struct Written<'a> {
    saved: u64,
    game: &'a Saved,
}

/// The content of a file, for reading.
#[derive(Deserialize)]
struct Known {
    saved: u64,
    game: Saved,
}

/// The file of a game. No other program writes it while this value exists.
#[derive(Debug)]
pub struct Place {
    name: Name,
    _hold: Hold,
}

/// A game that was saved earlier.
#[derive(Debug)]
pub struct Found {
    /// Its file; `None` if another program is using it, so that only a copy can be continued.
    pub place: Option<Place>,
    /// The game.
    pub game: Saved,
    /// When it was saved, in seconds since 1970.
    pub saved: u64,
}

/// A folder of saved games.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The games that this program wrote; the last one is the latest.
    own: Mutex<VecDeque<Name>>,
    /// Problems that have not been reported yet.
    notes: Mutex<BTreeSet<String>>,
}

impl Store {
    /// Opens a folder of games. Creates the folder if it is missing.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Store> {
        let folder = folder.into();
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        files::clean(&folder, is_orphan);
        let store = Store { folder, own: Mutex::default(), notes: Mutex::default() };
        store.free_locks();
        Ok(store)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Problems found in the folder, one a line. Each is returned once.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.notes)).into_iter().collect()
    }

    /// A place for a new game.
    ///
    /// # Errors
    /// The error of the system.
    pub fn place(&self) -> io::Result<Place> {
        let name = Name::after(self.names().into_iter().max());
        let hold = self.hold(name).map_err(|error| match error {
            LockError::Io(_, error) => error,
            LockError::InUse(_) => io::ErrorKind::ResourceBusy.into(),
        })?;
        Ok(Place { name, _hold: hold })
    }

    /// Writes a game to its file, and removes the oldest games beyond the limit.
    ///
    /// # Errors
    /// The error of the system, or that the game is too large to be read again; the old file is still there then.
    pub fn write(&self, place: &Place, game: &Saved) -> io::Result<()> {
        let name = place.name;
        let bytes = serde_json::to_vec(&Written { saved: now(), game })?;
        if bytes.len() as u64 > MAX_BYTES {
            let text = format!("it has more than {} MiB; save it as a file yourself", MAX_BYTES >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let others = self.names().into_iter().filter(|other| *other != name);
        let newest = others.filter_map(|other| self.time(other)).max();
        let after = newest.and_then(|time| time.checked_add(Duration::from_millis(1)));
        let time = after.map_or_else(SystemTime::now, |after| after.max(SystemTime::now()));
        files::replace_with(&self.path(name), &bytes, Access::Private, Some(time))?;
        let mut own = lock(&self.own);
        own.retain(|other| *other != name);
        own.push_back(name);
        if own.len() > OWN {
            own.pop_front();
        }
        self.prune(&own);
        Ok(())
    }

    /// The game that was saved last. Files that cannot be read are skipped.
    pub fn newest(&self) -> Option<Found> {
        self.by_age().into_iter().rev().find_map(|name| {
            // Takes the lock first, so that no other program writes the file while it is read.
            let place = match self.hold(name) {
                Ok(hold) => Some(Place { name, _hold: hold }),
                Err(LockError::InUse(_)) => None,
                Err(LockError::Io(_, error)) => {
                    self.note(&name.file(), &format!("cannot be locked, only copied: {error}"));
                    None
                }
            };
            match self.read(name) {
                Ok(Known { saved, game }) => Some(Found { place, game, saved }),
                Err(error) => {
                    self.note(&name.file(), &format!("cannot be read and is passed over: {error}"));
                    None
                }
            }
        })
    }

    fn read(&self, name: Name) -> io::Result<Known> {
        let mut bytes = Vec::new();
        File::open(self.path(name))?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(serde_json::from_slice(&bytes)?)
    }

    fn path(&self, name: Name) -> PathBuf {
        self.folder.join(name.file())
    }

    /// The modification time of a file, from the file system.
    fn time(&self, name: Name) -> Option<SystemTime> {
        fs::metadata(self.path(name)).and_then(|data| data.modified()).ok()
    }

    fn hold(&self, name: Name) -> Result<Hold, LockError> {
        Hold::take(&self.folder.join(name.file() + LOCK))
    }

    /// Removes lock files of killed programs.
    fn free_locks(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let name = |entry: &fs::DirEntry| Name::of(entry.file_name().to_str()?.strip_suffix(LOCK)?);
        // Taking a lock and dropping it removes its file.
        entries.flatten().filter(|entry| name(entry).is_some()).for_each(|entry| drop(Hold::take(&entry.path())));
    }

    fn note(&self, file: &str, what: &str) {
        lock(&self.notes).insert(format!("{}: {what}", self.folder.join(file).display()));
    }

    /// Files of saved games, unordered. Entries with such a name that are not files, for example pipes, are ignored.
    fn names(&self) -> Vec<Name> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let named = entries.flatten().filter_map(|entry| Name::of(entry.file_name().to_str()?));
        let is_file = |name: &Name| match fs::metadata(self.path(*name)) {
            Ok(data) if !data.is_file() => {
                self.note(&name.file(), "is no regular file and is ignored");
                false
            }
            data => data.is_ok(),
        };
        named.filter(is_file).collect()
    }

    /// Files of saved games, oldest first.
    fn by_age(&self) -> Vec<Name> {
        let mut names: Vec<_> = self.names().into_iter().map(|name| (self.time(name), name)).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Removes the oldest games beyond the limit, except the ones in `own` and the ones in use.
    fn prune(&self, own: &VecDeque<Name>) {
        let names = self.by_age();
        let surplus = names.len().saturating_sub(KEPT);
        let mut removed = 0;
        for name in names.into_iter().filter(|name| !own.contains(name)) {
            if removed == surplus {
                break;
            }
            if let Ok(_hold) = self.hold(name) {
                // Another program may have removed it already.
                let _ = fs::remove_file(self.path(name));
                removed += 1;
            }
        }
    }
}

/// Whether a name is that of a file that a killed program left beside a game.
fn is_orphan(file: &str) -> bool {
    let is_game = |game: Option<&str>| game.is_some_and(|game| Name::of(game).is_some());
    // Names from earlier versions.
    let is_old = is_game(file.strip_suffix(".new"));
    let end = file.find(ENDING).map(|at| &file[..at + ENDING.len()]);
    is_old || is_game(end) && end.is_some_and(|game| files::is_part(file, game))
}

/// The system's folder for the state of programs: `$XDG_STATE_HOME/tengen` or `~/.local/state/tengen`,
/// `%LOCALAPPDATA%\tengen` on Windows, `~/Library/Application Support/tengen` on macOS. `None` if the environment does
/// not define it.
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
    use std::time::Instant;
    use tengen_session::command::Command;
    use tengen_session::session::{Session, SessionConfig};
    use tengen_session::view::Settings;

    /// A temporary folder, removed on drop.
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

    /// A game with this number of moves.
    fn game(moves: usize) -> Saved {
        let settings = Settings { threads: 1, processors: 1, hash_mb: 1 };
        let mut session = Session::new(SessionConfig { seed: 1, settings, largest_hash_mb: 1_024 });
        for column in ["a", "b", "c"].iter().take(moves) {
            let place = Command::Move { at: format!("{column}{moves}") };
            session.handle(place, Some(session.rev()), Instant::now()).expect("a move");
        }
        session.save().expect("a game with moves")
    }

    /// Files in a folder, without lock files.
    fn files(folder: &Folder) -> Vec<PathBuf> {
        let entries = fs::read_dir(&folder.0).unwrap().flatten().map(|entry| entry.path());
        entries.filter(|path| path.extension().is_none_or(|ending| ending != "lock")).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        assert!(store.newest().is_none());
        let place = store.place().unwrap();
        store.write(&place, &game(1)).unwrap();
        store.write(&place, &game(2)).unwrap();
        let name = place.name;
        drop(place);
        let found = Store::open(&folder.0).unwrap().newest().unwrap();
        assert_eq!((found.place.as_ref().map(|place| place.name), &found.game), (Some(name), &game(2)));
        assert!(found.saved + 60 > now());
        let files = files(&folder);
        assert_eq!(files.len(), 1, "nothing is left beside it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&folder.0), mode(&files[0])), (0o700, 0o600));
        }
        drop(found);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "no lock either");
        assert_eq!(store.notes(), [""; 0]);
    }

    #[test]
    fn a_game_has_one_writer_and_others_get_a_copy() {
        let folder = Folder::new();
        let [one, two] = [(); 2].map(|()| Store::open(&folder.0).unwrap());
        let place = one.place().unwrap();
        one.write(&place, &game(1)).unwrap();
        let copy = two.newest().unwrap();
        assert!(copy.place.is_none() && copy.game == game(1));
        let own = two.place().unwrap();
        assert_ne!(own.name, place.name);
        two.write(&own, &game(3)).unwrap();
        one.write(&place, &game(2)).unwrap();
        assert_eq!(files(&folder).len(), 2);
        drop(place);
        let found = two.newest().unwrap();
        assert!(found.place.is_some() && found.game == game(2), "it was saved last, and nobody uses it any more");
    }

    #[test]
    fn damaged_and_foreign_files_are_passed_over_and_noted() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        let place = store.place().unwrap();
        store.write(&place, &game(3)).unwrap();
        let whole = fs::read(store.path(place.name)).unwrap();
        let name = place.name;
        drop(place);
        let mut newest = name;
        let mut newer = || {
            newest = Name::after(Some(newest));
            store.path(newest)
        };
        // All of these are newer.
        for bytes in [&b""[..], b"{", b"[1,2]", &whole[..whole.len() / 2], b"\xff\xfe\x00"] {
            fs::write(newer(), bytes).unwrap();
        }
        let text = String::from_utf8(whole).unwrap();
        fs::write(newer(), text.replace("\"version\"", "\"verso\"")).unwrap();
        fs::write(folder.0.join("game-1.json"), &text).unwrap();
        let large = newer();
        File::create(&large).and_then(|file| file.set_len(MAX_BYTES + 1)).unwrap();
        let mut ignored = 1;
        fs::create_dir(newer()).unwrap();
        #[cfg(unix)]
        {
            // Reading a pipe would block.
            let pipe = newer();
            let made = std::process::Command::new("mkfifo").arg(pipe).status();
            ignored += usize::from(made.is_ok_and(|status| status.success()));
        }
        let found = store.newest().unwrap();
        assert_eq!(found.place.map(|place| place.name), Some(name));
        let notes = store.notes();
        let count = |what: &str| notes.iter().filter(|note| note.contains(what)).count();
        assert_eq!((count("cannot be read"), count("no regular file"), notes.len()), (7, ignored, 7 + ignored));
        assert!(notes.iter().all(|note| !note.contains('\n')), "{notes:?}");
    }

    #[test]
    fn what_is_too_large_to_be_read_is_not_written() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        let place = store.place().unwrap();
        store.write(&place, &game(1)).unwrap();
        let large = Saved { sgf: "x".repeat(MAX_BYTES as usize), ..game(2) };
        let error = store.write(&place, &large).unwrap_err().to_string();
        assert!(error.contains("more than 64 MiB"), "{error}");
        drop(place);
        assert_eq!(store.newest().unwrap().game, game(1));
        // The largest allowed game can be read again.
        let bytes =
            serde_json::to_vec(&Written { saved: now(), game: &Saved { sgf: String::new(), ..game(2) } }).unwrap();
        let fits = Saved { sgf: "x".repeat(MAX_BYTES as usize - bytes.len()), ..game(2) };
        store.write(&store.place().unwrap(), &fits).unwrap();
        assert_eq!(store.newest().unwrap().game, fits);
    }

    #[test]
    fn only_the_last_games_are_kept() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        fs::write(folder.0.join("notes.txt"), "mine").unwrap();
        let names: Vec<Name> = (0..KEPT as u64 + 3).map(|n| Name { number: n, random: n }).collect();
        let write = |name: Name| store.write(&Place { name, _hold: store.hold(name).unwrap() }, &game(1)).unwrap();
        names.iter().copied().for_each(write);
        assert_eq!(store.by_age(), names[3..]);
        // The game that is being written stays, even if its name is old.
        write(names[0]);
        assert_eq!((store.names().len(), store.by_age().last()), (KEPT, Some(&names[0])));
        assert!(folder.0.join("notes.txt").exists());
        // A game that is in use stays, too.
        let oldest = store.by_age()[0];
        let hold = store.hold(oldest).unwrap();
        let more = Store::open(&folder.0).unwrap();
        (0..3).for_each(|_| more.write(&more.place().unwrap(), &game(1)).unwrap());
        assert!(store.path(oldest).exists());
        assert_eq!(store.names().len(), KEPT);
        drop(hold);
    }

    #[test]
    fn games_from_the_future_push_none_out() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        let whole = serde_json::to_vec(&Written { saved: 1, game: &game(1) }).unwrap();
        let far = UNIX_EPOCH + Duration::from_secs(7_000_000_000);
        for random in 0..KEPT as u64 {
            let path = store.path(Name { number: 999_999_999_990 + random, random });
            fs::write(&path, &whole).unwrap();
            File::options().write(true).open(path).and_then(|file| file.set_modified(far)).unwrap();
        }
        // One after another, like programs that do not know of each other.
        let names: Vec<Name> = (0..4)
            .map(|_| {
                let store = Store::open(&folder.0).unwrap();
                let place = store.place().unwrap();
                store.write(&place, &game(2)).unwrap();
                place.name
            })
            .collect();
        assert_eq!(store.names().len(), KEPT);
        assert_eq!(store.by_age()[KEPT - 4..], names);
        assert_eq!(store.newest().unwrap().game, game(2));
    }

    #[test]
    fn what_killed_programs_left_is_removed() {
        let folder = Folder::new();
        let store = Store::open(&folder.0).unwrap();
        let place = store.place().unwrap();
        store.write(&place, &game(1)).unwrap();
        let (ours, other) = (place.name.file(), Name { number: 1, random: 1 }.file());
        let orphans = [format!("{other}.new"), format!("{other}.abCD12.part"), format!("{other}{LOCK}")];
        for name in orphans.iter().chain([&"notes.json.new".to_owned(), &"x.part".to_owned()]) {
            fs::write(folder.0.join(name), "half").unwrap();
        }
        drop(Store::open(&folder.0).unwrap());
        assert!(orphans.iter().all(|name| !folder.0.join(name).exists()));
        assert!(folder.0.join(ours.clone() + LOCK).exists(), "it is in use");
        assert!(["notes.json.new", "x.part", &ours].iter().all(|name| folder.0.join(name).exists()));
    }

    #[test]
    fn names_are_never_paths() {
        let name = Name::after(None);
        assert_eq!(Name::of(&name.file()), Some(name));
        let far = Name::of("game-999999999999-0000000000000000.json").unwrap();
        assert!(name < far && far < Name::after(Some(far)));
        let last = Name { number: u64::MAX, random: 0 };
        assert_eq!(Name::of(&Name::after(Some(last)).file()).map(|name| name.number), Some(u64::MAX));
        for bad in [
            "game-1-2.json",
            "../game-000000000001-0000000000000001.json",
            "game-000000000001-000000000000000g.json",
            "game-+00000000001-0000000000000001.json",
            "game-0000000000001-0000000000000001.json",
            "game-000000000001-000000000000000A.json",
        ] {
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
