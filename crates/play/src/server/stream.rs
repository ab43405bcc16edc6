//! Events as `text/event-stream`. The page reads them by `fetch`, since an `EventSource` could not send the token in a
//! header.
//!
//! A browser opens six connections to a server, all tabs together; a seventh request waits. So the number of streams is
//! limited: a new stream replaces the oldest one, whose tab gets an event.

use super::connection::Lease;
use super::hub::Subscription;
use super::{CLOSE_GRACE, Shared};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tengen_session::lock;
use tokio::sync::Notify;
use tokio::time::{self, Instant};

/// Maximum number of streams.
pub const STREAMS: usize = 4;

/// The open streams.
#[derive(Debug, Default)]
pub struct Streams {
    open: Mutex<Open>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Open {
    /// The oldest first.
    streams: VecDeque<Arc<Place>>,
    /// When the last one closed; `None` while one is open, and before the first one.
    empty_since: Option<Instant>,
}

/// A stream's place among the open ones.
#[derive(Debug)]
struct Place {
    replaced: Notify,
    lease: Arc<Lease>,
}

impl Streams {
    fn enter(&self, lease: Arc<Lease>) -> Arc<Place> {
        let place = Arc::new(Place { replaced: Notify::new(), lease });
        let mut open = lock(&self.open);
        if open.streams.len() == STREAMS
            && let Some(oldest) = open.streams.pop_front()
        {
            oldest.replaced.notify_one();
            // It may have stopped reading, so that the event never arrives.
            oldest.lease.set(Some(Instant::now() + CLOSE_GRACE));
        }
        open.streams.push_back(Arc::clone(&place));
        open.empty_since = None;
        self.changed.notify_one();
        place
    }

    fn leave(&self, place: &Arc<Place>) {
        let mut open = lock(&self.open);
        open.streams.retain(|other| !Arc::ptr_eq(other, place));
        if open.streams.is_empty() {
            open.empty_since = Some(Instant::now());
        }
        self.changed.notify_one();
    }

    /// Returns when a stream has been open and then none for this long.
    pub async fn unused(&self, long: Duration) {
        loop {
            let end = lock(&self.open).empty_since.map(|since| since + long);
            tokio::select! {
                () = self.changed.notified() => {}
                () = time::sleep_until(end.unwrap_or_else(Instant::now)), if end.is_some() => return,
            }
        }
    }
}

/// An open stream.
struct Stream {
    shared: Arc<Shared>,
    place: Arc<Place>,
    subscription: Subscription,
    /// The snapshot at its beginning, until it has been sent.
    first: Option<String>,
    /// The snapshot's revision, until a newer event arrives: events that came while it was made may be older.
    stale: Option<u64>,
}

/// The part of a snapshot that is read.
#[derive(Deserialize)]
struct Revision {
    rev: u64,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.streams.leave(&self.place);
    }
}

impl Stream {
    /// The next event to send, and whether it is the last one; `None` if the client was too slow.
    async fn next(&mut self) -> Option<(Event, bool)> {
        let event = |name: &str, data: &str| Event::default().event(name).data(data);
        if let Some(state) = self.first.take() {
            return Some((event("state", &state), false));
        }
        loop {
            let packet = tokio::select! {
                () = self.place.replaced.notified() => return Some((event("replaced", "{}"), true)),
                packet = self.subscription.next() => packet?,
            };
            if packet.name != "state" || !self.is_stale(&packet.data) {
                return Some((event(packet.name, &packet.data), packet.name == "bye"));
            }
        }
    }

    /// Whether a snapshot is not newer than the one at the beginning of the stream.
    fn is_stale(&mut self, snapshot: &str) -> bool {
        let Some(first) = self.stale else { return false };
        let is_newer = serde_json::from_str(snapshot).map_or(true, |Revision { rev }| rev > first);
        if is_newer {
            self.stale = None;
        }
        !is_newer
    }
}

/// The answer that opens a stream: a snapshot, then the events.
pub fn answer(shared: Arc<Shared>, lease: &Arc<Lease>) -> Response {
    lease.set(None);
    let heartbeat = KeepAlive::new().interval(shared.settings.times.heartbeat);
    let place = shared.streams.enter(Arc::clone(lease));
    let subscription = shared.app.hub().subscribe();
    let state = shared.app.state();
    let stream = Stream { shared, place, subscription, stale: state["rev"].as_u64(), first: Some(state.to_string()) };
    let events = futures_util::stream::unfold(Some(stream), async |stream| {
        let mut stream = stream?;
        let (event, last) = stream.next().await?;
        Some((Ok::<_, Infallible>(event), (!last).then_some(stream)))
    });
    Sse::new(events).keep_alive(heartbeat).into_response()
}
