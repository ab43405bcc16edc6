//! Ctrl-C: a running command ends cleanly, with what it has.

use anyhow::{Context, Result};
use tengen::engine::StopToken;

/// A token that Ctrl-C sets. To be asked for once in a process.
///
/// # Errors
/// If the system lets no handler be set.
pub fn stop_on_signal() -> Result<StopToken> {
    let stop = StopToken::new();
    let on_signal = stop.clone();
    ctrlc::set_handler(move || on_signal.stop()).context("cannot handle Ctrl-C")?;
    Ok(stop)
}
