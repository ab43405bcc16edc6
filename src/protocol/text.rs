//! Parses words and numbers from lines of arbitrary bytes.

use crate::engine::Point;

/// Separators of words: blanks, tabs, line endings, and the NUL bytes that some pipes deliver.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | 0)
}

/// The text without separators at either end.
pub(super) fn trim(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_blank(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_blank(*last)
    {
        text = rest;
    }
    text
}

/// The first word and what follows it, trimmed.
pub(super) fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = trim(text);
    let end = text.iter().position(|b| is_blank(*b)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, trim(rest))
}

/// The number at the start of a text, as an integer; the rest of the text is ignored. A fraction is rounded, but never
/// to 0, because 0 has a special meaning wherever a number is expected. `None` if the text does not start with a
/// number.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let (prefix, is_integer) = numeric_prefix(trim(text))?;
    if is_integer {
        return integer(prefix);
    }
    let value = std::str::from_utf8(prefix).ok()?.parse::<f64>().ok()?;
    let whole = if value.abs() < 1.0 { value.signum() * value.abs().ceil() } else { value.round() };
    // No i64 is below what `integer` gives.
    Some((whole as i64).max(-i64::MAX))
}

/// The longest prefix of a text that is a number, and whether it consists only of a sign and digits.
fn numeric_prefix(text: &[u8]) -> Option<(&[u8], bool)> {
    let digits = |from: usize| text.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let at = |index: usize| text.get(index).copied();
    let sign = usize::from(matches!(at(0), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    if at(end) == Some(b'.') && whole + digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    } else if whole == 0 {
        return None;
    }
    if matches!(at(end), Some(b'e' | b'E')) {
        let start = end + 1 + usize::from(matches!(at(end + 1), Some(b'+' | b'-')));
        if digits(start) > 0 {
            end = start + digits(start);
        }
    }
    Some((text.get(..end)?, end == sign + whole))
}

/// Sizes separated by blanks or commas, up to the first word that does not start with a number; `None` if one has a
/// fraction.
pub(super) fn sizes(text: &[u8]) -> Option<Vec<i64>> {
    let words = text.split(|b| *b == b',' || is_blank(*b)).filter(|word| !word.is_empty()).take(8);
    let whole = |word: &[u8]| {
        let (prefix, is_integer) = numeric_prefix(word)?;
        let is_whole = || std::str::from_utf8(prefix).ok()?.parse::<f64>().ok().map(|value| value.fract() == 0.0);
        Some((is_integer || is_whole()?).then(|| number(word)).flatten())
    };
    words.map_while(whole).collect()
}

/// A decimal integer with an optional sign, saturating; `None` for anything else, because coordinates are parsed
/// strictly.
fn integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude =
        digits.iter().fold(0i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    Some(if negative { -magnitude } else { magnitude })
}

/// Integers separated by commas, with optional blanks around each; `None` if a field is not an integer.
pub(super) fn comma_integers(text: &[u8]) -> Option<Vec<i64>> {
    text.split(|b| *b == b',').take(8).map(|field| integer(trim(field))).collect()
}

/// The point with these coordinates, if it lies on the largest board.
pub(super) fn point(x: i64, y: i64) -> Option<Point> {
    Point::new(u8::try_from(x).ok()?, u8::try_from(y).ok()?)
}

/// `x,y` as a point of the largest board.
pub(super) fn coordinates(text: &[u8]) -> Option<Point> {
    match comma_integers(text)?.as_slice() {
        [x, y] => point(*x, *y),
        _ => None,
    }
}

/// The start of a text, in quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.chars().take(40).collect::<String>())
}

/// Bytes as text; invalid UTF-8 is replaced.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        let cases: [(&str, i64); 27] = [
            ("500", 500),
            ("500.0", 500),
            ("300.7", 301),
            ("300.2", 300),
            ("-2.5", -3),
            ("3e2", 300),
            ("3E+2", 300),
            ("2.5e1", 25),
            ("1e-3", 1),
            ("0.2", 1),
            ("-0.2", -1),
            ("0.0", 0),
            ("-0", 0),
            ("300 extra", 300),
            ("300ms", 300),
            ("300,5", 300),
            ("5 5", 5),
            ("12e", 12),
            ("12e+", 12),
            ("1.", 1),
            (".5", 1),
            ("+7", 7),
            (" \t 8 ", 8),
            ("0x10", 0),
            ("99999999999999999999999", i64::MAX),
            ("-1e300", -i64::MAX),
            ("1e999", i64::MAX),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text.as_bytes()), Some(expected), "{text}");
        }
        for text in ["", " ", "abc", ".", "-", "+", "e5", "-.", "--1", "ms300", "inf", "NaN", "\u{663}"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_whole() {
        let read = |text: &str| sizes(text.as_bytes());
        assert_eq!(read("15"), Some(vec![15]));
        assert_eq!(read("15.0 x"), Some(vec![15]));
        assert_eq!(read("1.5e1"), Some(vec![15]));
        assert_eq!(read("20 , 12x 7"), Some(vec![20, 12, 7]));
        assert_eq!(read("15abc"), Some(vec![15]));
        assert_eq!(read("abc 15"), Some(Vec::new()));
        assert_eq!(read("15.5"), None);
        assert_eq!(read("15 12.5"), None);
    }
}
