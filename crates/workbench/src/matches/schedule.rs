//! The games of a match: pairings, openings, colours. The schedule is a pure function of the match's description, so a
//! resumed run, and every part of a run on many machines, assigns the same numbers to the same games.

use super::referee::check_opening;
use super::settings::{Event, MatchSpec};
use tengen::board::{BoardSize, Point, Symmetry};
use tengen_analysis::random::Random;
use tengen_engines::player::Table;
use tengen_record::rule_code::rule_of_code;

/// One opening, played twice with colours exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Number of the pair in the whole match. Its games are `2 index` and `2 index + 1`.
    pub index: u64,
    /// Whether only the first game is played, because the number of games is odd and this is the last one.
    pub single: bool,
    /// Engines by number. The first has black (or opens, in swap2) in the first game.
    pub engines: [usize; 2],
    /// Number of the event.
    pub event: usize,
    /// Stones of the opening.
    pub opening: Vec<Point>,
}

impl Pair {
    /// Numbers of the games to play.
    pub fn games(&self) -> impl Iterator<Item = u64> + use<> {
        let first = 2 * self.index;
        first..first + if self.single { 1 } else { 2 }
    }
}

/// The table of an event; `None` if its numbers are invalid.
pub fn table(event: &Event) -> Option<Table> {
    Some(Table { rule: rule_of_code(event.rule)?, size: BoardSize::new(event.width, event.height)? })
}

/// Checks a match's description.
///
/// # Errors
/// A sentence that describes the problem.
pub fn check(spec: &MatchSpec) -> Result<(), String> {
    if spec.engines.len() < 2 {
        return Err("a match needs at least two engines".to_owned());
    }
    for (i, engine) in spec.engines.iter().enumerate() {
        if spec.engines[..i].iter().any(|other| other.name == engine.name) {
            return Err(format!("two engines are called {}", engine.name));
        }
    }
    if let Some(sprt) = &spec.sprt {
        sprt.test().check()?;
        if spec.engines.len() != 2 {
            return Err("a sequential test is for two engines".to_owned());
        }
    }
    if spec.events.is_empty() || spec.games == 0 {
        return Err("there is nothing to play".to_owned());
    }
    for event in &spec.events {
        let table = table(event)
            .ok_or_else(|| format!("no game of rule {} on {}x{}", event.rule, event.width, event.height))?;
        for (i, opening) in event.openings.iter().enumerate() {
            let points = points_of(opening);
            let checked = match points.len() == opening.len() {
                true if event.swap2 && points.len() != 3 => Err("swap2 starts from three stones".to_owned()),
                true => check_opening(&table, &points),
                false => Err("a stone is off the board".to_owned()),
            };
            checked.map_err(|e| format!("opening {} of {} on {}: {e}", i + 1, table.rule, table.size))?;
        }
    }
    Ok(())
}

fn points_of(opening: &[(u8, u8)]) -> Vec<Point> {
    opening.iter().filter_map(|(x, y)| Point::new(*x, *y)).collect()
}

/// The pairings of a match, as numbers of engines.
pub fn pairings(spec: &MatchSpec) -> Vec<[usize; 2]> {
    let n = spec.engines.len();
    let firsts = if spec.gauntlet { 1 } else { n };
    (0..firsts.min(n)).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect()
}

/// All pairs of a match, in order.
///
/// Each round has one pair for every pairing, all with the same event and opening. Rounds use the events in turn. Each
/// event uses all its openings before it repeats one; if shuffled, each repetition has a new order.
pub fn pairs(spec: &MatchSpec) -> Vec<Pair> {
    let pairings = pairings(spec);
    let rounds = spec.games.div_ceil(2);
    let mut pairs = Vec::new();
    for round in 0..rounds {
        let event = (round % spec.events.len() as u64) as usize;
        let opening = opening(spec, event, round / spec.events.len() as u64);
        for engines in &pairings {
            let index = pairs.len() as u64;
            let single = 2 * round + 1 == spec.games;
            pairs.push(Pair { index, single, engines: *engines, event, opening: opening.clone() });
        }
    }
    pairs
}

/// The opening of an event's `turn`-th round.
fn opening(spec: &MatchSpec, event: usize, turn: u64) -> Vec<Point> {
    let list = &spec.events[event].openings;
    let (Some(table), false) = (table(&spec.events[event]), list.is_empty()) else { return Vec::new() };
    let (cycle, place) = (turn / list.len() as u64, (turn % list.len() as u64) as usize);
    let chosen = match spec.shuffle {
        true => Random::new(&[spec.seed, 1, event as u64, cycle]).order(list.len())[place],
        false => place,
    };
    let points = points_of(&list[chosen]);
    if !spec.transform {
        return points;
    }
    let maps = Symmetry::of(table.size);
    let map = maps[Random::new(&[spec.seed, 2, event as u64, turn]).below(maps.len())];
    points.into_iter().map(|p| map.apply(table.size, p)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::matches::settings::Adjudication;
    use tengen_engines::spec::{EngineLimits, EngineSpec, Tolerances};

    pub fn spec(engines: usize, games: u64) -> MatchSpec {
        let engine = |i: usize| EngineSpec {
            name: format!("e{i}"),
            cmd: "engine".into(),
            args: Vec::new(),
            dir: None,
            limits: EngineLimits::default(),
            memory: 0,
            threads: None,
            info: Vec::new(),
            restart: false,
            lenient: false,
        };
        let openings = vec![vec![(7, 7)], vec![(0, 0), (1, 1)], vec![(3, 4), (5, 6), (7, 8)]];
        MatchSpec {
            engines: (0..engines).map(engine).collect(),
            gauntlet: false,
            games,
            events: [0, 4]
                .map(|rule| Event { rule, width: 15, height: 15, swap2: false, openings: openings.clone() })
                .into(),
            shuffle: true,
            transform: true,
            seed: 5,
            adjudication: Adjudication::default(),
            patience: Tolerances::default(),
            sprt: None,
        }
    }

    #[test]
    fn a_schedule_is_complete_and_repeatable() {
        let spec = spec(4, 24);
        assert_eq!(check(&spec), Ok(()));
        let all = pairs(&spec);
        assert_eq!(all, pairs(&spec));
        assert_eq!(all.len(), 6 * 12);
        // The games of a shorter match are a prefix of those of a longer one.
        assert_eq!(pairs(&MatchSpec { games: 48, ..spec.clone() })[..all.len()], all);
        // Six rounds of each event use every opening twice.
        for event in 0..2 {
            for stones in 1..=3 {
                let uses = all.iter().filter(|p| p.event == event && p.opening.len() == stones).count();
                assert_eq!(uses, 2 * 6);
            }
        }
        assert_ne!(all, pairs(&MatchSpec { seed: 6, ..spec.clone() }));
        let odd = pairs(&MatchSpec { games: 3, ..spec.clone() });
        assert_eq!(odd.iter().flat_map(Pair::games).count(), 6 * 3);
        assert!(odd.iter().flat_map(Pair::games).all(|game| all.iter().flat_map(Pair::games).any(|g| g == game)));
        let gauntlet = pairs(&MatchSpec { gauntlet: true, ..spec });
        assert_eq!(gauntlet.len(), 3 * 12);
        assert!(gauntlet.iter().all(|p| p.engines[0] == 0));
    }

    #[test]
    fn senseless_matches_are_refused() {
        let good = spec(2, 2);
        let with = |change: &dyn Fn(&mut MatchSpec)| {
            let mut spec = good.clone();
            change(&mut spec);
            check(&spec)
        };
        assert!(with(&|s| s.engines.truncate(1)).is_err());
        assert!(with(&|s| s.engines[1].name = "e0".into()).is_err());
        assert!(with(&|s| s.events.clear()).is_err());
        assert!(with(&|s| s.events[0].rule = 2).is_err());
        assert!(with(&|s| s.events[0].openings[0] = vec![(7, 7), (7, 7)]).is_err());
        assert!(with(&|s| s.events[0].openings[0] = vec![(15, 7)]).is_err());
        assert!(with(&|s| s.events[0].swap2 = true).is_err());
    }
}
