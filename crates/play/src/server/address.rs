//! Requests another address of a running board, for another program of the same person.
//!
//! A board writes a file with its port and its key to the state directory, readable by its owner alone; see `guard.rs`.
//! The board removes the file when it ends. A program that finds no board at the port removes the stale file.

use super::guard::{KEY, KEY_PATH};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tengen_files::{Access, replace_with};

const BEGINNING: &str = "board-";
const ENDING: &str = ".address";

/// Timeout of a request. A listening board answers sooner.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum length of a file and of an answer, in bytes.
const LONGEST: u64 = 16 << 10;

/// The content of a board's file.
#[derive(Serialize, Deserialize)]
struct Left {
    port: u16,
    key: String,
}

/// The file by which other programs find a board. Dropping it removes the file.
#[derive(Debug)]
pub struct Announcement(PathBuf);

impl Drop for Announcement {
    fn drop(&mut self) {
        // A program that finds no board at the port removes it later.
        let _ = fs::remove_file(&self.0);
    }
}

/// Writes a board's file.
pub(super) fn announce(folder: &Path, port: u16, key: &str) -> io::Result<Announcement> {
    for path in paths(folder) {
        if read(&path).is_none_or(|left| is_gone(left.port)) {
            let _ = fs::remove_file(&path);
        }
    }
    let number = getrandom::u64().map_err(io::Error::other)?;
    let path = folder.join(format!("{BEGINNING}{number:016x}{ENDING}"));
    let bytes = serde_json::to_vec(&Left { port, key: key.to_owned() })?;
    replace_with(&path, &bytes, Access::Private, None)?;
    Ok(Announcement(path))
}

/// New addresses of the running boards that have a file in this folder.
pub fn ask(folder: &Path) -> Vec<String> {
    let ask = |path: PathBuf| {
        let left = read(&path)?;
        if is_gone(left.port) {
            let _ = fs::remove_file(&path);
            return None;
        }
        ask_board(&left)
    };
    paths(folder).into_iter().filter_map(ask).collect()
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_ours = |name: &str| {
        let middle = name.strip_prefix(BEGINNING).and_then(|rest| rest.strip_suffix(ENDING));
        middle.is_some_and(|middle| middle.len() == 16 && middle.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_ours)).map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = ours.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Option<Left> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    let left: Left = serde_json::from_slice(&bytes).ok()?;
    left.key.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(left)
}

fn connect(port: u16) -> io::Result<TcpStream> {
    TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), PATIENCE)
}

/// Whether no program listens at a port.
fn is_gone(port: u16) -> bool {
    connect(port).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// Requests an address from a board; `None` if another program listens at its port now.
fn ask_board(left: &Left) -> Option<String> {
    let Left { port, key } = left;
    let mut stream = connect(*port).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let head =
        format!("POST {KEY_PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{KEY}: {key}\r\nContent-Length: 0\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8(answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    if !head.starts_with("HTTP/1.1 200 ") {
        return None;
    }
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    let url = body["url"].as_str()?;
    let code = url.strip_prefix(&format!("http://127.0.0.1:{port}/#code="))?;
    code.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| url.to_owned())
}
