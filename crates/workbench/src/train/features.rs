//! Computes the line shapes of all points of a sample from its cells.

use std::collections::HashMap;
use tengen::board::BoardSize;
use tengen::eval::network::layout::{REGIONS, Regions};
use tengen::eval::network::lines::{shape, swap_centre};
use tengen::pattern::{REACH, arm_offset};

/// Data that depends only on the board size.
#[derive(Debug)]
pub struct Geometry {
    width: usize,
    height: usize,
    /// Region of each cell.
    pub region: Vec<u8>,
    /// Factor of each region's sum, the same as in inference.
    pub multiplier: [f32; REGIONS],
    /// Permutation of the regions under each symmetry of the board.
    pub images: Vec<[u8; REGIONS]>,
    /// Values of the empty arms backward and forward, for each cell and direction.
    offsets: Vec<[(u16, u16); 4]>,
}

impl Geometry {
    fn new(size: BoardSize) -> Geometry {
        let (width, height) = (usize::from(size.width()), usize::from(size.height()));
        let regions = Regions::new(size);
        let mut geometry = Geometry {
            width,
            height,
            region: size.points().map(|p| regions.of(p.x(), p.y()) as u8).collect(),
            multiplier: std::array::from_fn(|r| regions.multiplier(r) as f32),
            images: Vec::new(),
            offsets: Vec::new(),
        };
        for bits in 0..if width == height { 8 } else { 4 } {
            let image = |r: usize| {
                let (x, y) = (r % 3, r / 3);
                let (x, y) = (if bits & 1 > 0 { 2 - x } else { x }, if bits & 2 > 0 { 2 - y } else { y });
                (if bits & 4 > 0 { 3 * x + y } else { 3 * y + x }) as u8
            };
            geometry.images.push(std::array::from_fn(image));
        }
        for y in 0..height {
            for x in 0..width {
                let (left, right, above, below) = (x, width - 1 - x, y, height - 1 - y);
                let arms = [
                    (left, right),
                    (above, below),
                    (left.min(above), right.min(below)),
                    (right.min(above), left.min(below)),
                ];
                let value = |length: usize| arm_offset(length.min(REACH)) as u16;
                geometry.offsets.push(arms.map(|(back, ahead)| (value(back), value(ahead))));
            }
        }
        geometry
    }
}

/// Geometries of the board sizes seen so far, and buffers for a sample's cells.
#[derive(Debug)]
pub struct Extractor {
    geometries: HashMap<BoardSize, Geometry>,
    /// Digits of five cells with black and white exchanged.
    swapped: Vec<u8>,
    /// Arms of each cell, backward and forward, by direction; the board has a margin of one.
    digits: Vec<[[u8; 2]; 4]>,
    padded: Vec<u8>,
}

impl Default for Extractor {
    fn default() -> Extractor {
        let swap = |mut value: u32| {
            let (mut swapped, mut power) = (0, 1);
            while value > 0 {
                swapped += power * swap_centre(value % 3);
                (value, power) = (value / 3, 3 * power);
            }
            swapped as u8
        };
        let swapped = (0..243).map(swap).collect();
        Extractor { geometries: HashMap::new(), swapped, digits: Vec::new(), padded: Vec::new() }
    }
}

impl Extractor {
    /// Data that depends only on the board size.
    pub fn geometry(&mut self, size: BoardSize) -> &Geometry {
        self.geometries.entry(size).or_insert_with(|| Geometry::new(size))
    }

    /// Appends, for each cell, the shapes of its four lines from black's view and from white's.
    pub fn shapes(&mut self, size: BoardSize, cells: &[u8], shapes: &mut Vec<[u32; 8]>) {
        let geometry = self.geometries.entry(size).or_insert_with(|| Geometry::new(size));
        let (width, height) = (geometry.width, geometry.height);
        let stride = width + 2;
        self.padded.clear();
        self.padded.resize(stride * (height + 2), 0);
        for (row, from) in cells.chunks_exact(width).take(height).enumerate() {
            self.padded[(row + 1) * stride + 1..][..width].copy_from_slice(from);
        }
        self.digits.clear();
        self.digits.resize(self.padded.len(), [[0; 2]; 4]);
        let offsets = [1, stride, stride + 1, stride - 1];
        // The arm of a cell is its neighbour, followed by the neighbour's arm without its farthest cell.
        let extend = |digit: u8, arm: u8| digit + 3 * (arm % 81);
        for y in 1..=height {
            for at in y * stride + 1..=y * stride + width {
                for (d, offset) in offsets.into_iter().enumerate() {
                    let from = at - offset;
                    self.digits[at][d][0] = extend(self.padded[from], self.digits[from][d][0]);
                }
            }
        }
        for y in (1..=height).rev() {
            for at in (y * stride + 1..=y * stride + width).rev() {
                for (d, offset) in offsets.into_iter().enumerate() {
                    let from = at + offset;
                    self.digits[at][d][1] = extend(self.padded[from], self.digits[from][d][1]);
                }
            }
        }
        let mut lengths = geometry.offsets.iter();
        for y in 1..=height {
            for (at, lengths) in (y * stride + 1..=y * stride + width).zip(&mut lengths) {
                let centre = u32::from(self.padded[at]);
                let mut of_cell = [0; 8];
                for d in 0..4 {
                    let [back, ahead] = self.digits[at][d];
                    let (b, a) = (u32::from(lengths[d].0), u32::from(lengths[d].1));
                    of_cell[d] = shape(centre, b + u32::from(back), a + u32::from(ahead));
                    let [back, ahead] = [back, ahead].map(|v| u32::from(self.swapped[usize::from(v)]));
                    of_cell[4 + d] = shape(swap_centre(centre), b + back, a + ahead);
                }
                shapes.push(of_cell);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::{Direction, Setup, Side};
    use tengen::pattern::{ARMS, swap_arm};
    use tengen::position::Position;
    use tengen::rules::Rule;
    use tengen_analysis::random::Random;

    /// The position computes the same codes in another way.
    #[test]
    fn shapes_are_those_of_the_position() {
        let mut random = Random::from_state(5);
        for (width, height) in [(15, 15), (5, 9), (20, 12)] {
            let size = BoardSize::new(width, height).expect("a size");
            let mut setup = Setup::empty(size);
            let points: Vec<_> = size.points().collect();
            for i in random.order(points.len()).into_iter().take(size.cells() / 3) {
                setup.play(points[i]);
            }
            let position = Position::new(&setup, Rule::Freestyle).expect("a legal setup");
            let mut cells = vec![0; size.cells()];
            for (point, side) in &setup.stones {
                cells[usize::from(point.y()) * usize::from(width) + usize::from(point.x())] = *side as u8 + 1;
            }
            let mut shapes = Vec::new();
            Extractor::default().shapes(size, &cells, &mut shapes);
            for (i, point) in size.points().enumerate() {
                for direction in Direction::ALL {
                    let code = position.line_code(point, direction);
                    let (back, ahead, centre) = (code / ARMS, code % ARMS, u32::from(cells[i]));
                    assert_eq!(shapes[i][direction.index()], shape(centre, back, ahead), "{point:?} {direction:?}");
                    let swapped = shape(swap_centre(centre), swap_arm(back), swap_arm(ahead));
                    assert_eq!(shapes[i][4 + direction.index()], swapped);
                }
            }
            assert_eq!(setup.stones[0].1, Side::Black);
        }
    }
}
