//! The workbench as a library: statistics with known values, games within the process, and the log of experiments.

#[path = "../../../../tests/support/engine.rs"]
mod engine;
mod experiments;
#[path = "../../../../tests/support/machine.rs"]
mod machine;
#[path = "../../../../tests/support/program.rs"]
mod program;
mod same_moves;
mod statistics;
