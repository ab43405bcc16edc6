//! Parts of a match on several machines: which part a task plays, and one test over the records of all.

use crate::arena::{bad_engine, folder, tengen};
use crate::common::refusal;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tengen_workbench::matches::record::Log;

const TASKS: [&str; 3] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "PARALLEL_SEQ"];

/// The engines are equally strong.
const SPRT: [&str; 2] = ["--sprt", "elo0=-50,elo1=-30"];

/// `tengen match` with arguments, outside of any array.
fn program(args: &[&str]) -> Command {
    let mut command = Command::new(tengen());
    for name in TASKS {
        command.env_remove(name);
    }
    command.arg("match").args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A match of simple engines.
fn play(record: &Path, games: &str, more: &[&str]) -> Command {
    let engine = |name: &str| format!("name={name},cmd={}", bad_engine().display());
    let mut command = program(&["--plain", "--openings", "h8i9; h8h9j10; g7, h8 i10; a1o15", "--each", "st=0.5"]);
    command.args(["-e", &engine("a"), "-e", &engine("b"), "--games", games, "-o"]).arg(record).args(more);
    command
}

fn finish(mut command: Command) -> String {
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn sprt_line(report: &str) -> String {
    let line = report.lines().find(|line| line.contains("SPRT ")).unwrap_or_else(|| panic!("no test in {report}"));
    line.trim().to_owned()
}

fn wait_for(games: usize, record: &Path, child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Log::read(record).map_or(0, |log| log.games.len()) < games {
        assert!(Instant::now() < deadline, "too slow");
        assert!(child.try_wait().expect("a child").is_none(), "ended too early");
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// Four parts, one of them killed and resumed and one doubled, decide as one process does, whenever they are looked at.
#[test]
fn a_test_over_parts_decides_as_one_process() {
    let folder = folder("parts");
    let whole = folder.join("whole.json");
    let alone = sprt_line(&finish(play(&whole, "400", &[&SPRT[..], &["-j1"]].concat())));
    let played = Log::read(&whole).expect("a record").games.len();
    assert!(alone.contains("H1 accepted") && played > 20 && played < 300, "{alone}: {played} games");

    let parts = folder.join("parts of a match");
    let (name, verdict) = (parts.to_str().expect("a path"), folder.join("a verdict"));
    let on_verdict = format!("touch \"{}\" {}", verdict.display(), folder.join("$HOME;more").display());
    let report = ["--plain", "--report", name];
    let watch = [&report[..], &SPRT, &["--watch", "--on-verdict", &on_verdict]].concat();
    let mut watcher = program(&watch).spawn().expect("the program");
    std::fs::create_dir(&parts).expect("a folder");
    // The last part first.
    for part in (1..=4).rev() {
        let record = parts.join(format!("part{part}.jsonl"));
        let slurm = |command: &mut Command| {
            for (name, value) in [("ID", 2 * part + 1), ("MIN", 3), ("MAX", 9), ("COUNT", 4), ("STEP", 2)] {
                command.env(format!("SLURM_ARRAY_TASK_{name}"), value.to_string());
            }
        };
        let args = ["--shard", "auto", "--resume", "-j2"];
        let (mut first, mut again) = (play(&record, "400", &args), play(&record, "400", &args));
        slurm(&mut first);
        slurm(&mut again);
        if part == 2 {
            let mut child = first.spawn().expect("the program");
            wait_for(7, &record, &mut child);
            child.kill().and_then(|()| child.wait()).expect("its end");
            let mut file = OpenOptions::new().append(true).open(&record).expect("a record");
            file.write_all(b"{\"game\":40").expect("space");
        }
        assert!(watcher.try_wait().expect("a child").is_none(), "decided without part {part}");
        if part == 4 {
            // A doubled task, under another name.
            std::fs::create_dir(folder.join("double")).expect("a folder");
            let mut double = play(&folder.join("double/part4.jsonl"), "400", &args);
            slurm(&mut double);
            finish(double);
            std::fs::rename(folder.join("double/part4.jsonl"), parts.join("double.jsonl")).expect("a record");
        }
        finish(again);
        assert_eq!(Log::read(&record).expect("a record").header.part, part);
    }
    let output = watcher.wait_with_output().expect("its end");
    let (told, report) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{told}");
    let line = sprt_line(&report);
    assert!(line.starts_with(&format!("{alone} after {played} games in their order")), "{line}, not {alone}: {told}");
    assert!(told.contains(&format!("ran touch {}", verdict.display())) && told.contains("exit status: 0"), "{told}");
    assert!(verdict.exists() && folder.join("$HOME;more").exists(), "a shell has read the command");
    assert!(report.contains("double.jsonl") && report.contains("    2/4 "), "{report}");

    // All games, in any order of the files.
    let file = |name: &str| parts.join(name).to_str().expect("a path").to_owned();
    let files = ["part3.jsonl", "double.jsonl", "part1.jsonl", "part4.jsonl", "part2.jsonl"].map(file);
    let mut reversed = files.clone();
    reversed.reverse();
    let of = |files: &[String]| {
        let mut command = program(&["--report"]);
        command.args(files).args(SPRT);
        sprt_line(&finish(command))
    };
    assert_eq!(of(&files), of(&reversed));
    assert!(of(&files).starts_with(&format!("{alone} after {played} games in their order; ")), "{}", of(&files));
    assert_eq!(of(&[file("*.jsonl")]), of(&files), "a pattern");
    let mut json = program(&["--report", name, "--json", "-"]);
    let json: Value = serde_json::from_str(&finish({
        json.args(SPRT);
        json
    }))
    .expect("JSON");
    assert_eq!(
        (json["sprt"]["verdict"].as_str(), json["sprt"]["games"].as_u64()),
        (Some("H1 accepted"), Some(played as u64))
    );
    assert_eq!((json["games"].as_u64(), json["parts"].as_array().map(Vec::len)), (Some(400), Some(5)));

    // A missing part stops the count.
    let waiting = of(&files[..3]);
    assert!(
        waiting.contains("undecided after 2 games in their order; ") && waiting.ends_with("wait for game 3"),
        "{waiting}"
    );
    // A failed command is an error, after the report.
    let failing =
        program(&[&watch[..6], &["--on-verdict", "touch /nowhere/at/all"]].concat()).output().expect("an end");
    assert_eq!(failing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failing.stderr).contains("touch /nowhere/at/all ended with exit status: 1"));
    assert_eq!(sprt_line(&String::from_utf8_lossy(&failing.stdout)), of(&files));
    std::fs::remove_dir_all(&folder).expect("its end");
}

/// Without a test the records are followed until all games are there, or until a signal.
#[test]
fn records_are_followed_to_the_last_game() {
    let folder = folder("followed");
    let record = folder.join("match.jsonl");
    let follow = |name: &str| program(&["--plain", "--watch", "--report", name]).spawn().expect("the program");
    let (all, stopped) = (follow(&folder.join("*.jsonl").display().to_string()), follow("nowhere.jsonl"));
    finish(play(&record, "6", &["-j1"]));
    let output = all.wait_with_output().expect("its end");
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).starts_with("6 games, 3 complete pairs")
    );
    let killed = Command::new("kill").arg(stopped.id().to_string()).status().expect("kill");
    assert!(killed.success());
    let output = stopped.wait_with_output().expect("its end");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("there is no record in nowhere.jsonl yet"), "{told}");
    std::fs::remove_dir_all(&folder).expect("its end");
}

#[test]
fn what_cannot_be_told_is_refused_in_one_line() {
    let folder = folder("tasks");
    let refused = |mut command: Command, variables: &[(&str, &str)]| {
        command.envs(variables.iter().copied());
        let output: Output = command.output().expect("the program");
        refusal(&output)
    };
    let part = |shard: &str, variables: &[(&str, &str)]| {
        refused(play(&folder.join("match.jsonl"), "8", &["--shard", shard]), variables)
    };
    assert!(part("auto", &[]).contains("--shard auto: this is no array task: none of SLURM_ARRAY_TASK_ID, "));
    assert!(part("auto", &[("PARALLEL_SEQ", "1")]).contains("say auto/N"));
    assert!(part("auto/2", &[("JOB_COMPLETION_INDEX", "2")]).contains("is 2, not one of 2 tasks"));
    assert!(!folder.join("match.jsonl").exists());
    let record = folder.join("two.jsonl");
    let mut second = play(&record, "8", &["--shard", "auto/2"]);
    finish({
        second.env("JOB_COMPLETION_INDEX", "1");
        second
    });
    let name = record.to_str().expect("a path");
    let report = |args: &[&str]| refused(program(&[&["--report", name], args].concat()), &[]);
    assert!(
        report(&["--sprt", "elo0=0,elo1=5", "--watch", "--on-verdict", "no-such-program 5"]).contains("no program")
    );
    assert!(report(&["--sprt", "elo0=0,elo1=5", "--watch", "--on-verdict", "'open"]).contains("quote"));
    assert!(report(&["--watch=8000"]).contains("no page"));
    assert!(report(&["--sprt", "elo0=5,elo1=0"]).contains("elo0 must be below elo1"));
    let tested = folder.join("tested.jsonl");
    finish(play(&tested, "2", &SPRT));
    let name = tested.to_str().expect("a path");
    let told = refused(program(&["--report", name, "--sprt", "elo0=0,elo1=5"]), &[]);
    assert!(told.contains("a test of its own: -50 to -30 Elo"), "{told}");
    assert!(refused(program(&["--report", name, "no*thing"]), &[]).contains("there are no records in no*thing"));
    let empty = folder.join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let told = refused(program(&["--report", name, empty.to_str().expect("a path")]), &[]);
    assert!(told.contains("there are no records in ") && told.ends_with("empty\n"), "{told}");
    std::fs::remove_dir_all(&folder).expect("its end");
}
