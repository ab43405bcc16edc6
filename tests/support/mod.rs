//! Shared by several tests: data files, rows as diagrams, a small random generator, and random positions with many
//! threats.

// Every test program compiles this file separately and uses a part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tengen::board::{BoardSize, Diagram, Direction, POINTS, Point, Setup, Side};

/// The root of the repository.
pub fn workspace() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("Cargo.lock").exists()).expect("a workspace")
}

/// The path of a file of `tests/data`.
pub fn data(name: &str) -> PathBuf {
    workspace().join("tests/data").join(name)
}

/// Diagrams of one row of cells from border to border: as a row, as a column, and along both diagonals.
pub fn row_pictures(row: &str) -> Vec<Diagram> {
    let cells: Vec<char> = row.chars().filter(|c| !c.is_whitespace()).collect();
    let n = cells.len();
    let mut pictures = Vec::new();
    for direction in Direction::ALL {
        let (width, height) = match direction {
            Direction::Row => (n, 5),
            Direction::Column => (5, n),
            Direction::Diagonal | Direction::Anti => (n, n),
        };
        let mut board = vec![vec!['.'; width]; height];
        for (i, cell) in cells.iter().enumerate() {
            let (x, y) = match direction {
                Direction::Row => (i, 2),
                Direction::Column => (2, i),
                Direction::Diagonal => (i, i),
                Direction::Anti => (n - 1 - i, i),
            };
            board[y][x] = *cell;
        }
        let text: Vec<String> = board.into_iter().map(|line| line.into_iter().collect()).collect();
        pictures.push(text.join("\n").parse().unwrap());
    }
    pictures
}

/// A position from cells as managers send them: `x, y, 1` is a stone of the side to move, `x, y, 2` the other's.
pub fn setup_of(size: u8, cells: &[(u8, u8, u8)], to_move: Side) -> Setup {
    let mut setup = Setup::empty(BoardSize::new(size, size).unwrap());
    let own = |field: u8| if field == 1 { to_move } else { !to_move };
    setup.stones = cells.iter().map(|&(x, y, field)| (Point::at(x, y), own(field))).collect();
    setup.to_move = to_move;
    setup
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same sequence on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A different sequence for each seed, and for each `TENGEN_TEST_SEED` (see `scripts/nightly.sh`).
    pub fn new(seed: u64) -> Random {
        static OTHER: OnceLock<u64> = OnceLock::new();
        let other = OTHER.get_or_init(|| match std::env::var("TENGEN_TEST_SEED") {
            Ok(text) => text.trim().parse().expect("TENGEN_TEST_SEED is a whole number"),
            Err(_) => 0,
        });
        Random(seed ^ other.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound - 1`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number from `low` to `high`, both inclusive.
    pub fn range(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True with this probability, in percent.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Parameters of random positions.
#[derive(Clone, Debug)]
pub struct Clusters {
    /// Sizes to choose from.
    pub sizes: Vec<BoardSize>,
    /// Smallest and largest number of stones (fewer if the board has no room).
    pub stones: (usize, usize),
    /// Largest distance, in king steps, between a stone and an earlier one of its cluster.
    pub spread: usize,
    /// Percentage of stones that start a new cluster, anywhere on the board.
    pub scatter: usize,
    /// Percentage of positions that have a few blocked cells.
    pub blocked: usize,
    /// Whether stones alternate, black first. Otherwise the side of each stone is drawn, with a share of black that
    /// varies from position to position (40 to 75 percent): fouls occur in dense clusters of black stones.
    pub alternate: bool,
}

impl Clusters {
    /// Boards of every kind: common squares most often, the smallest and the largest, rectangles.
    pub fn all_sizes() -> Clusters {
        let square = [15, 15, 15, 20, 9, 11, 7, 5, 6, 13, 19, 22, 25].map(|n| (n, n));
        let oblong = [(5, 25), (25, 5), (20, 12), (9, 14), (15, 6)];
        let sizes = square.into_iter().chain(oblong).map(|(w, h)| BoardSize::new(w, h).unwrap()).collect();
        Clusters { sizes, stones: (6, 60), spread: 2, scatter: 4, blocked: 10, alternate: false }
    }

    /// 15x15 only, without blocked cells: the board of renju.
    pub fn renju() -> Clusters {
        Clusters { sizes: vec![BoardSize::RENJU], blocked: 0, ..Clusters::all_sizes() }
    }

    /// The next random position. It may already be won by either side; a caller that must avoid this has to check.
    pub fn position(&self, random: &mut Random) -> Setup {
        let size = *random.pick(&self.sizes);
        let cells: Vec<Point> = size.points().collect();
        let mut setup = Setup::empty(size);
        let mut taken = [false; POINTS];
        let wanted = random.range(self.stones.0, self.stones.1).min(cells.len() * 3 / 4);
        let black_share = random.range(40, 75);
        let blocked = if random.percent(self.blocked) { random.range(1, 6) } else { 0 };
        while setup.stones.len() < wanted {
            let point = match setup.stones.last() {
                Some(_) if !random.percent(self.scatter) => {
                    let (near, _) = *random.pick(&setup.stones);
                    let mut offset = |from: u8| {
                        let steps = random.below(2 * self.spread + 1) as i32 - self.spread as i32;
                        i32::from(from) + steps
                    };
                    let (x, y) = (offset(near.x()), offset(near.y()));
                    size.point(x, y)
                }
                _ => Some(*random.pick(&cells)),
            };
            // A crowded cluster has no free cell around it; the next scattered stone then goes anywhere.
            let Some(point) = point.filter(|point| !taken[point.index()]) else { continue };
            taken[point.index()] = true;
            if setup.blocked.len() < blocked && random.percent(25) {
                setup.blocked.push(point);
                continue;
            }
            let black = random.percent(black_share);
            let side = match self.alternate {
                true => setup.to_move,
                false if black => Side::Black,
                false => Side::White,
            };
            setup.stones.push((point, side));
            setup.to_move = !side;
        }
        setup
    }
}

/// A known renju position and all points that are forbidden to black.
pub struct RenjuVector {
    pub tag: String,
    pub setup: Setup,
    pub forbidden: Vec<Point>,
    /// Whether a test without recursion gets it wrong.
    pub naive_differs: bool,
}

/// Parses one line of `renju_forbidden_vectors.jsonl`, which always has the same keys and no nested values except
/// points.
fn read_renju_vector(line: &str) -> RenjuVector {
    let after = |key: &str| line.split_once(&format!("\"{key}\": ")).expect(key).1;
    let points = |key: &str| -> Vec<Point> {
        let list = after(key);
        let list = if list.starts_with("[]") { "" } else { list.split_once("]]").expect("a list of points").0 };
        let numbers: Vec<u8> = list
            .split(|c: char| !c.is_ascii_digit())
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().unwrap())
            .collect();
        numbers.chunks(2).map(|pair| Point::at(pair[0], pair[1])).collect()
    };
    let mut setup = Setup::empty(BoardSize::RENJU);
    for (key, side) in [("black", Side::Black), ("white", Side::White)] {
        setup.stones.extend(points(key).into_iter().map(|point| (point, side)));
    }
    let mut forbidden = points("forbidden");
    forbidden.sort();
    RenjuVector {
        tag: after("tag").split('"').nth(1).expect("a text").to_owned(),
        setup,
        forbidden,
        naive_differs: after("naive_differs").starts_with("true"),
    }
}

/// The thousand positions of `data/renju_forbidden_vectors.jsonl`.
pub fn renju_vectors() -> Vec<RenjuVector> {
    let text = std::fs::read_to_string(data("renju_forbidden_vectors.jsonl")).unwrap();
    text.lines().map(read_renju_vector).collect()
}
