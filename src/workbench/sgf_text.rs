//! How SGF, the Smart Game Format, writes points and text.

use crate::board::Point;

/// The two letters of a point.
pub fn sgf_letters(point: Point) -> String {
    [point.x(), point.y()].map(|n| char::from(b'a' + n)).iter().collect()
}

/// Text as a value: `]` and `\` are escaped.
pub fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_text() {
        assert_eq!(sgf_letters(Point::at(7, 2)), "hc");
        assert_eq!(escape("a]b\\"), "a\\]b\\\\");
    }
}
