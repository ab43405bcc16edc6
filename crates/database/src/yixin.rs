//! The databases of Yixin and Rapfi (.db). Read only.
//!
//! The file may be packed as a frame of LZ4. Integers are little endian. It has the number of records (4 bytes), then
//! the records, each a key and a body with their lengths before them (2 bytes):
//!
//! | bytes | key |
//! |---|---|
//! | 1 | rule: 0 freestyle, 1 standard, 2 renju |
//! | 1, 1 | width, height |
//! | 2 each | stones, x and y from the top left: half of them, rounded up, are black and come first; -1, -1 is a pass |
//!
//! | bytes | body, which may end early |
//! |---|---|
//! | 1 | label: `w`, `l` or `d` for a win, loss or draw of the side that moved last, or another sign |
//! | 2 | score of the side to move; a win in n plies is 30000 - n |
//! | 2 | depth in the upper 14 bits, bound in the lower two: 1 upper, 2 lower, 3 exact |
//! | | text: texts on the board, `@BTXT@` and lines of two digits (base 36) and a text, up to a byte 8; the comment |
//!
//! An empty key has no body. A board of 0x0 has facts about the file as its text: `charset="UTF-8"`, without which the
//! character set is that of the computer that wrote it.

use crate::entry::{Entry, Evaluation};
use std::fmt;
use std::io::{self, BufReader, Read};
use tengen::board::{BoardSize, Point, Setup, Side};
use tengen::engine::{Bound, Score};
use tengen::rules::Rule;
use tengen_record::{Mark, TextDecoder};

/// The first bytes of a frame of LZ4.
const PACKED: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];
/// The text of the record about the file.
const UTF_8: &[u8] = b"charset=\"UTF-8\"";
/// The coordinates of a pass: -1.
const PASS: [u8; 2] = [0xFF; 2];
/// Begins texts on the board.
const BOARD_TEXTS: &[u8] = b"@BTXT@";
/// Separates the parts of a text, and the lines of old comments.
const SEPARATOR: u8 = 8;
/// Bytes of texts from which the character set is detected.
const SAMPLE: usize = 1 << 16;

/// Why a database cannot be read on.
#[derive(Debug)]
pub enum YixinError {
    /// It ends in this record, counted from 1, or does not unpack.
    Ends(u64, io::Error),
}

impl fmt::Display for YixinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            YixinError::Ends(0, error) => write!(f, "not a database of Yixin or Rapfi: {error}"),
            YixinError::Ends(record, error) => write!(f, "the file ends or is damaged at record {record}: {error}"),
        }
    }
}

impl std::error::Error for YixinError {}

/// A record: the position and what is said about it, or the reason why there is no such position.
pub(crate) type Found = Result<(Rule, Setup, Entry), &'static str>;

/// Reads a database and passes its records, each with its number from 1, to `take` until it returns false. The result
/// is the name of the character set of its texts, if it had to be detected.
pub(crate) fn read(bytes: &[u8], take: &mut dyn FnMut(u64, Found) -> bool) -> Result<Option<&'static str>, YixinError> {
    let (decoder, charset) = charset(bytes);
    records(bytes, &mut |number, key, body| {
        let is_fact = matches!(key, [_, 0, 0, ..]);
        is_fact || take(number, found(key, body, decoder))
    })?;
    Ok(charset)
}

/// The number of records that the file announces.
pub(crate) fn count(bytes: &[u8]) -> u64 {
    let mut count = [0; 4];
    opened(bytes).read_exact(&mut count).map_or(0, |()| u32::from_le_bytes(count).into())
}

fn opened(bytes: &[u8]) -> Box<dyn Read + '_> {
    if bytes.starts_with(&PACKED) {
        Box::new(BufReader::new(lz4_flex::frame::FrameDecoder::new(bytes)))
    } else {
        Box::new(bytes)
    }
}

/// Takes a record's number, key and body; false ends the reading.
type TakeBytes<'a> = &'a mut dyn FnMut(u64, &[u8], &[u8]) -> bool;

/// Passes the bytes of all records to `take`.
fn records(bytes: &[u8], take: TakeBytes<'_>) -> Result<(), YixinError> {
    let mut source = opened(bytes);
    let mut count = [0; 4];
    source.read_exact(&mut count).map_err(|error| YixinError::Ends(0, error))?;
    let count = u64::from(u32::from_le_bytes(count));
    let (mut key, mut body) = (Vec::new(), Vec::new());
    for number in 1..=count {
        let mut part = |into: &mut Vec<u8>| -> io::Result<()> {
            let mut length = [0; 2];
            source.read_exact(&mut length)?;
            into.resize(u16::from_le_bytes(length).into(), 0);
            source.read_exact(into)
        };
        let ends = |error| YixinError::Ends(number, error);
        part(&mut key).map_err(ends)?;
        if key.is_empty() {
            continue;
        }
        part(&mut body).map_err(ends)?;
        if !take(number, &key, &body) {
            break;
        }
    }
    Ok(())
}

/// The character set of the texts, and its name if it had to be detected.
fn charset(bytes: &[u8]) -> (TextDecoder, Option<&'static str>) {
    let (mut is_utf8, mut sample) = (false, Vec::new());
    // The error shows up when the records are read.
    let _ = records(bytes, &mut |_, key, body| {
        let text = body.get(5..).unwrap_or_default();
        is_utf8 |= matches!(key, [_, 0, 0, ..]) && text.starts_with(UTF_8);
        if std::str::from_utf8(text).is_err() && sample.len() < SAMPLE {
            sample.extend_from_slice(text);
            sample.push(b'\n');
        }
        !is_utf8
    });
    if is_utf8 || sample.is_empty() {
        return (TextDecoder::UTF_8, None);
    }
    let decoder = TextDecoder::detect(&[&sample]);
    (decoder, Some(decoder.name()))
}

fn found(key: &[u8], body: &[u8], decoder: TextDecoder) -> Found {
    let (rule, setup) = position(key)?;
    let size = setup.size;
    let word = |at: usize| body.get(at..at + 2).map_or(0, |bytes| i16::from_le_bytes([bytes[0], bytes[1]]));
    let label = body.first().copied().unwrap_or(0);
    let (marks, comment) = texts(size, body.get(5..).unwrap_or_default(), decoder);
    let mut entry = Entry { evaluation: evaluation(label, word(1), word(3)), marks, text: comment, ..Entry::default() };
    if !b"wWlLdD".contains(&label) && label.is_ascii_graphic() {
        let comment = std::mem::take(&mut entry.text);
        entry.text = format!("[{}] {comment}", char::from(label)).trim_end().to_owned();
    }
    Ok((rule, setup, entry))
}

fn position(key: &[u8]) -> Result<(Rule, Setup), &'static str> {
    let [rule, width, height, stones @ ..] = key else { return Err("its key is too short") };
    let rule =
        *[Rule::Freestyle, Rule::Standard, Rule::Renju].get(usize::from(*rule)).ok_or("there is no such rule")?;
    let size = BoardSize::new(*width, *height).ok_or("there is no such board")?;
    let black = (stones.len() / 2).div_ceil(2);
    let mut setup = Setup::empty(size);
    for (i, pair) in stones.chunks_exact(2).enumerate() {
        let side = if i < black { Side::Black } else { Side::White };
        if *pair != PASS {
            let point = size.point(pair[0].into(), pair[1].into()).ok_or("a stone is off the board")?;
            setup.stones.push((point, side));
        }
    }
    // A pass stands for a stone that is missing.
    setup.to_move = if (stones.len() / 2).is_multiple_of(2) { Side::Black } else { Side::White };
    setup.check().map_err(|_| "two stones are on one point")?;
    Ok((rule, setup))
}

fn evaluation(label: u8, score: i16, depth_bound: i16) -> Option<Evaluation> {
    let bound = match depth_bound & 3 {
        1 => Some(Bound::Upper),
        2 => Some(Bound::Lower),
        3 => Some(Bound::Exact),
        _ => None,
    };
    let raw = i32::from(score);
    let depth = (depth_bound >> 2).max(0).unsigned_abs().into();
    let is_sane = raw.abs() <= Score::WIN.raw();
    let own = bound.filter(|_| is_sane).map(|bound| {
        let score = if raw.abs() > Score::EVAL_LIMIT { Score::from_raw(raw) } else { Score::units(raw) };
        Evaluation { score, bound, depth, nodes: 0 }
    });
    // The number of plies is unknown if the score does not say it.
    let said = |is_win: bool| {
        let known = own.filter(|own| if is_win { own.score.is_win() } else { own.score.is_loss() });
        let (score, bound) = match is_win {
            true => (Score::win_in(Score::MAX_PLY), Bound::Lower),
            false => (Score::loss_in(Score::MAX_PLY), Bound::Upper),
        };
        Some(known.unwrap_or(Evaluation { score, bound, depth, nodes: 0 }))
    };
    match label.to_ascii_lowercase() {
        b'w' => said(false),
        b'l' => said(true),
        b'd' => Some(Evaluation { score: Score::ZERO, bound: Bound::Exact, depth, nodes: 0 }),
        _ => own,
    }
}

/// Texts on the board, and the comment.
fn texts(size: BoardSize, text: &[u8], decoder: TextDecoder) -> (Vec<(Point, Mark)>, String) {
    let (on_board, comment) = match text.strip_prefix(BOARD_TEXTS) {
        None => (&[][..], text),
        Some(rest) => match rest.iter().position(|byte| *byte == SEPARATOR) {
            Some(end) => (&rest[..end], &rest[end + 1..]),
            None => (rest, &[][..]),
        },
    };
    let mark = |line: &[u8]| {
        let [x, y, text @ ..] = line else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(36).and_then(|digit| i32::try_from(digit).ok());
        let text = decoder.decode(text).trim().to_owned();
        Some((size.point(digit(*x)?, digit(*y)?)?, Mark::Label(text)))
            .filter(|(_, mark)| *mark != Mark::Label(String::new()))
    };
    let marks = on_board.split(|byte| *byte == b'\n').filter_map(mark).collect();
    let lines: Vec<u8> = comment.iter().map(|byte| if *byte == SEPARATOR { b'\n' } else { *byte }).collect();
    (marks, decoder.decode(&lines).trim().to_owned())
}
