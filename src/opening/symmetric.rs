//! Points that are alike by the symmetry of a position.

use crate::board::{Point, Setup, Symmetry};

/// The images of a point under all symmetries of the board that leave the position as it is; the point itself is one of
/// them. Moves on these points are one move.
pub fn images(setup: &Setup, point: Point) -> Vec<Point> {
    let keeps = |map: &Symmetry| {
        let image = map.apply_setup(setup);
        image.stones.iter().all(|stone| setup.stones.contains(stone))
            && image.blocked.iter().all(|cell| setup.blocked.contains(cell))
    };
    let mut images = Vec::new();
    for map in Symmetry::of(setup.size).iter().filter(|map| keeps(map)) {
        let image = map.apply(setup.size, point);
        if !images.contains(&image) {
            images.push(image);
        }
    }
    images
}
