//! Scores and win distances, from the view of the side to move.

use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

/// Move-ordering scores are log-odds that a move is the best one; this many units are one unit of log-odds.
pub const ORDER_UNIT: f64 = 32.0;

/// Scores are log-odds of a win; this many units are one unit of log-odds.
pub const ODDS_UNIT: f64 = 200.0;

/// A score in evaluation units, or a win or loss with its distance in plies.
///
/// Evaluation units are scaled so that a win probability is `1 / (1 + exp(-units / 200))`, see [`ODDS_UNIT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

impl Score {
    /// A draw, or an even position.
    pub const ZERO: Score = Score(0);
    /// Greater than every other score.
    pub const INFINITE: Score = Score(32_000);
    /// The side to move has already won (distance 0).
    pub const WIN: Score = Score(30_000);
    /// Longest distance of a win score, in plies.
    pub const MAX_PLY: i32 = 1_000;
    /// Largest magnitude of an evaluation that is not a proven win or loss.
    pub const EVAL_LIMIT: i32 = 20_000;

    /// A score in evaluation units, limited to [`Score::EVAL_LIMIT`].
    pub const fn units(units: i32) -> Score {
        Score(if units > Self::EVAL_LIMIT {
            Self::EVAL_LIMIT
        } else if units < -Self::EVAL_LIMIT {
            -Self::EVAL_LIMIT
        } else {
            units
        })
    }

    /// The score with this raw value (see [`Score::raw`]).
    #[inline(always)]
    pub const fn from_raw(raw: i32) -> Score {
        Score(raw)
    }

    /// The raw value, used in arithmetic and storage.
    #[inline(always)]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// A win of the side to move, complete after this many plies.
    #[inline(always)]
    pub const fn win_in(plies: i32) -> Score {
        Score(Self::WIN.0 - plies)
    }

    /// A loss of the side to move: the opponent's win is complete after this many plies.
    #[inline(always)]
    pub const fn loss_in(plies: i32) -> Score {
        Score(-Self::WIN.0 + plies)
    }

    /// Whether this is a proven win.
    #[inline(always)]
    pub const fn is_win(self) -> bool {
        self.0 >= Self::WIN.0 - Self::MAX_PLY
    }

    /// Whether this is a proven loss.
    #[inline(always)]
    pub const fn is_loss(self) -> bool {
        self.0 <= -Self::WIN.0 + Self::MAX_PLY
    }

    /// Whether this is a proven win or loss.
    #[inline(always)]
    pub const fn is_proven(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// Plies to the end of a proven win (positive) or loss (negative or zero); `None` for an evaluation.
    pub const fn distance(self) -> Option<i32> {
        if self.is_win() {
            Some(Self::WIN.0 - self.0)
        } else if self.is_loss() {
            Some(-(self.0 + Self::WIN.0))
        } else {
            None
        }
    }

    /// Expected result of the side to move, 0 to 1.
    pub fn win_rate(self) -> f64 {
        if self.is_win() {
            1.0
        } else if self.is_loss() {
            0.0
        } else {
            1.0 / (1.0 + (-f64::from(self.0) / ODDS_UNIT).exp())
        }
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline(always)]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// Displays evaluation units as a number, a win in n plies as `+Mn` and a loss as `-Mn`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.distance() {
            Some(n) if self.is_win() => write!(f, "+M{n}"),
            Some(n) => write!(f, "-M{}", -n),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Error parsing a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoScore;

impl fmt::Display for NoScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a score such as 35, +M9 or -M8")
    }
}

impl std::error::Error for NoScore {}

/// Parses the text of a [`Score`].
impl FromStr for Score {
    type Err = NoScore;

    fn from_str(text: &str) -> Result<Score, NoScore> {
        let (sign, digits) = match text.split_once('M') {
            None => {
                let units =
                    text.parse::<i32>().ok().filter(|units| (-Self::EVAL_LIMIT..=Self::EVAL_LIMIT).contains(units));
                return units.map(Score).ok_or(NoScore);
            }
            Some(("+", digits)) => (1, digits),
            Some(("-", digits)) => (-1, digits),
            Some(_) => return Err(NoScore),
        };
        let plies = digits.parse::<i32>().ok().filter(|n| (0..=Self::MAX_PLY).contains(n) && !digits.starts_with('+'));
        plies.map(|n| Score(sign * Self::win_in(n).0)).ok_or(NoScore)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_score_can_be_read_back() {
        let evaluations = [0, 35, -270, Score::EVAL_LIMIT, -Score::EVAL_LIMIT].map(Score::units);
        let proven = [1, 9, Score::MAX_PLY].map(Score::win_in).into_iter().chain([0, 2, 8].map(Score::loss_in));
        for score in evaluations.into_iter().chain(proven) {
            assert_eq!(score.to_string().parse(), Ok(score), "{score}");
        }
        for text in ["", "M", "M9", "+M", "-M-3", "+M+3", "+M1001", "20001", "-2147483648", "1.5", "h8", " 1"] {
            assert_eq!(text.parse::<Score>(), Err(NoScore), "{text:?}");
        }
    }
}
