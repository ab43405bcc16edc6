//! The file: tables of entries and sources in a transactional store.
//!
//! A transaction is in the file whole or not at all, whatever ends the process. One process writes, and any number of
//! others read meanwhile; each [`View`] shows the database as it was when the view began.

use crate::entry::Entry;
use crate::error::Error;
use crate::key::{Key, Place};
use crate::source::{Source, SourceId};
use redb::{
    Builder, ConcurrencyMode, DatabaseError, ReadOnlyDatabase, ReadOnlyTable, ReadTransaction, ReadableDatabase,
    ReadableTable, ReadableTableMetadata, StorageError, Table, TableDefinition, TableError,
};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tengen::board::Setup;
use tengen::rules::Rule;

/// From the key of a position and the number of a source to the entry.
const ENTRIES: TableDefinition<&[u8], &[u8]> = TableDefinition::new("entries");
/// Sources in JSON.
const SOURCES: TableDefinition<SourceId, &[u8]> = TableDefinition::new("sources");
/// Facts about the database.
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");

/// The name of the version among the facts.
const VERSION_NAME: &str = "version";
/// The version of these tables.
const VERSION: u64 = 1;

/// Memory of a database for pages of the file, in bytes.
const CACHE: usize = 64 << 20;

/// A database of positions.
pub struct Database {
    store: Store,
    path: PathBuf,
}

enum Store {
    Writer(Box<redb::Database>),
    Reader(Box<ReadOnlyDatabase>),
}

fn builder() -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE);
    // Elsewhere the store cannot lock parts of a file, and a writer excludes readers.
    if cfg!(any(target_os = "linux", target_vendor = "apple", windows)) {
        builder.set_concurrency_mode(ConcurrencyMode::SingleWriter);
    }
    builder
}

/// The error of opening a file.
fn refused(path: &Path, error: DatabaseError) -> Error {
    match error {
        DatabaseError::DatabaseAlreadyOpen => Error::InUse(path.to_owned()),
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            Error::Foreign(path.to_owned())
        }
        DatabaseError::Storage(StorageError::Io(error)) => Error::Io(path.to_owned(), error),
        error => Error::Store(Box::new(error.into())),
    }
}

impl Database {
    /// Opens a database for writing, and creates it if there is none.
    ///
    /// # Errors
    /// If another process writes it, or the file is something else.
    pub fn create(path: &Path) -> Result<Database, Error> {
        let store = builder().create(path).map_err(|error| refused(path, error))?;
        let mut database = Database { store: Store::Writer(Box::new(store)), path: path.to_owned() };
        database.check_version()?;
        Ok(database)
    }

    /// Opens a database for reading.
    ///
    /// # Errors
    /// If there is none, or the file is something else.
    pub fn open(path: &Path) -> Result<Database, Error> {
        let open = || builder().open_read_only(path);
        let store = match open() {
            // The process that wrote it was killed. A writer repairs the file when it opens it.
            Err(DatabaseError::RepairAborted) => {
                drop(builder().open(path).map_err(|error| refused(path, error))?);
                open()
            }
            opened => opened,
        };
        let store = store.map_err(|error| refused(path, error))?;
        let database = Database { store: Store::Reader(Box::new(store)), path: path.to_owned() };
        match database.version()? {
            Some(VERSION) => Ok(database),
            Some(version) => Err(Error::Newer(path.to_owned(), version)),
            None => Err(Error::Foreign(path.to_owned())),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn begin_read(&self) -> Result<ReadTransaction, Error> {
        Ok(match &self.store {
            Store::Writer(store) => store.begin_read()?,
            Store::Reader(store) => store.begin_read()?,
        })
    }

    fn version(&self) -> Result<Option<u64>, Error> {
        match self.begin_read()?.open_table(META) {
            Ok(table) => Ok(table.get(VERSION_NAME)?.map(|version| version.value())),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks the version, and makes the tables of a new database.
    fn check_version(&mut self) -> Result<(), Error> {
        match self.version()? {
            Some(VERSION) => return Ok(()),
            Some(version) => return Err(Error::Newer(self.path.clone(), version)),
            None if self.begin_read()?.list_tables()?.next().is_some() => {
                return Err(Error::Foreign(self.path.clone()));
            }
            None => {}
        }
        let transaction = self.writer()?.begin_write()?;
        transaction.open_table(META)?.insert(VERSION_NAME, VERSION)?;
        transaction.open_table(ENTRIES)?;
        transaction.open_table(SOURCES)?;
        transaction.commit()?;
        Ok(())
    }

    fn writer(&self) -> Result<&redb::Database, Error> {
        match &self.store {
            Store::Writer(store) => Ok(store),
            Store::Reader(_) => Err(Error::ReadOnly),
        }
    }

    /// The database as it is now.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn view(&self) -> Result<View, Error> {
        let transaction = self.begin_read()?;
        let mut sources = BTreeMap::new();
        for row in transaction.open_table(SOURCES)?.iter()? {
            let (id, json) = row?;
            sources.insert(id.value(), parse_source(json.value())?);
        }
        Ok(View { entries: transaction.open_table(ENTRIES)?, sources })
    }

    /// Changes the database: everything that `change` does happens, or, if it fails or the process ends, nothing. When
    /// the call returns, the changes survive a power cut.
    ///
    /// # Errors
    /// The error of `change`, or if the file cannot be written.
    pub fn write<T>(&mut self, change: impl FnOnce(&mut Changes<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let mut transaction = self.writer()?.begin_write()?;
        transaction.set_quick_repair(true);
        let result = {
            let entries = transaction.open_table(ENTRIES)?;
            let sources = transaction.open_table(SOURCES)?;
            change(&mut Changes { entries, sources })?
        };
        transaction.commit()?;
        Ok(result)
    }

    /// Frees the space of the file that earlier versions of its pages took. It fails while somebody reads.
    ///
    /// # Errors
    /// If the file cannot be written, or is being read.
    pub fn compact(&mut self) -> Result<(), Error> {
        match &mut self.store {
            Store::Writer(store) => Ok(store.compact().map(drop)?),
            Store::Reader(_) => Err(Error::ReadOnly),
        }
    }
}

fn parse_source(json: &[u8]) -> Result<Source, Error> {
    serde_json::from_slice(json).map_err(|error| Error::Damaged(format!("a source: {error}")))
}

/// Bytes of a key of the table: the position's key and the source's number.
fn row_key(key: &[u8], source: SourceId) -> Vec<u8> {
    [key, &source.to_be_bytes()].concat()
}

/// Key and source of a row.
fn parse_row_key(bytes: &[u8]) -> Result<(Key, SourceId), Error> {
    let (key, source) = bytes.split_last_chunk().ok_or_else(|| Error::Damaged("a key is too short".to_owned()))?;
    Ok((Key::of_bytes(key), SourceId::from_be_bytes(*source)))
}

/// A state of the database.
pub struct View {
    entries: ReadOnlyTable<&'static [u8], &'static [u8]>,
    sources: BTreeMap<SourceId, Source>,
}

impl View {
    /// All sources.
    pub fn sources(&self) -> &BTreeMap<SourceId, Source> {
        &self.sources
    }

    /// Number of entries; a position has one for each of its sources.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn len(&self) -> Result<u64, Error> {
        Ok(self.entries.len()?)
    }

    /// Whether there are no entries.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len()? == 0)
    }

    /// The entries of a position, with their sources, in the order of the sources. Points are those of the position.
    ///
    /// # Errors
    /// If the setup is not a position, or the database cannot be read.
    pub fn entries(&self, setup: &Setup, rule: Rule) -> Result<Vec<(SourceId, Entry)>, Error> {
        let place = Place::of(setup, rule)?;
        let stored = self.stored(&place.key)?;
        Ok(stored.into_iter().map(|(source, entry)| (source, entry.restored(&place))).collect())
    }

    /// The entries of a key, with points of the stored image.
    pub(crate) fn stored(&self, key: &Key) -> Result<Vec<(SourceId, Entry)>, Error> {
        let (first, last) = (row_key(key.bytes(), 0), row_key(key.bytes(), SourceId::MAX));
        let size = key.size()?;
        let rows = self.entries.range(&first[..]..=&last[..])?;
        let entry = |row: Result<_, StorageError>| {
            let (key, bytes): (redb::AccessGuard<'_, &[u8]>, redb::AccessGuard<'_, &[u8]>) = row?;
            Ok((parse_row_key(key.value())?.1, Entry::decode(bytes.value(), size)?))
        };
        rows.map(entry).collect()
    }

    /// Passes all entries to `take` until it returns false: each with its key and source, those of a position one after
    /// another. Points are those of the stored image.
    ///
    /// # Errors
    /// If the database cannot be read, or an entry is damaged.
    pub fn scan(&self, mut take: impl FnMut(&Key, SourceId, Entry) -> bool) -> Result<(), Error> {
        for row in self.entries.iter()? {
            let (key, bytes) = row?;
            let (key, source) = parse_row_key(key.value())?;
            let entry = Entry::decode(bytes.value(), key.size()?)?;
            if !take(&key, source, entry) {
                break;
            }
        }
        Ok(())
    }
}

/// Changes of a database that take effect together.
pub struct Changes<'a> {
    entries: Table<'a, &'static [u8], &'static [u8]>,
    sources: Table<'a, SourceId, &'static [u8]>,
}

impl Changes<'_> {
    /// The number of a new source.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub fn add_source(&mut self, source: &Source) -> Result<SourceId, Error> {
        let last = self.sources.last()?.map_or(0, |(id, _)| id.value());
        let id = last.checked_add(1).ok_or_else(|| Error::Damaged("too many sources".to_owned()))?;
        self.set_source(id, source)?;
        Ok(id)
    }

    /// Replaces a source.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn set_source(&mut self, id: SourceId, source: &Source) -> Result<(), Error> {
        let json = serde_json::to_vec(source).map_err(|error| Error::Damaged(error.to_string()))?;
        self.sources.insert(id, &json[..])?;
        Ok(())
    }

    /// The number of the source with this name and kind; a new one if there is none.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub fn own_source(&mut self, source: &Source) -> Result<SourceId, Error> {
        for row in self.sources.iter()? {
            let (id, json) = row?;
            let known = parse_source(json.value())?;
            if (known.kind, &known.name) == (source.kind, &source.name) {
                return Ok(id.value());
            }
        }
        self.add_source(source)
    }

    /// A source's entry for a position, with points of the position.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn entry(&self, place: &Place, source: SourceId) -> Result<Option<Entry>, Error> {
        Ok(self.stored(&place.key, source)?.map(|entry| entry.restored(place)))
    }

    /// Replaces a source's entry for a position; the points are those of the position.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn set(&mut self, place: &Place, source: SourceId, entry: Entry) -> Result<(), Error> {
        self.set_stored(&place.key, source, &entry.stored(place))
    }

    /// Changes a source's entry for a position, or a new one; the points are those of the position.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub fn update(&mut self, place: &Place, source: SourceId, change: impl FnOnce(&mut Entry)) -> Result<Entry, Error> {
        let mut entry = self.entry(place, source)?.unwrap_or_default();
        change(&mut entry);
        self.set(place, source, entry.clone())?;
        Ok(entry)
    }

    /// Removes what all sources say about a position; returns the number of entries.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub fn remove(&mut self, place: &Place) -> Result<u64, Error> {
        let (first, last) = (row_key(place.key.bytes(), 0), row_key(place.key.bytes(), SourceId::MAX));
        let mut count = 0;
        self.entries.retain_in(&first[..]..=&last[..], |_, _| {
            count += 1;
            false
        })?;
        Ok(count)
    }

    /// Adds to a source's entry; see [`Entry::merge`]. The points are those of the stored image. A comment that would
    /// become longer than `longest` stays as it is; the result is false then.
    pub(crate) fn merge_stored(
        &mut self,
        key: &Key,
        source: SourceId,
        mut entry: Entry,
        longest: usize,
    ) -> Result<bool, Error> {
        let mut merged = self.stored(key, source)?.unwrap_or_default();
        let is_new = !merged.text.contains(&entry.text);
        let is_long = is_new && !merged.text.is_empty() && merged.text.len() + entry.text.len() > longest;
        if is_long {
            entry.text.clear();
        }
        merged.merge(entry);
        self.set_stored(key, source, &merged)?;
        Ok(!is_long)
    }

    fn stored(&self, key: &Key, source: SourceId) -> Result<Option<Entry>, Error> {
        let size = key.size()?;
        let bytes = self.entries.get(&row_key(key.bytes(), source)[..])?;
        Ok(bytes.map(|bytes| Entry::decode(bytes.value(), size)).transpose()?)
    }

    fn set_stored(&mut self, key: &Key, source: SourceId, entry: &Entry) -> Result<(), Error> {
        let size = key.size()?;
        self.entries.insert(&row_key(key.bytes(), source)[..], &entry.encode(size)[..])?;
        Ok(())
    }

    /// Removes a source with all its entries.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub fn remove_source(&mut self, source: SourceId) -> Result<(), Error> {
        let suffix = source.to_be_bytes();
        self.entries.retain(|key, _| !key.ends_with(&suffix))?;
        self.sources.remove(source)?;
        Ok(())
    }
}
