//! Events for clients: each has a mailbox, into which whoever has news puts it without waiting.
//!
//! A slow client loses nothing that matters: of `analysis` only the newest is kept, of `state` too since it is a
//! whole snapshot, and a client whose mailbox overflows is cut off and has to begin anew.

use crate::lock;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::Notify;

/// An event as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Name of the event.
    pub name: &'static str,
    /// JSON.
    pub data: Arc<str>,
}

/// Most events that wait for one client.
const MAILBOX: usize = 256;

/// Takes events and hands them to all subscribers.
#[derive(Debug, Default)]
pub struct Hub(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    mailboxes: Vec<Weak<Mailbox>>,
    /// The newest of the events that a new client has to know.
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

/// Events of which a newer one makes the older worthless.
const NEWEST_ONLY: [&str; 3] = ["state", "analysis", "review"];

/// Events of which a new subscriber gets the newest. `state` is not among them: clocks run on in it, so that a new
/// client needs one that was made for it.
const KEPT: [&str; 2] = ["analysis", "review"];

impl Hub {
    /// A hub without subscribers.
    pub fn new() -> Hub {
        Hub::default()
    }

    /// Sends an event to all subscribers. Never waits.
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

    /// Forgets the newest event of this name, so that new subscribers do not get it.
    pub fn forget(&self, name: &'static str) {
        lock(&self.0).kept.remove(name);
    }

    /// A new subscriber. It gets the newest of the lasting events first, but no `state`: a snapshot that is taken
    /// after this call, together with the events from here on, misses nothing.
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
    /// False if the subscriber is cut off.
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

/// A subscriber's end. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription(Arc<Mailbox>);

impl Subscription {
    /// The next event; `None` once the subscriber was cut off because it was too slow.
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
