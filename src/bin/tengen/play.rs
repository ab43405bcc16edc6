//! `tengen play`: a board for a person, in the browser or in the terminal.

use crate::choices::processors;
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, IsTerminal, Read, Write, stderr, stdin, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tengen::engine::{Rule, StopToken};
use tengen::play::command::{Assist, Clock, Command, NewGame, Opening, Player};
use tengen::play::host::{Host, Options};
use tengen::play::server::{self, serve};
use tengen::play::store::{Store, default_folder};
use tengen::play::text::{self, Dialogue, talk};
use tengen::play::view::{Event, Settings};
use tengen::workbench::evaluation::read_or_default;

/// Shown below `tengen play --help`.
pub const EXAMPLES: &str = "\
Examples:
  tengen play                                  (opens the browser)
  tengen play game.sgf
  tengen play --rule renju --level 3 --colour lot
  tengen play --text --size 20 --opening swap2
  echo 'h8' | tengen play --text --level 1

The board listens on 127.0.0.1 only, and only a browser that was given its address gets in. Others who use this computer
at the same time can reach the port but not the game. The program ends a minute after the last page is closed, unless
--stay or --no-open says otherwise.
The running game is saved by itself and offered at the next start.";

/// Options of `tengen play`.
#[derive(clap::Args)]
pub struct Args {
    /// A game to look at: SGF, .psq, .pos, .sav, .lib, or moves such as h8i9
    file: Option<PathBuf>,
    /// Play in the terminal; commands come from standard input, help lists them
    #[arg(long)]
    text: bool,
    /// Do not open a browser; print the address and nothing else, and go on when no page is open
    #[arg(long, conflicts_with = "text")]
    no_open: bool,
    /// Port to listen at; 0 takes a free one
    #[arg(long, default_value_t = 0, conflicts_with = "text")]
    port: u16,
    /// Go on when no page is open
    #[arg(long, conflicts_with = "text")]
    stay: bool,
    /// Threads of analysis and of full strength [default: all processors]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// Transposition table in MB
    #[arg(long, default_value_t = 256)]
    hash: u64,
    /// Evaluate by this network of `tengen train`, these weights of `tengen tune`, or by the built-in ones: `classical`
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Where games are saved [default: the state directory of this system]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Rule of the first game, or of a file that names none: freestyle, standard, renju, caro, caro-exact [default:
    /// freestyle]
    #[arg(short, long, value_parser = text::rule)]
    rule: Option<Rule>,
    /// Its board, or that of moves: 15, or 20x15 [default: 15]
    #[arg(short, long, value_parser = text::size)]
    size: Option<(u8, u8)>,
    /// Level of its engine, 1 to 10, or full [default: 5]
    #[arg(short, long, value_parser = level, value_name = "N")]
    level: Option<Player>,
    /// The person's colour: black, white, or lot [default: black]
    #[arg(long, value_enum, conflicts_with_all = ["black", "white"])]
    colour: Option<Colour>,
    /// Who plays black: me, engine, or engine:1 to engine:10 [default: me against an engine, the engine against me]
    #[arg(long, value_parser = text::player, value_name = "PLAYER")]
    black: Option<Player>,
    /// Who plays white
    #[arg(long, value_parser = text::player, value_name = "PLAYER")]
    white: Option<Player>,
    /// Time: 10m a game, 10m+5s with an increment, 30s/move
    #[arg(short, long, value_parser = text::clock)]
    time: Option<Clock>,
    /// How the game opens
    #[arg(long, value_enum)]
    opening: Option<Opens>,
    /// Warn of moves that lose this many points of winning chances, 1 to 100 [default: no warnings; 20 without
    /// a number]
    #[arg(long, value_parser = warn, value_name = "POINTS", num_args = 0..=1, require_equals = true,
        default_missing_value = "on")]
    warn: Option<Assist>,
    /// Serve the page's files from this folder
    #[cfg(debug_assertions)]
    #[arg(long, value_name = "DIR", hide = true)]
    dev_assets: Option<PathBuf>,
    /// Seed of lots and levels
    #[arg(long, hide = true)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Colour {
    Black,
    White,
    Lot,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Opens {
    None,
    Swap2,
}

/// The engine of a level.
fn level(text: &str) -> Result<Player, String> {
    if text == "full" { text::player("engine") } else { text::player(&format!("engine:{text}")) }
}

/// Help with warnings from this loss on.
fn warn(text: &str) -> Result<Assist, String> {
    text::warn(text, Assist::default())
}

impl Args {
    /// The game that the options describe.
    fn game(&self) -> NewGame {
        let usual = text::usual_game();
        let engine = self.level.clone().unwrap_or_else(|| usual.white.clone());
        let person = usual.black.clone();
        // Who is not named is a person against the engine, and the engine against a person.
        let other = |player: &Player| match player {
            Player::Person { .. } => engine.clone(),
            Player::Engine { .. } => person.clone(),
        };
        let (black, white) = match (&self.black, &self.white) {
            (Some(black), Some(white)) => (black.clone(), white.clone()),
            (Some(black), None) => (black.clone(), other(black)),
            (None, Some(white)) => (other(white), white.clone()),
            (None, None) if self.colour == Some(Colour::White) => (engine, person),
            (None, None) => (person, engine),
        };
        NewGame {
            rule: self.rule.unwrap_or(usual.rule),
            size: self.size.unwrap_or(usual.size),
            black,
            white,
            by_lot: self.colour == Some(Colour::Lot),
            clock: self.time.unwrap_or(usual.clock),
            opening: if self.opening == Some(Opens::Swap2) { Opening::Swap2 } else { Opening::None },
            assist: self.warn.unwrap_or(usual.assist),
            ..usual
        }
    }

    /// Whether the options say anything of rule or board.
    fn tells_board(&self) -> bool {
        self.rule.is_some() || self.size.is_some()
    }

    /// Whether they say anything of who plays, and how.
    fn tells_players(&self) -> bool {
        self.level.is_some()
            || self.colour.is_some()
            || self.black.is_some()
            || self.white.is_some()
            || self.time.is_some()
            || self.opening.is_some()
            || self.warn.is_some()
    }

    /// The game to begin with; `None` for an empty board or the game of a file. Where a file says nothing of rule or
    /// board, they are those of the game before.
    fn first(&self) -> Option<NewGame> {
        let game = self.game();
        if self.file.is_none() {
            return (self.tells_board() || self.tells_players() || self.text).then_some(game);
        }
        let usual = text::usual_game();
        let for_two = NewGame { rule: game.rule, size: game.size, white: usual.black.clone(), ..usual };
        self.tells_board().then_some(for_two)
    }
}

/// Runs `tengen play`.
pub fn main(args: &Args) -> Result<ExitCode> {
    let stop = stop_on_signal()?;
    let (sender, events) = channel();
    ensure!(
        args.file.is_none() || args.text || !args.tells_players(),
        "a file is looked at: who plays, how strong and by which clock is for a game without one"
    );
    let host = Host::new(Options {
        store: store(args.state_dir.as_deref())?,
        settings: Settings {
            threads: args.threads.map_or_else(processors, NonZeroUsize::get).min(processors()),
            processors: processors(),
            hash_mb: args.hash.clamp(1, 65_536),
        },
        evaluation: read_or_default(args.weights.as_deref())?,
        seed: args.seed.unwrap_or_else(random_seed),
        first: args.first(),
        watch: args.text.then_some(sender),
    })?;
    if let Some(file) = &args.file {
        load(&host, file)?;
    }
    if args.text { in_terminal(&host, &events, args.game(), &stop) } else { in_browser(args, host, &stop) }
}

/// Where games are saved: where the person says, or where the system says, if that can be had.
fn store(folder: Option<&Path>) -> Result<Option<Store>> {
    if let Some(folder) = folder {
        return Ok(Some(Store::open(folder).with_context(|| folder.display().to_string())?));
    }
    let Some(folder) = default_folder() else {
        writeln!(stderr(), "tengen: games are not saved: this system names no place for them; see --state-dir")?;
        return Ok(None);
    };
    match Store::open(&folder) {
        Ok(store) => Ok(Some(store)),
        Err(error) => {
            writeln!(stderr(), "tengen: games are not saved: {}: {error}", folder.display())?;
            Ok(None)
        }
    }
}

/// A seed that differs from run to run.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Shows the game of a file, the first of several.
fn load(host: &Host, file: &Path) -> Result<()> {
    let named = || file.display().to_string();
    let is_moves = !file.exists() && file.to_str().is_some_and(|text| !text.contains(['.', '/', '\\']));
    let (name, bytes) = match file.to_str().filter(|_| is_moves) {
        Some(moves) => (None, moves.as_bytes().to_vec()),
        None => (file.file_name().and_then(|name| name.to_str()), std::fs::read(file).with_context(named)?),
    };
    let games = host.read(name, &bytes).map_err(|refused| anyhow::Error::msg(refused.message)).with_context(named)?;
    if games.len() > 1 {
        let loaded = host.handle(Command::Load { index: 0 }, None);
        loaded.map_err(|refused| anyhow::Error::msg(refused.message))?;
    }
    Ok(())
}

fn in_terminal(host: &Host, events: &Receiver<Event>, game: NewGame, stop: &StopToken) -> Result<ExitCode> {
    let (sender, lines) = channel();
    // Ends with the program, since a read cannot be broken off.
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        let mut line = Vec::new();
        // What follows an overlong line's first part is read as another line, and makes no sense.
        while input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if sender.send(text).is_err() {
                break;
            }
            line.clear();
        }
    });
    let live = stdin().is_terminal();
    talk(&Dialogue { host, events, lines: &lines, stop, live, game }, &mut stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// Most bytes of a line of commands.
const LONGEST_LINE: u64 = 64 << 10;

/// A printed address is good for so long, or until it is used.
const CODE_BY_HAND: Duration = Duration::from_secs(24 * 60 * 60);

fn in_browser(args: &Args, host: Host, stop: &StopToken) -> Result<ExitCode> {
    let quit = host.quit();
    let host = Arc::new(host);
    // A printed address is carried over by a person, and no list of processes shows it.
    let usual = server::Times::default();
    let times = server::Times { code: if args.no_open { CODE_BY_HAND } else { usual.code }, ..usual };
    let settings = server::Settings {
        port: args.port,
        stay: args.stay || args.no_open,
        times,
        #[cfg(debug_assertions)]
        dev_assets: args.dev_assets.clone(),
    };
    let server = serve(host, settings).with_context(|| format!("cannot listen at port {}", args.port))?;
    let url = server.url();
    if args.no_open {
        writeln!(stdout(), "{url}")?;
        stdout().flush()?;
    } else if let Err(error) = server::open_browser(&url) {
        writeln!(stdout(), "No browser could be opened ({error}); open this address within a minute:\n{url}")?;
    } else {
        writeln!(stdout(), "The board is open in your browser, at {}. Ctrl-C ends it.", server.address())?;
    }
    let end = server.stop_handle();
    let (stop, done) = (stop.clone(), StopToken::new());
    let is_done = done.clone();
    let watcher = std::thread::spawn(move || {
        while !stop.is_stopped() && !quit.is_stopped() && !is_done.is_stopped() {
            std::thread::sleep(Duration::from_millis(50));
        }
        end.stop();
    });
    server.wait();
    done.stop();
    // A panic of that thread has been reported.
    drop(watcher.join());
    Ok(ExitCode::SUCCESS)
}
