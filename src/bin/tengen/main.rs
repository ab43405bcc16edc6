//! The workbench program.

fn main() {}
