//! Gomocup's rule numbers in records and position files.

use tengen::rules::Rule;

/// Gomocup's number of a rule: the inverse of [`rule_of_code`].
pub const fn code_of_rule(rule: Rule) -> u8 {
    match rule {
        Rule::Freestyle => 0,
        Rule::Standard => 1,
        Rule::Renju => 4,
        Rule::Caro => 8,
        Rule::CaroExact => 9,
    }
}

/// The rule with this Gomocup number.
pub const fn rule_of_code(code: u8) -> Option<Rule> {
    match code {
        0 => Some(Rule::Freestyle),
        1 => Some(Rule::Standard),
        4 => Some(Rule::Renju),
        8 => Some(Rule::Caro),
        9 => Some(Rule::CaroExact),
        _ => None,
    }
}
