//! The files of the pages, embedded. The table is maintained by hand: the server serves exactly the files in it, under
//! exactly these names.

use std::borrow::Cow;

/// A file of a page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name, which is also its path below `/`. A page's HTML is served as `/` only.
    pub name: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        &[$(Asset { name: $name, bytes: include_bytes!(concat!("../page/", $name)) }),*]
    };
}

/// All files.
pub const ASSETS: &[Asset] = assets![
    "actions.js",
    "analysis.js",
    "announce.js",
    "api.js",
    "app.css",
    "bar.js",
    "board-input.js",
    "board.css",
    "board.js",
    "connection.js",
    "dialog.js",
    "dom.js",
    "drawings.js",
    "explorer.css",
    "explorer.js",
    "fault.js",
    "files.js",
    "game.js",
    "graph.js",
    "http.js",
    "i18n.js",
    "i18n/en.js",
    "i18n/en_explorer.js",
    "i18n/en_learn.js",
    "i18n/en_panels.js",
    "i18n/en_watch.js",
    "i18n/zh.js",
    "i18n/zh_explorer.js",
    "i18n/zh_learn.js",
    "i18n/zh_panels.js",
    "i18n/zh_watch.js",
    "icon.svg",
    "icons.js",
    "index.html",
    "keys.js",
    "layout.css",
    "learn.css",
    "legend.js",
    "log.js",
    "main.js",
    "opening.js",
    "overlays.js",
    "panels.css",
    "panels.js",
    "parts.js",
    "players.js",
    "proof.js",
    "puzzles.js",
    "quiz.js",
    "report.js",
    "review.js",
    "second.js",
    "settings.js",
    "setup.js",
    "share.js",
    "sound.js",
    "start.js",
    "status.js",
    "store.js",
    "tabs.js",
    "toasts.js",
    "tree-layout.js",
    "tree.js",
    "types.js",
    "warnings.js",
    "watch.css",
    "watch.html",
    "watch.js",
];

/// The asset with this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

impl Asset {
    /// Its MIME type.
    pub fn content_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }

    /// Its content, or that of the file with its name in the folder of the settings.
    pub(super) fn content(&self, settings: &super::Settings) -> Cow<'static, [u8]> {
        #[cfg(debug_assertions)]
        if let Some(folder) = &settings.dev_assets
            && let Ok(bytes) = std::fs::read(folder.join(self.name))
        {
            return Cow::Owned(bytes);
        }
        #[cfg(not(debug_assertions))]
        let _ = settings;
        Cow::Borrowed(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Names of all files in a folder and in those below it, with slashes.
    fn files(folder: &Path, prefix: &str) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder of the pages");
        let names = entries.map(|entry| {
            let entry = entry.expect("an entry");
            let name = format!("{prefix}{}", entry.file_name().into_string().expect("an ASCII name"));
            if entry.path().is_dir() { files(&entry.path(), &format!("{name}/")) } else { vec![name] }
        });
        names.flatten().collect()
    }

    #[test]
    fn the_table_is_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
        let names: BTreeSet<String> = ASSETS.iter().map(|asset| asset.name.to_owned()).collect();
        assert_eq!(names, files(&folder, "").into_iter().collect());
        assert!(ASSETS.iter().all(|asset| asset.content_type() != "application/octet-stream"));
    }
}
