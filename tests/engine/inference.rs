//! Compares the accumulator with a slow reference, kernels with each other, and tests damaged files.

use crate::random_network::{Lcg, random_weights};
use tengen::board::{BoardSize, Point, Setup};
use tengen::eval::network::file::{LARGEST, SetWeights, decode, encode};
use tengen::eval::network::layout::{HALF, HIDDEN, INPUTS, LANES, NON_POOLED_INPUTS, POLICY, RADIUS, REGIONS, TAPS};
use tengen::eval::network::{Kernel, Network, NetworkError, Neural};
use tengen::eval::{Classical, Evaluator, MoveOrdering, OrderingContext, Weights};
use tengen::position::{Observer, Position};
use tengen::rules::Rule;

fn network(rule: Rule, sides: usize) -> &'static Network {
    let bytes = encode(&[random_weights(rule, sides, 5)]);
    Box::leak(Box::new(Network::decode(bytes).expect("a network")))
}

/// The slow reference: region sums, value and the scores of empty points from rows that are looked up anew, with plain
/// loops over unpacked weights.
fn slow_results(numbers: &SetWeights, position: &Position) -> ([i32; 3], Vec<(Point, i32)>) {
    use tengen::board::{Cell, Direction, Side};
    use tengen::eval::displacement;
    use tengen::eval::network::layout::{Regions, facts, last_stones};
    use tengen::eval::network::lines::{shape, swap_centre};
    use tengen::pattern::{ARMS, swap_arm};
    let size = position.size();
    let regions = Regions::new(size);
    let mut sums = [[[0_i32; HALF]; 2]; REGIONS];
    let mut activations = std::collections::HashMap::new();
    for point in size.points().filter(|p| position.cell(*p) != Cell::Blocked) {
        let mut vector = [[0_i32; HALF]; 2];
        for direction in Direction::ALL {
            let code = position.line_code(point, direction);
            let centre = match position.cell(point) {
                Cell::Stone(side) => side as u32 + 1,
                _ => 0,
            };
            let black = shape(centre, code / ARMS, code % ARMS);
            let white = shape(swap_centre(centre), swap_arm(code / ARMS), swap_arm(code % ARMS));
            for (half, id) in [black, white].into_iter().enumerate() {
                let rows = &numbers.rows[half.min(numbers.rows.len() - 1)];
                for lane in 0..HALF {
                    vector[half][lane] += i32::from(rows[id as usize * HALF + lane]);
                }
            }
        }
        let sum = &mut sums[regions.of(point.x(), point.y())];
        let activation = vector.map(|half| half.map(|v| v.clamp(0, 255)));
        for (s, a) in sum.iter_mut().flatten().zip(activation.iter().flatten()) {
            *s += a;
        }
        activations.insert(point, activation);
    }
    let us = position.to_move().index();
    let mut inputs = Vec::new();
    for (r, sum) in sums.iter().enumerate() {
        for half in [us, 1 - us] {
            inputs.extend(sum[half].map(|s| ((s * regions.multiplier(r)) >> 11).min(127)));
        }
    }
    inputs.extend(facts(position).map(i32::from));
    let head = &numbers.heads[position.to_move().index().min(numbers.heads.len() - 1)];
    assert!(
        Side::BOTH[us] == position.to_move() && inputs.len() == INPUTS && facts(position).len() == NON_POOLED_INPUTS
    );
    let layer = |inputs: &[i32], weights: &[i8], bias: &[i32]| -> Vec<i32> {
        let width = bias.len();
        let sum = |o: usize| inputs.iter().enumerate().map(|(i, x)| x * i32::from(weights[i * width + o])).sum::<i32>();
        (0..width).map(|o| bias[o] + sum(o)).collect()
    };
    let limited = |sums: Vec<i32>| sums.into_iter().map(|s| (s >> 6).clamp(0, 127)).collect::<Vec<i32>>();
    let first = limited(layer(&inputs, &head.first, &head.first_bias));
    let second = limited(layer(&first, &head.second, &head.second_bias));
    let outputs = layer(&second, &head.output, &head.output_bias);

    let weights: Vec<i64> = layer(&first, &head.gate, &head.policy)
        .into_iter()
        .map(|sum| i64::from((sum >> 4).clamp(-9000, 9000)))
        .collect();
    let score = |point: Point| {
        let mut logit = 0;
        let reach = -(RADIUS as i32)..=RADIUS as i32;
        for (dx, dy) in reach.clone().flat_map(|dx| reach.clone().map(move |dy| (dx, dy))) {
            let other = size.point(i32::from(point.x()) + dx, i32::from(point.y()) + dy);
            let Some(activation) = other.and_then(|other| activations.get(&other)) else { continue };
            let (dx, dy) = (dx.unsigned_abs() as usize, dy.unsigned_abs() as usize);
            let (more, less) = (dx.max(dy), dx.min(dy));
            // The taps are in the order of their distances: (0, 0), (1, 0), (1, 1), (2, 0) and so on.
            let tap = (0..more).map(|m| m + 1).sum::<usize>() + less;
            for (view, half) in [us, 1 - us].into_iter().enumerate() {
                for lane in 0..HALF {
                    let product = i64::from(activation[half][lane]) * weights[tap * LANES + view * HALF + lane];
                    logit += if more == 0 { 4 * product } else { product };
                }
            }
        }
        for (whose, last) in last_stones(position).into_iter().enumerate() {
            if let Some((from, class)) = last {
                let table = &head.near[(whose * 14 + class as usize) * 36..][..36];
                logit += i64::from(table[displacement(from, point)]) * 128;
            }
        }
        (logit / 1024) as i32
    };
    let empty = size.points().filter(|p| position.is_empty(*p));
    ([outputs[0], outputs[1], outputs[2]], empty.map(|p| (p, score(p))).collect())
}

/// The same results of an evaluator.
fn results(neural: &mut Neural, position: &Position) -> ([i32; 3], Vec<(Point, i32)>) {
    let logits = neural.logits(position);
    let empty: Vec<Point> = position.size().points().filter(|p| position.is_empty(*p)).collect();
    let mut scores = Vec::new();
    let ordering = neural.ordering(position, OrderingContext::of(position));
    ordering.for_each(&empty, position, |point, score| scores.push((point, score)));
    (logits, scores)
}

/// Plays a random stone, or undoes the last one.
fn play_or_take_back(position: &mut Position, observer: &mut impl Observer, lcg: &mut Lcg) {
    let empty: Vec<Point> = position.size().points().filter(|p| position.is_empty(*p)).collect();
    if position.stones() > 0 && (empty.is_empty() || lcg.below(5) < 2) {
        position.undo(observer);
    } else {
        position.play(empty[lcg.below(empty.len())], observer);
    }
}

/// Random stones and undos with evaluations at random times: all kernels agree with the slow reference.
#[test]
fn what_is_kept_up_to_date_is_what_the_position_shows() {
    let cases = [
        (Rule::Freestyle, 1, (15, 15), 0),
        (Rule::Renju, 2, (15, 15), 0),
        (Rule::Freestyle, 1, (25, 25), 9),
        (Rule::Freestyle, 1, (5, 7), 3),
        (Rule::Freestyle, 1, (20, 9), 12),
    ];
    for (case, (rule, sides, (width, height), blocked)) in cases.into_iter().enumerate() {
        let size = BoardSize::new(width, height).expect("a size");
        let mut lcg = Lcg(case as u64);
        let mut setup = Setup::empty(size);
        let points: Vec<Point> = size.points().collect();
        while setup.blocked.len() < blocked {
            let point = points[lcg.below(points.len())];
            if !setup.blocked.contains(&point) {
                setup.blocked.push(point);
            }
        }
        let numbers = random_weights(rule, sides, 5);
        let network = network(rule, sides);
        for kernel in Kernel::available() {
            let mut position = Position::new(&setup, rule).expect("a legal setup");
            let mut neural = Neural::with_kernel(&position, network, kernel).expect("the rule");
            for _ in 0..300 {
                play_or_take_back(&mut position, &mut neural, &mut lcg);
                if lcg.below(3) == 0 {
                    let found = results(&mut neural, &position);
                    assert_eq!(found, slow_results(&numbers, &position), "{rule} {size} {kernel:?}");
                }
                if lcg.below(9) == 0 {
                    position.pass();
                    assert_eq!(results(&mut neural, &position), slow_results(&numbers, &position), "after a pass");
                    position.pass();
                }
            }
        }
    }
}

/// After random stones and undos, the sum of the classical evaluation depends only on the position.
#[test]
fn the_classical_sum_is_kept_up_to_date() {
    for (case, (rule, (width, height))) in
        [(Rule::Freestyle, (15, 15)), (Rule::Renju, (15, 15)), (Rule::Caro, (9, 20)), (Rule::CaroExact, (5, 5))]
            .into_iter()
            .enumerate()
    {
        let size = BoardSize::new(width, height).expect("a size");
        let mut lcg = Lcg(case as u64);
        let points: Vec<Point> = size.points().collect();
        let setup = Setup { blocked: vec![points[1], points[12]], ..Setup::empty(size) };
        let mut position = Position::new(&setup, rule).expect("a legal setup");
        let mut classical = Classical::new(&position, Weights::built_in());
        for _ in 0..400 {
            play_or_take_back(&mut position, &mut classical, &mut lcg);
            assert_eq!(classical.sum(), Classical::new(&position, Weights::built_in()).sum(), "{rule} {size}");
        }
        assert!(position.stones() > 0 && classical.sum() != 0);
    }
}

/// An evaluator created in the middle of a game stays correct when earlier stones are undone.
#[test]
fn stones_from_before_can_be_taken_back() {
    let size = BoardSize::RENJU;
    let network = network(Rule::Freestyle, 1);
    let mut position = Position::empty_board(size, Rule::Freestyle, &[]);
    let mut lcg = Lcg(3);
    let mut play = |position: &mut Position, neural: Option<&mut Neural>| {
        let all: Vec<Point> = position.size().points().filter(|p| position.is_empty(*p)).collect();
        let point = all[lcg.below(all.len())];
        match neural {
            Some(neural) => position.play(point, neural),
            None => position.play(point, &mut tengen::position::Silent),
        }
    };
    (0..10).for_each(|_| play(&mut position, None));
    let mut neural = Neural::new(&position, network).expect("the rule");
    for (back, ahead) in [(0, 2), (4, 1), (1, 7), (9, 0)] {
        (0..back).for_each(|_| position.undo(&mut neural));
        (0..ahead).for_each(|_| play(&mut position, Some(&mut neural)));
        let mut fresh = Neural::new(&position, network).expect("the rule");
        assert_eq!(neural.logits(&position), fresh.logits(&position), "{back} back, {ahead} ahead");
    }
}

#[test]
fn orderings_of_all_kernels_agree() {
    let network = network(Rule::Renju, 2);
    let size = BoardSize::RENJU;
    let moves = ["h8", "i9", "g7", "h9", "i8", "g8", "f6"]
        .map(|label| tengen::board::parse_point(size, label).expect("a label"));
    let position = Position::new(&Setup::from_moves(size, moves), Rule::Renju).expect("a legal setup");
    let scores = |kernel: Kernel| -> Vec<i32> {
        let mut neural = Neural::with_kernel(&position, network, kernel).expect("the rule");
        let ordering = neural.ordering(&position, OrderingContext::of(&position));
        let points: Vec<Point> = size.points().filter(|p| position.is_empty(*p)).collect();
        let one_by_one = points.iter().map(|p| (*p, ordering.score(*p, position.info(*p))));
        let mut at_once = Vec::new();
        ordering.for_each(&points, &position, |point, score| at_once.push((point, score)));
        assert!(one_by_one.eq(at_once.iter().copied()), "{kernel:?}");
        at_once.into_iter().map(|(_, score)| score).collect()
    };
    let kernels = Kernel::available();
    let expected = scores(kernels[0]);
    assert!(expected.iter().any(|s| *s != expected[0]));
    for kernel in kernels {
        assert_eq!(scores(kernel), expected, "{kernel:?}");
    }
}

#[test]
fn colours_are_alike_and_scores_within_the_limit() {
    let network = network(Rule::Freestyle, 1);
    let size = BoardSize::RENJU;
    let points: Vec<Point> = size.points().collect();
    let mut lcg = Lcg(8);
    let mut position = Position::empty_board(size, Rule::Freestyle, &[]);
    let mut neural = Neural::new(&position, network).expect("the rule");
    // The same stones with colours exchanged and the other side to move are the same to the side to move.
    let mut swapped = Position::empty_board(size, Rule::Freestyle, &[]);
    swapped.pass();
    let mut mirrored = Neural::new(&swapped, network).expect("the rule");
    for _ in 0..40 {
        let empty: Vec<Point> = points.iter().copied().filter(|p| position.is_empty(*p)).collect();
        let point = empty[lcg.below(empty.len())];
        position.play(point, &mut neural);
        swapped.play(point, &mut mirrored);
        assert_eq!(neural.evaluate(&position), mirrored.evaluate(&swapped));
        assert!(neural.evaluate(&position).abs() <= tengen::score::Score::EVAL_LIMIT);
    }
}

#[test]
fn files_survive_a_round_trip_and_damage_is_noticed() {
    let mut sets = [random_weights(Rule::Freestyle, 1, 1), random_weights(Rule::Renju, 2, 2)];
    sets[0].rules.push(Rule::CaroExact);
    let bytes = encode(&sets);
    assert_eq!(decode(&bytes).as_deref(), Ok(&sets[..]));
    let network = Network::decode(bytes.clone()).expect("a network");
    assert!(network.set(Rule::Freestyle).is_some() && network.set(Rule::Caro).is_none());
    assert!(network.knows(Rule::Freestyle) && !network.knows(Rule::Caro));
    let set = |rule| network.set(rule).map(|set| std::sync::Arc::as_ptr(&set));
    assert_eq!(set(Rule::Freestyle), set(Rule::CaroExact), "rules that share their numbers");
    assert_ne!(set(Rule::Freestyle), set(Rule::Renju));
    assert!(network.name().len() <= 16, "names of evaluations in records are short");
    for cut in [4, 7, 8, 30, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(decode(&bytes[..cut]), Err(NetworkError::Damaged), "{cut}");
    }
    assert_eq!(decode(b""), Err(NetworkError::NotANetwork));
    assert_eq!(decode(b"TGNW\x02\0\x03\0"), Err(NetworkError::NotANetwork));
    assert_eq!(decode(b"TNN9\x02\0\x03\0"), Err(NetworkError::Version));
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 3] ^= 1;
    assert_eq!(decode(&flipped), Err(NetworkError::Damaged));
    // Compressed weights that are cut, longer than declared, or nonsense, with a matching checksum.
    let body = &bytes[8..];
    let (cut, longer) = (&body[..body.len() - 1], [body, &[0]].concat());
    let mut nonsense = body.to_vec();
    let middle = nonsense.len() / 2;
    nonsense[middle..].fill(0x5a);
    for wrong in [cut, &longer, &nonsense] {
        assert_eq!(decode(&with_body(&bytes, wrong)).err(), Some(NetworkError::Damaged));
        assert_eq!(Network::decode(with_body(&bytes, wrong)).err(), Some(NetworkError::Damaged));
    }
    // A file must not have two sets for the same rule.
    assert_eq!(decode(&encode(&[sets[0].clone(), sets[0].clone()])), Err(NetworkError::Damaged));
    assert_eq!(decode(&encode(&[])), Err(NetworkError::Damaged), "no set");
    // Weights of a line net that would overflow its sums.
    let mut large = sets.clone();
    large[1].line_nets[1].near[7] = 2048;
    assert_eq!(Network::decode(encode(&large)), Err(NetworkError::Damaged));
    // Biases that would overflow the sums.
    for wrong in [LARGEST + 1, -LARGEST - 1, i32::MIN] {
        let mut large = sets.clone();
        large[1].heads[1].output_bias[0] = wrong;
        assert_eq!(Network::decode(encode(&large)), Err(NetworkError::Damaged), "{wrong}");
        large[1].heads[1].output_bias[0] = LARGEST * wrong.signum();
        assert!(Network::decode(encode(&large)).is_ok());
    }
    // A complete file of another shape.
    let mut body = bytes[8..].to_vec();
    body[4] += 1;
    assert_eq!(decode(&with_body(&bytes, &body)), Err(NetworkError::Shape));
}

/// A network file with another body and a matching checksum.
fn with_body(file: &[u8], body: &[u8]) -> Vec<u8> {
    [&file[..4], &crc32fast::hash(body).to_le_bytes(), body].concat()
}

/// The moves of a position may be scored in any order, and several times.
#[test]
fn a_score_does_not_depend_on_the_other_moves() {
    let network = network(Rule::Freestyle, 1);
    let size = BoardSize::new(11, 8).expect("a size");
    let mut lcg = Lcg(4);
    let mut position = Position::empty_board(size, Rule::Freestyle, &[]);
    let mut neural = Neural::new(&position, network).expect("the rule");
    (0..30).for_each(|_| play_or_take_back(&mut position, &mut neural, &mut lcg));
    let (_, expected) = results(&mut neural, &position);
    let ordering = neural.ordering(&position, OrderingContext::of(&position));
    for _ in 0..50 {
        let some: Vec<(Point, i32)> = (0..lcg.below(90)).map(|_| expected[lcg.below(expected.len())]).collect();
        let points: Vec<Point> = some.iter().map(|(point, _)| *point).collect();
        let mut scores = Vec::new();
        ordering.for_each(&points, &position, |point, score| scores.push((point, score)));
        assert_eq!(scores, some);
    }
}

/// Version 4 of the format has the point's own weights alone.
#[test]
fn files_without_neighbours_are_read() {
    let mut set = random_weights(Rule::Standard, 1, 4);
    let head = &mut set.heads[0];
    head.policy[LANES..].fill(0);
    head.gate.chunks_exact_mut(POLICY).for_each(|row| row[LANES..].fill(0));
    // In this format the sizes have no number of taps, and each row of the gates is shorter.
    let mut old = set.clone();
    old.heads[0].policy.truncate(LANES);
    old.heads[0].gate = set.heads[0].gate.chunks_exact(POLICY).flat_map(|row| row[..LANES].to_vec()).collect();
    let new = encode(&[old]);
    let (length, sizes) = (new.len() - 2, &new[12..]);
    assert_eq!(sizes[2..4], (TAPS as u16).to_le_bytes());
    let body = [&(length as u32).to_le_bytes()[..], &sizes[..2], &sizes[4..]].concat();
    let file = [&b"TNN4"[..], &crc32fast::hash(&body).to_le_bytes(), &body].concat();
    assert!(Network::check_head(&file[..Network::HEAD], file.len() as u64).is_ok());
    assert_eq!(decode(&file).as_deref(), Ok(&[set.clone()][..]));
    let network = |bytes| Box::leak(Box::new(Network::decode(bytes).expect("a network")));
    let position = Position::empty_board(BoardSize::RENJU, Rule::Standard, &[]);
    let [of_old, of_new] = [network(file), network(encode(&[set]))]
        .map(|network| results(&mut Neural::new(&position, network).expect("the rule"), &position));
    assert_eq!(of_old, of_new);
}

/// Training starts with narrower networks; the engine accepts only networks of full width.
#[test]
fn narrower_networks_are_read_with_lanes_of_zero() {
    const NARROW: usize = HALF / 2;
    let mut narrow = random_weights(Rule::Renju, 2, 3);
    let mut wide = narrow.clone();
    fn shrink<T: Copy + Default>(narrow: &mut Vec<T>, wide: &mut [T], lane: impl Fn(usize) -> usize) {
        *narrow = (0..wide.len()).filter(|i| lane(*i) < NARROW).map(|i| wide[i]).collect();
        (0..wide.len()).filter(|i| lane(*i) >= NARROW).for_each(|i| wide[i] = T::default());
    }
    for (narrow, wide) in narrow.rows.iter_mut().zip(&mut wide.rows) {
        shrink(narrow, wide, |i| i % HALF);
    }
    for (narrow, wide) in narrow.line_nets.iter_mut().zip(&mut wide.line_nets) {
        shrink(&mut narrow.output, &mut wide.output, |i| i % HALF);
        shrink(&mut narrow.output_bias, &mut wide.output_bias, |i| i % HALF);
    }
    for (narrow, wide) in narrow.heads.iter_mut().zip(&mut wide.heads) {
        shrink(
            &mut narrow.first,
            &mut wide.first,
            |i| if i < REGIONS * LANES * HIDDEN { i / HIDDEN % HALF } else { 0 },
        );
        shrink(&mut narrow.policy, &mut wide.policy, |i| i % HALF);
        shrink(&mut narrow.gate, &mut wide.gate, |i| i % HALF);
    }
    let bytes = encode(&[narrow]);
    assert!(decode(&bytes) == Ok(vec![wide]));
    assert_eq!(Network::decode(bytes).err(), Some(NetworkError::Shape));
}
