//! The puzzle trainer: the list of puzzles, the answer to a person's move, and the progress that is kept.
//!
//! It is independent of the session: the game on the board goes on meanwhile. It has an engine of its own. A request
//! is JSON and blocks until it is answered, which takes at most some seconds, since every search has a limit of nodes.
//!
//! Where the person attacks, any move is right after which the solver still proves the win; the solver defends as long
//! as it can. A wrong move is refuted by a line. The puzzle is solved when the win cannot be stopped any more.

use crate::json::{foul_option, side_name};
use crate::lock;
use crate::points::BoardPoints;
use crate::reply::Reply;
use crate::work::whole_win;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Mutex, OnceLock};
use tengen::board::{BoardSize, Point, Setup, Side, format_point, parse_point};
use tengen::engine::{
    Engine, Evaluation, Limits, Line, Means, Options, Proof, Question, Request, Rule, StopToken, Verdict,
};
use tengen::movegen::{ThreatStatus, threat_status};
use tengen::position::Position;
use tengen::rules::{Foul, Game, foul};
use tengen_analysis::analyze::play_out;
use tengen_analysis::puzzle::{Kind, Puzzle, built_in};

/// Node limit of a proof, and of the search that looks for a refutation.
const PROOF_NODES: u64 = 300_000;
const SEARCH_NODES: u64 = 50_000;
/// Memory of the search, in bytes.
const TABLE: u64 = 16 << 20;
/// Most moves of a refutation that does not win.
const SHOWN: usize = 5;

/// A request of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Ask {
    /// All puzzles, and the progress.
    List {},
    /// Judges the last of some moves, played from the position of a puzzle.
    Try {
        /// The puzzle.
        puzzle: String,
        /// Labels, the person's and the solver's in turn; the last one is the person's.
        moves: Vec<String>,
    },
    /// A right move after some moves, and what its stone makes.
    Hint {
        /// The puzzle.
        puzzle: String,
        /// Labels, as in `try`; the person is to move.
        moves: Vec<String>,
    },
    /// A puzzle has been solved.
    Solved {
        /// The puzzle.
        puzzle: String,
        /// Whether at the first try and without hints.
        clean: bool,
    },
    /// A wrong move or a hint: the streak ends.
    Missed {},
}

/// What a person has achieved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Progress {
    /// Solved puzzles, and whether at the first try and without hints.
    solved: BTreeMap<String, bool>,
    /// Puzzles in a row that were solved so.
    streak: u32,
    /// The longest streak.
    best: u32,
}

/// The judgement of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Attempt {
    verdict: Judged,
    /// What the side to move must not do, if the verdict is `illegal`.
    #[serde(serialize_with = "foul_option")]
    foul: Option<Foul>,
    /// The moves that follow: the solver's reply, the rest of the win, or the refutation.
    line: BoardPoints,
    /// Whether the other side wins by the refutation.
    loses: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Judged {
    /// It wins, and the solver replies.
    Right,
    /// The puzzle is solved.
    Solved,
    /// It does not win, or does not save the game.
    Wrong,
    /// It cannot be played.
    Illegal,
}

/// A puzzle as the page gets it.
#[derive(Serialize)]
struct Listed {
    id: String,
    rule: &'static str,
    size: (u8, u8),
    /// Labels of the stones, black and white in turn.
    stones: String,
    #[serde(with = "side_name")]
    to_move: Side,
    kind: &'static str,
    grade: usize,
}

impl Listed {
    fn of(puzzle: &Puzzle) -> Listed {
        let size = puzzle.setup.size;
        Listed {
            id: puzzle.id(),
            rule: puzzle.rule.name(),
            size: (size.width(), size.height()),
            stones: puzzle.stones(),
            to_move: puzzle.setup.to_move,
            kind: puzzle.kind.name(),
            grade: puzzle.grade(),
        }
    }
}

/// The puzzles, and the index of each by its name.
#[derive(Debug)]
struct Puzzles {
    all: Vec<Puzzle>,
    by_id: HashMap<String, usize>,
}

impl Puzzles {
    fn new(all: Vec<Puzzle>) -> Puzzles {
        let by_id = all.iter().enumerate().map(|(index, puzzle)| (puzzle.id(), index)).collect();
        Puzzles { all, by_id }
    }

    fn find(&self, id: &str) -> Result<&Puzzle, String> {
        self.by_id.get(id).map(|index| &self.all[*index]).ok_or_else(|| "there is no such puzzle".to_owned())
    }
}

/// Where the progress is kept between two runs of the program.
pub trait ProgressStore: fmt::Debug + Send + Sync {
    /// What was written last; `None` if nothing was.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self) -> Result<Option<Vec<u8>>, String>;
    /// Replaces what was written last.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn write(&self, bytes: &[u8]) -> Result<(), String>;
    /// A sentence about what is wrong with its content.
    fn complaint(&self, error: &dyn fmt::Display) -> String {
        error.to_string()
    }
}

/// The trainer.
#[derive(Debug)]
pub struct Trainer {
    /// Read at the first request.
    puzzles: OnceLock<Puzzles>,
    evaluation: Evaluation,
    engine: Mutex<Option<Engine>>,
    progress: Mutex<Progress>,
    store: Option<Box<dyn ProgressStore>>,
    /// Why the progress cannot be read; it is not replaced then.
    unreadable: Option<String>,
}

/// The progress in a store; the default one if there is none.
fn read_progress(store: &dyn ProgressStore) -> Result<Progress, String> {
    let bytes = store.read()?;
    let read = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| store.complaint(&error));
    bytes.map_or_else(|| Ok(Progress::default()), read)
}

impl Trainer {
    /// A trainer with the program's puzzles. Its progress is kept in a store, if one is given.
    pub fn new(evaluation: Evaluation, store: Option<Box<dyn ProgressStore>>) -> Trainer {
        let known = store.as_deref().map_or_else(|| Ok(Progress::default()), read_progress);
        let (progress, unreadable) = known.map_or_else(|why| (Progress::default(), Some(why)), |known| (known, None));
        let (puzzles, engine, progress) = (OnceLock::new(), Mutex::new(None), Mutex::new(progress));
        Trainer { puzzles, evaluation, engine, progress, store, unreadable }
    }

    /// Replaces the puzzles.
    pub fn set_puzzles(&mut self, puzzles: Vec<Puzzle>) {
        self.puzzles = OnceLock::from(Puzzles::new(puzzles));
    }

    /// Answers a request.
    pub fn answer(&self, body: Value) -> Reply {
        match serde_json::from_value(body).map_err(|error| error.to_string()).and_then(|ask| self.carry_out(ask)) {
            Ok(body) => Reply { status: 200, body },
            Err(message) => Reply { status: 400, body: json!({"error": "malformed", "message": message}) },
        }
    }

    fn carry_out(&self, ask: Ask) -> Result<Value, String> {
        let puzzles = self.puzzles.get_or_init(|| Puzzles::new(built_in().to_vec()));
        match ask {
            Ask::List {} => {
                let puzzles: Vec<Listed> = puzzles.all.iter().map(Listed::of).collect();
                Ok(json!({"puzzles": puzzles, "progress": *lock(&self.progress)}))
            }
            Ask::Try { puzzle, moves } => {
                let puzzle = puzzles.find(&puzzle)?;
                let size = puzzle.setup.size;
                let points =
                    points_of(size, &moves).filter(|points| points.len() % 2 == 1 && points.len() <= size.cells());
                let attempt = self.judge(puzzle, &points.ok_or("expected labels, the last one the person's")?);
                serde_json::to_value(attempt).map_err(|error| error.to_string())
            }
            Ask::Hint { puzzle, moves } => {
                let puzzle = puzzles.find(&puzzle)?;
                let size = puzzle.setup.size;
                let hint = points_of(size, &moves).and_then(|points| self.hint(puzzle, &points));
                let hint = hint.ok_or("no move is known here")?;
                Ok(json!({"at": format_point(size, hint.solution), "shape": hint.shape().name()}))
            }
            Ask::Solved { puzzle, clean } => {
                puzzles.find(&puzzle)?;
                self.keep(|progress| {
                    progress.streak = if clean { progress.streak + 1 } else { 0 };
                    progress.best = progress.best.max(progress.streak);
                    *progress.solved.entry(puzzle).or_default() |= clean;
                })
            }
            Ask::Missed {} => self.keep(|progress| progress.streak = 0),
        }
    }

    /// Changes the progress and writes it. The answer says why it was not written, if it was not.
    fn keep(&self, change: impl FnOnce(&mut Progress)) -> Result<Value, String> {
        let mut progress = lock(&self.progress);
        change(&mut progress);
        let bytes = serde_json::to_vec(&*progress).map_err(|error| error.to_string())?;
        let write = |store: &dyn ProgressStore| store.write(&bytes).err();
        let unsaved = self.unreadable.clone().or_else(|| self.store.as_deref().and_then(write));
        Ok(json!({"progress": *progress, "unsaved": unsaved}))
    }

    /// The rest of a puzzle after some moves, with a right move as its solution.
    fn hint(&self, puzzle: &Puzzle, moves: &[Point]) -> Option<Puzzle> {
        if moves.is_empty() {
            return Some(puzzle.clone());
        }
        let mut game = Game::from_setup(puzzle.rule, puzzle.setup.clone()).ok()?;
        moves.iter().try_for_each(|point| game.play(*point).map(drop)).ok()?;
        let (rule, setup) = (puzzle.rule, game.setup());
        let mut kept = lock(&self.engine);
        let engine = self.engine(&mut kept);
        let proof = Solving { engine, rule, setup: setup.clone(), attacker: puzzle.attacker() }.prove();
        let solution = *proof.line.first().filter(|_| proof.verdict == Verdict::Win)?;
        Some(Puzzle { setup, solution, ..puzzle.clone() })
    }

    /// The engine; it is made at the first question.
    fn engine<'a>(&self, kept: &'a mut Option<Engine>) -> &'a mut Engine {
        kept.get_or_insert_with(|| {
            let evaluation = self.evaluation.clone();
            Engine::new(Options { hash: Some(TABLE), evaluation, ..Options::default() })
        })
    }

    fn judge(&self, puzzle: &Puzzle, moves: &[Point]) -> Attempt {
        let mut kept = lock(&self.engine);
        let engine = self.engine(&mut kept);
        let attempt = |verdict, line: Vec<Point>, loses| {
            let line = BoardPoints::new(puzzle.setup.size, line);
            Attempt { verdict, foul: None, line, loses }
        };
        let (last, before) = moves.split_last().unwrap_or((&puzzle.solution, &[]));
        let game = Game::from_setup(puzzle.rule, puzzle.setup.clone()).ok();
        let Some(mut game) = game.filter(|game| game.outcome().is_none()) else {
            return attempt(Judged::Illegal, Vec::new(), false);
        };
        if !before.iter().all(|point| !game.forbidden().contains(point) && game.play(*point).is_ok()) {
            return attempt(Judged::Illegal, Vec::new(), false);
        }
        if puzzle.rule.restricted_side() == Some(game.to_move())
            && let Some(foul) = foul(game.grid(), *last)
        {
            return Attempt { foul: Some(foul), ..attempt(Judged::Illegal, Vec::new(), false) };
        }
        if game.play(*last).is_err() {
            return attempt(Judged::Illegal, Vec::new(), false);
        }
        if game.outcome().is_some_and(|outcome| outcome.winner() == Some(puzzle.setup.to_move)) {
            return attempt(Judged::Solved, Vec::new(), false);
        }
        let mut solving = Solving { engine, rule: puzzle.rule, setup: game.setup(), attacker: puzzle.attacker() };
        match puzzle.kind {
            Kind::Escape => match solving.prove() {
                proof if proof.verdict == Verdict::Win => attempt(Judged::Wrong, solving.rest(proof), true),
                _ => attempt(Judged::Solved, Vec::new(), false),
            },
            _ => {
                let (verdict, line, loses) = solving.attack();
                attempt(verdict, line, loses)
            }
        }
    }
}

/// The points with these labels; `None` if one is no point of the board.
fn points_of(size: BoardSize, labels: &[String]) -> Option<Vec<Point>> {
    labels.iter().map(|label| parse_point(size, label).ok()).collect()
}

/// A position after the person's move.
struct Solving<'a> {
    engine: &'a mut Engine,
    rule: Rule,
    setup: Setup,
    attacker: Side,
}

impl Solving<'_> {
    fn question(&self, setup: Setup) -> Question {
        Question { setup, rule: self.rule, attacker: self.attacker, means: Means::Threats, nodes: PROOF_NODES }
    }

    fn prove(&mut self) -> Proof {
        let question = self.question(self.setup.clone());
        self.engine.prove(&question, &StopToken::new())
    }

    /// The line of a proven win, to its last stone.
    fn rest(&mut self, proof: Proof) -> Vec<Point> {
        let question = self.question(self.setup.clone());
        whole_win(self.engine, &question, proof, &StopToken::new())
    }

    /// The judgement of an attacker's move, the moves that follow, and whether the attacker loses.
    fn attack(&mut self) -> (Judged, Vec<Point>, bool) {
        let proof = self.prove();
        if proof.verdict == Verdict::Win {
            let plain = Position::new(&self.setup, self.rule)
                .is_ok_and(|mut position| matches!(threat_status(&mut position), ThreatStatus::Lost { plies: ..=2 }));
            if plain {
                return (Judged::Solved, self.rest(proof), false);
            }
            if let Some(reply) = proof.line.first() {
                return (Judged::Right, vec![*reply], false);
            }
        }
        let request =
            Request { analysis: true, ..Request::new(self.setup.clone(), self.rule, Limits::nodes(SEARCH_NODES)) };
        let line = self.engine.think(&request, &StopToken::new(), &mut |_| {}).line;
        if line.score.is_loss() || proof.verdict == Verdict::Win {
            // A win that the solver alone does not see.
            return (Judged::Right, line.moves.into_iter().take(1).collect(), false);
        }
        if line.score.is_win() {
            let win = play_out(self.engine, &self.setup, self.rule, &line, SEARCH_NODES, &StopToken::new());
            return (Judged::Wrong, win.map_or(line.moves, |win| win.moves), true);
        }
        (Judged::Wrong, self.refutation(&line, &proof.defences), false)
    }

    /// The line of a search if the solver confirms its first move, or else a defence that it confirms.
    fn refutation(&mut self, line: &Line, defences: &[Point]) -> Vec<Point> {
        let first = line.moves.first().copied();
        let stops = first.into_iter().chain(defences.iter().copied()).find(|point| {
            let question = self.question(self.setup.after(*point));
            self.engine.prove(&question, &StopToken::new()).verdict != Verdict::Win
        });
        match stops {
            Some(point) if Some(point) != first => vec![point],
            _ => line.moves.iter().copied().take(SHOWN).collect(),
        }
    }
}
