//! Events for clients. Each client has a mailbox; sending an event to it never waits.
//!
//! A slow client loses nothing important: of `analysis` and `opinion` only the newest event is stored, and of `state`
//! too, since each one is a whole snapshot. A client whose mailbox overflows is disconnected and has to connect again.
//!
//! Tokio's `broadcast` would count a client that has stopped reading as a subscriber, and with a `watch` channel for
//! each snapshot, events would lose their order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};
use tengen_session::lock;
use tokio::sync::Notify;

/// An event in the form in which it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Name of the event.
    pub name: &'static str,
    /// JSON.
    pub data: Arc<str>,
}

/// Maximum number of events that wait for one client.
const MAILBOX: usize = 256;

/// Sends events to all subscribers.
#[derive(Debug, Default)]
pub struct Hub(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    mailboxes: Vec<Weak<Mailbox>>,
    /// The newest of the events that a new client needs.
    kept: BTreeMap<&'static str, Packet>,
}

#[derive(Debug, Default)]
struct Mailbox {
    queue: Mutex<Queue>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    packets: VecDeque<Packet>,
    closed: bool,
}

/// Events that replace older events of the same name.
const NEWEST_ONLY: [&str; 4] = ["state", "analysis", "opinion", "review"];

/// Events of which a new subscriber gets the newest. `state` is not among them: it contains running clocks, so a new
/// client needs a fresh one.
const KEPT: [&str; 3] = ["analysis", "opinion", "review"];

impl Hub {
    /// A hub without subscribers.
    pub fn new() -> Hub {
        Hub::default()
    }

    /// Sends an event to all subscribers without waiting.
    pub fn send(&self, name: &'static str, data: String) {
        let packet = Packet { name, data: data.into() };
        let mut inner = lock(&self.0);
        if KEPT.contains(&name) {
            inner.kept.insert(name, packet.clone());
        }
        inner.mailboxes.retain(|mailbox| match mailbox.upgrade() {
            Some(mailbox) => mailbox.put(packet.clone()),
            None => false,
        });
    }

    /// Drops the newest event of this name, so that new subscribers do not get it.
    pub fn forget(&self, name: &'static str) {
        lock(&self.0).kept.remove(name);
    }

    /// Adds a subscriber. It first gets the newest of the stored events, without `state`. A snapshot taken after this
    /// call, together with the events from here on, is complete.
    pub fn subscribe(&self) -> Subscription {
        let mut inner = lock(&self.0);
        let mailbox = Arc::new(Mailbox::default());
        for packet in inner.kept.values() {
            mailbox.put(packet.clone());
        }
        inner.mailboxes.push(Arc::downgrade(&mailbox));
        Subscription(mailbox)
    }

    /// Number of subscribers.
    pub fn subscribers(&self) -> usize {
        lock(&self.0).mailboxes.iter().filter(|mailbox| mailbox.strong_count() > 0).count()
    }
}

impl Mailbox {
    /// False if the subscriber has been disconnected.
    fn put(&self, packet: Packet) -> bool {
        let mut queue = lock(&self.queue);
        if NEWEST_ONLY.contains(&packet.name) {
            queue.packets.retain(|old| old.name != packet.name);
        }
        queue.packets.push_back(packet);
        queue.closed |= queue.packets.len() > MAILBOX;
        let open = !queue.closed;
        drop(queue);
        self.filled.notify_one();
        open
    }
}

/// The receiving end of a subscriber. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription(Arc<Mailbox>);

impl Subscription {
    /// The next event; `None` after the subscriber was disconnected for being too slow.
    pub async fn next(&self) -> Option<Packet> {
        loop {
            {
                let mut queue = lock(&self.0.queue);
                if queue.closed {
                    return None;
                }
                if let Some(packet) = queue.packets.pop_front() {
                    return Some(packet);
                }
            }
            self.0.filled.notified().await;
        }
    }
}
