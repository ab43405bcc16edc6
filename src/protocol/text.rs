//! Reading words and numbers from lines of arbitrary bytes.

use crate::engine::Point;

/// What separates words: blanks, tabs, line ends, and the NUL bytes that some pipes deliver.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | 0)
}

/// The text without blanks at either end.
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

/// A decimal integer with an optional sign, saturating; `None` for anything else.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
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

/// Integers between commas, blanks allowed around each; `None` if a field is not an integer.
pub(super) fn comma_integers(text: &[u8]) -> Option<Vec<i64>> {
    text.split(|b| *b == b',').take(8).map(|field| integer(trim(field))).collect()
}

/// Integers between blanks or commas.
pub(super) fn loose_integers(text: &[u8]) -> Option<Vec<i64>> {
    text.split(|b| *b == b',' || is_blank(*b)).filter(|field| !field.is_empty()).take(8).map(integer).collect()
}

/// The point with these coordinates, if the largest board has it.
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

/// Bytes as text; invalid UTF-8 is replaced.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
