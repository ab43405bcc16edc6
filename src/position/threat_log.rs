//! The points that became threats, so that threats are found without a scan of the board.

use super::point_info::PointInfo;
use crate::board::{Point, Side};
use crate::pattern::PointClass;

/// Points found by [`Position::threats`](super::Position::threats): a short list, on the stack unless it is very
/// long.
pub type Threats = smallvec::SmallVec<[Point; 24]>;

/// By side, points that became a threat (class four or better), oldest first. Entries may be stale or repeated: the
/// current class of a point must be looked up.
#[derive(Clone)]
pub(super) struct ThreatLog([Vec<u16>; 2]);

/// Lengths of the log, to which it can be truncated.
pub(super) type Mark = [u16; 2];

impl ThreatLog {
    pub fn new() -> ThreatLog {
        ThreatLog([Vec::with_capacity(1024), Vec::with_capacity(1024)])
    }

    #[inline(always)]
    pub fn mark(&self) -> Mark {
        [self.0[0].len() as u16, self.0[1].len() as u16]
    }

    /// Removes the entries added since the mark.
    #[inline(always)]
    pub fn cut_back(&mut self, mark: Mark) {
        self.0[0].truncate(usize::from(mark[0]));
        self.0[1].truncate(usize::from(mark[1]));
    }

    /// Adds a point whose classes have changed to the list of each side for which it is a new threat.
    #[cold]
    #[inline(never)]
    pub fn add(&mut self, index: usize, old: PointInfo, new: PointInfo) {
        for (log, side) in self.0.iter_mut().zip(Side::BOTH) {
            if new.class(side) >= PointClass::Four && new.class(side) != old.class(side) {
                log.push(index as u16);
            }
        }
    }

    /// Keeps the newest entry of each point that `is_threat` to a side, in their order. Earlier marks become invalid.
    pub fn compact(&mut self, is_threat: impl Fn(usize, Side) -> bool) {
        for (log, side) in self.0.iter_mut().zip(Side::BOTH) {
            let mut kept: Vec<u16> = Vec::with_capacity(log.capacity());
            for index in log.iter().rev() {
                if is_threat(usize::from(*index), side) && !kept.contains(index) {
                    kept.push(*index);
                }
            }
            kept.reverse();
            *log = kept;
        }
    }

    /// Indices of a side's points, newest first.
    #[inline(always)]
    pub fn newest_first(&self, side: Side) -> impl Iterator<Item = usize> + '_ {
        self.0[side.index()].iter().rev().map(|index| usize::from(*index))
    }
}
