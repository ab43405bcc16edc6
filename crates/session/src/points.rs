//! Points together with the size of their board: all that their labels need. They are labels in JSON and in sentences.

use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;
use tengen::board::{BoardSize, Point, format_point, format_points, point_labels};

/// A point of a board of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPoint {
    /// The board.
    pub size: BoardSize,
    /// The point.
    pub point: Point,
}

impl BoardPoint {
    /// A point of a board of this size.
    pub const fn new(size: BoardSize, point: Point) -> BoardPoint {
        BoardPoint { size, point }
    }
}

impl fmt::Display for BoardPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format_point(self.size, self.point))
    }
}

impl Serialize for BoardPoint {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Points of a board of this size, such as the moves of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardPoints {
    size: BoardSize,
    points: Vec<Point>,
}

impl BoardPoints {
    /// Points of a board of this size.
    pub fn new(size: BoardSize, points: impl Into<Vec<Point>>) -> BoardPoints {
        BoardPoints { size, points: points.into() }
    }

    /// No points.
    pub const fn none(size: BoardSize) -> BoardPoints {
        BoardPoints { size, points: Vec::new() }
    }

    /// The size of the board.
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// The labels one after another.
    pub fn text(&self) -> String {
        format_points(self.size, &self.points)
    }

    /// Writes [`text`](BoardPoints::text).
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn as_text<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

impl Deref for BoardPoints {
    type Target = [Point];

    fn deref(&self) -> &[Point] {
        &self.points
    }
}

/// The labels with blanks between them.
impl fmt::Display for BoardPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&point_labels(self.size, &self.points).join(" "))
    }
}

impl Serialize for BoardPoints {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        point_labels(self.size, &self.points).serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn points_are_labels_in_json_and_in_words() {
        let size = BoardSize::new(20, 15).expect("a board");
        let point = BoardPoint::new(size, Point::at(7, 0));
        assert_eq!((json!(point), point.to_string().as_str()), (json!("h15"), "h15"));
        let points = BoardPoints::new(size, [Point::at(7, 0), Point::at(19, 14)]);
        assert_eq!((json!(points), points.to_string().as_str()), (json!(["h15", "t1"]), "h15 t1"));
        assert_eq!(points.as_text(serde_json::value::Serializer).ok(), Some(json!("h15t1")));
    }
}
