//! Reviews a whole game with the engine: the evaluation of each move, better moves, and wins that were missed or
//! allowed.
//!
//! Input and output are plain data, with progress and a stop token, so that a terminal and a board can both use the
//! review. It searches the positions from the last to the first. Table entries of later positions help in earlier ones,
//! and a proven win propagates back to the position in which it first existed. A move counts as a mistake only if a
//! search of the position after the better move confirms it, with the same limits as every other search.

use crate::analyze::play_out;
use serde::Serialize;
use tengen::board::{BySide, Point, Setup, SetupError, Side};
use tengen::control::StopToken;
use tengen::engine::{Answer, Engine, Limits, Line, Request};
use tengen::rules::game::{Game, Status};
use tengen::rules::{Outcome, Rule};
use tengen::score::Score;
use web_time::Instant;

/// A game to be reviewed.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The rule.
    pub rule: Rule,
    /// The position after the last move. A move is a stone from number `first` on; sides need not alternate.
    pub setup: Setup,
    /// Number of stones before the first move.
    pub first: usize,
}

impl Played {
    /// The position after this many stones, at least `first`.
    fn position(&self, stones: usize) -> Setup {
        let to_move = self.setup.stones.get(stones).map_or(self.setup.to_move, |(_, side)| *side);
        let stones = self.setup.stones[..stones].to_vec();
        Setup { size: self.setup.size, stones, blocked: self.setup.blocked.clone(), to_move }
    }

    /// The position before stone `number`, counted from 1 and including set-up stones; `None` for a stone that is not a
    /// move.
    pub fn before(&self, number: usize) -> Option<Setup> {
        let stones = number.checked_sub(1).filter(|stones| (self.first..=self.setup.stones.len()).contains(stones))?;
        Some(self.position(stones))
    }

    /// The number of stones until the end of the game by its rule, and the outcome; all stones if the game is not over.
    ///
    /// # Errors
    /// If the setup is not a valid position.
    pub fn ending(&self) -> Result<(usize, Option<Outcome>), SetupError> {
        self.setup.check()?;
        for stones in self.first..self.setup.stones.len() {
            let mut game = Game::from_setup(self.rule, self.position(stones))?;
            if let Some(outcome) = game.outcome() {
                return Ok((stones, Some(outcome.clone())));
            }
            if let Ok(Status::Over(outcome)) = game.play(self.setup.stones[stones].0) {
                return Ok((stones + 1, Some(outcome)));
            }
        }
        let last = Game::from_setup(self.rule, self.setup.clone())?;
        Ok((self.setup.stones.len(), last.outcome().cloned()))
    }
}

/// Settings of a review.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Limits of the search of each position; each search measures its own time.
    pub limits: Limits,
    /// Minimum losses of win probability, 0 to 1, of an inaccuracy, a mistake and a blunder.
    pub grades: [f64; 3],
}

impl Settings {
    /// Default of the nodes for each position: about a quarter of a second.
    pub const NODES: u64 = 200_000;
    /// The usual grades: 5, 10 and 20 percentage points.
    pub const GRADES: [f64; 3] = [0.05, 0.1, 0.2];
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { limits: Limits::nodes(Settings::NODES), grades: Settings::GRADES }
    }
}

/// The grade of a bad move, by the win probability that it lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// A small loss.
    Inaccuracy,
    /// A serious loss.
    Mistake,
    /// A loss that decides games.
    Blunder,
}

impl Grade {
    /// All grades, the mildest first.
    pub const ALL: [Grade; 3] = [Grade::Inaccuracy, Grade::Mistake, Grade::Blunder];

    /// The grade's name.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }
}

/// A move that the engine prefers to the played one, with its continuation.
#[derive(Clone, Debug, PartialEq)]
pub struct Better {
    /// The moves, starting with the better move.
    pub moves: Vec<Point>,
    /// The score from the point of view of the side that plays it.
    pub score: Score,
}

/// One move of a reviewed game.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Number of the stone, from 1, set-up stones included.
    pub number: usize,
    /// The side that played it.
    pub side: Side,
    /// The point.
    pub point: Point,
    /// The score of the position with the best move, for that side.
    pub before: Score,
    /// The score after the move, for that side.
    pub after: Score,
    /// Win probability lost by the move, 0 to 1.
    pub loss: f64,
    /// The grade of the loss, if it is large enough for one.
    pub grade: Option<Grade>,
    /// Whether a proven win existed before the move, but not after it.
    pub missed_win: bool,
    /// Whether the opponent has a proven win after the move that another move avoids.
    pub allowed_win: bool,
    /// A better move, if a search confirmed one.
    pub better: Option<Better>,
    /// The expected continuation; a proven win extends to the end of the game.
    pub reply: Vec<Point>,
}

impl Judgement {
    /// Whether the move is a mistake of any kind.
    pub fn is_error(&self) -> bool {
        self.grade.is_some() || self.missed_win || self.allowed_win
    }
}

/// A reviewed game.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The game.
    pub game: Played,
    /// The outcome by the rule, if the game is over. Stones after the end are not judged.
    pub outcome: Option<Outcome>,
    /// Black's win probability, 0 to 1, before the first move and after each; `None` for positions that a stopped
    /// review did not reach.
    pub win_rates: Vec<Option<f64>>,
    /// The judged moves; after a stopped review only the last ones.
    pub moves: Vec<Judgement>,
    /// Whether all moves were judged.
    pub complete: bool,
    /// Nodes of all searches.
    pub nodes: u64,
}

/// The summary of a player's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of judged moves.
    pub moves: usize,
    /// Number of moves of each of [`Grade::ALL`].
    pub grades: [usize; 3],
    /// Number of missed wins.
    pub missed: usize,
    /// Number of allowed wins.
    pub allowed: usize,
    /// Sum of the win probability lost.
    pub loss: f64,
}

impl Review {
    /// Both players' summaries.
    pub fn summary(&self) -> BySide<Summary> {
        let mut sums = BySide::<Summary>::default();
        for judged in &self.moves {
            let sum = &mut sums[judged.side];
            sum.moves += 1;
            sum.loss += judged.loss;
            sum.missed += usize::from(judged.missed_win);
            sum.allowed += usize::from(judged.allowed_win);
            if let Some(grade) = judged.grade {
                sum.grades[grade as usize] += 1;
            }
        }
        sums
    }

    /// The errors, largest loss of win probability first.
    pub fn errors(&self) -> Vec<&Judgement> {
        let mut errors: Vec<&Judgement> = self.moves.iter().filter(|m| m.is_error()).collect();
        errors.sort_by(|a, b| b.loss.total_cmp(&a.loss).then(a.number.cmp(&b.number)));
        errors
    }
}

/// The progress of a review.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Number of searched positions.
    pub done: usize,
    /// Number of positions to search.
    pub total: usize,
    /// The latest judgement. Later searches may revise it.
    pub newest: Option<&'a Judgement>,
}

/// Reviews a game. A stopped review contains the moves judged so far.
///
/// # Errors
/// If the setup is not a valid position.
pub fn review(
    engine: &mut Engine,
    game: &Played,
    settings: &Settings,
    stop: &StopToken,
    on_progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Review, SetupError> {
    let (end, outcome) = game.ending()?;
    let count = end.saturating_sub(game.first);
    let mut reviewer = Reviewer { engine, game, settings, stop, values: vec![None; count + 1], nodes: 0 };
    let total = count + 1;
    for i in (0..total).rev() {
        let value = match &outcome {
            Some(outcome) if i == count => Some(reviewer.final_value(outcome)),
            _ => reviewer.value(i),
        };
        let Some(value) = value else { break };
        reviewer.values[i] = Some(value);
        if i < count && !reviewer.compare(i) {
            reviewer.values[i] = None;
            break;
        }
        let newest = reviewer.judge(i);
        on_progress(Progress { done: total - i, total, newest: newest.as_ref() });
    }
    let moves: Vec<Judgement> = (0..count).filter_map(|i| reviewer.judge(i)).collect();
    let black = |value: &Value| match value.side {
        Side::Black => value.score.win_rate(),
        Side::White => 1.0 - value.score.win_rate(),
    };
    let win_rates: Vec<Option<f64>> = reviewer.values.iter().map(|value| value.as_ref().map(black)).collect();
    let (complete, nodes) = (win_rates.iter().all(Option::is_some), reviewer.nodes);
    Ok(Review { game: game.clone(), outcome, win_rates, moves, complete, nodes })
}

/// Judges the last move of a game, given `before`: the score of the position before it for the side that plays it. The
/// limits and grades are those of the review that found `before`. `None` if it was stopped, or if the game was over
/// before that move.
///
/// # Errors
/// If the setup is not a valid position.
pub fn judge_last(
    engine: &mut Engine,
    game: &Played,
    before: Score,
    settings: &Settings,
    stop: &StopToken,
) -> Result<Option<Judgement>, SetupError> {
    let stones = game.setup.stones.len();
    let (end, outcome) = game.ending()?;
    if end < stones || game.first + 1 != stones {
        return Ok(None);
    }
    let side = game.setup.stones[game.first].1;
    let value = Value { side, score: before, line: Vec::new(), better: None };
    let mut reviewer = Reviewer { engine, game, settings, stop, values: vec![Some(value), None], nodes: 0 };
    reviewer.values[1] = match &outcome {
        Some(outcome) => Some(reviewer.final_value(outcome)),
        None => reviewer.value(1),
    };
    Ok(reviewer.judge_alone())
}

/// The evaluation of a position.
#[derive(Clone, Debug)]
struct Value {
    /// The side to move.
    side: Side,
    /// The score of the best known move, for that side.
    score: Score,
    /// The engine's line; empty at the end of the game.
    line: Vec<Point>,
    /// A better move than the played one, confirmed by a search.
    better: Option<Better>,
}

struct Reviewer<'a> {
    engine: &'a mut Engine,
    game: &'a Played,
    settings: &'a Settings,
    stop: &'a StopToken,
    /// Values of the positions before each move, and of the last position.
    values: Vec<Option<Value>>,
    nodes: u64,
}

/// Factor on the limits of a search that looks for a win which another search has just proven.
const PROOF_SEARCH_FACTOR: u64 = 4;

impl Reviewer<'_> {
    fn setup(&self, i: usize) -> Setup {
        self.game.position(self.game.first + i)
    }

    /// The value at the end of the game.
    fn final_value(&self, outcome: &Outcome) -> Value {
        let last = self.values.len() - 1;
        let side = match self.setup(last) {
            setup if last == 0 => setup.to_move,
            // After a move the opponent is to move, regardless of stones after the end of the game.
            _ => !self.game.setup.stones[self.game.first + last - 1].1,
        };
        let score = match outcome.winner() {
            None => Score::ZERO,
            Some(winner) if winner == side => Score::win_in(0),
            Some(_) => Score::loss_in(0),
        };
        Value { side, score, line: Vec::new(), better: None }
    }

    /// Searches a position for its value; `None` if the search was stopped.
    fn value(&mut self, i: usize) -> Option<Value> {
        let setup = self.setup(i);
        let side = setup.to_move;
        let line = self.search(setup, 1)?;
        Some(Value { side, score: line.score, line: line.moves, better: None })
    }

    /// A search with the limits of the review, multiplied by `times`; `None` if it was stopped.
    fn search(&mut self, setup: Setup, times: u64) -> Option<Line> {
        let limits = &self.settings.limits;
        let times32 = u32::try_from(times).unwrap_or(u32::MAX);
        let limits = Limits {
            started: Some(Instant::now()),
            nodes: limits.nodes.map(|nodes| nodes.saturating_mul(times)),
            turn: limits.turn.map(|turn| turn.saturating_mul(times32)),
            ..limits.clone()
        };
        let found = self.engine.think(&Request::new(setup, self.game.rule, limits), self.stop, &mut |_| {});
        self.nodes += found.line.nodes;
        match found.answer {
            _ if self.stop.is_stopped() => None,
            Answer::Points(_) | Answer::Swap => Some(found.line),
            // The board is full, which is possible only for a setup of an unfinished game: a draw.
            Answer::Full => Some(Line::default()),
        }
    }

    /// Compares the value before move `i` with the value after it, and searches again if they disagree. False if a
    /// search was stopped.
    fn compare(&mut self, i: usize) -> bool {
        self.try_compare(i).is_some()
    }

    fn try_compare(&mut self, i: usize) -> Option<()> {
        let point = self.game.setup.stones[self.game.first + i].0;
        let mut value = self.values[i].clone()?;
        let same = value.line.first() == Some(&point);
        let mut after = self.verify_proof(i)?;
        if value.score.is_win() && !after.is_win() {
            if same {
                // The played move is the one with the proven win.
                after = value.score;
                let next = self.values[i + 1].as_mut()?;
                next.score = if next.side == value.side { after } else { after_move(after) };
                next.better = None;
            } else {
                let moves = self.played_out(self.setup(i), value.line.clone(), value.score);
                value.better = Some(Better { moves, score: value.score });
            }
        } else if same && !value.score.is_proven() {
            value.score = after;
        } else if !same && !value.score.is_loss() {
            let loss = value.score.win_rate() - after.win_rate();
            if loss >= self.settings.grades[0] || after.is_loss() {
                value.better = self.confirmed(i, &value, after)?;
                value.score = value.better.as_ref().map_or(after, |better| better.score);
            }
        }
        // The played move is a lower bound for the score, whatever the search returned.
        value.score = value.score.max(after);
        if after.is_loss() && !value.score.is_loss() {
            let next = self.values[i + 1].clone()?;
            let line = self.played_out(self.setup(i + 1), next.line, next.score);
            self.values[i + 1].as_mut()?.line = line;
        }
        self.values[i] = Some(value);
        Some(())
    }

    /// The value after move `i`. If a proof from before the move is missing after it, a longer search looks for it;
    /// with the current table entries it often succeeds. `None` if that search was stopped.
    fn verify_proof(&mut self, i: usize) -> Option<Score> {
        let (before, after) = (self.values[i].as_ref()?.score, self.after(i)?);
        let hidden = (before.is_win() && !after.is_win()) || (before.is_loss() && !after.is_loss());
        if !hidden || self.values[i + 1].as_ref()?.line.is_empty() {
            return Some(after);
        }
        let line = self.search(self.setup(i + 1), PROOF_SEARCH_FACTOR)?;
        if line.score.is_proven() {
            let next = self.values[i + 1].as_mut()?;
            (next.score, next.line, next.better) = (line.score, line.moves, None);
            self.propagate_win(i + 1);
        }
        self.after(i)
    }

    /// Propagates a new proof of a win before move `i`: if the played move is the winning one, the win continues after
    /// it; otherwise the winning move is the better move.
    fn propagate_win(&mut self, i: usize) {
        let Some((value, after)) = self.values[i].clone().zip(self.values.get(i + 1).and_then(|_| self.after(i)))
        else {
            return;
        };
        if !value.score.is_win() || after.is_win() {
            return;
        }
        if value.line.first() != Some(&self.game.setup.stones[self.game.first + i].0) {
            let moves = self.played_out(self.setup(i), value.line, value.score);
            self.values[i].iter_mut().for_each(|here| {
                here.better = Some(Better { moves: moves.clone(), score: value.score });
            });
            return;
        }
        if let Some(next) = &mut self.values[i + 1] {
            next.score = if next.side == value.side { value.score } else { after_move(value.score) };
            next.better = None;
            next.line = value.line[1..].to_vec();
        }
    }

    /// Judges a single move whose value before it was given. `None` if a search was stopped.
    fn judge_alone(&mut self) -> Option<Judgement> {
        let after = self.verify_proof(0)?;
        if after.is_loss() {
            let next = self.values[1].clone()?;
            let line = self.played_out(self.setup(1), next.line, next.score);
            self.values[1].as_mut()?.line = line;
        }
        let before = self.values[0].as_mut()?;
        before.score = before.score.max(after);
        self.judge(0)
    }

    /// The engine's move with the score of a search after it, if that exceeds the score after the played move.
    fn confirmed(&mut self, i: usize, value: &Value, after: Score) -> Option<Option<Better>> {
        let mut setup = self.setup(i);
        let Some(&point) = value.line.first() else { return Some(None) };
        setup.play(point);
        let game = Game::from_setup(self.game.rule, setup.clone()).ok()?;
        let (score, rest) = match game.outcome() {
            Some(outcome) if outcome.winner() == Some(value.side) => (Score::win_in(1), Vec::new()),
            Some(_) => (Score::ZERO, Vec::new()),
            None => {
                let line = self.search(setup, 1)?;
                (before_reply(line.score), line.moves)
            }
        };
        let mut moves = if rest.is_empty() { value.line.clone() } else { [vec![point], rest].concat() };
        if score.is_win() {
            moves = self.played_out(self.setup(i), moves, score);
        }
        // A slower loss does not count as better.
        Some((score > after && !score.is_loss()).then_some(Better { moves, score }))
    }

    /// A line, extended to the end of the game if it is a proven win or loss.
    fn played_out(&mut self, setup: Setup, moves: Vec<Point>, score: Score) -> Vec<Point> {
        let line = Line { score, moves, ..Line::default() };
        let nodes = self.settings.limits.nodes.unwrap_or(Settings::NODES);
        let win = play_out(self.engine, &setup, self.game.rule, &line, nodes, self.stop);
        win.filter(|win| win.outcome.is_some()).map_or(line.moves, |win| win.moves)
    }

    /// The score after move `i` for the side that plays it.
    fn after(&self, i: usize) -> Option<Score> {
        let next = self.values[i + 1].as_ref()?;
        let side = self.values[i].as_ref()?.side;
        Some(if next.side == side { next.score } else { before_reply(next.score) })
    }

    /// The judgement of move `i`, if the values before and after it are known.
    fn judge(&self, i: usize) -> Option<Judgement> {
        let (value, next) = (self.values.get(i)?.as_ref()?, self.values.get(i + 1)?.as_ref()?);
        let number = self.game.first + i;
        let (point, side) = self.game.setup.stones[number];
        let (before, after) = (value.score, self.after(i)?);
        let loss = (before.win_rate() - after.win_rate()).max(0.0);
        let grade = Grade::ALL.into_iter().zip(self.settings.grades).rev().find(|(_, from)| loss >= *from);
        Some(Judgement {
            number: number + 1,
            side,
            point,
            before,
            after,
            loss,
            grade: grade.map(|(grade, _)| grade),
            missed_win: before.is_win() && !after.is_win(),
            allowed_win: after.is_loss() && !before.is_loss() && !next.line.is_empty(),
            better: value.better.clone(),
            reply: next.line.clone(),
        })
    }
}

/// The opponent's proven score after a winning move.
fn after_move(win: Score) -> Score {
    Score::loss_in(win.distance().map_or(0, |plies| plies - 1))
}

/// The score before a move for the side that makes it, from the opponent's score after it.
fn before_reply(score: Score) -> Score {
    match score.distance() {
        Some(plies) if score.is_win() => Score::loss_in(plies + 1),
        Some(plies) => Score::win_in(-plies + 1),
        None => -score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_a_ply_earlier() {
        assert_eq!(before_reply(Score::units(35)), Score::units(-35));
        assert_eq!(before_reply(Score::win_in(3)), Score::loss_in(4));
        assert_eq!(before_reply(Score::loss_in(0)), Score::win_in(1));
    }
}
