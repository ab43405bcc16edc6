//! One game between two players: side to move, clocks, and the end of the game.
//!
//! The referee applies the rules with [`rules::Game`](tengen::rules::Game) and addresses players through a trait. Other
//! modules implement players and score results.

use super::settings::{Adjudication, Agreement};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use tengen::board::{Cell, Point, Side};
use tengen::control::StopToken;
use tengen::opening::{Choice, Due, Opening, OpeningRule, Step};
use tengen::rules::{Game, Outcome, Status};
use tengen_engines::fault::{Fault, FaultKind};
use tengen_engines::player::{Answer, Clock, Interrupt, Player, Question, Response, Table};
use tengen_engines::search_info::SearchInfo;
use tengen_engines::spec::EngineLimits;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// A row of five (or more, where that wins).
    Row,
    /// A forbidden move lost the game.
    Foul,
    /// The board is full.
    Full,
    /// The move limit was reached.
    DrawAfter,
    /// Both evaluations agreed on a draw.
    AgreedDraw,
    /// Both evaluations agreed on the loser.
    Resign,
    /// A fault of the loser.
    Fault,
}

impl End {
    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            End::Row => "row",
            End::Foul => "foul",
            End::Full => "full board",
            End::DrawAfter => "move limit",
            End::AgreedDraw => "agreed draw",
            End::Resign => "resignation",
            End::Fault => "fault",
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A move that an engine made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The point.
    pub point: Point,
    /// Time used.
    pub used: Duration,
    /// Time above the limit, within the tolerance.
    pub over: Duration,
    /// Search information that the engine reported.
    pub note: SearchInfo,
}

/// A finished game. Players are identified by their seats, 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The seat that finally had black (swap2 decides the colours).
    pub black: usize,
    /// Stones of the opening: those that no engine chose by a move.
    pub opening: Vec<Point>,
    /// The moves after the opening.
    pub moves: Vec<Played>,
    /// The winner's seat; `None` for a draw.
    pub winner: Option<usize>,
    /// How it ended.
    pub end: End,
    /// Faults with the seat that committed them. A fault that lost the game comes first.
    pub faults: Vec<(usize, Fault)>,
}

/// A game to play.
#[derive(Clone, Debug)]
pub struct Fixture<'a> {
    /// Rule and board.
    pub table: Table,
    /// Stones of the opening. In swap2 the opener's three, or none if the opener chooses them itself.
    pub opening: &'a [Point],
    /// Whether swap2 decides the colours; the opener has seat 0. Without swap2 seat 0 has black.
    pub swap2: bool,
    /// Limits of both seats.
    pub limits: [EngineLimits; 2],
    /// Rules of adjudication.
    pub adjudication: Adjudication,
}

/// State of a game before a question to a player.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The stones on the board, in order of play.
    pub stones: &'a [Point],
    /// The seat that has black; during swap2 possibly preliminary.
    pub black: usize,
    /// The seat to be asked.
    pub seat: usize,
}

/// Plays a game to its end.
///
/// # Errors
/// `Stopped` if `stop` was set before the game ended.
pub fn play<'a>(
    fixture: &'a Fixture<'a>,
    players: [&'a mut (dyn Player + 'a); 2],
    stop: &'a StopToken,
) -> Result<Finished, Stopped> {
    play_watched(fixture, players, stop, &mut |_| {})
}

/// Plays a game to its end. Calls `before` ahead of each question to a player and waits for its return; no clock runs
/// during the call.
///
/// # Errors
/// `Stopped` if `stop` was set before the game ended.
pub fn play_watched<'a>(
    fixture: &'a Fixture<'a>,
    players: [&'a mut (dyn Player + 'a); 2],
    stop: &'a StopToken,
    before: &mut dyn FnMut(&Turn),
) -> Result<Finished, Stopped> {
    let mut match_up = MatchUp {
        fixture,
        players,
        clocks: fixture.limits.map(|limits| Clock::new(&limits)),
        game: Game::new(fixture.table.rule, fixture.table.size),
        stones: Vec::new(),
        black: 0,
        moves: Vec::new(),
        stop,
        before,
    };
    let (winner, end, fault) = match match_up.run() {
        Ok((winner, end)) => (winner, end, None),
        Err((_, Interrupt::Stopped)) => return Err(Stopped),
        Err((seat, Interrupt::Fault(fault))) => {
            let end = if fault.kind == FaultKind::Forbidden { End::Foul } else { End::Fault };
            (Some(1 - seat), end, Some((seat, fault)))
        }
    };
    let MatchUp { mut players, stones, moves, black, .. } = match_up;
    let mut faults: Vec<_> = fault.into_iter().collect();
    for (seat, player) in players.iter_mut().enumerate() {
        faults.extend(player.take_notes().into_iter().map(|note| (seat, note)));
    }
    let opening = stones[..stones.len() - moves.len()].to_vec();
    Ok(Finished { black, opening, moves, winner, end, faults })
}

/// The run was stopped before the game had ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// An interrupt and the seat it belongs to.
type Trouble = (usize, Interrupt);

/// Seat of the winner and kind of the end.
type Verdict = (Option<usize>, End);

/// A game in progress.
struct MatchUp<'a, 'b> {
    fixture: &'a Fixture<'a>,
    players: [&'a mut (dyn Player + 'a); 2],
    clocks: [Clock; 2],
    game: Game,
    stones: Vec<Point>,
    black: usize,
    moves: Vec<Played>,
    stop: &'a StopToken,
    before: &'b mut dyn FnMut(&Turn),
}

impl MatchUp<'_, '_> {
    fn run(&mut self) -> Result<Verdict, Trouble> {
        for seat in 0..2 {
            self.players[seat].start(&self.fixture.table, self.stop).map_err(|e| (seat, e))?;
        }
        for point in self.fixture.opening {
            // Openings were checked when they were loaded. If one ends the game, that is a regular result.
            let status = self.game.play(*point);
            self.stones.push(*point);
            if let Ok(Status::Over(outcome)) = status {
                return Ok(self.ended(&outcome));
            }
        }
        if self.fixture.swap2
            && let Some(end) = self.open_by_swap2()?
        {
            return Ok(end);
        }
        loop {
            let seat = self.seat_of(self.game.to_move());
            let (response, over) = self.ask(seat, true)?;
            let point = self.single(seat, &response)?;
            let before = self.stones.len();
            let end = self.put(seat, point);
            // A forbidden move is recorded; a move that cannot be played is not.
            if self.stones.len() > before {
                self.moves.push(Played { point, used: response.used, over, note: response.note });
            }
            if let Some(end) = end? {
                return Ok(end);
            }
            if let Some(end) = self.adjudicate() {
                return Ok(end);
            }
        }
    }

    fn seat_of(&self, side: Side) -> usize {
        if side == Side::Black { self.black } else { 1 - self.black }
    }

    fn ask(&mut self, seat: usize, plain: bool) -> Result<(Response, Duration), Trouble> {
        (self.before)(&Turn { stones: &self.stones, black: self.black, seat });
        self.clocks[seat].gain();
        let clock = self.clocks[seat];
        let question = if plain { Question::Move(&self.stones) } else { Question::Swap2(&self.stones) };
        let response = self.players[seat].ask(&question, &clock, self.stop).map_err(|e| (seat, e))?;
        let over = clock.limit().map_or(Duration::ZERO, |limit| response.used.saturating_sub(limit));
        self.clocks[seat].charge(response.used);
        Ok((response, over))
    }

    /// The point of an answer to a question for a move.
    fn single(&self, seat: usize, response: &Response) -> Result<Point, Trouble> {
        match &response.said {
            Answer::Points(points) if points.len() == 1 => Ok(points[0]),
            said => Err((seat, Interrupt::Fault(Fault::new(FaultKind::Protocol, format!("one move, not {said:?}"))))),
        }
    }

    /// Plays a stone; returns the verdict if it ends the game.
    fn put(&mut self, seat: usize, point: Point) -> Result<Option<Verdict>, Trouble> {
        let illegal = |detail: String| (seat, Interrupt::Fault(Fault::new(FaultKind::Illegal, detail)));
        match self.game.play(point) {
            Err(error) => Err(illegal(format!("move {},{} is illegal: {error}", point.x(), point.y()))),
            Ok(status) => {
                self.stones.push(point);
                match status {
                    Status::Running => Ok(None),
                    Status::Over(Outcome::Foul { foul, .. }) => {
                        let detail = format!("move {},{} is forbidden: {foul}", point.x(), point.y());
                        Err((seat, Interrupt::Fault(Fault::new(FaultKind::Forbidden, detail))))
                    }
                    Status::Over(outcome) => Ok(Some(self.ended(&outcome))),
                }
            }
        }
    }

    fn ended(&self, outcome: &Outcome) -> Verdict {
        match outcome {
            Outcome::Win { side, .. } => (Some(self.seat_of(*side)), End::Row),
            Outcome::Foul { side, .. } => (Some(self.seat_of(!*side)), End::Foul),
            Outcome::Draw => (None, End::Full),
        }
    }

    /// The swap2 dialogue. Seat 0 opens, with black at first; afterwards `black` is the seat that has black.
    fn open_by_swap2(&mut self) -> Result<Option<Verdict>, Trouble> {
        let mut opening = Opening::new(OpeningRule::Swap2);
        for point in &self.stones {
            opening = opening.after(Step::Stone(*point)).unwrap_or(opening);
        }
        self.black = 0;
        while !opening.is_over() {
            let seat = self.seat_of(opening.actor(self.game.to_move()));
            let (response, _) = self.ask(seat, false)?;
            let (choice, points) = swap2_answer(&opening, &response.said)
                .map_err(|what| (seat, Interrupt::Fault(Fault::new(FaultKind::Protocol, format!("swap2: {what}")))))?;
            let stones = points.iter().map(|point| Step::Stone(*point));
            for step in choice.map(Step::Choice).into_iter().chain(stones) {
                opening = opening.after(step).unwrap_or(opening);
            }
            self.black = usize::from(opening.swapped());
            if let Some(end) = self.put_all(seat, points)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    fn put_all(&mut self, seat: usize, points: &[Point]) -> Result<Option<Verdict>, Trouble> {
        for point in points {
            if let Some(end) = self.put(seat, *point)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// The verdict if an adjudication rule ends the game.
    fn adjudicate(&self) -> Option<Verdict> {
        let rules = &self.fixture.adjudication;
        if rules.draw_after.is_some_and(|limit| self.stones.len() >= limit as usize) {
            return Some((None, End::DrawAfter));
        }
        if let Some(draw) = &rules.draw
            && self.agreed(draw, |eval, _| eval.abs() <= draw.score)
        {
            return Some((None, End::AgreedDraw));
        }
        let resign = rules.resign.as_ref()?;
        let mover = self.seat_of(!self.game.to_move());
        [mover, 1 - mover]
            .into_iter()
            .find(|&loser| {
                self.agreed(
                    resign,
                    |eval, seat| {
                        if seat == loser { eval <= -resign.score } else { eval >= resign.score }
                    },
                )
            })
            .map(|loser| (Some(1 - loser), End::Resign))
    }

    /// Whether the last moves of both seats all have evaluations that satisfy `is_agreed`.
    fn agreed(&self, agreement: &Agreement, is_agreed: impl Fn(i32, usize) -> bool) -> bool {
        let wanted = agreement.moves.max(1) as usize * 2;
        if self.stones.len() < agreement.from as usize || self.moves.len() < wanted {
            return false;
        }
        let mover = self.seat_of(!self.game.to_move());
        self.moves.iter().rev().take(wanted).enumerate().all(|(i, played)| {
            let seat = if i % 2 == 0 { mover } else { 1 - mover };
            played.note.eval.is_some_and(|eval| is_agreed(eval, seat))
        })
    }
}

/// What an answer means for what is due in swap2: a choice, and stones. To swap is to take black, and to put one stone
/// is to take white, whose turn it is.
fn swap2_answer<'a>(opening: &Opening, answer: &'a Answer) -> Result<(Option<Choice>, &'a [Point]), &'static str> {
    let may_put_two = opening.choices().any(|choice| choice == Choice::Two);
    let takes = |side| if opening.actor(Side::White) == side { Choice::Stay } else { Choice::Swap };
    match (opening.due(), answer) {
        (Due::Choice, Answer::Swap) => Ok((Some(takes(Side::Black)), &[])),
        (Due::Choice, Answer::Points(points)) if points.len() == 1 => Ok((Some(takes(Side::White)), points)),
        (Due::Choice, Answer::Points(points)) if points.len() == 2 && may_put_two => Ok((Some(Choice::Two), points)),
        (Due::Choice, _) if may_put_two => Err("after three stones swap, put one or put two"),
        (Due::Choice, _) => Err("after five stones swap or put one"),
        (_, Answer::Points(points)) if points.len() == 3 => Ok((None, points)),
        _ => Err("the opener must put three stones"),
    }
}

/// Checks that an opening can be played on a table without ending the game.
///
/// # Errors
/// A sentence that describes the problem.
pub fn check_opening(table: &Table, opening: &[Point]) -> Result<(), String> {
    let mut game = Game::new(table.rule, table.size);
    for point in opening {
        match game.play(*point) {
            Err(error) => return Err(error.to_string()),
            Ok(Status::Over(outcome)) => return Err(format!("it is over: {outcome}")),
            Ok(Status::Running) => {}
        }
    }
    if game.grid().size().points().all(|p| game.grid().get(p) != Cell::Empty) {
        return Err("the board is full".to_owned());
    }
    Ok(())
}
