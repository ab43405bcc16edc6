//! Requests of persons that share the player's engine, until their last message has arrived.

use crate::view::JobKind;
use tengen::board::Side;
use web_time::Instant;

/// Maximum number of requests that wait for an answer.
const MOST: usize = 8;

/// Kinds of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Hint,
    Proof,
    Try,
    Balance,
}

impl Purpose {
    pub const fn kind(self) -> JobKind {
        match self {
            Purpose::Hint => JobKind::Hint,
            Purpose::Proof => JobKind::Proof,
            Purpose::Try => JobKind::Try,
            Purpose::Balance => JobKind::Balance,
        }
    }
}

/// A request whose last message has not arrived.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub job: u64,
    pub purpose: Purpose,
    pub side: Side,
    /// When it was requested, if a time is known.
    pub since: Option<Instant>,
    /// Whether it has been cancelled.
    cancelled: bool,
}

/// All of them, oldest first, cancelled ones too.
#[derive(Clone, Debug, Default)]
pub struct Requests(Vec<Asked>);

impl Requests {
    /// Those that are not cancelled.
    pub fn open(&self) -> impl Iterator<Item = &Asked> {
        self.0.iter().filter(|asked| !asked.cancelled)
    }

    /// Whether no more may be added now.
    pub fn is_full(&self) -> bool {
        self.open().count() >= MOST
    }

    pub fn add(&mut self, job: u64, purpose: Purpose, side: Side, since: Option<Instant>) {
        // Limits the memory for requests that are never answered.
        if self.0.len() >= 4 * MOST
            && let Some(oldest) = self.0.iter().position(|asked| asked.cancelled)
        {
            self.0.remove(oldest);
        }
        self.0.push(Asked { job, purpose, side, since, cancelled: false });
    }

    /// Whether the job's last message has not arrived.
    pub fn has(&self, job: u64) -> bool {
        self.0.iter().any(|asked| asked.job == job)
    }

    /// Cancels open requests, and returns their jobs.
    pub fn cancel(&mut self, is_wanted: impl Fn(&Asked) -> bool) -> Vec<u64> {
        let wanted = self.0.iter_mut().filter(|asked| !asked.cancelled && is_wanted(asked));
        let cancel = |asked: &mut Asked| {
            asked.cancelled = true;
            asked.job
        };
        wanted.map(cancel).collect()
    }

    /// The last message of a job has arrived. False if it was none of these.
    pub fn finish(&mut self, job: u64) -> bool {
        let before = self.0.len();
        self.0.retain(|asked| asked.job != job);
        self.0.len() < before
    }

    /// Forgets all: their answers concern nodes of another game.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_request_makes_room_and_is_known_until_its_last_message() {
        let mut requests = Requests::default();
        (1..=MOST as u64).for_each(|job| requests.add(job, Purpose::Hint, Side::Black, None));
        assert!(requests.is_full());
        assert_eq!(requests.cancel(|asked| asked.job == 3), [3]);
        assert_eq!(requests.cancel(|asked| asked.job == 3), [0; 0], "only once");
        assert!(!requests.is_full() && requests.has(3));
        assert!(requests.finish(3) && !requests.finish(3));
        for job in 100..200 {
            requests.add(job, Purpose::Try, Side::White, None);
            requests.cancel(|_| true);
        }
        assert!(requests.0.len() <= 4 * MOST, "there is a limit for those without an answer");
    }
}
