//! The parameters of the search, each in one place, and the formulas that use them.
//!
//! Depths are in hundredths of a ply ([`PLY`]), scores in evaluation units, shares in hundredths. Every parameter is
//! declared once, with its values by rule family (freestyle, standard, renju, caro), its sensible range, and the step
//! by which a tuner should perturb it. `tengen tune search` reads the declarations.

use crate::rules::Rule;
use crate::score::ORDER_UNIT;

/// One ply.
pub const PLY: i32 = 100;
/// Deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 120;
/// Longest line, in plies from the root.
pub const MAX_PLY: usize = 250;

/// The declaration of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Minimum and maximum sensible value.
    pub range: (i32, i32),
    /// Perturbation step of a tuner: large enough to affect games, small enough not to ruin them.
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
            /// Late move pruning: moves searched, by depth in tenths of a ply; not improving, improving.
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

            /// Replaces all values, each clamped to its range.
            pub fn set_values(&mut self, values: &[i32]) {
                let mut rest = values.iter();
                $( self.$name = rest.next().map_or(self.$name, |v| *v.clamp(&$low, &$high)); )+
                self.tabulate();
            }
        }
    };
}

parameters! {
    /// Transposition table: how much shallower than the node an entry may be, in hundredths of a ply.
    table_slack: [89, 56, 86, 89], 0..=200, 20;
    /// Reverse futility: margin per ply.
    futility_slope: [42, 43, 77, 79], 0..=200, 4;
    /// Reverse futility: additional margin if a threat must be answered; 2000 or more disables it there.
    futility_defend: [187, 133, 250, 351], 0..=2000, 60;
    /// Razoring: margin at depth 0.
    razor_base: [133, 145, 245, 249], 0..=500, 15;
    /// Razoring: margin per ply.
    razor_slope: [34, 47, 120, 64], 0..=200, 10;
    /// Razoring: depth from which it is off.
    razor_depth: [142, 119, 138, 142], 0..=800, 60;
    /// Late move pruning: moves always searched, in hundredths.
    lmp_base: [288, 263, 321, 288], 100..=1500, 50;
    /// Late move pruning: exponent of the depth, in hundredths.
    lmp_power: [135, 116, 135, 135], 80..=220, 10;
    /// Late move pruning: share searched if the evaluation does not improve.
    lmp_not_improving: [56, 52, 62, 56], 20..=100, 8;
    /// Late move pruning: share searched in PV nodes; 1000 or more disables it there.
    lmp_pv: [201, 297, 222, 201], 20..=1000, 40;
    /// Late move pruning: share searched if a threat must be answered; 1000 or more disables it there.
    lmp_defend: [76, 71, 86, 76], 20..=1000, 15;
    /// Depth below which trivial moves are skipped: those without a pattern class for either side.
    trivial_depth: [415, 462, 544, 415], 0..=1000, 60;
    /// Late move reduction: factor of ln(depth) ln(number).
    lmr_scale: [95, 105, 89, 95], 30..=220, 10;
    /// Late move reduction: more for each unit of log-odds by which a move's ordering score is below the best.
    lmr_order: [24, 63, 56, 24], 0..=200, 12;
    /// Late move reduction: gap of the ordering score that adds no reduction, in hundredths of log-odds.
    lmr_order_free: [202, 183, 227, 202], 0..=800, 40;
    /// Late move reduction: maximum reduction by the ordering score.
    lmr_order_max: [544, 313, 522, 544], 0..=800, 40;
    /// Late move reduction: less for a move with the best history, more for one with the worst.
    lmr_history: [79, 78, 83, 79], 0..=400, 20;
    /// Late move reduction: more if the evaluation does not improve.
    lmr_not_improving: [128, 78, 79, 128], -100..=250, 15;
    /// Late move reduction: less at nodes that are or once were on a principal variation.
    lmr_pv: [105, 93, 105, 105], -100..=300, 20;
    /// Late move reduction: more at expected cut nodes.
    lmr_cut: [159, 125, 121, 159], 0..=400, 20;
    /// Late move reduction: less for moves that make an open three or more.
    lmr_threat: [9, 43, 41, 9], -100..=300, 20;
    /// Late move reduction: share applied if a threat must be answered.
    lmr_defend: [75, 81, 86, 75], 0..=150, 10;
    /// Late move reduction: less (if negative, more) for moves that block an open three or more of the opponent.
    lmr_deny: [-31, -28, -20, -31], -100..=300, 20;
    /// Late move reduction: less for a threat whose side also made a threat with its last move.
    lmr_attack: [85, 97, 92, 85], -100..=300, 20;
    /// Internal iterative reduction of expected cut nodes without a table move.
    iir_cut: [29, 10, 10, 29], 0..=250, 20;
    /// Internal iterative reduction: minimum depth.
    iir_depth: [544, 567, 573, 544], 200..=1500, 60;
    /// Reduction of the moves after one that raised alpha.
    alpha_raise_reduction: [39, 55, 12, 39], 0..=250, 15;
    /// Fail-high reduction: of quiet moves in expected cut nodes far above beta.
    fail_high_reduction: [47, 30, 23, 47], 0..=250, 15;
    /// Fail-high reduction: margin above beta at depth 0.
    fail_high_margin: [-42, -28, -98, -79], -200..=300, 12;
    /// Fail-high reduction: margin per ply.
    fail_high_slope: [4, 8, 4, 8], 0..=80, 3;
    /// Null move: minimum depth.
    null_depth: [960, 989, 971, 960], 300..=1600, 80;
    /// Null move: margin above beta.
    null_margin: [320, 297, 640, 600], 0..=1200, 40;
    /// Singular extension: minimum depth.
    singular_depth: [452, 457, 418, 452], 300..=1400, 50;
    /// Singular extension: margin per ply, in hundredths.
    singular_margin: [95, 44, 130, 178], 10..=400, 15;
    /// Singular extension: added to the margin per ply where a principal variation once was, in hundredths.
    singular_pv: [100, 100, 100, 188], 0..=400, 20;
    /// Singular extension: distance below the bound from which the extension is two plies.
    singular_double: [30, 21, 54, 56], 0..=200, 5;
    /// Singular extension: share of the depth to which the other moves are searched.
    singular_share: [54, 55, 57, 54], 25..=80, 4;
    /// Negative extension of the table move if other moves are good as well.
    singular_cut: [180, 137, 172, 180], 0..=350, 20;
    /// Extension of the table move in PV nodes.
    best_extension: [26, 23, 34, 26], 0..=100, 6;
    /// Reduction of PV nodes for each ply by which the table entry is shallower.
    stale_tt_share: [37, 23, 33, 37], 0..=100, 5;
    /// Extension of the only reply to a four: more than the ply it costs.
    reply_extension: [139, 143, 143, 139], 80..=200, 8;
    /// Extension of the replies to a threat other than a four.
    defence_extension: [33, 19, 19, 33], 0..=120, 10;
    /// Extension budget: sum of the extensions of a line, beyond the plies played.
    extension_budget: [1150, 1293, 1495, 1150], 200..=3000, 120;
    /// Re-search after a reduction: excess over alpha from which it goes deeper.
    deeper_margin: [66, 76, 146, 124], 0..=400, 15;
    /// Re-search after a reduction: how much deeper.
    deeper: [49, 54, 48, 49], 0..=200, 12;
    /// Re-search after a reduction: excess over the best score so far up to which it is shallower.
    shallower_margin: [17, 26, 40, 32], 0..=200, 6;
    /// Re-search after a reduction: how much shallower.
    shallower: [7, 0, 22, 7], 0..=200, 12;
    /// Share of the late move reductions that is applied at the root.
    root_share: [40, 52, 56, 40], 0..=150, 10;
    /// Share of the ordering score's gap that counts for the reductions at the root.
    root_order: [60, 60, 60, 60], 0..=200, 20;
    /// History bonus: factor of the square of the depth in plies.
    bonus_square: [24, 22, 24, 24], 0..=100, 4;
    /// History bonus: factor of the depth in plies.
    bonus_slope: [157, 169, 193, 157], 0..=400, 15;
    /// Correction history: share of the mean error that is added to the evaluation.
    correction: [96, 110, 110, 96], 0..=200, 15;
    /// Ordering: what the best possible histories add, in units of the ordering score.
    order_history: [173, 200, 186, 173], 0..=400, 12;
    /// Ordering: what a counter move adds.
    order_counter: [36, 8, 12, 36], 0..=100, 4;
    /// Quiescence search: maximum nodes of one visit.
    qsearch_nodes: [9, 23, 22, 9], 4..=400, 6;
    /// Solver at the root: nodes that it may spend at the start.
    solver_start: [89, 89, 89, 89], 0..=5000, 50;
    /// Solver at the root: its share is the number of all nodes divided by this.
    solver_divisor: [62, 62, 62, 62], 2..=1000, 3;
    /// Initial half-width of the aspiration window.
    window: [15, 16, 38, 28], 5..=400, 8;
}

impl Params {
    /// Computes the tables. The functions of `libm` give the same bits on every machine; those of `std` may differ.
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

    /// Reverse futility: how far the evaluation must exceed beta for a fail-high without search; `None` for never.
    pub fn futility_margin(&self, depth: i32, improving: bool, defending: bool) -> Option<i32> {
        let more = match (defending, self.futility_defend) {
            (false, _) => 0,
            (true, 2000..) => return None,
            (true, more) => more,
        };
        Some(self.futility_slope * (depth - PLY - if improving { PLY } else { 0 }).max(0) / PLY + more)
    }

    /// Razoring: how far below alpha the evaluation must be for the quiescence search to decide; `None` if the depth
    /// is too great.
    pub fn razor_margin(&self, depth: i32) -> Option<i32> {
        (depth < self.razor_depth).then(|| self.razor_base + self.razor_slope * depth / PLY)
    }

    /// Late move pruning: number of moves of a node that are searched.
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

    /// Whether trivial moves are skipped: those without a pattern class for either side.
    pub fn skips_trivial(&self, depth: i32) -> bool {
        depth < self.trivial_depth
    }

    /// Late move reduction before adjustments, by depth, number of the move (from 0), and how far its ordering score is
    /// below the node's best, in units of the ordering.
    pub fn reduction(&self, depth: i32, index: usize, gap: i32) -> i32 {
        let base = self.reductions[(depth / PLY).clamp(0, 63) as usize][index.min(63)];
        let gap = 100 * gap / (ORDER_UNIT as i32) - self.lmr_order_free;
        base + (gap * self.lmr_order / 100).clamp(0, self.lmr_order_max)
    }

    /// Reduction of a root move.
    pub fn root_reduction(&self, depth: i32, index: usize, gap: i32) -> i32 {
        self.reduction(depth, index, gap * self.root_order / 100) * self.root_share / 100
    }

    /// Reduction that a move's history takes off (or adds, when negative).
    pub fn history_relief(&self, history: i32) -> i32 {
        history * self.lmr_history / super::history::LIMIT
    }

    /// What a move's history adds to its ordering score.
    pub fn history_order(&self, history: i32) -> i32 {
        history * self.order_history / (3 * super::history::LIMIT)
    }

    /// How far the evaluation must exceed beta for a null move; `None` if the depth is too small.
    pub fn null_margin(&self, depth: i32) -> Option<i32> {
        (depth >= self.null_depth).then_some(self.null_margin)
    }

    /// Depth left after a null move.
    pub fn null_depth(&self, depth: i32) -> i32 {
        depth - 4 * PLY - depth / 8
    }

    /// Whether the table entry is deep enough for a singular test of its move.
    pub fn tests_singular(&self, depth: i32, table_depth: i32) -> bool {
        depth >= self.singular_depth && table_depth >= depth - 2 * PLY
    }

    /// Singular test: how much worse all other moves must be.
    pub fn singular_margin(&self, depth: i32, pv: bool) -> i32 {
        (self.singular_margin + if pv { self.singular_pv } else { 0 }) * depth / (PLY * PLY)
    }

    /// Reduction of a PV node whose table entry is missing or shallower.
    pub fn stale_tt_reduction(&self, depth: i32, table_depth: Option<i32>) -> i32 {
        match table_depth {
            None => self.stale_tt_share,
            Some(t) => ((depth - t).max(0) * self.stale_tt_share / PLY).min(3 * PLY),
        }
    }

    /// Whether the evaluation of a cut node is far enough above beta for the fail-high reduction.
    pub fn is_far_above_beta(&self, eval: i32, beta: i32, depth: i32) -> bool {
        eval >= beta + self.fail_high_margin + self.fail_high_slope * depth / PLY
    }

    /// Nodes that the solver at the root may have spent once this many nodes are searched in total.
    pub fn solver_share(&self, nodes: u64) -> u64 {
        u64::from(self.solver_start.unsigned_abs()) + nodes / u64::from(self.solver_divisor.unsigned_abs().max(1))
    }

    /// Bonus of a move that caused a cutoff, and malus of the moves tried before it.
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
