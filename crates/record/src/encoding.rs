//! Decodes the bytes of a file into text.
//!
//! A character set that the file names is used. Otherwise the text is UTF-8, UTF-16 with a byte order mark, or, if the
//! bytes are neither, in the detected character set; a warning then states the assumption.

use crate::text::clean;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_2022_JP, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
};
use std::borrow::Cow;

/// A character set.
pub(super) type Charset = &'static Encoding;

/// The character set with this name, which may be a name that only Windows uses.
pub(super) fn of_name(name: &str) -> Option<Charset> {
    let known = Encoding::for_label_no_replacement(name.as_bytes());
    known.or_else(|| match name.trim().to_ascii_lowercase().replace(['-', '_', ' '], "").as_str() {
        "cp932" | "ms932" | "shiftjis" | "sjis" => Some(SHIFT_JIS),
        "cp936" | "ms936" | "gb" | "gb2312" | "gbk" => Some(GBK),
        "cp949" | "ms949" => Some(EUC_KR),
        "cp950" | "ms950" | "big5" => Some(BIG5),
        "eucjp" | "ujis" => Some(EUC_JP),
        "utf8" => Some(UTF_8),
        _ => None,
    })
}

/// Whether bytes that look like ASCII cannot be text in this character set.
fn is_wide(charset: Charset) -> bool {
    charset == UTF_16LE || charset == UTF_16BE || charset == REPLACEMENT
}

/// Detects the character set: UTF-8 if the bytes are valid, otherwise by the frequency of characters.
pub(super) fn detect<'a>(texts: impl IntoIterator<Item = &'a [u8]> + Clone) -> Charset {
    if texts.clone().into_iter().all(|text| std::str::from_utf8(text).is_ok()) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for text in texts {
        detector.feed(text, false);
        // Separates the texts, so that no word spans two of them.
        detector.feed(b"\n", false);
    }
    detector.feed(b"", true);
    detector.guess(None, Utf8Detection::Deny)
}

/// The warning about a file whose character set was assumed.
pub(super) fn assumed(charset: Charset) -> String {
    format!("the file names no character set, and the text is not UTF-8: read as {}", charset.name())
}

/// Decoded text, and a warning about what was assumed.
pub(super) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    pub warning: Option<String>,
}

/// Decodes the texts of a file that names no character set.
#[derive(Clone, Copy, Debug)]
pub struct TextDecoder(Charset);

impl TextDecoder {
    /// Texts in UTF-8.
    pub const UTF_8: TextDecoder = TextDecoder(UTF_8);

    /// Detects the character set of some texts of the file.
    pub fn detect(samples: &[&[u8]]) -> TextDecoder {
        TextDecoder(detect(samples.iter().copied()))
    }

    /// The name of the character set.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// A text, without control characters.
    pub fn decode(self, bytes: &[u8]) -> String {
        clean(&self.0.decode_without_bom_handling(bytes).0)
    }
}

/// Decodes a whole file.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some(text) = marked(bytes) {
        return Decoded { text, warning: None };
    }
    let charset = detect([bytes]);
    let warning = (charset != UTF_8).then(|| assumed(charset));
    Decoded { text: charset.decode_without_bom_handling(bytes).0, warning }
}

/// Decodes bytes by the name of their character set.
pub(super) fn decode_named<'a>(bytes: &'a [u8], name: &str) -> Decoded<'a> {
    match of_name(name).filter(|charset| !is_wide(charset)) {
        Some(charset) if marked(bytes).is_none() => decode_as(bytes, charset),
        _ => decode(bytes),
    }
}

/// Decodes text with a byte order mark of UTF-8 or UTF-16, and UTF-16 without one that begins with two ASCII
/// characters.
pub(super) fn marked(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let is_sign = |byte: &u8| byte.is_ascii_graphic();
    let charset = match bytes {
        [0xEF, 0xBB, 0xBF, ..] | [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Encoding::for_bom(bytes)?.0,
        [a, 0, b, 0, ..] if is_sign(a) && is_sign(b) => UTF_16LE,
        [0, a, 0, b, ..] if is_sign(a) && is_sign(b) => UTF_16BE,
        _ => return None,
    };
    Some(charset.decode(bytes).0)
}

/// Decodes bytes by the character set that the file names, or by the detected one if the named one does not fit.
pub(super) fn decode_as(bytes: &[u8], charset: Charset) -> Decoded<'_> {
    let (text, wrong) = charset.decode_without_bom_handling(bytes);
    // Text in another character set is hardly ever valid UTF-8 with two characters of three bytes.
    let is_wide_utf8 =
        || std::str::from_utf8(bytes).is_ok_and(|text| text.chars().filter(|c| c.len_utf8() > 2).nth(1).is_some());
    if !wrong && (charset == UTF_8 || !is_wide_utf8()) {
        return Decoded { text, warning: None };
    }
    let other = detect([bytes]);
    let (other_text, other_wrong) = other.decode_without_bom_handling(bytes);
    let named = charset.name();
    if other_wrong || other == charset {
        let warning = format!("some bytes of the text are not {named}, which the file names: they are lost");
        return Decoded { text, warning: Some(warning) };
    }
    let warning = format!("the text is not {named}, which the file names: read as {}", other.name());
    Decoded { text: other_text, warning: Some(warning) }
}

/// Number of bytes of the first character, as far as the search for ASCII characters needs it: in some character sets
/// the second byte of a character may look like ASCII.
pub(super) fn width(charset: Charset, bytes: &[u8]) -> usize {
    let [first, second, ..] = *bytes else { return 1 };
    let pairs = [GBK, GB18030, BIG5, EUC_KR, EUC_JP].contains(&charset);
    let leads = match first {
        0x81..=0x9F | 0xE0..=0xFC => pairs || charset == SHIFT_JIS,
        0xA0..=0xDF | 0xFD..=0xFE => pairs,
        // Between two escape sequences all characters are pairs of bytes.
        0x1B if charset == ISO_2022_JP && second == b'$' => {
            let end = bytes.windows(2).skip(1).position(|pair| pair == [0x1B, b'(']);
            return end.map_or(bytes.len(), |end| end + 1);
        }
        _ => false,
    };
    if leads && second >= 0x30 { 2 } else { 1 }
}

/// The character set that the first node of an SGF game names in `CA`, or the name if it is unknown. The bytes begin
/// with the game.
pub(super) fn of_sgf(game: &[u8]) -> Option<Result<Charset, String>> {
    // The node ends where the next begins: at a semicolon after a bracket.
    let mut last = b';';
    let mut at = game.iter().position(|byte| *byte == b';')? + 1;
    while let Some(byte) = game.get(at) {
        if *byte == b';' && matches!(last, b']' | b'(' | b')') {
            return None;
        }
        let is_name = |rest: &[u8]| rest.starts_with(b"CA[") && !last.is_ascii_uppercase();
        if is_name(&game[at..]) {
            let rest = &game[at + 3..];
            let name = &rest[..rest.iter().position(|byte| *byte == b']')?];
            let name = String::from_utf8_lossy(name).trim().to_owned();
            return match of_name(&name) {
                // The name was readable as ASCII, so the text is not in a wide character set.
                Some(charset) if is_wide(charset) => None,
                Some(charset) => Some(Ok(charset)),
                None if name.is_empty() => None,
                None => Some(Err(name)),
            };
        }
        if !byte.is_ascii_whitespace() {
            last = *byte;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1251;

    fn told(bytes: &[u8]) -> (String, Option<String>) {
        let decoded = decode(bytes);
        (decoded.text.into_owned(), decoded.warning)
    }

    #[test]
    fn marks_and_plain_text() {
        assert_eq!(told("a\u{e9}".as_bytes()), ("a\u{e9}".into(), None));
        assert_eq!(told(b"\xEF\xBB\xBFa"), ("a".into(), None));
        assert_eq!(told(b"\xFF\xFEa\0\xe9\0"), ("a\u{e9}".into(), None));
        assert_eq!(told(b"\xFE\xFF\0a"), ("a".into(), None));
        assert_eq!(told(b"(\0;\0\xe9\0"), ("(;\u{e9}".into(), None));
    }

    /// Text that is not UTF-8 is decoded by detection, with a warning.
    #[test]
    fn other_character_sets_are_detected() {
        for (charset, text) in [
            (GBK, "五子棋比赛记录：黑方在天元开局，白方应以花月"),
            (SHIFT_JIS, "連珠の棋譜を公開しています。先手は花月を打ちました"),
            (BIG5, "五子棋比賽記錄：黑方在天元開局，白方應以花月"),
            (EUC_KR, "오목 경기 기록입니다 흑이 먼저 두었습니다"),
            (WINDOWS_1251, "Запись партии в рендзю, чёрные начинают и выигрывают"),
        ] {
            let (bytes, _, lost) = charset.encode(text);
            assert!(!lost && std::str::from_utf8(&bytes).is_err());
            let (read, warning) = told(&bytes);
            assert_eq!(read, text, "{}", charset.name());
            assert!(warning.is_some_and(|warning| warning.contains(charset.name())));
        }
        let (text, warning) = told(b"f\xf6rbjuden punkt");
        assert_eq!((text.as_str(), warning.is_some()), ("förbjuden punkt", true));
    }

    #[test]
    fn names_of_character_sets() {
        for (name, charset) in [
            ("Shift_JIS", SHIFT_JIS),
            ("shift-jis", SHIFT_JIS),
            ("CP932", SHIFT_JIS),
            ("GB2312", GBK),
            (" gbk ", GBK),
            ("Big5", BIG5),
            ("UTF8", UTF_8),
            ("UTF-8", UTF_8),
        ] {
            assert_eq!(of_name(name), Some(charset), "{name}");
        }
        assert_eq!(of_name("Klingon"), None);
        let of = |text: &[u8]| of_sgf(text).map(|found| found.map(Encoding::name));
        assert_eq!(of(b"(;PW[\x95\x5c]CA[Shift_JIS];B[hh])"), Some(Ok("Shift_JIS")));
        assert_eq!(of(b"(;XCA[Big5];B[hh]CA[Big5])"), None, "only the first node names it");
        assert_eq!(of(b"(;CA[Klingon])"), Some(Err("Klingon".to_owned())));
        assert_eq!(of(b"(;CA[UTF-16])"), None);
    }

    /// A wrong name gives a warning and the detected character set.
    #[test]
    fn a_wrong_name_is_warned_of() {
        let decoded = decode_as("白石".as_bytes(), SHIFT_JIS);
        assert_eq!(decoded.text, "白石");
        assert!(decoded.warning.is_some_and(|w| w.contains("not Shift_JIS") && w.contains("UTF-8")));
        assert!(decode_as(b"\x95\x5c", SHIFT_JIS).warning.is_none());
    }
}
