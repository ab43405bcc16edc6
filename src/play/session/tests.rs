//! Tests of the session.
