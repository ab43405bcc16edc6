//! The database of positions beside the board: what it says about the shown position, and what searches add to it.
//!
//! The file is open for reading, so that imports and builds can go on. Only while a person wants results to be stored
//! is it open for writing. A thread of its own stores them, so that no search waits for the disk.

pub mod view;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::{fmt, io};
use tengen::board::Setup;
use tengen::engine::{Line, Proven};
use tengen::rules::Rule;
use tengen_analysis::review::Review;
use tengen_database::{Access, Database, Error, Known, View, proven};
use tengen_session::lock;
use tengen_session::session::Storing;
use tengen_session::work::KnownPositions;

/// Receives what happens to the storing of results.
pub type StatusSink = Box<dyn Fn(Storing) + Send>;

/// A database that the board uses. Dropping it waits until everything is stored.
pub struct Explorer {
    file: Arc<File>,
    orders: Mutex<Option<Sender<Order>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread has to do.
enum Order {
    /// Store results from now on, or no more.
    Keep(bool),
    /// The lines of an analysis; the flag says whether it searched all moves.
    Lines(Box<Setup>, Rule, Vec<Line>, bool),
    Review(Box<Review>),
}

/// The file, and how it is open.
struct File {
    path: PathBuf,
    access: Mutex<Access>,
}

impl Explorer {
    /// Opens a database, and makes it if there is none.
    ///
    /// # Errors
    /// If it cannot be made, or the file is something else.
    pub fn open(path: &Path) -> Result<Explorer, Error> {
        if !path.exists() {
            drop(Database::create(path)?);
        }
        let file = File { path: path.to_owned(), access: Mutex::new(Access::Closed) };
        match file.view() {
            // It is read as soon as its writer has ended.
            Ok(_) | Err(Error::InUse(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(Explorer { file: Arc::new(file), orders: Mutex::new(None), thread: Mutex::new(None) })
    }

    /// The file's name without its folder.
    pub fn name(&self) -> String {
        self.file.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Starts the thread that stores results, when it is asked to. `tell` gets a message after each change.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(&self, tell: StatusSink) -> io::Result<()> {
        let (orders, todo) = channel();
        let file = Arc::clone(&self.file);
        let thread = std::thread::Builder::new().name("database".to_owned());
        *lock(&self.thread) = Some(thread.spawn(move || file.work(&todo, &tell))?);
        *lock(&self.orders) = Some(orders);
        Ok(())
    }

    /// The database as it is now.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn view(&self) -> Result<View, Error> {
        self.file.view()
    }

    /// Stores results from now on, or no more.
    pub fn keep(&self, on: bool) {
        self.order(Order::Keep(on));
    }

    /// A finished review, to be stored if a person wants that.
    pub fn reviewed(&self, review: Review) {
        self.order(Order::Review(Box::new(review)));
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &*lock(&self.orders) {
            // The thread ends only with its sender.
            let _ = orders.send(order);
        }
    }
}

impl KnownPositions for Explorer {
    /// A database that cannot be read knows nothing; its line in the page says why.
    fn proven(&self, setup: &Setup, rule: Rule) -> Proven {
        self.view().and_then(|view| proven(&view, setup, rule)).unwrap_or_default()
    }

    fn found(&self, setup: &Setup, rule: Rule, lines: &[Line], is_of_all: bool) {
        self.order(Order::Lines(Box::new(setup.clone()), rule, lines.to_vec(), is_of_all));
    }
}

impl fmt::Debug for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Explorer").field(&self.file.path).finish()
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        drop(lock(&self.orders).take());
        let own = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        if let Some(thread) = lock(&self.thread).take().filter(|thread| !own(thread)) {
            // The panic hook has already reported a panic of that thread.
            drop(thread.join());
        }
    }
}

impl File {
    fn view(&self) -> Result<View, Error> {
        let mut access = lock(&self.access);
        if matches!(*access, Access::Closed) {
            access.reopen(&self.path, false)?;
        }
        let view = access.view().and_then(|view| view.ok_or(Error::ReadOnly));
        if view.is_err() && matches!(*access, Access::Reader(_)) {
            // It may be another file by now.
            *access = Access::Closed;
        }
        view
    }

    fn work(&self, todo: &Receiver<Order>, tell: &StatusSink) {
        for order in todo {
            let outcome = match order {
                Order::Keep(on) => self.keep(on).map(|()| Some(Storing::On(on))),
                Order::Lines(setup, rule, lines, is_of_all) => {
                    self.write(|known| known.store_lines(&setup, rule, &lines, is_of_all))
                }
                Order::Review(review) => self.write(|known| known.store_review(&review)),
            };
            match outcome {
                Ok(status) => status.into_iter().for_each(tell),
                Err(error) => {
                    *lock(&self.access) = Access::Closed;
                    tell(Storing::Failed(error.to_string()));
                }
            }
        }
    }

    /// Opens the file for writing, or no more.
    fn keep(&self, on: bool) -> Result<(), Error> {
        let mut access = lock(&self.access);
        match on {
            true if !matches!(*access, Access::Writer(_)) => access.reopen(&self.path, true)?,
            false if matches!(*access, Access::Writer(_)) => *access = Access::Closed,
            _ => {}
        }
        Ok(())
    }

    /// Writes if the file is open for that.
    fn write(&self, change: impl FnOnce(&mut Known) -> Result<(), Error>) -> Result<Option<Storing>, Error> {
        match &mut *lock(&self.access) {
            Access::Writer(known) => change(known).map(|()| Some(Storing::Stored)),
            Access::Closed | Access::Reader(_) => Ok(None),
        }
    }
}
