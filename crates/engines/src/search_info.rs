//! Search information that an engine reports, parsed from its messages as far as their format is known.

use serde::{Deserialize, Serialize};
use tengen::score::Score;

/// Evaluation, depth and nodes, each if the engine reported it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchInfo {
    /// Evaluation for the side to move in the engine's own units; proven results as [`Score::raw`] has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval: Option<i32>,
    /// Depth of the last completed iteration, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Whether the move came from an opening book. A book move has neither depth nor nodes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub book: bool,
}

impl SearchInfo {
    /// Merges the values of one message; later messages override earlier ones.
    ///
    /// The parser accepts words followed by a value, in any order and case, separated by blanks, `:`, `=`, `|` or `,`:
    /// `depth 12`, `depth 12-20`, `score 35`, `eval -7`, `ev +M9`, `nodes 12000`, `node 353K`, and `n 353K` after the
    /// depth. It ignores a message about a line other than the best (`multipv 2` and above). A message that begins with
    /// `book` marks a move from the opening book.
    pub fn read(&mut self, message: &str) {
        let separator = |c: char| c.is_whitespace() || matches!(c, '|' | ':' | '=' | ',');
        let mut words = message.split(separator).filter(|w| !w.is_empty()).peekable();
        let mut found = SearchInfo::default();
        if words.next_if(|word| word.eq_ignore_ascii_case("book")).is_some() {
            (self.book, self.depth, self.nodes) = (true, None, None);
        }
        while let Some(word) = words.next() {
            let Some(value) = words.peek() else { break };
            match word.to_ascii_lowercase().as_str() {
                "multipv" if value.parse::<u32>().is_ok_and(|rank| rank > 1) => return,
                "depth" | "ply" => found.depth = leading_number(value).or(found.depth),
                "eval" | "ev" | "score" => found.eval = evaluation(value).or(found.eval),
                // Tengen and Yixin write `depth 10-29 ev 31 n 60.0K`; elsewhere this letter may mean anything.
                "n" if found.depth.is_some() => found.nodes = count(value).or(found.nodes),
                "node" | "nodes" => found.nodes = count(value).or(found.nodes),
                // The remaining words are a list of moves with arbitrary content.
                "pv" | "line" | "bestline" => break,
                _ => {}
            }
        }
        self.eval = found.eval.or(self.eval);
        if !self.book {
            self.depth = found.depth.or(self.depth);
            self.nodes = found.nodes.or(self.nodes);
        }
    }
}

fn leading_number(word: &str) -> Option<u32> {
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    word.get(..end)?.parse().ok()
}

/// Parses a number, or a win or loss in plies: `+M5`, `-M6`, `M5`.
fn evaluation(word: &str) -> Option<i32> {
    let (negative, rest) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    if let Some(plies) = rest.strip_prefix(['M', 'm', '#']) {
        let plies = plies.parse::<i32>().ok().filter(|n| (0..=Score::MAX_PLY).contains(n))?;
        return Some(if negative { Score::loss_in(plies) } else { Score::win_in(plies) }.raw());
    }
    let value = rest.parse::<f64>().ok().filter(|v| v.is_finite() && v.abs() < 1e9)?;
    // Only the `M` notation is a proven win; a plain number is a score in units, however large it is.
    Some(Score::units(if negative { -value } else { value } as i32).raw())
}

/// Parses a number with an optional suffix K, M or G (powers of a thousand).
fn count(word: &str) -> Option<u64> {
    let (digits, unit) = match word.char_indices().next_back()? {
        (at, 'K' | 'k') => (word.get(..at)?, 1e3),
        (at, 'M' | 'm') => (word.get(..at)?, 1e6),
        (at, 'G' | 'g') => (word.get(..at)?, 1e9),
        _ => (word, 1.0),
    };
    if unit == 1.0 {
        return digits.parse().ok();
    }
    let value = digits.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0)?;
    Some((value * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(messages: &[&str]) -> SearchInfo {
        let mut note = SearchInfo::default();
        messages.iter().for_each(|m| note.read(m));
        note
    }

    #[test]
    fn own_and_foreign_messages_are_understood() {
        let own = read(&["depth 3 score 20 nodes 400 pv h8", "depth 12 score -35 nodes 120000 pv h8 i9 depth 4"]);
        assert_eq!(own, SearchInfo { eval: Some(-35), depth: Some(12), nodes: Some(120_000), book: false });
        let other = read(&["Speed 353K | Depth 16-26 | Eval 6 | Node 1234K | Time 123ms"]);
        assert_eq!(other, SearchInfo { eval: Some(6), depth: Some(16), nodes: Some(1_234_000), book: false });
        let tengen = read(&["depth 10-29 ev -310 n 60.0K n/ms 234 tm 256 pv k9 i10 j8"]);
        assert_eq!(tengen, SearchInfo { eval: Some(-310), depth: Some(10), nodes: Some(60_000), book: false });
        let book = read(&["depth 20-20 eval 7 nodes 0", "book eval -3 depth 20"]);
        assert_eq!(book, SearchInfo { eval: Some(-3), depth: None, nodes: None, book: true });
        assert_eq!(read(&["depth 9-9 multipv 2 ev 77"]), SearchInfo::default());
        assert_eq!(read(&["depth 4 ev +M5"]).eval, Some(Score::win_in(5).raw()));
        assert_eq!(read(&["depth 4 score -M6"]).eval, Some(Score::loss_in(6).raw()));
        assert_eq!(read(&["eval 1000000"]).eval, Some(Score::EVAL_LIMIT));
    }

    #[test]
    fn chatter_says_nothing() {
        for text in
            ["", "depth", "score", "eval zero", "node -3", "depth x", "ev M99999999999", "nodes 1e999K", "é=é", "n 5"]
        {
            assert_eq!(read(&[text]), SearchInfo::default(), "{text}");
        }
    }
}
