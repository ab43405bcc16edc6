//! `tengen play` in a real Chromium without windows, driven by chromedriver.
//!
//! Without the two programs these tests say so and pass, except where `TENGEN_BROWSER_TESTS=1` demands them, as `.ci/run`
//! does. On Debian they are the packages `chromium` and `chromium-driver`.
#![cfg(all(unix, feature = "play"))]

mod browser;
mod driver;
mod harness;
mod http;
mod process;
