//! Counts over a set of games by engine, pairing, colour and rule.

use super::record::GameRecord;
use super::settings::MatchSpec;
use crate::stats::fit::{Encounter, Fit, bradley_terry};
use crate::stats::{Estimate, Pentanomial, Trinomial};
use std::collections::BTreeMap;
use tengen_engines::fault::FaultKind;

/// Counts over games. Games may be added in any order; a pair counts once both of its games are added.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    engines: usize,
    /// The first game of each incomplete pair: half points, and the colour that won.
    open: BTreeMap<u64, (u8, Option<Colour>)>,
    /// Pairs and games of each pairing in each event, from the view of the lower engine number.
    by_event: BTreeMap<(usize, usize, usize), Score>,
    faults: Vec<BTreeMap<FaultKind, u64>>,
    /// Fault counts of each engine.
    faulty: Vec<Faulty>,
    /// Time use of each engine.
    clocks: Vec<TimeUse>,
    games: u64,
}

/// A colour, as an index of [`Score::one_colour`].
type Colour = usize;

/// Results of one pairing in one event, from the view of the engine with the lower number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Complete pairs.
    pub pairs: Pentanomial,
    /// Complete pairs in which each engine won once, both times with the same colour: black won both, and white won
    /// both. They show the bias of the opening rather than a difference of the engines.
    pub one_colour: [u64; 2],
    /// Games with black.
    pub black: Trinomial,
    /// Games with white.
    pub white: Trinomial,
}

impl Score {
    /// All games.
    pub fn games(&self) -> Trinomial {
        sum(self.black, self.white)
    }

    /// The same results from the other engine's view.
    pub fn reversed(&self) -> Score {
        Score {
            pairs: self.pairs.reversed(),
            one_colour: self.one_colour,
            black: self.white.reversed(),
            white: self.black.reversed(),
        }
    }

    /// The difference in strength; `None` without games.
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::new(&self.pairs, &self.games())
    }

    fn add(&mut self, other: &Score) {
        for (count, more) in self.pairs.counts.iter_mut().zip(other.pairs.counts) {
            *count += more;
        }
        for (count, more) in self.one_colour.iter_mut().zip(other.one_colour) {
            *count += more;
        }
        self.black = sum(self.black, other.black);
        self.white = sum(self.white, other.white);
    }
}

fn sum(a: Trinomial, b: Trinomial) -> Trinomial {
    Trinomial { wins: a.wins + b.wins, draws: a.draws + b.draws, losses: a.losses + b.losses }
}

/// Time use of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeUse {
    /// Moves.
    pub moves: u64,
    /// Total milliseconds of these moves.
    pub ms: f64,
    /// Total milliseconds of its opponents' moves in the same games.
    pub opponents_ms: f64,
    /// Moves that exceeded the limit within the tolerance.
    pub over: u64,
    /// Largest excess, in milliseconds.
    pub worst_over: f64,
    /// Moves from an opening book, as reported by the engine.
    pub book: u64,
    /// Sum of the reported depths of searched moves, and number of reports.
    pub depth: (u64, u64),
    /// Sum of the reported nodes, and milliseconds of the same moves.
    pub nodes: (u64, f64),
}

impl TimeUse {
    /// Whether the engine reported any search information. Otherwise even its book moves are unknown.
    pub fn has_search_info(&self) -> bool {
        self.book > 0 || self.depth.1 > 0 || self.nodes.0 > 0
    }
}

/// Number of games in which an engine committed faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faulty {
    /// Games played.
    pub games: u64,
    /// Games with at least one fault.
    pub faulty: u64,
    /// Games lost by a fault other than a forbidden move.
    pub forfeits: u64,
}

impl Tally {
    /// The counts of a match without games.
    pub fn new(spec: &MatchSpec) -> Tally {
        let engines = spec.engines.len();
        Tally {
            engines,
            open: BTreeMap::new(),
            by_event: BTreeMap::new(),
            faults: vec![BTreeMap::new(); engines],
            faulty: vec![Faulty::default(); engines],
            clocks: vec![TimeUse::default(); engines],
            games: 0,
        }
    }

    /// Counts a game. Its engine and event numbers must be those of the match.
    pub fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        let (a, b) = (game.black.min(game.white), game.black.max(game.white));
        let halves = game.halves(a);
        let score = self.by_event.entry((game.event, a, b)).or_default();
        if game.black == a {
            score.black.add(halves)
        } else {
            score.white.add(halves)
        }
        let colour = game.winner.map(|winner| usize::from(winner == game.white));
        match self.open.remove(&game.pair()) {
            Some((first, other)) => {
                score.pairs.add(first + halves);
                // Two wins of one engine do not count as one-colour wins, even if it had the same colour in both games
                // (swap2).
                if let Some(colour) = colour.filter(|colour| first + halves == 2 && other == Some(*colour)) {
                    score.one_colour[colour] += 1;
                }
            }
            None => drop(self.open.insert(game.pair(), (halves, colour))),
        }
        for engine in [game.black, game.white] {
            let own = || game.faults.iter().filter(|f| f.engine == engine);
            let faulty = &mut self.faulty[engine];
            faulty.games += 1;
            faulty.faulty += u64::from(own().next().is_some());
            faulty.forfeits += u64::from(own().any(|f| f.lost && f.fault.kind != FaultKind::Forbidden));
        }
        for fault in &game.faults {
            *self.faults[fault.engine].entry(fault.fault.kind).or_default() += 1;
        }
        for (i, m) in game.moves.iter().enumerate() {
            let black = (game.opening.len() + i).is_multiple_of(2);
            let (mover, opponent) = if black { (game.black, game.white) } else { (game.white, game.black) };
            self.clocks[opponent].opponents_ms += m.ms;
            let clock = &mut self.clocks[mover];
            clock.moves += 1;
            clock.ms += m.ms;
            clock.book += u64::from(m.note.book);
            if let Some(over) = m.over {
                clock.over += 1;
                clock.worst_over = clock.worst_over.max(over);
            }
            if let Some(depth) = m.note.depth {
                clock.depth = (clock.depth.0 + u64::from(depth), clock.depth.1 + 1);
            }
            if let Some(nodes) = m.note.nodes {
                clock.nodes = (clock.nodes.0 + nodes, clock.nodes.1 + m.ms);
            }
        }
    }

    /// Number of counted games.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Complete pairs of two engines, from the first one's view.
    pub fn pairs_between(&self, first: usize, second: usize) -> Pentanomial {
        self.between(first, second, None).pairs
    }

    /// Results between two engines, from the first one's view, in one event or in all.
    pub fn between(&self, first: usize, second: usize, event: Option<usize>) -> Score {
        let key = (first.min(second), first.max(second));
        let mut total = Score::default();
        for ((e, a, b), score) in &self.by_event {
            if (*a, *b) == key && event.is_none_or(|wanted| wanted == *e) {
                total.add(score);
            }
        }
        if first > second { total.reversed() } else { total }
    }

    /// Results of an engine against all others, in one event or in all.
    pub fn of(&self, engine: usize, event: Option<usize>) -> Score {
        let mut total = Score::default();
        for other in (0..self.engines).filter(|o| *o != engine) {
            total.add(&self.between(engine, other, event));
        }
        total
    }

    /// Number of faults of a kind that an engine committed.
    pub fn faults(&self, engine: usize, kind: FaultKind) -> u64 {
        self.faults[engine].get(&kind).copied().unwrap_or(0)
    }

    /// Number of games in which an engine committed faults.
    pub fn faulty(&self, engine: usize) -> Faulty {
        self.faulty[engine]
    }

    /// An engine that lost every game by a fault; its results have no meaning.
    pub fn always_forfeits(&self) -> Option<usize> {
        self.faulty.iter().position(|f| f.games > 0 && f.forfeits == f.games)
    }

    /// Time use of an engine.
    pub fn clockwork(&self, engine: usize) -> &TimeUse {
        &self.clocks[engine]
    }

    /// Ratings of all engines relative to their mean, from single games. `None` for two engines: each would have half
    /// the difference, which readers easily mistake for the whole difference.
    pub fn ratings(&self) -> Option<Fit> {
        if self.engines < 3 {
            return None;
        }
        let encounters: Vec<Encounter> = (0..self.engines)
            .flat_map(|a| (a + 1..self.engines).map(move |b| (a, b)))
            .filter_map(|(first, second)| {
                let games = self.between(first, second, None).games();
                let (count, points) = (games.games() as f64, games.points());
                (count > 0.0).then_some(Encounter { first, second, games: count, points })
            })
            .collect();
        Some(bradley_terry(self.engines, &encounters))
    }
}
