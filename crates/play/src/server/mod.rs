//! A web server for one person on this computer. It binds to the loopback interface, or to all in a container; serves
//! the embedded page, takes commands, and streams events.
//!
//! Other users of the computer can connect too, and so can any web page in the person's browser. So the server does not
//! trust what a request says about itself: `guard.rs` controls access, `head.rs` and `connection.rs` limit the cost of
//! a request, `connection_pool.rs` limits the number of connections, and `address.rs` lets the person's other browsers
//! in. Each connection carries one request. Everything runs on one thread.
//!
//! The server is independent of games: it serves an [`App`].

pub mod address;
pub mod app;
pub mod assets;
mod connection;
mod connection_pool;
mod guard;
mod head;
pub mod hub;
mod routes;
mod stream;

use app::App;
use connection::Lease;
use connection_pool::ConnectionPool;
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

/// The server ends after this many consecutive connections that panicked: it would serve nothing.
const PANICS: usize = 3;

/// Time for clients to read the last event, `bye` or `replaced`.
const CLOSE_GRACE: Duration = Duration::from_secs(1);

/// Settings of the server.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Port to listen at; 0 takes a free one.
    pub port: u16,
    /// Whether it runs in a container, and so listens on all interfaces. The container publishes the port under the
    /// same number: browsers still have to ask for 127.0.0.1 or localhost.
    pub in_container: bool,
    /// Whether the program keeps running when no page has been open for [`Times::unused`].
    pub stay: bool,
    /// Timeouts of the server.
    pub times: Times,
    /// A folder whose files are served instead of the embedded ones, so that a page can be edited while it is shown.
    #[cfg(debug_assertions)]
    pub dev_assets: Option<std::path::PathBuf>,
}

/// Timeouts of the server.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Lifetime of a launch code.
    pub code: Duration,
    /// Timeout of a request's head. Browsers open connections that they do not need.
    pub head: Duration,
    /// Timeout of a command's body.
    pub request: Duration,
    /// Timeout of a file's upload.
    pub import: Duration,
    /// Maximum lifetime of a connection that is not a stream.
    pub total: Duration,
    /// Interval of a stream's heartbeat.
    pub heartbeat: Duration,
    /// Time from the last stream's end to the program's end.
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

/// Lifetime of an address that a person carries to a browser; it can be used once.
pub const BY_HAND: Duration = Duration::from_secs(24 * 60 * 60);

/// Data that all connections share.
struct Shared {
    address: SocketAddr,
    app: Arc<dyn App>,
    guard: Guard,
    streams: Streams,
    stop: Notify,
    settings: Settings,
}

impl Shared {
    /// An address for a browser, with a new launch code of this lifetime.
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

/// Ends a server from another thread, and creates its addresses.
#[derive(Clone)]
pub struct StopHandle(Arc<Shared>);

impl StopHandle {
    /// Ends the server: closes the application and sends `bye` to the clients. Does not wait for it.
    pub fn stop(&self) {
        self.0.stop.notify_one();
    }

    /// See [`Server::url_by_hand`].
    pub fn url_by_hand(&self) -> String {
        self.0.url(BY_HAND)
    }
}

impl Server {
    /// The address under which browsers reach it.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// An address for a browser. It contains a new launch code for one use within [`Times::code`]. Others may see it,
    /// for example in a list of processes: it is useless once the page is open.
    pub fn url(&self) -> String {
        self.shared.url(self.shared.settings.times.code)
    }

    /// The same for a person who carries it to another browser and needs more time.
    pub fn url_by_hand(&self) -> String {
        self.shared.url(BY_HAND)
    }

    /// Writes a file to this folder by which [`address::ask`] finds this server. Only its owner can read the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn announce(&self, folder: &Path) -> io::Result<address::Announcement> {
        address::announce(folder, self.address.port(), self.shared.guard.key())
    }

    /// A handle that ends the server.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.shared))
    }

    /// Waits until the server has ended.
    ///
    /// # Errors
    /// If the server could not go on.
    pub fn wait(self) -> io::Result<()> {
        // The panic hook has already reported the panic.
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the board's server ended by a panic")))
    }
}

/// Starts a server for this application on its own thread.
///
/// # Errors
/// The port is taken, or the system lacks what a server needs.
pub fn serve(app: Arc<dyn App>, settings: Settings) -> io::Result<Server> {
    check_clock(SystemTime::now())?;
    let interface = if settings.in_container { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    let listener = TcpListener::bind((interface, settings.port))?;
    listener.set_nonblocking(true)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, listener.local_addr()?.port()));
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

/// HTTP supports the years 1970 to 9999, and the HTTP library panics in all others.
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

/// Accepts connections until the server is stopped or has been unused for too long.
async fn run(listener: TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            shared.app.close();
            return Err(error);
        }
    };
    let router = routes::router(Arc::clone(&shared));
    let (mut connections, mut pool, mut panics) = (JoinSet::new(), ConnectionPool::default(), 0);
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
                        // A connection that was closed for another one does not count.
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
                Ok((stream, from)) if pool.make_room() => {
                    let lease = Arc::new(Lease::new(time::Instant::now() + shared.settings.times.total));
                    let serving = connection::serve(stream, Arc::clone(&lease), Arc::clone(&shared), router.clone());
                    pool.add(from.ip(), lease, connections.spawn(serving));
                    // Lets it send its request before others push it out.
                    tokio::task::yield_now().await;
                }
                // Closed at once without an answer, since an answer would need waiting.
                Ok(_) => {}
                // The process is out of descriptors, or the client has gone already.
                Err(_) => {
                    pool.evict_one();
                    time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
    drop(listener);
    shared.app.close();
    shared.app.hub().send("bye", "{}".to_owned());
    // Dropping the set cuts the remaining connections.
    let last_words = async { while connections.join_next().await.is_some() {} };
    drop(time::timeout(CLOSE_GRACE, last_words).await);
    ended
}

/// Returns when no page has been open for long enough.
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
