//! Wrong input to `tengen` gives a one-line error that names the problem, and has no other effect.

use crate::program::engine_path;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn tengen(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.current_dir(folder).args(args.split_whitespace()).stdin(Stdio::null()).output().expect("the program")
}

/// A folder with an empty file, a file in another format, and a folder.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("complaints-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(path.join("folder")).expect("a folder");
    std::fs::write(path.join("empty"), "").expect("a file");
    std::fs::write(path.join("letter"), "Dear reader").expect("a file");
    path
}

#[test]
fn one_line_says_what_is_wrong() {
    let folder = folder("said");
    let engine = engine_path();
    let pair = format!("match -e name=a,nodes=9,cmd={engine} -e name=b,nodes=9,cmd={engine}");
    let cases = [
        ("analyze game.sgf", "game.sgf: neither a file nor moves"),
        ("analyze folder", "folder: neither a file nor moves"),
        ("analyze letter", "letter: "),
        ("analyze h8h8", "is taken twice"),
        ("analyze h8 --time nan", "--time"),
        ("analyze h8 --weights letter", "letter: not a network"),
        ("match -e cmd=x,nodes=0 -e name=b,cmd=x,nodes=9", "nodes=0: expected at least 1"),
        ("match -e cmd=./nobody,nodes=9 -e name=b,cmd=./nobody,nodes=9", "nobody: there is no program ./nobody"),
        ("match -e cmd=nobody-at-all,nodes=9 -e name=b,cmd=x,nodes=9", "there is no program nobody-at-all"),
        (&format!("{pair} --shard 1/2 --sprt elo0=0,elo1=5"), "--sprt needs all games"),
        (
            &format!("{pair} -e name=c,nodes=9,cmd={engine} --svg curve.svg"),
            "--svg draws the curve of a match between two",
        ),
        (&format!("{pair} --openings nothing.txt"), "there is no file nothing.txt"),
        (&format!("{pair} --openings empty"), "empty: there are no openings"),
        (&format!("{pair} -o no/match.jsonl"), "no/match.jsonl: "),
        (&format!("{pair} -o letter"), "letter exists"),
        (&format!("{pair} -o letter --resume"), "letter has no header"),
        ("match --report letter", "letter has no header"),
        ("selfplay -o no/games.bin", "no/games.bin: "),
        ("selfplay -o folder", "folder: "),
        ("selfplay -o letter", "letter: no record begins here"),
        ("data stats letter", "letter: no record begins here"),
        ("data stats nothing", "nothing: "),
        ("train empty -o run", "there are no games of freestyle"),
        ("train letter -o run", "letter: no record begins here"),
        ("train empty -o letter", "letter: no checkpoint of a training run"),
        ("train empty -o run --network letter", "letter: not a network"),
        ("train empty -o no/run", "no/run"),
        ("train empty -o run -r 0,1", "there are no games of freestyle"),
        ("train empty -o letter -r 0,1", "letter: no checkpoint of a training run"),
        ("train empty -o run -r 0,1,0", "--rule names a rule twice"),
        ("train empty -o run -r 0,1 --network x --units 9", "--units is for one rule, and --rule names 2"),
        ("train empty -o run --tree-share 1.5", "--tree-share is from 0 to 1"),
        ("train empty -o run --rate nan", "--rate is above 0"),
        ("train empty -o run --proven=-1", "--proven is not below 0"),
        ("train empty -o run --network no/nets", "no/nets"),
        ("train empty -o run --svg no/svg", "no/svg"),
        ("tune compare --weights letter", "letter: not a network"),
        ("selfplay --weights letter -o x", "letter: not a network"),
        ("generation --signature 5 letter", "letter: "),
        ("generation --signature 5 --blend 2 folder", "--blend is from 0 to 1"),
        ("generation --signature 5 --tree-nodes 9 --tree-share 2 folder", "--tree-share is from 0 to 1"),
        ("generation --signature 5 --openings empty folder", "empty: there are no openings"),
        ("data merge -o letter empty", "letter: exists"),
        ("tune eval empty -o weights", "there are no games"),
        ("tune export --from letter -o text", "letter is no file of weights"),
        ("tune import --from empty -o weights", "empty: line 0: the text ends without a section"),
    ];
    // On Windows only the system knows which names are programs.
    for (args, expected) in cases.into_iter().filter(|(args, _)| cfg!(unix) || !args.contains("nobody")) {
        let output = tengen(&folder, args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args}: {said}");
        assert!(said.starts_with("tengen: ") && said.contains(expected), "{args}: {said}");
        assert_eq!(said.lines().count(), 1, "{args}: {said}");
    }
    assert_eq!(std::fs::read(folder.join("letter")).expect("a file"), b"Dear reader");
}

/// Clap reports wrong options, without a panic and before any work.
#[test]
fn wrong_options_are_refused() {
    let folder = folder("refused");
    let cases = [
        "analyze h8 --lines 0",
        "analyze h8 --depth 0",
        "bench --threads 0",
        "bench --rule 7",
        "selfplay -o x --nodes 0",
        "selfplay -o x --temperature=-1",
        "selfplay -o x --opening 8,2",
        "selfplay -o x --evaluation a-name-of-many-bytes",
        "selfplay -o x --shard 3/2",
        "selfplay -o x --size 4",
        "data check",
        "tune eval -o x",
    ];
    for args in cases {
        let output = tengen(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{args}");
    }
    assert!(!folder.join("x").exists());
}

/// `tengen ... | head` ends without a message.
#[test]
fn a_reader_who_leaves_is_no_error() {
    for args in ["data stats empty", "bench --depth 1 --rule caro", "analyze h8i9 --nodes 500"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.current_dir(folder("left")).args(args.split(' ')).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success() && output.stderr.is_empty(), "{args}: {output:?}");
    }
}
