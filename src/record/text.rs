//! Text of files: what it means in bytes, and what of it is kept.

use super::rule_code::rule_of_code;
use crate::rules::Rule;

/// Bytes as text: UTF-8, UTF-16 with its mark, otherwise Windows-1252, which every byte has a meaning in. The flag
/// says that the last was a guess.
pub(super) fn decode(bytes: &[u8]) -> (String, bool) {
    let utf16 = |number: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| number([pair[0], pair[1]])).collect();
        (String::from_utf16_lossy(&units), false)
    };
    match bytes {
        [0xFF, 0xFE, ..] => utf16(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => utf16(u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => (text.trim_start_matches('\u{feff}').to_owned(), false),
            Err(_) => (bytes.iter().map(|byte| windows_1252(*byte)).collect(), true),
        },
    }
}

/// What is said of a file whose encoding was guessed.
pub(super) const GUESSED: &str = "the text is not UTF-8; it was read as Western European";

fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => FROM_80[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// Text for people: lines end in `\n`, and control characters other than that and the tabulator are dropped.
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

/// Text of one line, such as a name.
pub(super) fn clean_line(text: &str) -> String {
    clean(text).split(['\n', '\t']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, for an error about it.
pub(super) fn shortened(text: &str) -> String {
    clean_line(&text.chars().take(40).collect::<String>())
}

/// Joins two comments on one node: a file may have the same variation twice.
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
    fn encodings() {
        let text = |bytes: &[u8]| decode(bytes);
        assert_eq!(text("a\u{e9}".as_bytes()), ("a\u{e9}".into(), false));
        assert_eq!(text(b"\xEF\xBB\xBFa"), ("a".into(), false));
        assert_eq!(text(b"\xFF\xFEa\0\xe9\0"), ("a\u{e9}".into(), false));
        assert_eq!(text(b"\xFE\xFF\0a"), ("a".into(), false));
        assert_eq!(text(b"\xe9\x80"), ("\u{e9}\u{20ac}".into(), true));
    }

    #[test]
    fn control_characters_are_dropped() {
        assert_eq!(clean("a\r\nb\rc\td\u{1b}[31m\0\u{9b}"), "a\nb\nc\td[31m");
        assert_eq!(clean_line(" a\r\n\n b\u{7} "), "a b");
    }
}
