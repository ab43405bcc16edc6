//! What the page of a match shows: plain data, written as JSON.

use serde::Serialize;
use tengen_workbench::matches::record::GameRecord;
use tengen_workbench::matches::settings::MatchSpec;
use tengen_workbench::matches::tally::{Score, Tally};
use tengen_workbench::stats::{EstimateFields, Verdict};

/// The whole match as one snapshot: the event `state`, and the answer to `GET /api/state`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// Increases with each change.
    pub rev: u64,
    /// The engines; other fields refer to them by their index in this list.
    pub engines: Vec<EngineView>,
    /// Rules and boards, in words.
    pub events: Vec<String>,
    /// Finished games, including those of earlier runs.
    pub played: u64,
    /// Games in all.
    pub total: u64,
    /// Whether the games are paused.
    pub paused: bool,
    /// Games and tables that the pause has reached; before that their engines finish the search for their move.
    pub held: usize,
    /// Whether no new game will begin.
    pub finishing: bool,
    /// Whether the match is over.
    pub ended: bool,
    /// Each pair of engines that meet.
    pub pairings: Vec<Pairing>,
    /// Draws of each engine against the average that the ratings include; absent in a match of two engines.
    pub virtual_draws: Option<f64>,
    /// The sequential test, if there is one.
    pub sprt: Option<Test>,
    /// Running games, by number.
    pub running: Vec<Board>,
    /// Games finished last, the newest first.
    pub last: Vec<Done>,
}

/// An engine and its results against all others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineView {
    /// Its name.
    pub name: String,
    /// Its limits in words.
    pub limits: String,
    /// Rating relative to the mean of all, from single games; absent without games, and in a match of two engines.
    pub rating: Option<f64>,
    /// Ends of its 95 % interval.
    pub rating_low: Option<f64>,
    /// The upper end; see `rating_low`.
    pub rating_high: Option<f64>,
    /// Its games.
    #[serde(flatten)]
    pub games: Games,
}

/// Counts of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Games {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

/// Results of two engines, from the first one's view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// Index of the first engine.
    pub first: usize,
    /// Index of the second engine.
    pub second: usize,
    /// The first one's games.
    #[serde(flatten)]
    pub games: Games,
    /// Complete pairs of games in which the first engine scored 0, 1/2, 1, 1 1/2 and 2 points.
    pub pairs: [u64; 5],
    /// Complete pairs in which black won both games, and in which white won both.
    pub one_colour: [u64; 2],
    /// Mean score of the games that the difference is computed from.
    pub score: Option<f64>,
    /// Difference of strength, as in the tables and the files of the match.
    #[serde(flatten)]
    pub estimate: EstimateFields,
}

/// A sequential test of two engines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Test {
    /// H0, Elo.
    pub elo0: f64,
    /// H1, Elo.
    pub elo1: f64,
    /// Whether Elo is normalized.
    pub normalized: bool,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Bound at which H0 is accepted.
    pub lower: f64,
    /// Bound at which H1 is accepted.
    pub upper: f64,
    /// `continue`, `h0` or `h1`; `none` if an engine lost every game by a fault.
    pub verdict: &'static str,
}

/// A running game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Board {
    /// Its number, from 1.
    pub game: u64,
    /// Rule.
    pub rule: &'static str,
    /// Width and height.
    pub size: (u8, u8),
    /// The engine with black.
    pub black: usize,
    /// The engine with white.
    pub white: usize,
    /// The engine that is to move.
    pub to_move: usize,
    /// Labels of the stones, in order of play, black first.
    pub stones: Vec<String>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Done {
    /// Its number, from 1.
    pub game: u64,
    /// The engine with black.
    pub black: usize,
    /// The engine with white.
    pub white: usize,
    /// The winner; absent for a draw.
    pub winner: Option<usize>,
    /// How it ended.
    pub end: &'static str,
    /// Stones on the board.
    pub stones: usize,
}

impl Done {
    /// Creates it from a record.
    pub fn new(game: &GameRecord) -> Done {
        Done {
            game: game.game + 1,
            black: game.black,
            white: game.white,
            winner: game.winner,
            end: game.end.name(),
            stones: game.opening.len() + game.moves.len(),
        }
    }
}

fn games(score: &Score) -> Games {
    let games = score.games();
    Games { wins: games.wins, draws: games.draws, losses: games.losses }
}

/// All engines, in the order of the match.
pub fn engines(spec: &MatchSpec, tally: &Tally) -> Vec<EngineView> {
    let fit = tally.ratings();
    let view = spec.engines.iter().enumerate().map(|(at, engine)| {
        let score = tally.of(at, None);
        let rating = fit.as_ref().map(|fit| fit.ratings[at]).filter(|_| score.games().games() > 0);
        let (rating_low, rating_high) = rating.map(|rating| rating.interval()).unzip();
        EngineView {
            name: engine.name.clone(),
            limits: engine.limits.to_string(),
            rating: rating.map(|rating| rating.elo),
            rating_low,
            rating_high,
            games: games(&score),
        }
    });
    view.collect()
}

/// Results of two engines.
pub fn pairing(tally: &Tally, [first, second]: [usize; 2]) -> Pairing {
    let score = tally.between(first, second, None);
    let estimate = score.estimate();
    Pairing {
        first,
        second,
        games: games(&score),
        pairs: score.pairs.counts,
        one_colour: score.one_colour,
        score: estimate.map(|estimate| estimate.elo.score),
        estimate: estimate.into(),
    }
}

/// The state of the sequential test.
pub fn test(spec: &MatchSpec, tally: &Tally) -> Option<Test> {
    let sprt = spec.sprt?;
    let test = sprt.test();
    let llr = test.llr(&tally.pairs_between(0, 1));
    let (lower, upper) = test.bounds();
    let verdict = match test.verdict(llr) {
        _ if tally.always_forfeits().is_some() => "none",
        Verdict::Continue => "continue",
        Verdict::AcceptH0 => "h0",
        Verdict::AcceptH1 => "h1",
    };
    Some(Test { elo0: sprt.elo0, elo1: sprt.elo1, normalized: sprt.normalized, llr, lower, upper, verdict })
}
