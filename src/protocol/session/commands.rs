//! The execution of commands and bodies. An error is a text for the manager.

use super::{Effect, Session};
use crate::engine::{BoardSize, Cell, Goal, Point, Request, Setup};
use crate::protocol::answer::{Question, points_wanted};
use crate::protocol::body::{Body, Cells, Purpose};
use crate::protocol::command::{Command, Key, Setting};
use crate::protocol::database::{Ask, Edit, NONE, nothing};
use crate::protocol::extension::{DatabaseWord, Extension, Follows, Query, SoosorvStep};
use crate::protocol::reply::{About, Reply};
use crate::protocol::running::{Form, RunningSearch};
use crate::protocol::settings::Settings;
use crate::protocol::steps::Step;
use web_time::Instant;

/// Largest transposition table offered to boards: 2^22 KB, 4 GB.
const MAX_HASH_EXPONENT: u32 = 22;

impl Session {
    pub(super) fn command(&mut self, command: Command, arrived: Instant) -> Result<(), String> {
        if command.is_stop() {
            self.stop();
        }
        match command {
            Command::Start(size) => self.new_game(size),
            Command::Restart => self.new_game(self.game.setup()?.size),
            Command::Begin => return self.think(Goal::Move, Form::Move, arrived),
            Command::Turn(point) => {
                self.game.place(point, "TURN")?;
                return self.think(Goal::Move, Form::Move, arrived);
            }
            Command::Play(point) => {
                self.game.place(point, "PLAY")?;
                self.write(Reply::Points(vec![point]));
            }
            Command::TakeBack(point) => {
                self.game.take_back(point)?;
                self.write(Reply::Ok);
            }
            // The body follows.
            Command::Board | Command::Swap2Board => {}
            Command::Done => self.write(Reply::Unknown("command DONE outside a list".to_owned())),
            Command::About => self.write(Reply::About(About::this())),
            Command::End => self.exit(),
            Command::Stop => {}
            Command::Info(setting) => return self.info(setting),
            Command::Extension(extension) => return self.extension(&extension, arrived),
        }
        Ok(())
    }

    fn info(&mut self, setting: Setting) -> Result<(), String> {
        let needs = |settings: &Settings| (settings.rule(), settings.options().max_memory);
        let before = needs(&self.settings);
        self.settings.set(&setting);
        if self.game().is_some() && needs(&self.settings) != before {
            self.prepare();
        }
        match setting {
            Setting::EvaluationFile(name) if name.is_empty() => {
                Err("INFO nnue_file expects the name of a file".to_owned())
            }
            Setting::EvaluationFile(name) => {
                self.effects.push(Effect::Evaluate(name));
                Ok(())
            }
            Setting::DatabaseFile(_) if !self.has_database => Err(format!("database_file: {NONE}")),
            Setting::DatabaseFile(name) if name.is_empty() => {
                Err("INFO database_file expects the name of a file".to_owned())
            }
            Setting::DatabaseFile(name) => {
                self.effects.push(Effect::Database(Ask::File(name)));
                Ok(())
            }
            Setting::Known(Key::DatabaseReadonly, value) if self.has_database => {
                self.effects.push(Effect::Database(Ask::Changes(value == 0)));
                Ok(())
            }
            Setting::Known(..) | Setting::Evaluation(_) | Setting::Other { .. } => Ok(()),
        }
    }

    fn extension(&mut self, extension: &Extension, arrived: Instant) -> Result<(), String> {
        // Match runners also send YXSTOP; all other extensions come from a board.
        self.settings.board |= *extension != Extension::Stop;
        match extension {
            Extension::ShowInfo => {
                self.write(Reply::Message(format!("INFO MAX_THREAD_NUM {}", self.max_threads)));
                self.write(Reply::Message(format!("INFO MAX_HASH_SIZE {MAX_HASH_EXPONENT}")));
            }
            Extension::ShowForbid => {
                let (setup, rule) = (self.game.setup()?.clone(), self.settings.rule());
                self.effects.push(Effect::Forbidden { setup, rule });
            }
            Extension::NBest(lines) => return self.think_among(&[], Goal::Move, Some(*lines), Form::Move, arrived),
            Extension::BalanceOne(bias) => return self.think(Goal::BalanceOne { bias: *bias }, Form::Move, arrived),
            Extension::BalanceTwo(bias) => return self.think(Goal::BalanceTwo { bias: *bias }, Form::Move, arrived),
            Extension::SearchDefend => return self.think(Goal::AllMoves, Form::Move, arrived),
            Extension::HashClear => self.effects.push(Effect::Clear),
            Extension::ShowHashUsage => {
                let (whole, tenths) = (self.hash_full / 10, self.hash_full % 10);
                self.write(Reply::Message(format!("hash usage {whole}.{tenths}%")));
            }
            Extension::BlockReset => self.game.unblock_all(),
            Extension::Swap2Step(step) => return self.step(Step::Swap2(*step), &[], arrived),
            Extension::Soosorv(step @ SoosorvStep::Open) => return self.step(Step::Soosorv(*step), &[], arrived),
            Extension::Unsupported { word, .. } if word.follows() == Follows::Nothing => self.unsupported(word.name()),
            // Each change is in the file when it is answered.
            Extension::Database { word: word @ DatabaseWord::Save, .. } => {
                if self.has_database_for(word.name()) {
                    self.write(Reply::Message("the database is saved".to_owned()));
                }
            }
            // The body follows, or there is nothing to do.
            Extension::Board
            | Extension::Block
            | Extension::BlockUndo
            | Extension::Soosorv(_)
            | Extension::Query(_)
            | Extension::EditText(_)
            | Extension::Database { .. }
            | Extension::Unsupported { .. }
            | Extension::Stop => {}
        }
        Ok(())
    }

    /// Reports that a command has no effect, because its sender may wait for an answer.
    fn unsupported(&mut self, command: &str) {
        self.write(Reply::Message(format!("{command} is not supported")));
    }

    fn new_game(&mut self, size: BoardSize) {
        self.game.start(size);
        // A board starts a game at each edit and wants to keep what earlier searches learned; for all other managers
        // each game starts fresh.
        if !self.settings.board {
            self.forget();
        }
        self.write(Reply::Ok);
        self.prepare();
    }

    fn prepare(&mut self) {
        self.effects.push(Effect::Prepare { rule: self.settings.rule(), options: self.settings.options() });
    }

    fn forget(&mut self) {
        if self.remembered.take().is_some() {
            self.effects.push(Effect::Clear);
        }
    }

    pub(super) fn body(&mut self, body: Body, started: Instant) -> Result<(), String> {
        let Body { purpose, cells, text, left_out } = body;
        match purpose {
            Purpose::Board => {
                self.set_board(&cells, left_out)?;
                return self.think(Goal::Move, Form::Move, started);
            }
            Purpose::YxBoard => return self.set_board(&cells, left_out),
            Purpose::Swap2 => return self.swap2(&cells, started),
            Purpose::Soosorv(step) => return self.soosorv(step, &cells, started),
            Purpose::Block => self.game.block(cells),
            Purpose::BlockUndo => self.game.unblock(&cells),
            Purpose::Query(query) => {
                // While the engine thinks, this query is the only sign of a new game that Yixin-Board gives.
                let is_all = matches!(query, Query::All | Query::AllText);
                if is_all && !self.is_kept() && !self.search.as_ref().is_none_or(|search| search.is_about(&cells)) {
                    self.stop();
                }
                match self.listed(&cells).filter(|_| self.uses_database()) {
                    Some(setup) => {
                        let rule = self.settings.rule();
                        self.effects.push(Effect::Database(Ask::Query(query, Box::new(setup), rule)));
                    }
                    None => nothing(query).into_iter().for_each(|reply| self.write(reply)),
                }
            }
            Purpose::EditText => return self.edit("YXEDITTEXTDATABASE", &cells, Ok(Edit::Comment(text))),
            Purpose::Database(word) => return self.database(word, &cells, text),
            Purpose::Unsupported(command) => self.unsupported(command.name()),
        }
        Ok(())
    }

    /// Carries out a command of the database whose lines are complete.
    fn database(&mut self, word: DatabaseWord, cells: &Cells, text: String) -> Result<(), String> {
        let edit = match word {
            // No lines follow it.
            DatabaseWord::Save => return Ok(()),
            DatabaseWord::Set => {
                if self.has_database_for(word.name()) {
                    self.effects.push(Effect::Database(Ask::File(text)));
                }
                return Ok(());
            }
            DatabaseWord::DeleteOne => Ok(Edit::Delete),
            DatabaseWord::Record => Edit::record(&text),
            DatabaseWord::Label => Edit::label(&text),
            DatabaseWord::DeleteAll => Edit::delete_all(&text),
        };
        self.edit(word.name(), cells, edit)
    }

    /// Changes the record of a position.
    fn edit(&mut self, command: &str, cells: &Cells, edit: Result<Edit, String>) -> Result<(), String> {
        if !self.has_database_for(command) {
            return Ok(());
        }
        let (setup, rule) = (self.listed(cells).ok_or("no game: send START first")?, self.settings.rule());
        self.effects.push(Effect::Database(Ask::Edit(edit?, Box::new(setup), rule)));
        Ok(())
    }

    /// Whether the program has a database; if not, says so to the sender of the command.
    fn has_database_for(&mut self, command: &str) -> bool {
        if !self.has_database {
            self.write(Reply::Message(format!("{command}: {NONE}")));
        }
        self.has_database
    }

    /// The position after the moves of a list; `None` before the first `START`.
    fn listed(&self, cells: &Cells) -> Option<Setup> {
        Some(Setup::from_moves(self.game()?.size, self.game.on_board(cells).ok()?))
    }

    /// Sets a position, and warns the sender of lines that were left out: a move that they do not expect may follow.
    fn set_board(&mut self, cells: &Cells, left_out: usize) -> Result<(), String> {
        let left_out = left_out + self.game.set_board(cells)?;
        if left_out > 0 {
            let lines = if left_out == 1 { "line" } else { "lines" };
            self.write(Reply::Message(format!("{left_out} {lines} of the board left out")));
        }
        Ok(())
    }

    fn swap2(&mut self, cells: &Cells, started: Instant) -> Result<(), String> {
        let stones = self.game.on_board(cells)?;
        self.game.set_moves(&stones)?;
        // Swap2 has no decision at other numbers of stones; a normal move is the best guess.
        let goal = match stones.len() {
            0 => Goal::Swap2Open,
            3 => Goal::Swap2Reply,
            5 => Goal::Swap2Final,
            _ => Goal::Move,
        };
        self.think(goal, Form::Swap2, started)
    }

    /// Sets the position of a step of Soosorv, and starts its decision.
    fn soosorv(&mut self, step: SoosorvStep, cells: &Cells, started: Instant) -> Result<(), String> {
        let points = self.game.on_board(cells)?;
        let choose = step == SoosorvStep::Choose && points.len() > 4;
        let (stones, offered) = points.split_at(if choose { 4 } else { points.len() });
        self.game.set_moves(stones)?;
        if step == SoosorvStep::Choose && !choose {
            return Err("no fifth moves to choose from".to_owned());
        }
        self.step(Step::Soosorv(step), offered, started)
    }

    /// Starts the decision of an opening step on the game's position; `offered` are the fifth moves to choose from.
    fn step(&mut self, step: Step, offered: &[Point], started: Instant) -> Result<(), String> {
        let size = self.game.setup()?.size;
        if step.stones() == 0 {
            self.game.start(size);
        }
        let setup = self.game.setup()?;
        let free = offered.iter().filter(|p| size.contains(**p) && setup.cell(**p) == Cell::Empty).count();
        if setup.stones.len() != step.stones() || free != offered.len() {
            return Err("the opening has another number of stones here".to_owned());
        }
        self.think_among(offered, step.goal(offered.len()), None, Form::Step(step), started)
    }

    /// Starts a search on the game's position.
    fn think(&mut self, goal: Goal, form: Form, started: Instant) -> Result<(), String> {
        self.think_among(&[], goal, None, form, started)
    }

    /// The same, restricted to the moves in `among` unless it is empty. `lines` is given if several lines were
    /// requested, even if their number is one.
    fn think_among(
        &mut self,
        among: &[Point],
        goal: Goal,
        lines: Option<usize>,
        form: Form,
        started: Instant,
    ) -> Result<(), String> {
        let (setup, excluded) = (self.game.setup()?.clone(), self.game.excluded(among)?);
        let choices = setup.empty_cells();
        if choices < points_wanted(goal) {
            return Err("board is full".to_owned());
        }
        if choices == excluded.len() {
            return Err("all empty cells are excluded".to_owned());
        }
        let rule = self.settings.rule();
        if self.remembered.is_some_and(|remembered| remembered != (setup.size, rule)) {
            self.forget();
        }
        self.remembered = Some((setup.size, rule));
        if self.settings.wants_realtime() {
            self.write(Reply::Message("REALTIME REFRESH".to_owned()));
        }
        self.searches += 1;
        let limits = self.settings.limits(started);
        let question = Question { setup: setup.clone(), goal, excluded: excluded.clone() };
        self.search = Some(RunningSearch::new(self.searches, question, form, &limits, started));
        let is_question = matches!(goal, Goal::AllMoves | Goal::BalanceOne { .. } | Goal::BalanceTwo { .. });
        let analysis = is_question || lines.is_some() || self.settings.wants_lines() || self.settings.wants_realtime();
        let lines = lines.unwrap_or(1).clamp(1, choices);
        self.effects.push(Effect::Start {
            number: self.searches,
            request: Box::new(Request { setup, rule, limits, goal, lines, excluded, analysis, chance: None }),
            options: self.settings.options(),
        });
        Ok(())
    }
}
