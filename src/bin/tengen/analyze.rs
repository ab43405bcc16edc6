//! `tengen analyze`: a deep look at one position.

use crate::choices::{megabytes, parse_depth, parse_rule, parse_size};
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, ensure};
use std::io::{IsTerminal, Write, stdin, stdout};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tengen::engine::{BoardSize, Engine, Limits, Line, Options, Request, Rule};
use tengen::workbench::analysis::analyze::{Analysis, HEAD, Json, analyze, ended, row, side_name, win_text};
use tengen::workbench::analysis::load::{Loaded, draw, read};

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
    #[arg(short, long, value_parser = parse_depth)]
    depth: Option<u32>,
    /// Best lines to be shown
    #[arg(short, long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    lines: NonZeroUsize,
    /// Search threads
    #[arg(short = 'j', long, default_value_t = NonZeroUsize::MIN)]
    threads: NonZeroUsize,
    /// Transposition table in MB
    #[arg(long, default_value_t = 256)]
    hash: u64,
    /// One JSON object a line, the last with "final": true
    #[arg(long)]
    json: bool,
}

/// Runs `tengen analyze`.
pub fn main(args: &Args) -> Result<ExitCode> {
    let limits = limits(args)?;
    let loaded = position(args)?;
    let (size, setup) = (loaded.setup.size, loaded.setup);
    let rule = args.rule.or(loaded.rule).unwrap_or_default();
    let options = Options { threads: args.threads.get(), hash: Some(megabytes(args.hash)), ..Options::default() };
    let mut engine = Engine::new(options);
    let forbidden = engine.forbidden(&setup, rule);
    // A terminal that understands colours lets the cursor move too; on Windows, asking makes it so.
    let redraws = !args.json && console::Term::stdout().features().colors_supported();
    let mut screen = Screen { size, json: args.json, redraws, drawn: 0 };
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
    let stop = stop_on_signal()?;
    // The time counts from here.
    let limits = Limits { started: Instant::now(), ..limits };
    let request = Request { lines: args.lines.get(), ..Request::new(setup, rule, limits) };
    let mut failed = None;
    let analysis = analyze(&mut engine, &request, &stop, &mut |lines| {
        failed = screen.show(lines).err();
        // Nobody reads any more.
        if failed.is_some() {
            stop.stop();
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    screen.result(&analysis, &forbidden)?;
    Ok(ExitCode::SUCCESS)
}

/// The position on standard input, in a file, or in the argument itself.
fn position(args: &Args) -> Result<Loaded> {
    let name = args.position.as_str();
    let text = match name {
        "-" if stdin().is_terminal() => String::new(),
        "-" => std::io::read_to_string(stdin()).context("standard input")?,
        // Labels cannot name a file unless one is there.
        path if std::path::Path::new(path).is_file() => {
            String::from_utf8_lossy(&std::fs::read(path).context(args.position.clone())?).into_owned()
        }
        text => {
            // A mistyped file name must not be reported as a bad drawing.
            let drawn = text.starts_with('(') || text.contains('\n');
            let labels = text.contains(|c: char| c.is_ascii_digit()) && !text.contains(['.', '/']);
            ensure!(drawn || labels || text.trim().is_empty(), "{text}: neither a file nor moves such as h8i9");
            return Ok(read(text, args.size)?);
        }
    };
    read(&text, args.size).with_context(|| if name == "-" { "standard input" } else { name }.to_owned())
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
    /// Lines on the terminal that the next set replaces; elsewhere, whether there is a head.
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
        let text = if self.redraws {
            let (height, width) = console::Term::stdout().size();
            let table = self.table(lines) + &effort(lines);
            // What scrolls away or wraps could not be replaced; the result shows it.
            let fits = table.lines().take(usize::from(height.max(4)) - 1);
            let shown: Vec<String> = fits.map(|line| line.chars().take(width.max(20).into()).collect()).collect();
            let text = self.erase() + &shown.join("\n") + "\n";
            self.drawn = shown.len();
            text
        } else {
            let table = self.table(lines);
            if std::mem::replace(&mut self.drawn, 1) == 0 { table } else { table[HEAD.len() + 1..].to_owned() }
        };
        // In one piece, lest anything (the terminal's own ^C) come between.
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    fn result(&mut self, analysis: &Analysis, forbidden: &[tengen::engine::Point]) -> Result<()> {
        let mut out = stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, &Json::of_analysis(self.size, analysis, forbidden))?;
            writeln!(out)?;
            return Ok(());
        }
        if analysis.lines.is_empty() {
            writeln!(out, "the board is full")?;
            return Ok(());
        }
        // Lines in full; elsewhere they are there already, if there was a search.
        let table = if self.redraws || self.drawn == 0 { self.table(&analysis.lines) } else { String::new() };
        writeln!(out, "{}{table}{}", self.erase(), effort(&analysis.lines))?;
        if let Some(win) = &analysis.win {
            writeln!(out, "{}", win_text(self.size, win))?;
        }
        Ok(())
    }

    /// Lines below their head.
    fn table(&self, lines: &[Line]) -> String {
        let rows = lines.iter().map(|line| row(self.size, line) + "\n");
        format!("{HEAD}\n{}", rows.collect::<String>())
    }

    /// What takes the cursor up to the first of the old lines and clears from there.
    fn erase(&self) -> String {
        if self.redraws && self.drawn > 0 { format!("\x1b[{}F\x1b[J", self.drawn) } else { String::new() }
    }
}

/// Nodes, time and speed of the search so far.
fn effort(lines: &[Line]) -> String {
    let nodes = lines.iter().map(|l| l.nodes).max().unwrap_or(0);
    let seconds = lines.iter().map(|l| l.elapsed).max().unwrap_or_default().as_secs_f64();
    format!("{nodes} nodes in {seconds:.2} s, {:.0} a second", nodes as f64 / seconds.max(1e-3))
}
