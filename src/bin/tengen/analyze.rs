//! `tengen analyze`: a deep look at one position.

use crate::choices::{parse_rule, parse_size};
use anyhow::{Context, Result, ensure};
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tengen::engine::{BoardSize, Engine, Limits, Line, Options, Request, Rule, StopToken};
use tengen::workbench::analyze::{Analysis, HEAD, Json, analyze, ended, row, side_name, win_text};
use tengen::workbench::load::{draw, read};

/// Shown below `tengen analyze --help`.
pub const EXAMPLES: &str = "\
Examples:
  tengen analyze h8i9h9 --lines 3 --time 10
  tengen analyze game.sgf --rule renju --nodes 1000000 --json
  tengen analyze - < board.txt

A drawn board has X for black, O for white, a dot for an empty point; a lower-case x or o is the last stone. Row
numbers and column letters may stand around it, as this program draws them.";

/// Options of `tengen analyze`.
#[derive(clap::Args)]
pub struct Args {
    /// Moves such as h8i9h9, or a file (SGF, .psq, a drawn board), or - for standard input
    #[arg(default_value = "-")]
    position: String,
    /// Rule: 0, 1, 4, 8, 9 or its name [default: as the file says, else 0]
    #[arg(short, long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Board for moves in letters: 15, or 20x15
    #[arg(short, long, default_value = "15", value_parser = parse_size)]
    size: BoardSize,
    /// Seconds [default: 10 unless there is another limit; 0: until Ctrl-C]
    #[arg(short, long, value_name = "S")]
    time: Option<f64>,
    /// Nodes
    #[arg(short, long)]
    nodes: Option<u64>,
    /// Depth in plies
    #[arg(short, long)]
    depth: Option<u32>,
    /// Best lines to be shown
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    lines: usize,
    /// Search threads
    #[arg(short = 'j', long, default_value_t = 1)]
    threads: usize,
    /// Transposition table in MB
    #[arg(long, default_value_t = 256)]
    hash: u64,
    /// One JSON object a line, the last with "final": true
    #[arg(long)]
    json: bool,
}

/// Runs `tengen analyze`.
pub fn main(args: &Args) -> Result<ExitCode> {
    let text = position_text(&args.position).with_context(|| args.position.clone())?;
    let loaded = read(&text, args.size)?;
    let (size, setup) = (loaded.setup.size, loaded.setup);
    let rule = args.rule.or(loaded.rule).unwrap_or_default();
    let options = Options { threads: args.threads, hash: Some(args.hash << 20), ..Options::default() };
    let mut engine = Engine::new(options);
    let forbidden = engine.forbidden(&setup, rule);
    let mut screen = Screen { size, json: args.json, redraws: !args.json && stdout().is_terminal(), drawn: 0 };
    if !args.json {
        let mut out = stdout().lock();
        writeln!(out, "{}", draw(&setup, &forbidden))?;
        writeln!(out, "{rule}, move {}, {} to move", setup.stones.len() + 1, side_name(setup.to_move))?;
    }
    if let Some(outcome) = ended(&setup, rule) {
        ensure!(!args.json, "the game is over: {outcome}");
        writeln!(stdout(), "{outcome}: the game is over")?;
        return Ok(ExitCode::SUCCESS);
    }
    let stop = StopToken::new();
    let on_signal = stop.clone();
    ctrlc::set_handler(move || on_signal.stop()).context("cannot handle Ctrl-C")?;
    let request = Request { lines: args.lines.max(1), ..Request::new(setup, rule, limits(args)?) };
    let mut failed = None;
    let analysis = analyze(&mut engine, &request, &stop, &mut |lines| {
        failed = screen.show(lines).err();
        // Nobody reads any more: `head` has seen enough.
        if failed.is_some() {
            stop.stop();
        }
    });
    match failed {
        Some(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
        Some(error) => return Err(error.into()),
        None => {}
    }
    screen.result(&analysis, &forbidden)?;
    Ok(ExitCode::SUCCESS)
}

/// The text of a position: standard input, a file's, or the argument itself.
fn position_text(position: &str) -> std::io::Result<String> {
    match position {
        "-" if stdin().is_terminal() => Ok(String::new()),
        "-" => {
            let mut text = String::new();
            stdin().lock().read_to_string(&mut text)?;
            Ok(text)
        }
        // Labels cannot name a file unless one is there.
        path if std::path::Path::new(path).is_file() => Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned()),
        labels => Ok(labels.to_owned()),
    }
}

fn limits(args: &Args) -> Result<Limits> {
    let other = args.nodes.is_some() || args.depth.is_some();
    let seconds = args.time.unwrap_or(if other { 0.0 } else { 10.0 });
    let turn = Duration::try_from_secs_f64(seconds).context("--time")?;
    let turn = (!turn.is_zero()).then_some(turn);
    Ok(Limits { started: Instant::now(), turn, nodes: args.nodes, depth: args.depth, ..Limits::infinite() })
}

/// Where lines are shown: in place on a terminal, one set after another elsewhere.
struct Screen {
    size: BoardSize,
    json: bool,
    redraws: bool,
    /// Lines on the terminal that the next set replaces.
    drawn: usize,
}

impl Screen {
    fn show(&mut self, lines: &[Line]) -> std::io::Result<()> {
        let mut out = stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, &Json::of_lines(self.size, lines))?;
            writeln!(out)?;
            return out.flush();
        }
        if self.redraws && self.drawn > 0 {
            // Up to the first of the old lines, and clear from there.
            write!(out, "\x1b[{}F\x1b[J", self.drawn)?;
        }
        if self.redraws || self.drawn == 0 {
            writeln!(out, "{HEAD}")?;
        }
        self.drawn = if self.redraws { lines.len() + 2 } else { 1 };
        let width = terminal_width();
        for line in lines {
            let row = row(self.size, line);
            // A wrapped line would spoil the count of lines.
            let shown = if self.redraws { row.chars().take(width).collect() } else { row };
            writeln!(out, "{shown}")?;
        }
        if self.redraws {
            writeln!(out, "{}", effort(lines))?;
        }
        out.flush()
    }

    fn result(&mut self, analysis: &Analysis, forbidden: &[tengen::engine::Point]) -> Result<()> {
        let mut out = stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, &Json::of_analysis(self.size, analysis, forbidden))?;
            writeln!(out)?;
            return Ok(());
        }
        if !self.redraws {
            writeln!(out, "{}", effort(&analysis.lines))?;
        }
        match (&analysis.win, analysis.lines.first()) {
            (Some(win), _) => writeln!(out, "{}", win_text(self.size, win))?,
            // Answered without a search, so nothing has been shown.
            (None, Some(line)) if self.drawn == 0 => writeln!(out, "{HEAD}\n{}", row(self.size, line))?,
            (None, Some(_)) => {}
            (None, None) => writeln!(out, "the board is full")?,
        }
        Ok(())
    }
}

/// Nodes, time and speed of the search so far.
fn effort(lines: &[Line]) -> String {
    let nodes = lines.iter().map(|l| l.nodes).max().unwrap_or(0);
    let seconds = lines.iter().map(|l| l.elapsed).max().unwrap_or_default().as_secs_f64();
    format!("{nodes} nodes in {seconds:.2} s, {:.0} a second", nodes as f64 / seconds.max(1e-3))
}

/// Columns of the terminal.
fn terminal_width() -> usize {
    console::Term::stdout().size().1.max(20).into()
}
