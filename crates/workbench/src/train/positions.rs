//! The training positions of a run, by the places where they stand in games and search trees. Samples are made from
//! them when a batch needs them: that takes a few hundredths of the time of a step, and a position takes eight bytes
//! beside its move in the game.

use super::batch::Pick;
use super::sample::{Samples, Targets, usable_moves, usable_nodes};
use crate::data::record::DataGame;
use crate::data::tree::Tree;
use rayon::prelude::*;

/// Nodes of search trees, then positions of games.
#[derive(Debug, Default)]
pub struct Positions<'a> {
    targets: Targets,
    trees: Vec<Tree>,
    games: Vec<&'a DataGame>,
    nodes: Vec<Place>,
    moves: Vec<Place>,
}

/// A node of a tree or a move of a game, by their numbers.
#[derive(Clone, Copy, Debug)]
struct Place {
    source: u32,
    at: u32,
}

impl<'a> Positions<'a> {
    /// The usable positions of trees and games.
    pub fn of(trees: Vec<Tree>, games: Vec<&'a DataGame>, targets: &Targets) -> Positions<'a> {
        let nodes = places(&trees, usable_nodes);
        let moves = places(&games, |game| usable_moves(game));
        Positions { targets: targets.clone(), trees, games, nodes, moves }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.nodes.len() + self.moves.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of nodes of search trees, which come before the positions of games.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The samples of some positions, in order.
    pub fn samples(&self, indices: &[u32]) -> Samples {
        let parts = indices.par_chunks(indices.len().div_ceil(PARTS).max(1)).map(|part| {
            let mut samples = Samples::default();
            part.iter().for_each(|index| self.add(*index as usize, &mut samples));
            samples
        });
        let mut all = Samples::default();
        parts.collect::<Vec<_>>().iter().for_each(|part| all.append(part));
        all
    }

    /// The samples of a batch, and the batch as picks of them.
    pub fn batch(&self, picks: &[Pick]) -> (Samples, Vec<Pick>) {
        let indices: Vec<u32> = picks.iter().map(|pick| pick.sample).collect();
        let picks = (0..).zip(picks).map(|(sample, pick)| Pick { sample, ..*pick }).collect();
        (self.samples(&indices), picks)
    }

    fn add(&self, index: usize, samples: &mut Samples) {
        match self.nodes.get(index) {
            Some(place) => samples.add_node(&self.trees[place.source as usize], place.at as usize, &self.targets),
            None => {
                let place = self.moves[index - self.nodes.len()];
                samples.add_move(self.games[place.source as usize], place.at as usize, &self.targets);
            }
        }
    }
}

/// Number of parts in which samples are made.
const PARTS: usize = 16;

/// The usable places of all sources, in order.
fn places<S: Sync>(sources: &[S], usable: impl Fn(&S) -> Vec<usize> + Sync + Send) -> Vec<Place> {
    let of_source = |(source, content): (usize, &S)| {
        let place = |at: usize| Place { source: source as u32, at: at as u32 };
        usable(content).into_iter().map(place).collect::<Vec<_>>()
    };
    sources.par_iter().enumerate().flat_map_iter(of_source).collect()
}
