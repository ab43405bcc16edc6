//! Proof and disproof numbers, in the form that treats both sides alike.

/// How hard it is for the side to move at a node to reach its goal (`phi`) and for the other side to reach the opposite
/// (`delta`). For the attacker these are the proof number and the disproof number, for the defender the reverse
/// [Nagai 2002].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub phi: u32,
    pub delta: u32,
}

impl Numbers {
    /// Infinity: an unreachable goal.
    pub const NEVER: u32 = (1 << 18) - 1;
    /// The side to move has reached its goal.
    pub const PROVEN: Numbers = Numbers { phi: 0, delta: Numbers::NEVER };
    /// The other side has reached its goal.
    pub const DISPROVEN: Numbers = Numbers { phi: Numbers::NEVER, delta: 0 };

    /// Limits that only a proof or disproof reaches.
    pub const NO_LIMIT: Numbers = Numbers { phi: Numbers::NEVER, delta: Numbers::NEVER };
    /// Nothing is known.
    pub const UNKNOWN: Numbers = Numbers { phi: 1, delta: 1 };

    /// Whether one side has reached its goal.
    pub fn are_decided(self) -> bool {
        self == Numbers::PROVEN || self == Numbers::DISPROVEN
    }

    /// An effort, clamped below [`Numbers::NEVER`].
    pub fn finite(effort: u32) -> u32 {
        effort.min(Numbers::NEVER - 1)
    }
}
