//! Proof and disproof numbers, in the form that treats both sides alike.

/// How hard it is for the side to move at a node to reach its goal (`phi`) and for the other side to reach the opposite
/// (`delta`). For the attacker these are the proof number and the disproof number, for the defender the reverse
/// [Nagai 2002].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofNumbers {
    pub phi: u32,
    pub delta: u32,
}

impl ProofNumbers {
    /// Infinity: an unreachable goal.
    pub const INFINITE: u32 = (1 << 18) - 1;
    /// The side to move has reached its goal.
    pub const PROVEN: ProofNumbers = ProofNumbers { phi: 0, delta: ProofNumbers::INFINITE };
    /// The other side has reached its goal.
    pub const DISPROVEN: ProofNumbers = ProofNumbers { phi: ProofNumbers::INFINITE, delta: 0 };

    /// Limits that only a proof or disproof reaches.
    pub const NO_LIMIT: ProofNumbers = ProofNumbers { phi: ProofNumbers::INFINITE, delta: ProofNumbers::INFINITE };
    /// Nothing is known.
    pub const UNKNOWN: ProofNumbers = ProofNumbers { phi: 1, delta: 1 };

    /// Whether one side has reached its goal.
    pub fn are_decided(self) -> bool {
        self == ProofNumbers::PROVEN || self == ProofNumbers::DISPROVEN
    }

    /// An effort, clamped below [`ProofNumbers::INFINITE`].
    pub fn finite(effort: u32) -> u32 {
        effort.min(ProofNumbers::INFINITE - 1)
    }
}
