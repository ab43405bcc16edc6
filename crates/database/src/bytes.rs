//! Numbers and texts as bytes: what the encodings of keys and entries are built from.
//!
//! Numbers have seven bits a byte, the lowest first; the eighth bit says that more follow.

use crate::error::Damage;

/// Bytes that grow.
#[derive(Default)]
pub(crate) struct Sink(pub Vec<u8>);

impl Sink {
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number with a sign, small in both directions.
    pub fn signed(&mut self, number: i32) {
        self.number(u64::from(((number << 1) ^ (number >> 31)) as u32));
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// Bytes that are read from the front.
pub(crate) struct Source<'a>(pub &'a [u8]);

impl<'a> Source<'a> {
    pub fn byte(&mut self) -> Result<u8, Damage> {
        let (first, rest) = self.0.split_first().ok_or(Damage::Ends)?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Damage::Ends)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn number(&mut self) -> Result<u64, Damage> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                return Err(Damage::Number);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                // The same number has no second form.
                return if byte == 0 && shift > 0 { Err(Damage::Number) } else { Ok(number) };
            }
        }
        Err(Damage::Number)
    }

    /// A number of at most `T`'s width.
    pub fn narrow<T: TryFrom<u64>>(&mut self) -> Result<T, Damage> {
        T::try_from(self.number()?).map_err(|_| Damage::Number)
    }

    pub fn signed(&mut self) -> Result<i32, Damage> {
        let bits: u32 = self.narrow()?;
        Ok((bits >> 1) as i32 ^ -((bits & 1) as i32))
    }

    pub fn text(&mut self) -> Result<&'a str, Damage> {
        let length = self.narrow()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| Damage::Text)
    }

    /// Checks that nothing follows.
    pub fn end(&self) -> Result<(), Damage> {
        if self.0.is_empty() { Ok(()) } else { Err(Damage::Longer) }
    }
}
