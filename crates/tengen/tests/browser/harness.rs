//! The test tools themselves, tested on a page with known faults.

use super::browser::Browser;
use super::driver::key;
use super::process::wait_for;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

const PAGE: &str = r#"<!doctype html><html lang="en"><title>A page</title><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<button id="count">0</button> <input id="text"> <div id="keys"></div>
<script>
  const count = document.getElementById('count');
  count.onclick = () => { count.textContent = Number(count.textContent) + 1; };
  document.onkeydown = (event) => { document.getElementById('keys').textContent += `${event.ctrlKey ? '^' : ''}${event.key} `; };
</script>"#;

/// Serves the page during the test, with a policy that allows or forbids its inline script.
fn serve() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut head = [0; 4096];
            let read = stream.read(&mut head).unwrap_or(0);
            let strict = head[..read].starts_with(b"GET /strict ");
            let policy = if strict { "default-src 'none'" } else { "default-src 'self' 'unsafe-inline' data: *" };
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Security-Policy: {policy}\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{PAGE}",
                PAGE.len()
            );
        }
    });
    port
}

#[test]
fn clicks_keys_and_scripts_arrive() {
    let Some(browser) = Browser::take() else { return };
    browser.navigate(&format!("http://127.0.0.1:{}/", serve()));
    browser.click("#count");
    browser.click("#count");
    assert_eq!(browser.text("#count"), "2");
    browser.press(&[key::CONTROL], "y");
    browser.press(&[], key::LEFT);
    assert_eq!(browser.text("#keys"), "^Control ^y ArrowLeft");
    let field = browser.find("#text").expect("a field");
    browser.send_keys(&field, "h8");
    assert_eq!(browser.execute("return arguments[0].value", &[field.value()]), "h8");
    assert_eq!(browser.ask("new Promise((resolve) => setTimeout(() => resolve(7), 20))"), 7);
    browser.screen(390, 844, true);
    browser.media(&[("prefers-color-scheme", "dark")]);
    assert_eq!(browser.ask("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"), json!([390, true]));
    assert_eq!(browser.complaints(&[]), Vec::<String>::new());
}

#[test]
fn faults_of_a_page_are_seen() {
    let Some(browser) = Browser::take() else { return };
    let port = serve();
    let complain = |path: &str, script: &str, word: &str| {
        browser.navigate(&format!("http://127.0.0.1:{port}{path}"));
        browser.execute(script, &[]);
        wait_for(word, Duration::from_secs(10), || {
            browser.complaints(&[]).iter().any(|line| line.contains(word)).then_some(())
        });
    };
    complain("/", "console.error('a word of woe')", "a word of woe");
    complain("/", "setTimeout(() => { throw new Error('thrown late'); })", "thrown late");
    complain("/strict", "", "Content Security Policy");
    complain("/", "fetch('http://localhost:9/far').catch(() => {})", "a request to http://localhost:9/far");
}
