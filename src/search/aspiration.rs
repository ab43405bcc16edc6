//! Aspiration windows: a search of the root begins with a narrow window around the previous score, which is widened
//! until it contains the value.

use super::node::is_proven;
use super::tt::Bound;
use crate::score::Score;

const INFINITE: i32 = Score::INFINITE.raw();
/// Half-width above which a bound that failed becomes infinite.
const WIDEST: i32 = 600;

/// The window of one root search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AspirationWindow {
    pub alpha: i32,
    pub beta: i32,
    /// Half-width after the next failure.
    delta: i32,
}

impl AspirationWindow {
    /// The full window.
    pub fn open() -> AspirationWindow {
        AspirationWindow { alpha: -INFINITE, beta: INFINITE, delta: INFINITE }
    }

    /// A window of `delta` on each side of a score; the full window around a proven score.
    pub fn around(score: i32, delta: i32) -> AspirationWindow {
        match Score::from_raw(score).distance() {
            Some(_) => AspirationWindow::open(),
            None => AspirationWindow { alpha: score - delta, beta: score + delta, delta },
        }
    }

    /// Returns which bound the value of a search with this window is. [`Bound::Upper`] is a fail low and
    /// [`Bound::Lower`] a fail high: the window is then widened on that side, and the search must be repeated.
    pub fn update(&mut self, value: i32) -> Bound {
        let bound = Bound::of(value, self.alpha, self.beta);
        self.delta = (self.delta + self.delta / 2 + 5).min(INFINITE);
        let give_up = self.delta > WIDEST || is_proven(value);
        match bound {
            Bound::Upper if self.alpha > -INFINITE => {
                self.beta = (self.alpha + self.beta) / 2;
                self.alpha = if give_up { -INFINITE } else { value - self.delta };
                bound
            }
            Bound::Lower if self.beta < INFINITE => {
                self.beta = if give_up { INFINITE } else { value + self.delta };
                bound
            }
            Bound::Upper | Bound::Lower | Bound::Exact => Bound::Exact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches for a true value as the root does; returns the number of searches.
    fn searches(window: &mut AspirationWindow, truth: i32) -> usize {
        (1..100)
            .find(|_| {
                assert!(window.alpha < window.beta);
                window.update(truth) == Bound::Exact
            })
            .expect("an end")
    }

    #[test]
    fn every_value_is_found_after_a_few_searches() {
        let proven = [Score::win_in(5).raw(), Score::loss_in(8).raw()];
        for guess in [-20_000, -300, 0, 15, 4_000] {
            for truth in (-20_000..=20_000).step_by(997).chain(proven) {
                let mut window = AspirationWindow::around(guess, 15);
                let number = searches(&mut window, truth);
                assert!(window.alpha < truth && truth < window.beta, "{guess} {truth}");
                assert!(number <= 12, "{guess} {truth}: {number} searches");
                assert_eq!(number == 1, (guess - 15 + 1..guess + 15).contains(&truth));
            }
        }
    }

    #[test]
    fn a_failure_widens_the_side_that_failed() {
        let mut window = AspirationWindow::around(100, 20);
        assert_eq!(window.update(60), Bound::Upper);
        assert!(window.alpha < 60 && window.beta <= 100, "{window:?}");
        let alpha = window.alpha;
        assert_eq!(window.update(window.beta + 7), Bound::Lower);
        assert!(window.alpha == alpha && window.beta > 107, "{window:?}");
    }

    #[test]
    fn proven_scores_need_no_narrow_window() {
        for proven in [Score::win_in(5).raw(), Score::loss_in(8).raw()] {
            assert_eq!(AspirationWindow::around(proven, 20), AspirationWindow::open());
        }
        let mut window = AspirationWindow::around(0, 20);
        assert_eq!(window.update(Score::loss_in(8).raw()), Bound::Upper);
        assert_eq!(window.alpha, -INFINITE);
    }
}
