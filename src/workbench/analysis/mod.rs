//! Deep searches of single positions: [`load`] reads them from files, [`analyze`] searches them, [`book`] makes the
//! opening book of many.

pub mod analyze;
pub mod book;
pub mod load;
