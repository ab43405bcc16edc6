//! The choice of the evaluation: a network or classical weights.

use super::network::file::DECODING_BYTES;
use super::network::{Network, NetworkError};
use super::weights::{WeightSets, Weights};
use crate::rules::Rule;
use std::sync::Arc;

/// A network for the rules that it supports, and classical weights for all other rules. Weights loaded from a file are
/// freed when the last evaluation that holds them is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Weights of the classical evaluation.
    pub weights: Arc<WeightSets>,
    /// A network, if there is one.
    pub network: Option<Arc<Network>>,
}

/// The built-in evaluation.
impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation { weights: Weights::built_in().clone(), network: Network::built_in().cloned() }
    }
}

impl Evaluation {
    /// Memory that decoding a file takes beside its bytes and the result.
    pub const DECODING_BYTES: usize = DECODING_BYTES;

    /// Number of bytes at the start of a file that [`Evaluation::check_head`] reads at most.
    pub const HEAD: usize = Network::HEAD;

    /// Checks whether a file may hold weights or a network, by its length and its first bytes (the first
    /// [`Evaluation::HEAD`], or all if it is shorter), without reading the rest.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn check_head(head: &[u8], length: u64) -> Result<(), NetworkError> {
        if Weights::is_file(head) {
            return if length == Weights::FILE_BYTES { Ok(()) } else { Err(NetworkError::DamagedWeights) };
        }
        Network::check_head(head, length)
    }

    /// Decodes the evaluation in a file of weights or of a network.
    ///
    /// # Errors
    /// If the bytes are neither; see [`NetworkError`].
    pub fn decode(bytes: Vec<u8>) -> Result<Evaluation, NetworkError> {
        if Weights::is_file(&bytes) {
            let weights = Weights::decode(&bytes).ok_or(NetworkError::DamagedWeights)?;
            return Ok(Evaluation { weights: Arc::new(weights), network: None });
        }
        let network = Network::decode(bytes)?;
        // If the file equals the built-in network, share the built-in one, which is in memory already.
        let own = Network::built_in().filter(|own| ***own == network).cloned();
        let network = Some(own.unwrap_or_else(|| Arc::new(network)));
        Ok(Evaluation { weights: Weights::built_in().clone(), network })
    }

    /// The same evaluation without the network.
    #[must_use]
    pub fn classical(self) -> Evaluation {
        Evaluation { network: None, ..self }
    }

    /// The same evaluation with a network: its own, or the built-in one if it has none.
    #[must_use]
    pub fn with_network(self) -> Evaluation {
        Evaluation { network: self.network.or_else(|| Network::built_in().cloned()), ..self }
    }

    /// Frees the network's unpacked weights; they are unpacked again when they are needed.
    pub fn release(&self) {
        if let Some(network) = &self.network {
            network.release();
        }
    }

    /// Memory that the network takes now, in bytes.
    pub fn network_bytes(&self) -> u64 {
        self.network.as_deref().map_or(0, Network::bytes)
    }

    /// Memory that the network takes once its weights for a rule are unpacked, in bytes.
    pub fn network_bytes_with(&self, rule: Rule) -> u64 {
        self.network.as_deref().map_or(0, |network| network.bytes_with(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart() {
        let weights = Evaluation::decode(Weights::encode(Weights::built_in())).expect("weights");
        assert_eq!(weights, Evaluation::default().classical());
        assert_eq!(Evaluation::decode(b"neither".to_vec()), Err(NetworkError::NotANetwork));
        assert_eq!(Evaluation::decode(b"TNN4".to_vec()), Err(NetworkError::Damaged));
        assert_eq!(Evaluation::decode(b"TGNW".to_vec()), Err(NetworkError::DamagedWeights));
    }

    #[test]
    fn the_head_tells_what_is_no_file_of_ours() {
        let check =
            |file: &[u8], length: u64| Evaluation::check_head(file.get(..Evaluation::HEAD).unwrap_or(file), length);
        for file in [&Weights::encode(Weights::built_in())[..], include_bytes!("network/built_in.tnn")] {
            let length = file.len() as u64;
            assert_eq!(check(file, length), Ok(()));
            for wrong in [0, 4, length - 1, length + 1, 2 * length, 1 << 30, u64::MAX] {
                assert!(check(file, wrong).is_err(), "{wrong} for {length}");
            }
        }
        assert_eq!(check(&[0; 64], 1 << 30), Err(NetworkError::NotANetwork));
        assert_eq!(check(b"TNN2 and so on and on", 1 << 24), Err(NetworkError::Version));
        assert_eq!(check(b"TNN4", 4), Err(NetworkError::Damaged));
        assert_eq!(check(b"", 0), Err(NetworkError::NotANetwork));
    }

    #[test]
    fn what_came_from_a_file_is_freed() {
        // Changed weights, since the built-in ones are never freed.
        let mut sets = Weights::built_in().as_ref().clone();
        sets[0].sides[0].point[0] += 1;
        let evaluation = Evaluation::decode(Weights::encode(&sets)).expect("weights");
        let weights = Arc::downgrade(&evaluation.weights);
        drop(evaluation);
        assert!(weights.upgrade().is_none());
    }

    #[test]
    fn the_built_in_network_is_the_usual_one() {
        let network = Evaluation::default().network.expect("a network");
        let other = Evaluation::decode(include_bytes!("network/built_in.tnn").to_vec()).expect("a network");
        assert!(other.network.as_ref().is_some_and(|other| Arc::ptr_eq(other, &network)), "not twice in memory");
        assert_eq!(other.clone().classical().with_network(), Evaluation::default());
        assert_eq!(other.classical().network, None);
    }
}
