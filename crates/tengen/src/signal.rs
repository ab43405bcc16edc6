//! Ctrl-C and SIGTERM: a running command ends cleanly with its results so far, and the exit status indicates the
//! interruption.

use anyhow::{Context, Result};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};
use tengen::engine::StopToken;

/// The signal received, or 0. It is global because signals belong to the process.
static RECEIVED: AtomicU8 = AtomicU8::new(0);

/// A token that Ctrl-C, SIGTERM and SIGHUP set; a second signal ends the process at once. Call it once.
///
/// # Errors
/// If the system refuses to install a handler.
pub fn stop_on_signal() -> Result<StopToken> {
    let stop = StopToken::new();
    handle(stop.clone()).context("cannot handle Ctrl-C")?;
    Ok(stop)
}

/// The exit status of an interrupted program: 128 plus the signal's number, as in shells (130 after Ctrl-C, 143 after
/// SIGTERM). `None` if no signal was received.
pub fn interrupted() -> Option<ExitCode> {
    match RECEIVED.load(Ordering::Relaxed) {
        0 => None,
        signal => Some(ExitCode::from(128 + signal)),
    }
}

#[cfg(unix)]
fn handle(stop: StopToken) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if stop.is_stopped() && interrupted().is_some() {
                // Ends the process as if it had no handler. If that fails, the first signal's effect remains.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            RECEIVED.store(u8::try_from(signal).unwrap_or(0), Ordering::Relaxed);
            stop.stop();
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn handle(stop: StopToken) -> Result<(), ctrlc::Error> {
    const SIGINT: u8 = 2;
    ctrlc::set_handler(move || {
        RECEIVED.store(SIGINT, Ordering::Relaxed);
        stop.stop();
    })
}
