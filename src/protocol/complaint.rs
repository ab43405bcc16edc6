//! Warnings to the sender about lines in which a number or a certain word was expected.

use super::command::{Command, Key, Setting};
use super::extension::Extension;
use super::settings::{EVALUATION, EvaluationKind};
use super::text::quoted;

/// The kind of fault (one of a few) and the text of the warning; `None` for lines that were read as intended.
pub(super) fn complaint(line: &[u8]) -> Option<(&'static str, String)> {
    match Command::parse(line) {
        Ok(Command::Info(setting)) => of_setting(&setting),
        Ok(_) => Extension::complaint(line),
        Err(_) => None,
    }
}

fn of_setting(setting: &Setting) -> Option<(&'static str, String)> {
    let Setting::Other { key, value } = setting else { return None };
    let (name, wanted) = match Key::ALL.into_iter().find(|known| known.name() == key) {
        Some(known) => (known.name(), "a number"),
        None if key == EVALUATION && EvaluationKind::parse(value).is_none() => (EVALUATION, "classical or network"),
        None => return None,
    };
    Some((name, format!("setting {name} needs {wanted}, not {}: it stays as it was", quoted(value))))
}
