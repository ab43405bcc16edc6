//! Compares the trainer with finite differences, with the integers of inference, and with itself.

use super::batch::{Machine, Parameters, Pick};
use super::checkpoint::{Checkpoint, CheckpointError, Mark, Material, Recipe};
use super::head::{Losses, Precision, Weighting};
use super::model::{HEAD, Head, HeadMut, LINE_NET, LineNet, LineNetMut, Sides, initial};
use super::positions::Positions;
use super::prune::{Occurrences, prune};
use super::sample::{Samples, Targets};
use super::*;
use crate::data::record::Maker;
use crate::data::selfplay::{Ending, Game, Played};
use tengen::board::{BoardSize, Point, Setup, Side, Symmetry};
use tengen::eval::network::layout::{HALF, HIDDEN, LANES, REGIONS, ROW_UNIT};
use tengen::eval::network::lines::SHAPES;
use tengen::eval::network::{Kernel, Neural};
use tengen::position::Silent;
use tengen::score::Score;
use tengen::search::{Bound, TreeNode};
use tengen_analysis::random::Random;

const TARGETS: Targets = Targets { blend: 0.6, scale: 200.0, proven: 0.4, tree_scale: 150.0, tree_policy: 0.7 };

/// A game of random stones near the centre with random scores. It has no meaning, but all fields of a game.
fn random_game(rule: Rule, size: BoardSize, seed: u64) -> DataGame {
    let mut random = Random::from_state(seed);
    let mut setup = Setup::empty(size);
    setup.play(size.center());
    let mut moves = Vec::new();
    for _ in 0..20 {
        let position = Position::new(&setup, rule).expect("a legal setup");
        let near: Vec<Point> = position.candidates().iter().collect();
        let [point, best] = [(); 2].map(|()| near[random.below(near.len())]);
        moves.push(Played { point, best, score: Score::units(random.below(800) as i32 - 400), nodes: 1 });
        setup.play(point);
    }
    let winner = [None, Some(Side::Black), Some(Side::White)][random.below(3)];
    let game = Game { opening: vec![size.center()], moves, winner, ending: Ending::Draw };
    let maker = Maker { engine: String::new(), signature: 0, evaluation: String::new() };
    DataGame { run: 1, rule, size, nodes: 1, depth: 0, seed, maker, game }
}

pub(super) fn games(rule: Rule, count: u64) -> Vec<DataGame> {
    let sizes = [(15, 15), (7, 9), (20, 20)].map(|(w, h)| BoardSize::new(w, h).expect("a size"));
    (0..count).map(|i| random_game(rule, sizes[i as usize % 3], i)).collect()
}

/// Positions of a random game as nodes of search trees, with random scores and bounds.
fn random_tree(rule: Rule, size: BoardSize, seed: u64) -> Tree {
    let game = random_game(rule, size, seed);
    let mut random = Random::new(&[seed, 0x7ee]);
    let line = game.line();
    let nodes = (2..line.len() - 3).map(|root| {
        let bound = [Bound::Upper, Bound::Lower, Bound::Exact][random.below(3)];
        let best = (bound != Bound::Upper).then_some(line[root + 3]);
        let score = Score::units(random.below(800) as i32 - 400);
        (root, TreeNode { path: line[root..root + 3].to_vec(), score, bound, best })
    });
    Tree { rule, size, nodes: nodes.collect(), line }
}

/// All positions of some games.
fn positions(games: &[DataGame]) -> Positions<'_> {
    Positions::of(Vec::new(), games.iter().collect(), &TARGETS)
}

/// Training positions without held-out ones.
pub(super) fn training_data(games: &[DataGame]) -> Data<'_> {
    Data { training: positions(games), ..Data::default() }
}

fn trees(games: &[DataGame]) -> Vec<Tree> {
    games.iter().map(|game| random_tree(game.rule, game.size, game.seed)).collect()
}

fn all(positions: &Positions) -> Samples {
    positions.samples(&validate::spread(positions.len(), positions.len()))
}

fn data(rule: Rule, count: u64) -> Samples {
    all(&positions(&games(rule, count)))
}

fn data_with_trees(rule: Rule, count: u64) -> Samples {
    let games = games(rule, count);
    all(&Positions::of(trees(&games), games.iter().collect(), &TARGETS))
}

/// All of a sample but where its cells and candidates are.
fn content(head: &sample::Head) -> impl PartialEq + std::fmt::Debug {
    let sample::Head { size, to_move, facts, last, target, bound, weight, best, policy_weight, result, .. } = *head;
    ((size, to_move, facts, last, target), (bound, weight, best, policy_weight, result))
}

/// A sample made from its place is that of a walk through the whole game or tree, whatever the order.
#[test]
fn places_lead_to_the_samples_of_whole_games_and_trees() {
    let games = games(Rule::Renju, 6);
    let positions = Positions::of(trees(&games), games.iter().collect(), &TARGETS);
    let mut walked = Samples::default();
    trees(&games).iter().for_each(|tree| walked.add_tree(tree, &TARGETS));
    assert_eq!(positions.nodes(), walked.len());
    let classical = |position: &Position| Some(Classical::new(position, Weights::built_in()));
    games.iter().for_each(|game| walked.add_judged(game, &TARGETS, classical));
    assert!(positions.len() == walked.len() && positions.nodes() > 20 && positions.len() - positions.nodes() > 50);
    let backwards: Vec<u32> = (0..positions.len() as u32).rev().collect();
    let made = positions.samples(&backwards);
    for (i, index) in backwards.iter().enumerate() {
        let (made_head, head) = (made.head(i), walked.head(*index as usize));
        assert_eq!(content(made_head), content(head));
        assert_eq!(made.packed(made_head), walked.packed(head));
        assert_eq!(made.candidates(made_head), walked.candidates(head));
    }
}

/// The samples of a tree are the positions at the ends of its paths.
#[test]
fn nodes_of_trees_are_positions_of_their_own() {
    for rule in [Rule::Freestyle, Rule::Renju] {
        let tree = random_tree(rule, BoardSize::RENJU, 4);
        let mut samples = Samples::default();
        samples.add_tree(&tree, &TARGETS);
        assert!(samples.len() > 5);
        let mut i = 0;
        for (root, node) in &tree.nodes {
            let stones = || tree.line[..*root].iter().chain(&node.path);
            let mut cells = vec![0; 225];
            for (k, point) in stones().enumerate() {
                cells[usize::from(point.y()) * 15 + usize::from(point.x())] = 1 + (k % 2) as u8;
            }
            let mut packed = vec![9; 225];
            if i < samples.len() {
                samples.unpack(samples.head(i), &mut packed);
            }
            // Decided positions are not samples.
            if packed == cells {
                let head = samples.head(i);
                assert_eq!((head.bound, head.result), (node.bound, None));
                let best = head.best.map(|b| samples.candidates(head)[usize::from(b)]);
                let wanted = node.best.map(|p| u16::from(p.y()) * 15 + u16::from(p.x()));
                assert!(best.is_none() || best == wanted);
                i += 1;
            }
        }
        assert_eq!(i, samples.len());
    }
}

/// A bound gives a gradient only where it is violated.
#[test]
fn bounds_that_hold_have_no_gradient() {
    let sides = sides_of(Rule::Freestyle);
    let parameters = initial(sides, 3);
    let mut machine = Machine::new(sides);
    for (bound, score) in [(Bound::Lower, -2000), (Bound::Lower, 2000), (Bound::Upper, -2000), (Bound::Upper, 2000)] {
        let mut tree = random_tree(Rule::Freestyle, BoardSize::RENJU, 4);
        for (_, node) in &mut tree.nodes {
            (node.bound, node.score, node.best) = (bound, Score::units(score), None);
        }
        let mut samples = Samples::default();
        samples.add_tree(&tree, &TARGETS);
        let picks = picks(&samples, samples.len());
        machine.learn(dense(&parameters), &samples, &picks, Precision::Float, WEIGHTING);
        let is_satisfied = (bound == Bound::Lower) == (score < 0);
        assert_eq!(machine.gradient.iter().all(|g| *g == 0.0), is_satisfied, "{bound:?} {score}");
    }
}

fn dense(parameters: &[f32]) -> Parameters<'_> {
    Parameters { dense: parameters, residual: None }
}

fn picks(samples: &Samples, count: usize) -> Vec<Pick> {
    (0..count).map(|i| Pick { sample: (i * 7 % samples.len()) as u32, symmetry: (i % 8) as u8 }).collect()
}

const WEIGHTING: Weighting = Weighting { value: 1.5, policy: 0.8 };

/// The loss whose gradient [`Machine::learn`] computes.
fn mean_loss(machine: &mut Machine, parameters: Parameters, samples: &Samples, picks: &[Pick]) -> f64 {
    let losses = machine.predict(parameters, samples, picks, Precision::Float).0;
    let sum = f64::from(WEIGHTING.value) * losses.value + f64::from(WEIGHTING.policy) * losses.policy;
    sum / picks.len() as f64
}

/// The slope of the loss within each part of the parameters, along a direction in which all of them have equal weight.
#[test]
fn gradients_are_those_of_finite_differences() {
    for rule in [Rule::Freestyle, Rule::Renju] {
        let sides = sides_of(rule);
        let samples = data_with_trees(rule, 6);
        let picks = picks(&samples, 24);
        let parameters = initial(sides, 3);
        let mut machine = Machine::new(sides);
        let mut mean_loss = |parameters: &[f32]| mean_loss(&mut machine, dense(parameters), &samples, &picks);
        let mut learner = Machine::new(sides);
        learner.learn(dense(&parameters), &samples, &picks, Precision::Float, WEIGHTING);
        let mut random = Random::from_state(9);
        for part in parts(sides) {
            let uphill = |i: usize| learner.gradient[i].signum() * (0.5 + random.unit() as f32);
            let direction: Vec<f32> = part.clone().map(uphill).collect();
            let slope: f64 =
                part.clone().zip(&direction).map(|(i, d)| f64::from(learner.gradient[i]) * f64::from(*d)).sum();
            let moved = |by: f32| {
                let mut parameters = parameters.clone();
                part.clone().zip(&direction).for_each(|(i, d)| parameters[i] += by * d);
                parameters
            };
            // The step is small enough that few kinks lie within it, and large enough for single precision.
            let step = 2e-3 / (part.len() as f32).sqrt();
            let measured = (mean_loss(&moved(step)) - mean_loss(&moved(-step))) / f64::from(2.0 * step);
            assert!(slope > 1e-2 && (slope - measured).abs() < 0.03 * slope, "{rule} {part:?}: {slope} but {measured}");
        }
    }
}

/// The same for residual rows: all rows of a batch move at once, each value by the sign of its gradient.
#[test]
fn gradients_of_rows_are_those_of_finite_differences() {
    for rule in [Rule::Freestyle, Rule::Renju] {
        let sides = sides_of(rule);
        let samples = data_with_trees(rule, 6);
        let picks = picks(&samples, 24);
        let parameters = initial(sides, 3);
        let mut learner = Machine::new(sides);
        learner.learn(dense(&parameters), &samples, &picks, Precision::Float, WEIGHTING);
        let mut slope = 0.0;
        let mut uphill = residual::Residual::new(sides);
        for (net, (shapes, gradients)) in learner.rows().enumerate() {
            assert!(shapes.len() > 100 && shapes.len() == gradients.len());
            for (shape, gradient) in shapes.iter().zip(gradients) {
                uphill.entries[net * SHAPES + *shape as usize].value = gradient.map(f32::signum);
                slope += gradient.iter().map(|g| f64::from(g.abs())).sum::<f64>();
            }
        }
        let mut moved = |by: f32| {
            let mut residual = uphill.clone();
            residual.entries.iter_mut().flat_map(|e| &mut e.value).for_each(|v| *v *= by);
            let parameters = Parameters { dense: &parameters, residual: Some(&residual) };
            mean_loss(&mut learner, parameters, &samples, &picks)
        };
        let step = 2e-4;
        let measured = (moved(step) - moved(-step)) / f64::from(2.0 * step);
        assert!(slope > 1e-2 && (slope - measured).abs() < 0.03 * slope, "{rule}: {slope} but {measured}");
    }
}

/// With quantized weights, a row just within the limit is rounded to the limit and still has a gradient.
#[test]
fn rows_that_are_rounded_to_the_limit_have_a_gradient() {
    let sides = sides_of(Rule::Freestyle);
    let samples = data_with_trees(Rule::Freestyle, 6);
    let picks = picks(&samples, 24);
    let mut parameters = initial(sides, 3);
    let net = model::LineNetMut::new(&mut parameters[sides.line_net(0)]);
    net.output.iter_mut().for_each(|row| row.fill(0.0));
    net.output_bias.fill(0.0);
    let mut machine = Machine::new(sides);
    let mut gradients = |magnitude: f32| {
        let mut random = Random::from_state(4);
        let mut residual = residual::Residual::new(sides);
        let all = residual.entries.iter_mut().flat_map(|e| &mut e.value);
        all.for_each(|v| *v = if random.below(2) == 0 { magnitude } else { -magnitude });
        let parameters = Parameters { dense: &parameters, residual: Some(&residual) };
        machine.learn(parameters, &samples, &picks, Precision::Quantized, WEIGHTING);
        let (_, rows) = machine.rows().next().expect("a line net");
        rows.iter().flatten().filter(|g| **g != 0.0).count()
    };
    assert!(gradients(126.7 / ROW_UNIT as f32) > 1000);
    assert_eq!(gradients(127.1 / ROW_UNIT as f32), 0);
}

/// Vector instructions change nothing but the time.
#[test]
fn all_kernels_compute_the_same_gradient() {
    let rule = Rule::Renju;
    let sides = sides_of(rule);
    let samples = data_with_trees(rule, 6);
    let (picks, parameters) = (picks(&samples, 40), initial(sides, 5));
    for precision in [Precision::Float, Precision::Quantized] {
        let gradients = Kernel::available().into_iter().map(|kernel| {
            let mut machine = Machine::new(sides);
            machine.kernel = kernel;
            let losses = machine.learn(dense(&parameters), &samples, &picks, precision, WEIGHTING);
            assert!(machine.gradient.iter().any(|g| *g != 0.0));
            (losses, machine.gradient)
        });
        let gradients: Vec<_> = gradients.collect();
        assert!(gradients.windows(2).all(|pair| pair[0] == pair[1]), "{precision:?}");
    }
}

/// The arrays contain the samples, and the batch and gradient of the next step.
#[test]
fn arrays_hold_what_is_learned() {
    let rule = Rule::Renju;
    let games = games(rule, 6);
    let training = Positions::of(trees(&games), games.iter().collect(), &TARGETS);
    let (nodes, of_training) = (training.nodes(), all(&training));
    let data = Data { training, held_out: data(rule, 2), ..Data::default() };
    let plan = Plan { batch: 10, ..Plan::default() };
    let checkpoint = begin(rule, 1, None);
    let folder = std::env::temp_dir().join(format!("tengen-arrays-{}", std::process::id()));
    arrays::write(&folder, &plan, &data, &checkpoint).expect("arrays");
    let elements = |name: &str| std::fs::read(folder.join(name)).expect("an array").split_off(512);
    let [samples, cells, candidates] = ["samples.npy", "cells.npy", "candidates.npy"].map(elements);
    assert_eq!(samples.len(), 87 * (data.training.len() + data.held_out.len()));
    for (i, row) in samples.chunks(87).enumerate() {
        let (from, at) = match i.checked_sub(data.training.len()) {
            None => (&of_training, i),
            Some(at) => (&data.held_out, at),
        };
        let head = from.head(at);
        let long = |at: usize| u64::from_le_bytes(row[at..at + 8].try_into().expect("8 bytes")) as usize;
        let short = |at: usize| u16::from_le_bytes([row[at], row[at + 1]]);
        let float = |at: usize| f32::from_le_bytes(row[at..at + 4].try_into().expect("4 bytes"));
        assert!(cells[long(0)..].starts_with(from.packed(head)));
        let moves = candidates[2 * long(8)..].chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]]));
        assert!(moves.take(usize::from(short(16))).eq(from.candidates(head).iter().copied()));
        assert_eq!(short(18) as i16, head.best.map_or(-1, |best| best as i16));
        assert_eq!(
            [20, 24, 28, 32, 36].map(float),
            [&head.target[..], &[head.weight, head.policy_weight]].concat()[..]
        );
        assert_eq!(Some(float(40)).filter(|result| !result.is_nan()), head.result);
        let last = [0, 1].map(|k| (short(44 + 2 * k), row[48 + k]));
        assert_eq!(last, head.last.map(|l| l.map_or((u16::MAX, 0), |(at, class)| (at, class as u8))));
        assert_eq!(row[50..82], head.facts);
        let kind = if i < nodes {
            0
        } else if i < data.training.len() {
            1
        } else {
            2
        };
        let bound = [Bound::Exact, Bound::Lower, Bound::Upper].iter().position(|b| *b == head.bound);
        assert_eq!((row[82], Some(usize::from(row[83]))), (kind, bound));
        let white = u8::from(head.to_move == Side::White);
        assert_eq!(row[84..], [white, head.size.width(), head.size.height()]);
    }

    let picks = Mix::new(&plan, &data.training).picks(0);
    let batch = picks.iter().flat_map(|p| [&p.sample.to_le_bytes()[..], &[p.symmetry]].concat());
    assert_eq!(elements("batch.npy"), batch.collect::<Vec<u8>>());
    let mut machine = Machine::new(checkpoint.sides);
    machine.leak = plan.leak;
    let gradient = elements("gradient.npy");
    for (column, precision) in [Precision::Float, Precision::Quantized].into_iter().enumerate() {
        machine.learn(checkpoint.optimiser.current(), &of_training, &picks, precision, plan.weighting);
        let written = gradient.chunks(8).map(|row| row[4 * column..][..4].to_vec());
        assert!(written.eq(machine.gradient.iter().map(|g| g.to_le_bytes().to_vec())));
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

fn parts(sides: Sides) -> Vec<std::ops::Range<usize>> {
    let cut = |range: std::ops::Range<usize>, lengths: &[usize]| {
        let mut start = range.start;
        let mut ranges = Vec::new();
        for length in lengths {
            ranges.push(start..start + length);
            start += length;
        }
        assert_eq!(start, range.end);
        ranges
    };
    let mut all = Vec::new();
    for side in 0..sides.0 {
        let line = [model::LINE_PARTS[0], model::LINE_PARTS[1], LINE_NET - 2 * model::LINE_PARTS[0]];
        all.extend(cut(sides.line_net(side), &line));
        all.extend(cut(sides.head(side), &model::HEAD_PARTS));
    }
    assert_eq!(all.len(), sides.0 * (3 + model::HEAD_PARTS.len()));
    assert_eq!(sides.parameters(), sides.0 * (LINE_NET + HEAD));
    all
}

/// Value and policy of the trainer's quantized weights equal those of the exported network, to the last unit.
#[test]
fn rounded_numbers_are_those_of_inference() {
    for rule in [Rule::Freestyle, Rule::Renju, Rule::CaroExact] {
        let sides = sides_of(rule);
        let mut checkpoint = begin(rule, 11, None);
        // The weights are larger than initial ones, so that all limits apply.
        for (i, value) in checkpoint.optimiser.average.iter_mut().enumerate() {
            *value *= if i % 3 == 0 { 2.5 } else { 1.2 };
        }
        let mut residual = residual::Residual::new(sides);
        for (i, v) in residual.entries.iter_mut().flat_map(|e| &mut e.value).enumerate() {
            *v = ((i % 101) as f32 - 50.0) / 100.0;
        }
        checkpoint.optimiser.residual = Some(residual.clone());
        let average = checkpoint.optimiser.average.clone();
        let bytes = encode(&[export(&checkpoint)]);
        let network = Network::decode(bytes).expect("a network");
        let games = games(rule, 3);
        for game in &games {
            let mut samples = Samples::default();
            let mut logits = Vec::new();
            samples.add_judged(game, &TARGETS, |position| Neural::new(position, &network));
            let mut position = Position::empty_board(game.size, rule, &[]);
            let mut neural = Neural::with_kernel(&position, &network, Kernel::available()[0]).expect("the rule");
            position.play(game.game.opening[0], &mut neural);
            for played in &game.game.moves {
                logits.push((position.stones(), neural.logits(&position)));
                position.play(played.point, &mut neural);
            }
            assert!(samples.len() > 5);
            let mut machine = Machine::new(sides);
            for i in 0..samples.len() {
                let picks = [Pick { sample: i as u32, symmetry: 0 }];
                let (_, predictions) = machine.predict(
                    Parameters { dense: &average, residual: Some(&residual) },
                    &samples,
                    &picks,
                    Precision::Quantized,
                );
                let mut cells = vec![0; 625];
                samples.unpack(samples.head(i), &mut cells);
                let stones = cells[..game.size.cells()].iter().filter(|c| **c > 0).count();
                let (_, expected) = logits.iter().find(|(n, _)| *n == stones).expect("a position of the game");
                let found = [0, 1, 2].map(|k| (predictions[0].outputs[k] * 4096.0) as i32);
                assert_eq!(found, *expected, "{rule} {} with {stones} stones", game.size);
                if samples.head(i).best.is_some() {
                    // The trainer limits the loss of a move.
                    let limited = |loss: f32| loss.min(20.0);
                    let (trained, inferred) = (predictions[0].order_loss, samples.yardsticks[i].order_loss);
                    let (trained, inferred) = (limited(trained), limited(inferred));
                    // The engine's move ordering scores are whole units of 1/32, rounded towards zero.
                    assert!((trained - inferred).abs() < 2.0 / 32.0, "{trained} {inferred}");
                }
            }
        }
    }
}

/// A sample under a symmetry equals the sample of the transformed game.
#[test]
fn symmetries_are_those_of_the_board() {
    for (rule, (width, height)) in [(Rule::Freestyle, (15, 15)), (Rule::Renju, (20, 20)), (Rule::Standard, (7, 9))] {
        let sides = sides_of(rule);
        let mut machine = Machine::new(sides);
        let mut dense = initial(sides, 9);
        dense.iter_mut().for_each(|v| *v *= 2.0);
        let game = random_game(rule, BoardSize::new(width, height).expect("a size"), 7);
        let mut predictions = |game: &DataGame, symmetry: usize| {
            let samples = all(&positions(std::slice::from_ref(game)));
            let pick = |i: usize| Pick { sample: i as u32, symmetry: symmetry as u8 };
            let picks: Vec<Pick> = (0..samples.len()).map(pick).collect();
            machine.predict(Parameters { dense: &dense, residual: None }, &samples, &picks, Precision::Float).1.to_vec()
        };
        let mut different = 0;
        for (bits, symmetry) in Symmetry::of(game.size).iter().enumerate() {
            let mut image = game.clone();
            let points = image.game.moves.iter_mut().flat_map(|m| [&mut m.point, &mut m.best]);
            points.chain(&mut image.game.opening).for_each(|p| *p = symmetry.apply(game.size, *p));
            let (turned, of_image) = (predictions(&game, bits), predictions(&image, 0));
            assert!(turned.len() > 5 && turned.len() == of_image.len());
            for (a, b) in turned.iter().zip(&of_image) {
                let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
                // Sums are added in another order, so nearly equal logits may change places.
                assert!(near(a.order_loss, b.order_loss) && a.order_rank.abs_diff(b.order_rank) < 2, "{a:?} {b:?}");
                assert!(a.outputs.iter().zip(&b.outputs).all(|(a, b)| near(*a, *b)), "{bits}: {a:?} {b:?}");
            }
            let plain = predictions(&game, 0);
            different += turned.iter().zip(&plain).filter(|(a, b)| (a.outputs[0] - b.outputs[0]).abs() > 1e-3).count();
        }
        assert!(different > 5, "regions tell the symmetries apart");
    }
}

/// A warm start exports the same weights that it received, for the network's own rule and for a rule with separate
/// weights for the sides.
#[test]
fn a_warm_start_computes_what_the_network_does() {
    let mut trained = begin(Rule::Standard, 5, None);
    trained.optimiser.average.iter_mut().enumerate().for_each(|(i, v)| *v *= if i % 3 == 0 { 2.5 } else { 1.2 });
    let set = export(&trained);
    assert!(set.rows[0].contains(&127), "rows at the limit");
    let same = export(&begin(Rule::Standard, 6, Some(&set)));
    assert_eq!(same, set);
    let renju = export(&begin(Rule::Renju, 7, Some(&set)));
    assert_eq!((&renju.rules[..], renju.rows.len(), renju.heads.len()), (&[Rule::Renju][..], 2, 2));
    assert!(renju.rows.iter().all(|rows| *rows == set.rows[0]) && renju.heads.iter().all(|head| *head == set.heads[0]));
}

/// A warm start learns on: its line nets and its residual rows.
#[test]
fn training_goes_on_from_a_warm_start() {
    let games = games(Rule::Freestyle, 12);
    let set = export(&begin(Rule::Freestyle, 5, None));
    let mut checkpoint = begin(Rule::Freestyle, 6, Some(&set));
    let before = checkpoint.optimiser.clone();
    let data = training_data(&games);
    let plan = Plan { steps: 16, batch: 32, interval: 8, residual_from: 0.0, ..Plan::default() };
    train(&plan, &data, &mut checkpoint, &StopToken::new(), &mut |_, _| true);
    let losses: Vec<f32> = checkpoint.history.iter().map(|m| m.training[1]).collect();
    assert!(losses[1] < losses[0], "{losses:?}");
    let net = checkpoint.sides.line_net(0);
    assert_ne!(checkpoint.optimiser.values[net.clone()], before.values[net]);
    assert_ne!(checkpoint.optimiser.residual, before.residual);
}

/// Residual rows stay where their shape is frequent and they change something; all other rows are the line net's.
#[test]
fn rare_rows_are_left_out() {
    let games = games(Rule::Renju, 12);
    let samples = all(&positions(&games));
    let mut checkpoint = begin(Rule::Renju, 6, Some(&export(&begin(Rule::Renju, 5, None))));
    let occurrences = Occurrences::of(&samples, checkpoint.sides);
    let data = training_data(&games);
    let plan = Plan { steps: 16, batch: 32, residual_from: 0.0, residual_rate: 4.0, ..Plan::default() };
    train(&plan, &data, &mut checkpoint, &StopToken::new(), &mut |_, _| true);
    let whole = export(&checkpoint);
    let residual = |set: &SetWeights| -> usize {
        let tables = set.line_nets.iter().map(|net| net.table());
        let differs = |(table, rows): (Vec<i8>, &Vec<i8>)| {
            table.chunks_exact(HALF).zip(rows.chunks_exact(HALF)).filter(|(line, row)| line != row).count()
        };
        tables.zip(&set.rows).map(differs).sum()
    };
    let counts = [0.0, 1e-4, 1e-2, 1.0].map(|share| {
        let mut set = whole.clone();
        let (left, before) = prune(&mut set, &occurrences, share);
        assert_eq!((left, before), (residual(&set), residual(&whole)));
        let changed = set.rows.iter().flatten().zip(whole.rows.iter().flatten()).filter(|(a, b)| a != b).count();
        assert_eq!(changed > 0, left < before);
        left
    });
    assert!(counts.is_sorted_by(|a, b| a > b) && counts[3] == 0, "{counts:?}");
}

/// A lane that a narrower network does not use changes nothing at first and is then trained.
#[test]
fn unused_lanes_are_learned_from_a_warm_start() {
    const LANE: usize = 3;
    let is_unused = |row: usize| row % HALF == LANE;
    let mut set = export(&begin(Rule::Freestyle, 5, None));
    set.rows[0].iter_mut().skip(LANE).step_by(HALF).for_each(|n| *n = 0);
    let head = &mut set.heads[0];
    let sums = head.first.chunks_exact_mut(HIDDEN).take(REGIONS * LANES).enumerate();
    sums.filter(|(i, _)| is_unused(*i)).for_each(|(_, weights)| weights.fill(0));
    head.policy.iter_mut().skip(LANE).step_by(HALF).for_each(|n| *n = 0);
    head.gate.iter_mut().skip(LANE).step_by(HALF).for_each(|n| *n = 0);

    let mut checkpoint = begin(Rule::Freestyle, 6, Some(&set));
    let begun = export(&checkpoint);
    assert_eq!(begun.heads, set.heads);
    let differs = |i: &usize| begun.rows[0][*i] != set.rows[0][*i];
    assert!((0..begun.rows[0].len()).filter(differs).all(is_unused));
    assert!(begun.rows[0].iter().skip(LANE).step_by(HALF).any(|n| *n > 0));

    let games = games(Rule::Freestyle, 12);
    let data = training_data(&games);
    let plan = Plan { steps: 8, batch: 32, ..Plan::default() };
    train(&plan, &data, &mut checkpoint, &StopToken::new(), &mut |_, _| true);
    let head = Head::new(&checkpoint.optimiser.values[checkpoint.sides.head(0)]);
    let mut rows = head.first.iter().take(REGIONS * LANES).enumerate().filter(|(i, _)| is_unused(*i));
    assert!(rows.any(|(_, weights)| weights.iter().any(|w| *w != 0.0)));
}

/// Makes lane 3 and a unit of each hidden layer dead.
fn kill(checkpoint: &mut Checkpoint) {
    let sides = checkpoint.sides;
    let net = LineNetMut::new(&mut checkpoint.optimiser.values[sides.line_net(0)]);
    net.output.iter_mut().for_each(|row| row[3] = 0.0);
    net.output_bias[3] = -0.5;
    let head = HeadMut::new(&mut checkpoint.optimiser.values[sides.head(0)]);
    (head.first_bias[7], head.second_bias[9]) = (-900.0, -900.0);
    checkpoint.optimiser.average.clone_from(&checkpoint.optimiser.values);
}

/// Dead parts get new weights before the first step, which changes no prediction.
#[test]
fn dead_parts_are_revived() {
    let samples = data(Rule::Freestyle, 12);
    let mut checkpoint = begin(Rule::Freestyle, 5, None);
    assert!(!liveness(&checkpoint, &samples).has_dead());
    kill(&mut checkpoint);
    let text = liveness(&checkpoint, &samples).to_string();
    for part in ["15 of 16 lanes", "31 of 32 first layer", "31 of 32 second layer"] {
        assert!(text.contains(part), "{text}");
    }
    let outputs = |checkpoint: &Checkpoint| -> Vec<[f32; 3]> {
        let picks: Vec<Pick> = (0..20).map(|sample| Pick { sample, symmetry: 0 }).collect();
        let mut machine = Machine::new(checkpoint.sides);
        let predictions = machine.predict(checkpoint.optimiser.current(), &samples, &picks, Precision::Float).1;
        predictions.iter().map(|p| p.outcome).collect()
    };
    let before = outputs(&checkpoint);
    revive_parts_dead_on(&samples, 1, &mut checkpoint);
    assert!(!liveness(&checkpoint, &samples).has_dead());
    for (before, after) in before.iter().zip(outputs(&checkpoint)) {
        assert!(before.iter().zip(after).all(|(b, a)| (b - a).abs() < 1e-6), "{before:?} {after:?}");
    }
}

/// Parts that die in the first half of a training get new weights with the next measurement; the averages and moments
/// of all other weights stay.
#[test]
fn parts_that_die_in_training_are_revived() {
    let games = games(Rule::Freestyle, 12);
    let data = training_data(&games);
    let plan = Plan { steps: 8, batch: 32, interval: 2, ..Plan::default() };
    let mut checkpoint = begin(Rule::Freestyle, 5, None);
    train(&Plan { steps: 1, ..plan.clone() }, &data, &mut checkpoint, &StopToken::default(), &mut |_, _| true);
    kill(&mut checkpoint);
    let samples = all(&data.training);
    assert!(liveness(&checkpoint, &samples).has_dead());
    let mut reports = 0;
    train(&plan, &data, &mut checkpoint, &StopToken::default(), &mut |progress, checkpoint| {
        reports += 1;
        assert_eq!(progress.step, 2);
        let live = validate::liveness(
            &mut Machine::new(checkpoint.sides),
            checkpoint.optimiser.current(),
            &samples,
            &validate::spread(samples.len(), PROBED),
            Precision::Float,
        );
        assert!(!live.has_dead(), "{live}");
        false
    });
    assert_eq!(reports, 1);
    assert!(may_revive(&plan, 2) && !may_revive(&plan, 1) && !may_revive(&plan, 4));
    let before = checkpoint.optimiser.clone();
    kill(&mut checkpoint);
    let killed = checkpoint.optimiser.clone();
    revive_dead_parts(1, &data.training, &mut checkpoint);
    let after = &checkpoint.optimiser;
    for i in 0..before.values.len() {
        if killed.values[i] == after.values[i] {
            assert_eq!([after.moments[0][i], after.average[i]], [before.moments[0][i], killed.average[i]]);
        } else {
            assert_eq!([after.moments[0][i], after.average[i]], [0.0, after.values[i]]);
        }
    }
}

/// A network with dead lanes is written on request only.
#[test]
fn dead_lanes_are_not_exported_unasked() {
    let games = games(Rule::Freestyle, 300);
    let mut checkpoint = begin(Rule::Freestyle, 5, None);
    kill(&mut checkpoint);
    let path = std::env::temp_dir().join(format!("tengen-dead-{}.tnn", std::process::id()));
    let (plan, start) = (Plan::default(), run::Start::Cold);
    let run = run::Run { games: &games, trees: &[], plan: &plan, targets: &TARGETS, start, state: &path, threads: 2 };
    let export = |allow_dead| {
        let options = run::ExportOptions {
            rules: &[Rule::Freestyle],
            units: Some(160),
            rare: run::RARE,
            allow_dead,
            compared: None,
        };
        run.export(&checkpoint, options, Vec::new(), &path)
    };
    let refused = export(false).expect_err("dead lanes").to_string();
    assert!(refused.contains("15 of 16 lanes live") && refused.contains("--allow-dead"), "{refused}");
    assert!(!path.exists());
    let exported = export(true).expect("a network");
    assert!(exported.liveness.has_dead() && path.exists());
    // A warm start keeps the scale.
    let warm = run::Run { start: run::Start::Warm(&path), ..run };
    let options = run::ExportOptions {
        rules: &[Rule::Freestyle],
        units: None,
        rare: run::RARE,
        allow_dead: true,
        compared: None,
    };
    let goes_on = path.with_extension("warm");
    warm.export(&checkpoint, options, Vec::new(), &goes_on).expect("a network");
    assert_eq!(run::scale(&goes_on, Rule::Freestyle).expect("a scale"), 160.0);
    std::fs::remove_file(goes_on).expect("removed");
    std::fs::remove_file(path).expect("removed");
}

/// A leak lets a gradient pass clipped parts, and changes nothing else.
#[test]
fn a_leak_reaches_dead_parts() {
    let samples = data(Rule::Freestyle, 12);
    let mut checkpoint = begin(Rule::Freestyle, 5, None);
    kill(&mut checkpoint);
    let picks: Vec<Pick> = (0..20).map(|sample| Pick { sample, symmetry: 0 }).collect();
    let bias_gradient = |leak: f32| {
        let mut machine = Machine::new(checkpoint.sides);
        machine.leak = leak;
        let weighting = Weighting { value: 1.0, policy: 1.0 };
        machine.learn(checkpoint.optimiser.current(), &samples, &picks, Precision::Float, weighting);
        LineNet::new(&machine.gradient[checkpoint.sides.line_net(0)]).output_bias[3]
    };
    assert_eq!(bias_gradient(0.0), 0.0);
    assert_ne!(bias_gradient(0.01), 0.0);
}

#[test]
fn training_lowers_the_losses_and_goes_on_from_a_checkpoint_as_if_never_stopped() {
    let games = games(Rule::Freestyle, 12);
    let data = training_data(&games);
    // Residual rows begin after the stop at step 8, so that a second stop has them in its checkpoint.
    let plan = Plan { steps: 24, batch: 32, interval: 8, ..Plan::default() };
    let run = |checkpoint: &mut Checkpoint, plan: &Plan, threads: usize, until: u32| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| train(plan, &data, checkpoint, &StopToken::new(), &mut |progress, _| progress.step < until));
    };
    let mut whole = begin(Rule::Freestyle, 1, None);
    run(&mut whole, &plan, 1, 24);
    let losses: Vec<f32> = whole.history.iter().map(|m| m.training[1]).collect();
    assert!(losses.len() == 3 && losses[2] < losses[0] - 0.05, "{losses:?}");

    let mut first = begin(Rule::Freestyle, 1, None);
    run(&mut first, &plan, 2, 8);
    assert_eq!(first.optimiser.steps, 8);
    let mut resumed = first;
    for until in [16, 24] {
        let before = resumed;
        resumed = Checkpoint::decode(&before.encode()).expect("a checkpoint");
        assert_eq!(resumed.optimiser, before.optimiser);
        run(&mut resumed, &plan, 2, until);
        assert!(resumed.optimiser.residual.is_some());
    }
    assert_eq!(resumed.optimiser, whole.optimiser);
    assert_eq!(resumed.history.iter().map(|m| m.training[1]).collect::<Vec<_>>(), losses);
}

#[test]
fn damaged_and_foreign_checkpoints_are_told_apart() {
    let mut checkpoint = begin(Rule::Standard, 2, None);
    let losses = Losses { value: 0.7, values: 1.0, policy: 2.5, policies: 1.5, hits: 1.0 };
    checkpoint.history.push(Mark::new(3, &losses, None));
    checkpoint.losses = losses;
    let material = Material::of(["abc"].iter());
    assert_eq!((material.count, &material.crc32[..]), (1, "352441c2"));
    checkpoint.recipe = Some(Recipe {
        plan: Plan { rate: 1.7e-3, ..Plan::default() },
        targets: TARGETS,
        warm_start: None,
        games: material.clone(),
        trees: material,
    });
    let bytes = checkpoint.encode();
    let read = Checkpoint::decode(&bytes).expect("a checkpoint");
    assert_eq!((read.rule, read.optimiser), (checkpoint.rule, checkpoint.optimiser));
    assert_eq!((read.recipe, read.losses), (checkpoint.recipe, checkpoint.losses));
    assert_eq!(read.history[0].training, checkpoint.history[0].training);
    let refused = |bytes: &[u8]| Checkpoint::decode(bytes).expect_err("no checkpoint");
    assert_eq!(refused(b"GIF89a"), CheckpointError::NotACheckpoint);
    assert_eq!(refused(&[b"TGC9", &bytes[4..]].concat()), CheckpointError::Version);
    for cut in [4, 5, 100, bytes.len() - 1] {
        assert_eq!(refused(&bytes[..cut]), CheckpointError::Damaged, "{cut}");
    }
    let mut flipped = bytes.clone();
    flipped[1000] ^= 4;
    assert_eq!(refused(&flipped), CheckpointError::Damaged);
}

/// Samples with and without yardsticks are the same positions.
#[test]
fn samples_do_not_depend_on_who_judges() {
    let game = random_game(Rule::Freestyle, BoardSize::RENJU, 4);
    let (mut plain, mut judged) = (Samples::default(), Samples::default());
    (0..game.game.moves.len()).filter(|i| *i > 0).for_each(|i| plain.add_move(&game, i, &TARGETS));
    judged.add_judged(&game, &TARGETS, |position| Some(Classical::new(position, Weights::built_in())));
    assert!(plain.yardsticks.is_empty() && judged.yardsticks.len() == judged.len());
    assert_eq!(plain.len(), judged.len());
    let mut position = Position::empty_board(game.size, game.rule, &[]);
    position.play(game.game.opening[0], &mut Silent);
    position.play(game.game.moves[0].point, &mut Silent);
    // The first move after the opening is skipped.
    let head = plain.head(0);
    assert_eq!(head.to_move, position.to_move());
    assert!((head.target.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    let mut cells = vec![0; 225];
    plain.unpack(head, &mut cells);
    assert_eq!(cells.iter().filter(|c| **c > 0).count(), 2);
}

/// One game in twenty is held out; copies of a game from other seeds have the same result.
#[test]
fn copies_are_held_out_together() {
    let all = games(Rule::Freestyle, 600);
    let copy = |game: &DataGame| DataGame { seed: game.seed + 1000, ..game.clone() };
    assert!(all.iter().all(|game| sample::is_held_out(game) == sample::is_held_out(&copy(game))));
    let held_out = all.iter().filter(|game| sample::is_held_out(game)).count();
    assert!((15..=45).contains(&held_out), "{held_out} of 600");
}

/// A set of games that no training knows is measured like the held-out games of a training.
#[test]
fn all_games_are_measured_as_held_out_ones_are() {
    let games = games(Rule::ALL[0], 120);
    let network: &Network = Network::built_in().expect("a built-in network");
    let kept: Vec<DataGame> = held_out_games(&games).into_iter().cloned().collect();
    assert!((1..30).contains(&kept.len()));
    let expected = measure(&games, &TARGETS, network, &held_out(&games, &TARGETS));
    assert_eq!(measure_all(&kept, &TARGETS, [network, network]), [expected, expected]);
    assert!(measure_all(&games, &TARGETS, [network])[0].positions > 4 * expected.positions);
}
