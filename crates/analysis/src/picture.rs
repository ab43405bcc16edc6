//! A board as an SVG picture: numbered stones, forbidden points, and the best moves of an analysis.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tengen::board::{BoardSize, Point, Setup, Side};

/// The content of a picture.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The position. Stones have the numbers of their order, except set-up stones.
    pub setup: &'a Setup,
    /// Stones that were set up before the first move.
    pub first: usize,
    /// Points that get a cross: forbidden to the side to move.
    pub forbidden: &'a [Point],
    /// Empty points with a short text each, such as a win probability; the best comes first.
    pub moves: &'a [(Point, String)],
    /// The winning row: its stones get a ring, as the last stone does.
    pub row: &'a [Point],
}

/// Distance between two lines of the board, and the radius of a stone, in pixels.
const CELL: i32 = 40;
const RADIUS: i32 = 18;

const WOOD: RGBColor = RGBColor(0xe6, 0xc3, 0x8a);
const LINE: RGBColor = RGBColor(0x5d, 0x43, 0x22);
const INK: RGBColor = RGBColor(0x16, 0x16, 0x16);
const PAPER: RGBColor = RGBColor(0xfb, 0xfb, 0xf8);
const MARK: RGBColor = RGBColor(0xd0, 0x21, 0x2f);
/// The best move, and the others.
const BEST: RGBColor = RGBColor(0x1f, 0x6f, 0xeb);
const OTHER: RGBColor = RGBColor(0x2a, 0x9d, 0x8f);

type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// The picture as SVG text.
///
/// # Errors
/// If the drawing library fails; the error is its message.
pub fn board_svg(picture: &Picture<'_>) -> Result<String, String> {
    let mut text = String::new();
    draw(&mut text, picture).map_err(|e| e.to_string())?;
    Ok(text)
}

fn draw<'a>(text: &'a mut String, picture: &Picture<'_>) -> Drawn<'a> {
    let size = picture.setup.size;
    let (width, height) = (i32::from(size.width()), i32::from(size.height()));
    // A margin of half a cell around the lines, and a strip for numbers and letters on the left and below.
    let at = |x: i32, y: i32| (CELL + CELL / 2 + x * CELL, CELL - 8 + y * CELL);
    let place = |point: Point| at(i32::from(point.x()), i32::from(point.y()));
    let (right, letters) = (at(width, 0).0, at(0, height - 1).1 + 34);
    let bottom = letters + 14;
    let area = SVGBackend::with_string(text, (right as u32, bottom as u32)).into_drawing_area();
    area.fill(&WOOD)?;
    let label = |pixels: i32, colour: &RGBColor| {
        ("sans-serif", pixels).into_font().color(colour).pos(Pos::new(HPos::Center, VPos::Center))
    };
    for x in 0..width {
        area.draw(&PathElement::new([at(x, 0), at(x, height - 1)], LINE))?;
        let letter = char::from(b'a' + x as u8).to_string();
        area.draw(&Text::new(letter, (at(x, 0).0, letters), label(18, &LINE)))?;
    }
    for y in 0..height {
        area.draw(&PathElement::new([at(0, y), at(width - 1, y)], LINE))?;
        area.draw(&Text::new((height - y).to_string(), (CELL / 2, at(0, y).1), label(18, &LINE)))?;
    }
    for point in star_points(size) {
        area.draw(&Circle::new(place(point), 4, LINE.filled()))?;
    }
    for point in &picture.setup.blocked {
        let (x, y) = place(*point);
        area.draw(&Rectangle::new([(x - 14, y - 14), (x + 14, y + 14)], LINE.filled()))?;
    }
    for point in picture.forbidden {
        let (x, y) = place(*point);
        for slope in [1, -1] {
            area.draw(&PathElement::new([(x - 8, y - 8 * slope), (x + 8, y + 8 * slope)], MARK.stroke_width(4)))?;
        }
    }
    for (rank, (point, words)) in picture.moves.iter().enumerate() {
        let colour = if rank == 0 { BEST } else { OTHER };
        area.draw(&Circle::new(place(*point), RADIUS, WOOD.filled()))?;
        let strength = if rank == 0 { 0.6 } else { 0.3 };
        area.draw(&Circle::new(place(*point), RADIUS, colour.mix(strength).filled()))?;
        area.draw(&Circle::new(place(*point), RADIUS, colour.stroke_width(2)))?;
        area.draw(&Text::new(words.clone(), place(*point), label(14, &INK)))?;
    }
    let last = picture.setup.stones.len().wrapping_sub(1);
    for (i, (point, side)) in picture.setup.stones.iter().enumerate() {
        let (fill, ink) = match side {
            Side::Black => (INK, PAPER),
            Side::White => (PAPER, INK),
        };
        area.draw(&Circle::new(place(*point), RADIUS, fill.filled()))?;
        area.draw(&Circle::new(place(*point), RADIUS, INK.stroke_width(1)))?;
        if i == last || picture.row.contains(point) {
            area.draw(&Circle::new(place(*point), RADIUS, MARK.stroke_width(3)))?;
        }
        if i >= picture.first {
            let pixels = if i < 99 { 22 } else { 18 };
            area.draw(&Text::new((i + 1 - picture.first).to_string(), place(*point), label(pixels, &ink)))?;
        }
    }
    area.present()
}

/// The points that boards mark with a dot: the centre, and the points three lines from two edges.
pub(crate) fn star_points(size: BoardSize) -> Vec<Point> {
    let lines = |length: u8| match length {
        13.. if length % 2 == 1 => vec![3, length / 2, length - 4],
        13.. => vec![3, length - 4],
        _ if length % 2 == 1 => vec![length / 2],
        _ => Vec::new(),
    };
    let (columns, rows) = (lines(size.width()), lines(size.height()));
    let centre = |n: usize, all: &[u8]| all.len() == 3 && n == 1;
    let mut points = Vec::new();
    for (i, x) in columns.iter().enumerate() {
        for (j, y) in rows.iter().enumerate() {
            // On odd boards the middle of an edge has no dot.
            if centre(i, &columns) == centre(j, &rows) {
                points.push(Point::at(*x, *y));
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::format_point;

    #[test]
    fn a_board_has_what_was_asked_for() {
        let size = BoardSize::RENJU;
        let setup = Setup::from_moves(size, [size.center(), Point::at(8, 6)]);
        let moves = [(Point::at(3, 3), "B54%".to_owned())];
        let picture = Picture { setup: &setup, first: 0, forbidden: &[Point::at(0, 0)], moves: &moves, row: &[] };
        let svg = board_svg(&picture).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        // Five star points, three circles for the move, two for each stone, one more for the last stone.
        assert_eq!(svg.matches("<circle").count(), 5 + 3 + 2 * 2 + 1);
        assert!(svg.contains("B54%"));
    }

    #[test]
    fn star_points_are_those_of_boards() {
        let labels = |w, h| {
            let size = BoardSize::new(w, h).unwrap();
            star_points(size).iter().map(|p| format_point(size, *p)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(15, 15), "d12 d4 h8 l12 l4");
        assert_eq!(labels(20, 20), "d17 d4 q17 q4");
        assert_eq!(labels(9, 9), "e5");
        assert_eq!(labels(8, 8), "");
    }
}
