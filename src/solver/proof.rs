//! The strategy of a win: a move for every position that the defender's answers lead to.

use super::{Attack, Found, Means};
use crate::board::Point;
use crate::control::Aborted;
use crate::movegen::{ThreatStatus, threat_status};
use crate::position::{PointSet, Position, Silent};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum nodes of a search of fours that recovers the winning move of a position, if the table has lost it.
const FOURS_AGAIN: u64 = 1_000;
/// Maximum nodes of a search of fours where the tree of a win fails against an additional stone.
const FOURS_INSTEAD: u64 = 50;

/// A proven win, with the whole tree of answers. Transpositions are in it once.
#[derive(Clone, Debug)]
pub struct Win {
    root: u64,
    plies: u32,
    line: Vec<Point>,
    answers: Arc<Answers>,
}

/// The attacker's move in each position of a tree, by key, and plies to the end.
type Answers = HashMap<u64, Answer>;

#[derive(Clone, Copy, Debug)]
struct Answer {
    by: Point,
    plies: u32,
}

impl Win {
    /// Plies until the winning row is complete, if the attacker follows this tree and the defender resists as long as
    /// possible. There may be shorter wins.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The moves of both sides, from the first to a move that wins by [`threat_status`].
    pub fn line(&self) -> &[Point] {
        &self.line
    }

    /// The attacker's move in a position of the tree. Moves of the defender that do not answer a threat lead out of
    /// the tree, to positions where [`threat_status`] or a few fours find the win.
    pub fn answer(&self, position: &Position) -> Option<Point> {
        self.answers.get(&position.key()).map(|answer| answer.by)
    }

    /// The rest of the win from a position of its tree: at least two plies shorter for each pair of moves.
    pub fn continued(&self, position: &mut Position) -> Option<Win> {
        let plies = self.answers.get(&position.key())?.plies;
        let line = longest_line(position, &self.answers);
        Some(Win { root: position.key(), plies, line, answers: self.answers.clone() })
    }

    /// Number of the attacker's positions in the tree.
    pub fn size(&self) -> usize {
        self.answers.len()
    }
}

impl Attack<'_> {
    /// Builds the strategy of a win that was found, and repeats the searches whose results the tables have lost.
    pub fn prove(&mut self, means: Means) -> Result<Win, Aborted> {
        let mut answers = HashMap::new();
        let plies = self.prove_attack(means, &mut answers)?;
        let line = longest_line(self.position, &answers);
        Ok(Win { root: self.position.key(), plies, line, answers: Arc::new(answers) })
    }

    fn prove_attack(&mut self, means: Means, answers: &mut Answers) -> Result<u32, Aborted> {
        let key = self.position.key();
        if let Some(answer) = answers.get(&key) {
            return Ok(answer.plies);
        }
        let answer = match threat_status(self.position) {
            ThreatStatus::Won { by, plies } => Answer { by, plies: plies as u32 },
            _ => {
                let by = self.winning_move(means)?;
                self.play(by)?;
                let (replies, mut longest) = replies(self.position).ok_or(Aborted)?;
                for reply in replies.iter() {
                    self.play(reply)?;
                    longest = longest.max(1 + self.prove_attack(means, answers)?);
                    self.undo();
                }
                self.undo();
                Answer { by, plies: longest + 1 }
            }
        };
        answers.insert(key, answer);
        Ok(answer.plies)
    }

    /// The move that wins a position known to be won.
    fn winning_move(&mut self, means: Means) -> Result<Point, Aborted> {
        if means == Means::Threats
            && let Some(best) = self.known_win()
        {
            return Ok(best);
        }
        let nodes = if means == Means::Fours { u64::MAX } else { FOURS_AGAIN };
        if let Found::Win(_) = self.within(nodes, Attack::by_fours)?
            && let Some(best) = self.fours.probe(self.position.key()).and_then(|entry| entry.best)
        {
            return Ok(best);
        }
        self.search_again()?.ok_or(Aborted)
    }

    /// Whether a win that was found after a pass also holds against this move of the defender: whether every position
    /// that follows is won statically, or by a few fours, or is in the tree once the move's stone is removed.
    pub fn refutes(&mut self, win: &Win, point: Point) -> Result<bool, Aborted> {
        self.play(point)?;
        let stone = self.position.key() ^ win.root;
        let refutes = self.replay(win, stone, &mut HashSet::new())?;
        self.undo();
        Ok(refutes)
    }

    /// The attacker is to move. `seen` are positions known to be won.
    fn replay(&mut self, win: &Win, stone: u64, seen: &mut HashSet<u64>) -> Result<bool, Aborted> {
        let key = self.position.key();
        match threat_status(self.position) {
            ThreatStatus::Won { .. } => return Ok(true),
            ThreatStatus::Lost { .. } => return Ok(false),
            _ if seen.contains(&key) => return Ok(true),
            _ => {}
        }
        let us = self.position.to_move();
        let known = win.answers.get(&(key ^ stone)).map(|answer| answer.by);
        let wins = match known.filter(|p| self.position.is_empty(*p) && !self.position.is_forbidden(us, *p)) {
            Some(by) if self.replay_move(by, win, stone, seen)? => true,
            _ => matches!(self.within(FOURS_INSTEAD, Attack::by_fours)?, Found::Win(_)),
        };
        if wins {
            seen.insert(key);
        }
        Ok(wins)
    }

    fn replay_move(&mut self, by: Point, win: &Win, stone: u64, seen: &mut HashSet<u64>) -> Result<bool, Aborted> {
        self.play(by)?;
        let mut holds = false;
        if let Some((replies, _)) = replies(self.position) {
            holds = true;
            for reply in replies.iter() {
                self.play(reply)?;
                holds = self.replay(win, stone, seen)?;
                self.undo();
                if !holds {
                    break;
                }
            }
        }
        self.undo();
        Ok(holds)
    }
}

/// The line of a tree in which the defender resists longest.
fn longest_line(position: &mut Position, answers: &Answers) -> Vec<Point> {
    let stones = position.stones();
    let mut line = Vec::new();
    while let Some(answer) = answers.get(&position.key()) {
        line.push(answer.by);
        if matches!(threat_status(position), ThreatStatus::Won { .. }) {
            break;
        }
        position.play(answer.by, &mut Silent);
        let Some((answered, _)) = replies(position) else { break };
        let plies = |reply: &Point| answers.get(&position.key_after(*reply)).map(|answer| answer.plies);
        let Some(reply) = answered.iter().reduce(|a, b| if plies(&b) > plies(&a) { b } else { a }) else { break };
        line.push(reply);
        position.play(reply, &mut Silent);
    }
    while position.stones() > stones {
        position.undo(&mut Silent);
    }
    line
}

/// The defender's legal answers to the threat that it faces, and the plies in which all other moves lose; `None` if
/// there is no threat, or the defender wins.
pub(super) fn replies(position: &mut Position) -> Option<(PointSet, u32)> {
    let us = position.to_move();
    match threat_status(position) {
        ThreatStatus::Lost { plies } => Some((PointSet::EMPTY, plies as u32)),
        ThreatStatus::MustBlock { moves } => Some((moves, 2)),
        ThreatStatus::MustDefend { moves, plies } => {
            Some((moves.iter().filter(|p| !position.is_forbidden(us, *p)).collect(), plies as u32))
        }
        ThreatStatus::Won { .. } | ThreatStatus::Quiet => None,
    }
}
