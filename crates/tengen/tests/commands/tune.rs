//! `tengen tune` as a program: the same games give the same fit, weights survive conversion to text, and the search is
//! tuned.

use crate::common::{file, refusal, run, tengen};
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tengen::engine::{Params, Rule};
use tengen_files::lock;

#[test]
fn a_fit_is_repeatable_and_lowers_the_loss() {
    let paths = ["games", "a.bin", "b.bin", "loss.svg", "a.txt", "back.bin"].map(file);
    let [games, a, b, svg, text, back] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    tengen(&["selfplay", "--games", "60", "--nodes", "60", "--rule", "1", "--signature", "1", "-o", games]);
    let told = tengen(&["tune", "eval", games, "-o", a, "--passes", "3", "--svg", svg]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    for kind in ["values", "order"] {
        let head = format!("{kind}: pass ");
        let losses: Vec<f64> = told
            .lines()
            .filter(|l| l.starts_with(&head))
            .map(|l| l.split_whitespace().nth(4).and_then(|n| n.parse().ok()).expect("a loss"))
            .collect();
        assert!(losses.len() == 3 && losses[2] < losses[0], "{told}");
    }
    tengen(&["tune", "eval", games, "-o", b, "--passes", "3"]);
    let read = |path: &str| std::fs::read(path).expect("a file");
    assert!(read(a) == read(b), "two fits differ");
    assert!(String::from_utf8_lossy(&read(svg)).contains("standard: loss of values"));

    tengen(&["tune", "export", "--from", a, "-o", text]);
    tengen(&["tune", "import", "--from", text, "-o", back]);
    assert!(read(a) == read(back), "weights change in the text");
    paths.iter().for_each(|p| drop(std::fs::remove_file(p)));
}

const SEARCH: [&str; 10] =
    ["tune", "search", "--nodes", "60", "--pairs", "6", "--batch", "2", "--only", "lmr_cut,window"];

#[test]
fn tuning_is_repeatable_and_goes_on_where_it_was_stopped() {
    let paths = ["one", "two", "cut", "way.svg"].map(file);
    let [one, two, cut, svg] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    let run = |output: &str, more: &[&str]| tengen(&[&SEARCH[..], &["-o", output], more].concat());
    let read = |path: &str| std::fs::read_to_string(path).expect("a log");
    run(one, &["-j", "1", "--svg", svg]);
    run(two, &["-j", "2"]);
    assert_eq!(read(one), read(two), "threads change the result");
    assert_eq!(read(one).lines().count(), 5, "the settings, the start and three batches");
    let drawn = read(svg);
    for words in ["lmr_cut ", "window ", "perturbation of a pair"] {
        assert!(drawn.contains(words), "{words}");
    }

    // The settings, the start, a batch, and a truncated line.
    let lines: Vec<String> = read(one).lines().map(str::to_owned).collect();
    std::fs::write(cut, format!("{}\n{}\n{}\n{}", lines[0], lines[1], lines[2], &lines[3][..20])).expect("a log");
    run(cut, &["-j", "2"]);
    assert_eq!(read(one), read(cut), "a resumed run differs");
    // Truncated within the settings.
    std::fs::write(cut, &lines[0][..20]).expect("a log");
    run(cut, &[]);
    assert_eq!(read(one), read(cut), "a run that was killed at once differs");
    paths.iter().for_each(|p| drop(std::fs::remove_file(p)));
}

/// A search shared by workers writes the log of a search of one process: with workers that are killed, pairs that were
/// taken and never given back, results of other batches, and a coordinator that is killed and started again.
#[test]
fn a_shared_search_writes_the_log_of_one_process() {
    let paths = ["alone", "shared", "folder", "two-shared", "two-folder"].map(file);
    let [alone, shared, folder, second, other] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    let options = ["tune", "search", "--nodes", "200", "--pairs", "30", "--batch", "6"];
    tengen(&[&options[..], &["-o", alone]].concat());
    let log = std::fs::read(alone).expect("a log");
    assert!(!String::from_utf8_lossy(&log).lines().last().expect("a state").contains("\"squares\":0,"), "nobody won");
    let start = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(options).args(["-j", "1"]).args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program")
    };
    let end = |child: Child| {
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };

    // One process that shares its pairs with nobody.
    assert!(end(start(&["-o", second, "--share", other])).starts_with("after 30 pairs"));
    assert!(std::fs::read(second).expect("a log") == log);
    assert_eq!(std::fs::read_dir(other).expect("a folder").count(), 1, "only the job is left");
    assert_eq!(end(start(&["--join", other])), "played 0 pairs\n", "the search has ended");

    // Three workers, one of them before the search begins; a worker and the coordinator are killed.
    let workers: Vec<Child> = (0..2).map(|_| start(&["--join", folder, "--lease", "1"])).collect();
    let coordinate = ["-o", shared, "--share", folder, "--lease", "1"];
    let (mut first, mut lost) = (start(&coordinate), start(&["--join", folder]));
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::fs::read_to_string(shared).map_or(0, |log| log.lines().count()) < 4 {
        assert!(Instant::now() < deadline, "too slow");
        std::thread::sleep(Duration::from_millis(3));
    }
    for child in [&mut first, &mut lost] {
        child.kill().and_then(|()| child.wait()).expect("its end");
    }
    // Pairs of this batch that nobody plays, and a late result of another one.
    let job = std::fs::read(PathBuf::from(folder).join("job.json")).expect("a job");
    let key = format!("{:08x}", crc32fast::hash(&job));
    for pair in 0..30 {
        let taken = PathBuf::from(folder).join(format!("pair-{key}-{pair}.taken"));
        drop(OpenOptions::new().write(true).create_new(true).open(taken));
        let late = PathBuf::from(folder).join(format!("pair-00000000-{pair}.json"));
        std::fs::write(late, "{\"points\":4,\"ms\":1}\n").expect("space");
    }
    end(start(&coordinate));
    let played = workers.into_iter().map(end).collect::<Vec<_>>();
    assert!(std::fs::read(shared).expect("a log") == log, "{played:?}");
    assert!(played.iter().all(|told| told.starts_with("played ")), "{played:?}");
    // Twice the same is the same.
    end(start(&coordinate));
    assert!(std::fs::read(shared).expect("a log") == log);

    let refused = |more: &[&str]| refused(&[&options[..], more].concat());
    assert!(refused(&["--join", folder, "--seed", "2"]).contains("seed: 1 in the record, 2 now"));
    assert!(refused(&["-o", second, "--share", alone]).contains("alone"));
    for path in [folder, other] {
        std::fs::remove_dir_all(path).expect("its end");
    }
    [alone, shared, second].iter().for_each(|path| std::fs::remove_file(path).expect("its end"));
}

fn refused(args: &[&str]) -> String {
    refusal(&run(args))
}

#[test]
fn a_log_is_continued_only_with_its_settings_and_by_one_process() {
    let path = file("settings");
    let log = path.to_str().expect("a path");
    tengen(&[&SEARCH[..], &["-o", log]].concat());
    let before = std::fs::read_to_string(log).expect("a log");
    for (more, named) in [
        (&["--nodes", "70"][..], "nodes: 60 in the record, 70 now"),
        (&["--rule", "1"], "rule: \"freestyle\" in the record, \"standard\" now"),
        (&["--size", "10"], "size: \"15x15\" in the record, \"10x10\" now"),
        (&["--pairs", "8"], "pairs: 6 in the record, 8 now"),
        (&["--gain", "0.5"], "gain: 0.02 in the record, 0.5 now"),
        (&["--seed", "2"], "seed: 1 in the record, 2 now"),
        (&["--openings", "random"], "in the record, \"random\" now"),
        (&["--only", "lmr_cut"], "tuned: "),
        (&["--weights", "classical"], "now"),
    ] {
        let kept = SEARCH.chunks(2).filter(|option| option[0] != more[0]).collect::<Vec<_>>().concat();
        let told = refused(&[&kept[..], more, &["-o", log]].concat());
        assert!(told.contains("begun with other settings: ") && told.contains(named), "{told}");
    }
    assert!(refused(&["tune", "compare", "--rule", "1", log]).contains("is a log of freestyle"));
    let held = lock::open(&path, OpenOptions::new().append(true)).expect("a free log");
    assert!(refused(&[&SEARCH[..], &["-o", log]].concat()).contains("another process"));
    drop(held);
    assert_eq!(std::fs::read_to_string(log).expect("a log"), before);

    // Logs of earlier versions lack the settings: they can be compared, not continued.
    let states = before.split_inclusive('\n').skip(1).collect::<String>();
    std::fs::write(log, &states).expect("a log");
    assert!(refused(&[&SEARCH[..], &["-o", log]].concat()).contains("stored no settings"));
    assert_eq!(std::fs::read_to_string(log).expect("a log"), states);
    tengen(&["tune", "compare", "--nodes", "60", "--pairs", "1", log]);
    std::fs::write(log, "my notes").expect("a file");
    assert!(refused(&[&SEARCH[..], &["-o", log]].concat()).contains("line 1"));
    assert_eq!(std::fs::read_to_string(log).expect("a file"), "my notes");
    let _ = std::fs::remove_file(path);
}

/// The output of `tune compare` for a comparison.
fn compared(args: &[&str]) -> String {
    let told = tengen(&[&["tune", "compare"][..], args].concat());
    String::from_utf8_lossy(&told.stdout).into_owned()
}

#[test]
fn a_setting_is_as_strong_as_itself() {
    let (value, parameter) = (Params::of(Rule::Freestyle).values()[0], Params::ALL[0]);
    let same = format!("{}={value}", parameter.name);
    let classical = ["--weights", "classical", "--base-weights", "classical"];
    for more in [&[][..], &["--openings", "random"], &classical] {
        let told = compared(&[&["--nodes", "100", "--pairs", "8", &same], more].concat());
        assert!(
            told.contains("(no interval: all pairs alike); 16 games: ") && told.contains(" 0 0 8 0 0; 0 of 8 decisive"),
            "{told}"
        );
        assert!(told.contains("time used: ") && told.contains(" ms a move"), "{told}");
    }
}

/// Either side may be without the network: swapping the sides negates the comparison.
#[test]
fn sides_can_be_exchanged() {
    let pairs = |told: String| -> Vec<u32> {
        let line = told.lines().find(|line| line.starts_with("pairs with")).expect("the pairs").to_owned();
        let counts = line.split([':', ';']).nth(1).expect("counts");
        counts.split_whitespace().map(|n| n.parse().expect("a number")).collect()
    };
    let run = |side: &str| pairs(compared(&["--nodes", "300", "--pairs", "12", side, "classical"]));
    let (tried, mut base) = (run("--weights"), run("--base-weights"));
    base.reverse();
    assert_eq!(tried, base);
    assert!(tried[2] < 12, "the network makes a difference: {tried:?}");
}

#[test]
fn a_sequential_test_ends_the_games_whatever_the_threads() {
    let told_by = |threads| {
        let test = ["--nodes", "800", "--base-nodes", "20", "--pairs", "400", "--sprt", "elo0=0,elo1=200"];
        let told = compared(&[&test[..], &["-j", threads]].concat());
        // Times vary between runs.
        told.lines()
            .filter(|line| !line.starts_with("time used"))
            .map(|line| line.to_owned() + "\n")
            .collect::<String>()
    };
    let told = told_by("1");
    assert!(told.contains("H1 accepted: more than 0 Elo stronger"), "{told}");
    assert!(!told.contains("800 games"), "{told}");
    assert_eq!(told_by("2"), told);
    for bad in ["elo0=5,elo1=0", "elo0=x", "nonsense=1"] {
        let output = run(&["tune", "compare", "--base-nodes", "9", "--sprt", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
}

#[test]
fn openings_of_a_file_are_compared_with() {
    let path = file("openings");
    let name = path.to_str().expect("a path");
    std::fs::write(&path, "# two openings\n0,0, 1,1\ne4f5\n").expect("openings");
    let told = compared(&["--size", "9", "--nodes", "50", "--base-nodes", "40", "--pairs", "2", "--openings", name]);
    assert!(told.contains("4 games"), "{told}");
    std::fs::write(&path, "0,0, 1,1\n0,0 9,9\n").expect("openings");
    assert!(
        refused(&["tune", "compare", "--size", "9", "--base-nodes", "40", "--openings", name]).contains("line 2: ")
    );
    assert!(refused(&["tune", "openings", "-o", name]).contains("exists"), "a file was overwritten");
    let _ = std::fs::remove_file(path);
}

#[test]
fn what_cannot_be_written_is_refused_at_the_start() {
    let path = file("unwritten");
    let log = path.to_str().expect("a path");
    let nowhere = "/no/such/folder/way.svg";
    let told = refused(&[&SEARCH[..], &["-o", log, "--svg", nowhere]].concat());
    assert!(told.contains(nowhere), "{told}");
    assert!(!path.exists(), "a run was begun");
    assert!(refused(&[&SEARCH[..], &["-o", nowhere]].concat()).contains(nowhere));
}

#[test]
fn what_is_no_parameter_is_refused_in_one_line() {
    for change in ["nonsense=1", "lmr_cut=many", "lmr_cut=100000", "no-such-file"] {
        refused(&["tune", "compare", change]);
    }
}
