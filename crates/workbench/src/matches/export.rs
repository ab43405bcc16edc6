//! Machine-readable output of a match: results as JSON, games as CSV.

use super::part_use::PartUse;
use super::record::GameRecord;
use super::report::Report;
use crate::stats::{EstimateFields, wilson};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use tengen_engines::fault::FaultKind;

impl Report {
    /// The data of all tables as one JSON object. Infinite and unknown values are null; times are in milliseconds,
    /// scores range from 0 to 1, intervals are 95 % intervals. For the difference of two engines see
    /// [`EstimateFields`]; an end of its interval that is null is infinite. Ratings are relative to the mean of all
    /// engines, and null in a match of two; `virtual_draws` is the number of additional draws of each engine against
    /// the average that they count.
    pub fn json(&self) -> Value {
        let spec = &self.header.spec;
        let engines = spec.engines.len();
        let pairings = (0..engines).flat_map(|a| (a + 1..engines).map(move |b| (a, b)));
        let events = spec.events.iter().map(|event| {
            json!({
                "rule": event.rule_name(),
                "width": event.width,
                "height": event.height,
                "swap2": event.swap2,
                "openings": event.openings.len(),
            })
        });
        json!({
            "games": self.games.len(),
            "pairs": self.complete_pairs(),
            "events": events.collect::<Vec<_>>(),
            "engines": (0..engines).map(|e| self.engine_json(e)).collect::<Vec<_>>(),
            "virtual_draws": self.tally.ratings().map(|fit| fit.prior_games),
            "pairings": pairings.map(|(a, b)| self.pairing_json(a, b)).collect::<Vec<_>>(),
            "sprt": self.sprt_json(),
            "parts": self.parts.iter().map(PartUse::json).collect::<Vec<_>>(),
        })
    }

    fn engine_json(&self, engine: usize) -> Value {
        let spec = &self.header.spec.engines[engine];
        let (clock, faulty) = (self.tally.clockwork(engine), self.tally.faulty(engine));
        let games = self.tally.of(engine, None).games();
        let rating = self.tally.ratings().map(|fit| fit.ratings[engine]).filter(|_| games.games() > 0);
        let (rating_low, rating_high) = rating.map(|rating| rating.interval()).unzip();
        let mean = |sum: f64, count: f64| (count > 0.0).then(|| sum / count);
        let (low, high) = wilson(faulty.faulty, faulty.games);
        let faults: Map<String, Value> =
            FaultKind::ALL.iter().map(|k| (k.name().to_owned(), self.tally.faults(engine, *k).into())).collect();
        json!({
            "name": spec.name,
            "limits": spec.limits,
            "wins": games.wins,
            "draws": games.draws,
            "losses": games.losses,
            "rating": rating.map(|rating| rating.elo),
            "rating_low": rating_low,
            "rating_high": rating_high,
            "moves": clock.moves,
            "book_moves": clock.has_search_info().then_some(clock.book),
            "ms_per_move": mean(clock.ms, clock.moves as f64),
            "ms": clock.ms,
            "time_ratio": mean(clock.ms, clock.opponents_ms),
            "depth": mean(clock.depth.0 as f64, clock.depth.1 as f64),
            "nodes_per_second": mean(clock.nodes.0 as f64 * 1000.0, clock.nodes.1),
            "over_limit": clock.over,
            "worst_over_ms": clock.worst_over,
            "faults": faults,
            "games_with_faults": faulty.faulty,
            "fault_rate": [low, high],
        })
    }

    fn pairing_json(&self, first: usize, second: usize) -> Value {
        let score = self.tally.between(first, second, None);
        let games = score.games();
        let estimate = score.estimate();
        let EstimateFields { elo, elo_low, elo_high, los, elo_from, left_out } = estimate.into();
        let normalized = score.pairs.elo().filter(|elo| elo.normalized_error.is_finite());
        let (normalized_low, normalized_high) = normalized.map(|elo| elo.normalized_interval()).unzip();
        json!({
            "first": self.name(first),
            "second": self.name(second),
            "wins": games.wins,
            "draws": games.draws,
            "losses": games.losses,
            "pairs": score.pairs.counts,
            "one_colour_pairs": { "black": score.one_colour[0], "white": score.one_colour[1] },
            "score": estimate.map(|estimate| estimate.elo.score),
            "elo": elo,
            "elo_low": elo_low,
            "elo_high": elo_high,
            "los": los,
            "elo_from": elo_from,
            "left_out": left_out,
            "normalized_elo": normalized.map(|elo| elo.normalized),
            "normalized_elo_low": normalized_low,
            "normalized_elo_high": normalized_high,
        })
    }

    fn sprt_json(&self) -> Value {
        let Some(spec) = self.header.spec.sprt else { return Value::Null };
        let test = spec.test();
        let (lower, upper) = test.bounds();
        // In the order of their numbers, or as they ended.
        let (llr, verdict, forfeits, counted) = match &self.sequential {
            Some(state) => (state.llr, state.verdict, state.forfeits, state.games),
            None => {
                let llr = test.llr(&self.tally.pairs_between(0, 1));
                (llr, test.verdict(llr), self.tally.always_forfeits(), self.games.len() as u64)
            }
        };
        let verdict = if forfeits.is_some() { "none" } else { verdict.name() };
        json!({ "elo0": spec.elo0, "elo1": spec.elo1, "alpha": spec.alpha, "beta": spec.beta,
            "normalized": spec.normalized, "llr": llr, "lower": lower, "upper": upper, "verdict": verdict,
            "games": counted })
    }

    /// Writes a row for each game, below a header row. Times are in milliseconds.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = "game,pair,rule,width,height,black,white,result,end,stones,black_ms,white_ms,faults,moves";
        write!(out, "{columns}\r\n")?;
        for game in &self.games {
            let event = &self.header.spec.events[game.event];
            let time = |engine: usize| format!("{:.1}", time_of(game, engine));
            let faults: Vec<String> = game
                .faults
                .iter()
                .map(|f| format!("{}: {}: {}", self.name(f.engine), f.fault.kind, f.fault.detail))
                .collect();
            let row = [
                (game.game + 1).to_string(),
                (game.pair() + 1).to_string(),
                event.rule_name().to_owned(),
                event.width.to_string(),
                event.height.to_string(),
                self.name(game.black).to_owned(),
                self.name(game.white).to_owned(),
                game.result().to_owned(),
                game.end.name().to_owned(),
                game.stones().count().to_string(),
                time(game.black),
                time(game.white),
                faults.join("; "),
                game.line.clone(),
            ];
            write!(out, "{}\r\n", row.map(|field| quoted(&field)).join(","))?;
        }
        Ok(())
    }
}

/// Milliseconds used by an engine in a game.
fn time_of(game: &GameRecord, engine: usize) -> f64 {
    let opening = game.opening.len();
    let mover = |i: usize| if (opening + i).is_multiple_of(2) { game.black } else { game.white };
    let own = game.moves.iter().enumerate().filter(|(i, _)| mover(*i) == engine);
    own.map(|(_, m)| m.ms).sum()
}

/// A field quoted as in RFC 4180 if it contains a comma, a quote or a line end.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
