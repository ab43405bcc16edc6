//! The decisions of opening rules that Yixin-Board requests: the engine's goal for each, and the replies.

use super::extension::{SoosorvStep, Swap2Step};
use super::reply::Reply;
use crate::engine::{Answer, Goal, Point};

/// A decision of an opening rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A decision of swap2.
    Swap2(Swap2Step),
    /// A decision of Soosorv-8.
    Soosorv(SoosorvStep),
}

impl Step {
    /// Number of stones on the board at the decision. (Offered fifth moves are not on it.)
    pub(super) fn stones(self) -> usize {
        match self {
            Step::Swap2(Swap2Step::Open) | Step::Soosorv(SoosorvStep::Open) => 0,
            Step::Swap2(Swap2Step::Reply) | Step::Soosorv(SoosorvStep::Reply | SoosorvStep::Fourth) => 3,
            Step::Soosorv(SoosorvStep::Swap { .. } | SoosorvStep::Offer { .. } | SoosorvStep::Choose) => 4,
            Step::Swap2(Swap2Step::Final) => 5,
        }
    }

    /// The engine's goal; `offered` is the number of fifth moves to choose from.
    pub(super) fn goal(self, offered: usize) -> Goal {
        match self {
            Step::Swap2(Swap2Step::Open) => Goal::Swap2Open,
            Step::Swap2(Swap2Step::Reply) => Goal::Swap2Reply,
            Step::Swap2(Swap2Step::Final) => Goal::Swap2Final,
            Step::Soosorv(SoosorvStep::Open) => Goal::SoosorvOpen,
            Step::Soosorv(SoosorvStep::Reply) => Goal::SoosorvReply,
            Step::Soosorv(SoosorvStep::Fourth) => Goal::SoosorvFourth,
            Step::Soosorv(SoosorvStep::Swap { fifths }) => Goal::SoosorvSwap { fifths: usize::from(fifths) },
            Step::Soosorv(SoosorvStep::Offer { fifths }) => Goal::SoosorvOffer { fifths: usize::from(fifths) },
            Step::Soosorv(SoosorvStep::Choose) => Goal::SoosorvChoose { fifths: offered },
        }
    }

    /// The messages that report the decision.
    pub(super) fn replies(self, answer: &Answer) -> Vec<Reply> {
        let points = match answer {
            Answer::Points(points) => points.as_slice(),
            Answer::Swap | Answer::Full => &[],
        };
        let swaps = *answer == Answer::Swap;
        let texts = match self {
            Step::Swap2(step) => swap2(step, points, swaps),
            Step::Soosorv(step) => soosorv(step, points, swaps),
        };
        texts.into_iter().map(Reply::Message).collect()
    }
}

fn swap2(step: Swap2Step, points: &[Point], swaps: bool) -> Vec<String> {
    let yes = if swaps { "YES" } else { "NO" };
    match (step, points.len()) {
        (Swap2Step::Open, _) => moves("SWAP2", 1, points),
        // The two points are the fourth and the fifth stone.
        (Swap2Step::Reply, 2) => moves("SWAP2", 4, points),
        (Swap2Step::Reply, _) => vec![format!("SWAP2 SWAP1 {yes}")],
        (Swap2Step::Final, _) => vec![format!("SWAP2 SWAP2 {yes}")],
    }
}

fn soosorv(step: SoosorvStep, points: &[Point], swaps: bool) -> Vec<String> {
    let yes = if swaps { "Y" } else { "N" };
    match (step, points) {
        (SoosorvStep::Open, _) => moves("SOOSORV", 1, points),
        (SoosorvStep::Reply, _) => vec![format!("SOOSORV SWAP1 {yes}")],
        (SoosorvStep::Fourth, [fourth, fifths @ ..]) => {
            vec![format!("SOOSORV MOVE4 {} {} {}", fourth.x(), fourth.y(), fifths.len())]
        }
        (SoosorvStep::Swap { .. }, _) => vec![format!("SOOSORV SWAP2 {yes}")],
        (SoosorvStep::Offer { .. }, _) => {
            let offers = points.iter().map(|p| format!("SOOSORV MOVE5 {} {}", p.x(), p.y()));
            let refresh = std::iter::once("SOOSORV MOVE5 REFRESH".to_owned());
            refresh.chain(offers).chain(["SOOSORV MOVE5 DONE".to_owned()]).collect()
        }
        (SoosorvStep::Choose, [fifth, ..]) => vec![format!("SOOSORV MOVE5C {} {}", fifth.x(), fifth.y())],
        (SoosorvStep::Fourth | SoosorvStep::Choose, []) => Vec::new(),
    }
}

/// One message for each stone, numbered from `first`.
fn moves(rule: &str, first: usize, points: &[Point]) -> Vec<String> {
    (first..).zip(points).map(|(number, p)| format!("{rule} MOVE{number} {} {}", p.x(), p.y())).collect()
}
