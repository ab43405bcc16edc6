//! `tengen analyze`: analyzes a position, or reviews a finished game.

use crate::choices::{EngineOptions, ensure_writable, parse_depth, parse_rule};
use crate::review;
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, bail, ensure};
use std::io::{IsTerminal, Read, Write, stderr, stdin, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tengen::engine::{BoardSize, Engine, Limits, Line, Point, Proven, Request, Rule, Setup, Side, StopToken};
use tengen_analysis::analyze::{Analysis, HEAD, Json, analyze, ended, row, verdict, winning_row};
use tengen_analysis::load::{ASSUMED, Games, Loaded, draw, read, read_games};
use tengen_analysis::picture::{Picture, board_svg};
use tengen_analysis::review::Played;
use tengen_analysis::wording::{of_black, short_chance};
use tengen_database::{Known, proven};

/// Shown below `tengen analyze --help`.
pub const EXAMPLES: &str = "\
Examples:
  tengen analyze h8 i9 h9 --lines 3 --time 10
  tengen analyze game.sgf                      (a finished game is reviewed)
  tengen analyze game.psq --move 23 --rule renju --nodes 1000000 --json
  tengen analyze - < board.txt

Positions are moves as labels (h8i9) or as columns and rows from 0 at the top left (7,7 8,6), SGF (all games of a
collection), .psq, .sav, .pos, RenjuNet's .rif, the main line of a RenLib .lib, the output of this command, or a drawn
board. In a drawn board X is black, O is white, a dot is an empty point, and a lower-case x or o is the last stone; row
numbers and column letters are optional.

A review searches every position of a game, from the last to the first. It lists moves that lost win probability (an
inaccuracy: 5 percentage points or more, a mistake: 10, a blunder: 20), and proven wins that were missed or allowed.
Percentages and scores are from Black's view. In JSON they are from the view of the side to move, unless their name says
otherwise.";

/// Options of `tengen analyze`.
#[derive(clap::Args)]
pub struct Args {
    /// Moves such as h8i9h9 or 7,7 8,6, or files (SGF, .psq, .lib, a drawn board), or - for standard input [default:
    /// standard input, or the empty board if standard input is a terminal]
    position: Vec<String>,
    /// Analyze the position before move N of the game
    #[arg(short = 'm', long = "move", value_name = "N", conflicts_with = "review")]
    number: Option<usize>,
    /// Review the game even if it is not finished
    #[arg(long)]
    review: bool,
    /// Use only game K of a collection
    #[arg(short, long, value_name = "K")]
    game: Option<NonZeroUsize>,
    /// Rule: 0, 1, 4, 8, 9 or its name [default: the rule in the file, otherwise 0 with a note]
    #[arg(short, long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Board size, if the input has none: 15, or 20x15
    #[arg(short, long, default_value = "15")]
    size: BoardSize,
    /// Time limit in seconds; in a review, per move. 0: until Ctrl-C [default: 10 without another limit]
    #[arg(short, long, value_name = "S")]
    time: Option<f64>,
    /// Node limit; in a review, per move [default in a review: 200000 without another limit]
    #[arg(short, long)]
    nodes: Option<u64>,
    /// Depth limit, in plies
    #[arg(short, long, value_parser = parse_depth)]
    depth: Option<u32>,
    /// Number of best lines to show (multi-PV)
    #[arg(short, long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    lines: NonZeroUsize,
    #[command(flatten)]
    options: EngineOptions,
    /// Database of positions: what is proven there needs no search, and what is found is stored
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print JSON lines; the last one of each position has "final": true
    #[arg(long)]
    json: bool,
    /// Draw the score graph of a review as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the reviewed games with values and variations as SGF
    #[arg(long, value_name = "FILE")]
    sgf: Option<PathBuf>,
    /// Draw the board with the best moves of the analysis as SVG
    #[arg(long, value_name = "FILE")]
    board_svg: Option<PathBuf>,
}

/// Runs `tengen analyze`.
pub fn main(args: &Args) -> Result<ExitCode> {
    let limits = limits(args)?;
    let Selection { games, is_of_file, several } = games(args)?;
    let reviewed: Vec<bool> = games.iter().map(|(_, game)| is_reviewed(args, game)).collect();
    for (option, path) in [("--svg", &args.svg), ("--sgf", &args.sgf)] {
        ensure!(
            path.is_none() || reviewed.contains(&true),
            "{option} needs a game to review: one that is finished, or --review"
        );
    }
    ensure!(args.board_svg.is_none() || games.len() == 1, "--board-svg draws one position: choose a game by --game");
    for path in [&args.svg, &args.sgf, &args.board_svg].into_iter().flatten() {
        ensure_writable(path)?;
    }
    let stop = stop_on_signal()?;
    let mut engine = args.options.engine()?;
    let mut known = args.database.as_deref().map(Known::open).transpose()?;
    let mut reviews = Vec::new();
    for ((number, game), reviewed) in games.iter().zip(reviewed).take_while(|_| !stop.is_stopped()) {
        if games.len() > 1 && !args.json {
            let [black, white] = game.names.0.each_ref().map(|name| if name.is_empty() { "?" } else { name });
            writeln!(stdout(), "game {number}: {black} - {white}")?;
        }
        let rule = args.rule.or(game.rule).unwrap_or_default();
        let assumed = game.assumed_rule().filter(|_| args.rule.is_none() && is_of_file);
        if let Some(assumed) = assumed.as_ref().filter(|_| args.json) {
            warn(*number, several, assumed)?;
        }
        if reviewed {
            let name = if games.len() > 1 { format!("game {number}") } else { String::new() };
            let of = (rule, assumed.as_deref());
            let review = review::run(args.json, &mut engine, game, of, limits.clone(), &stop)?;
            known.iter_mut().try_for_each(|known| known.store_review(&review))?;
            reviews.push((name, review, game, assumed));
        } else {
            if let Some(assumed) = assumed.filter(|_| !args.json) {
                writeln!(stdout(), "{ASSUMED}{assumed}")?;
            }
            let setup = match args.number {
                Some(number) => game.before(number).with_context(|| moves_text(game))?,
                None => game.setup.clone(),
            };
            let first = game.first.min(setup.stones.len());
            let (setup, lines) = position(args, &mut engine, &mut known, (setup, rule), limits.clone(), &stop)?;
            if let Some(path) = &args.board_svg {
                draw_board(path, &setup, first, rule, &engine, &lines)?;
            }
        }
    }
    if let Some((path, (_, review, game, _))) = args.board_svg.as_ref().zip(reviews.first()) {
        draw_board(path, &game.setup, game.first, review.game.rule, &engine, &[])?;
    }
    if let Some(path) = &args.svg {
        review::draw_graphs(path, &reviews)?;
    }
    if let Some(path) = &args.sgf {
        review::write_sgf(path, &reviews)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The error text for a move number without a position before it.
fn moves_text(game: &Loaded) -> String {
    match (game.first, game.setup.stones.len()) {
        (first, last) if first < last => format!("--move: the game has moves {} to {last}", first + 1),
        _ => "--move: the order of the stones is not known".to_owned(),
    }
}

/// Whether a game is reviewed instead of analyzing only its last position.
fn is_reviewed(args: &Args, game: &Loaded) -> bool {
    let rule = args.rule.or(game.rule).unwrap_or_default();
    let played = Played { rule, setup: game.setup.clone(), first: game.first };
    let finished = || game.result.is_some() || played.ending().is_ok_and(|(_, outcome)| outcome.is_some());
    args.number.is_none() && game.first < game.setup.stones.len() && (args.review || finished())
}

/// Analyzes one position. Returns it with the lines found; there are no lines if the game is over.
fn position(
    args: &Args,
    engine: &mut Engine,
    known: &mut Option<Known>,
    (setup, rule): (Setup, Rule),
    limits: Option<Limits>,
    stop: &StopToken,
) -> Result<(Setup, Vec<Line>)> {
    let size = setup.size;
    let forbidden = engine.forbidden(&setup, rule);
    // A terminal that supports colours also supports cursor movement; on Windows, this query enables both.
    let redraws = !args.json && console::Term::stdout().features().colors_supported();
    let mut screen = Screen { size, to_move: setup.to_move, json: args.json, redraws, drawn: 0, last: Vec::new() };
    if !args.json {
        let mut out = stdout().lock();
        writeln!(out, "{}", draw(&setup, &forbidden))?;
        writeln!(out, "{rule}, move {}, {} to move", setup.stones.len() + 1, setup.to_move.name())?;
    }
    if let Some(outcome) = ended(&setup, rule) {
        ensure!(!args.json, "the game is over: {outcome}");
        writeln!(stdout(), "{outcome}: the game is over")?;
        return Ok((setup, Vec::new()));
    }
    // The time limit counts from here.
    let default = || Limits { turn: Some(Duration::from_secs(10)), ..Limits::infinite() };
    let limits = Limits { started: Some(Instant::now()), ..limits.unwrap_or_else(default) };
    let mut request = Request { lines: args.lines.get(), ..Request::new(setup, rule, limits) };
    if let Some(known) = known {
        let Proven { line, losing } = proven(&known.view()?, &request.setup, rule)?;
        if let Some(line) = line.filter(|_| args.lines.get() == 1) {
            let analysis = Analysis { lines: vec![line], win: None };
            screen.result(&request, &analysis, &forbidden)?;
            return Ok((request.setup, analysis.lines));
        }
        request.excluded = losing;
    }
    let mut failed = None;
    let analysis = analyze(engine, &request, stop, &mut |lines| {
        failed = screen.show(lines).err();
        // Standard output is closed.
        if failed.is_some() {
            stop.stop();
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    screen.result(&request, &analysis, &forbidden)?;
    if let Some(known) = known {
        known.store_lines(&request.setup, rule, &analysis.lines, true)?;
    }
    Ok((request.setup, analysis.lines))
}

/// Draws a board with the best moves, or, at the end of a game, with the winning row.
fn draw_board(path: &Path, setup: &Setup, first: usize, rule: Rule, engine: &Engine, lines: &[Line]) -> Result<()> {
    let percent = |line: &Line| short_chance(of_black(line.score, setup.to_move));
    let moves: Vec<(Point, String)> =
        lines.iter().filter_map(|line| line.moves.first().map(|point| (*point, percent(line)))).collect();
    let row = winning_row(setup, rule);
    let forbidden = if row.is_empty() { engine.forbidden(setup, rule) } else { Vec::new() };
    let picture = Picture { setup, first, forbidden: &forbidden, moves: &moves, row: &row };
    let svg = board_svg(&picture).map_err(anyhow::Error::msg)?;
    std::fs::write(path, svg).with_context(|| path.display().to_string())
}

/// The games that the arguments specify.
struct Selection {
    /// The games with their numbers, from 1.
    games: Vec<(usize, Loaded)>,
    /// Whether they come from files or standard input.
    is_of_file: bool,
    /// Whether there are other games, which may have been skipped.
    several: bool,
}

/// Reports a warning on standard error.
fn warn(number: usize, several: bool, warning: &str) -> std::io::Result<()> {
    let place = if several { format!("game {number}: ") } else { String::new() };
    writeln!(stderr(), "tengen: warning: {place}{warning}")
}

/// All games of the arguments, or the requested one, with their numbers; warnings go to standard error.
fn games(args: &Args) -> Result<Selection> {
    let mut games = Vec::new();
    // Number of games in the previous files.
    let mut count = 0;
    // Files are read one by one; other words are moves of one game.
    let piped = ["-".to_owned()];
    // No argument at a terminal means the empty board.
    let arguments = if args.position.is_empty() && !stdin().is_terminal() { &piped[..] } else { &args.position };
    let (files, words): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| *word == "-" || Path::new(word).is_file());
    ensure!(files.is_empty() || words.is_empty(), "{}: no such file", words.first().map_or("", |word| word));
    let is_of_file = !files.is_empty();
    for name in &files {
        // Reads only the requested game; of the other files, only the number of games.
        let wanted = args.game.map(|wanted| wanted.get().saturating_sub(count));
        let file = file(args, name, wanted)?;
        for warning in &file.warnings {
            writeln!(stderr(), "tengen: warning: {name}: {warning}")?;
        }
        games.extend(file.games.into_iter().map(|(number, game)| (count + number, game)));
        count += file.count;
    }
    if !is_of_file {
        let words: Vec<&str> = words.into_iter().map(String::as_str).collect();
        games.extend(moves(args, &words.join(" "))?.into_iter().map(|game| (1, game)));
        count = games.len();
        games.retain(|_| args.game.is_none_or(|wanted| wanted.get() == 1));
    }
    if let Some(wanted) = args.game {
        let games_are = if count == 1 { "is one game".to_owned() } else { format!("are {count} games") };
        ensure!(!games.is_empty(), "--game {wanted}: there {games_are}");
    }
    ensure!(!games.is_empty(), "no game");
    for (number, game) in &games {
        for warning in &game.warnings {
            warn(*number, count > 1, warning)?;
        }
    }
    Ok(Selection { games, is_of_file, several: count > 1 })
}

/// The games in a file or on standard input, or only the requested one.
fn file(args: &Args, name: &str, wanted: Option<usize>) -> Result<Games> {
    let bytes = match name {
        "-" => {
            let mut bytes = Vec::new();
            stdin().read_to_end(&mut bytes).context("standard input")?;
            bytes
        }
        path => std::fs::read(path).with_context(|| path.to_owned())?,
    };
    let known = Some(name).filter(|name| *name != "-");
    read_games(&bytes, known, args.size, wanted).with_context(|| known.unwrap_or("standard input").to_owned())
}

/// The game in the argument itself.
fn moves(args: &Args, text: &str) -> Result<Vec<Loaded>> {
    // A mistyped file name must not be reported as a bad drawing.
    let drawn = text.starts_with('(') || text.contains('\n');
    let moves = text.contains(|c: char| c.is_ascii_digit()) && !text.contains(['.', '/', '\\']);
    if !drawn && !moves && !text.trim().is_empty() {
        bail!("{text}: neither a file nor moves such as h8i9 or 7,7 8,6");
    }
    Ok(read(text, args.size)?)
}

/// The limits in the arguments, if any.
fn limits(args: &Args) -> Result<Option<Limits>> {
    let turn = args.time.map(Duration::try_from_secs_f64).transpose().context("--time")?;
    if turn.is_none() && args.nodes.is_none() && args.depth.is_none() {
        return Ok(None);
    }
    let turn = turn.filter(|turn| !turn.is_zero());
    Ok(Some(Limits { turn, nodes: args.nodes, depth: args.depth, ..Limits::infinite() }))
}

/// The output of lines: in place on a terminal, one set after another otherwise.
struct Screen {
    size: BoardSize,
    to_move: Side,
    json: bool,
    redraws: bool,
    /// Number of lines on the terminal that the next set replaces. Without redrawing: 1 once the header is printed.
    drawn: usize,
    /// The last set of lines shown.
    last: Vec<Line>,
}

impl Screen {
    fn show(&mut self, lines: &[Line]) -> std::io::Result<()> {
        let mut out = stdout().lock();
        self.last = lines.to_vec();
        if self.json {
            serde_json::to_writer(&mut out, &Json::of_lines(self.size, lines))?;
            writeln!(out)?;
            return out.flush();
        }
        let text = if self.redraws {
            let (height, width) = console::Term::stdout().size();
            let table = self.table(lines) + &effort(lines);
            // Lines that scroll away or wrap could not be replaced, so they are cut; the result shows them in full.
            let fits = table.lines().take(usize::from(height.max(4)) - 1);
            let shown: Vec<String> = fits.map(|line| line.chars().take(width.max(20).into()).collect()).collect();
            let text = self.erase() + &shown.join("\n") + "\n";
            self.drawn = shown.len();
            text
        } else {
            let table = self.table(lines);
            if std::mem::replace(&mut self.drawn, 1) == 0 { table } else { table[HEAD.len() + 1..].to_owned() }
        };
        // One write, so that no other output (the terminal's own ^C) comes in between.
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    fn result(&mut self, request: &Request, analysis: &Analysis, forbidden: &[Point]) -> Result<()> {
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
        // Prints full lines. Without redrawing, the lines are already printed, unless the last ones were extended.
        let shown = !self.redraws && self.drawn > 0;
        let table = match self.table(&analysis.lines) {
            _ if shown && self.last == analysis.lines => String::new(),
            table if shown => table[HEAD.len() + 1..].to_owned(),
            table => table,
        };
        writeln!(out, "{}{table}{}", self.erase(), effort(&analysis.lines))?;
        if let Some(verdict) = verdict(self.size, request.setup.to_move, analysis) {
            writeln!(out, "{verdict}")?;
        }
        Ok(())
    }

    /// Lines below their header.
    fn table(&self, lines: &[Line]) -> String {
        let rows = lines.iter().map(|line| row(self.size, self.to_move, line) + "\n");
        format!("{HEAD}\n{}", rows.collect::<String>())
    }

    /// The escape sequence that moves the cursor up to the first of the old lines and clears from there.
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
