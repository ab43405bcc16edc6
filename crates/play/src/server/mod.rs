//! A web server for one person on this computer: it binds to the loopback interface, serves the embedded page, takes
//! commands, and streams events.
//!
//! Whoever shares the computer can connect too, and so can any web page that the person's browser shows. Hence
//! nothing is believed that a request says of itself: see `guard.rs` for who is let in, and `head.rs` and
//! `connection.rs` for what a request may cost, `crowd.rs` for how many there may be, and `address.rs` for how the
//! person's other browsers get in. Requests come one to a connection. All of it runs on one thread.
//!
//! The server knows nothing of games: what it serves is an [`App`].

pub mod address;
pub mod app;
pub mod assets;
mod connection;
mod crowd;
mod guard;
mod head;
pub mod hub;
mod routes;
mod stream;

use app::App;
use connection::Lease;
use crowd::Crowd;
use guard::Guard;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use stream::Streams;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time;

/// The server gives up when so many connections in a row have ended in a panic: it would serve nothing.
const PANICS: usize = 3;

/// Time that clients have to read the last event, `bye` or `replaced`.
const CLOSE_GRACE: Duration = Duration::from_secs(1);

/// How the server is run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Port to listen at; 0 takes a free one.
    pub port: u16,
    /// Whether the program goes on when nobody has looked at it for [`Times::unused`].
    pub stay: bool,
    /// What the server waits for, and how long.
    pub times: Times,
    /// A folder whose files are served instead of the embedded ones, so that a page can be changed while it is shown.
    #[cfg(debug_assertions)]
    pub dev_assets: Option<std::path::PathBuf>,
}

/// What the server waits for, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// A launch code lives so long.
    pub code: Duration,
    /// A client has so long to send the head of its request. Browsers open connections that they do not need.
    pub head: Duration,
    /// And so long for a command's body.
    pub request: Duration,
    /// A client has so long to send a file.
    pub import: Duration,
    /// A connection other than a stream lasts no longer.
    pub total: Duration,
    /// A stream carries a sign of life so often.
    pub heartbeat: Duration,
    /// The program ends so long after the last stream closed.
    pub unused: Duration,
}

impl Default for Times {
    fn default() -> Times {
        let seconds = Duration::from_secs;
        Times {
            code: seconds(60),
            head: seconds(2),
            request: seconds(5),
            import: seconds(30),
            total: seconds(60),
            heartbeat: seconds(15),
            unused: seconds(60),
        }
    }
}

/// An address that a person carries to a browser is good for so long, or until it is used.
pub const BY_HAND: Duration = Duration::from_secs(24 * 60 * 60);

/// What all connections share.
struct Shared {
    address: SocketAddr,
    app: Arc<dyn App>,
    guard: Guard,
    streams: Streams,
    stop: Notify,
    settings: Settings,
}

impl Shared {
    /// An address for a browser, with a new code that lives so long.
    fn url(&self, life: Duration) -> String {
        format!("http://{}/#code={}", self.address, self.guard.launch_code(life))
    }
}

/// A running server.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: JoinHandle<io::Result<()>>,
}

/// Ends a server from elsewhere, and gives out its addresses.
#[derive(Clone)]
pub struct StopHandle(Arc<Shared>);

impl StopHandle {
    /// Ends the server: the application is closed, and clients are told `bye`. Does not wait for it.
    pub fn stop(&self) {
        self.0.stop.notify_one();
    }

    /// See [`Server::url_by_hand`].
    pub fn url_by_hand(&self) -> String {
        self.0.url(BY_HAND)
    }
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// An address for a browser. It holds a new launch code, good for one use within [`Times::code`]: it may be seen
    /// by others, for example in a list of processes, since it is worth nothing once the page is open.
    pub fn url(&self) -> String {
        self.shared.url(self.shared.settings.times.code)
    }

    /// The same for a person who carries it to another browser, and may take their time.
    pub fn url_by_hand(&self) -> String {
        self.shared.url(BY_HAND)
    }

    /// Lets [`address::ask`] find this server by a file in this folder, which only its owner can read.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn announce(&self, folder: &Path) -> io::Result<address::Announcement> {
        address::announce(folder, self.address.port(), self.shared.guard.key())
    }

    /// A handle by which the server is ended.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.shared))
    }

    /// Waits until the server has ended.
    ///
    /// # Errors
    /// If it could not go on.
    pub fn wait(self) -> io::Result<()> {
        // What the panic was has been reported by its hook.
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the board's server ended by a panic")))
    }
}

/// Starts a server for this application on its own thread.
///
/// # Errors
/// The port is taken, or the system lacks what a server needs.
pub fn serve(app: Arc<dyn App>, settings: Settings) -> io::Result<Server> {
    check_clock(SystemTime::now())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let guard = Guard::new(address.port())?;
    let shared = Arc::new(Shared { address, app, guard, streams: Streams::default(), stop: Notify::new(), settings });
    let own = Arc::clone(&shared);
    let thread = std::thread::Builder::new().name("server".to_owned()).spawn(move || {
        let ended = runtime.block_on(run(listener, own));
        runtime.shutdown_timeout(CLOSE_GRACE);
        ended
    })?;
    Ok(Server { address, shared, thread })
}

/// HTTP knows the years 1970 to 9999, and the library that speaks it panics in all others.
fn check_clock(now: SystemTime) -> io::Result<()> {
    const YEAR_10000: u64 = 253_402_300_800;
    match now.duration_since(UNIX_EPOCH) {
        Ok(since) if since.as_secs() < YEAR_10000 => Ok(()),
        _ => Err(io::Error::other(
            "this computer's clock is outside the years 1970 to 9999, and the board needs it right",
        )),
    }
}

/// Shows an address in the person's browser.
///
/// # Errors
/// No browser was found, or it did not start.
pub fn open_browser(url: &str) -> io::Result<()> {
    open::that_detached(url)
}

/// Accepts connections until the server is stopped or nobody uses it any more.
async fn run(listener: TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            shared.app.close();
            return Err(error);
        }
    };
    let router = routes::router(Arc::clone(&shared));
    let (mut connections, mut crowd, mut panics) = (JoinSet::new(), Crowd::default(), 0);
    let mut ended = Ok(());
    {
        let mut stopped = pin!(shared.stop.notified());
        let mut unused = pin!(unused(&shared));
        loop {
            if panics == PANICS {
                ended = Err(io::Error::other("the board's server panics at each request"));
                break;
            }
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                ended = connections.join_next(), if !connections.is_empty() => {
                    panics = match ended {
                        Some(Err(error)) if error.is_panic() => panics + 1,
                        // One that made way says nothing.
                        Some(Err(_)) => panics,
                        _ => 0,
                    };
                    continue;
                }
                () = &mut stopped => break,
                () = &mut unused => break,
            };
            ended = check_clock(SystemTime::now());
            if ended.is_err() {
                break;
            }
            match accepted {
                Ok((stream, from)) if crowd.make_room() => {
                    let lease = Arc::new(Lease::new(time::Instant::now() + shared.settings.times.total));
                    let serving = connection::serve(stream, Arc::clone(&lease), Arc::clone(&shared), router.clone());
                    crowd.add(from.ip(), lease, connections.spawn(serving));
                    // It says what it wants before others push it out.
                    tokio::task::yield_now().await;
                }
                // Closed at once, without a word: an answer would have to be waited for.
                Ok(_) => {}
                // The process is out of descriptors, or the client is gone already.
                Err(_) => {
                    crowd.send_away();
                    time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
    drop(listener);
    shared.app.close();
    shared.app.hub().send("bye", "{}".to_owned());
    // Connections that are left are cut when the set is dropped.
    let last_words = async { while connections.join_next().await.is_some() {} };
    drop(time::timeout(CLOSE_GRACE, last_words).await);
    ended
}

/// Returns once nobody has looked at the page for long enough.
async fn unused(shared: &Shared) {
    if shared.settings.stay {
        std::future::pending::<()>().await;
    }
    shared.streams.unused(shared.settings.times.unused).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_would_panic_are_errors() {
        let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(seconds);
        assert!(check_clock(SystemTime::now()).is_ok() && check_clock(UNIX_EPOCH).is_ok());
        assert!(check_clock(at(253_402_300_799)).is_ok());
        assert!(check_clock(at(253_402_300_800)).is_err());
        assert!(check_clock(UNIX_EPOCH - Duration::from_secs(1)).is_err());
    }
}
