//! The numbers of the search, each in one place, and the formulas that use them.
//!
//! Depths are in hundredths of a ply ([`PLY`]), scores in evaluation units.

/// One ply.
pub const PLY: i32 = 100;
/// Deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 120;
/// Longest line, in plies from the root.
pub const MAX_PLY: usize = 250;

/// Tunable numbers. See the methods for what they do.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    futility_slope: i32,
    razor_base: i32,
    razor_slope: i32,
    razor_depth: i32,
    count_base: f64,
    count_power: f64,
    lmr_scale: f64,
    lmr_history: i32,
    trivial_depth: i32,
    null_depth: i32,
    null_margin: i32,
    singular_depth: i32,
    singular_margin: i32,
    singular_double: i32,
    stale_share: i32,
    ahead_margin: i32,
    ahead_slope: i32,
    /// Extension of the only reply to a four: more than the ply that it costs.
    pub reply_extension: i32,
    /// Sum of extensions beyond the played plies that one line may have.
    pub extension_limit: i32,
    prover_start: u64,
    prover_divisor: u64,
    /// First half-width of the aspiration window.
    pub window: i32,
    /// Base reductions by depth in plies and move number, in hundredths.
    reductions: Vec<[i32; 64]>,
    /// Moves worth a look, by depth in tenths of a ply: not improving, improving.
    move_counts: Vec<[usize; 2]>,
}

impl Default for Params {
    fn default() -> Params {
        let mut params = Params {
            futility_slope: 50,
            razor_base: 40,
            razor_slope: 35,
            razor_depth: 260,
            count_base: 3.0,
            count_power: 1.35,
            lmr_scale: 1.0,
            lmr_history: 100,
            trivial_depth: 420,
            null_depth: 900,
            null_margin: 250,
            singular_depth: 650,
            singular_margin: 90,
            singular_double: 25,
            stale_share: 28,
            ahead_margin: 0,
            ahead_slope: 14,
            reply_extension: 130,
            extension_limit: 1_000,
            prover_start: 100,
            prover_divisor: 16,
            window: 20,
            reductions: Vec::new(),
            move_counts: Vec::new(),
        };
        params.tabulate();
        params
    }
}

impl Params {
    /// Computes the tables. The functions of `libm` give the same bits on every machine, those of `std` need not.
    fn tabulate(&mut self) {
        let reduction = |depth: usize, index: usize| {
            let logs = libm::log(depth.max(1) as f64) * libm::log(index.max(1) as f64);
            (self.lmr_scale * logs * f64::from(PLY)).round() as i32
        };
        let counts = |tenths: usize| {
            let all = self.count_base + libm::pow(tenths as f64 / 10.0, self.count_power);
            [(all / 2.0) as usize, all as usize]
        };
        let reductions = (0..64).map(|depth| std::array::from_fn(|index| reduction(depth, index))).collect();
        self.move_counts = (0..400).map(counts).collect();
        self.reductions = reductions;
    }

    /// Reverse futility: how far the evaluation must exceed beta for the node to be given up as a win.
    pub fn futility_margin(&self, depth: i32, improving: bool) -> i32 {
        self.futility_slope * (depth - PLY - if improving { PLY } else { 0 }).max(0) / PLY
    }

    /// Razoring: how far below alpha the evaluation must be for the four-search to have the last word; `None` where the
    /// depth is too great.
    pub fn razor_margin(&self, depth: i32) -> Option<i32> {
        (depth < self.razor_depth).then(|| self.razor_base + self.razor_slope * depth / PLY)
    }

    /// Move-count pruning: how many moves of a quiet node are worth a look.
    pub fn move_count(&self, depth: i32, improving: bool) -> usize {
        let tenths = (depth / 10).max(0) as usize;
        self.move_counts[tenths.min(self.move_counts.len() - 1)][usize::from(improving)]
    }

    /// Whether moves that make and deny nothing are skipped.
    pub fn skips_trivial(&self, depth: i32) -> bool {
        depth < self.trivial_depth
    }

    /// Late move reduction before adjustments, by depth and number of the move (from 0).
    pub fn reduction(&self, depth: i32, index: usize) -> i32 {
        self.reductions[(depth / PLY).clamp(0, 63) as usize][index.min(63)]
    }

    /// Reduction that a move's history takes off (or adds, when negative).
    pub fn history_relief(&self, history: i32) -> i32 {
        history * self.lmr_history / super::history::LIMIT
    }

    /// How far the evaluation must exceed beta for a pass to be tried; `None` where the depth is too small.
    pub fn null_margin(&self, depth: i32) -> Option<i32> {
        (depth >= self.null_depth).then_some(self.null_margin)
    }

    /// Depth left after a pass.
    pub fn null_depth(&self, depth: i32) -> i32 {
        depth - 4 * PLY - depth / 8
    }

    /// Whether a table move is deep enough to be tested for being the only good one.
    pub fn tests_singular(&self, depth: i32, table_depth: i32) -> bool {
        depth >= self.singular_depth && table_depth >= depth - 2 * PLY
    }

    /// How much worse all other moves must be.
    pub fn singular_margin(&self, depth: i32, pv: bool) -> i32 {
        (self.singular_margin + if pv { PLY } else { 0 }) * depth / (PLY * PLY)
    }

    /// Miss of the singular bound from which two plies are given.
    pub fn singular_double(&self) -> i32 {
        self.singular_double
    }

    /// How much a principal node is reduced whose table move comes from a shallower search.
    pub fn stale_reduction(&self, depth: i32, table_depth: Option<i32>) -> i32 {
        match table_depth {
            None => self.stale_share,
            Some(t) => ((depth - t).max(0) * self.stale_share / PLY).min(3 * PLY),
        }
    }

    /// Whether a cut node is so far ahead that it is searched a ply less.
    pub fn is_far_ahead(&self, eval: i32, beta: i32, depth: i32) -> bool {
        eval >= beta + self.ahead_margin + self.ahead_slope * depth / PLY
    }

    /// Nodes that the prover at the root may have spent when the search has come to so many in all.
    pub fn prover_share(&self, nodes: u64) -> u64 {
        self.prover_start + nodes / self.prover_divisor
    }

    /// Bonus of a move that caused a cut, and malus of those tried before it.
    pub fn history_bonus(&self, depth: i32) -> i32 {
        let d = depth / PLY;
        (24 * d * d + 90 * d).clamp(0, 2_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_have_their_shape() {
        let p = Params::default();
        for depth in (PLY..40 * PLY).step_by(50) {
            assert!(p.futility_margin(depth + PLY, false) >= p.futility_margin(depth, false));
            assert!(p.futility_margin(depth, true) <= p.futility_margin(depth, false));
            assert!(p.move_count(depth, true) >= p.move_count(depth, false));
            assert!(p.move_count(depth + PLY, true) >= p.move_count(depth, true));
            assert!(p.reduction(depth, 10) >= p.reduction(depth, 3));
            assert!(p.reduction(depth + PLY, 10) >= p.reduction(depth, 10));
            assert!(p.null_depth(depth) < depth);
        }
        assert_eq!(p.reduction(5 * PLY, 1), 0);
    }
}
