//! The state that a client is shown. Its cost grows with the line and its siblings, not with the size of the tree.

use super::{Session, values};
use crate::game::Ending;
use crate::opening::{answer_of, phase, wants_point};
use crate::points::{BoardPoint, BoardPoints};
use crate::position::Placed;
use crate::view::{
    AnalysisView, Answer, BoardView, Branch, Can, ClockView, Forbidden, GameView, JobKind, LineNode, NamedOpening,
    OpeningTurn, Phase, State, Status, Stone, Thinking, Threat, Turn, WinKind,
};
use tengen::board::{BoardSize, Point, Side};
use tengen::engine::threats;
use tengen::opening::{Area, Due, Step, renju_opening};
use tengen::rules::{Outcome, RowKind};
use tengen_record::{Mark, Node, NodeId};
use web_time::{Duration, Instant};

impl Session {
    /// The state that is shown now.
    pub fn state(&self, now: Instant) -> State {
        State {
            rev: self.rev(),
            game: self.game_view(),
            line: self.line(),
            ply: self.game.steps().len() - 1,
            node: self.game.at().0,
            children: self.branches(self.game.at(), None),
            board: self.board(),
            named: self.named(),
            status: self.status(),
            turn: self.turn(),
            clock: self.clock(now),
            thinking: self.thinking(now),
            fault: self.engine.fault().cloned(),
            judging: self.engine.is_checking(),
            paused: self.is_paused(),
            opinion: self.shows_values(),
            analysis: AnalysisView {
                on: self.watch.is_on(),
                lines: self.watch.lines(),
                avoid: BoardPoints::new(self.size(), self.watch.avoid()),
                threat: self.watch.threat(),
                second: self.second_name().cloned(),
            },
            can: self.can(),
            offer: self.shelf.offer().map(|(_, offer)| offer.clone()),
            unsaved: self.shelf.unsaved().map(str::to_owned),
            review: self.reviews.job(),
            settings: self.settings,
            database: self.database.clone(),
        }
    }

    fn game_view(&self) -> GameView {
        let (record, agreed) = (self.game.record(), self.agreement.game());
        GameView {
            id: self.number,
            rule: self.game.rule(),
            size: self.size(),
            opening: agreed.opening,
            black: self.seat(Side::Black).clone(),
            white: self.seat(Side::White).clone(),
            names: self.names(),
            clock: agreed.clock,
            assist: agreed.assist,
            start: agreed.start.as_ref().map(|start| start.stones.clone()).unwrap_or_default(),
            study: agreed.study || self.agreement.is_loaded(),
            result: record.result.clone().filter(|_| self.agreement.is_loaded()),
            warnings: record.warnings.clone(),
        }
    }

    fn line(&self) -> Vec<LineNode> {
        let (size, opinion) = (self.size(), self.shows_values());
        let path = self.game.steps()[1..].iter().map(|step| step.node);
        let (mut number, mut parent) = (0, self.game.steps()[0].node);
        let mut opening = self.game.steps()[0].opening.clone();
        let mut to_move = self.game.record().start.to_move;
        let mut line = Vec::new();
        for id in path.chain(self.game.continuation()) {
            let Some(node) = self.game.tree().get(id) else { break };
            let mover = node.stone.map(|(_, side)| side).or(node.pass);
            number += usize::from(mover.is_some());
            let answer = answer_of(node, size);
            let chooser = answer.map(|_| opening.actor(to_move));
            let step = node.stone.map(|(point, _)| Step::Stone(point)).or(answer);
            opening = step.and_then(|step| opening.after(step)).unwrap_or(opening);
            to_move = mover.map_or(to_move, |side| !side);
            line.push(LineNode {
                node: id.0,
                number,
                at: at(size, node),
                choice: answer.and_then(|answer| Answer::new(size, answer)),
                side: mover.or(chooser),
                ms: node.time.map(millis),
                value: node.value.as_ref().filter(|_| opinion).map(values::without_line),
                comment: node.comment.clone(),
                siblings: self.branches(parent, Some(id)),
            });
            parent = id;
        }
        line
    }

    /// The children of a node except one.
    fn branches(&self, parent: NodeId, but: Option<NodeId>) -> Vec<Branch> {
        let tree = self.game.tree();
        let Some(before) = tree.get(parent) else { return Vec::new() };
        let branch = |id: &NodeId| {
            let node = tree.get(*id)?;
            let choice = answer_of(node, self.size()).and_then(|answer| Answer::new(self.size(), answer));
            Some(Branch { node: id.0, at: at(self.size(), node), choice, text: text(before, node) })
        };
        before.children.iter().filter(|id| Some(**id) != but).filter_map(branch).collect()
    }

    fn board(&self) -> BoardView {
        let (size, position) = (self.size(), self.game.position());
        let at = |point| BoardPoint::new(size, point);
        let points: Vec<Point> = position.stones().iter().map(|stone| stone.point).collect();
        let is_over = self.game.is_over();
        let shows_forbidden = !is_over && (self.agreement.assist().forbidden || self.tip.is_over());
        let forbidden = if shows_forbidden { position.forbidden() } else { Vec::new() };
        let marked = if is_over { Vec::new() } else { threats(&position.setup(), self.game.rule()) };
        BoardView {
            stones: position
                .stones()
                .iter()
                .map(|stone| Stone { at: at(stone.point), side: stone.side, number: stone.number })
                .collect(),
            blocked: BoardPoints::new(size, position.blocked()),
            to_move: position.to_move(),
            forbidden: forbidden.into_iter().map(|(point, kind)| Forbidden { at: at(point), kind }).collect(),
            threats: marked
                .into_iter()
                .map(|threat| Threat { at: at(threat.point), side: threat.side, kind: threat.kind })
                .collect(),
            played: BoardPoints::new(size, points),
        }
    }

    fn status(&self) -> Status {
        let win = |side, how| Status::Win { side, how, row: BoardPoints::none(self.size()) };
        match (self.game.position().ended(), self.game.ending_at(self.game.at())) {
            (Some(Outcome::Win { side, row, how }), _) => Status::Win {
                side: *side,
                how: if *how == RowKind::Five { WinKind::Five } else { WinKind::Overline },
                row: BoardPoints::new(self.size(), row.as_slice()),
            },
            (Some(Outcome::Foul { side, .. }), _) => win(!*side, WinKind::Foul),
            (Some(Outcome::Draw), _) => Status::Draw { agreed: false },
            (None, Some(Ending::Agreed)) => Status::Draw { agreed: true },
            (None, Some(Ending::Resigned(side))) => win(!side, WinKind::Resigned),
            (None, Some(Ending::Time(side))) => win(!side, WinKind::Time),
            (None, None) => Status::Running,
        }
    }

    fn turn(&self) -> Turn {
        let side = self.game.actor();
        let phase = if self.game.is_over() { Phase::Over } else { phase(&self.game.step().opening) };
        Turn { side, engine: self.seat(side).is_engine(), phase, chosen: self.chosen(), opening: self.opening() }
    }

    /// The engine's last answer in the opening on the path.
    fn chosen(&self) -> Option<Answer> {
        let mut answers = self.game.steps().windows(2).rev().filter_map(|pair| {
            let answer = answer_of(self.game.tree().get(pair[1].node)?, self.size())?;
            Some((answer, self.agreement.player(pair[1].actor?, pair[0].opening.swapped()).is_engine()))
        });
        answers.find(|(_, by_engine)| *by_engine).and_then(|(answer, _)| Answer::new(self.size(), answer))
    }

    /// What the opening allows now.
    fn opening(&self) -> Option<OpeningTurn> {
        let (opening, size) = (&self.game.step().opening, self.size());
        if opening.is_over() || self.game.is_over() {
            return None;
        }
        let points = || BoardPoints::new(size, opening.points(&self.game.position().setup()));
        let is_limited = wants_point(opening) && opening.due() != Due::Stone(Area::Anywhere);
        Some(OpeningTurn {
            choices: opening.choices().collect(),
            most: if let Due::Number { most } = opening.due() { most } else { 0 },
            fifths: opening.fifths(),
            offered: BoardPoints::new(size, opening.offered()),
            within: if let Due::Stone(Area::Within(side)) = opening.due() { Some(side) } else { None },
            outside: if let Due::Stone(Area::Outside(side)) = opening.due() { Some(side) } else { None },
            points: is_limited.then(points),
        })
    }

    /// The name of the first three stones, if they are an opening of renju.
    fn named(&self) -> Option<NamedOpening> {
        let stones = self.game.position().stones();
        let first: &[Placed; 3] = stones.first_chunk()?;
        let in_turn = first.iter().zip([Side::Black, Side::White, Side::Black]).all(|(stone, side)| stone.side == side);
        let opening = renju_opening(self.size(), first.each_ref().map(|stone| stone.point)).filter(|_| in_turn)?;
        Some(NamedOpening { code: opening.code(), name: opening.name, japanese: opening.japanese })
    }

    fn clock(&self, now: Instant) -> Option<ClockView> {
        let left = |side| self.time_left(side, now).map(|(left, _)| millis(left));
        let running = self.clock.running().filter(|_| !self.game.is_over()).map(|turn| turn.side);
        Some(ClockView { black_ms: left(Side::Black)?, white_ms: left(Side::White)?, running })
    }

    fn thinking(&self, now: Instant) -> Option<Thinking> {
        let since = |at: Instant| millis(now.saturating_duration_since(at));
        if let Some(move_search) = self.engine.search() {
            let (job, side) = (move_search.job, move_search.side);
            return Some(Thinking { job, kind: JobKind::Move, side, ms: since(move_search.since) });
        }
        let asked = self.requests.open().next()?;
        let ms = asked.since.map_or(0, since);
        Some(Thinking { job: asked.job, kind: asked.purpose.kind(), side: asked.side, ms })
    }

    fn is_paused(&self) -> bool {
        let is_held = self.agreement.both_engines() && self.autoplay.is_held();
        let waits = self.engine_waits() && !self.is_engine_due();
        !self.game.is_over() && (is_held || waits)
    }

    fn can(&self) -> Can {
        let is_over = self.game.is_over();
        let at_tip = self.check_tip().is_ok();
        let may_undo = self.undo_to().is_some() || self.game.ending_at(self.game.at()).is_some();
        Can {
            place: self.check_turn().is_ok() && wants_point(&self.game.step().opening),
            undo: self.agreement.assist().undo && may_undo,
            redo: self.game.next().is_some(),
            go: !is_over && !self.engine.is_other_searching() && (self.engine.is_searching() || at_tip),
            substitute: self.may_substitute() && at_tip,
            hint: !is_over && self.check_question().is_ok(),
            swap_sides: !is_over && at_tip && self.game.step().opening.is_over(),
            resign: self.may_resign().is_some() && at_tip,
            draw: self.may_offer_draw() && at_tip,
            pause: self.agreement.both_engines() && !is_over,
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn at(size: BoardSize, node: &Node) -> Option<BoardPoint> {
    node.stone.map(|(point, _)| BoardPoint::new(size, point))
}

/// The text that a file shows, in the position before a node, on the point of the node's move.
fn text(before: &Node, node: &Node) -> String {
    let Some((point, _)) = node.stone else { return String::new() };
    let label = |node: &Node| {
        node.marks.iter().find_map(|(at, mark)| match mark {
            Mark::Label(text) if *at == point => Some(text.clone()),
            _ => None,
        })
    };
    label(before).or_else(|| label(node)).unwrap_or_default()
}
