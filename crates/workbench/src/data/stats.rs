//! Statistics of training games: counts by rule and board, duplicates, and the engines that played them.

use super::record::{DataGame, Maker, Run};
use super::selfplay::Ending;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use tengen::board::{Point, Side};

/// Games of one rule and board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// All games.
    pub games: u64,
    /// Positions with a search: moves after the opening.
    pub positions: u64,
    /// Games won by black.
    pub black: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games won by white.
    pub white: u64,
    /// Moves that are not the best ones.
    pub random: u64,
    /// Games that ended with a row.
    pub rows: u64,
    /// Games that ended with a forbidden move.
    pub fouls: u64,
    /// Games that ended by proof.
    pub proofs: u64,
}

/// Source of games and their limits: identifier of the run's settings, engine, nodes and depth as stored in the games.
type Makers = (u32, Maker, u32, u16);

/// Counts of games. Takes some 100 bytes a game.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// By rule and board.
    pub kinds: BTreeMap<String, Kind>,
    /// Stones on the board at the end of each game.
    pub lengths: Vec<u16>,
    /// Scores that are not proven, from black's view.
    pub scores: Vec<i16>,
    /// Scores that are proven wins or losses.
    pub proven: u64,
    makers: BTreeMap<Makers, u64>,
    // 64-bit hashes: with a million games, one run in ten million miscounts by one.
    openings: HashSet<u64>,
    lines: HashSet<u64>,
}

/// A hash that is the same in every process.
fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Stats {
    /// Counts a game.
    pub fn add(&mut self, game: &DataGame) {
        let played = &game.game;
        let kind = self.kinds.entry(format!("{} {}", game.rule, game.size)).or_default();
        kind.games += 1;
        kind.positions += played.moves.len() as u64;
        match played.winner {
            Some(Side::Black) => kind.black += 1,
            None => kind.draws += 1,
            Some(Side::White) => kind.white += 1,
        }
        kind.random += played.moves.iter().filter(|m| m.point != m.best).count() as u64;
        match played.ending {
            Ending::Row => kind.rows += 1,
            Ending::Foul => kind.fouls += 1,
            Ending::Proof => kind.proofs += 1,
            Ending::Draw => {}
        }
        self.lengths.push((played.opening.len() + played.moves.len()) as u16);
        for (i, m) in played.moves.iter().enumerate() {
            let black = (played.opening.len() + i).is_multiple_of(2);
            match m.score.distance() {
                Some(_) => self.proven += 1,
                None => self.scores.push(if black { m.score.raw() } else { -m.score.raw() } as i16),
            }
        }
        let makers = (game.run, game.maker.clone(), game.nodes, game.depth);
        *self.makers.entry(makers).or_insert(0) += 1;
        let size = (game.size.width(), game.size.height());
        self.openings.insert(hash((size, &played.opening)));
        let line: Vec<Point> = played.opening.iter().copied().chain(played.moves.iter().map(|m| m.point)).collect();
        self.lines.insert(hash((size, line)));
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// Writes tables for people; `runs` are the known settings.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, out: &mut dyn Write, runs: &BTreeMap<u32, Run>) -> io::Result<()> {
        writeln!(
            out,
            "{:20} {:>8} {:>10} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7} {:>7}",
            "", "games", "positions", "black", "draw", "white", "random", "rows", "fouls", "proofs"
        )?;
        for (name, kind) in &self.kinds {
            let Kind { games, positions, black, draws, white, random, rows, fouls, proofs } = kind;
            write!(out, "{name:20} {games:8} {positions:10} {black:7} {draws:7} {white:7} {random:9}")?;
            writeln!(out, " {rows:7} {fouls:7} {proofs:7}")?;
        }
        let copies = self.games() - self.lines.len() as u64;
        writeln!(out, "{} different openings, {copies} games are copies of others", self.openings.len())?;
        for ((run, Maker { engine, signature, evaluation }, nodes, depth), games) in &self.makers {
            let engine = if engine.is_empty() { "an unnamed engine" } else { engine };
            write!(out, "{games} games by {engine}, signature {signature}, evaluation {evaluation}")?;
            for (limit, unit) in [(*nodes, "nodes"), ((*depth).into(), "plies")].iter().filter(|(limit, _)| *limit > 0)
            {
                write!(out, ", {limit} {unit} a move")?;
            }
            writeln!(out)?;
            if let Some(run) = runs.get(run) {
                write_run(out, run)?;
            }
        }
        Ok(())
    }
}

fn write_run(out: &mut dyn Write, run: &Run) -> io::Result<()> {
    let (fewest, most) = run.opening;
    write!(out, "  seed {}, openings of {fewest} to {most} stones within {} units", run.seed, run.balance)?;
    if run.random > 0 && run.random_plies > 0 {
        write!(out, ", {} in 1000 moves random to {} stones", run.random, run.random_plies)?;
    }
    if run.temperature > 0.0 && run.temperature_plies > 0 {
        write!(out, ", temperature {} to {} stones", run.temperature, run.temperature_plies)?;
    }
    writeln!(out, "{}", if run.adjudicate { ", ended by proof" } else { ", played out" })
}
