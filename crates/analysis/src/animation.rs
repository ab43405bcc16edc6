//! A game as an animated GIF: a frame for each move, with numbered stones.
//!
//! A frame contains only the part of the board that has changed. All frames share one palette: the colours of the
//! board, and what lies between two of them where edges are smoothed. Coordinates and numbers are drawn by strokes, so
//! that no font is needed. Everything is made of discs, rings and straight strokes: a pixel's share of ink follows from
//! its distance to them.

use crate::picture::star_points;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;
use tengen::board::{BoardSize, Point, Setup, Side};

/// What an animation shows.
#[derive(Clone, Debug)]
pub struct Animation<'a> {
    /// The last position; its stones appear in their order.
    pub setup: &'a Setup,
    /// Stones without a number: those that were set up before the first move.
    pub unnumbered: usize,
    /// Stones on the first frame.
    pub first: usize,
    /// The winning row of the last position: its stones get a ring there.
    pub row: &'a [Point],
    /// The time of a move.
    pub pace: Duration,
}

/// Distance between two lines of the board, the margin around it, and the radius of a stone, in pixels.
const CELL: f32 = 32.0;
const MARGIN: f32 = 34.0;
const RADIUS: f32 = 14.4;
/// How many times as long as a move the last position stays.
const LAST: u16 = 4;

type Rgb = [u8; 3];

const WOOD: Rgb = [0xe6, 0xc3, 0x8a];
const LINE: Rgb = [0x5d, 0x43, 0x22];
const INK: Rgb = [0x16, 0x16, 0x16];
const PAPER: Rgb = [0xfb, 0xfb, 0xf8];
const MARK: Rgb = [0xd0, 0x21, 0x2f];

/// Colours that meet at an edge.
const EDGES: [[Rgb; 2]; 8] =
    [[WOOD, LINE], [WOOD, INK], [WOOD, PAPER], [WOOD, MARK], [INK, PAPER], [INK, MARK], [PAPER, MARK], [LINE, INK]];
/// Shades from one colour of an edge to the other.
const SHADES: u16 = 15;

/// The file.
///
/// # Errors
/// If the encoder fails; the error is its message.
pub fn animation_gif(animation: &Animation<'_>) -> Result<Vec<u8>, String> {
    let setup = animation.setup;
    let mut canvas = Canvas::new(setup.size);
    let mut palette = Palette::new();
    let (width, height) = (canvas.picture.width as u16, canvas.picture.height() as u16);
    let delay = u16::try_from(animation.pace.as_millis() / 10).unwrap_or(u16::MAX);
    let first = animation.first.min(setup.stones.len());
    (0..first).for_each(|index| canvas.stone(animation, index));
    let mut bytes = Vec::new();
    let failed = |error: gif::EncodingError| error.to_string();
    let mut encoder = Encoder::new(&mut bytes, width, height, &palette.bytes()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut shown: Option<Picture> = None;
    for count in first..=setup.stones.len() {
        if count > first {
            canvas.stone(animation, count - 1);
        }
        let is_last = count == setup.stones.len();
        let next = canvas.with_marks(setup.stones[..count].last(), if is_last { animation.row } else { &[] });
        let delay = if is_last { delay.saturating_mul(LAST) } else { delay };
        let part = shown.as_ref().map_or([0, 0, width, height], |shown| changed(shown, &next));
        encoder.write_frame(&frame(&next, part, delay, &mut palette)).map_err(failed)?;
        shown = Some(next);
    }
    drop(encoder);
    Ok(bytes)
}

/// A part of a picture as a frame.
fn frame(picture: &Picture, [left, top, width, height]: [u16; 4], delay: u16, palette: &mut Palette) -> Frame<'static> {
    let mut indices = Vec::with_capacity(usize::from(width) * usize::from(height));
    for y in top..top + height {
        for x in left..left + width {
            indices.push(palette.index(picture.pixels[usize::from(y) * picture.width + usize::from(x)]));
        }
    }
    let (dispose, buffer) = (DisposalMethod::Keep, Cow::Owned(indices));
    Frame { delay, dispose, left, top, width, height, buffer, ..Frame::default() }
}

/// The smallest rectangle with all differences: left, top, width and height; one pixel if there are none.
fn changed(before: &Picture, after: &Picture) -> [u16; 4] {
    let width = before.width;
    let differ = before.pixels.iter().zip(&after.pixels).enumerate().filter(|(_, (a, b))| a != b);
    let [mut left, mut top, mut right, mut bottom] = [usize::MAX, usize::MAX, 0, 0];
    for (index, _) in differ {
        let (x, y) = (index % width, index / width);
        (left, right) = (left.min(x), right.max(x));
        (top, bottom) = (top.min(y), bottom.max(y));
    }
    if left > right {
        return [0, 0, 1, 1];
    }
    [left as u16, top as u16, (right - left + 1) as u16, (bottom - top + 1) as u16]
}

/// The colours of the file.
struct Palette {
    colours: Vec<Rgb>,
    known: HashMap<Rgb, u8>,
}

impl Palette {
    fn new() -> Palette {
        let shade = |[a, b]: [Rgb; 2], step: u16| {
            let mix = |i: usize| ((u16::from(a[i]) * (SHADES - step) + u16::from(b[i]) * step) / SHADES) as u8;
            [mix(0), mix(1), mix(2)]
        };
        let mut colours: Vec<Rgb> = EDGES.iter().flat_map(|edge| (0..=SHADES).map(|s| shade(*edge, s))).collect();
        colours.sort_unstable();
        colours.dedup();
        Palette { colours, known: HashMap::new() }
    }

    fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }

    /// The nearest colour.
    fn index(&mut self, colour: Rgb) -> u8 {
        let colours = &self.colours;
        *self.known.entry(colour).or_insert_with(|| {
            let distance = |known: &Rgb| (0..3).map(|i| i32::from(known[i]).abs_diff(colour[i].into()).pow(2)).sum();
            let nearest = colours.iter().enumerate().min_by_key(|(_, known)| -> u32 { distance(known) });
            nearest.map_or(0, |(index, _)| index as u8)
        })
    }
}

/// A place in a picture, in pixels.
type Place = (f32, f32);

/// Pixels, row by row.
#[derive(Clone)]
struct Picture {
    width: usize,
    pixels: Vec<Rgb>,
}

impl Picture {
    fn height(&self) -> usize {
        self.pixels.len() / self.width.max(1)
    }

    /// Inks what lies nearer than `reach` to the rectangle between two corners and has a negative `distance`; the edge
    /// is smoothed.
    fn ink(&mut self, [a, b]: [Place; 2], reach: f32, ink: Rgb, distance: impl Fn(Place) -> f32) {
        let range = |a: f32, b: f32, end: usize| {
            let (first, last) = (a.min(b) - reach - 1.0, a.max(b) + reach + 2.0);
            (first.max(0.0) as usize).min(end)..(last.max(0.0) as usize).min(end)
        };
        for y in range(a.1, b.1, self.height()) {
            for x in range(a.0, b.0, self.width) {
                let share = (0.5 - distance((x as f32 + 0.5, y as f32 + 0.5))).clamp(0.0, 1.0);
                let pixel = &mut self.pixels[y * self.width + x];
                for (old, new) in pixel.iter_mut().zip(ink) {
                    *old = (f32::from(*old) * (1.0 - share) + f32::from(new) * share).round() as u8;
                }
            }
        }
    }

    fn disc(&mut self, at: Place, radius: f32, fill: Rgb) {
        self.ink([at, at], radius, fill, |place| length(between(at, place)) - radius);
    }

    fn ring(&mut self, at: Place, radius: f32, width: f32, ink: Rgb) {
        let outer = radius + width / 2.0;
        self.ink([at, at], outer, ink, |place| (length(between(at, place)) - radius).abs() - width / 2.0);
    }

    /// A straight stroke with round ends.
    fn stroke(&mut self, ends: [Place; 2], width: f32, ink: Rgb) {
        let along = between(ends[0], ends[1]);
        let square = along.0 * along.0 + along.1 * along.1;
        self.ink(ends, width, ink, |place| {
            let from = between(ends[0], place);
            let share =
                if square > 0.0 { ((from.0 * along.0 + from.1 * along.1) / square).clamp(0.0, 1.0) } else { 0.0 };
            length((from.0 - share * along.0, from.1 - share * along.1)) - width / 2.0
        });
    }

    /// Writes a short text around a place; its letters are as high as this.
    fn write(&mut self, text: &str, (x, y): Place, height: f32, ink: Rgb) {
        let unit = height / 6.0;
        let advance = 5.8 * unit;
        let left = x - (text.chars().count() as f32 * advance - 1.8 * unit) / 2.0;
        for (index, letter) in text.chars().enumerate() {
            let left = left + index as f32 * advance;
            for line in glyph(letter).split(' ') {
                let place = |pair: &[u8]| {
                    let [column, row] = [pair[0], pair[1]].map(|digit| f32::from(digit - b'0') * unit);
                    (left + column, y - height / 2.0 + row)
                };
                let places: Vec<Place> = line.as_bytes().chunks_exact(2).map(place).collect();
                for ends in places.windows(2) {
                    self.stroke([ends[0], ends[1]], height / 7.0, ink);
                }
            }
        }
    }
}

fn between(a: Place, b: Place) -> Place {
    (b.0 - a.0, b.1 - a.1)
}

fn length((x, y): Place) -> f32 {
    x.hypot(y)
}

/// The board with the stones so far.
struct Canvas {
    picture: Picture,
}

impl Canvas {
    /// The empty board.
    fn new(size: BoardSize) -> Canvas {
        let (columns, rows) = (f32::from(size.width()) - 1.0, f32::from(size.height()) - 1.0);
        let side = |spaces: f32| (2.0 * MARGIN + spaces * CELL) as usize;
        let (width, height) = (side(columns), side(rows));
        let mut picture = Picture { width, pixels: vec![WOOD; width * height] };
        let (right, bottom) = (MARGIN + columns * CELL, MARGIN + rows * CELL);
        for x in 0..size.width() {
            let left = MARGIN + f32::from(x) * CELL;
            picture.stroke([(left + 0.5, MARGIN + 0.5), (left + 0.5, bottom + 0.5)], 1.0, LINE);
            picture.write(&char::from(b'A' + x).to_string(), (left, bottom + 25.0), 9.0, LINE);
        }
        for y in 0..size.height() {
            let top = MARGIN + f32::from(y) * CELL;
            picture.stroke([(MARGIN + 0.5, top + 0.5), (right + 0.5, top + 0.5)], 1.0, LINE);
            picture.write(&(size.height() - y).to_string(), (11.0, top), 9.0, LINE);
        }
        for point in star_points(size) {
            picture.disc(place(point), 3.2, LINE);
        }
        Canvas { picture }
    }

    /// Puts a stone with its number.
    fn stone(&mut self, animation: &Animation<'_>, index: usize) {
        let Some((point, side)) = animation.setup.stones.get(index).copied() else { return };
        let (fill, ink) = match side {
            Side::Black => (INK, PAPER),
            Side::White => (PAPER, INK),
        };
        let at = place(point);
        self.picture.disc(at, RADIUS, fill);
        self.picture.ring(at, RADIUS, 1.0, INK);
        if index >= animation.unnumbered {
            let number = (index + 1 - animation.unnumbered).to_string();
            let height = if number.len() < 3 { 10.5 } else { 8.5 };
            self.picture.write(&number, at, height, ink);
        }
    }

    /// The picture with rings around the last stone and a winning row.
    fn with_marks(&self, last: Option<&(Point, Side)>, row: &[Point]) -> Picture {
        let mut picture = self.picture.clone();
        for point in last.iter().map(|(point, _)| point).chain(row) {
            picture.ring(place(*point), RADIUS - 0.6, 2.4, MARK);
        }
        picture
    }
}

/// The centre of a point.
fn place(point: Point) -> Place {
    (MARGIN + f32::from(point.x()) * CELL + 0.5, MARGIN + f32::from(point.y()) * CELL + 0.5)
}

/// The strokes of the digits and of the letters A to Y: points as column 0 to 4 and row 0 to 6, with a blank between
/// strokes.
const GLYPHS: [&str; 35] = [
    "103041453616050110",
    "112026 1636",
    "01103041420646",
    "004022324345361605",
    "36300444",
    "400002324345361605",
    "4130100105163645443303",
    "004016",
    "13020110304142331304051636454433",
    "4313020110304145361605",
    "062046 1434",
    "00063645443303 0030414233",
    "4130100105163645",
    "00062644422000",
    "40000646 0333",
    "400006 0333",
    "41301001051636454323",
    "0006 4046 0343",
    "1030 2026 1636",
    "4045361605",
    "0006 400346",
    "000646",
    "0600234046",
    "06004640",
    "103041453616050110",
    "06003041423303",
    "103041453616050110 2446",
    "06003041423303 2346",
    "413010010213334445361605",
    "0040 2026",
    "000516364540",
    "002640",
    "0016233640",
    "0046 0640",
    "002340 2326",
];

fn glyph(letter: char) -> &'static str {
    let index = match letter {
        '0'..='9' => letter as usize - '0' as usize,
        'A'..='Y' => letter as usize - 'A' as usize + 10,
        _ => return "",
    };
    GLYPHS[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use gif::{ColorOutput, DecodeOptions};
    use tengen::board::parse_points;

    /// Time and rectangle of a frame.
    type Shown = (u16, [u16; 4]);

    /// The size of the picture, and its frames.
    fn frames(bytes: &[u8]) -> ((u16, u16), Vec<Shown>) {
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::Indexed);
        let mut decoder = options.read_info(bytes).expect("a GIF");
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            frames.push((frame.delay, [frame.left, frame.top, frame.width, frame.height]));
        }
        ((decoder.width(), decoder.height()), frames)
    }

    #[test]
    fn each_move_is_a_frame_with_what_has_changed() {
        let size = BoardSize::RENJU;
        let setup = Setup::from_moves(size, parse_points(size, "h8i9g7").expect("labels"));
        let pace = Duration::from_millis(800);
        let animation = Animation { setup: &setup, unnumbered: 0, first: 0, row: &[], pace };
        let bytes = animation_gif(&animation).expect("a file");
        let (whole, shown) = frames(&bytes);
        assert_eq!(whole, (516, 516));
        assert_eq!(shown.iter().map(|(delay, _)| *delay).collect::<Vec<_>>(), [80, 80, 80, 320]);
        assert_eq!(shown[0].1, [0, 0, 516, 516]);
        assert!(shown[1..].iter().all(|(_, [.., width, height])| *width < 110 && *height < 110), "{shown:?}");
        // The stone of the first move is around h8.
        let [left, top, width, height] = shown[1].1;
        assert!(left < 258 && top < 258 && left + width > 258 && top + height > 258);
        assert!(bytes.len() < 60_000, "{}", bytes.len());
        let rest = animation_gif(&Animation { first: 2, ..animation }).expect("a file");
        assert_eq!(frames(&rest).1.len(), 2);
    }

    #[test]
    fn all_boards_can_be_drawn() {
        for (width, height) in [(5, 5), (25, 25), (20, 15)] {
            let size = BoardSize::new(width, height).expect("a size");
            let setup = Setup::from_moves(size, [Point::at(0, 0)]);
            let animation =
                Animation { setup: &setup, unnumbered: 1, first: 9, row: &[Point::at(0, 0)], pace: Duration::MAX };
            assert_eq!(frames(&animation_gif(&animation).expect("a file")).1.len(), 1);
        }
    }

    #[test]
    fn the_palette_fits_and_has_the_plain_colours() {
        let mut palette = Palette::new();
        assert!(palette.colours.len() <= 256, "{}", palette.colours.len());
        for plain in [WOOD, LINE, INK, PAPER, MARK] {
            let index = palette.index(plain);
            assert_eq!(palette.colours[usize::from(index)], plain);
        }
    }
}
