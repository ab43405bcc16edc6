//! `tengen play`: a board for a person, in the browser or in the terminal.

use crate::choices::processors;
use crate::other_engines;
use crate::puzzles::read_puzzles;
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, IsTerminal, Read, Write, stderr, stdin, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tengen::engine::loader::read_or_default;
use tengen::engine::{Rule, StopToken};
use tengen_play::explorer::Explorer;
use tengen_play::host::{Host, Options};
use tengen_play::machine::largest_hash_mb;
use tengen_play::server::app::App;
use tengen_play::server::{self, serve};
use tengen_play::store::{Store, default_folder};
use tengen_play::text::{self, Dialogue, talk};
use tengen_session::command::{Assist, Clock, Command, NewGame, OpeningRule, Player};
use tengen_session::view::{Event, Settings};

/// Shown below `tengen play --help`.
pub const EXAMPLES: &str = "\
Examples:
  tengen play                                  (opens the browser)
  tengen play game.sgf
  tengen play --rule renju --level 3 --colour lot
  tengen play --database positions.tdb         (explores a database of positions)
  tengen play --text --size 20 --opening swap2
  tengen play --puzzles puzzles.txt            (trains with puzzles of your own)
  tengen play --address                        (prints a new address of the running board)
  echo 'h8' | tengen play --text --level 1
  tengen play --engine name=Rapfi,cmd=/opt/rapfi/pbrain-rapfi --white other:Rapfi

Engine keys (--engine, and tables [[engine]] of a file):
  name=TEXT        name to choose it by (default: the program's file name)
  cmd=PROGRAM      program, with arguments after blanks if there is no file of that name
  st=T             T seconds per move in a game without a clock (default 5), and for a second opinion (default 10)
  args= dir= nodes= depth= memory= threads= lenient= info.KEY= raw.KEY=   as in `tengen match --help`

The page chooses among the declared engines by name; it cannot start other programs.

The board listens on 127.0.0.1 only (with --in-container on all interfaces), and only a browser that got the address can
use it. Other users of this computer can reach the port but not the game. The program ends a minute after the last page
is closed, except with --stay or --no-open.
An address works once. The browser that used it can come back; for another browser press Enter in the terminal, or run
`tengen play --address`.
The board saves the game automatically and offers it at the next start, or a copy of it if another board is playing it.
It retries a failed save, and prints the game at the end if saving still fails.";

/// Options of `tengen play`.
#[derive(clap::Args)]
pub struct Args {
    /// Game to show: a file (SGF, .psq, .pos, .sav, .lib), or moves such as h8i9
    file: Option<PathBuf>,
    /// Play in the terminal; commands are read from standard input, and `help` lists them
    #[arg(long)]
    text: bool,
    /// Do not open a browser: print only the address, and keep running when no page is open
    #[arg(long, conflicts_with = "text")]
    no_open: bool,
    /// Print a new address of each running board, for another browser
    #[arg(long, conflicts_with_all = ["file", "text", "no_open"])]
    address: bool,
    /// Port; 0 selects a free one
    #[arg(long, default_value_t = 0, conflicts_with = "text")]
    port: u16,
    /// Listen on all interfaces, in a container that publishes --port under the same number to 127.0.0.1 outside
    #[arg(long, requires = "port", conflicts_with = "text")]
    in_container: bool,
    /// Keep running when no page is open
    #[arg(long, conflicts_with = "text")]
    stay: bool,
    /// Search threads for analysis and for full strength [default: one per processor]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// Hash size (transposition table) in MB, up to three quarters of the memory
    #[arg(long, default_value_t = 256)]
    hash: u64,
    /// Evaluation: a network of `tengen train`, weights of `tengen tune`, or `classical` [default: the built-in
    /// network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Folder where games are saved [default: the state directory of this system]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Database of positions to explore beside the board; it is made if there is none
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    database: Option<PathBuf>,
    /// Rule of the first game, and of a file without a rule: freestyle, standard, renju, caro, caro-exact [default:
    /// freestyle; renju with an opening of renju]
    #[arg(short, long, value_parser = text::rule)]
    rule: Option<Rule>,
    /// Board size of the first game, and of given moves: 15, or 20x15 [default: 15]
    #[arg(short, long, value_parser = text::size)]
    size: Option<(u8, u8)>,
    /// Level of the engine in the first game: 1 to 10, or full [default: 5]
    #[arg(short, long, value_parser = level, value_name = "N")]
    level: Option<Player>,
    /// Your colour: black, white, or lot for a random one [default: black]
    #[arg(long, value_enum, conflicts_with_all = ["black", "white"])]
    colour: Option<Colour>,
    /// Black player: me, engine (full strength), engine:1 to engine:10, or other:NAME of --engine [default: me, or
    /// the engine if White is me]
    #[arg(long, value_parser = text::player, value_name = "PLAYER")]
    black: Option<Player>,
    /// White player: me, engine, engine:1 to engine:10, or other:NAME of --engine [default: the engine, or me
    /// if Black is an engine]
    #[arg(long, value_parser = text::player, value_name = "PLAYER")]
    white: Option<Player>,
    /// Time control: 10m per game, 10m+5s with an increment, or 30s/move [default: none]
    #[arg(short, long, value_parser = text::clock)]
    time: Option<Clock>,
    /// Opening rule: free, pro, long-pro, swap, swap2; in renju also rif, yamaguchi, soosorv-8, tarannikov,
    /// taraguchi-10 [default: free]
    #[arg(long, value_parser = OpeningRule::from_str, value_name = "RULE")]
    opening: Option<OpeningRule>,
    /// Warn of moves that lose at least this many percentage points of win probability, 1 to 100 [default: no
    /// warnings; 20 if the option has no number]
    #[arg(long, value_parser = warn, value_name = "POINTS", num_args = 0..=1, require_equals = true,
        default_missing_value = "on")]
    warn: Option<Assist>,
    /// Train with the puzzles of this file, of `tengen puzzles`, instead of the program's own
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    puzzles: Option<PathBuf>,
    #[command(flatten)]
    others: other_engines::OtherArgs,
    /// Serve the page's files from this folder
    #[cfg(debug_assertions)]
    #[arg(long, value_name = "DIR", hide = true)]
    dev_assets: Option<PathBuf>,
    /// Seed of random colours and of the levels
    #[arg(long, hide = true)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Colour {
    Black,
    White,
    Lot,
}

/// The engine at a level.
fn level(text: &str) -> Result<Player, String> {
    if text == "full" { text::player("engine") } else { text::player(&format!("engine:{text}")) }
}

/// The assistance: warnings from this loss on.
fn warn(text: &str) -> Result<Assist, String> {
    text::warn(text, Assist::default())
}

impl Args {
    /// The game that the options specify.
    fn game(&self) -> NewGame {
        let usual = text::usual_game();
        let opening = self.opening.unwrap_or(usual.opening);
        let engine = self.level.clone().unwrap_or_else(|| usual.white.clone());
        let person = usual.black.clone();
        // If only one player is given, the other is the engine for a person, and a person for the engine.
        let other = |player: &Player| match player {
            Player::Person { .. } => engine.clone(),
            Player::Engine { .. } | Player::Other { .. } => person.clone(),
        };
        let (black, white) = match (&self.black, &self.white) {
            (Some(black), Some(white)) => (black.clone(), white.clone()),
            (Some(black), None) => (black.clone(), other(black)),
            (None, Some(white)) => (other(white), white.clone()),
            (None, None) if self.colour == Some(Colour::White) => (engine, person),
            (None, None) => (person, engine),
        };
        NewGame {
            rule: self.rule.unwrap_or(if opening.is_renju() { Rule::Renju } else { usual.rule }),
            size: self.size.unwrap_or(usual.size),
            black,
            white,
            by_lot: self.colour == Some(Colour::Lot),
            clock: self.time.unwrap_or(usual.clock),
            opening,
            assist: self.warn.unwrap_or(usual.assist),
            ..usual
        }
    }

    /// Whether the options specify the rule or board.
    fn specifies_board(&self) -> bool {
        self.rule.is_some() || self.size.is_some()
    }

    /// Whether the options specify the players or their conditions.
    fn specifies_players(&self) -> bool {
        self.level.is_some()
            || self.colour.is_some()
            || self.black.is_some()
            || self.white.is_some()
            || self.time.is_some()
            || self.opening.is_some()
            || self.warn.is_some()
    }

    /// The first game; `None` for an empty board or the game of a file. If a file specifies no rule or board, those of
    /// this game apply.
    fn first(&self) -> Option<NewGame> {
        let game = self.game();
        if self.file.is_none() {
            return (self.specifies_board() || self.specifies_players() || self.text).then_some(game);
        }
        let usual = text::usual_game();
        let for_two = NewGame { rule: game.rule, size: game.size, white: usual.black.clone(), ..usual };
        self.specifies_board().then_some(for_two)
    }
}

/// Runs `tengen play`.
pub fn main(args: &Args) -> Result<ExitCode> {
    if args.address {
        return print_addresses(args.state_dir.as_deref());
    }
    let stop = stop_on_signal()?;
    let (sender, events) = channel();
    ensure!(
        args.file.is_none() || args.text || !args.specifies_players(),
        "a file is looked at: who plays, how strong and by which clock is for a game without one"
    );
    let (asked, processors) = (args.threads.map(NonZeroUsize::get), processors());
    if let Some(threads) = asked.filter(|threads| *threads > processors) {
        writeln!(stderr(), "tengen: {processors} threads instead of {threads}: there are no more processors")?;
    }
    let largest = largest_hash_mb();
    ensure!(
        (1..=largest).contains(&args.hash),
        "--hash {}: the table has 1 to {largest} MB on this computer",
        args.hash
    );
    let folder = folder(args.state_dir.as_deref())?;
    let host = Host::new(Options {
        store: folder.as_deref().map(|folder| store(folder, args.state_dir.is_some())).transpose()?.flatten(),
        settings: Settings { threads: asked.unwrap_or(processors).min(processors), processors, hash_mb: args.hash },
        evaluation: read_or_default(args.weights.as_deref())?,
        engines: args.others.load(folder.as_deref())?,
        explorer: args.database.as_deref().map(Explorer::open).transpose()?,
        seed: args.seed.unwrap_or_else(random_seed),
        first: args.first(),
        watch: args.text.then_some(sender),
    })?;
    let host = match &args.puzzles {
        Some(file) => host.with_puzzles(read_puzzles(file)?),
        None => host,
    };
    for note in host.notes() {
        writeln!(stderr(), "tengen: {note}")?;
    }
    if let Some(file) = &args.file {
        load(&host, file)?;
    }
    let host = Arc::new(host);
    let ended = if args.text {
        in_terminal(&host, &events, args.game(), &stop)
    } else {
        in_browser(args, &host, folder.as_deref(), &stop)
    };
    // Saves the game first, whatever ended the program.
    let saved = save(&host);
    ended?;
    saved?;
    ensure!(!host.has_failed(), "the board ended by a mistake of the program");
    Ok(ExitCode::SUCCESS)
}

/// Maximum of bytes of an unsaved game that is printed.
const LONGEST_GAME: usize = 1 << 20;

/// Saves unsaved games. A game that cannot be saved is printed, so that it is not lost.
fn save(host: &Host) -> Result<()> {
    let Some((why, games)) = host.last_save() else { return Ok(()) };
    for game in &games {
        if game.len() <= LONGEST_GAME {
            writeln!(stderr(), "tengen: a game could not be saved ({why}). This is it, as SGF:\n{}", game.trim_end())?;
        }
    }
    let lost = games.iter().filter(|game| game.len() > LONGEST_GAME).count();
    let unprinted = if lost > 0 { format!("; {lost} too large to be printed") } else { String::new() };
    bail!("games that could not be saved: {} ({why}){unprinted}", games.len())
}

fn print_addresses(state_dir: Option<&Path>) -> Result<ExitCode> {
    let folder =
        state_dir.map(Path::to_owned).or_else(default_folder).context("no place for state; see --state-dir")?;
    let urls = server::address::ask(&folder);
    ensure!(!urls.is_empty(), "no board is running that keeps its games in {}; see --state-dir", folder.display());
    for url in urls {
        writeln!(stdout(), "{url}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder of saved games: the given one, or the system's default if there is one.
fn folder(given: Option<&Path>) -> Result<Option<PathBuf>> {
    let folder = given.map(Path::to_owned).or_else(default_folder);
    if folder.is_none() {
        writeln!(stderr(), "tengen: games are not saved: this system names no place for them; see --state-dir")?;
    }
    Ok(folder)
}

/// The games in a folder. Errors are fatal only with `must`; otherwise the board works without saved games.
fn store(folder: &Path, must: bool) -> Result<Option<Store>> {
    match Store::open(folder) {
        Ok(store) => Ok(Some(store)),
        Err(error) if must => Err(error).with_context(|| folder.display().to_string()),
        Err(error) => {
            writeln!(stderr(), "tengen: games are not saved: {}: {error}", folder.display())?;
            Ok(None)
        }
    }
}

/// A seed that differs from run to run.
pub fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Shows the first game of a file.
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

fn in_terminal(host: &Host, events: &Receiver<Event>, game: NewGame, stop: &StopToken) -> Result<()> {
    let (sender, lines) = channel();
    // This thread ends with the program, since a blocking read cannot be interrupted.
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        let mut line = Vec::new();
        // The rest of an overlong line counts as another line, which is not a valid command.
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
    Ok(())
}

/// Maximum of bytes of a line of commands.
const LONGEST_LINE: u64 = 64 << 10;

fn in_browser(args: &Args, host: &Arc<Host>, folder: Option<&Path>, stop: &StopToken) -> Result<()> {
    let quit = host.quit();
    let settings = server::Settings {
        port: args.port,
        in_container: args.in_container,
        stay: args.stay || args.no_open,
        times: server::Times::default(),
        #[cfg(debug_assertions)]
        dev_assets: args.dev_assets.clone(),
    };
    let app: Arc<dyn App> = Arc::<Host>::clone(host);
    let server = serve(app, settings).with_context(|| format!("cannot serve the board at port {}", args.port))?;
    let announced = folder.map(|folder| server.announce(folder)).transpose();
    if let Err(error) = &announced {
        writeln!(stderr(), "tengen: `tengen play --address` will not find this board: {error}")?;
    }
    // With `--no-open` a person copies the printed address; it appears in no list of processes.
    if args.no_open {
        writeln!(stdout(), "{}", server.url_by_hand())?;
        stdout().flush()?;
    } else if let Err(error) = server::open_browser(&server.url()) {
        let url = server.url_by_hand();
        writeln!(stdout(), "No browser could be opened ({error}); open this address:\n{url}")?;
    } else {
        writeln!(stdout(), "The board is open in your browser, at {}. Ctrl-C ends it.", server.address())?;
    }
    let (end, enters) = (server.stop_handle(), enters());
    let (stop, done) = (stop.clone(), StopToken::new());
    let is_done = done.clone();
    let watcher = std::thread::spawn(move || {
        while !stop.is_stopped() && !quit.is_stopped() && !is_done.is_stopped() {
            std::thread::sleep(Duration::from_millis(50));
            for () in enters.try_iter() {
                // Standard output may be closed.
                let _ = writeln!(stdout(), "{}", end.url_by_hand());
            }
        }
        end.stop();
    });
    let ended = server.wait();
    done.stop();
    // A panic of that thread has already been reported.
    drop(watcher.join());
    drop(announced);
    ended.context("the board cannot be served any more")
}

/// Sends a message when Enter is pressed in the terminal, if there is one.
fn enters() -> Receiver<()> {
    let (sender, receiver) = channel();
    if stdin().is_terminal() {
        // This thread ends with the program, since a blocking read cannot be interrupted.
        std::thread::spawn(move || {
            let mut line = String::new();
            while may_read() {
                line.clear();
                let read = stdin().lock().take(LONGEST_LINE).read_line(&mut line);
                if !read.is_ok_and(|count| count > 0) || sender.send(()).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// Waits until a line can be read from the terminal; false at its end. It polls instead of reading: the system stops a
/// background program that reads from its terminal.
#[cfg(unix)]
fn may_read() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const LOOK: Duration = Duration::from_millis(500);
    loop {
        // If the query fails, the terminal does not control this process, and reading cannot stop it.
        let is_ours = rustix::termios::tcgetpgrp(stdin()).map_or(true, |group| group == rustix::process::getpgrp());
        if !is_ours {
            std::thread::sleep(LOOK);
            continue;
        }
        let input = stdin();
        let mut fds = [PollFd::new(&input, PollFlags::IN)];
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
        match poll(&mut fds, Some(&wait)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return true,
            Err(_) => return false,
        }
    }
}

#[cfg(not(unix))]
fn may_read() -> bool {
    true
}
