//! Detects engines that do not work. A program that cannot start loses every game and would decide a test.

use super::record::GameRecord;
use std::fmt;
use tengen_engines::fault::{Fault, FaultKind};

/// Games in a row, all lost by faults, after which an engine counts as broken.
pub const STREAK: usize = 5;

/// An engine that does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Its number.
    pub engine: usize,
    /// Games in a row that it lost by faults.
    pub streak: usize,
    /// Games that it played in this run.
    pub games: usize,
    /// The kind of all these faults; `None` if the kinds differ.
    pub kind: Option<FaultKind>,
    /// The last of them.
    pub fault: Fault,
}

/// `crashed in 5 of 5 games: ...`, a text that follows the engine's name.
impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let did = match self.kind {
            Some(FaultKind::Start) => "could not start",
            Some(FaultKind::Late) => "was too late",
            Some(FaultKind::Hang) => "did not answer",
            Some(FaultKind::Crash) => "crashed",
            Some(FaultKind::Illegal | FaultKind::Forbidden) => "made illegal moves",
            Some(FaultKind::Protocol) => "broke the protocol",
            Some(FaultKind::Memory) => "used too much memory",
            None => "failed",
        };
        let Broken { streak, games, fault, .. } = self;
        // The record contains the complete text.
        let detail = fault.detail.lines().next().unwrap_or_default();
        match streak == games {
            true => write!(f, "{did} in {streak} of {games} games: {detail}"),
            false => write!(f, "{did} in its last {streak} games: {detail}"),
        }
    }
}

/// State of each engine from the games of one run, in the order in which they ended.
#[derive(Clone, Debug)]
pub struct Health(Vec<Engine>);

#[derive(Clone, Debug, Default)]
struct Engine {
    games: usize,
    /// Faults that lost the most recent games in a row.
    streak: Vec<Fault>,
}

impl Health {
    /// The state of engines that have not played.
    pub fn new(engines: usize) -> Health {
        Health(vec![Engine::default(); engines])
    }

    /// Counts a game. A forbidden move is a bad move, not a sign of a broken program.
    pub fn add(&mut self, game: &GameRecord) {
        for number in [game.black, game.white] {
            let engine = &mut self.0[number];
            engine.games += 1;
            match game.faults.iter().find(|f| f.lost && f.engine == number && f.fault.kind != FaultKind::Forbidden) {
                Some(f) => engine.streak.push(f.fault.clone()),
                None => engine.streak.clear(),
            }
        }
    }

    /// The broken engine, if there is one: it lost its last [`STREAK`] games by faults, it could not be started in its
    /// first game, or it lost all games of a run that has ended.
    pub fn broken(&self, ended: bool) -> Option<Broken> {
        self.0.iter().enumerate().find_map(|(engine, Engine { games, streak })| {
            let fault = streak.last()?;
            let same = streak.iter().all(|f| f.kind == fault.kind);
            let always_forfeits = streak.len() == *games && (ended || same && fault.kind == FaultKind::Start);
            (always_forfeits || streak.len() >= STREAK).then(|| Broken {
                engine,
                streak: streak.len(),
                games: *games,
                kind: same.then_some(fault.kind),
                fault: fault.clone(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::record::FaultRecord;
    use crate::matches::referee::End;

    /// Engine 1 loses games by these faults, or without a fault for `None`.
    fn health(games: &[Option<FaultKind>]) -> Health {
        let mut health = Health::new(2);
        for kind in games {
            let fault = |kind| FaultRecord { engine: 1, lost: true, fault: Fault::new(kind, "why\nand where") };
            health.add(&GameRecord {
                game: 0,
                event: 0,
                black: 0,
                white: 1,
                winner: Some(0),
                end: if kind.is_some() { End::Fault } else { End::Row },
                at: 0,
                ms: 0,
                opening: Vec::new(),
                moves: Vec::new(),
                line: String::new(),
                faults: kind.map(fault).into_iter().collect(),
            });
        }
        health
    }

    fn verdicts(games: &[Option<FaultKind>], ended: bool) -> String {
        health(games).broken(ended).map_or(String::new(), |b| format!("{} {b}", b.engine))
    }

    #[test]
    fn an_engine_that_does_nothing_but_fail_is_found() {
        let crash = Some(FaultKind::Crash);
        assert_eq!(verdicts(&[crash; 4], false), "");
        assert_eq!(verdicts(&[crash; 4], true), "1 crashed in 4 of 4 games: why");
        assert_eq!(verdicts(&[crash; 5], false), "1 crashed in 5 of 5 games: why");
        assert_eq!(verdicts(&[Some(FaultKind::Start)], false), "1 could not start in 1 of 1 games: why");
        // An engine that worked before is broken only after several faults in a row.
        let late = [None, crash, crash, Some(FaultKind::Late), crash, crash];
        assert_eq!(verdicts(&late, false), "1 failed in its last 5 games: why");
        assert_eq!(verdicts(&late[..5], true), "");
        assert_eq!(verdicts(&[Some(FaultKind::Forbidden); 9], true), "", "fouls are bad moves");
        assert_eq!(verdicts(&[], true), "");
    }
}
