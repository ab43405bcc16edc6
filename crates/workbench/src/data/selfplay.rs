//! Games of the engine against itself, for training data.
//!
//! A game is a pure function of its [`Settings`] and seed. It begins with an opening of random stones that a search
//! finds balanced. Then each move is searched to a limit of nodes or depth, and some [`Variety`] makes games differ.

use crate::adjudicate::drawn_from;
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, Cell, Point, Setup, Side};
use tengen::control::StopToken;
use tengen::engine::{Engine, Limits, Line, Request};
use tengen::pattern::PointClass;
use tengen::position::{Position, Silent};
use tengen::rules::Rule;
use tengen::score::Score;
use tengen_analysis::analyze::{best_lines, ended};
use tengen_analysis::random::Random;

/// Settings of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// Nodes for each move. At least one of the limits of nodes and depth is required.
    pub nodes: Option<u64>,
    /// Depth of each search, in plies.
    pub depth: Option<u32>,
    /// Fewest and most stones of the opening, at most [`MOST_STONES`].
    pub opening: (usize, usize),
    /// Largest magnitude of an opening's score, in evaluation units.
    pub balance: i32,
    /// Random deviations from the best moves.
    pub variety: Variety,
    /// Whether a game ends as soon as a search proves the winner. Otherwise it is played to its end, and the training
    /// data contains the end of attacks.
    pub adjudicate: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            rule: Rule::Freestyle,
            size: BoardSize::RENJU,
            nodes: Some(2000),
            depth: None,
            opening: (2, 8),
            balance: 150,
            variety: Variety::default(),
            adjudicate: false,
        }
    }
}

/// Random deviations from the best moves, each up to a number of stones on the board. In proven positions the best move
/// is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variety {
    /// Temperature in evaluation units: each of the [`LINES`] best moves is chosen with a probability proportional to
    /// `exp(score / temperature)`. At 0 the best move is played, and only that move is searched.
    pub temperature: f64,
    /// Number of stones on the board from which the temperature is 0.
    pub temperature_plies: usize,
    /// Chance, in thousandths, of a random move near the best one, regardless of its score.
    pub random: u32,
    /// Number of stones on the board from which no move is random.
    pub random_plies: usize,
}

impl Variety {
    /// Always the best move.
    pub const NONE: Variety = Variety { temperature: 0.0, temperature_plies: 0, random: 0, random_plies: 0 };

    /// Number of principal variations to search with this many stones on the board.
    fn lines(&self, stones: usize) -> usize {
        if self.temperature > 0.0 && stones < self.temperature_plies { LINES } else { 1 }
    }
}

impl Default for Variety {
    fn default() -> Variety {
        Variety { temperature: 0.0, temperature_plies: 16, random: 20, random_plies: 40 }
    }
}

/// Number of moves among which a temperature chooses. They share the nodes of one search, so they reduce its depth and
/// do not increase its time.
pub const LINES: usize = 4;

/// Most stones of an opening. The smallest box for random openings holds this many.
pub const MOST_STONES: usize = 16;

/// Openings tried before the most balanced of them is used.
const TRIES: usize = 200;

/// A move of a game and the result of the search before it.
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
    /// The last move was forbidden and lost; no other move was available.
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
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// How it ended.
    pub ending: Ending,
}

/// Plays one game. Clears the engine first, so the game depends only on settings and seed.
pub fn play_game(engine: &mut Engine, settings: &Settings, seed: u64) -> Game {
    play_game_clocked(engine, settings, seed, &mut Searching::default())
}

/// Cost of the searches of some games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searching {
    /// Searches, those of openings included.
    pub searches: u64,
    /// Nodes of these searches.
    pub nodes: u64,
    /// Time within them.
    pub time: Duration,
}

/// Same as [`play_game`]; also adds the cost of the searches to `searching`. The game does not depend on it.
pub fn play_game_clocked(engine: &mut Engine, settings: &Settings, seed: u64, searching: &mut Searching) -> Game {
    let engine = &mut Clocked { engine, searching };
    let mut random = Random::from_state(seed);
    let mut setup = find_opening(engine, settings, &mut random);
    engine.engine.clear();
    let opening: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
    let mut position = Position::new(&setup, settings.rule).unwrap_or_else(|e| unreachable!("own opening: {e}"));
    let mut moves = Vec::new();
    loop {
        if setup.empty_cells() <= drawn_from(settings.rule, settings.size) {
            return Game { opening, moves, winner: None, ending: Ending::Draw };
        }
        let lines = engine.think(settings, &setup, settings.variety.lines(setup.stones.len()));
        let Some(Line { score, nodes, moves: best_line, .. }) = lines.first() else {
            return Game { opening, moves, winner: None, ending: Ending::Draw };
        };
        let (score, best, mover) = (*score, best_line[0], setup.to_move);
        let point = choose(&settings.variety, &lines, &mut position, &mut random);
        moves.push(Played { point, best, score, nodes: *nodes });
        if position.info(point).class(mover) == PointClass::Five {
            return Game { opening, moves, winner: Some(mover), ending: Ending::Row };
        }
        if position.is_forbidden(mover, point) {
            return Game { opening, moves, winner: Some(!mover), ending: Ending::Foul };
        }
        if settings.adjudicate && (score.is_win() || score.is_loss()) {
            let winner = if score.is_win() { mover } else { !mover };
            return Game { opening, moves, winner: Some(winner), ending: Ending::Proof };
        }
        setup.play(point);
        position.play(point, &mut Silent);
    }
}

/// Chooses the move to play among the lines of a search, best first.
fn choose(variety: &Variety, lines: &[Line], position: &mut Position, random: &mut Random) -> Point {
    let (best, stones) = (lines[0].moves[0], position.stones());
    if lines[0].score.is_proven() {
        return best;
    }
    if stones < variety.random_plies && random.below(1000) < variety.random as usize {
        let near: Vec<Point> = position.candidates().iter().filter(|p| p.distance(best) <= 3).collect();
        // On an empty board no point is near a stone.
        let Some(&other) = near.get(random.below(near.len())) else { return best };
        return if position.is_forbidden(position.to_move(), other) { best } else { other };
    }
    if lines.len() == 1 {
        return best;
    }
    // A proven loss has weight 0.
    let weight = |line: &Line| libm::exp(f64::from(line.score.raw() - lines[0].score.raw()) / variety.temperature);
    let mut rest = random.unit() * lines.iter().map(weight).sum::<f64>();
    let chosen = lines.iter().find(|line| {
        rest -= weight(line);
        rest < 0.0
    });
    chosen.map_or(best, |line| line.moves[0])
}

/// An engine that counts and times its searches.
struct Clocked<'a> {
    engine: &'a mut Engine,
    searching: &'a mut Searching,
}

impl Clocked<'_> {
    /// The best moves with their scores and the nodes of the search; empty on a full board.
    fn think(&mut self, settings: &Settings, setup: &Setup, lines: usize) -> Vec<Line> {
        let limits = Limits { nodes: settings.nodes, depth: settings.depth, ..Limits::infinite() };
        let request = Request { lines, ..Request::new(setup.clone(), settings.rule, limits) };
        let started = Instant::now();
        let lines = best_lines(self.engine, &request, &StopToken::new(), &mut |_| {});
        self.searching.time += started.elapsed();
        self.searching.searches += 1;
        self.searching.nodes += lines.first().map_or(0, |line| line.nodes);
        lines
    }
}

/// A random opening that a search finds balanced. Clears the engine first.
pub fn balanced_opening(engine: &mut Engine, settings: &Settings, random: &mut Random) -> Setup {
    find_opening(&mut Clocked { engine, searching: &mut Searching::default() }, settings, random)
}

/// The first random opening within the balance limit or, if all tries fail, the most balanced one.
fn find_opening(engine: &mut Clocked, settings: &Settings, random: &mut Random) -> Setup {
    engine.engine.clear();
    let mut nearest: Option<(i32, Setup)> = None;
    for _ in 0..TRIES {
        let setup = random_opening(settings, random);
        let found = engine.think(settings, &setup, 1);
        let miss = found.first().map_or(i32::MAX, |line| line.score.raw().abs());
        if nearest.as_ref().is_none_or(|(least, _)| miss < *least) && ended(&setup, settings.rule).is_none() {
            nearest = Some((miss, setup));
        }
        if nearest.as_ref().is_some_and(|(least, _)| *least <= settings.balance) {
            break;
        }
    }
    nearest.map_or_else(|| Setup::empty(settings.size), |(_, setup)| setup)
}

/// Places random stones in a random box of 4 to 8 points a side.
pub(crate) fn random_opening(settings: &Settings, random: &mut Random) -> Setup {
    let size = settings.size;
    let (least, most) = settings.opening;
    let stones = least + random.below(most - least + 1);
    let mut span = |side: u8| {
        let length = (4 + random.below(5)).min(side as usize);
        // The sum of two draws makes openings near the centre likelier.
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
