//! The routes: the answer for each path.

use super::app::{App, Reply};
use super::connection::Lease;
use super::guard::{self, Denied};
use super::{BY_HAND, Shared, assets, stream};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Extension, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, http};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time;

/// Maximum length of a command in bytes: a comment may be long.
const COMMAND: usize = 256 << 10;

/// Maximum length of an imported file.
const FILE: usize = 4 << 20;

/// Maximum length of a RenLib library: they are large.
const LIBRARY: usize = 64 << 20;

/// The first bytes of a RenLib file.
const LIBRARY_MARK: &[u8] = b"\xffRenLib\xff";

type Answer = Result<Response, Denied>;

/// All routes.
pub fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/api/hello", post(hello))
        .route(guard::KEY_PATH, post(address))
        .route(
            "/api/about",
            get(async |State(shared): State<Arc<Shared>>| json_body(StatusCode::OK, &shared.app.about())),
        )
        .route(
            "/api/state",
            get(async |State(shared): State<Arc<Shared>>| json_body(StatusCode::OK, &shared.app.state())),
        )
        .route("/api/events", get(events))
        .route("/api/command", post(command))
        .route("/api/import", post(import))
        .route("/api/export", get(export))
        .route("/api/explore", get(explore))
        .route("/api/puzzles", post(puzzles))
        .route("/api/bye", post(bye))
        .fallback(asset)
        .method_not_allowed_fallback(async || Denied::METHOD)
        .layer(from_fn_with_state(Arc::clone(&shared), admit))
        .with_state(shared)
}

/// Passes a request to its route or refuses it, and adds the security headers to the answer.
async fn admit(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let admitted = shared.guard.admit(request.method(), request.uri().path(), request.headers());
    let mut answer = match admitted {
        Ok(is_trusted) => {
            if is_trusted && let Some(lease) = request.extensions().get::<Arc<Lease>>() {
                lease.trust();
            }
            next.run(request).await
        }
        Err(denied) => denied.into_response(),
    };
    guard::add_security_headers(answer.headers_mut());
    answer
}

async fn page(State(shared): State<Arc<Shared>>) -> Answer {
    file(&shared, shared.app.page())
}

async fn asset(State(shared): State<Arc<Shared>>, method: http::Method, uri: Uri) -> Answer {
    let name = uri.path().trim_start_matches('/');
    // HTML pages are served at `/` only, each by its own application.
    if method != http::Method::GET || name.ends_with(".html") { Err(Denied::NOT_FOUND) } else { file(&shared, name) }
}

fn file(shared: &Shared, name: &str) -> Answer {
    let asset = assets::find(name).ok_or(Denied::NOT_FOUND)?;
    Ok(([(CONTENT_TYPE, asset.content_type())], asset.content(&shared.settings)).into_response())
}

async fn hello(State(shared): State<Arc<Shared>>, Extension(lease): Extension<Arc<Lease>>, request: Request) -> Answer {
    let body = json_of(&shared, request).await?;
    let code = body.get("code").and_then(Value::as_str).ok_or(Denied::CODE)?;
    let token = shared.guard.exchange(code).ok_or(Denied::CODE)?;
    lease.trust();
    let answer = json!({"token": token, "about": shared.app.about(), "state": shared.app.state()});
    Ok(json_body(StatusCode::OK, &answer))
}

/// An address for another browser, for a program that has shown the key.
async fn address(State(shared): State<Arc<Shared>>) -> Response {
    json_body(StatusCode::OK, &json!({"url": shared.url(BY_HAND)}))
}

async fn events(State(shared): State<Arc<Shared>>, Extension(lease): Extension<Arc<Lease>>) -> Response {
    stream::answer(shared, &lease)
}

async fn command(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    let body = json_of(&shared, request).await?;
    Ok(carry_out(&shared, body))
}

/// The command `bye`, for a page that is being closed and can only send an empty body.
async fn bye(State(shared): State<Arc<Shared>>) -> Response {
    carry_out(&shared, json!({"do": "bye"}))
}

fn carry_out(shared: &Shared, body: Value) -> Response {
    let ends = body.get("do").is_some_and(|name| name == "bye");
    let reply = shared.app.command(body);
    if ends && reply.status == 200 {
        shared.stop.notify_one();
    }
    of_reply(&reply)
}

async fn import(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    needs_type(request.headers(), "application/octet-stream")?;
    let name = query(request.uri(), "name")?;
    let is_library = name.as_deref().is_some_and(|name| name.to_ascii_lowercase().ends_with(".lib"));
    let bytes = read(request, if is_library { LIBRARY } else { FILE }, shared.settings.times.import).await?;
    if bytes.len() > FILE && !bytes.starts_with(LIBRARY_MARK) {
        return Err(Denied::LENGTH);
    }
    apart(shared, move |app| of_reply(&app.import(name.as_deref(), &bytes))).await
}

async fn export(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    let format = query(&uri, "format")?.ok_or(Denied::QUERY)?;
    apart(shared, move |app| match app.export(&format) {
        Ok(download) => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let name = Some(download.name.as_str()).filter(|name| name.chars().all(is_plain)).unwrap_or("game");
            let disposition = format!("attachment; filename=\"{name}\"");
            let headers = [(CONTENT_TYPE, download.content_type.to_owned()), (CONTENT_DISPOSITION, disposition)];
            (headers, download.bytes).into_response()
        }
        Err(reply) => of_reply(&reply),
    })
    .await
}

async fn explore(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    let sources = query(&uri, "sources")?.unwrap_or_default();
    apart(shared, move |app| of_reply(&app.explore(&sources))).await
}

async fn puzzles(State(shared): State<Arc<Shared>>, request: Request) -> Answer {
    let body = json_of(&shared, request).await?;
    apart(shared, move |app| of_reply(&app.puzzles(body))).await
}

/// Runs work that may take a moment on another thread, so that other requests are served meanwhile.
async fn apart(shared: Arc<Shared>, work: impl FnOnce(&dyn App) -> Response + Send + 'static) -> Answer {
    let failed = Denied(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the program made a mistake");
    tokio::task::spawn_blocking(move || work(&*shared.app)).await.map_err(|_| failed)
}

/// The body of a request as JSON.
async fn json_of(shared: &Shared, request: Request) -> Result<Value, Denied> {
    needs_type(request.headers(), "application/json")?;
    let bytes = read(request, COMMAND, shared.settings.times.request).await?;
    serde_json::from_slice(&bytes).map_err(|_| Denied::JSON)
}

/// Checks the content type. Pages of other sites cannot send these types without a preflight request, and that request
/// is refused.
fn needs_type(headers: &HeaderMap, wanted: &str) -> Result<(), Denied> {
    let given = headers.get(CONTENT_TYPE).and_then(|given| given.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim();
    if essence.eq_ignore_ascii_case(wanted) { Ok(()) } else { Err(Denied::TYPE) }
}

/// The body of a request. If the announced length is too large, it is refused unread.
async fn read(request: Request, most: usize, long: Duration) -> Result<Bytes, Denied> {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.unwrap_or(0) > most as u64 {
        return Err(Denied::LENGTH);
    }
    let read = time::timeout(long, to_bytes(request.into_body(), most)).await;
    read.map_err(|_| Denied::LATE)?.map_err(|_| Denied::BODY)
}

fn json_body(status: StatusCode, body: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], Body::from(body.to_string())).into_response()
}

fn of_reply(reply: &Reply) -> Response {
    json_body(StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), &reply.body)
}

/// The value of a name in the query string. Axum's `Query` would accept invalid escapes and invalid UTF-8.
fn query(uri: &Uri, name: &str) -> Result<Option<String>, Denied> {
    let pairs = uri.query().unwrap_or("").split('&');
    let value = pairs.filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name);
    value.map(|(_, value)| decoded(value).ok_or(Denied::QUERY)).transpose()
}

/// Decodes percent-encoded UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || Some(char::from(rest.next()?).to_digit(16)? as u8);
                digit()? << 4 | digit()?
            }
            b'+' => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        assert_eq!(decoded("a+b%20%C3%a9%2f"), Some("a b é/".to_owned()));
        for bad in ["%", "%4", "%zz", "%ff", "%+1"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
        let uri = |text: &str| text.parse::<Uri>().expect("an address");
        assert_eq!(query(&uri("/a?x=1&name=b"), "name"), Ok(Some("b".to_owned())));
        assert_eq!(query(&uri("/a?names=1"), "name"), Ok(None));
        assert_eq!(query(&uri("/a"), "name"), Ok(None));
        assert_eq!(query(&uri("/a?name=%f"), "name"), Err(Denied::QUERY));
    }
}
