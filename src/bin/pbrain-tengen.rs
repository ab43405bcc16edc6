//! The Gomocup protocol program.

fn main() {}
