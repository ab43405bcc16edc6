//! The file formats of games, by name.

/// A file format of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// SGF, the Smart Game Format, with variations.
    Sgf,
    /// Labels in a row: `h8i9j10`.
    Labels,
    /// Piskvork's games.
    Psq,
    /// RenLib's positions.
    Pos,
    /// Yixin's positions.
    Sav,
    /// RenLib's libraries.
    Lib,
    /// Gomotur's games.
    Rec,
    /// RenjuNet's database.
    Rif,
    /// Columns and rows from 0 at the top left: `7,7 8,6`.
    Pairs,
    /// A drawn board, or the output of `tengen analyze`.
    Drawing,
}

impl Format {
    /// All formats; those that can be written come first.
    pub const ALL: [Format; 10] = [
        Format::Sgf,
        Format::Labels,
        Format::Psq,
        Format::Pos,
        Format::Sav,
        Format::Lib,
        Format::Rec,
        Format::Rif,
        Format::Pairs,
        Format::Drawing,
    ];

    /// A name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Sgf => "SGF",
            Format::Labels => "position string",
            Format::Psq => "Piskvork .psq",
            Format::Pos => "RenLib .pos",
            Format::Sav => "Yixin .sav",
            Format::Lib => "RenLib .lib",
            Format::Rec => "Gomotur .rec",
            Format::Rif => "RenjuNet .rif",
            Format::Pairs => "pairs of numbers",
            Format::Drawing => "drawing",
        }
    }

    /// The usual file name extension, without its dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Sgf => "sgf",
            Format::Psq => "psq",
            Format::Pos => "pos",
            Format::Sav => "sav",
            Format::Lib => "lib",
            Format::Rec => "rec",
            Format::Rif => "rif",
            Format::Labels | Format::Pairs | Format::Drawing => "txt",
        }
    }

    /// The names of all formats in one line.
    pub(super) fn known() -> String {
        let (last, others) = Format::ALL.split_last().expect("there are forms");
        let others: Vec<&str> = others.iter().map(|format| format.name()).collect();
        format!("{} and {}", others.join(", "), last.name())
    }

    /// Whether [`write`](super::write) supports the format.
    pub const fn is_written(self) -> bool {
        matches!(self, Format::Sgf | Format::Labels | Format::Psq | Format::Pos | Format::Sav)
    }

    /// The format that is written with this extension, in lower case.
    pub fn written_as(extension: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.is_written() && format.extension() == extension)
    }

    /// The format that a file name's extension determines. Texts share extensions; their content decides.
    pub fn of_file_name(name: &str) -> Option<Format> {
        let (_, extension) = name.rsplit_once('.')?;
        let of_extension = |f: &Format| f.extension() != "txt" && extension.eq_ignore_ascii_case(f.extension());
        Format::ALL.into_iter().find(of_extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_forms() {
        for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
            assert_eq!(Format::written_as(format.extension()), Some(format));
        }
        assert_eq!((Format::written_as("lib"), Format::written_as("exe")), (None, None));
        assert_eq!(Format::of_file_name("a.b.LIB"), Some(Format::Lib));
        assert_eq!(["a.txt", "lib", "a."].map(Format::of_file_name), [None; 3]);
    }
}
