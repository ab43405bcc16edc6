//! `tengen play`: a board for a person, in the browser.

use crate::signal;
use anyhow::{Context, Result};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tengen::play::host::{Host, Options};
use tengen::play::server::{self, Settings};
use tengen::play::store::{Store, default_folder};
use tengen::play::view;

/// Arguments of `tengen play`.
#[derive(Args)]
pub struct PlayArgs {
    /// Do not open a browser: print the address, and nothing else
    #[arg(long)]
    no_open: bool,
    /// Port to listen at, on this computer alone; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Go on when nobody looks at the page any more
    #[arg(long)]
    stay: bool,
    /// Search threads of analysis and of full strength
    #[arg(long)]
    threads: Option<usize>,
    /// Transposition table, in mebibytes
    #[arg(long = "hash", value_name = "MB", default_value_t = 256)]
    hash_mb: u64,
    /// Where games are saved
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

/// Runs the board until somebody ends it.
pub fn main(args: &PlayArgs) -> Result<ExitCode> {
    let stop = signal::stop_on_signal()?;
    let folder = args.state_dir.clone().or_else(default_folder);
    let store = folder
        .map(|folder| Store::open(&folder).with_context(|| format!("games cannot be saved in {}", folder.display())));
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or(processors).clamp(1, processors);
    let settings = view::Settings { threads, processors, hash_mb: args.hash_mb };
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    let host = Host::new(Options { store: store.transpose()?, settings, seed, watch: None })?;
    let quit = host.quit();
    let server = server::serve(Arc::new(host), Settings { port: args.port, stay: args.stay, ..Settings::default() })
        .with_context(|| format!("cannot listen at port {}", args.port))?;
    let url = server.url();
    writeln!(std::io::stdout(), "{url}")?;
    if !args.no_open {
        server::open_browser(&url).context("no browser could be opened; paste the address into one")?;
    }
    let handle = server.stop_handle();
    std::thread::spawn(move || {
        while !stop.is_stopped() && !quit.is_stopped() {
            std::thread::sleep(Duration::from_millis(50));
        }
        handle.stop();
    });
    server.wait();
    Ok(ExitCode::SUCCESS)
}
