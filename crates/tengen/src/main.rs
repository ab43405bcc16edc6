//! The program `tengen`: matches and their statistics, analysis, bench, training games.

mod analyze;
mod bench;
mod book;
mod choices;
mod data;
mod database;
mod engine_args;
mod generation;
mod gomocup;
mod match_;
mod match_args;
mod match_follow;
mod match_watch;
mod other_engines;
mod play;
mod puzzles;
mod review;
mod selfplay;
mod signal;
mod train;
mod tune;

use anyhow::Result;
use clap::error::ContextKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::{self, Write};
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::process::ExitCode;

/// Play, analyze and train Tengen, and match it against other engines.
#[derive(Parser)]
#[command(name = "tengen", version = tengen::VERSION)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play engines against each other
    #[command(after_long_help = match_args::EXAMPLES)]
    Match(Box<match_args::Args>),
    /// Play and analyze on a board in the browser, or in the terminal
    #[command(after_long_help = play::EXAMPLES)]
    Play(Box<play::Args>),
    /// Analyze a position, or review a finished game
    #[command(after_long_help = analyze::EXAMPLES)]
    Analyze(analyze::Args),
    /// Speak the protocol of Gomocup and Yixin-Board as pbrain-tengen does, with a database of positions
    #[command(after_long_help = gomocup::EXAMPLES)]
    Gomocup(gomocup::GomocupArgs),
    /// Find puzzles in games: positions in which one move wins
    #[command(after_long_help = puzzles::EXAMPLES)]
    Puzzles(puzzles::PuzzlesArgs),
    /// Measure the speed of the search on fixed positions, and compute the signature
    Bench(bench::Args),
    /// Make training games by self-play
    #[command(after_long_help = selfplay::EXAMPLES)]
    Selfplay(selfplay::SelfplayArgs),
    /// Inspect, join and convert training games
    #[command(subcommand)]
    Data(data::DataCommand),
    /// Keep positions of games, libraries and searches in a database, ask it and extend it
    #[command(subcommand, after_long_help = database::EXAMPLES)]
    Database(database::DatabaseCommand),
    /// Make or extend an opening book
    #[command(after_long_help = book::EXAMPLES)]
    Book(book::BookArgs),
    /// Tune the classical evaluation and the search parameters
    #[command(subcommand)]
    Tune(tune::TuneCommand),
    /// Train a network on training games
    #[command(after_long_help = train::EXAMPLES)]
    Train(train::TrainArgs),
    /// Make one generation of the network: self-play, training, and a match that decides whether it is adopted
    #[command(after_long_help = generation::EXAMPLES)]
    Generation(Box<generation::GenerationArgs>),
    /// Print a completion script for a shell
    #[command(after_help = "For example: tengen completions bash > ~/.local/share/bash-completion/completions/tengen")]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Ends orphaned engines; started by `match` itself
    #[command(hide = true)]
    Guard { mark: String },
}

fn main() -> ExitCode {
    env_logger::init();
    let mut matches = Cli::command().try_get_matches().unwrap_or_else(|error| for_people(error).exit());
    let set = matches.subcommand().map(|(_, set)| set.clone()).unwrap_or_default();
    let outcome = match Cli::from_arg_matches_mut(&mut matches) {
        Ok(cli) => dispatch(cli.command, &set),
        Err(error) => for_people(error).exit(),
    };
    match outcome {
        Ok(code) => signal::interrupted().unwrap_or(code),
        // The reader of the pipe has exited, as `head` does.
        Err(error) if error.downcast_ref().is_some_and(|e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            // If stderr is closed too, only the exit status reports the error.
            let _ = writeln!(io::stderr(), "tengen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Rewords the error if it comes from Rust's number parsers, whose messages address programmers.
fn for_people(error: clap::Error) -> clap::Error {
    let source = std::error::Error::source(&error);
    let words = match source.and_then(|e| e.downcast_ref::<ParseIntError>()).map(ParseIntError::kind) {
        Some(IntErrorKind::Zero) => "must be at least 1",
        Some(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => "this number is too large",
        Some(_) => "expected a whole number",
        None if source.is_some_and(|e| e.is::<ParseFloatError>()) => "expected a number",
        None => return error,
    };
    let text_of = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (value, option) = (text_of(ContextKind::InvalidValue), text_of(ContextKind::InvalidArg));
    let text = format!("invalid value '{value}' for '{option}': {words}\n\nFor more information, try '--help'.\n");
    clap::Error::raw(error.kind(), text)
}

/// Runs a command; `set` has the options as the command line sets them.
fn dispatch(command: Command, set: &ArgMatches) -> Result<ExitCode> {
    match command {
        Command::Match(args) => match_::main(*args, set),
        Command::Play(args) => play::main(&args),
        Command::Analyze(args) => analyze::main(&args),
        Command::Gomocup(args) => gomocup::main(&args),
        Command::Puzzles(args) => puzzles::main(&args),
        Command::Bench(args) => bench::main(&args),
        Command::Selfplay(args) => selfplay::selfplay(&args),
        Command::Data(command) => data::main(&command),
        Command::Database(command) => database::main(&command),
        Command::Book(args) => book::main(&args),
        Command::Tune(command) => tune::main(&command),
        Command::Train(args) => train::main(&args),
        Command::Generation(args) => generation::main(&args),
        Command::Completions { shell } => {
            // Writes to memory first: the generator panics on a closed pipe.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "tengen", &mut script);
            io::stdout().write_all(&script)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Guard { mark } => {
            tengen_engines::guard::serve(std::io::stdin().lock(), &mark);
            Ok(ExitCode::SUCCESS)
        }
    }
}
