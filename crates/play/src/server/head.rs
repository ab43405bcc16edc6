//! Reads and checks the head of a request before anything else: its length is limited, and it must be unambiguous. If a
//! server and a browser could disagree on where a request ends, it is refused.
//!
//! Hyper has limits of its own, but accepts `Transfer-Encoding` and repeated `Host` lines, refuses bad heads without
//! the security headers, and closes late connections without an answer.

use super::guard;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// Maximum length of a head in bytes.
pub const BYTES: usize = 16 << 10;

/// Maximum number of lines of a head after the first.
pub const LINES: usize = 48;

/// Why a request is refused because of its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The client closed the connection without a request.
    Nothing,
    /// The request is not HTTP/1, or is ambiguous.
    Malformed(&'static str),
    /// The head is longer than [`BYTES`] or has more than [`LINES`] lines.
    TooLong,
    /// The head did not arrive in time.
    Late,
}

/// Reads up to the end of a head. May read bytes after it.
pub async fn read(stream: &mut TcpStream) -> Result<Vec<u8>, Fault> {
    let mut bytes = vec![0; BYTES];
    let mut filled = 0;
    loop {
        match stream.read(&mut bytes[filled..]).await {
            Ok(0) | Err(_) => return Err(Fault::Nothing),
            Ok(count) => filled += count,
        }
        if judge(&bytes[..filled])? {
            bytes.truncate(filled);
            return Ok(bytes);
        }
        if filled == BYTES {
            return Err(Fault::TooLong);
        }
    }
}

/// Whether the head is complete.
fn judge(bytes: &[u8]) -> Result<bool, Fault> {
    let mut lines = [httparse::EMPTY_HEADER; LINES];
    let mut request = httparse::Request::new(&mut lines);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => return Ok(false),
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => return Err(Fault::TooLong),
        Err(_) => return Err(Fault::Malformed("this is not HTTP/1.1")),
    }
    if !request.path.is_some_and(|path| path.starts_with('/')) {
        return Err(Fault::Malformed("the target of a request is a path"));
    }
    let named = |name: &'static str| request.headers.iter().filter(move |line| line.name.eq_ignore_ascii_case(name));
    if named("transfer-encoding").next().is_some() {
        return Err(Fault::Malformed("Transfer-Encoding is not spoken here"));
    }
    if named("host").count() > 1 {
        return Err(Fault::Malformed("more than one Host"));
    }
    let mut lengths = named("content-length");
    match (lengths.next(), lengths.next()) {
        (Some(_), Some(_)) => Err(Fault::Malformed("more than one Content-Length")),
        (Some(length), None) if !is_number(length.value) => Err(Fault::Malformed("Content-Length is not a number")),
        _ => Ok(true),
    }
}

/// Whether this is an unsigned decimal number, as the standard requires, that certainly fits into 64 bits.
fn is_number(text: &[u8]) -> bool {
    (1..=18).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

impl Fault {
    /// The whole answer in its wire format; `None` if the client could not read it.
    pub fn answer(self) -> Option<String> {
        let (status, kind, message) = match self {
            Fault::Nothing => return None,
            Fault::Malformed(message) => ("400 Bad Request", "malformed", message),
            Fault::TooLong => ("431 Request Header Fields Too Large", "too_large", "the request's head is too long"),
            Fault::Late => ("408 Request Timeout", "timeout", "the request took too long"),
        };
        let body = guard::error_body(kind, message);
        let more = [("content-type", "application/json"), ("connection", "close")];
        let lines = guard::HEADERS.iter().chain(&more).map(|(name, value)| format!("{name}: {value}\r\n"));
        let lines: String = lines.collect();
        Some(format!("HTTP/1.1 {status}\r\n{lines}content-length: {}\r\n\r\n{body}", body.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(head: &str) -> Result<bool, Fault> {
        judge(head.as_bytes())
    }

    #[test]
    fn a_head_has_one_reading() {
        assert_eq!(judged("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), Ok(true));
        assert_eq!(judged("GET / HTTP/1.1\r\nHost: a\r\nContent-Le"), Ok(false));
        assert_eq!(judged("POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\n"), Ok(true));
        for bad in [
            "Host: a\r\nhost: a",
            "Content-Length: 1\r\ncontent-length: 1",
            "Content-Length: 1, 1",
            "Content-Length: +1",
            "Content-Length: -1",
            "Content-Length: ",
            "Content-Length: 99999999999999999999",
            "Transfer-Encoding: identity",
            "transfer-encoding: chunked",
            "Transfer-Encoding : chunked",
            " folded",
        ] {
            let result = judged(&format!("POST / HTTP/1.1\r\n{bad}\r\n\r\n"));
            assert!(matches!(result, Err(Fault::Malformed(_))), "{bad}: {result:?}");
        }
        for target in ["*", "http://127.0.0.1/", "example.org:80"] {
            let result = judged(&format!("GET {target} HTTP/1.1\r\n\r\n"));
            assert!(matches!(result, Err(Fault::Malformed(_))), "{target}: {result:?}");
        }
    }

    #[test]
    fn lines_are_counted() {
        let lines = |count: usize| format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(count));
        assert_eq!(judged(&lines(LINES)), Ok(true));
        assert_eq!(judged(&lines(LINES + 1)), Err(Fault::TooLong));
    }
}
