//! The workbench as a library: statistics with known values, and games within the process.

#[path = "../../../../tests/support/machine.rs"]
mod machine;
#[path = "../../../../tests/support/program.rs"]
mod program;
mod same_moves;
mod statistics;
