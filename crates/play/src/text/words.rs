//! The game in words: sentences and drawings, made from the state that a client is shown.

use std::fmt::Write;
use tengen::board::{Cell, Direction, Grid, Point, Setup, Side};
use tengen::engine::ThreatKind;
use tengen_analysis::load::draw;
pub use tengen_analysis::wording::name;
use tengen_analysis::wording::{self, count};
use tengen_record::Value;
use tengen_session::command::{Choice, Clock, OpeningRule, Player};
use tengen_session::points::BoardPoint;
use tengen_session::view::foul_name;
use tengen_session::view::{
    Answer, EngineFault, LineNode, Phase, PvLine, ReviewEvent, State, Status, Sum, Threat, Warned, WinKind,
};

/// The position that is shown.
pub fn setup(state: &State) -> Setup {
    Setup {
        size: state.game.size,
        stones: state.board.stones.iter().map(|stone| (stone.at.point, stone.side)).collect(),
        blocked: state.board.blocked.to_vec(),
        to_move: state.board.to_move,
    }
}

/// A drawing of the board; points that are forbidden for the side to move are marked.
pub fn board(state: &State) -> String {
    let setup = setup(state);
    let restricted = state.game.rule.restricted_side() == Some(setup.to_move);
    let forbidden = state.board.forbidden.iter().filter(|_| restricted);
    let forbidden: Vec<Point> = forbidden.map(|f| f.at.point).collect();
    draw(&setup, &forbidden)
}

/// A game in a sentence.
pub fn game(state: &State) -> String {
    let game = &state.game;
    let (width, height) = (game.size.width(), game.size.height());
    let player = |side: Side| {
        let (player, shown) = match side {
            Side::Black => (&game.black, &game.names.black),
            Side::White => (&game.white, &game.names.white),
        };
        match player {
            Player::Engine { level: Some(level) } => format!("engine, level {level}"),
            Player::Engine { level: None } => "engine, full strength".to_owned(),
            Player::Other { name } => name.clone(),
            Player::Person { name } if name.is_empty() && shown.is_empty() => "person".to_owned(),
            Player::Person { name } if name.is_empty() => shown.clone(),
            Player::Person { name } => name.clone(),
        }
    };
    let opening = match game.opening {
        OpeningRule::Free => String::new(),
        opening => format!(", {opening}"),
    };
    let clock = match game.clock {
        Clock::None => String::new(),
        Clock::Move { ms } => format!(", {} a move", time(ms)),
        Clock::Game { ms, increment_ms: 0 } => format!(", {} a game", time(ms)),
        Clock::Game { ms, increment_ms } => format!(", {} a game and {} a move", time(ms), time(increment_ms)),
    };
    let (black, white) = (player(Side::Black), player(Side::White));
    format!("Game {}: {}, {width}x{height}{opening}{clock}. Black: {black}. White: {white}.", game.id, game.rule)
}

/// A fault of another engine, and what may be done.
pub fn fault(fault: &EngineFault) -> String {
    let EngineFault { engine, detail, lines, .. } = fault;
    let lines: String = lines.iter().map(|line| format!("\n  | {line}")).collect();
    format!(
        "{engine} {detail}.{lines}\n`go` asks it again, `substitute` lets Tengen play on; or make its move yourself."
    )
}

/// A time in minutes and seconds.
pub fn time(ms: u64) -> String {
    let seconds = ms / 1_000;
    match (seconds / 60, seconds % 60) {
        (0, _) if !ms.is_multiple_of(1_000) => format!("{:.1} s", ms as f64 / 1_000.0),
        (0, s) => format!("{s} s"),
        (m, 0) => format!("{m} min"),
        (m, s) => format!("{m} min {s} s"),
    }
}

/// The side to move, or how the game has ended.
pub fn turn(state: &State) -> String {
    let side = name(state.turn.side);
    match &state.status {
        Status::Win { side, how, row } => {
            let how = match how {
                WinKind::Five => format!("by five in a row: {}", row),
                WinKind::Overline => format!("by {} in a row: {}", row.len(), row),
                WinKind::Resigned => format!("because {} resigned", name(!*side)),
                WinKind::Time => format!("because {}'s time is over", name(!*side)),
                WinKind::Foul => format!("because {} made a forbidden move", name(!*side)),
            };
            format!("{} wins {how}.", name(*side))
        }
        Status::Draw { agreed: true } => "The game is a draw by agreement.".to_owned(),
        Status::Draw { agreed: false } => "The game is a draw: the board is full.".to_owned(),
        Status::Running => match state.turn.phase {
            Phase::Move | Phase::Over => format!("{} to move, move {}.", name(state.board.to_move), next_number(state)),
            Phase::PlaceThree => {
                format!("{side}'s player places the three stones of the opening; next: {}.", name(state.board.to_move))
            }
            Phase::Choose => format!("{side}'s player chooses: stay, swap, or two more stones."),
            Phase::PlaceTwo => format!("{side}'s player places two more stones; next: {}.", name(state.board.to_move)),
            Phase::ChooseFinal => format!("{side}'s player chooses: stay or swap."),
            Phase::ChooseTen => format!("{side}'s player chooses: stay, swap, or ten fifth moves."),
            Phase::Place => place(state),
            Phase::Number => {
                let most = state.turn.opening.as_ref().map_or(0, |opening| opening.most);
                format!("{side}'s player declares the number of fifth moves: `fifths 1` to `fifths {most}`.")
            }
            Phase::Offer => offer(state),
            Phase::Pick => format!("{side}'s player chooses one of the offered fifth moves: {}.", offered(state)),
        },
    }
}

/// The next stone of an opening, and where it belongs.
fn place(state: &State) -> String {
    let (side, stone) = (name(state.turn.side), name(state.board.to_move));
    let square = |square: u8| format!("the central {square} by {square} points");
    let place = match state.turn.opening.as_ref().map(|opening| (opening.within, opening.outside)) {
        Some((Some(1), _)) => " in the centre".to_owned(),
        Some((Some(within), _)) => format!(" within {}", square(within)),
        Some((_, Some(outside))) => format!(" outside of {}", square(outside)),
        _ => String::new(),
    };
    format!("{side}'s player places stone {} of the opening{place}: {stone}.", next_number(state))
}

/// The next fifth move to offer.
fn offer(state: &State) -> String {
    let side = name(state.turn.side);
    let Some(opening) = &state.turn.opening else { return String::new() };
    let number = opening.offered.len() + 1;
    let known = if number == 1 { String::new() } else { format!("; offered: {}", offered(state)) };
    format!("{side}'s player offers fifth move {number} of {}{known}.", opening.fifths)
}

fn offered(state: &State) -> String {
    state.turn.opening.as_ref().map_or(String::new(), |opening| opening.offered.to_string())
}

/// The name of the opening with which the game began.
pub fn named(state: &State) -> Option<String> {
    state.named.as_ref().map(|named| format!("Opening {}: {} {}.", named.code, named.name, named.japanese))
}

fn next_number(state: &State) -> usize {
    state.line[..state.ply.min(state.line.len())].iter().rev().map(|node| node.number).next().unwrap_or(0) + 1
}

/// What happened at a node.
pub fn step(node: &LineNode) -> String {
    let side = node.side.map_or("Somebody", name);
    match (&node.at, node.choice) {
        (Some(at), _) => format!("{}. {side} plays {at}.", node.number),
        (None, Some(Answer::Choice(Choice::Stay))) => format!("{side}'s player stays."),
        (None, Some(Answer::Choice(Choice::Swap))) => format!("{side}'s player swaps colours."),
        (None, Some(Answer::Choice(Choice::Two))) => format!("{side}'s player places two more stones."),
        (None, Some(Answer::Choice(Choice::Ten))) => format!("{side}'s player offers ten fifth moves."),
        (None, Some(Answer::Number(1))) => format!("{side}'s player declares one fifth move."),
        (None, Some(Answer::Number(number))) => format!("{side}'s player declares {number} fifth moves."),
        (None, Some(Answer::Offer(at))) => format!("{side}'s player offers {at}."),
        (None, None) => format!("{}. {side} passes.", node.number),
    }
}

/// The moves of the shown line, with the current one in brackets; then the moves known after it, if there are several.
pub fn moves(state: &State) -> String {
    if state.line.is_empty() {
        return "No moves yet.".to_owned();
    }
    let mut text = String::new();
    for (i, node) in state.line.iter().enumerate() {
        let what = match (&node.at, node.choice) {
            (Some(at), _) => format!("{}. {at}", node.number),
            (None, Some(Answer::Choice(choice))) => format!("({})", choice.name()),
            (None, Some(Answer::Number(number))) => format!("(fifths: {number})"),
            (None, Some(Answer::Offer(at))) => format!("({at}?)"),
            (None, None) => format!("{}. pass", node.number),
        };
        let shown = if i + 1 == state.ply { format!("[{what}]") } else { what };
        let _ = write!(text, "{}{shown}", if i == 0 { "" } else { "  " });
    }
    if state.children.len() > 1 {
        let known: Vec<String> = state.children.iter().filter_map(|child| child.at).map(|at| at.to_string()).collect();
        let _ = write!(text, "\nKnown here: {}. `branch 2` follows the second.", known.join(", "));
    }
    text
}

/// A value in words, Black's view.
pub fn value(value: &Value) -> String {
    match value.mate {
        Some((side, plies)) => wording::win(side, plies as usize),
        None => wording::chance(value.win_rate),
    }
}

/// A warning of a move that was made.
pub fn warning(warned: &Warned) -> String {
    let Warned { at, best, value, loss, undo, .. } = warned;
    let (best, value, lost) = (self::value(best), self::value(value), 100.0 * loss);
    let back = if *undo { " undo takes it back." } else { "" };
    format!("Warning: {at} loses {lost:.1} points: {value}, with the best move {best}.{back}")
}

/// A line of analysis.
pub fn line(rank: usize, line: &PvLine) -> String {
    format!("{rank}. {} (depth {}): {}", value(&line.value), line.value.depth, line.moves)
}

/// The clocks.
pub fn clocks(state: &State) -> String {
    match &state.clock {
        None => "There is no clock.".to_owned(),
        Some(clock) => format!("Black has {}, White {}.", time(clock.black_ms), time(clock.white_ms)),
    }
}

/// The threats on the board, the strongest first.
pub fn threats(state: &State) -> String {
    if state.board.threats.is_empty() {
        return "No threats.".to_owned();
    }
    let mut parts = Vec::new();
    for side in Side::BOTH {
        for (kind, words) in KINDS {
            let of = |t: &&Threat| t.side == side && t.kind == kind;
            let points: Vec<String> = state.board.threats.iter().filter(of).map(|t| t.at.to_string()).collect();
            if !points.is_empty() {
                parts.push(format!("{} makes {words} at {}.", name(side), points.join(" ")));
            }
        }
    }
    parts.join("\n")
}

const KINDS: [(ThreatKind, &str); 4] = [
    (ThreatKind::Five, "five"),
    (ThreatKind::OpenFour, "an open four or more"),
    (ThreatKind::Four, "a four"),
    (ThreatKind::Three, "an open three"),
];

/// The points where Black must not play.
pub fn forbidden(state: &State) -> String {
    let points: Vec<String> =
        state.board.forbidden.iter().map(|f| format!("{} ({})", f.at, foul_name(f.kind))).collect();
    if points.is_empty() {
        "No forbidden points.".to_owned()
    } else {
        format!("Forbidden for Black: {}.", points.join(", "))
    }
}

/// The content of a point.
pub fn at(state: &State, point: Point) -> String {
    let label = BoardPoint::new(state.game.size, point);
    if let Some(stone) = state.board.stones.iter().find(|stone| stone.at.point == point) {
        let number = if stone.number == 0 { "set up".to_owned() } else { format!("move {}", stone.number) };
        return format!("{label}: {}, {number}.", name(stone.side));
    }
    if setup(state).blocked.contains(&point) {
        return format!("{label}: blocked.");
    }
    let mut text = format!("{label}: empty");
    if let Some(forbidden) = state.board.forbidden.iter().find(|forbidden| forbidden.at.point == point) {
        let _ = write!(text, ", forbidden for Black: {}", foul_name(forbidden.kind));
    }
    for threat in state.board.threats.iter().filter(|threat| threat.at.point == point) {
        let words = KINDS.iter().find(|(kind, _)| *kind == threat.kind).map_or("", |(_, words)| words);
        let _ = write!(text, ", {words} for {}", name(threat.side));
    }
    text + "."
}

/// The cells along a line of points, in words: the stones with their points, and the number of empty points between.
pub fn cells(state: &State, points: &[Point]) -> String {
    let setup = setup(state);
    let grid = Grid::from_setup(&setup);
    let label = |point: &Point| BoardPoint::new(setup.size, *point);
    let mut parts: Vec<String> = Vec::new();
    let mut empty = 0;
    let gap = |empty: &mut usize, parts: &mut Vec<String>| {
        if *empty > 0 {
            parts.push(format!("{empty} empty"));
            *empty = 0;
        }
    };
    for point in points {
        let what = match grid.get(*point) {
            Cell::Empty => {
                empty += 1;
                continue;
            }
            Cell::Stone(side) => format!("{} {}", name(side).to_lowercase(), label(point)),
            Cell::Blocked => format!("blocked {}", label(point)),
        };
        gap(&mut empty, &mut parts);
        parts.push(what);
    }
    gap(&mut empty, &mut parts);
    parts.join(", ")
}

/// The four lines through a point, each from one border to the other.
pub fn lines_through(state: &State, point: Point) -> String {
    let grid = Grid::from_setup(&setup(state));
    let names = ["Row", "Column", "Diagonal down", "Diagonal up"];
    let mut text = String::new();
    for (direction, name) in Direction::ALL.into_iter().zip(names) {
        let reach = |sign: i32| (1..25).take_while(move |k| grid_has(state, point, direction, sign * k)).last();
        let (back, ahead) = (reach(-1).unwrap_or(0), reach(1).unwrap_or(0));
        let mut points: Vec<Point> = (-back..=ahead).filter_map(|k| grid.step(point, direction, k)).collect();
        // From the left, or from the bottom.
        if matches!(direction, Direction::Column | Direction::Anti) {
            points.reverse();
        }
        if points.len() >= 5 {
            let _ = writeln!(text, "{name}: {}.", cells(state, &points));
        }
    }
    text.trim_end().to_owned()
}

fn grid_has(state: &State, point: Point, direction: Direction, steps: i32) -> bool {
    let (dx, dy) = direction.step();
    state.game.size.point(i32::from(point.x()) + dx * steps, i32::from(point.y()) + dy * steps).is_some()
}

/// The errors and the sums of a review.
pub fn review(event: &ReviewEvent) -> String {
    let mut text = String::new();
    for reviewed in event.moves.iter().filter(|reviewed| reviewed.judged.is_error()) {
        let judged = &reviewed.judged;
        let _ = write!(text, "{}. {} {}: ", reviewed.number, name(judged.side), reviewed.at());
        let mut words: Vec<&str> = judged.grade.iter().map(|grade| grade.name()).collect();
        if judged.missed_win {
            words.push("missed a win");
        }
        if judged.allowed_win {
            words.push("allows a win");
        }
        let (before, after) = (value(&reviewed.before()), value(&reviewed.after()));
        let _ = write!(text, "{}, {:.1} points lost", words.join(", "), 100.0 * judged.loss);
        let _ = write!(text, "; {after}, with the best move {before}");
        if judged.better.is_some() {
            let _ = write!(text, "; better {}", reviewed.better());
        }
        text.push_str(".\n");
    }
    if let Some(sums) = &event.sums {
        for (side, sum) in [(Side::Black, &sums.black), (Side::White, &sums.white)] {
            let Sum { moves, grades: [inaccuracies, mistakes, blunders], missed, allowed, accuracy, .. } = sum;
            let _ = writeln!(
                text,
                "{}: accuracy {accuracy:.0} of 100 in {}; {}, {}, {}; {} missed, {allowed} allowed.",
                name(side),
                wording::moves(*moves),
                count(*inaccuracies, "inaccuracy", "inaccuracies"),
                count(*mistakes, "mistake", "mistakes"),
                count(*blunders, "blunder", "blunders"),
                count(*missed, "win", "wins"),
            );
        }
    }
    text.trim_end().to_owned()
}
