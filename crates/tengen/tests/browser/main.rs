//! `tengen play` in a real Chromium without windows, driven by chromedriver.
//!
//! Without the two programs these tests say so and pass, except where `TENGEN_BROWSER_TESTS=1` demands them, as
//! `.ci/run` does. On Debian they are the packages `chromium` and `chromium-driver`.
#![cfg(unix)]
// The evidence of a failure, and what was measured.
#![allow(clippy::print_stderr)]

mod access;
mod against;
mod browser;
mod driver;
mod files;
mod games;
mod harness;
mod http;
mod life;
mod measures;
mod opinion;
mod process;
mod study;
#[path = "../../../../tests/support/mod.rs"]
mod support;
mod table;
