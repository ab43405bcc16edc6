//! The known keys of `INFO` and their values. An engine ignores keys that it does not know, so a mistyped setting would
//! go unnoticed for a whole match.

use crate::nearest::nearest;
use std::fmt;
use std::ops::RangeInclusive;
use tengen::protocol::Key;

/// Values that a key accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A whole number.
    Number(RangeInclusive<i64>),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any nonempty text.
    Text,
}

/// The largest table size that can be requested, in KB.
const MOST_KB: i64 = 1 << 40;

/// On or off.
const SWITCH: Value = Value::Number(0..=1);

/// Keys that can be set: those of this engine, and those of other known engines and boards. Values of the latter are
/// checked as far as they are known.
const KEYS: [(&str, Value); 27] = [
    ("evaluation", Value::Word(&["network", "classical"])),
    ("nnue_file", Value::Text),
    (Key::HashSize.name(), Value::Number(0..=MOST_KB)),
    (Key::Book.name(), SWITCH),
    (Key::RootParallel.name(), SWITCH),
    (Key::ShowDetail.name(), Value::Number(0..=3)),
    (Key::ShowMessage.name(), SWITCH),
    ("folder", Value::Text),
    ("caution_factor", Value::Number(0..=5)),
    ("pondering", SWITCH),
    ("auto_pondering", SWITCH),
    ("checkmate", Value::Number(0..=2)),
    ("vcthread", Value::Number(0..=2)),
    ("nbestsym", SWITCH),
    ("nbest_sym", SWITCH),
    ("usedatabase", SWITCH),
    ("database_readonly", SWITCH),
    ("strength", Value::Number(0..=100)),
    ("start_depth", Value::Number(0..=1000)),
    ("thread_split_depth", Value::Number(0..=1000)),
    ("max_moves", Value::Number(0..=10_000)),
    ("protocol_lag", Value::Number(0..=1_000_000)),
    ("swapable", SWITCH),
    ("draw_result", Value::Text),
    ("search_type", Value::Text),
    ("analysis_mode", Value::Text),
    ("style", Value::Text),
];

/// Keys that the referee sends, and the setting that determines their values.
const REFEREE: [(&str, &str); 10] = [
    (Key::TimeoutTurn.name(), "st=SECONDS"),
    (Key::TimeoutMatch.name(), "tc=SECONDS"),
    (Key::TimeLeft.name(), "tc=SECONDS"),
    (Key::TimeIncrement.name(), "tc=SECONDS+INCREMENT"),
    (Key::MaxMemory.name(), "memory=BYTES"),
    (Key::MaxNode.name(), "nodes=N"),
    (Key::MaxDepth.name(), "depth=N"),
    (Key::ThreadNum.name(), "threads=N"),
    (Key::Rule.name(), "--rule RULE"),
    ("game_type", "nothing: it is always 1"),
];

/// Error in an `INFO` setting that probably is a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InfoError {
    /// No known engine has this key. Contains the most similar known key.
    Unknown(String, Option<&'static str>),
    /// The referee sends this key. Contains the setting that determines its value.
    Referee(&'static str, &'static str),
    /// The key does not accept this value. Contains the accepted values.
    Value(&'static str, String),
}

impl fmt::Display for InfoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InfoError::Unknown(key, nearest) => {
                write!(f, "no engine is known to have {key}; ")?;
                nearest.map_or(Ok(()), |name| write!(f, "did you mean {name}? "))?;
                write!(f, "raw.{key}= sends it as it is")
            }
            InfoError::Referee(key, setting) => write!(f, "the referee sends {key}; what decides it is {setting}"),
            InfoError::Value(key, expected) => write!(f, "{key} is {expected}"),
        }
    }
}

impl std::error::Error for InfoError {}

/// Checks a key and its value.
///
/// # Errors
/// See [`InfoError`].
pub fn check(key: &str, value: &str) -> Result<(), InfoError> {
    let (key, value) = (key.to_ascii_lowercase(), value.trim());
    if let Some((name, setting)) = REFEREE.into_iter().find(|(name, _)| *name == key) {
        return Err(InfoError::Referee(name, setting));
    }
    let Some((name, takes)) = KEYS.into_iter().find(|(name, _)| *name == key) else {
        let all = KEYS.iter().map(|(name, _)| *name).chain(REFEREE.map(|(name, _)| name));
        let close = nearest(&key, all);
        return Err(InfoError::Unknown(key, close));
    };
    let expected = match takes {
        Value::Number(range) if value.parse().is_ok_and(|n: i64| range.contains(&n)) => return Ok(()),
        Value::Word(words) if words.contains(&value.to_ascii_lowercase().as_str()) => return Ok(()),
        Value::Text if !value.is_empty() => return Ok(()),
        Value::Number(range) if *range.end() == MOST_KB => "a whole number that is not negative".to_owned(),
        Value::Number(range) => format!("a whole number from {} to {}", range.start(), range.end()),
        Value::Word(words) => words.join(" or "),
        Value::Text => "not empty".to_owned(),
    };
    Err(InfoError::Value(name, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_this_engine_is_known() {
        for key in Key::ALL {
            let known = KEYS.iter().any(|(name, _)| *name == key.name());
            assert!(known != REFEREE.iter().any(|(name, _)| *name == key.name()), "{key:?}");
        }
    }

    #[test]
    fn typos_of_keys_and_values_are_refused() {
        for (key, value) in [("evaluation", "classical"), ("Book", "0"), ("hash_size", "65536"), ("nnue_file", "a b")] {
            assert_eq!(check(key, value), Ok(()), "{key}={value}");
        }
        let message = |key: &str, value: &str| check(key, value).expect_err("a typo").to_string();
        assert_eq!(message("evaluation", "clasical"), "evaluation is network or classical");
        assert_eq!(
            message("evalution", "classical"),
            "no engine is known to have evalution; did you mean evaluation? raw.evalution= sends it as it is"
        );
        assert_eq!(message("foo", "3"), "no engine is known to have foo; raw.foo= sends it as it is");
        assert_eq!(message("book", "off"), "book is a whole number from 0 to 1");
        assert_eq!(message("book", "2"), "book is a whole number from 0 to 1");
        assert_eq!(message("hash_size", "64M"), "hash_size is a whole number that is not negative");
        assert_eq!(message("nnue_file", ""), "nnue_file is not empty");
        assert_eq!(message("timeout_turn", "500"), "the referee sends timeout_turn; what decides it is st=SECONDS");
    }
}
