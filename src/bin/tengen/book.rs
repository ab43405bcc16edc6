//! `tengen book`: makes or extends an opening book.

use crate::choices::{parse_rule, parse_size, processors};
use crate::signal::stop_on_signal;
use anyhow::{Context, Result};
use std::io::{ErrorKind, Write, stderr, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use tengen::board::{format_point, format_points};
use tengen::book::{Advice, Book, format_book};
use tengen::engine::{BoardSize, Point, Rule, Setup};
use tengen::workbench::analysis::book::{Plan, grow};

pub const EXAMPLES: &str = "\
Examples:
  tengen book -r renju -o book.txt              (adds what is missing; positions that are there stay)
  tengen book -r freestyle -s 20 -n 10000000 --stones 6 -o book.txt
A text in this form, named src/book/book.txt, becomes part of the program when that is built.";

/// What is written above the positions.
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
    #[arg(short, long, default_value = "15", value_parser = parse_size)]
    size: BoardSize,
    /// Nodes for each reply
    #[arg(short, long, default_value_t = 2_000_000)]
    nodes: u64,
    /// Most stones of a position
    #[arg(long, default_value_t = 4)]
    stones: usize,
    /// Answers of the opponent that are looked at in each position
    #[arg(long, default_value_t = 8)]
    answers: usize,
    /// Leave out answers that are worse than the best by more than this, in evaluation units
    #[arg(long, default_value_t = 120)]
    margin: i32,
    /// All first moves up to this distance from the centre are answered
    #[arg(long, default_value_t = 4)]
    first: u8,
    /// Searches at once [default: one a processor]
    #[arg(short = 'j', long)]
    threads: Option<usize>,
    /// The book; what it knows already is kept
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn main(args: &BookArgs) -> Result<ExitCode> {
    let path = &args.output;
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.with_context(|| path.display().to_string())?,
    };
    let mut book = Book::parse(&text).with_context(|| path.display().to_string())?;
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
    let threads = args.threads.unwrap_or_else(processors);
    let stop = stop_on_signal()?;
    let on_reply = |setup: &Setup, Advice { reply, score, depth }: Advice| {
        let stones: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
        let (stones, reply) = (format_points(setup.size, &stones), format_point(setup.size, reply));
        // Where nobody listens the book is made all the same.
        let _ = writeln!(stderr(), "{stones}: {reply} {score} {depth}");
    };
    grow(&mut book, &plan, threads, &stop, &on_reply)?;
    std::fs::write(path, format_book(&book, COMMENT)).with_context(|| path.display().to_string())?;
    let new = book.len() - known;
    writeln!(stdout(), "{}: {} positions, {new} of them new", path.display(), book.len())?;
    Ok(ExitCode::SUCCESS)
}
