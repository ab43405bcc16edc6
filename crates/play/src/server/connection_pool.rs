//! The open connections: their limit, and which one is closed for a new one.
//!
//! Any program on this computer can open connections and send nothing. So if there are too many, a connection that has
//! not shown the token is closed: the oldest one of the address that has the most. A client with the token gets in at
//! once.

use super::connection::Lease;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::task::AbortHandle;

/// Maximum number of connections. A browser opens six.
const CONNECTIONS: usize = 32;

/// The open connections, the oldest first.
#[derive(Default)]
pub struct ConnectionPool(Vec<Member>);

struct Member {
    address: IpAddr,
    lease: Arc<Lease>,
    task: AbortHandle,
}

impl ConnectionPool {
    /// Makes room for one more connection; false if that is impossible.
    pub fn make_room(&mut self) -> bool {
        self.0.retain(|member| !member.task.is_finished());
        self.0.len() < CONNECTIONS || self.evict_one()
    }

    /// Closes a connection that may be closed; false if there is none.
    pub fn evict_one(&mut self) -> bool {
        let members = self.0.iter().map(|member| (member.address, member.lease.is_trusted()));
        let Some(connection_to_evict) = connection_to_evict(&members.collect::<Vec<_>>()) else { return false };
        self.0.remove(connection_to_evict).task.abort();
        true
    }

    /// Adds a connection.
    pub fn add(&mut self, address: IpAddr, lease: Arc<Lease>, task: AbortHandle) {
        self.0.push(Member { address, lease, task });
    }
}

/// The connection to close, by the addresses and whether they have shown the token.
fn connection_to_evict(members: &[(IpAddr, bool)]) -> Option<usize> {
    let strangers = || members.iter().enumerate().filter(|(_, (_, is_trusted))| !is_trusted);
    let count = |address: &IpAddr| strangers().filter(|(_, (other, _))| other == address).count();
    let most = strangers().map(|(_, (address, _))| count(address)).max()?;
    strangers().find(|(_, (address, _))| count(address) == most).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::connection_to_evict;
    use std::net::{IpAddr, Ipv4Addr};

    #[test]
    fn the_oldest_stranger_of_the_busiest_address_makes_way() {
        let of = |members: &[(u8, bool)]| {
            let address = |last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
            connection_to_evict(
                &members.iter().map(|(last, is_trusted)| (address(*last), *is_trusted)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(1, true), (1, true)]), None);
        assert_eq!(of(&[(1, true), (1, false), (1, false)]), Some(1));
        assert_eq!(of(&[(1, false), (2, false), (2, false)]), Some(1));
        assert_eq!(of(&[(2, true), (2, true), (1, false), (2, false)]), Some(2), "the trusted ones do not count");
    }
}
