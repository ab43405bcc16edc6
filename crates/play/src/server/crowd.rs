//! The open connections: how many there may be, and which of them makes way for a new one.
//!
//! Anybody on this computer can open connections and say nothing. So one that has not shown the token makes way when
//! there are too many: the oldest of the address that has the most of them. Who has the key gets in at once.

use super::connection::Lease;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::task::AbortHandle;

/// Most connections at a time. A browser opens six.
const CONNECTIONS: usize = 32;

/// The open connections, the oldest first.
#[derive(Default)]
pub struct Crowd(Vec<Member>);

struct Member {
    address: IpAddr,
    lease: Arc<Lease>,
    task: AbortHandle,
}

impl Crowd {
    /// Makes room for one more; false if there is none.
    pub fn make_room(&mut self) -> bool {
        self.0.retain(|member| !member.task.is_finished());
        self.0.len() < CONNECTIONS || self.send_away()
    }

    /// Closes a connection that may be closed; false if there is none.
    pub fn send_away(&mut self) -> bool {
        let members = self.0.iter().map(|member| (member.address, member.lease.is_trusted()));
        let Some(victim) = victim(&members.collect::<Vec<_>>()) else { return false };
        self.0.remove(victim).task.abort();
        true
    }

    /// One more.
    pub fn add(&mut self, address: IpAddr, lease: Arc<Lease>, task: AbortHandle) {
        self.0.push(Member { address, lease, task });
    }
}

/// Which connection makes way, by their addresses and whether they have shown the token.
fn victim(members: &[(IpAddr, bool)]) -> Option<usize> {
    let strangers = || members.iter().enumerate().filter(|(_, (_, is_trusted))| !is_trusted);
    let count = |address: &IpAddr| strangers().filter(|(_, (other, _))| other == address).count();
    let most = strangers().map(|(_, (address, _))| count(address)).max()?;
    strangers().find(|(_, (address, _))| count(address) == most).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::victim;
    use std::net::{IpAddr, Ipv4Addr};

    #[test]
    fn the_oldest_stranger_of_the_busiest_address_makes_way() {
        let of = |members: &[(u8, bool)]| {
            let address = |last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
            victim(&members.iter().map(|(last, is_trusted)| (address(*last), *is_trusted)).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(1, true), (1, true)]), None);
        assert_eq!(of(&[(1, true), (1, false), (1, false)]), Some(1));
        assert_eq!(of(&[(1, false), (2, false), (2, false)]), Some(1));
        assert_eq!(of(&[(2, true), (2, true), (1, false), (2, false)]), Some(2), "the trusted ones do not count");
    }
}
