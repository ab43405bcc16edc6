//! One engine of a match, as the user specifies it. Mistyped settings are errors: an engine ignores unknown settings,
//! so the match would run under other conditions than intended.

use anyhow::{Context, Result, anyhow, bail, ensure};
use std::path::{Path, PathBuf};
use tengen_engines::spec::{EngineLimits, EngineSpec, GOMOCUP_MEMORY};
use tengen_workbench::matches::info;
use tengen_workbench::nearest::instead;

/// Keys of an engine, except those of `INFO` lines.
pub const KEYS: [&str; 12] =
    ["name", "cmd", "args", "dir", "tc", "st", "nodes", "depth", "memory", "threads", "restart", "lenient"];

/// Minimum memory limit of an engine: a smaller number lacks its `M`.
const LEAST_MEMORY: u64 = 1 << 20;

/// An engine of a match, from common and own settings; own settings take precedence.
pub fn engine(each: &[(String, String)], own: &[(String, String)]) -> Result<EngineSpec> {
    let spec = described(each.iter().chain(own))?;
    let limits = &spec.limits;
    let limited =
        limits.turn_ms.is_some() || limits.match_ms.is_some() || limits.nodes.is_some() || limits.depth.is_some();
    ensure!(limited, "{}: say how long it may think (st=, tc=, nodes= or depth=)", spec.name);
    Ok(spec)
}

/// An engine for the board, where the game has a clock.
pub fn opponent(own: &[(String, String)]) -> Result<EngineSpec> {
    let clock = own.iter().find(|(key, _)| key == "tc");
    ensure!(clock.is_none(), "tc= is for matches: on the board the game has a clock, and st= is the time without one");
    described(own.iter())
}

fn described<'a>(settings: impl Iterator<Item = &'a (String, String)>) -> Result<EngineSpec> {
    let mut spec = EngineSpec {
        name: String::new(),
        cmd: PathBuf::new(),
        args: Vec::new(),
        dir: None,
        limits: EngineLimits::default(),
        memory: GOMOCUP_MEMORY,
        threads: None,
        info: Vec::new(),
        restart: false,
        lenient: false,
    };
    for (key, value) in settings {
        set(&mut spec, key, value).with_context(|| format!("{key}={value}"))?;
    }
    ensure!(!spec.cmd.as_os_str().is_empty(), "an engine needs cmd=PROGRAM");
    if spec.name.is_empty() {
        spec.name = spec.cmd.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    }
    ensure_evaluation_file(&spec)?;
    Ok(spec)
}

fn set(spec: &mut EngineSpec, key: &str, value: &str) -> Result<()> {
    match key {
        "name" => spec.name = value.to_owned(),
        "cmd" => {
            // A blank may belong to the path, or separate arguments.
            let whole = Path::new(value);
            let mut words = if whole.exists() { vec![value.to_owned()] } else { words(value)? };
            ensure!(!words.is_empty(), "empty command");
            spec.cmd = words.remove(0).into();
            spec.args.splice(0..0, words);
        }
        "args" => spec.args.extend(words(value)?),
        "dir" => {
            ensure!(Path::new(value).is_dir(), "there is no such folder");
            spec.dir = Some(value.into());
        }
        "tc" => clock(&mut spec.limits, value)?,
        "st" => spec.limits.turn_ms = Some(above_zero(value)?),
        "nodes" => spec.limits.nodes = Some(counted(value, i64::MAX.unsigned_abs())?),
        "depth" => spec.limits.depth = Some(counted(value, u64::from(u32::MAX))? as u32),
        "memory" => {
            spec.memory = bytes(value)?;
            let least = LEAST_MEMORY >> 20;
            ensure!(spec.memory == 0 || spec.memory >= LEAST_MEMORY, "no engine lives in less than {least}M");
        }
        "threads" => spec.threads = Some(counted(value, 1024)? as u32),
        "restart" => spec.restart = switch(value)?,
        "lenient" => spec.lenient = switch(value)?,
        _ => match (key.strip_prefix("info.").or_else(|| key.strip_prefix("option.")), key.strip_prefix("raw.")) {
            (Some(info), _) => {
                info::check(info, value)?;
                ensure_one_line(info, value)?;
                spec.info.push((info.to_owned(), value.to_owned()));
            }
            (None, Some(raw)) => {
                ensure_one_line(raw, value)?;
                spec.info.push((raw.to_owned(), value.to_owned()));
            }
            (None, None) if info::check(key, value).is_ok() => {
                bail!("an engine has no such setting; did you mean info.{key}?")
            }
            (None, None) => bail!("an engine has no such setting{}", instead(key, &KEYS)),
        },
    }
    Ok(())
}

/// A time control of cutechess, as far as the protocol can express it.
fn clock(limits: &mut EngineLimits, value: &str) -> Result<()> {
    if let Some((moves, time)) = value.split_once('/') {
        bail!(
            "{moves} moves in {time} s: the protocol has no limit for a number of moves. tc=SECONDS+INCREMENT is the \
             clock of a game, st=SECONDS the limit of a move"
        );
    }
    let (whole, increment) = value.split_once('+').map_or((value, None), |(m, i)| (m, Some(i)));
    if whole.trim() == "inf" {
        ensure!(increment.is_none(), "without a clock nothing can be gained");
        (limits.match_ms, limits.increment_ms) = (None, 0);
        return Ok(());
    }
    let whole = match whole.split_once(':') {
        Some((minutes, seconds)) => {
            ensure!(milliseconds(seconds)? < 60_000, "a minute has 60 seconds");
            self::whole::<u64>(minutes)?.saturating_mul(60_000).saturating_add(milliseconds(seconds)?)
        }
        None => milliseconds(whole)?,
    };
    ensure!(whole > 0, "a clock is above 0; tc=inf is none");
    limits.match_ms = Some(whole);
    limits.increment_ms = increment.map_or(Ok(0), milliseconds)?;
    Ok(())
}

/// Checks the evaluation's file. The engine would report a missing file only during the first game, and continue with
/// its current evaluation.
fn ensure_evaluation_file(spec: &EngineSpec) -> Result<()> {
    let names = spec.info.iter().filter(|(key, _)| key.eq_ignore_ascii_case("nnue_file"));
    for (key, name) in names {
        let path = spec.launch().working_directory().unwrap_or_default().join(name.trim());
        ensure!(path.is_file(), "{}: {key}={name}: there is no file {}", spec.name, path.display());
    }
    Ok(())
}

/// Checks that `INFO key value` is a single line.
fn ensure_one_line(key: &str, value: &str) -> Result<()> {
    ensure!(!key.is_empty() && !key.contains(char::is_whitespace), "the key of a line is one word");
    ensure!(!value.contains(['\n', '\r']), "a value is one line");
    Ok(())
}

/// On or off.
pub fn switch(text: &str) -> Result<bool> {
    match text.trim() {
        "on" | "true" | "yes" | "1" | "" => Ok(true),
        "off" | "false" | "no" | "0" => Ok(false),
        other => bail!("{other:?} is neither on nor off"),
    }
}

/// An integer.
pub fn whole<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.trim().parse().map_err(|_| anyhow!("expected a whole number, found {:?}", text.trim()))
}

/// An integer from 1.
fn counted(text: &str, most: u64) -> Result<u64> {
    let number = whole(text)?;
    ensure!(number > 0, "expected at least 1");
    ensure!(number <= most, "expected at most {most}");
    Ok(number)
}

/// A time above 0, also after rounding to milliseconds.
fn above_zero(text: &str) -> Result<u64> {
    let time = milliseconds(text)?;
    ensure!(time > 0, "a move needs at least 1ms");
    Ok(time)
}

/// Seconds with decimals, or milliseconds with the suffix `ms`.
fn milliseconds(text: &str) -> Result<u64> {
    let text = text.trim();
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1.0),
        None => (text.strip_suffix('s').unwrap_or(text), 1000.0),
    };
    let value = number.trim().parse::<f64>().unwrap_or(f64::NAN) * unit;
    ensure!((0.0..1e12).contains(&value), "expected a time such as 0.5 or 20ms, found {text:?}");
    Ok(value.round() as u64)
}

/// Bytes, with the suffixes K, M and G for powers of 1024.
fn bytes(text: &str) -> Result<u64> {
    let text = text.trim();
    let (number, shift) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    whole::<u64>(number)?.checked_mul(1 << shift).ok_or_else(|| anyhow!("{text:?} is too large"))
}

/// Words separated by blanks; quotes of either kind keep a word together.
pub fn words(text: &str) -> Result<Vec<String>> {
    let (mut words, mut word, mut open, mut quote) = (Vec::new(), String::new(), false, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.push(c),
            (None, '"' | '\'') => (quote, open) = (Some(c), true),
            (None, c) if c.is_whitespace() => {
                if open {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (None, c) => {
                word.push(c);
                open = true;
            }
        }
    }
    ensure!(quote.is_none(), "a quote is not closed in {text:?}");
    if open {
        words.push(word);
    }
    Ok(words)
}
