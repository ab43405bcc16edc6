//! The options of a match, from the command line or a file, and the match that they specify.

use crate::choices::parse_rule;
use crate::engine_args::{self, engine, switch, whole};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{ArgMatches, FromArgMatches};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tengen::engine::BoardSize;
use tengen::opening::OpeningRule;
use tengen_analysis::load::parse_opening;
use tengen_engines::spec::Tolerances;
use tengen_record::rule_code::{code_of_rule, rule_of_code};
use tengen_workbench::matches::openings::built_in;
use tengen_workbench::matches::settings::{Adjudication, Agreement, Event, MatchSpec, SprtSpec};
use tengen_workbench::nearest::instead;
use tengen_workbench::shard::ShardChoice;

/// Shown below `tengen match --help`.
pub const EXAMPLES: &str = "\
Examples:
  tengen match -e name=new,cmd=./new/pbrain-tengen -e name=old,cmd=./old/pbrain-tengen \\
      --each st=0.02 --rule 1 --size 15 --openings standard15.txt --games 2000 --sprt elo0=0,elo1=5

  tengen match --gauntlet -e cmd=./pbrain-tengen -e cmd=./a -e cmd=./b --each tc=60+0.5,st=5 --sgf games.sgf

  tengen match --config match.toml --resume --watch      (shows the match in the browser too)

  tengen match --report match.jsonl --svg curve.svg

  tengen match --report fast.jsonl slow.jsonl --by-time lead.svg

  tengen match --report parts --sprt elo0=0,elo1=5 --watch --on-verdict \"scancel 123\"   (parts on other machines)

Engine keys (-e and --each):
  name=TEXT        name in reports (default: the program's file name)
  cmd=PROGRAM      program, with arguments after blanks if there is no file of that name
  args=TEXT        arguments, separated by blanks, quoted as in a shell
  dir=PATH         working directory (default: the program's own)
  tc=M[+I]         time control: M seconds per game, increment I per move; 1:30 is 90 s, 500ms half a second, inf no
                   clock. As in cutechess, but without MOVES/ before the time, which the protocol does not have
  st=T             T seconds per move, with or without tc; 20ms is possible too
  nodes=N depth=N  limits for engines that support them
  memory=N         bytes, or 350M, 2G; enforced (default 350M as in Gomocup; 0: unlimited)
  threads=N        search threads
  restart=on       start a new process for each game
  lenient=on       ignore lines that the protocol does not define, and ERROR
  info.KEY=VALUE   send `INFO KEY VALUE` before each game, for keys that engines are known to have:
                   evaluation=network|classical, nnue_file=FILE, hash_size=KB, book=0|1, pondering=0|1 and more
  raw.KEY=VALUE    the same for any key and value, unchecked

Events (--event, may be repeated; the events are played in turn):
  rule=0|1|4|8|9 (or freestyle, standard, renju, caro, caro-exact), size=15 or 20x15,
  openings=FILE|LIST|none, swap2=on, opening=free|swap2

Openings (--openings, or openings= in an event):
  Each opening is played twice with colours swapped (a pair), rotated or mirrored at random. Without this option, each
  rule has its own list of more than a hundred openings for boards of 15x15 and larger, which long searches of two
  engines found balanced: the files even-*.txt of crates/workbench/openings in the source. The other files there are
  earlier lists, for repeating or resuming old matches. `none` begins on the empty board.
  A FILE has one opening per line; empty lines and lines that begin with # are ignored. A LIST has semicolons between
  openings. Stones are in order of play, black first: labels (h8i9j10), or offsets from the centre as in Gomocup, x to
  the right and y downwards (0,0, 1,2, -1,0).
  --opening swap2 (or --swap2) lets the engines open themselves. Engines can play this one opening rule: SWAP2BOARD is
  the only question about openings that managers and engines of the Gomocup protocol share.

SPRT (--sprt):
  The sequential probability ratio test compares two hypotheses: the first engine is elo0 (H0) or elo1 (H1) stronger.
  The match ends when the log-likelihood ratio (LLR) of the pairs accepts one of them. alpha and beta are the
  probabilities of accepting H1 if H0 is true, and H0 if H1 is true. model=logistic counts in Elo, model=normalized in
  normalized Elo: the distance of the score from one half in standard deviations, on a scale like Elo's. It depends less
  on the number of draws.
  A part of a match (--shard) does not stop by itself. --report with --sprt tests the parts together: it weighs their
  games in the order of their numbers, whatever the order in which they end, up to the first game that is missing.

Parts (--shard):
  K/N is part K of N. `auto` is the part of this task of a Slurm array (SLURM_ARRAY_TASK_ID and its like). `auto/N` is
  that, or the part of this task of an indexed Kubernetes Job (JOB_COMPLETION_INDEX) or of GNU parallel (PARALLEL_SEQ),
  which do not tell the number of tasks.

Equal time:
  -e settings override --each, so an engine that uses less time than allowed can get more: `--each st=1 -e cmd=./a
  -e cmd=./b,st=1.06`. The column `ratio` of the tables is the time used divided by that of the opponents; aim at 1.

Results:
  Elo is the difference of two engines with its 95% interval, from complete pairs (from single games if there are none):
  +240.8 [+66.4, ∞]. An unbounded side is ∞, and null in JSON. The report states how many unpaired games it leaves out.
  In matches of three or more engines, ratings are relative to the mean of all engines. Pairs in which one colour won
  both games say more about the opening than about the engines.

Faults:
  A fault loses the game. An engine that cannot be started, or loses five games in a row by faults, ends the match with
  a non-zero exit status, except with --recover; forbidden moves do not count. --log records every line sent and
  received.

Exit status: 0 when all games are played or the SPRT has ended, 1 after an error, 130 after Ctrl-C, 143 after SIGTERM.";

/// Options of `tengen match`; the same names are keys of a TOML file.
#[derive(clap::Args, Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Args {
    /// TOML file with options ([[engine]], [each], [sprt] ... are tables). The command line overrides it. --report,
    /// --by-time, --watch, --on-verdict and --shard are not possible there
    #[arg(short, long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Engine: key=value, separated by commas or blanks (see below)
    #[arg(short, long, value_name = "KEY=VALUE", num_args = 1.., action = clap::ArgAction::Append)]
    #[serde(skip)]
    engine: Vec<String>,
    #[arg(skip)]
    #[serde(rename = "engine")]
    engine_tables: Vec<Table>,
    /// Settings of all engines; those of -e override them
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    #[serde(skip)]
    each: Vec<String>,
    #[arg(skip)]
    #[serde(rename = "each")]
    each_table: Table,
    /// Gauntlet: the first engine plays all others [default: round robin]
    #[arg(long)]
    gauntlet: bool,
    /// Games per pairing of engines; with an odd number, the last game has no counterpart with colours swapped
    /// [default: 100]
    #[arg(short, long, value_name = "N")]
    games: Option<u64>,
    /// Rule: 0, 1, 4, 8, 9 or its name [default: 0; with --swap2: 1]
    #[arg(short, long)]
    rule: Option<Text>,
    /// Board size: 15, or 20x15; 5 to 25 [default: 15]
    #[arg(short, long)]
    size: Option<Text>,
    /// Openings: a file with one per line, a list separated by semicolons, or `none` (see below) [default: the list of
    /// the rule]
    #[arg(long, value_name = "FILE|LIST|none")]
    openings: Option<String>,
    /// Begin games by the swap2 protocol
    #[arg(long)]
    swap2: bool,
    /// Opening rule by which the engines begin: free, or swap2 as --swap2 (see below)
    #[arg(long, value_name = "RULE")]
    opening: Option<String>,
    /// Event with its own rule, board and openings, instead of --rule, --size, --openings and --swap2 (see below)
    #[arg(long, value_name = "KEY=VALUE", action = clap::ArgAction::Append)]
    #[serde(skip)]
    event: Vec<String>,
    #[arg(skip)]
    #[serde(rename = "event")]
    event_tables: Vec<Table>,
    /// Play openings in the order of the list
    #[arg(long)]
    no_shuffle: bool,
    /// Do not rotate or mirror openings
    #[arg(long)]
    no_transform: bool,
    /// Seed of the order and symmetries of openings [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Concurrent games [default: processors divided by the threads of an engine]
    #[arg(short = 'j', long, value_name = "N")]
    pub concurrency: Option<NonZeroUsize>,
    /// Time margin: milliseconds by which a move may exceed its limit [default: 100]
    #[arg(long, value_name = "MS")]
    tolerance: Option<u64>,
    /// Percent by which an engine may exceed its memory limit [default: 10]
    #[arg(long, value_name = "PERCENT")]
    memory_tolerance: Option<u64>,
    /// Seconds within which an engine must start and answer START [default: 10]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    startup: Option<u64>,
    /// Adjudicate a draw at this number of stones
    #[arg(long, value_name = "STONES", value_parser = clap::value_parser!(u32).range(1..))]
    draw_after: Option<u32>,
    /// Adjudicate a loss when both engines agree on the score for a number of moves: moves=3,score=1000[,from=STONES]
    #[arg(long, value_name = "KEY=VALUE")]
    resign: Option<Listed>,
    /// Adjudicate a draw when both engines agree on the score: moves=10,score=20[,from=STONES]
    #[arg(long, value_name = "KEY=VALUE")]
    draw: Option<Listed>,
    /// Stop by SPRT (see below): elo0=0,elo1=5[,alpha=0.05,beta=0.05,model=logistic|normalized]
    #[arg(long, value_name = "KEY=VALUE")]
    sprt: Option<Listed>,
    /// Record of the match, as JSON lines [default: match.jsonl]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Resume the match of the record; --games may be larger than before, all else must be the same
    #[arg(long)]
    pub resume: bool,
    /// Continue when an engine keeps losing by faults, or cannot be started
    #[arg(long)]
    pub recover: bool,
    /// Write all games to an SGF collection
    #[arg(long, value_name = "FILE")]
    pub sgf: Option<PathBuf>,
    /// Write each game to a Piskvork file in this folder
    #[arg(long, value_name = "FOLDER")]
    pub psq: Option<PathBuf>,
    /// Draw the Elo difference and the LLR over the games as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the results as JSON; - prints them instead of the tables
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a table of the games as CSV; - prints it instead of the tables
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Log every line to and from the engines with its time, one file per game
    #[arg(long, value_name = "FOLDER")]
    pub log: Option<PathBuf>,
    /// Play only part K of N of the match, or the part of this array task: auto, auto/N (see below)
    #[arg(long, value_name = "K/N")]
    #[serde(skip)]
    pub shard: Option<ShardChoice>,
    /// Print the tables of records instead of playing; the parts of one match are joined. A FILE may be a folder, or a
    /// pattern in quotes: 'parts/*.jsonl'
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = [
        "config", "engine", "each", "gauntlet", "games", "rule", "size", "openings", "swap2", "opening", "event",
        "no_shuffle",
        "no_transform", "seed", "concurrency", "tolerance", "memory_tolerance", "startup", "draw_after", "resign", "draw",
        "output", "resume", "recover", "log", "shard",
    ])]
    #[serde(skip)]
    pub report: Vec<PathBuf>,
    /// Draw the lead of the first engine over the time per move, from the records of several matches (with --report)
    #[arg(long, value_name = "FILE", requires = "report", conflicts_with_all = ["sprt", "watch"])]
    #[serde(skip)]
    pub by_time: Option<PathBuf>,
    /// Print one line per game instead of a progress bar
    #[arg(long)]
    pub plain: bool,
    /// Show the match in the browser too: results, running games, pause and finish. The page is at this port, or a free
    /// one, of this computer only; the address is printed. With --report: follow the records as they grow, until the
    /// test of --sprt decides or all games are there
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    #[serde(skip)]
    pub watch: Option<u16>,
    /// Run this command when the test has decided, for example one that ends the other tasks (with --report, --sprt and
    /// --watch). Words in quotes are one word; no shell reads it
    #[arg(long, value_name = "COMMAND", requires_all = ["report", "sprt", "watch"])]
    #[serde(skip)]
    pub on_verdict: Option<String>,
}

/// A TOML table of plain values.
pub type Table = BTreeMap<String, toml::Value>;

/// A text for which a TOML file may also have a number.
#[derive(Clone, Deserialize)]
#[serde(from = "toml::Value")]
struct Text(String);

impl From<toml::Value> for Text {
    fn from(value: toml::Value) -> Text {
        Text(plain(&value))
    }
}

impl std::str::FromStr for Text {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Text, Self::Err> {
        Ok(Text(text.to_owned()))
    }
}

/// `key=value,key=value`, or a table.
#[derive(Clone, Deserialize)]
#[serde(from = "Table")]
struct Listed(Vec<(String, String)>);

impl From<Table> for Listed {
    fn from(table: Table) -> Listed {
        Listed(pairs_of_table(&table))
    }
}

impl std::str::FromStr for Listed {
    type Err = String;
    fn from_str(text: &str) -> Result<Listed, Self::Err> {
        pairs_of_text(text).map(Listed).map_err(|e| e.to_string())
    }
}

fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

/// Flattens `info = { a = 1 }` to `info.a`.
pub fn pairs_of_table(table: &Table) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (key, value) in table {
        match value {
            // A list of words; no word is split.
            toml::Value::Array(items) if key == "args" => {
                pairs.extend(items.iter().map(|word| (key.clone(), format!("\"{}\"", plain(word)))));
            }
            toml::Value::Table(inner) => pairs.extend(inner.iter().map(|(k, v)| (format!("{key}.{k}"), plain(v)))),
            value => pairs.push((key.clone(), plain(value))),
        }
    }
    pairs
}

/// Splits at commas that are followed by another key; other commas belong to the value.
pub fn pairs_of_text(text: &str) -> Result<Vec<(String, String)>> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for piece in text.split(',') {
        let key = |k: &str| !k.is_empty() && k.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        match (piece.split_once('='), pairs.last_mut()) {
            (Some((k, value)), _) if key(k.trim()) => pairs.push((k.trim().to_owned(), value.to_owned())),
            // A key without a value must not become a part of the value before it.
            (_, Some(_)) if engine_args::KEYS.contains(&piece.trim()) => bail!("{} needs a value", piece.trim()),
            (_, Some((_, value))) => {
                value.push(',');
                value.push_str(piece);
            }
            _ => bail!("expected key=value, found {piece:?}"),
        }
    }
    Ok(pairs)
}

/// Rejects a key that occurs twice.
pub fn ensure_once(pairs: &[(String, String)]) -> Result<()> {
    for (i, (key, _)) in pairs.iter().enumerate() {
        let again = key != "args" && pairs[..i].iter().any(|(other, _)| other == key);
        ensure!(!again, "{key} is given twice");
    }
    Ok(())
}

/// The words of each `-e`; clap's derived structure does not separate them.
pub fn engine_groups(matches: &ArgMatches) -> Vec<Vec<String>> {
    let groups = matches.get_occurrences::<String>("engine").into_iter().flatten();
    groups.map(|words| words.cloned().collect()).collect()
}

impl Args {
    /// Files that are written after the match, except its record.
    pub fn files_written_at_the_end(&self) -> impl Iterator<Item = &Path> {
        let all = [&self.sgf, &self.svg, &self.json, &self.csv, &self.by_time];
        all.into_iter().flatten().map(PathBuf::as_path).filter(|path| *path != Path::new("-"))
    }

    /// The options of a file, overridden by those that the command line sets.
    pub fn with_file(path: &Path, set: &ArgMatches) -> Result<Args> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut args: Args = toml::from_str(&text).with_context(|| path.display().to_string())?;
        let of_file = args.switches().map(|switch| *switch);
        args.update_from_arg_matches(set)?;
        // Clap updates a switch also if the command line does not have it: to its default, false.
        args.switches().into_iter().zip(of_file).for_each(|(switch, is_set)| *switch |= is_set);
        Ok(args)
    }

    /// All options without a value.
    fn switches(&mut self) -> [&mut bool; 7] {
        let Args { gauntlet, swap2, no_shuffle, no_transform, resume, recover, plain, .. } = self;
        [gauntlet, swap2, no_shuffle, no_transform, resume, recover, plain]
    }

    /// The match. `engines` has the words of each `-e`.
    pub fn spec(&self, engines: &[Vec<String>]) -> Result<MatchSpec> {
        let mut each = pairs_of_table(&self.each_table);
        let mut common = Vec::new();
        for words in &self.each {
            common.extend(pairs_of_text(words)?);
        }
        ensure_once(&common).context("--each")?;
        // The command line overrides the file.
        each.extend(common);
        let mut specs = Vec::new();
        for table in &self.engine_tables {
            specs.push(engine(&each, &pairs_of_table(table))?);
        }
        for words in engines {
            let own: Vec<_> = words.iter().map(|w| pairs_of_text(w)).collect::<Result<Vec<_>>>()?.concat();
            ensure_once(&own).context("-e")?;
            specs.push(engine(&each, &own)?);
        }
        // The command line rejects these values already; a file may contain them.
        ensure!(self.startup != Some(0), "startup is at least 1");
        ensure!(self.draw_after != Some(0), "draw-after is at least 1");
        let patience = Tolerances::default();
        let patience = Tolerances {
            tolerance_ms: self.tolerance.unwrap_or(patience.tolerance_ms),
            memory_percent: self.memory_tolerance.unwrap_or(patience.memory_percent),
            startup_ms: self.startup.map_or(patience.startup_ms, |s| s.saturating_mul(1000)),
            ..patience
        };
        Ok(MatchSpec {
            engines: specs,
            gauntlet: self.gauntlet,
            games: self.games.unwrap_or(100),
            events: self.events()?,
            shuffle: !self.no_shuffle,
            transform: !self.no_transform,
            seed: self.seed.unwrap_or(1),
            adjudication: Adjudication {
                draw_after: self.draw_after,
                resign: self.resign.as_ref().map(|listed| agreement(listed, 1)).transpose().context("--resign")?,
                draw: self.draw.as_ref().map(|listed| agreement(listed, 0)).transpose().context("--draw")?,
            },
            patience,
            sprt: self.sequential()?,
        })
    }

    /// The sequential test, if there is one.
    pub fn sequential(&self) -> Result<Option<SprtSpec>> {
        self.sprt.as_ref().map(sprt).transpose().context("--sprt")
    }

    fn events(&self) -> Result<Vec<Event>> {
        let mut events = self.event_tables.iter().map(|t| event(&pairs_of_table(t))).collect::<Result<Vec<_>>>()?;
        for text in &self.event {
            let pairs = pairs_of_text(text)?;
            ensure_once(&pairs).context("--event")?;
            events.push(event(&pairs)?);
        }
        if !events.is_empty() {
            let opens = self.swap2 || self.opening.is_some();
            let single = self.rule.is_some() || self.size.is_some() || self.openings.is_some() || opens;
            ensure!(!single, "say rule, size, openings and swap2 either in events or outside of them");
            return Ok(events);
        }
        let single = [("rule", &self.rule), ("size", &self.size)];
        let single = single.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text.as_ref()?.0.clone())));
        let mut pairs: Vec<(String, String)> = single.collect();
        pairs.extend(self.openings.iter().map(|o| ("openings".to_owned(), o.clone())));
        pairs.extend(self.opening.iter().map(|o| ("opening".to_owned(), o.clone())));
        if self.swap2 {
            pairs.push(("swap2".to_owned(), "on".to_owned()));
        }
        Ok(vec![event(&pairs)?])
    }
}

fn event(pairs: &[(String, String)]) -> Result<Event> {
    let (mut rule, mut size, mut openings, mut swap2) = (None, BoardSize::RENJU, None, false);
    for (key, value) in pairs {
        match key.as_str() {
            "rule" => rule = Some(rule_code(value)?),
            "size" => size = board(value)?,
            "openings" => openings = Some(value),
            "swap2" => swap2 |= switch(value)?,
            "opening" => swap2 |= opens_by_swap2(value)?,
            other => {
                bail!("an event has no {other}{}", instead(other, &["rule", "size", "openings", "swap2", "opening"]))
            }
        }
    }
    // Swap2 implies the standard rule.
    let rule = rule.unwrap_or(u8::from(swap2));
    let openings = match openings.map(|text| text.trim()) {
        Some("none") => Vec::new(),
        Some(text) => load_openings(text, size)?,
        // Swap2 replaces the list of openings.
        None if swap2 => Vec::new(),
        None => rule_of_code(rule).map_or_else(Vec::new, |rule| built_in(rule, size)),
    };
    Ok(Event { rule, width: size.width(), height: size.height(), swap2, openings })
}

/// Whether the engines open by swap2; no other opening rule can be asked of them.
fn opens_by_swap2(text: &str) -> Result<bool> {
    match text.trim().parse::<OpeningRule>()? {
        OpeningRule::Free => Ok(false),
        OpeningRule::Swap2 => Ok(true),
        rule => bail!(
            "engines cannot be asked to open by {rule}: those that answer SWAP2BOARD play swap2, and the Gomocup \
             protocol has no question for other opening rules"
        ),
    }
}

fn rule_code(text: &str) -> Result<u8> {
    parse_rule(text.trim()).map(code_of_rule).map_err(|rules| anyhow!("no rule is called {text}: {rules}"))
}

fn board(text: &str) -> Result<BoardSize> {
    text.parse::<BoardSize>().with_context(|| format!("size {text:?}"))
}

/// A file with one opening a line (empty lines and lines that begin with # are skipped), or the openings themselves.
fn load_openings(text: &str, size: BoardSize) -> Result<Vec<Vec<(u8, u8)>>> {
    let path = Path::new(text);
    let (lines, source): (Vec<String>, String) = if path.is_file() {
        let content = std::fs::read_to_string(path).with_context(|| text.to_owned())?;
        (content.lines().map(str::to_owned).collect(), text.to_owned())
    } else {
        // A mistyped file name must not be reported as a bad opening.
        let looks_like_list = text.chars().all(|c| c.is_ascii_alphanumeric() || ",;- \t".contains(c));
        ensure!(looks_like_list, "there is no file {text}");
        (text.split(';').map(str::to_owned).collect(), "openings".to_owned())
    };
    let mut openings = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let points = parse_opening(size, line).with_context(|| format!("{source}:{}: {line}", i + 1))?;
        openings.push(points.iter().map(|p| (p.x(), p.y())).collect());
    }
    ensure!(!openings.is_empty(), "{source}: there are no openings");
    Ok(openings)
}

/// `least` is the smallest valid score.
fn agreement(listed: &Listed, least: i32) -> Result<Agreement> {
    let mut agreement = Agreement { moves: 3, score: 0, from: 0 };
    let mut scored = false;
    for (key, value) in &listed.0 {
        match key.as_str() {
            "moves" => agreement.moves = whole(value)?,
            "score" => (agreement.score, scored) = (whole(value)?, true),
            "from" => agreement.from = whole(value)?,
            other => bail!("no such setting: {other}{}", instead(other, &["moves", "score", "from"])),
        }
    }
    ensure_once(&listed.0)?;
    ensure!(agreement.moves > 0, "moves is at least 1");
    ensure!(scored && agreement.score >= least, "needs score=N, at least {least}");
    Ok(agreement)
}

/// Parses a sequential test such as `elo0=0,elo1=5`.
pub fn parse_sprt(text: &str) -> Result<SprtSpec, String> {
    let listed: Listed = text.parse()?;
    sprt(&listed).map_err(|e| format!("{e:#}"))
}

fn sprt(listed: &Listed) -> Result<SprtSpec> {
    let given = |wanted: &str| listed.0.iter().any(|(key, _)| key == wanted);
    ensure!(given("elo0") && given("elo1"), "needs elo0=N and elo1=N");
    let mut sprt = SprtSpec { elo0: 0.0, elo1: 0.0, alpha: 0.05, beta: 0.05, normalized: false };
    for (key, value) in &listed.0 {
        let number = || value.trim().parse::<f64>().map_err(|_| anyhow!("{key}={value}: expected a number"));
        match key.as_str() {
            "elo0" => sprt.elo0 = number()?,
            "elo1" => sprt.elo1 = number()?,
            "alpha" => sprt.alpha = number()?,
            "beta" => sprt.beta = number()?,
            "model" => match value.trim() {
                "normalized" => sprt.normalized = true,
                "logistic" => sprt.normalized = false,
                other => bail!("the model is logistic or normalized, not {other}"),
            },
            other => {
                let names = ["elo0", "elo1", "alpha", "beta", "model"];
                bail!("no such setting: {other}{}", instead(other, &names))
            }
        }
    }
    ensure_once(&listed.0)?;
    sprt.test().check().map_err(|e| anyhow!(e))?;
    Ok(sprt)
}
