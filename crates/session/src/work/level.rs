//! How a level moves: a search with few nodes, and a random choice among the best moves.
//!
//! The better a move, the likelier it is: of two moves whose scores differ by d evaluation units the worse is chosen
//! `exp(-d / temperature)` times as often. A forced win that takes longer than the level sees is to it only a very good
//! position, so the lowest levels overlook fours and open threes. From level 2 up a level never overlooks a five:
//! neither its own nor one of the opponent that it has to block. Forbidden moves are not searched, so they are never
//! chosen.

use crate::level::Level;
use tengen::board::{Point, Setup, Side};
use tengen::engine::{
    Answer, Engine, Evaluation, Goal, Limits, Line, Options, Outcome, Request, Rule, Score, StopToken, ThreatKind,
    threats,
};
use tengen_analysis::analyze::best_lines;
use tengen_analysis::random::Random;

/// Lowest level that always sees fives, whatever its search reports.
const SEES_FIVES: u8 = 2;

/// Weight of a ply in the choice, in evaluation units: a ply more until a proven win, or a ply less until a loss.
const PLY: i32 = 100;

/// What a forced win beyond the level's sight counts, in evaluation units: three units of log-odds.
const UNSEEN_WIN: i32 = 600;

/// Number of lines of a level's search: two, and one more for each of these units of temperature.
const UNITS_A_LINE: f64 = 20.0;

/// Size of the transposition table of the engine for levels, in bytes: it searches few nodes and clears its state each
/// time.
const TABLE: u64 = 4 << 20;

/// Fewest nodes for a choice of an opening, which takes several searches.
const OPENING_NODES: u64 = 2_000;

/// Plays levels, with one thread.
pub struct Player {
    engine: Engine,
}

impl Player {
    /// A player with this evaluation.
    pub fn new(evaluation: Evaluation) -> Player {
        Player { engine: Engine::new(Options { hash: Some(TABLE), book: true, evaluation, ..Options::default() }) }
    }

    /// A move of a game, or an answer in its opening. There always is an answer, however soon it is stopped, unless the
    /// board is full.
    pub fn decide(&mut self, mut request: Request, level: &Level, random: &mut Random, stop: &StopToken) -> Outcome {
        if request.goal == Goal::Move && request.excluded.is_empty() {
            let Request { setup, rule, limits, .. } = &request;
            let line = choose(&mut self.engine, setup, *rule, limits, level, random, stop);
            let answer = line.as_ref().and_then(|line| line.moves.first());
            let answer = answer.map_or(Answer::Full, |point| Answer::Points(vec![*point]));
            return Outcome { answer, line: line.unwrap_or_default(), from_book: false };
        }
        // In an opening a level limits the search; it does not choose among worse answers.
        self.engine.clear();
        let nodes = level.nodes.max(OPENING_NODES);
        request.limits.nodes = Some(request.limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        self.engine.think(&request, stop, &mut |_| {})
    }
}

/// The line of the move that a level chooses; `None` on a full board.
///
/// The engine clears its state first, and nodes bound the search. Unless time runs out, the same position, level and
/// random numbers give the same move.
fn choose(
    engine: &mut Engine,
    setup: &Setup,
    rule: Rule,
    limits: &Limits,
    level: &Level,
    random: &mut Random,
    stop: &StopToken,
) -> Option<Line> {
    engine.clear();
    let nodes = limits.nodes.map_or(level.nodes, |nodes| nodes.min(level.nodes));
    let limits = Limits { nodes: Some(nodes), ..limits.clone() };
    let lines = 2 + (level.temperature / UNITS_A_LINE) as usize;
    let request = Request { lines, ..Request::new(setup.clone(), rule, limits) };
    let mut lines = best_lines(engine, &request, stop, &mut |_| {});
    lines.retain(|line| !line.moves.is_empty());
    if level.number >= SEES_FIVES {
        keep_fives(engine, setup, rule, &mut lines);
    }
    let chosen = draw(&lines, level, random)?;
    Some(Line { pv_index: 0, pv_count: 1, ..lines.swap_remove(chosen) })
}

/// Keeps only lines that make a five. If there are none and the opponent threatens a five, keeps only lines that stop
/// it.
fn keep_fives(engine: &Engine, setup: &Setup, rule: Rule, lines: &mut Vec<Line>) {
    let us = setup.to_move;
    let own = fives(setup, rule, us);
    if let Some(five) = own.first() {
        let line = lines.iter().find(|line| own.contains(&line.moves[0])).cloned();
        *lines = vec![line.unwrap_or_else(|| single(*five, Score::win_in(1)))];
        return;
    }
    let theirs = fives(setup, rule, !us);
    if theirs.is_empty() {
        return;
    }
    let stops = |point: Point| fives(&setup.after(point), rule, !us).is_empty();
    let kept: Vec<Line> = lines.iter().filter(|line| stops(line.moves[0])).cloned().collect();
    if !kept.is_empty() {
        *lines = kept;
        return;
    }
    // If nothing stops it, the search's move is as good as any other.
    let forbidden = engine.forbidden(setup, rule);
    if let Some(block) = theirs.into_iter().find(|point| !forbidden.contains(point) && stops(*point)) {
        *lines = vec![single(block, Score::ZERO)];
    }
}

fn fives(setup: &Setup, rule: Rule, side: Side) -> Vec<Point> {
    let fives = threats(setup, rule).into_iter().filter(|t| t.side == side && t.kind == ThreatKind::Five);
    fives.map(|threat| threat.point).collect()
}

/// A line of one move without a search.
fn single(point: Point, score: Score) -> Line {
    Line { score, moves: vec![point], ..Line::default() }
}

/// Draws one of the lines at random, weighted by score.
fn draw(lines: &[Line], level: &Level, random: &mut Random) -> Option<usize> {
    let worth = |line: &Line| worth(line.score, level.sight);
    let best = lines.iter().map(worth).max()?;
    let weight = |line: &Line| (f64::from(worth(line) - best) / level.temperature).exp();
    let mut left = random.unit() * lines.iter().map(weight).sum::<f64>();
    for (i, line) in lines.iter().enumerate() {
        left -= weight(line);
        if left < 0.0 {
            return Some(i);
        }
    }
    // Rounding may leave a small rest.
    lines.iter().position(|line| worth(line) == best)
}

/// A score for the choice. Proven scores within sight, in plies, lie far from all others. Quick wins rank above slow
/// ones, slow losses above quick ones.
fn worth(score: Score, sight: i32) -> i32 {
    match score.distance() {
        Some(plies) if plies.abs() > sight => UNSEEN_WIN * plies.signum(),
        Some(plies) if score.is_win() => 2 * Score::EVAL_LIMIT - PLY * plies.min(100),
        Some(plies) => -2 * Score::EVAL_LIMIT + PLY * (-plies).min(100),
        None => score.raw(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::LEVELS;
    use tengen::board::{BoardSize, parse_points};
    use tengen::engine::Options;
    use tengen::rules::game::{Game, Status};

    fn line(score: Score) -> Line {
        single(Point::at(0, 0), score)
    }

    #[test]
    fn chance_prefers_the_better_moves_by_the_temperature() {
        let lines = [30, 30, -70, -2_000].map(|units| line(Score::units(units)));
        let mut random = Random::from_state(5);
        let mut counts = [0; 4];
        let level = Level { temperature: 100.0, ..LEVELS[4] };
        for _ in 0..20_000 {
            counts[draw(&lines, &level, &mut random).unwrap()] += 1;
        }
        let share = f64::from(counts[2]) / f64::from(counts[0]);
        assert!((share - (-1.0_f64).exp()).abs() < 0.03, "{counts:?}");
        assert!((f64::from(counts[1]) / f64::from(counts[0]) - 1.0).abs() < 0.06, "{counts:?}");
        assert_eq!(counts[3], 0);
        assert_eq!(draw(&[], &level, &mut random), None);
    }

    #[test]
    fn proven_scores_are_worth_their_distance() {
        let order = [
            Score::win_in(1),
            Score::win_in(9),
            Score::units(20_000),
            Score::ZERO,
            Score::units(-20_000),
            Score::loss_in(8),
            Score::loss_in(2),
        ];
        assert!(order.windows(2).all(|pair| worth(pair[0], 10) > worth(pair[1], 10)));
    }

    #[test]
    fn forced_wins_beyond_sight_are_only_very_good() {
        assert_eq!(worth(Score::win_in(9), 8), UNSEEN_WIN);
        assert_eq!(worth(Score::loss_in(10), 8), -UNSEEN_WIN);
        assert!(worth(Score::win_in(7), 8) > Score::EVAL_LIMIT);
        assert!(worth(Score::loss_in(8), 8) < -Score::EVAL_LIMIT);
    }

    fn engine() -> Engine {
        Engine::new(Options { hash: Some(1 << 20), ..Options::default() })
    }

    fn moved(engine: &mut Engine, setup: &Setup, rule: Rule, level: &Level, random: &mut Random) -> Point {
        let stop = StopToken::new();
        let line = choose(engine, setup, rule, &Limits::infinite(), level, random, &stop).expect("a move");
        line.moves[0]
    }

    /// A random position in which at least one side can make a five and no side has made one.
    fn with_fives(random: &mut Random, rule: Rule) -> Setup {
        loop {
            let size = BoardSize::new(9 + random.below(7) as u8, 9 + random.below(7) as u8).unwrap();
            let mut game = Game::new(rule, size);
            let mut near = size.center();
            while game.outcome().is_none() && game.moves().len() < 40 {
                let setup = game.setup();
                // Sometimes a four that was not blocked is left for its owner.
                let open = Side::BOTH.map(|side| !fives(&setup, rule, side).is_empty());
                if open.contains(&true) && (open[setup.to_move.index()] || random.below(2) == 0) {
                    return setup;
                }
                let step = |from: u8, random: &mut Random| i32::from(from) + random.below(5) as i32 - 2;
                let (x, y) = (step(near.x(), random), step(near.y(), random));
                match size.point(x, y).filter(|p| !game.forbidden().contains(p)) {
                    Some(point) if game.play(point).is_ok() => {}
                    _ => {}
                }
                near = game.moves().nth(random.below(game.moves().len().max(1))).unwrap_or(size.center());
            }
        }
    }

    #[test]
    fn no_level_from_the_second_up_misses_a_five() {
        let (mut engine, mut random) = (engine(), Random::from_state(11));
        let (mut taken, mut blocked) = (0, 0);
        for rule in Rule::ALL {
            for n in 0..30 {
                let setup = with_fives(&mut random, rule);
                let level = &LEVELS[1 + n % 4];
                let point = moved(&mut engine, &setup, rule, level, &mut random);
                let us = setup.to_move;
                let mut game = Game::from_setup(rule, setup.clone()).unwrap();
                assert!(!game.forbidden().contains(&point), "{rule}: a forbidden move");
                let own = !fives(&setup, rule, us).is_empty();
                let status = game.play(point).expect("a legal move");
                if own {
                    taken += 1;
                    assert!(matches!(status, Status::Over(o) if o.winner() == Some(us)), "{rule}: a five missed");
                    continue;
                }
                let left = fives(&game.setup(), rule, !us);
                let stoppable = setup.size.points().any(|p| {
                    let mut game = Game::from_setup(rule, setup.clone()).unwrap();
                    !game.forbidden().contains(&p) && game.play(p).is_ok() && fives(&game.setup(), rule, !us).is_empty()
                });
                blocked += usize::from(stoppable);
                assert!(left.is_empty() || !stoppable, "{rule}: a block missed");
            }
        }
        assert!(taken >= 25 && blocked >= 25, "{taken} taken, {blocked} blocked");
    }

    #[test]
    fn the_same_seed_gives_the_same_moves_and_another_does_not() {
        let mut engine = engine();
        let size = BoardSize::RENJU;
        let start = Setup::from_moves(size, parse_points(size, "h8i9g7").unwrap());
        let mut game = |seed: u64| {
            let mut random = Random::from_state(seed);
            let mut setup = start.clone();
            for _ in 0..8 {
                let point = moved(&mut engine, &setup, Rule::Freestyle, &LEVELS[1], &mut random);
                setup.play(point);
            }
            setup.stones
        };
        let first = game(1);
        assert_eq!(game(1), first);
        assert!((2..8).any(|seed| game(seed) != first));
    }

    #[test]
    fn a_full_board_has_no_move() {
        let size = BoardSize::new(5, 5).unwrap();
        let mut setup = Setup::empty(size);
        setup.blocked = size.points().collect();
        let (level, mut random) = (&LEVELS[4], Random::from_state(1));
        let stop = StopToken::new();
        assert!(
            choose(&mut engine(), &setup, Rule::Freestyle, &Limits::infinite(), level, &mut random, &stop).is_none()
        );
    }
}
