//! The workbench as a library: statistics with known values, games within the process, and the log of experiments.

mod experiments;
#[path = "../../../../tests/support/machine.rs"]
mod machine;
#[path = "../../../../tests/support/program.rs"]
mod program;
mod same_moves;
mod statistics;
