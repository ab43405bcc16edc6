//! `tengen play` in a real, headless Chromium, driven by chromedriver.
//!
//! If the two programs are missing, these tests say so and pass, unless `TENGEN_BROWSER_TESTS=1` requires them, as
//! `.ci/run` does. On Debian they are the packages `chromium` and `chromium-driver`.
#![cfg(unix)]
// Tests print the evidence of a failure, and measurements.
#![allow(clippy::print_stderr)]

mod access;
mod against;
#[path = "../arena/mod.rs"]
mod arena;
mod browser;
mod desk;
mod driver;
#[path = "../../../../tests/support/engine.rs"]
mod engine;
mod explorer;
mod files;
mod games;
mod harness;
mod http;
mod learn;
mod life;
mod measures;
mod opinion;
mod others;
mod process;
mod site;
mod study;
#[path = "../../../../tests/support/mod.rs"]
mod support;
mod table;
