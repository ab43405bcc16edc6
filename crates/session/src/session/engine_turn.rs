//! The engine's work for the turn: its search for a move, and the check of the person's last move for a blunder.

use crate::view::EngineFault;
use tengen::board::Side;
use web_time::Instant;

/// The search for a move.
#[derive(Clone, Copy, Debug)]
pub struct MoveSearch {
    pub job: u64,
    pub side: Side,
    pub since: Instant,
    /// Whether the search has been asked to move at once.
    hurried: bool,
    /// Whether another engine searches.
    other: bool,
}

/// The check of a person's last move for a blunder.
#[derive(Clone, Copy, Debug)]
pub struct BlunderCheck {
    pub job: u64,
    /// Who made the move.
    pub side: Side,
    /// When the engine stops waiting for the check and moves.
    pub until: Instant,
}

/// At most one search and one check. Their jobs are given out when they end: the caller cancels them.
#[derive(Clone, Debug, Default)]
pub struct EngineTurn {
    search: Option<MoveSearch>,
    check: Option<BlunderCheck>,
    /// What another engine did wrong at this turn.
    fault: Option<EngineFault>,
}

impl EngineTurn {
    pub fn begin_search(&mut self, job: u64, side: Side, since: Instant) {
        self.search = Some(MoveSearch { job, side, since, hurried: false, other: false });
        self.fault = None;
    }

    /// Another engine searches. The protocol cannot hurry it.
    pub fn begin_other_search(&mut self, job: u64, side: Side, since: Instant) {
        self.search = Some(MoveSearch { job, side, since, hurried: true, other: true });
        self.fault = None;
    }

    /// Whether another engine searches.
    pub fn is_other_searching(&self) -> bool {
        self.search.is_some_and(|search| search.other)
    }

    /// What another engine did wrong at this turn.
    pub fn fault(&self) -> Option<&EngineFault> {
        self.fault.as_ref()
    }

    pub fn set_fault(&mut self, fault: EngineFault) {
        self.fault = Some(fault);
    }

    /// The game goes on, or something else is shown.
    pub fn forget_fault(&mut self) {
        self.fault = None;
    }

    pub fn search(&self) -> Option<MoveSearch> {
        self.search
    }

    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Whether the search for a move has this job.
    pub fn is_search(&self, job: u64) -> bool {
        self.search.is_some_and(|search| search.job == job)
    }

    /// Asks the search to move at once: its job, the first time.
    pub fn hurry(&mut self) -> Option<u64> {
        let search = self.search.as_mut()?;
        (!std::mem::replace(&mut search.hurried, true)).then_some(search.job)
    }

    /// Forgets the search: its job.
    pub fn end_search(&mut self) -> Option<u64> {
        self.search.take().map(|search| search.job)
    }

    pub fn begin_check(&mut self, check: BlunderCheck) {
        self.check = Some(check);
    }

    pub fn is_checking(&self) -> bool {
        self.check.is_some()
    }

    /// The check with this job.
    pub fn check(&self, job: u64) -> Option<BlunderCheck> {
        self.check.filter(|check| check.job == job)
    }

    /// When the engine stops waiting for the check.
    pub fn waits_until(&self) -> Option<Instant> {
        self.check.map(|check| check.until)
    }

    /// Forgets the check: its job.
    pub fn end_check(&mut self) -> Option<u64> {
        self.check.take().map(|check| check.job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_hurried_once() {
        let mut turn = EngineTurn::default();
        assert_eq!(turn.hurry(), None);
        turn.begin_search(7, Side::Black, Instant::now());
        assert_eq!((turn.hurry(), turn.hurry(), turn.is_searching()), (Some(7), None, true));
        assert_eq!((turn.end_search(), turn.end_search()), (Some(7), None));
    }
}
