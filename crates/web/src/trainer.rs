//! The puzzle trainer, in a worker of its own: an answer may take some seconds.

use serde_json::json;
use std::sync::{Arc, Mutex};
use tengen::engine::Evaluation;
use tengen_session::lock;
use tengen_session::trainer::{self, ProgressStore};
use wasm_bindgen::prelude::wasm_bindgen;

/// The trainer. The page's database keeps its progress.
#[wasm_bindgen]
pub struct Trainer {
    trainer: trainer::Trainer,
    progress: Progress,
}

/// The progress as it was read, then as it is to be written.
#[derive(Clone, Debug, Default)]
struct Progress {
    known: Option<Vec<u8>>,
    changed: Arc<Mutex<Option<Vec<u8>>>>,
}

impl ProgressStore for Progress {
    fn read(&self) -> Result<Option<Vec<u8>>, String> {
        Ok(self.known.clone())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), String> {
        *lock(&self.changed) = Some(bytes.to_vec());
        Ok(())
    }
}

#[wasm_bindgen]
impl Trainer {
    /// A trainer with the progress that was kept.
    #[wasm_bindgen(constructor)]
    pub fn new(progress: Option<String>) -> Trainer {
        let progress = Progress { known: progress.map(String::into_bytes), ..Progress::default() };
        let trainer = trainer::Trainer::new(Evaluation::default(), Some(Box::new(progress.clone())));
        Trainer { trainer, progress }
    }

    /// Answers a request in JSON, with the status of the answer.
    pub fn answer(&self, body: &str) -> String {
        let reply = self.trainer.answer(serde_json::from_str(body).unwrap_or_default());
        json!({"status": reply.status, "body": reply.body}).to_string()
    }

    /// The progress, if it has changed since the last call.
    pub fn progress(&self) -> Option<String> {
        let changed = lock(&self.progress.changed).take()?;
        String::from_utf8(changed).ok()
    }
}
