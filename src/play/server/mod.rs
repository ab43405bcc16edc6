//! A web server for one person on this computer: it binds to the loopback interface, serves the embedded page, takes
//! commands, and streams events.
//!
//! Whoever shares the computer can connect too, and so can any web page that the person's browser shows. Hence
//! nothing is believed that a request says of itself: see `guard.rs` for who is let in, and `head.rs` and
//! `connection.rs` for what a request may cost. Requests come one to a connection. All of it runs on one thread.
//!
//! The server knows nothing of games: what it serves is an [`App`].

pub mod app;
pub mod assets;
mod connection;
mod guard;
mod head;
pub mod hub;
mod routes;
mod stream;

use app::App;
use guard::Guard;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use stream::Streams;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time;

/// Most connections at a time. A browser opens six.
const CONNECTIONS: usize = 32;

/// Time that clients have to read the last event, `bye` or `replaced`.
const LAST_WORDS: Duration = Duration::from_secs(1);

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
    /// A client has so long to send the head of its request, and again for a command's body.
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
            request: seconds(5),
            import: seconds(30),
            total: seconds(60),
            heartbeat: seconds(15),
            unused: seconds(60),
        }
    }
}

/// What all connections share.
struct Shared {
    app: Arc<dyn App>,
    guard: Guard,
    streams: Streams,
    stop: Notify,
    settings: Settings,
}

/// A running server.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

/// Ends a server from elsewhere.
#[derive(Clone)]
pub struct StopHandle(Arc<Shared>);

impl StopHandle {
    /// Ends the server: the application is closed, and clients are told `bye`. Does not wait for it.
    pub fn stop(&self) {
        self.0.stop.notify_one();
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
        format!("http://{}/#code={}", self.address, self.shared.guard.launch_code())
    }

    /// A handle by which the server is ended.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.shared))
    }

    /// Waits until the server has ended.
    pub fn wait(self) {
        // A panic of that thread has been reported by its hook.
        drop(self.thread.join());
    }
}

/// Starts a server for this application on its own thread.
///
/// # Errors
/// The port is taken, or the system lacks what a server needs.
pub fn serve(app: Arc<dyn App>, settings: Settings) -> io::Result<Server> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let guard = Guard::new(address.port(), settings.times.code)?;
    let shared = Arc::new(Shared { app, guard, streams: Streams::default(), stop: Notify::new(), settings });
    let own = Arc::clone(&shared);
    let thread = std::thread::Builder::new().name("server".to_owned()).spawn(move || {
        runtime.block_on(run(listener, own));
        runtime.shutdown_timeout(LAST_WORDS);
    })?;
    Ok(Server { address, shared, thread })
}

/// Shows an address in the person's browser.
///
/// # Errors
/// No browser was found, or it did not start.
pub fn open_browser(url: &str) -> io::Result<()> {
    open::that_detached(url)
}

/// Accepts connections until the server is stopped or nobody uses it any more.
async fn run(listener: TcpListener, shared: Arc<Shared>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return shared.app.close() };
    let router = routes::router(Arc::clone(&shared));
    let mut connections = JoinSet::new();
    {
        let mut stopped = pin!(shared.stop.notified());
        let mut unused = pin!(unused(&shared));
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut stopped => break,
                () = &mut unused => break,
            };
            while connections.try_join_next().is_some() {}
            match accepted {
                Ok((stream, _)) if connections.len() < CONNECTIONS => {
                    connections.spawn(connection::serve(stream, Arc::clone(&shared), router.clone()));
                }
                // Closed at once, without a word: an answer would have to be waited for.
                Ok(_) => {}
                // The process is out of descriptors, or the client is gone already.
                Err(_) => time::sleep(Duration::from_millis(50)).await,
            }
        }
    }
    drop(listener);
    shared.app.close();
    shared.app.hub().send("bye", "{}".to_owned());
    // Connections that are left are cut when the set is dropped.
    let last_words = async { while connections.join_next().await.is_some() {} };
    drop(time::timeout(LAST_WORDS, last_words).await);
}

/// Returns once nobody has looked at the page for long enough.
async fn unused(shared: &Shared) {
    if shared.settings.stay {
        std::future::pending::<()>().await;
    }
    shared.streams.unused(shared.settings.times.unused).await;
}
