//! Names of rules in files: our own, Gomocup's, and those of federations, servers and other programs.
//!
//! A file often names an opening rule, which belongs to a rule of play: Soosyrv-8 is renju, Swap2 is mostly standard.
//! Comparison ignores case, blanks and punctuation. A known name is also found inside a longer text: longer names come
//! first, and certain names come before likely ones. So `Renju15_1` and "RIF (Soosyrv-8)" are known.

use crate::text::rule_of_text;
use tengen::rules::Rule;

/// The meaning of a name in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// This rule.
    Known(Rule),
    /// Usually this rule, sometimes another.
    Likely(Rule),
    /// No known rule.
    Unknown,
}

/// The names in lower case, without blanks and punctuation.
const NAMES: [(Named, &[&str]); 6] = [
    (
        Named::Known(Rule::Renju),
        &[
            // The rule, and the opening rules of the Renju International Federation.
            "renju",
            "standardrenju",
            "openrenju",
            "rif",
            "rifrule",
            "oldrif",
            "yamaguchi",
            "soosyrv",
            "soosorv",
            "sosyrv",
            "taraguchi",
            "tarannikov",
            "tarannikovi",
            "sakata",
            "yamasyrv",
            "linhuan",
            "twoswap",
            "chinarenju",
            // Chinese: renju, with forbidden moves, three moves and a swap, several fifth moves.
            "有禁手",
            "有禁",
            "禁手",
            "连珠",
            "連珠",
            "五手两打",
            "五手二打",
            "五手兩打",
            "五手n打",
            "三手交换",
            "三手交換",
            "山口",
            "索索夫",
            "索索洛夫",
            "塔拉山口",
            "塔拉古奇",
            "塔拉古齐",
            "坂田",
            // Japanese, Russian, Korean.
            "禁じ手あり",
            "題数指定打ち",
            "珠型交替打ち",
            "ヤマグチ",
            "ソーソロフ",
            "タラグチ",
            "рендзю",
            "рэндзю",
            "ямагучи",
            "соосырв",
            "соосорв",
            "тарагучи",
            "таранников",
            "саката",
            "렌주",
            "야마구치",
            "타라구치",
            "수시르브",
        ],
    ),
    (
        Named::Known(Rule::Freestyle),
        &[
            "freestyle",
            "freestylegomoku",
            "gomokufreestyle",
            "freegomoku",
            "free",
            "fastgame",
            "norestriction",
            "noforbidden",
            "自由",
            "无禁手",
            "無禁手",
            "无禁",
            "無禁",
            "禁手なし",
            "禁じ手なし",
            "フリー",
            "свободные",
            "свободный",
            "фристайл",
            "자유",
        ],
    ),
    (
        Named::Known(Rule::Standard),
        &[
            "standard",
            "standardgomoku",
            "gomokustandard",
            "exactfive",
            "exactlyfive",
            "gomokunarabe",
            "标准五子棋",
            "標準",
            "标准",
            "スタンダード",
            "стандарт",
            "стандартный",
            "표준",
        ],
    ),
    (Named::Known(Rule::Caro), &["caro", "carogomoku", "gomokucaro", "cờcaro", "카로"]),
    // Opening rules of the federations' gomoku, in which six in a row do not win.
    (
        Named::Likely(Rule::Standard),
        &[
            "gomokupro",
            "longpro",
            "prolong",
            "pro",
            "swap",
            "swap1",
            "swap2",
            "gomokuswap",
            "gomokuswap2",
            "スワップ",
            "свап",
            "свап2",
            "스왑",
        ],
    ),
    // Programs with two rules use this name for the one that is not renju.
    (
        Named::Likely(Rule::Freestyle),
        &["gomoku", "gobang", "fiveinarow", "piskvorky", "五子棋", "五目並べ", "五目", "гомоку", "오목"],
    ),
];

/// The meaning of a name in a file; a number is a Gomocup number.
pub(super) fn of(name: &str) -> Named {
    if let Some(rule) = rule_of_text(name.trim()) {
        return Named::Known(rule);
    }
    let key = key(name);
    let all = || NAMES.iter().flat_map(|(named, names)| names.iter().map(move |name| (*named, *name)));
    if let Some((named, _)) = all().find(|(_, name)| *name == key) {
        return named;
    }
    // Short Latin words occur inside many others.
    let words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric()).map(self::key).filter(|word| !word.is_empty()).collect();
    let without_digits = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let holds = |name: &str| {
        let is_short = name.is_ascii() && name.len() < 5;
        if is_short { words.iter().any(|word| without_digits(word) == name) } else { key.contains(name) }
    };
    let is_sure = |named: Named| matches!(named, Named::Known(_));
    let longest = all().filter(|(_, name)| holds(name)).max_by_key(|(n, name)| (is_sure(*n), name.chars().count()));
    longest.map_or(Named::Unknown, |(named, _)| named)
}

/// Letters and digits in lower case.
fn key(name: &str) -> String {
    let lower = name.to_lowercase();
    lower.chars().filter(|c| c.is_alphanumeric()).map(|c| if c == 'õ' || c == 'ö' { 'o' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_public_files() {
        for name in [
            "renju",
            "Renju",
            "4",
            "RIF",
            "Old RIF rule",
            "Yamaguchi",
            "Soosyrv",
            "Soosyrv-8",
            "Soosõrv-8",
            "Taraguchi-10",
            "Taraguchi",
            "Tarannikov",
            "Sakata",
            "Yamasyrv-8",
            "LinHuan",
            "Renju15_1",
            "RIF (Soosyrv-7)",
            "有禁手",
            "连珠规则",
            "三手交换，五手两打",
            "連珠",
            "Рендзю",
            "Соосырв-8",
            "렌주 (기본)",
            "Standard Renju",
        ] {
            assert_eq!(of(name), Named::Known(Rule::Renju), "{name}");
        }
        for name in
            ["Freestyle", "freestyle gomoku", "Freestyle15_1", "Fastgame 20", "0", "无禁手", "無禁手五子棋", "free"]
        {
            assert_eq!(of(name), Named::Known(Rule::Freestyle), "{name}");
        }
        for name in ["Standard", "Standard15", "standard gomoku", "1", "标准"] {
            assert_eq!(of(name), Named::Known(Rule::Standard), "{name}");
        }
        assert_eq!(of("Caro15_2"), Named::Known(Rule::Caro));
        for name in ["Swap2", "Gomoku Swap2", "Gomoku-Pro", "Long Pro"] {
            assert_eq!(of(name), Named::Likely(Rule::Standard), "{name}");
        }
        for name in ["Gomoku", "五子棋", "five in a row"] {
            assert_eq!(of(name), Named::Likely(Rule::Freestyle), "{name}");
        }
        for name in ["", "Pente", "Japanese", "12", "Sheriff's rules", "carom", "Prolog"] {
            assert_eq!(of(name), Named::Unknown, "{name}");
        }
    }

    /// The name that we write for a rule is a known name of it.
    #[test]
    fn own_names() {
        for rule in Rule::ALL {
            assert_eq!(of(rule.name()), Named::Known(rule));
        }
    }

    #[test]
    fn each_name_stands_once_and_as_it_is_compared() {
        let mut names: Vec<&str> = NAMES.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let count = names.len();
        for name in &names {
            assert_eq!(key(name), *name);
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
