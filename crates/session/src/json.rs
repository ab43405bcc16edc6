//! The JSON form of types that other crates declare: sides, rules, verdicts, values. Inside, these types travel as they
//! are; names and texts exist only here.

use serde::{Deserialize, Serialize, Serializer};
use tengen::board::{BoardSize, Side};
use tengen::engine::{Means, RootState, ThreatKind, Verdict};
use tengen::opening::Choice;
use tengen::rules::Foul;
use tengen_analysis::review::Grade;
use tengen_record::Value;

/// Names of [`Means`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Means", rename_all = "snake_case")]
pub enum MeansName {
    Fours,
    Threats,
    Any,
}

/// Names of [`Verdict`].
#[derive(Serialize)]
#[serde(remote = "Verdict", rename_all = "snake_case")]
pub enum VerdictName {
    Win,
    None,
    Unknown,
}

/// Names of [`RootState`].
#[derive(Serialize)]
#[serde(remote = "RootState", rename_all = "snake_case")]
pub enum RootStateName {
    Searching,
    Searched,
    Lost,
    Best,
}

/// Names of [`ThreatKind`].
#[derive(Serialize)]
#[serde(remote = "ThreatKind", rename_all = "snake_case")]
pub enum ThreatKindName {
    Five,
    OpenFour,
    Four,
    Three,
}

/// The foul's name in words, in JSON and in sentences.
pub const fn foul_name(foul: Foul) -> &'static str {
    match foul {
        Foul::Overline => "overline",
        Foul::DoubleFour => "double four",
        Foul::DoubleThree => "double three",
    }
}

/// Writes the words of answers.
pub fn choices<S: Serializer>(choices: &[Choice], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(choices.iter().map(|choice| choice.name()))
}

/// Writes a foul by its name.
pub fn foul<S: Serializer>(foul: &Foul, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(foul_name(*foul))
}

/// Writes a foul by its name, or null.
pub fn foul_option<S: Serializer>(foul: &Option<Foul>, to: S) -> Result<S::Ok, S::Error> {
    foul.map(foul_name).serialize(to)
}

/// Writes a grade by its name, or null.
pub fn grade<S: Serializer>(grade: &Option<Grade>, to: S) -> Result<S::Ok, S::Error> {
    grade.map(Grade::name).serialize(to)
}

/// Writes a size as width and height.
pub fn size<S: Serializer>(size: &BoardSize, to: S) -> Result<S::Ok, S::Error> {
    (size.width(), size.height()).serialize(to)
}

/// Writes a value.
pub fn value<S: Serializer>(value: &Value, to: S) -> Result<S::Ok, S::Error> {
    ValueForm::from(value).serialize(to)
}

/// Writes a value, or null.
pub fn value_option<S: Serializer>(value: &Option<Value>, to: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(ValueForm::from).serialize(to)
}

/// A [`Value`] in JSON; its line is not part of it.
#[derive(Serialize)]
pub struct ValueForm {
    /// Black's win probability.
    win_rate: f64,
    /// Score for Black in evaluation units; absent for a proven value.
    score: Option<i32>,
    /// A proven win.
    win: Option<WinForm>,
    /// Completed iteration, in plies; 0 if nothing was searched.
    depth: u32,
    /// Nodes of the search.
    nodes: u64,
}

/// A proven win in JSON.
#[derive(Serialize)]
struct WinForm {
    /// The winner.
    #[serde(with = "side_name")]
    side: Side,
    /// Plies until the row is complete.
    plies: u32,
}

impl From<&Value> for ValueForm {
    fn from(value: &Value) -> ValueForm {
        let Value { win_rate, score, mate, depth, nodes, line: _ } = *value;
        ValueForm { win_rate, score, win: mate.map(|(side, plies)| WinForm { side, plies }), depth, nodes }
    }
}

/// Names of sides in JSON.
pub mod side_name {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use tengen::board::Side;

    pub fn serialize<S: Serializer>(side: &Side, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(side.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Side, D::Error> {
        side(&String::deserialize(from)?)
    }

    fn side<E: Error>(name: &str) -> Result<Side, E> {
        Side::from_name(name).ok_or_else(|| E::custom("expected black or white"))
    }

    pub mod option {
        use super::*;

        pub fn serialize<S: Serializer>(side: &Option<Side>, to: S) -> Result<S::Ok, S::Error> {
            match side {
                Some(side) => to.serialize_some(side.name()),
                None => to.serialize_none(),
            }
        }

        pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Side>, D::Error> {
            Option::<String>::deserialize(from)?.map(|name| side(&name)).transpose()
        }
    }
}

/// Names of rules in JSON.
pub mod rule_name {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use tengen::rules::Rule;

    pub fn serialize<S: Serializer>(rule: &Rule, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(rule.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Rule, D::Error> {
        let name = String::deserialize(from)?;
        let known = || Rule::ALL.into_iter().map(Rule::name).collect::<Vec<_>>().join(", ");
        Rule::from_name(&name).ok_or_else(|| D::Error::custom(format!("no such rule; there are {}", known())))
    }
}

/// Names of opening rules in JSON; the free opening is `none`.
pub mod opening_name {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use tengen::opening::OpeningRule;

    pub fn serialize<S: Serializer>(rule: &OpeningRule, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(if *rule == OpeningRule::Free { "none" } else { rule.name() })
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OpeningRule, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Words of answers in the opening.
pub mod choice_name {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use tengen::opening::Choice;

    pub fn serialize<S: Serializer>(choice: &Choice, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(choice.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Choice, D::Error> {
        let word = String::deserialize(from)?;
        Choice::from_name(&word).ok_or_else(|| D::Error::custom("expected stay, swap, two or ten"))
    }
}
