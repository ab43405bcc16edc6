//! Openings for games between two settings, with the colours swapped in the second game of each pair.
//!
//! Most random openings that a short search finds balanced are won by the same colour, independent of the players: the
//! pair ends 1-1 and contains no information about them. If black wins an opening with probability p between equal
//! players, a pair is decisive with probability 2p(1-p). The number of games that a decision needs is inversely
//! proportional to that probability.
//!
//! A *sharp* opening passes two tests: a search of [`BALANCE_NODES`] nodes scores it within [`BALANCE`] units, and in
//! ten games of the engine against itself, at 1,000 to 10,600 nodes for each move, each colour wins at least [`EACH`].
//! The program includes a suite for freestyle on 15x15; [`find`] generates others.

use crate::adjudicate::drawn_from;
use crate::data::generate::table_bytes;
use crate::data::selfplay::{Settings, random_opening};
use rayon::prelude::*;
use std::fmt;
use tengen::board::{BoardSize, OpeningError, Setup, Side, Symmetry, parse_opening};
use tengen::control::StopToken;
use tengen::engine::{Answer, Engine, Limits, Options, Outcome, Request, STACK_BYTES};
use tengen::rules::Rule;
use tengen_analysis::analyze::ended;
use tengen_analysis::random::Random;

/// Nodes of the search that tests the balance of an opening.
pub const BALANCE_NODES: u64 = 20_000;

/// Largest score of a sharp opening, in evaluation units.
pub const BALANCE: i32 = 200;

/// Number of games that each colour must win from a sharp opening; there is one game for each pair of node counts.
pub const EACH: usize = 4;

/// Nodes for each move in the games that test sharpness. Short games come first, because they reject most candidates.
const GAMES: [u64; 10] = [1_000, 1_300, 1_700, 2_200, 2_900, 3_700, 4_800, 6_300, 8_200, 10_600];

/// Fewest and most stones of an opening.
const STONES: (usize, usize) = (3, 9);

/// The built-in suites.
const SUITES: [(Rule, u8, &str); 1] = [(Rule::Freestyle, 15, include_str!("openings/freestyle15.txt"))];

/// Openings of the pairs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openings {
    /// The openings of a list, at least one, in a random order. After all openings their symmetric images follow.
    Suite(Vec<Setup>),
    /// Random openings that a short search finds balanced, different ones for each pair.
    Random,
}

/// Error parsing a list of openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuiteError {
    /// The line with this number is invalid.
    Line(usize, OpeningError),
    /// The opening on this line ends the game.
    Ended(usize),
    /// The list has no openings.
    Empty,
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuiteError::Line(line, error) => write!(f, "line {line}: {error}"),
            SuiteError::Ended(line) => write!(f, "line {line}: the game is over after this opening"),
            SuiteError::Empty => f.write_str("there are no openings"),
        }
    }
}

impl std::error::Error for SuiteError {}

impl Openings {
    /// The built-in suite for this rule and board; random openings if there is none.
    pub fn built_in(rule: Rule, size: BoardSize) -> Openings {
        let suite = SUITES.iter().find(|(r, side, _)| *r == rule && Some(size) == BoardSize::new(*side, *side));
        // A test parses all built-in suites.
        suite.and_then(|(_, _, text)| Openings::parse(text, rule, size).ok()).unwrap_or(Openings::Random)
    }

    /// Parses a suite: an opening on each line, in the format of [`parse_opening`]. Skips empty lines and lines that
    /// begin with `#`.
    ///
    /// # Errors
    /// See [`SuiteError`].
    pub fn parse(text: &str, rule: Rule, size: BoardSize) -> Result<Openings, SuiteError> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let suite = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(number, line)| {
            let points = parse_opening(size, line).map_err(|e| SuiteError::Line(number, e))?;
            let setup = Setup::from_moves(size, points);
            if ended(&setup, rule).is_some() { Err(SuiteError::Ended(number)) } else { Ok(setup) }
        });
        let suite = suite.collect::<Result<Vec<_>, _>>()?;
        if suite.is_empty() { Err(SuiteError::Empty) } else { Ok(Openings::Suite(suite)) }
    }

    /// Number of pairs after which the openings repeat in the same order; `None` if they never repeat.
    pub fn period(&self) -> Option<u64> {
        let Openings::Suite(suite) = self else { return None };
        // All openings have the same board size.
        let maps = suite.first().map_or(1, |setup| Symmetry::of(setup.size).len());
        Some((suite.len() * maps) as u64)
    }

    /// The opening of pair number `pair` of a run; `None` if a search must find it.
    pub fn of_pair(&self, seed: u64, pair: u64) -> Option<Setup> {
        let Openings::Suite(suite) = self else { return None };
        let (round, turn) = (pair / suite.len() as u64, (pair % suite.len() as u64) as usize);
        let index = Random::new(&[seed, 3]).order(suite.len())[turn];
        let setup = &suite[index];
        let maps = Symmetry::of(setup.size);
        let first = Random::new(&[seed, 4, index as u64]).below(maps.len());
        Some(maps[(first + round as usize) % maps.len()].apply_setup(setup))
    }
}

/// Verdict on a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The game is over, or the search score is not balanced.
    Unbalanced,
    /// One colour wins too many games, or too many games are drawn.
    Blunt,
    /// Both colours win enough games.
    Sharp,
}

/// Plays a position to its end. Calls `think` for each position; a proven win ends the game. Returns the winner; `None`
/// for a draw.
pub(super) fn play_out(mut setup: Setup, rule: Rule, mut think: impl FnMut(&Setup) -> Outcome) -> Option<Side> {
    while setup.empty_cells() > drawn_from(rule, setup.size) {
        let outcome = think(&setup);
        let score = outcome.line.score;
        if score.is_win() || score.is_loss() {
            return Some(if score.is_win() { setup.to_move } else { !setup.to_move });
        }
        let Answer::Points(points) = outcome.answer else { return None };
        setup.play(*points.first()?);
    }
    None
}

/// Tests the sharpness of an opening for this engine.
pub fn judge(engine: &mut Engine, setup: &Setup, rule: Rule) -> Judgement {
    let think = |engine: &mut Engine, setup: &Setup, nodes| {
        engine.think(&Request::new(setup.clone(), rule, Limits::nodes(nodes)), &StopToken::new(), &mut |_| {})
    };
    engine.clear();
    if ended(setup, rule).is_some() || think(engine, setup, BALANCE_NODES).line.score.raw().abs() > BALANCE {
        return Judgement::Unbalanced;
    }
    let mut won = [0; 2];
    for (game, nodes) in GAMES.into_iter().enumerate() {
        engine.clear();
        if let Some(winner) = play_out(setup.clone(), rule, |setup| think(engine, setup, nodes)) {
            won[winner as usize] += 1;
        }
        let left = GAMES.len() - game - 1;
        if won.iter().any(|won| won + left < EACH) {
            return Judgement::Blunt;
        }
    }
    Judgement::Sharp
}

/// Tests random openings and reports each with its verdict, in the order of their numbers, until `on_judgement` returns
/// `false` or `stop` is set. The results depend only on rule, size and seed.
///
/// # Errors
/// If the threads cannot be started.
pub fn find(
    (rule, size): (Rule, BoardSize),
    seed: u64,
    threads: usize,
    stop: &StopToken,
    on_judgement: &mut dyn FnMut(&Setup, Judgement) -> bool,
) -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
    let settings = Settings { rule, size, opening: STONES, ..Settings::default() };
    let table = table_bytes(GAMES.last().copied());
    let engine = || Engine::new(Options { hash: Some(table), ..Options::default() });
    let judged = |engine: &mut Engine, number: &u64| {
        if stop.is_stopped() {
            return None;
        }
        let setup = random_opening(&settings, &mut Random::new(&[seed, *number]));
        let judgement = judge(engine, &setup, rule);
        Some((setup, judgement))
    };
    let batch = 8 * threads.max(1) as u64;
    let mut first = 0;
    while !stop.is_stopped() {
        let numbers: Vec<u64> = (first..first + batch).collect();
        let batch_judged: Vec<_> = pool.install(|| numbers.par_iter().map_init(engine, judged).collect());
        first += batch;
        // After a stop, use the results up to the first missing one.
        let mut known = batch_judged.into_iter().map_while(|judged| judged);
        if !known.all(|(setup, judgement)| on_judgement(&setup, judgement)) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_suites_of_the_program_have_no_faults_and_no_copies() {
        for (rule, side, text) in SUITES {
            let size = BoardSize::new(side, side).expect("a size");
            let Openings::Suite(suite) = Openings::parse(text, rule, size).expect("a suite") else { panic!("a suite") };
            assert!(suite.len() >= 40, "{rule} {size}: {}", suite.len());
            let different: HashSet<_> = suite.iter().map(|setup| tengen::book::canonical(setup).0).collect();
            assert_eq!(different.len(), suite.len(), "{rule} {size}");
            assert_eq!(Openings::built_in(rule, size), Openings::Suite(suite));
        }
        assert_eq!(Openings::built_in(Rule::Caro, BoardSize::RENJU), Openings::Random);
    }

    #[test]
    fn each_opening_is_played_once_before_its_images_are() {
        let size = BoardSize::RENJU;
        let openings = Openings::parse("# a comment\n\n0,0, 1,2, 3,3\nh8i10\n-3,2, 0,1", Rule::Freestyle, size);
        let openings = openings.expect("a suite");
        let played: Vec<Setup> = (0..24).filter_map(|pair| openings.of_pair(7, pair)).collect();
        for round in played.chunks(3) {
            let different: HashSet<_> = round.iter().map(|setup| tengen::book::canonical(setup).0).collect();
            assert_eq!(different.len(), 3);
        }
        let points = |setup: &Setup| setup.stones.clone();
        assert!(played.iter().map(points).collect::<HashSet<_>>().len() > 20, "images differ");
        assert_eq!(openings.period(), Some(24));
        assert!((0..24).all(|pair| openings.of_pair(7, pair + 24).as_ref() == Some(&played[pair as usize])));
        assert_eq!((Openings::Random.of_pair(7, 0), Openings::Random.period()), (None, None));
    }

    #[test]
    fn bad_suites_are_refused_by_line() {
        let parse = |text| Openings::parse(text, Rule::Freestyle, BoardSize::RENJU).map_err(|e| e.to_string());
        assert_eq!(parse("# nothing\n"), Err("there are no openings".to_owned()));
        assert!(parse("h8\nh8h8").unwrap_err().starts_with("line 2: "));
        let row = "a1a3b1b3c1c3d1d3e1";
        assert_eq!(parse(row), Err("line 1: the game is over after this opening".to_owned()));
    }

    #[test]
    fn decided_openings_are_not_sharp() {
        let mut engine = Engine::new(Options { hash: Some(1 << 20), ..Options::default() });
        let setup = |text| Setup::from_moves(BoardSize::RENJU, parse_opening(BoardSize::RENJU, text).expect("points"));
        assert_eq!(judge(&mut engine, &setup("h8a1i8a3j8a5"), Rule::Freestyle), Judgement::Unbalanced);
    }
}
