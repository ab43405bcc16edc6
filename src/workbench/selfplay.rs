//! Games of the engine against itself, for training data.
//!
//! A game is a pure function of its [`Settings`] and seed: an opening of random stones that a search finds balanced,
//! then a fixed number of nodes a move, now and then a random near move so that games differ.

use super::random::Random;
use crate::board::{BoardSize, Cell, Point, Setup, Side};
use crate::control::StopToken;
use crate::engine::{Answer, Engine, Limits, Request};
use crate::pattern::PointClass;
use crate::position::Position;
use crate::rules::Rule;
use crate::score::Score;
use std::time::{Duration, Instant};

/// How games are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// Nodes for each move.
    pub nodes: u64,
    /// Fewest and most stones of the opening.
    pub opening: (usize, usize),
    /// Largest magnitude of an opening's score, in evaluation units.
    pub balance: i32,
    /// Chance, in thousandths, that a move of the first plies is a random near one.
    pub random: u32,
    /// Plies (opening included) in which random moves may occur.
    pub random_plies: usize,
}

/// A move of a game, and what the search said before it was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The move played.
    pub point: Point,
    /// The move that the search found best.
    pub best: Point,
    /// The search's score, for the side to move.
    pub score: Score,
    /// Nodes of the search.
    pub nodes: u64,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A row was completed.
    Row,
    /// The last move was forbidden and lost: nothing else was left to play.
    Foul,
    /// A win was proven; the rest was not played.
    Proof,
    /// The board is full, or nearly so.
    Draw,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Stones of the opening, black first.
    pub opening: Vec<Point>,
    /// Moves after the opening.
    pub moves: Vec<Played>,
    /// Who won, if anybody.
    pub winner: Option<Side>,
    /// How it ended.
    pub ending: Ending,
}

/// Plays one game. The engine is cleared first, so the game depends on settings and seed alone.
pub fn play_game(engine: &mut Engine, settings: &Settings, seed: u64) -> Game {
    play_game_clocked(engine, settings, seed, &mut Searching::default())
}

/// What the searches of some games took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searching {
    /// Searches, those of openings included.
    pub searches: u64,
    /// Nodes of these searches.
    pub nodes: u64,
    /// Time within them.
    pub time: Duration,
}

/// As [`play_game`], adding to `searching` what was spent on searches, which makes no difference to the game.
pub fn play_game_clocked(engine: &mut Engine, settings: &Settings, seed: u64, searching: &mut Searching) -> Game {
    let engine = &mut Clocked { engine, searching };
    let mut random = Random::from_state(seed);
    let mut setup = find_opening(engine, settings, &mut random);
    engine.engine.clear();
    let opening: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
    let mut moves = Vec::new();
    let size = settings.size;
    loop {
        if setup.empty_cells() <= size.cells() / 10 {
            return Game { opening, moves, winner: None, ending: Ending::Draw };
        }
        let Some((best, score, nodes)) = engine.think(settings, &setup) else {
            return Game { opening, moves, winner: None, ending: Ending::Draw };
        };
        let mover = setup.to_move;
        let mut point = best;
        let mut position = Position::new(&setup, settings.rule).unwrap_or_else(|e| unreachable!("own game: {e}"));
        if score.distance().is_none()
            && setup.stones.len() < settings.random_plies
            && random.below(1000) < settings.random as usize
        {
            let near: Vec<Point> = position.candidates().iter().filter(|p| p.distance(best) <= 3).collect();
            let other = near[random.below(near.len())];
            if !position.is_forbidden(mover, other) {
                point = other;
            }
        }
        moves.push(Played { point, best, score, nodes });
        if position.info(point).class(mover) == PointClass::Five {
            return Game { opening, moves, winner: Some(mover), ending: Ending::Row };
        }
        if position.is_forbidden(mover, point) {
            return Game { opening, moves, winner: Some(!mover), ending: Ending::Foul };
        }
        if score.is_win() || score.is_loss() {
            let winner = if score.is_win() { mover } else { !mover };
            return Game { opening, moves, winner: Some(winner), ending: Ending::Proof };
        }
        setup.play(point);
    }
}

/// An engine whose searches are counted and timed.
struct Clocked<'a> {
    engine: &'a mut Engine,
    searching: &'a mut Searching,
}

impl Clocked<'_> {
    /// The best move, its score and the nodes of its search; `None` on a full board.
    fn think(&mut self, settings: &Settings, setup: &Setup) -> Option<(Point, Score, u64)> {
        let request = Request::new(setup.clone(), settings.rule, Limits::nodes(settings.nodes));
        let started = Instant::now();
        let outcome = self.engine.think(&request, &StopToken::new(), &mut |_| {});
        self.searching.time += started.elapsed();
        self.searching.searches += 1;
        self.searching.nodes += outcome.line.nodes;
        match outcome.answer {
            Answer::Points(points) => points.first().map(|p| (*p, outcome.line.score, outcome.line.nodes)),
            Answer::Swap | Answer::Full => None,
        }
    }
}

/// An opening of random stones that a search finds balanced. The engine is cleared first.
pub fn balanced_opening(engine: &mut Engine, settings: &Settings, random: &mut Random) -> Setup {
    find_opening(&mut Clocked { engine, searching: &mut Searching::default() }, settings, random)
}

fn find_opening(engine: &mut Clocked, settings: &Settings, random: &mut Random) -> Setup {
    engine.engine.clear();
    loop {
        let setup = random_opening(settings, random);
        let fair = engine
            .think(settings, &setup)
            .is_some_and(|(_, score, _)| score.distance().is_none() && score.raw().abs() <= settings.balance);
        if fair {
            return setup;
        }
    }
}

/// Random stones in a random box of 4 to 8 points a side.
fn random_opening(settings: &Settings, random: &mut Random) -> Setup {
    let size = settings.size;
    let (least, most) = settings.opening;
    let stones = least + random.below(most - least + 1);
    let mut span = |side: u8| {
        let length = (4 + random.below(5)).min(side as usize);
        // Two draws: openings near the middle are likelier.
        let room = side as usize - length + 1;
        let start = (random.below(room) + random.below(room)) / 2;
        (start, length)
    };
    let (x, width) = span(size.width());
    let (y, height) = span(size.height());
    let mut setup = Setup::empty(size);
    while setup.stones.len() < stones.min(width * height) {
        let point = Point::at((x + random.below(width)) as u8, (y + random.below(height)) as u8);
        if setup.cell(point) == Cell::Empty {
            setup.play(point);
        }
    }
    setup
}
