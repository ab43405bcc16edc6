//! Arrays in numpy's file format (NEP 1, version 1.0), which numpy can map into memory. They have one dimension; all
//! numbers are little endian.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// A file of one array. Its length is written at the end.
pub struct Array {
    file: BufWriter<File>,
    /// Numpy's description of an element.
    element: String,
    length: u64,
}

/// Bytes of the header: the magic, the length of the text, and space for any number of elements.
const HEADER: usize = 512;

impl Array {
    /// Creates an array file; replaces an existing file. `element` is a numpy type: `'<u2'`, or the result of
    /// [`fields`].
    ///
    /// # Errors
    /// Any I/O error.
    pub fn create(path: &Path, element: String) -> io::Result<Array> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&[0; HEADER])?;
        Ok(Array { file, element, length: 0 })
    }

    /// Appends an element, given as its bytes.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += 1;
        self.file.write_all(bytes)
    }

    /// Number of elements so far.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Completes the file.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn finish(mut self) -> io::Result<()> {
        let Array { element, length, .. } = &self;
        let text = format!("{{'descr': {element}, 'fortran_order': False, 'shape': ({length},), }}");
        let room = HEADER - 11;
        if text.len() > room {
            return Err(io::Error::other("the header of an array is too long"));
        }
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend((HEADER as u16 - 10).to_le_bytes());
        header.extend(format!("{text:room$}\n").bytes());
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.flush()
    }
}

/// The numpy type of an element with fields: name, type, and number of consecutive values.
pub fn fields(fields: &[(&str, &str, usize)]) -> String {
    let field = |(name, kind, count): &(&str, &str, usize)| match count {
        1 => format!("('{name}', '{kind}')"),
        _ => format!("('{name}', '{kind}', ({count},))"),
    };
    format!("[{}]", fields.iter().map(field).collect::<Vec<_>>().join(", "))
}
