//! Cleans the text of files.

use crate::rule_code::rule_of_code;
use tengen::rules::Rule;

/// Text for people: lines end in `\n`, and control characters other than line break and tab are removed.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => cleaned.push('\n'),
            '\n' | '\t' => cleaned.push(c),
            c if c.is_control() => {}
            c => cleaned.push(c),
        }
    }
    cleaned
}

/// Text as one line, such as a name.
pub(super) fn clean_line(text: &str) -> String {
    clean(text).split(['\n', '\t']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, for an error message.
pub(super) fn shortened(text: &str) -> String {
    clean_line(&text.chars().take(40).collect::<String>())
}

/// Joins two comments on one node: a file may contain the same variation twice.
pub(super) fn append(comment: &mut String, more: &str) {
    if comment.is_empty() {
        comment.push_str(more);
    } else if !more.is_empty() && comment != more {
        comment.push('\n');
        comment.push_str(more);
    }
}

/// The name or Gomocup's number of a rule.
pub fn rule_of_text(text: &str) -> Option<Rule> {
    let named = Rule::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(text));
    named.or_else(|| text.parse().ok().and_then(rule_of_code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_dropped() {
        assert_eq!(clean("a\r\nb\rc\td\u{1b}[31m\0\u{9b}"), "a\nb\nc\td[31m");
        assert_eq!(clean_line(" a\r\n\n b\u{7} "), "a b");
    }
}
