//! The numbers of the search, each in one place, and the formulas that use them.
//!
//! Depths are in hundredths of a ply ([`PLY`]), scores in evaluation units, shares in hundredths. Every number is
//! declared once, with the values that each rule uses (freestyle, standard, renju; caro borrows), the range that makes
//! sense, and the step in which a tuner should disturb it. `tengen tune search` reads the declarations.

use crate::rules::Rule;
use crate::score::ORDER_UNIT;

/// One ply.
pub const PLY: i32 = 100;
/// Deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 120;
/// Longest line, in plies from the root.
pub const MAX_PLY: usize = 250;

/// A number of the search, as declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Least and greatest sensible value.
    pub range: (i32, i32),
    /// A change that might be felt in games, and is not ruinous.
    pub step: i32,
}

macro_rules! parameters {
    ($( #[doc = $about:literal] $name:ident: [$($value:literal),+], $low:literal..=$high:literal, $step:literal; )+) => {
        /// Values of all parameters, and tables computed from them. See the methods for the formulas.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Params {
            $( #[doc = $about] pub(super) $name: i32, )+
            /// Base reductions by depth in plies and move number, in hundredths.
            reductions: Vec<[i32; 64]>,
            /// Moves worth a look, by depth in tenths of a ply: not improving, improving.
            move_counts: Vec<[i32; 2]>,
        }

        impl Params {
            /// All parameters, in the order of [`Params::values`].
            pub const ALL: &'static [Parameter] = &[$( Parameter {
                name: stringify!($name),
                about: $about,
                range: ($low, $high),
                step: $step,
            } ),+];

            /// The values in use for a rule.
            pub fn of(rule: Rule) -> Params {
                let family = rule.family();
                let mut params = Params {
                    $( $name: { const VALUES: [i32; Rule::FAMILIES] = [$($value),+]; VALUES[family] }, )+
                    reductions: Vec::new(),
                    move_counts: Vec::new(),
                };
                params.tabulate();
                params
            }

            /// All values, in the order of [`Params::ALL`].
            pub fn values(&self) -> Vec<i32> {
                vec![$( self.$name ),+]
            }

            /// Replaces all values, each brought into its range.
            pub fn set_values(&mut self, values: &[i32]) {
                let mut rest = values.iter();
                $( self.$name = rest.next().map_or(self.$name, |v| *v.clamp(&$low, &$high)); )+
                self.tabulate();
            }
        }
    };
}

parameters! {
    /// Transposition table: depth that an entry may lack to count, in hundredths of a ply.
    table_slack: [70, 40, 70], 0..=200, 20;
    /// Reverse futility: margin for a ply.
    futility_slope: [26, 26, 20], 0..=200, 4;
    /// Reverse futility: further margin where a threat must be met; 2000 or more is never.
    futility_defend: [321, 267, 255], 0..=2000, 60;
    /// Razoring: margin at depth 0.
    razor_base: [110, 122, 95], 0..=300, 15;
    /// Razoring: margin for a ply.
    razor_slope: [35, 48, 58], 0..=200, 10;
    /// Razoring: depth from which it ends.
    razor_depth: [172, 149, 168], 0..=800, 60;
    /// Move-count pruning: moves always looked at, in hundredths.
    lmp_base: [287, 272, 330], 100..=1500, 50;
    /// Move-count pruning: power of the depth, in hundredths.
    lmp_power: [151, 140, 159], 80..=220, 10;
    /// Move-count pruning: share looked at where the evaluation does not improve.
    lmp_not_improving: [64, 58, 68], 20..=100, 8;
    /// Move-count pruning: share looked at in principal nodes; 1000 or more is all.
    lmp_pv: [200, 271, 196], 20..=1000, 40;
    /// Move-count pruning: share looked at where a threat must be met; 1000 or more is all.
    lmp_defend: [60, 51, 66], 20..=1000, 15;
    /// Depth below which moves that make and deny nothing are skipped.
    trivial_depth: [475, 444, 526], 0..=1000, 60;
    /// Late move reduction: factor of ln(depth) ln(number).
    lmr_scale: [96, 104, 88], 30..=220, 10;
    /// Late move reduction: for each unit of log-probability by which the ordering puts a move below the best.
    lmr_order: [21, 30, 23], 0..=200, 12;
    /// Late move reduction: log-probability gap, in hundredths, that costs nothing.
    lmr_order_free: [246, 210, 254], 0..=800, 40;
    /// Late move reduction: the most that the ordering may reduce.
    lmr_order_max: [450, 291, 500], 0..=800, 40;
    /// Late move reduction: less for a move with the best history, more for one with the worst.
    lmr_history: [124, 121, 126], 0..=400, 20;
    /// Late move reduction: more where the evaluation does not improve.
    lmr_not_improving: [24, 30, 31], -100..=250, 15;
    /// Late move reduction: less at nodes that are or were principal.
    lmr_pv: [121, 102, 114], -100..=300, 20;
    /// Late move reduction: more at expected cut nodes.
    lmr_cut: [137, 146, 142], 0..=400, 20;
    /// Late move reduction: less for moves that make an open three or more.
    lmr_threat: [13, 10, 8], -100..=300, 20;
    /// Late move reduction: share applied where a threat must be met.
    lmr_defend: [68, 74, 79], 0..=150, 10;
    /// Late move reduction: more for moves far from the last moves of both sides.
    lmr_far: [5, 16, 10], -100..=300, 20;
    /// Late move reduction: less for moves that deny the opponent an open three or more.
    lmr_deny: [-16, -13, -5], -100..=300, 20;
    /// Late move reduction: less for a threat after a threat.
    lmr_attack: [87, 99, 94], -100..=300, 20;
    /// Internal iterative reduction: of expected cut nodes without a table move.
    iir_cut: [16, 0, 0], 0..=250, 20;
    /// Internal iterative reduction: least depth.
    iir_depth: [612, 635, 641], 200..=1500, 60;
    /// Reduction of the moves after one that raised alpha.
    alpha_raise_reduction: [49, 80, 37], 0..=250, 15;
    /// Cut nodes far above beta: reduction of quiet moves.
    fail_high_reduction: [18, 14, 7], 0..=250, 15;
    /// Cut nodes far above beta: margin at depth 0.
    fail_high_margin: [-32, -18, -37], -100..=300, 12;
    /// Cut nodes far above beta: margin for a ply.
    fail_high_slope: [3, 7, 1], 0..=80, 3;
    /// Null move: least depth.
    null_depth: [859, 992, 974], 300..=1600, 80;
    /// Null move: margin above beta.
    null_margin: [272, 299, 307], 0..=800, 40;
    /// Singular extension: least depth.
    singular_depth: [466, 501, 462], 300..=1400, 50;
    /// Singular extension: margin for a ply, in hundredths.
    singular_margin: [90, 56, 75], 10..=400, 15;
    /// Singular extension: miss of the bound from which two plies are given.
    singular_double: [34, 25, 30], 0..=200, 5;
    /// Singular extension: share of the depth to which the other moves are searched.
    singular_share: [54, 52, 54], 25..=80, 4;
    /// Reduction of the table move where others are good as well.
    singular_cut: [165, 122, 157], 0..=350, 20;
    /// Extension of the table move in principal nodes.
    best_extension: [27, 24, 35], 0..=100, 6;
    /// Principal nodes: reduction for each ply by which the table move's search was shallower.
    stale_tt_share: [23, 25, 35], 0..=100, 5;
    /// Extension of the only reply to a four: more than the ply that it costs.
    reply_extension: [141, 145, 145], 80..=200, 8;
    /// Extension of the replies to a threat that is no four.
    defence_extension: [30, 30, 30], 0..=120, 10;
    /// Sum of extensions beyond the played plies that one line may have.
    extension_budget: [1168, 1083, 1285], 200..=3000, 120;
    /// Excess over alpha of a reduced search from which the search in full goes deeper.
    deeper_margin: [58, 54, 48], 0..=400, 15;
    /// How much deeper it goes.
    deeper: [52, 57, 51], 0..=200, 12;
    /// Excess over the best score so far of a reduced search up to which the search in full goes less deep.
    shallower_margin: [12, 21, 14], 0..=200, 6;
    /// How much less deep it goes.
    shallower: [17, 8, 32], 0..=200, 12;
    /// Root: share of the late move reductions that is applied.
    root_share: [54, 56, 60], 0..=150, 10;
    /// History bonus: for the square of the depth in plies.
    bonus_square: [20, 18, 20], 0..=100, 4;
    /// History bonus: for each ply.
    bonus_slope: [159, 171, 195], 0..=400, 15;
    /// Ordering: what all histories at their best add, in units of the ordering.
    order_history: [166, 175, 161], 0..=400, 12;
    /// Ordering: what a killer move adds.
    order_killer: [9, 3, 8], 0..=100, 4;
    /// Ordering: what a counter move adds.
    order_counter: [11, 7, 11], 0..=100, 4;
    /// Horizon: nodes that one visit may cost.
    horizon_nodes: [46, 41, 40], 4..=400, 6;
    /// Solver at the root: nodes that it may spend at once.
    solver_start: [52, 52, 52], 0..=5000, 50;
    /// Solver at the root: its share of all nodes is one to so many.
    solver_divisor: [64, 64, 64], 2..=1000, 3;
    /// First half-width of the aspiration window.
    window: [15, 16, 18], 5..=200, 3;
}

impl Params {
    /// Computes the tables. The functions of `libm` give the same bits on every machine, those of `std` need not.
    fn tabulate(&mut self) {
        let reduction = |depth: usize, index: usize| {
            let logs = libm::log(depth.max(1) as f64) * libm::log(index.max(1) as f64);
            (f64::from(self.lmr_scale) * logs).round() as i32
        };
        let counts = |tenths: usize| {
            let base = f64::from(self.lmp_base) / 100.0;
            let all = base + libm::pow(tenths as f64 / 10.0, f64::from(self.lmp_power) / 100.0);
            [(all * f64::from(self.lmp_not_improving) / 100.0) as i32, all as i32]
        };
        let reductions = (0..64).map(|depth| std::array::from_fn(|index| reduction(depth, index))).collect();
        self.move_counts = (0..400).map(counts).collect();
        self.reductions = reductions;
    }

    /// Reverse futility: how far the evaluation must exceed beta for the node to be given up as a win; `None` where it
    /// never is.
    pub fn futility_margin(&self, depth: i32, improving: bool, defending: bool) -> Option<i32> {
        let more = match (defending, self.futility_defend) {
            (false, _) => 0,
            (true, 2000..) => return None,
            (true, more) => more,
        };
        Some(self.futility_slope * (depth - PLY - if improving { PLY } else { 0 }).max(0) / PLY + more)
    }

    /// Razoring: how far below alpha the evaluation must be for the four-search to have the last word; `None` where the
    /// depth is too great.
    pub fn razor_margin(&self, depth: i32) -> Option<i32> {
        (depth < self.razor_depth).then(|| self.razor_base + self.razor_slope * depth / PLY)
    }

    /// Move-count pruning: how many moves of a node are worth a look.
    pub fn move_count(&self, depth: i32, improving: bool, pv: bool, defending: bool) -> usize {
        let tenths = (depth / 10).max(0) as usize;
        let all = self.move_counts[tenths.min(self.move_counts.len() - 1)][usize::from(improving)];
        let share = |wanted: bool, share: i32| match (wanted, share) {
            (false, _) => 100,
            (true, 1000..) => i32::MAX / 10_000,
            (true, share) => share,
        };
        (all * share(pv, self.lmp_pv) / 100).saturating_mul(share(defending, self.lmp_defend)) as usize / 100
    }

    /// Whether moves that make and deny nothing are skipped.
    pub fn skips_trivial(&self, depth: i32) -> bool {
        depth < self.trivial_depth
    }

    /// Late move reduction before adjustments, by depth, number of the move (from 0), and how far the ordering puts it
    /// below the node's best, in its units.
    pub fn reduction(&self, depth: i32, index: usize, gap: i32) -> i32 {
        let base = self.reductions[(depth / PLY).clamp(0, 63) as usize][index.min(63)];
        let gap = 100 * gap / (ORDER_UNIT as i32) - self.lmr_order_free;
        base + (gap * self.lmr_order / 100).clamp(0, self.lmr_order_max)
    }

    /// Reduction that a move's history takes off (or adds, when negative).
    pub fn history_relief(&self, history: i32) -> i32 {
        history * self.lmr_history / super::history::LIMIT
    }

    /// What a move's history adds to its place in the order.
    pub fn history_order(&self, history: i32) -> i32 {
        history * self.order_history / (3 * super::history::LIMIT)
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

    /// How much a principal node is reduced whose table move comes from a shallower search.
    pub fn stale_tt_reduction(&self, depth: i32, table_depth: Option<i32>) -> i32 {
        match table_depth {
            None => self.stale_tt_share,
            Some(t) => ((depth - t).max(0) * self.stale_tt_share / PLY).min(3 * PLY),
        }
    }

    /// Whether a cut node is so far ahead that it is searched less deeply.
    pub fn is_far_above_beta(&self, eval: i32, beta: i32, depth: i32) -> bool {
        eval >= beta + self.fail_high_margin + self.fail_high_slope * depth / PLY
    }

    /// Nodes that the solver at the root may have spent when the search has come to so many in all.
    pub fn solver_share(&self, nodes: u64) -> u64 {
        u64::from(self.solver_start.unsigned_abs()) + nodes / u64::from(self.solver_divisor.unsigned_abs().max(1))
    }

    /// Bonus of a move that caused a cut, and malus of those tried before it.
    pub fn history_bonus(&self, depth: i32) -> i32 {
        let d = depth / PLY;
        (self.bonus_square * d * d + self.bonus_slope * d).clamp(0, 2_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_have_their_shape() {
        for rule in Rule::ALL {
            let p = Params::of(rule);
            for depth in (PLY..40 * PLY).step_by(50) {
                assert!(p.futility_margin(depth + PLY, false, false) >= p.futility_margin(depth, false, false));
                assert!(p.futility_margin(depth, true, false) <= p.futility_margin(depth, false, false));
                let count = |depth, improving, pv| p.move_count(depth, improving, pv, false);
                assert!(count(depth, true, false) >= count(depth, false, false));
                assert!(count(depth + PLY, true, false) >= count(depth, true, false));
                assert!(count(depth, true, true) >= count(depth, true, false));
                assert!(p.reduction(depth, 10, 0) >= p.reduction(depth, 3, 0));
                assert!(p.reduction(depth, 10, 200) >= p.reduction(depth, 10, 0));
                assert!(p.reduction(depth + PLY, 10, 0) >= p.reduction(depth, 10, 0));
                assert!(p.null_depth(depth) < depth);
            }
            assert_eq!(p.reduction(5 * PLY, 1, 0), 0);
        }
    }

    #[test]
    fn values_are_those_declared_and_can_be_replaced() {
        let mut p = Params::of(Rule::ALL[0]);
        let values = p.values();
        assert_eq!(values.len(), Params::ALL.len());
        for (value, declared) in values.iter().zip(Params::ALL) {
            assert!(declared.range.0 <= *value && *value <= declared.range.1, "{}", declared.name);
            assert!(declared.step > 0, "{}", declared.name);
        }
        p.set_values(&vec![i32::MAX; values.len()]);
        assert!(p.values().iter().zip(Params::ALL).all(|(v, p)| *v == p.range.1));
        p.set_values(&values);
        assert_eq!(p, Params::of(Rule::ALL[0]));
    }
}
