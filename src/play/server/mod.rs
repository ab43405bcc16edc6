//! A web server for one person on this computer: it binds to the loopback interface, serves the embedded page, takes
//! commands, and streams events.

pub mod app;
pub mod hub;
