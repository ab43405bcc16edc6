//! Attacks on the board's server over raw sockets: each test is one item of a list of threats.
//!
//! No test relies on what a browser does by itself. The page's own duties are tested with the page.

use crate::folder::Folder;
use crate::support::workspace;
use crate::web::{Client, Fake, PATIENCE, ask, head_of, token_for};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tengen_play::server::assets::ASSETS;
use tengen_play::server::{Settings, Times, address};

/// Every path of the API, with a body where one is needed.
const API: [(&str, &str, &str); 10] = [
    ("GET", "/api/about", ""),
    ("GET", "/api/state", ""),
    ("GET", "/api/events", ""),
    ("GET", "/api/export?format=sgf", ""),
    ("GET", "/api/explore?sources=", ""),
    ("GET", "/api/nothing", ""),
    ("POST", "/api/command", "{\"do\":\"hint\"}"),
    ("POST", "/api/import?name=a.sgf", "(;)"),
    ("POST", "/api/bye", ""),
    ("POST", "/api/address", ""),
];

fn times() -> Times {
    let short = Duration::from_millis(400);
    Times { head: short, request: short, ..Times::default() }
}

fn impatient() -> Client {
    Client::start(Settings { times: times(), ..Settings::default() })
}

#[test]
fn line_1_it_listens_on_the_loopback_interface_only() {
    let client = Client::start(Settings::default());
    let address = client.address;
    assert_eq!(address.ip(), Ipv4Addr::LOCALHOST);
    assert_ne!(address.port(), 0);
    let connects = |to: SocketAddr| TcpStream::connect_timeout(&to, Duration::from_millis(500)).is_ok();
    assert!(connects(address));
    assert!(!connects((Ipv4Addr::new(127, 0, 0, 2), address.port()).into()), "another address of the interface");
    assert!(!connects((Ipv6Addr::LOCALHOST, address.port()).into()), "the other protocol");
    // This machine's outward address, if it has one. Nothing is sent.
    let outside = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    if let Ok(outside) = outside
        && !outside.ip().is_loopback()
    {
        assert!(!connects((outside.ip(), address.port()).into()), "{outside}");
    }
    // A port that is taken is an error, not another port.
    let app = std::sync::Arc::new(Fake::default());
    let taken = tengen_play::server::serve(app, Settings { port: address.port(), ..Settings::default() });
    assert!(taken.is_err());
}

/// A container's port is published from outside of its own loopback interface.
#[test]
fn line_1_in_a_container_it_listens_to_all_and_admits_the_same() {
    let client = Client::start(Settings { in_container: true, ..Settings::default() });
    let port = client.address.port();
    assert_eq!(client.address.ip(), Ipv4Addr::LOCALHOST, "where browsers reach it");
    let status = |to: Ipv4Addr, lines: &str| {
        let head = format!("GET /api/state HTTP/1.1\r\n{lines}\r\n");
        ask((to, port).into(), head).status
    };
    let token = format!("X-Tengen-Token: {}\r\n", client.token);
    // Linux has all of this network.
    let interfaces = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2)];
    for to in interfaces.into_iter().take(if cfg!(target_os = "linux") { 2 } else { 1 }) {
        assert_eq!(status(to, &format!("Host: 127.0.0.1:{port}\r\n{token}")), 200, "{to}");
        assert_eq!(status(to, &format!("Host: 127.0.0.1:{port}\r\n")), 401, "{to}");
        for other in ["127.0.0.2", "0.0.0.0", "evil.example"] {
            assert_eq!(status(to, &format!("Host: {other}:{port}\r\n{token}")), 403, "{to} as {other}");
        }
    }
}

#[test]
fn line_2_another_host_is_refused() {
    let client = Client::start(Settings::default());
    let port = client.address.port();
    let status = |hosts: &[&str]| {
        let lines: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        let token = &client.token;
        client.raw(format!("GET /api/state HTTP/1.1\r\n{lines}X-Tengen-Token: {token}\r\n\r\n").as_bytes()).status
    };
    let (ours, named) = (format!("127.0.0.1:{port}"), format!("localhost:{port}"));
    assert_eq!(status(&[&ours]), 200);
    assert_eq!(status(&[&named]), 200);
    assert_eq!(status(&[]), 403);
    assert_eq!(status(&[&ours, &ours]), 400);
    let others = [
        "",
        "127.0.0.1",
        "localhost",
        "evil.example",
        &format!("evil.example:{port}"),
        &format!("localhost.evil.example:{port}"),
        &format!("127.0.0.1:{port}.evil.example"),
        &format!("localhost:{port}0"),
        &format!("127.0.0.1:{}", port ^ 1),
        &format!("[::1]:{port}"),
        &format!("127.1:{port}"),
        &format!("evil@localhost:{port}"),
        &format!("{ours}, {ours}"),
    ];
    for other in others {
        assert_eq!(status(&[other]), 403, "{other}");
    }
    // A target that names a host itself does not get around the check either.
    let absolute = format!("GET http://evil.example/ HTTP/1.1\r\nHost: {ours}\r\n\r\n");
    assert_eq!(client.raw(absolute.as_bytes()).status, 400);
}

#[test]
fn line_3_another_origin_is_refused() {
    let client = Client::start(Settings::default());
    let port = client.address.port();
    let status = |line: &str| client.get("/api/state", &[line]).status;
    for ours in [&format!("Origin: http://127.0.0.1:{port}"), &format!("Origin: http://localhost:{port}")] {
        assert_eq!(status(ours), 200, "{ours}");
    }
    for site in ["same-origin", "none"] {
        assert_eq!(status(&format!("Sec-Fetch-Site: {site}")), 200, "{site}");
    }
    for other in [
        "null",
        "",
        "http://evil.example",
        "http://127.0.0.1",
        &format!("https://127.0.0.1:{port}"),
        &format!("http://127.0.0.1:{port}.evil.example"),
        &format!("http://evil.example:{port}"),
    ] {
        assert_eq!(status(&format!("Origin: {other}")), 403, "{other}");
    }
    for site in ["cross-site", "same-site", "", "else"] {
        assert_eq!(status(&format!("Sec-Fetch-Site: {site}")), 403, "{site}");
    }
    let two = format!("Origin: http://127.0.0.1:{port}\r\nOrigin: http://evil.example");
    assert_eq!(status(&two), 403);
    // The page itself is no exception.
    assert_eq!(client.get("/", &["Sec-Fetch-Site: cross-site"]).status, 403);
}

#[test]
fn line_4_nothing_is_told_or_done_without_the_token() {
    let client = Client::start(Settings::default());
    let token = client.token.clone();
    let wrong = [
        String::new(),
        "X-Tengen-Token: ".to_owned(),
        "X-Tengen-Token: 0".to_owned(),
        format!("X-Tengen-Token: {}", &token[..31]),
        format!("X-Tengen-Token: {token}0"),
        format!("X-Tengen-Token: {}", token.to_uppercase() + "x"),
        format!("Authorization: Bearer {token}"),
        format!("Cookie: X-Tengen-Token={token}"),
    ];
    for (method, path, body) in API {
        for line in &wrong {
            let lines: Vec<&str> =
                ["Content-Type: application/json", line].into_iter().filter(|l| !l.is_empty()).collect();
            let answer = client.without_token(method, path, &lines, body.as_bytes());
            assert_eq!(answer.status, 401, "{method} {path} {line}");
        }
        let sign = if path.contains('?') { '&' } else { '?' };
        let in_query = format!("{path}{sign}token={token}&X-Tengen-Token={token}");
        assert_eq!(client.without_token(method, &in_query, &[], b"").status, 401, "{in_query}");
    }
    assert_eq!(client.app.calls(), [""; 0]);
    assert_eq!(client.get("/api/state", &[]).status, 200);
}

#[test]
fn line_5_the_launch_code_is_not_the_token_and_works_once_and_in_time() {
    let client = Client::start(Settings {
        times: Times { code: Duration::from_millis(300), ..Times::default() },
        ..Settings::default()
    });
    let hello = |code: &str| {
        let body = format!("{{\"code\":\"{code}\"}}");
        client.without_token("POST", "/api/hello", &["Content-Type: application/json"], body.as_bytes())
    };
    let code = client.code();
    assert_ne!(code, client.token);
    assert_eq!(hello("").status, 401);
    assert_eq!(hello(&client.token).status, 401, "the token is no code");
    let first = hello(&code);
    assert_eq!(first.status, 200);
    assert_eq!(first.json()["token"], client.token.as_str());
    assert_eq!(first.json()["state"]["rev"], 1);
    assert_eq!(hello(&code).status, 401, "a second use");
    let late = client.code();
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(hello(&late).status, 401, "too late");
    for body in ["", "{}", "{\"code\":1}", "[]", "{\"code\":[\"a\"]}", "no json"] {
        let answer = client.without_token("POST", "/api/hello", &["Content-Type: application/json"], body.as_bytes());
        assert!([400, 401].contains(&answer.status), "{body}: {}", answer.status);
    }
    // The code is in the fragment, which browsers do not send.
    let url = client.url();
    assert!(url.starts_with(&format!("http://{}/#code=", client.address)), "{url}");
    assert!(!url.contains(&client.token));
}

#[test]
fn line_5_another_program_of_the_owner_gets_a_new_address() {
    let folder = Folder::new();
    let client = Client::start(Settings::default());
    assert_eq!(address::ask(folder.path()), [""; 0]);
    let announced = client.announce(folder.path());
    let files = || std::fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.path());
    let file = files().next().expect("a file");
    let text = std::fs::read_to_string(&file).expect("text");
    assert!(!text.contains(&client.token), "the token is not in it");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    let urls = address::ask(folder.path());
    let (_, token) = token_for(&urls[0]);
    assert_eq!((urls.len(), token), (1, client.token.clone()));
    // The key gives access to this path only, and nothing else gives access to it.
    let left: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let key = left["key"].as_str().expect("a key");
    let ask = |path: &str, line: &str| client.without_token("POST", path, &[line], b"").status;
    assert_eq!(ask("/api/address", &format!("X-Tengen-Key: {key}")), 200);
    assert_eq!(ask("/api/address", &format!("X-Tengen-Key: {key}\r\nOrigin: http://evil.example")), 403);
    for wrong in
        ["X-Tengen-Key: 0".to_owned(), format!("X-Tengen-Token: {}", client.token), format!("X-Tengen-Token: {key}")]
    {
        assert_eq!(ask("/api/address", &wrong), 401, "{wrong}");
    }
    assert_eq!(ask("/api/bye", &format!("X-Tengen-Key: {key}")), 401);
    assert_eq!(ask("/api/bye", &format!("X-Tengen-Token: {key}")), 401);
    // The file of a killed board is removed; a damaged file gives no address.
    let other = folder.path().join("board-00000000000000ff.address");
    std::fs::write(&other, "{\"port\":1,\"key\":\"00\"}").expect("a file");
    std::fs::write(folder.path().join("board-00000000000000fe.address"), "no json").expect("a file");
    assert_eq!(address::ask(folder.path()).len(), 1);
    assert!(!other.exists());
    drop(announced);
    assert!(!file.exists());
    assert_eq!(address::ask(folder.path()), [""; 0]);
}

#[test]
fn line_6_there_are_no_cookies() {
    let client = Client::start(Settings::default());
    let cookie = format!("Cookie: token={0}; X-Tengen-Token={0}", client.token);
    assert_eq!(client.without_token("GET", "/api/state", &[&cookie], b"").status, 401);
    for answer in client.one_of_each() {
        assert_eq!(answer.header("set-cookie"), None);
    }
}

#[test]
fn line_7_the_policy_of_the_page_allows_nothing_foreign_and_nothing_inline() {
    let client = Client::start(Settings::default());
    let wanted = [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "require-trusted-types-for 'script'",
        "script-src 'self'",
        "style-src 'self'",
    ];
    for answer in client.one_of_each() {
        let policy = answer.header("content-security-policy").expect("a policy");
        let mut given: Vec<&str> = policy.split(';').map(str::trim).collect();
        given.sort_unstable();
        assert_eq!(given, wanted, "{}", answer.status);
    }
    // The pages comply with it.
    for asset in ASSETS.iter().filter(|asset| asset.name.ends_with(".html")) {
        let text = String::from_utf8_lossy(asset.bytes).to_lowercase();
        for tag in text.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
            let inline =
                tag.split_whitespace().skip(1).any(|word| word.starts_with("style=") || word.starts_with("on"));
            assert!(!inline && !tag.starts_with("style"), "{}: <{tag}>", asset.name);
            assert!(!tag.starts_with("script") || tag.contains("src="), "{}: <{tag}>", asset.name);
            assert!(!tag.contains("://"), "{}: <{tag}>", asset.name);
        }
    }
}

#[test]
fn line_8_every_answer_carries_its_seals_and_other_sites_are_granted_nothing() {
    let client = Client::start(Settings::default());
    for answer in client.one_of_each() {
        let status = answer.status;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{status}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{status}");
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"), "{status}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"), "{status}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{status}");
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "{status}");
    }
    for path in ["/", "/api/command", "/api/hello", "/nothing"] {
        let preflight = ["Access-Control-Request-Method: POST", "Access-Control-Request-Private-Network: true"];
        let answer = client.without_token("OPTIONS", path, &preflight, b"");
        assert_eq!(answer.status, 403, "{path}");
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")));
    }
}

#[test]
fn line_9_a_request_from_another_site_changes_nothing_even_with_the_token() {
    let client = Client::start(Settings::default());
    // The headers that a browser without checks of its own would send.
    let foreign = ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site"];
    for line in foreign {
        for (method, path, body) in API {
            let lines = [line, "Content-Type: application/json"];
            let answer = client.with_token(method, path, &lines, body.as_bytes());
            assert_eq!(answer.status, 403, "{line} {path}");
            assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        }
    }
    assert_eq!(client.app.calls(), [""; 0]);
    assert_eq!(client.app.closed(), 0);
}

#[test]
fn line_10_a_form_cannot_carry_a_command() {
    let client = Client::start(Settings::default());
    let body = b"{\"do\":\"hint\"}";
    for wrong in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonp"] {
        let line = format!("Content-Type: {wrong}");
        assert_eq!(client.with_token("POST", "/api/command", &[&line], body).status, 415, "{wrong}");
        assert_eq!(client.with_token("POST", "/api/import", &[&line], body).status, 415, "{wrong}");
        assert_eq!(client.without_token("POST", "/api/hello", &[&line], body).status, 415, "{wrong}");
    }
    assert_eq!(client.with_token("POST", "/api/command", &[], body).status, 415);
    assert_eq!(client.app.calls(), [""; 0]);
    let line = "Content-Type: application/json; charset=utf-8";
    assert_eq!(client.with_token("POST", "/api/command", &[line], body).status, 200);
    assert_eq!(client.app.calls(), ["command {\"do\":\"hint\"}"]);
    // Other methods are refused.
    for method in ["GET", "PUT", "DELETE", "HEAD", "PATCH", "TRACE", "FOO"] {
        assert_eq!(client.with_token(method, "/api/command", &[], b"").status, 405, "{method}");
    }
}

#[test]
fn line_11_heads_are_bounded_and_have_one_reading() {
    let client = impatient();
    let head = client.head("GET", "/", &[]);
    let with = |lines: &str| client.raw(head_of(&head, lines).as_bytes()).status;
    assert_eq!(with(""), 200);
    // 16 KiB in all, 48 lines in all.
    assert_eq!(with(&format!("A: {}\r\n", "a".repeat(15 << 10))), 200);
    assert_eq!(with(&format!("A: {}\r\n", "a".repeat(16 << 10))), 431);
    assert_eq!(with(&"A: a\r\n".repeat(47)), 200);
    assert_eq!(with(&"A: a\r\n".repeat(48)), 431);
    assert_eq!(client.raw(format!("GET /{}", "a".repeat(1 << 20)).as_bytes()).status, 431);
    // Requests whose end is ambiguous.
    let body = "POST /api/command HTTP/1.1\r\nHost: x\r\n";
    for lines in [
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "Content-Length: 2, 2\r\n\r\n{}",
        "Content-Length: +2\r\n\r\n{}",
        "Content-Length: 0x2\r\n\r\n{}",
        "Content-Length: 2\r\nHost: x\r\n\r\n{}",
        " folded: line\r\n\r\n",
    ] {
        assert_eq!(client.raw(format!("{body}{lines}").as_bytes()).status, 400, "{lines:?}");
    }
    // A second request behind the first is not answered.
    let twice = client.raw(format!("{0}\r\n{0}\r\n", client.head("GET", "/api/state", &[])).as_bytes());
    assert_eq!(twice.status, 401);
    assert!(!twice.body.contains("HTTP/1.1"), "{}", twice.body);
}

#[test]
fn line_11_bodies_are_bounded_before_they_are_read() {
    let client = impatient();
    let announced = |path: &str, kind: &str, length: u64| {
        let token = format!("X-Tengen-Token: {}", client.token);
        let lines = [&*token, &format!("Content-Type: {kind}"), &format!("Content-Length: {length}")];
        client.raw(format!("{}\r\n", client.head("POST", path, &lines)).as_bytes()).status
    };
    // Refused at once, or after a timeout.
    let (json, bytes) = ("application/json", "application/octet-stream");
    assert_eq!(announced("/api/command", json, (256 << 10) + 1), 413);
    assert_eq!(announced("/api/command", json, 256 << 10), 408);
    assert_eq!(announced("/api/hello", json, 1 << 40), 413);
    assert_eq!(announced("/api/import?name=a.sgf", bytes, (4 << 20) + 1), 413);
    assert_eq!(announced("/api/import?name=a.lib", bytes, (64 << 20) + 1), 413);
    // The answer arrives although the client is still sending.
    let large = vec![b'a'; (4 << 20) + 1];
    let kind = ["Content-Type: application/octet-stream"];
    assert_eq!(client.with_token("POST", "/api/import?name=a.sgf", &kind, &large).status, 413);
    // Only a library may have the length limit of a library.
    assert_eq!(client.with_token("POST", "/api/import?name=a.lib", &kind, &large).status, 413);
    assert_eq!(client.app.calls(), [""; 0]);
    let library = [b"\xffRenLib\xff", &large[..]].concat();
    assert_eq!(client.with_token("POST", "/api/import?name=A.LIB", &kind, &library).status, 200);
    assert_eq!(client.app.calls(), [format!("import Some(\"A.LIB\") {}", library.len())]);
}

#[test]
fn line_11_who_dawdles_is_cut_off() {
    let client = impatient();
    let cut = |bytes: &[u8]| {
        let mut stream = client.connect();
        stream.write_all(bytes).expect("a connection");
        let begun = Instant::now();
        let mut answer = String::new();
        drop(stream.read_to_string(&mut answer));
        assert!(begun.elapsed() < PATIENCE / 2, "{begun:?}");
        answer.lines().next().unwrap_or("").to_owned()
    };
    let head = client.head("POST", "/api/command", &[]);
    assert!(cut(b"").contains("408"));
    assert!(cut(b"GET").contains("408"));
    assert!(cut(head.as_bytes()).contains("408"));
    let token = format!("X-Tengen-Token: {}", client.token);
    let lines = [&*token, "Content-Type: application/json", "Content-Length: 9"];
    assert!(cut(format!("{}\r\n{{", client.head("POST", "/api/command", &lines)).as_bytes()).contains("408"));
    assert_eq!(client.app.calls(), [""; 0]);
    // Sending a byte now and then does not extend the time.
    let mut stream = client.connect();
    let begun = Instant::now();
    while stream.write_all(b"A").is_ok() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(begun.elapsed() < PATIENCE / 2, "{begun:?}");
    // Times that this test does not measure, since that would take too long.
    let times = Times::default();
    assert_eq!((times.head, times.request), (Duration::from_secs(2), Duration::from_secs(5)));
    assert_eq!(times.total, Duration::from_secs(60));
    assert_eq!((times.heartbeat, times.unused), (Duration::from_secs(15), Duration::from_secs(60)));
}

#[test]
fn line_11_garbage_is_refused_without_a_panic() {
    let client = impatient();
    let hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x53\x8a\x11\x93";
    let mut state = 1_u64;
    let noise: Vec<Vec<u8>> = (0..40)
        .map(|length| {
            let byte = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            };
            std::iter::repeat_with(byte).take(1 + length * 50).collect()
        })
        .collect();
    let fixed: [&[u8]; 8] = [
        hello,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET \xff HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nA\0: b\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n",
    ];
    for bytes in fixed.into_iter().chain(noise.iter().map(Vec::as_slice)) {
        let answer = client.raw(bytes);
        assert!([0, 400, 408].contains(&answer.status), "{bytes:?}: {}", answer.status);
    }
    assert_eq!(client.raw(hello).status, 400);
    for depth in [100, 10_000, 100_000] {
        let body = "[".repeat(depth);
        let json = ["Content-Type: application/json"];
        assert_eq!(client.with_token("POST", "/api/command", &json, body.as_bytes()).status, 400, "{depth}");
    }
    for query in ["name=%", "name=%zz", "name=%ff%fe"] {
        let path = format!("/api/import?{query}");
        let kind = ["Content-Type: application/octet-stream"];
        assert_eq!(client.with_token("POST", &path, &kind, b"a").status, 400, "{query}");
    }
    assert_eq!(client.app.calls(), [""; 0]);
    assert_eq!(client.get("/api/state", &[]).status, 200);
}

#[test]
fn line_11_connections_are_counted() {
    // The timeouts are long, so that no connection is closed for being slow.
    let slow = Times { head: PATIENCE * 2, ..Times::default() };
    let client = Client::start(Settings { times: slow, ..Settings::default() });
    // The server has noticed by then that the connection that fetched the token has ended.
    std::thread::sleep(Duration::from_millis(100));
    let mut idle: Vec<TcpStream> = (0..32).map(|_| client.connect()).collect();
    let is_closed = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a timeout");
        let closed = stream.read(&mut [0]);
        closed.is_ok_and(|count| count == 0) || closed_by_reset(stream)
    };
    assert!(!is_closed(&mut idle[0]), "32 may stay");
    // Each new connection closes another one: the limit holds.
    let more: Vec<TcpStream> = (0..3).map(|_| client.connect()).collect();
    let closed = idle.iter_mut().take(4).map(is_closed).collect::<Vec<_>>();
    assert_eq!(closed, [true, true, true, false], "the oldest make way");
    // A client with the token is served nevertheless, and its connection is not closed for others.
    let mut stream = client.stream();
    assert_eq!(client.get("/api/state", &[]).status, 200);
    let flood: Vec<TcpStream> = (0..40).map(|_| client.connect()).collect();
    assert_eq!(client.get("/api/state", &[]).status, 200);
    assert_eq!(stream.next().expect("a snapshot").0, "state");
    client.app.send("message", "1");
    assert_eq!(stream.next(), Some(("message".to_owned(), "1".to_owned())));
    drop((more, flood));
}

/// Whether the connection has been cut.
fn closed_by_reset(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a socket");
    let end = stream.read(&mut [0]);
    stream.set_nonblocking(false).expect("a socket");
    end.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock) || stream.write_all(b"GET").is_err()
}

/// Hundreds of silent connections that reconnect when they are closed cannot keep out a client with the token.
#[test]
fn line_11_a_crowd_keeps_nobody_out() {
    let client = Client::start(Settings::default());
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let address = client.address;
        let ended = &ended;
        for _ in 0..4 {
            scope.spawn(move || {
                let mut held: Vec<TcpStream> = Vec::new();
                while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                    if held.len() < 100 {
                        held.extend(TcpStream::connect(address));
                    }
                    held.retain_mut(|stream| {
                        let _ = stream.set_nonblocking(true);
                        stream.read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
                    });
                }
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        for number in 0..20 {
            let served = || client.get("/api/state", &[]).status == 200;
            let tries = std::iter::repeat_with(served).take(20).position(|served| served);
            assert!(tries.is_some(), "request {number} is not served");
        }
        let took = begun.elapsed();
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(took < PATIENCE, "{took:?}");
    });
}

/// A server that can no longer serve anything ends with an error.
#[test]
fn line_11_a_server_that_only_panics_ends_with_an_error() {
    let json = ["Content-Type: application/json"];
    let mut client = Client::start(Settings { stay: true, ..Settings::default() });
    for _ in 0..2 {
        assert_eq!(client.with_token("POST", "/api/command", &json, b"{\"panic\":1}").status, 0);
    }
    assert_eq!(client.get("/api/state", &[]).status, 200, "now and then is no end");
    for _ in 0..3 {
        assert_eq!(client.with_token("POST", "/api/command", &json, b"{\"panic\":1}").status, 0);
    }
    let error = client.ended().expect_err("it panics").to_string();
    assert!(error.contains("panics"), "{error}");
    assert_eq!(client.app.closed(), 1);
}

#[test]
fn line_11_streams_are_counted_and_the_oldest_is_told() {
    let client = Client::start(Settings {
        times: Times { heartbeat: Duration::from_millis(100), ..Times::default() },
        ..Settings::default()
    });
    let mut oldest = client.stream();
    assert_eq!(oldest.next(), Some(("state".to_owned(), "{\"rev\":1}".to_owned())));
    assert!(oldest.next_line().is_some_and(|line| line.starts_with(':')), "a sign of life");
    let mut others: Vec<_> = (0..4).map(|_| client.stream()).collect();
    assert_eq!(oldest.next(), Some(("replaced".to_owned(), "{}".to_owned())));
    assert_eq!(oldest.next(), None);
    client.app.send("message", "{\"a\":1}");
    for stream in &mut others {
        assert_eq!(stream.next().expect("a snapshot").0, "state");
        assert_eq!(stream.next(), Some(("message".to_owned(), "{\"a\":1}".to_owned())));
    }
    assert_eq!(client.app.subscribers(), 4);
    // A stream whose client does not read is cut without a last event. Until then it costs no more than its mailbox.
    for number in 0..600 {
        client.app.send("message", &format!("\"{number} {}\"", "a".repeat(100_000)));
    }
    assert_eq!(client.app.subscribers(), 0);
    let newer: Vec<_> = (0..4).map(|_| client.stream()).collect();
    std::thread::sleep(Duration::from_millis(1500));
    let stuck = others.first_mut().expect("four");
    assert!(std::iter::from_fn(|| stuck.next()).all(|(name, _)| name == "message"));
    drop(newer);
}

#[test]
fn line_12_paths_lead_nowhere() {
    let client = Client::start(Settings::default());
    for path in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/./index.html",
        "/index.html",
        "/page/index.html",
        "/app.css/..",
        "/index.html%00.js",
        "/api",
        "/API/state",
    ] {
        let answer = client.get(path, &[]);
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
    assert_eq!(client.get("/", &[]).status, 200);
    // A name is only a hint. The name that the program gives contains plain characters only.
    let kind = ["Content-Type: application/octet-stream"];
    assert_eq!(client.with_token("POST", "/api/import?name=..%2f..%2fx.sgf", &kind, b"(;)").status, 200);
    assert_eq!(client.app.calls(), ["import Some(\"../../x.sgf\") 3"]);
    let name = |format: &str| {
        let answer = client.get(&format!("/api/export?format={format}"), &[]);
        assert_eq!(answer.status, 200);
        answer.header("content-disposition").expect("a name").to_owned()
    };
    assert_eq!(name("sgf"), "attachment; filename=\"game.sgf\"");
    assert_eq!(name("%22%0d%0aSet-Cookie:%20a=b"), "attachment; filename=\"game\"");
    assert_eq!(name("../x"), "attachment; filename=\"game\"");
}

#[test]
fn line_13_hostile_text_stays_text() {
    let client = Client::start(Settings::default());
    let mut stream = client.stream();
    assert_eq!(stream.next().expect("a snapshot").0, "state");
    // Line ends in the data do not start new lines of the stream.
    client.app.send("message", "\"a\n\nevent: bye\ndata: {}\n\n\"");
    let hostile = stream.next();
    assert_eq!(hostile, Some(("message".to_owned(), "\"a\n\nevent: bye\ndata: {}\n\n\"".to_owned())));
    client.app.send("message", "1");
    assert_eq!(stream.next(), Some(("message".to_owned(), "1".to_owned())));
    // JSON is never interpreted as a page.
    assert_eq!(client.get("/api/state", &[]).header("content-type"), Some("application/json"));
    assert_eq!(client.get("/api/nothing<img onerror=a>", &[]).header("content-type"), Some("application/json"));
}

#[test]
fn line_14_what_is_imported_reaches_the_reader_as_it_is() {
    let client = Client::start(Settings::default());
    let kind = ["Content-Type: application/octet-stream"];
    let every: Vec<u8> = (0..=255).collect();
    assert_eq!(client.with_token("POST", "/api/import", &kind, &every).status, 200);
    let deep = "(;B[aa]".repeat(500_000);
    assert_eq!(client.with_token("POST", "/api/import?name=deep.sgf", &kind, deep.as_bytes()).status, 200);
    assert_eq!(client.app.calls(), ["import None 256".to_owned(), format!("import Some(\"deep.sgf\") {}", deep.len())]);
    // A panic while reading a file affects nothing else.
    assert_eq!(client.with_token("POST", "/api/import?name=panic", &kind, b"").status, 500);
    assert_eq!(client.get("/api/state", &[]).status, 200);
}

#[test]
fn line_15_it_ends_when_nobody_looks() {
    let settings = |stay| Settings {
        stay,
        times: Times { unused: Duration::from_millis(300), ..Times::default() },
        ..Settings::default()
    };
    let [mut leaving, mut staying] = [false, true].map(|stay| Client::start(settings(stay)));
    // The program does not end before the first client has connected.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(leaving.get("/api/state", &[]).status, 200);
    for client in [&leaving, &staying] {
        // A reload does not end the program.
        drop(client.stream());
        std::thread::sleep(Duration::from_millis(100));
        let mut stream = client.stream();
        assert!(stream.next().is_some());
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(client.get("/api/state", &[]).status, 200);
    }
    leaving.wait();
    assert_eq!(leaving.app.closed(), 1);
    assert!(TcpStream::connect(leaving.address).is_err());
    assert_eq!(staying.get("/api/state", &[]).status, 200);
    staying.stop();
    staying.wait();
    assert_eq!(staying.app.closed(), 1);
}

#[test]
fn line_15_it_ends_when_it_is_told_to_and_says_so() {
    let json = ["Content-Type: application/json"];
    let ways: [&dyn Fn(&Client); 3] = [
        &|client| assert_eq!(client.with_token("POST", "/api/bye", &[], b"").status, 200),
        &|client| assert_eq!(client.with_token("POST", "/api/command", &json, b"{\"do\":\"bye\"}").status, 200),
        &|client| client.stop(),
    ];
    for way in ways {
        let mut client = Client::start(Settings { stay: true, ..Settings::default() });
        let mut stream = client.stream();
        assert_eq!(stream.next().expect("a snapshot").0, "state");
        way(&client);
        assert_eq!(stream.next(), Some(("bye".to_owned(), "{}".to_owned())));
        assert_eq!(stream.next(), None);
        client.wait();
        assert_eq!(client.app.closed(), 1);
        assert!(TcpStream::connect(client.address).is_err());
    }
    // The program goes on if the application refuses.
    let client = Client::start(Settings::default());
    assert_eq!(client.with_token("POST", "/api/command", &json, b"{\"do\":\"bye\",\"refuse\":1}").status, 422);
    assert_eq!(client.get("/api/state", &[]).status, 200);
}

#[test]
#[cfg(target_os = "linux")]
fn line_15_no_connection_leaves_this_computer() {
    let client = Client::start(Settings::default());
    let _stream = client.stream();
    drop(client.one_of_each());
    // This process's sockets, as the system lists them: local and remote addresses are both loopback.
    let own: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .expect("the list of descriptors")
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let mut seen = 0;
    for table in ["tcp", "tcp6", "udp", "udp6"] {
        let text = std::fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let words: Vec<&str> = line.split_whitespace().collect();
            // Another test determines this machine's address with a socket of this kind, which sends nothing.
            if table != "udp" && own.iter().any(|inode| inode == words[9]) {
                seen += 1;
                assert!(words[1].starts_with("0100007F:"), "{table}: {line}");
                let listens = words[3] == "0A";
                assert!(listens || words[2].starts_with("0100007F:"), "{table}: {line}");
            }
        }
    }
    assert!(seen >= 3, "the listener and both ends of the stream: {seen}");
}

#[test]
fn line_16_no_crate_is_known_to_be_abandoned() {
    // Web servers that are not maintained, and crates that the advisory database calls unmaintained; `deny.toml` names
    // them too.
    let abandoned = ["tiny_http", "rouille", "iron", "nickel", "atty", "ansi_term", "net2"];
    let file = |name: &str| {
        let path = workspace().join(name);
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (lock, deny) = (file("Cargo.lock"), file("deny.toml"));
    for name in abandoned {
        assert!(!lock.contains(&format!("name = \"{name}\"\n")), "{name} is abandoned");
        assert!(deny.contains(&format!("\"{name}\"")), "deny.toml does not name {name}");
    }
}
