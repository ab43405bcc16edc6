//! A whole game judged by the engine: what each move was worth, what was better, which wins were missed or allowed.
//!
//! Plain data in and out, with progress and a stop token, so that a terminal and a board can both use it. Positions
//! are searched from the last to the first: what the table learned of later ones helps in earlier ones, and a proven
//! win is carried back to where it was first there. A move counts as a mistake only after a search of the better
//! move's position has confirmed it, with the limits of every other search.

use crate::analyze::play_out;
use serde::Serialize;
use std::time::Instant;
use tengen::board::{BySide, Point, Setup, SetupError, Side};
use tengen::control::StopToken;
use tengen::engine::{Answer, Engine, Limits, Line, Request};
use tengen::rules::game::{Game, Status};
use tengen::rules::{Outcome, Rule};
use tengen::score::Score;

/// A game to be reviewed.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The rule in force.
    pub rule: Rule,
    /// The position after the last move. A move is a stone from number `first` on; sides need not alternate.
    pub setup: Setup,
    /// Number of stones that were there before the first move.
    pub first: usize,
}

impl Played {
    /// The position after this many stones, at least `first`.
    fn position(&self, stones: usize) -> Setup {
        let to_move = self.setup.stones.get(stones).map_or(self.setup.to_move, |(_, side)| *side);
        let stones = self.setup.stones[..stones].to_vec();
        Setup { size: self.setup.size, stones, blocked: self.setup.blocked.clone(), to_move }
    }

    /// How many stones were played until the game was over by its rule, and how it ended; all stones where it was
    /// not.
    ///
    /// # Errors
    /// If the setup is not a position.
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

/// How a game is reviewed.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Limits of the search of each position; the time counts from the beginning of that search.
    pub limits: Limits,
    /// Losses of win probability, 0 to 1, from which on a move is an inaccuracy, a mistake, a blunder.
    pub grades: [f64; 3],
}

impl Settings {
    /// Nodes for each position unless told otherwise: about a quarter of a second.
    pub const NODES: u64 = 200_000;
    /// The usual grades: 5, 10 and 20 percentage points.
    pub const GRADES: [f64; 3] = [0.05, 0.1, 0.2];
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { limits: Limits::nodes(Settings::NODES), grades: Settings::GRADES }
    }
}

/// How bad a move was, by the win probability that it lost.
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

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }
}

/// A move that the engine prefers to the one played, with what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Better {
    /// The moves, beginning with the better one.
    pub moves: Vec<Point>,
    /// Its score, for the side that plays it.
    pub score: Score,
}

/// One move of a reviewed game.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Number of the stone, from 1, set-up stones included.
    pub number: usize,
    /// Who played it.
    pub side: Side,
    /// Where.
    pub point: Point,
    /// What the position was worth to that side with the best move.
    pub before: Score,
    /// What it was worth to that side after the move.
    pub after: Score,
    /// Win probability lost by the move, 0 to 1.
    pub loss: f64,
    /// The loss in words, if it is one.
    pub grade: Option<Grade>,
    /// There was a proven win, and after the move there is none.
    pub missed_win: bool,
    /// After the move the opponent has a proven win, which could have been avoided.
    pub allowed_win: bool,
    /// A better move, where there is one that was confirmed.
    pub better: Option<Better>,
    /// What the engine expects after the move; a proven win is played out.
    pub reply: Vec<Point>,
}

impl Judgement {
    /// Whether there is anything to say against the move.
    pub fn is_error(&self) -> bool {
        self.grade.is_some() || self.missed_win || self.allowed_win
    }
}

/// A reviewed game.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The game.
    pub game: Played,
    /// How it ended by its rule, if it did. Stones after that are not judged.
    pub outcome: Option<Outcome>,
    /// Black's win probability, 0 to 1, before the first move and after each; `None` for what a stopped review did
    /// not reach.
    pub win_rates: Vec<Option<f64>>,
    /// The moves; after a stopped review only the last ones.
    pub moves: Vec<Judgement>,
    /// Whether all moves were judged.
    pub complete: bool,
    /// Nodes of all searches.
    pub nodes: u64,
}

/// What a player's moves add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Judged moves.
    pub moves: usize,
    /// Moves of each of [`Grade::ALL`].
    pub grades: [usize; 3],
    /// Wins missed.
    pub missed: usize,
    /// Wins allowed.
    pub allowed: usize,
    /// Sum of the win probability lost.
    pub loss: f64,
}

impl Review {
    /// Both players' sums.
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

    /// Errors, the greatest loss of win probability first.
    pub fn errors(&self) -> Vec<&Judgement> {
        let mut errors: Vec<&Judgement> = self.moves.iter().filter(|m| m.is_error()).collect();
        errors.sort_by(|a, b| b.loss.total_cmp(&a.loss).then(a.number.cmp(&b.number)));
        errors
    }
}

/// How far a review is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Positions done.
    pub done: usize,
    /// Positions in all.
    pub total: usize,
    /// The newest judgement. Later searches may still revise it.
    pub newest: Option<&'a Judgement>,
}

/// Reviews a game. A stopped review holds what was judged until then.
///
/// # Errors
/// If the setup is not a position.
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

/// Judges the last move of a game as the review does that found the position before it to be worth `before` to the side
/// that plays it: by the same limits and grades. `None` if it was stopped, or the game was over before that move.
///
/// # Errors
/// If the setup is not a position.
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

/// What a position is worth.
#[derive(Clone, Debug)]
struct Value {
    /// The side to move.
    side: Side,
    /// For that side, with the best move that is known.
    score: Score,
    /// The engine's line; empty at the end of the game.
    line: Vec<Point>,
    /// A better move than the one played, confirmed.
    better: Option<Better>,
}

struct Reviewer<'a> {
    engine: &'a mut Engine,
    game: &'a Played,
    settings: &'a Settings,
    stop: &'a StopToken,
    /// Values of the positions before each move, and of the last.
    values: Vec<Option<Value>>,
    nodes: u64,
}

/// How much more a search may take that looks for a win which another search has just proven.
const SECOND_LOOK: u64 = 4;

impl Reviewer<'_> {
    fn setup(&self, i: usize) -> Setup {
        self.game.position(self.game.first + i)
    }

    /// The value at the end of the game.
    fn final_value(&self, outcome: &Outcome) -> Value {
        let last = self.values.len() - 1;
        let side = match self.setup(last) {
            setup if last == 0 => setup.to_move,
            // After a move the other side is to move, whatever the stones beyond the end say.
            _ => !self.game.setup.stones[self.game.first + last - 1].1,
        };
        let score = match outcome.winner() {
            None => Score::ZERO,
            Some(winner) if winner == side => Score::win_in(0),
            Some(_) => Score::loss_in(0),
        };
        Value { side, score, line: Vec::new(), better: None }
    }

    /// The value of a position by a search; `None` if that was stopped.
    fn value(&mut self, i: usize) -> Option<Value> {
        let setup = self.setup(i);
        let side = setup.to_move;
        let line = self.search(setup, 1)?;
        Some(Value { side, score: line.score, line: line.moves, better: None })
    }

    /// A search with the limits of the review, some of them multiplied; `None` if it was stopped.
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
            // No empty point, which only an unfinished setup can have: a draw.
            Answer::Full => Some(Line::default()),
        }
    }

    /// Sets the value before move `i` against the value after it, and searches again where they disagree. False if it
    /// was stopped.
    fn compare(&mut self, i: usize) -> bool {
        self.try_compare(i).is_some()
    }

    fn try_compare(&mut self, i: usize) -> Option<()> {
        let point = self.game.setup.stones[self.game.first + i].0;
        let mut value = self.values[i].clone()?;
        let same = value.line.first() == Some(&point);
        let mut after = self.second_look(i)?;
        if value.score.is_win() && !after.is_win() {
            if same {
                // The very move that was played is proven to win.
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
        // Whatever the search says, the move that was played was there.
        value.score = value.score.max(after);
        if after.is_loss() && !value.score.is_loss() {
            let next = self.values[i + 1].clone()?;
            let line = self.played_out(self.setup(i + 1), next.line, next.score);
            self.values[i + 1].as_mut()?.line = line;
        }
        self.values[i] = Some(value);
        Some(())
    }

    /// The value after move `i`. Where a proof before the move is not found after it, a longer search looks for
    /// it: with what the table knows now, it often is there. `None` if that was stopped.
    fn second_look(&mut self, i: usize) -> Option<Score> {
        let (before, after) = (self.values[i].as_ref()?.score, self.after(i)?);
        let hidden = (before.is_win() && !after.is_win()) || (before.is_loss() && !after.is_loss());
        if !hidden || self.values[i + 1].as_ref()?.line.is_empty() {
            return Some(after);
        }
        let line = self.search(self.setup(i + 1), SECOND_LOOK)?;
        if line.score.is_proven() {
            let next = self.values[i + 1].as_mut()?;
            (next.score, next.line, next.better) = (line.score, line.moves, None);
            self.carry_on(i + 1);
        }
        self.after(i)
    }

    /// A win has just been proven before move `i`: if that is the move of the game the win goes on after it, and else
    /// there is a better one.
    fn carry_on(&mut self, i: usize) {
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

    /// The judgement of the only move, whose position's value came from elsewhere. `None` if a search was stopped.
    fn judge_alone(&mut self) -> Option<Judgement> {
        let after = self.second_look(0)?;
        if after.is_loss() {
            let next = self.values[1].clone()?;
            let line = self.played_out(self.setup(1), next.line, next.score);
            self.values[1].as_mut()?.line = line;
        }
        let before = self.values[0].as_mut()?;
        before.score = before.score.max(after);
        self.judge(0)
    }

    /// The engine's move with the score of a search after it, if that is better than what the game's move came to.
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
        // A longer way to lose is not better.
        Some((score > after && !score.is_loss()).then_some(Better { moves, score }))
    }

    /// A line that is a proven win or loss, with the moves that follow it.
    fn played_out(&mut self, setup: Setup, moves: Vec<Point>, score: Score) -> Vec<Point> {
        let line = Line { score, moves, ..Line::default() };
        let nodes = self.settings.limits.nodes.unwrap_or(Settings::NODES);
        let win = play_out(self.engine, &setup, self.game.rule, &line, nodes, self.stop);
        win.filter(|win| win.outcome.is_some()).map_or(line.moves, |win| win.moves)
    }

    /// The value after move `i` for the side that plays it.
    fn after(&self, i: usize) -> Option<Score> {
        let next = self.values[i + 1].as_ref()?;
        let side = self.values[i].as_ref()?.side;
        Some(if next.side == side { next.score } else { before_reply(next.score) })
    }

    /// What is to be said of move `i`, once the values before and after it are known.
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

/// The proven score after a winning move for the side that is to move then.
fn after_move(win: Score) -> Score {
    Score::loss_in(win.distance().map_or(0, |plies| plies - 1))
}

/// The score before a move for the side that makes it, from that of the position after it for the other side.
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
