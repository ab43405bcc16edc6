//! Which numbers a search evaluates by.

use super::network::{Network, NetworkError};
use super::weights::{WeightSets, Weights};
use crate::rules::Rule;

/// A network for the rules that it knows, and classical weights for all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Weights of the classical evaluation.
    pub weights: &'static WeightSets,
    /// A network, if there is one.
    pub network: Option<&'static Network>,
}

/// What the program was built with.
impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation { weights: Weights::built_in(), network: Network::built_in() }
    }
}

impl Evaluation {
    /// The evaluation that a file of weights or a network is meant for, for the rest of the process's life.
    ///
    /// # Errors
    /// If the bytes are neither; see [`NetworkError`].
    pub fn decode(bytes: Vec<u8>) -> Result<Evaluation, NetworkError> {
        if let Some(weights) = Weights::decode_static(&bytes) {
            return Ok(Evaluation { weights, network: None });
        }
        let network = Network::decode(bytes)?;
        // The program's own is there already.
        let own = Network::built_in().filter(|own| **own == network);
        Ok(Evaluation { weights: Weights::built_in(), network: own.or_else(|| Some(Box::leak(Box::new(network)))) })
    }

    /// The same without the network.
    #[must_use]
    pub fn classical(self) -> Evaluation {
        Evaluation { network: None, ..self }
    }

    /// The same with a network: the one that the program was built with, if there is none yet.
    #[must_use]
    pub fn with_network(self) -> Evaluation {
        Evaluation { network: self.network.or_else(Network::built_in), ..self }
    }

    /// Memory that the network takes now, in bytes.
    pub fn network_bytes(&self) -> u64 {
        self.network.map_or(0, Network::bytes)
    }

    /// Memory that the network takes once it was asked for a rule, in bytes.
    pub fn network_bytes_with(&self, rule: Rule) -> u64 {
        self.network.map_or(0, |network| network.bytes_with(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart() {
        let weights = Evaluation::decode(Weights::encode(Weights::built_in())).expect("weights");
        assert_eq!(weights, Evaluation::default().classical());
        assert_eq!(Evaluation::decode(b"neither".to_vec()), Err(NetworkError::Foreign));
        assert_eq!(Evaluation::decode(b"TNN3".to_vec()), Err(NetworkError::Damaged));
    }

    #[test]
    fn the_built_in_network_is_the_usual_one() {
        let network = Evaluation::default().network.expect("a network");
        let other = Evaluation::decode(include_bytes!("network/built_in.tnn").to_vec()).expect("a network");
        assert!(other.network.is_some_and(|other| std::ptr::eq(other, network)), "not twice in memory");
        assert_eq!(other.classical().with_network(), Evaluation::default());
        assert_eq!(other.classical().network, None);
    }
}
