//! Counts how often lanes and hidden units are active. A part that is never active computes nothing and learns nothing,
//! since clipped units pass no gradient below zero.

use super::linenet;
use super::model::{Head, HeadMut, LineNetMut, Sides, initial};
use super::optimiser::Optimiser;
use std::fmt;
use tengen::eval::network::layout::{HALF, HIDDEN, LANES, POLICY, REGIONS};
use tengen::eval::network::lines::SHAPES;

/// Share of points (of lanes) or positions (of units) from which on a part counts as live.
const LIVE: f64 = 1e-4;

/// Numbers of points and of positions below which nothing is called dead: a few positions are too much alike.
const ENOUGH: (u64, u64) = (10_000, 100);

/// How often each lane of the points, and each unit of the two hidden layers, was above zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Liveness {
    sides: Sides,
    points: u64,
    lanes: Vec<u64>,
    positions: Vec<u64>,
    first: Vec<[u64; HIDDEN]>,
    second: Vec<[u64; HIDDEN]>,
}

/// A part of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Lane(usize),
    First(usize),
    Second(usize),
}

impl Liveness {
    /// Nothing counted yet.
    pub fn new(sides: Sides) -> Liveness {
        let Sides(n) = sides;
        let units = vec![[0; HIDDEN]; n];
        let (lanes, positions) = (vec![0; n * HALF], vec![0; n]);
        Liveness { sides, points: 0, lanes, positions, first: units.clone(), second: units }
    }

    /// Counts a position whose head is that of `side`: the activations of its points, and its hidden layers.
    pub fn add(&mut self, side: usize, activations: &[[f32; LANES]], first: &[f32; HIDDEN], second: &[f32; HIDDEN]) {
        let nets = self.lanes.len();
        for point in activations {
            point.iter().enumerate().for_each(|(lane, a)| self.lanes[lane % nets] += u64::from(*a > 0.0));
        }
        self.points += activations.len() as u64;
        self.positions[side] += 1;
        self.first[side].iter_mut().zip(first).for_each(|(n, x)| *n += u64::from(*x > 0.0));
        self.second[side].iter_mut().zip(second).for_each(|(n, x)| *n += u64::from(*x > 0.0));
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Liveness) {
        self.points += other.points;
        self.lanes.iter_mut().zip(&other.lanes).for_each(|(n, m)| *n += m);
        self.positions.iter_mut().zip(&other.positions).for_each(|(n, m)| *n += m);
        for (ours, theirs) in [(&mut self.first, &other.first), (&mut self.second, &other.second)] {
            ours.as_flattened_mut().iter_mut().zip(theirs.as_flattened()).for_each(|(n, m)| *n += m);
        }
    }

    /// The share of points at which each lane is active: one side's lanes after another's.
    fn lanes(&self) -> Vec<f64> {
        // A lane of shared weights is seen from both sides at each point.
        let views = self.points as f64 * (LANES / self.lanes.len()) as f64;
        self.lanes.iter().map(|n| *n as f64 / views.max(1.0)).collect()
    }

    /// The share of positions in which each unit of a layer is active: one head's units after another's.
    fn units(&self, layer: &[[u64; HIDDEN]]) -> Vec<f64> {
        let shares =
            |(units, positions): (&[u64; HIDDEN], &u64)| units.map(|n| n as f64 / (*positions as f64).max(1.0));
        layer.iter().zip(&self.positions).flat_map(shares).collect()
    }

    /// Whether there are dead lanes or units. With too few positions of a side nothing is known of its head.
    pub fn has_dead(&self) -> bool {
        !self.dead().is_empty()
    }

    /// Whether there are dead lanes.
    pub fn has_dead_lanes(&self) -> bool {
        self.dead().iter().any(|(_, part)| matches!(part, Part::Lane(_)))
    }

    fn dead(&self) -> Vec<(usize, Part)> {
        let of = |shares: Vec<f64>, width: usize, part: fn(usize) -> Part| {
            let dead = move |(i, share): (usize, f64)| (share < LIVE).then(|| (i / width, part(i % width)));
            shares.into_iter().enumerate().filter_map(dead).collect::<Vec<_>>()
        };
        let lanes = of(self.lanes(), HALF, Part::Lane);
        let [first, second] = [(&self.first, Part::First as fn(usize) -> Part), (&self.second, Part::Second)]
            .map(|(layer, part)| of(self.units(layer), HIDDEN, part));
        let known = |(side, part): &(usize, Part)| match part {
            Part::Lane(_) => self.points >= ENOUGH.0,
            Part::First(_) | Part::Second(_) => self.positions[*side] >= ENOUGH.1,
        };
        [lanes, first, second].concat().into_iter().filter(known).collect()
    }

    /// Gives dead parts new random input weights. Their output weights become zero, so at first nothing changes. The
    /// optimiser forgets what it knows of these weights, and keeps what it knows of the others.
    pub fn revive(&self, optimiser: &mut Optimiser, seed: u64) {
        let before = optimiser.values.clone();
        self.renew(optimiser, &initial(self.sides, seed));
        for i in (0..before.len()).filter(|i| before[*i] != optimiser.values[*i]) {
            optimiser.average[i] = optimiser.values[i];
            optimiser.moments.iter_mut().for_each(|moment| moment[i] = 0.0);
        }
    }

    /// Copies the input weights of dead parts from `fresh` and clears their output weights.
    fn renew(&self, optimiser: &mut Optimiser, fresh: &[f32]) {
        let sides = self.sides;
        for (side, part) in self.dead() {
            match part {
                Part::Lane(lane) => revive_lane(optimiser, fresh, sides, side, lane),
                Part::First(unit) => {
                    let from = Head::new(&fresh[sides.head(side)]);
                    let head = HeadMut::new(&mut optimiser.values[sides.head(side)]);
                    head.first.iter_mut().zip(from.first).for_each(|(row, fresh)| row[unit] = fresh[unit]);
                    head.first_bias[unit] = from.first_bias[unit];
                    head.second[unit].fill(0.0);
                    head.gate[unit].fill(0.0);
                }
                Part::Second(unit) => {
                    let from = Head::new(&fresh[sides.head(side)]);
                    let head = HeadMut::new(&mut optimiser.values[sides.head(side)]);
                    head.second.iter_mut().zip(from.second).for_each(|(row, fresh)| row[unit] = fresh[unit]);
                    head.second_bias[unit] = from.second_bias[unit];
                    head.output[unit].fill(0.0);
                }
            }
        }
    }
}

/// New output weights of a line net for a lane; the heads ignore the lane at first.
fn revive_lane(optimiser: &mut Optimiser, fresh: &[f32], sides: Sides, side: usize, lane: usize) {
    let net = LineNetMut::new(&mut optimiser.values[sides.line_net(side)]);
    linenet::copy_lane(&fresh[sides.line_net(side)], net, lane);
    if let Some(residual) = &mut optimiser.residual {
        residual.entries[side * SHAPES..][..SHAPES].iter_mut().for_each(|entry| entry.value[lane] = 0.0);
    }
    // A head sees the lane of its own side and the other side's; with shared weights both are this lane.
    for to_move in 0..sides.0 {
        let head = HeadMut::new(&mut optimiser.values[sides.head(to_move)]);
        for view in [lane, HALF + lane] {
            // Inputs and policy weights have the view of the side to move first.
            let is_this = sides.0 == 1 || (view < HALF) == (side == to_move);
            if is_this {
                (0..REGIONS).for_each(|region| head.first[region * LANES + view].fill(0.0));
                for at in (view..POLICY).step_by(LANES) {
                    head.policy[at] = 0.0;
                    head.gate.iter_mut().for_each(|row| row[at] = 0.0);
                }
            }
        }
    }
}

impl fmt::Display for Liveness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, shares) in [
            ("lanes", self.lanes()),
            ("first layer", self.units(&self.first)),
            ("second layer", self.units(&self.second)),
        ] {
            let live = shares.iter().filter(|share| **share >= LIVE).count();
            let least = shares.iter().copied().filter(|share| *share >= LIVE).fold(1.0, f64::min);
            write!(f, "{separator}{live} of {} {name} live", shares.len())?;
            if live > 0 {
                write!(f, " (the rarest in {:.2}%)", 100.0 * least)?;
            }
            separator = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_dead_if_it_is_never_active() {
        let mut liveness = Liveness::new(Sides(1));
        assert!(!liveness.has_dead(), "nothing is known yet");
        let mut point = [0.5; LANES];
        (point[3], point[HALF + 3], point[HALF + 5]) = (0.0, 0.0, 0.0);
        let mut first = [1.0; HIDDEN];
        first[7] = 0.0;
        (0..98).for_each(|_| liveness.add(0, &[point; 101], &first, &[0.1; HIDDEN]));
        assert!(!liveness.has_dead(), "too few positions");
        liveness.add(0, &[point; 101], &first, &[0.1; HIDDEN]);
        liveness.add(0, &[point; 101], &first, &[0.1; HIDDEN]);
        // Lane 5 is active from black's view, which shares its weights.
        assert_eq!(liveness.dead(), [(0, Part::Lane(3)), (0, Part::First(7))]);
        let text = liveness.to_string();
        assert!(text.starts_with("15 of 16 lanes live (the rarest in 50.00%), 31 of 32 first layer live"), "{text}");

        let mut renju = Liveness::new(Sides(2));
        (0..100).for_each(|_| renju.add(1, &[point; 101], &first, &[0.1; HIDDEN]));
        let white = [(0, Part::Lane(3)), (1, Part::Lane(3)), (1, Part::Lane(5)), (1, Part::First(7))];
        assert_eq!(renju.dead(), white, "no position with black to move, so nothing is known of its head");
        liveness.merge(&liveness.clone());
        assert_eq!(liveness.points, 20_200);
    }
}
