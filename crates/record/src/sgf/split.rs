//! Finds the games of an SGF file and the character set of each.
//!
//! Brackets alone delimit a game, so that a fault in one game does not affect the others.

use crate::encoding::{Charset, Decoded, decode_as, detect, of_sgf, width};
use encoding_rs::UTF_8;
use std::borrow::Cow;

/// A game of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// The game and its brackets. If the closing bracket is missing, it extends to the next game.
    pub bytes: &'a [u8],
    /// The line on which it begins, from 1.
    pub line: usize,
    charset: Charset,
}

impl Part<'_> {
    /// The game's text.
    pub fn decode(&self) -> Decoded<'_> {
        if self.charset == UTF_8
            && let Ok(text) = std::str::from_utf8(self.bytes)
        {
            return Decoded { text: Cow::Borrowed(text), warning: None };
        }
        decode_as(self.bytes, self.charset)
    }
}

/// Splits a file into its games.
pub(super) struct Splitter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Whether one character set holds for the whole file, regardless of what its games name.
    fixed: bool,
    /// The character set of games that name none; `None` until it is detected.
    detected: Option<Charset>,
    /// The assumed character set. The fields below have the names of unknown character sets and the line of skipped
    /// text.
    pub assumed: Option<Charset>,
    pub unknown: Vec<String>,
    pub skipped: Option<usize>,
}

impl<'a> Splitter<'a> {
    /// Starts at the beginning of a file. `fixed`: its text has already been decoded.
    pub fn new(bytes: &'a [u8], fixed: bool) -> Splitter<'a> {
        Splitter { bytes, at: 0, line: 1, fixed, detected: None, assumed: None, unknown: Vec::new(), skipped: None }
    }

    /// The character set of the game that begins here.
    fn charset(&mut self) -> Charset {
        if self.fixed {
            return UTF_8;
        }
        match of_sgf(&self.bytes[self.at..]) {
            Some(Ok(charset)) => return charset,
            Some(Err(name)) if self.unknown.len() < 3 && !self.unknown.contains(&name) => self.unknown.push(name),
            _ => {}
        }
        let bytes = self.bytes;
        let detected = *self.detected.get_or_insert_with(|| detect([bytes]));
        if detected != UTF_8 {
            self.assumed = Some(detected);
        }
        detected
    }

    /// Advances to a byte and counts the lines.
    fn go(&mut self, to: usize) {
        self.line += self.bytes[self.at..to].iter().filter(|byte| **byte == b'\n').count();
        self.at = to;
    }

    /// The end of the game that begins here, after its last bracket. If that bracket is missing, the start of the next
    /// game.
    fn end(&self, charset: Charset) -> usize {
        let (mut depth, mut inside, mut at) = (0_usize, false, self.at);
        // A game on a line of its own inside a value: the value's closing bracket is missing. A quoted game has
        // backslashes before its brackets.
        let mut begun = None;
        while let Some(byte) = self.bytes.get(at) {
            let step = width(charset, &self.bytes[at..]);
            match byte {
                _ if step > 1 => {}
                b'\\' if inside => {
                    begun = None;
                    at += 1;
                    at += self.bytes.get(at..).map_or(0, |rest| width(charset, rest));
                    continue;
                }
                b']' => match begun {
                    Some(next) if inside => return next,
                    _ => inside = false,
                },
                b'(' if inside && begun.is_none() && self.is_root(at) => begun = Some(at),
                _ if inside => {}
                b'[' => (inside, begun) = (true, None),
                b'(' => depth += 1,
                b')' if depth == 1 => return at + 1,
                b')' => depth -= 1,
                _ => {}
            }
            at += step;
        }
        self.next_root()
    }

    /// Whether a game begins here on a line of its own, with a first node that looks like one.
    fn is_root(&self, at: usize) -> bool {
        let before = self.bytes[..at].iter().rev().find(|byte| **byte != b' ' && **byte != b'\t');
        if !matches!(before, Some(b'\n' | b'\r')) || !begins(&self.bytes[at + 1..]) {
            return false;
        }
        let node = &self.bytes[at..];
        let node = &node[..node.len().min(1000)];
        let node = &node[..node.iter().skip(3).position(|byte| *byte == b';').map_or(node.len(), |end| end + 3)];
        [b"GM[", b"FF[", b"SZ["].iter().any(|name| node.windows(3).any(|window| window == *name))
    }

    /// The start of the next game, from a byte on.
    fn begin(&self, from: usize) -> Option<usize> {
        let is_begin = |at: &usize| self.bytes[*at] == b'(' && begins(&self.bytes[*at + 1..]);
        (from..self.bytes.len()).find(is_begin)
    }

    /// The start of the next game whose first node looks like a root, for a game without an end.
    fn next_root(&self) -> usize {
        let mut from = self.at + 1;
        while let Some(at) = self.begin(from) {
            if self.is_root(at) {
                return at;
            }
            from = at + 1;
        }
        self.bytes.len()
    }
}

/// Whether the text after an opening bracket is a game.
fn begins(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    let letters = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    match rest.first() {
        Some(b';') => true,
        // A game without a first node: it has only variations.
        Some(b'(') => rest[1..].trim_ascii_start().starts_with(b";"),
        _ => letters > 0 && rest.get(letters) == Some(&b'['),
    }
}

impl<'a> Iterator for Splitter<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let begin = self.begin(self.at).unwrap_or(self.bytes.len());
        // Text may stand between games. A bracket in it suggests that moves of a game are lost.
        if self.bytes[self.at..begin].contains(&b'[') && self.skipped.is_none() {
            self.skipped = Some(self.line);
        }
        self.go(begin);
        if begin == self.bytes.len() {
            return None;
        }
        let charset = self.charset();
        let end = self.end(charset);
        let part = Part { bytes: &self.bytes[begin..end], line: self.line, charset };
        self.go(end);
        Some(part)
    }
}
