//! `tengen book`: makes or extends an opening book.

use crate::choices::{parse_rule, processors};
use crate::signal::stop_on_signal;
use anyhow::{Context, Result};
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use tengen::board::{format_point, format_points};
use tengen::book::{Advice, Book, format_book};
use tengen::engine::{BoardSize, Point, Rule, Setup};
use tengen_analysis::book::{Plan, grow};
use tengen_files::lock::{self, LockedFile};
use tengen_files::replace;

pub const EXAMPLES: &str = "\
Examples:
  tengen book -r renju -o book.txt              (adds missing positions; existing ones stay)
  tengen book -r freestyle -s 20 -n 10000000 --stones 6 -o book.txt
To build a book into the program, save it as src/book/book.txt and rebuild.";

/// The comment above the positions in the file.
const COMMENT: &str = "\
Openings searched beforehand: the stones of a position in labels (black first), a colon, the reply, the score of the
side to move in evaluation units, and the depth of the search in plies. One position stands for its images and for all
orders of its stones. Made by `tengen book`; lines may be changed by hand.";

/// Options of `tengen book`.
#[derive(clap::Args)]
pub struct BookArgs {
    /// Rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, default_value = "0", value_parser = parse_rule)]
    rule: Rule,
    /// Board size: 15, or 20x15
    #[arg(short, long, default_value = "15")]
    size: BoardSize,
    /// Nodes per reply
    #[arg(short, long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Maximum number of stones of a position
    #[arg(long, default_value_t = 4)]
    stones: usize,
    /// Maximum number of opponent moves to follow after each reply
    #[arg(long, default_value_t = 8)]
    answers: usize,
    /// Skip opponent moves that score more than this below the best one, in evaluation units
    #[arg(long, default_value_t = 120)]
    margin: i32,
    /// Include all first moves up to this distance from the centre
    #[arg(long, default_value_t = 4)]
    first: u8,
    /// Concurrent searches [default: one per processor]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// Book file; existing replies stay, and each new reply is saved at once
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// The file of a growing book. Each new reply is appended at once, so that a killed run loses nothing.
struct Growing {
    file: LockedFile,
    /// Whether the file has the heading of the rule and board.
    headed: bool,
    failed: Option<io::Error>,
}

impl Growing {
    /// Opens or creates a book, and also returns its content. A truncated last line is removed.
    fn open(path: &Path) -> Result<(Growing, Book)> {
        let name = || path.display().to_string();
        let mut options = OpenOptions::new();
        let mut file = lock::open(path, options.read(true).write(true).create(true).truncate(false))?;
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(name)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let book = match Book::parse(&text) {
            // The last line has no line break: the run that wrote it was killed.
            Err(error) if (1..text.len()).contains(&whole.len()) => {
                let book = Book::parse(whole).map_err(|_| error).with_context(name)?;
                file.set_len(whole.len() as u64).with_context(name)?;
                file.seek(SeekFrom::End(0)).with_context(name)?;
                book
            }
            parsed => parsed.with_context(name)?,
        };
        Ok((Growing { file, headed: false, failed: None }, book))
    }

    fn reply(&mut self, rule: Rule, size: BoardSize, line: &str) -> io::Result<()> {
        if !self.headed {
            write!(self.file, "\n\n[{rule} {size}]\n")?;
            self.headed = true;
        }
        self.file.write_all(format!("{line}\n").as_bytes())
    }

    /// Replaces the file by the sorted book.
    fn finish(self, path: &Path, book: &Book) -> io::Result<()> {
        // Windows cannot rename onto an open file.
        drop(self.file);
        replace(path, format_book(book, COMMENT).as_bytes())
    }
}

/// Runs `tengen book`.
pub fn main(args: &BookArgs) -> Result<ExitCode> {
    let path = &args.output;
    let name = || path.display().to_string();
    let (growing, mut book) = Growing::open(path)?;
    let known = book.len();
    let plan = Plan {
        rule: args.rule,
        empty: Setup::empty(args.size),
        nodes: args.nodes,
        stones: args.stones,
        answers: args.answers,
        margin: args.margin,
        first: args.first,
    };
    let threads = args.threads.map_or_else(processors, NonZeroUsize::get);
    let stop = stop_on_signal()?;
    let growing = Mutex::new(growing);
    let on_reply = |setup: &Setup, Advice { reply, score, depth }: Advice| {
        let stones: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
        let (stones, reply) = (format_points(setup.size, &stones), format_point(setup.size, reply));
        let line = format!("{stones}: {reply} {score} {depth}");
        // The book does not depend on a reader of the progress.
        let _ = writeln!(stderr(), "{line}");
        let mut growing = growing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = growing.reply(plan.rule, setup.size, &line) {
            growing.failed = Some(error);
            stop.stop();
        }
    };
    grow(&mut book, &plan, threads, &stop, &on_reply)?;
    let mut growing = growing.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = growing.failed.take() {
        return Err(error).with_context(name);
    }
    growing.finish(path, &book).with_context(name)?;
    let new = book.len() - known;
    writeln!(stdout(), "{}: {} positions, {new} of them new", name(), book.len())?;
    if stop.is_stopped() {
        writeln!(stderr(), "interrupted: the same command goes on with {}", name())?;
    }
    Ok(ExitCode::SUCCESS)
}
