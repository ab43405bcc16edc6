//! Finds the most similar valid name for a mistyped one.

/// The most similar name, if one is within the distance limit: one edit plus one for every four letters. An edit is a
/// wrong, missing or additional letter, or an exchange of two neighbours.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let distances = names.into_iter().map(|name| (strsim::damerau_levenshtein(&word, name), name));
    distances.filter(|(distance, _)| *distance <= 1 + word.chars().count() / 4).min().map(|(_, name)| name)
}

/// The end of an error message about an unknown name: the most similar name, or all valid names.
pub fn instead(word: &str, names: &[&str]) -> String {
    match nearest(word, names.iter().copied()) {
        Some(name) => format!("; did you mean {name}?"),
        None => format!("; there are {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name() {
        let names = ["memory", "nodes", "depth", "st", "tc"];
        for (word, name) in [("memroy", "memory"), ("node", "nodes"), ("DEPTH", "depth"), ("ts", "st"), ("foo", "")] {
            assert_eq!(nearest(word, names).unwrap_or_default(), name, "{word}");
        }
        assert_eq!(instead("memry", &names), "; did you mean memory?");
        assert_eq!(instead("colour", &["st", "tc"]), "; there are st, tc");
    }
}
