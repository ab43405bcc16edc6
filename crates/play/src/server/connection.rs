//! One connection: one request and its answer, with time limits.
//!
//! One request a connection makes the limits simple, and costs nothing over the loopback interface.

use super::head::{self, Fault};
use super::{CLOSE_GRACE, Shared};
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::io::Cursor;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tengen_session::lock;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{self, Instant};

/// Maximum number of bytes of a refused request that are read and discarded, so that the client gets to read the
/// refusal.
const MAX_DRAIN_BYTES: u64 = 128 << 20;

/// The lifetime of a connection. A request has the lease of its connection among its extensions.
#[derive(Debug)]
pub struct Lease {
    until: Mutex<Option<Instant>>,
    changed: Notify,
    is_trusted: AtomicBool,
}

impl Lease {
    /// A lease that ends at this time.
    pub fn new(until: Instant) -> Lease {
        Lease { until: Mutex::new(Some(until)), changed: Notify::new(), is_trusted: AtomicBool::new(false) }
    }

    /// Marks the connection as trusted: its request has shown the token. It is not closed in favour of others.
    pub fn trust(&self) {
        self.is_trusted.store(true, Ordering::Relaxed);
    }

    /// Whether it is trusted.
    pub fn is_trusted(&self) -> bool {
        self.is_trusted.load(Ordering::Relaxed)
    }

    /// Sets the time at which the connection is cut; `None` for never.
    pub fn set(&self, until: Option<Instant>) {
        *lock(&self.until) = until;
        self.changed.notify_one();
    }

    async fn over(&self) {
        loop {
            let until = *lock(&self.until);
            tokio::select! {
                () = self.changed.notified() => {}
                () = time::sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => return,
            }
        }
    }
}

/// Serves a connection to its end.
pub async fn serve(mut stream: TcpStream, lease: Arc<Lease>, shared: Arc<Shared>, router: Router) {
    let times = shared.settings.times;
    // Answers are written in one piece: Nagle's algorithm has nothing to combine.
    drop(stream.set_nodelay(true));
    let head = match time::timeout(times.head, head::read(&mut stream)).await {
        Ok(Ok(head)) => head,
        failed => return refuse(stream, failed.map_or(Fault::Late, |read| read.err().unwrap_or(Fault::Nothing))).await,
    };
    let (reader, writer) = stream.into_split();
    let io = TokioIo::new(tokio::io::join(Cursor::new(head).chain(reader), writer));
    let router = TowerToHyperService::new(router);
    let own = Arc::clone(&lease);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Arc::clone(&own));
        router.call(request)
    });
    let served = pin!(http1::Builder::new().keep_alive(false).serve_connection(io, service).without_shutdown());
    tokio::select! {
        served = served => if let Ok(parts) = served {
            close(parts.io.into_inner()).await;
        },
        () = lease.over() => {}
    }
}

async fn refuse(mut stream: TcpStream, fault: Fault) {
    let Some(answer) = fault.answer() else { return };
    if time::timeout(CLOSE_GRACE, stream.write_all(answer.as_bytes())).await.is_ok_and(|written| written.is_ok()) {
        close(stream).await;
    }
}

/// Closes a connection so that the written data arrives. A socket that is closed with unread bytes is reset, and the
/// client loses the answer.
async fn close(mut io: impl AsyncRead + AsyncWrite + Unpin) {
    let drain = async {
        io.shutdown().await?;
        tokio::io::copy(&mut io.take(MAX_DRAIN_BYTES), &mut tokio::io::sink()).await
    };
    drop(time::timeout(CLOSE_GRACE, drain).await);
}
