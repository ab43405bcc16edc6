//! A minimal HTTP client for chromedriver and `tengen play`: one request a connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

/// Far more than any request takes, so that a hang becomes an error.
const LIMIT: Duration = Duration::from_secs(60);

/// A response.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Sends a request to a port of this computer and reads the response.
pub fn request(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Answer> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(LIMIT))?;
    stream.set_write_timeout(Some(LIMIT))?;
    stream.set_nodelay(true)?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
    head += &format!("Content-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(&[head.as_bytes(), b"\r\n", body].concat())?;

    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let bad = || io::Error::new(io::ErrorKind::InvalidData, "not an answer");
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(bad)?;
    let mut length = None;
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        if line.trim_end().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let mut body = Vec::new();
    match length {
        Some(length) => stream.take(length).read_to_end(&mut body)?,
        None => stream.read_to_end(&mut body)?,
    };
    Ok(Answer { status, body })
}
