//! The sequential test of a match whose games arrive in any order.
//!
//! It weighs the games in the order of their numbers, as one process with one game at a time does, up to the first game
//! that is missing. So the verdict depends on the games alone, not on when they arrive: among the games that happen to
//! be there, quick ones and those of fast machines are too many, and if they end differently the test would be biased.

use super::record::GameRecord;
use super::settings::MatchSpec;
use super::tally::Tally;
use crate::stats::Verdict;

/// The state of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequential {
    /// Whether a bound was crossed, and which one first.
    pub verdict: Verdict,
    /// The log-likelihood ratio after the games counted.
    pub llr: f64,
    /// Number of games counted: up to the verdict, or before the first missing game.
    pub games: u64,
    /// An engine that lost all of these games by faults; nothing is decided while there is one.
    pub forfeits: Option<usize>,
}

impl Sequential {
    /// The test over these games, ordered by number and without doubles; `None` if the match has no test.
    pub fn of(spec: &MatchSpec, games: &[GameRecord]) -> Option<Sequential> {
        let test = spec.sprt?.test();
        let mut tally = Tally::new(spec);
        let mut state = Sequential { verdict: Verdict::Continue, llr: 0.0, games: 0, forfeits: None };
        let mut pairs = 0;
        for (number, game) in games.iter().enumerate().take_while(|(number, game)| game.game == *number as u64) {
            tally.add(game);
            state.games = number as u64 + 1;
            state.forfeits = tally.always_forfeits();
            let counts = tally.pairs_between(0, 1);
            if counts.pairs() > pairs {
                (state.llr, pairs) = (test.llr(&counts), counts.pairs());
            }
            let verdict = test.verdict(state.llr);
            if verdict != Verdict::Continue && state.forfeits.is_none() {
                state.verdict = verdict;
                break;
            }
        }
        Some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::referee::End;
    use crate::matches::schedule::tests::spec;
    use crate::matches::settings::SprtSpec;

    fn game(number: u64, winner: usize) -> GameRecord {
        let black = (number % 2) as usize;
        GameRecord {
            game: number,
            event: 0,
            black,
            white: 1 - black,
            winner: Some(winner),
            end: End::Row,
            at: 0,
            ms: 0,
            opening: Vec::new(),
            moves: Vec::new(),
            line: String::new(),
            faults: Vec::new(),
        }
    }

    /// The first engine wins some pairs, then loses the rest.
    #[test]
    fn the_first_bound_that_is_crossed_decides() {
        let sprt = SprtSpec { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, normalized: false };
        let spec = MatchSpec { sprt: Some(sprt), ..spec(2, 400) };
        let winner = |number: u64| if number % 8 == 7 || number > 120 { 1 } else { 0 };
        let games: Vec<GameRecord> = (0..400).map(|number| game(number, winner(number))).collect();
        let all = Sequential::of(&spec, &games).expect("a test");
        assert_eq!((all.verdict, all.games % 2), (Verdict::AcceptH1, 0));
        assert!(all.games < 120, "{all:?}");
        // A look at any time decides the same, or nothing.
        for count in 0..games.len() {
            let now = Sequential::of(&spec, &games[..count]).expect("a test");
            match count as u64 >= all.games {
                true => assert_eq!(now, all),
                false => assert_eq!((now.verdict, now.games), (Verdict::Continue, count as u64)),
            }
        }
        // A missing game stops the count; later games do not count.
        let gap: Vec<GameRecord> = games.iter().filter(|g| g.game != 9).cloned().collect();
        let waiting = Sequential::of(&spec, &gap).expect("a test");
        assert_eq!((waiting.verdict, waiting.games), (Verdict::Continue, 9));
        assert_eq!(Sequential::of(&MatchSpec { sprt: None, ..spec }, &games), None);
    }
}
