//! `tengen match --watch`: shows the match in the browser as well as in the terminal.

use anyhow::{Context, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tengen_play::server::app::App;
use tengen_play::server::{Server, Settings, Times, serve};
use tengen_watch::Watch;
use tengen_workbench::matches::record::GameRecord;
use tengen_workbench::matches::settings::MatchSpec;

/// Lifetime of an address, which works once. It is printed in the terminal and passed to no program as an argument; the
/// user may open it much later.
const CODE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The server of a match.
pub struct Viewers {
    /// The state that the page shows.
    pub watch: Arc<Watch>,
    server: Server,
    publisher: JoinHandle<()>,
    /// Whether the address printed last has been used.
    is_used: AtomicBool,
}

impl Viewers {
    /// Starts the server.
    pub fn start(port: u16, spec: &MatchSpec, total: u64, done: &[GameRecord]) -> Result<Viewers> {
        let watch = Arc::new(Watch::new(spec.clone(), total, done));
        let times = Times { code: CODE, ..Times::default() };
        let settings = Settings { port, stay: true, times, ..Settings::default() };
        let server = serve(Arc::clone(&watch) as Arc<dyn App>, settings)
            .with_context(|| format!("cannot listen at port {port}"))?;
        let publishing = Arc::clone(&watch);
        let publisher = std::thread::spawn(move || publishing.publish());
        Ok(Viewers { watch, server, publisher, is_used: AtomicBool::new(false) })
    }

    /// A one-time address of the page.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// A new address if the last one has been used and no page is open any more.
    pub fn another_url(&self) -> Option<String> {
        let is_watched = self.watch.hub().subscribers() > 0;
        let was_used = self.is_used.swap(is_watched, Ordering::Relaxed);
        (was_used && !is_watched).then(|| self.url())
    }

    /// Shows the result, then closes the server.
    pub fn end(self) {
        self.watch.end();
        // The final snapshot is sent before the farewell.
        let _ = self.publisher.join();
        self.server.stop_handle().stop();
        if let Err(error) = self.server.wait() {
            log::error!("{error}");
        }
    }
}
