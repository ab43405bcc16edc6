//! Generations of the network: the files do not depend on threads and interruptions, the manifest lists each stage, and
//! settings cannot be mixed.

use crate::common::trees_in;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tengen::board::BoardSize;
use tengen::engine::loader;
use tengen::engine::{Rule, StopToken};
use tengen_files::{Fingerprint, Lines};
use tengen_workbench::data::selfplay;
use tengen_workbench::generation::manifest::{End, Entry, Record, entries};
use tengen_workbench::generation::settings::{Comparison, Gate, Learning, Settings, Trees};
use tengen_workbench::generation::{Generation, Update};
use tengen_workbench::matches::settings::SprtSpec;
use tengen_workbench::tune::Weights;
use tengen_workbench::tune::duel::Budget;
use tengen_workbench::tune::openings::Openings;

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("generation-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

/// A generation that takes a second or two.
fn tiny() -> Settings {
    Settings {
        selfplay: selfplay::Settings { nodes: Some(30), ..selfplay::Settings::default() },
        sizes: [9, 11].map(|side| BoardSize::new(side, side).expect("a size")).to_vec(),
        games: 24,
        window: 2,
        learning: Learning { steps: 4, batch: 16, interval: 2, ..Learning::default() },
        gate: None,
        comparison: Comparison {
            pairs: 3,
            budget: Budget::Nodes(40),
            openings: Openings::Random,
            sprt: SprtSpec { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, normalized: false },
        },
        seed: 7,
    }
}

/// The same with search trees.
fn tiny_with_trees() -> Settings {
    let trees = Trees { nodes: 100, every: 3, depth: 2, one_in: 2, share: 0.5 };
    Settings { learning: Learning { trees: Some(trees), ..tiny().learning }, ..tiny() }
}

/// Runs a generation until it ends or the listener returns `false`; errors become text.
fn run(
    folder: &Path,
    settings: &Settings,
    threads: usize,
    tell: &mut (dyn FnMut(Update) -> bool + Send),
) -> Result<Option<End>, String> {
    let task = Generation { folder, settings, signature: 5, version: "a version", command: "a command", threads };
    task.run(&StopToken::new(), tell).map_err(|error| error.to_string())
}

fn whole(folder: &Path, settings: &Settings) -> End {
    run(folder, settings, 1, &mut |_| true).expect("a generation").expect("its end")
}

fn refused(folder: &Path, settings: &Settings) -> String {
    let said = run(folder, settings, 1, &mut |_| true).expect_err("a refusal");
    assert!(!said.contains('\n'), "{said}");
    said
}

fn records(folder: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(folder.join("manifest.jsonl")).expect("a manifest");
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

fn manifest(folder: &Path) -> Vec<Entry> {
    entries(records(folder)).expect("records in order")
}

/// The manifest without the times of the stages.
fn timeless(folder: &Path) -> Vec<Record> {
    let mut all = records(folder);
    for record in &mut all {
        match record {
            Record::Games(games) => games.seconds = 0.0,
            Record::Trees(trees) => trees.seconds = 0.0,
            Record::Training(training) => training.seconds = 0.0,
            Record::Match(played) => played.seconds = 0.0,
            Record::Begin(_) | Record::Gate(_) | Record::End(_) => {}
        }
    }
    all
}

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn two_generations_are_the_same_whatever_the_threads_and_interruptions() {
    let (settings, smooth, bumpy) = (tiny_with_trees(), folder("smooth"), folder("bumpy"));
    let ends = [(); 2].map(|()| whole(&smooth, &settings));

    let mut interruptions = 0;
    for expected in &ends {
        let end = (0..100).find_map(|_| {
            let mut update = 0;
            let end = run(&bumpy, &settings, 2, &mut |_| {
                update += 1;
                update < 5
            });
            interruptions += 1;
            end.expect("a generation that goes on")
        });
        assert_eq!(end.as_ref(), Some(expected));
    }
    assert!(interruptions > 10, "{interruptions}");
    for number in ["001", "002"] {
        for (kind, ending) in
            [("games", "bin"), ("trees", "tree"), ("run", "ckpt"), ("network", "tnn"), ("pairs", "jsonl")]
        {
            let name = format!("{kind}-{number}.{ending}");
            assert!(bytes(&smooth, &name) == bytes(&bumpy, &name), "{name} differs");
        }
        assert!(bytes(&smooth, &format!("losses-{number}.svg")).starts_with(b"<svg"));
    }
    assert_eq!(timeless(&smooth), timeless(&bumpy));
    for folder in [smooth, bumpy] {
        std::fs::remove_dir_all(folder).expect("its end");
    }
}

#[test]
fn the_manifest_says_what_was_done() {
    let (settings, folder) = (Settings { window: 1, ..tiny() }, folder("manifest"));
    let ends = [whole(&folder, &settings), whole(&folder, &Settings { window: 2, ..settings.clone() })];
    let entries = manifest(&folder);
    assert_eq!(entries.len(), 2);
    let classical = Weights::name(Weights::built_in());
    assert_eq!(entries[0].begin.selfplay.evaluation, classical);
    assert_eq!(entries[1].begin.selfplay.evaluation, ends[0].evaluation);
    for (entry, end, seed) in [(&entries[0], &ends[0], 7), (&entries[1], &ends[1], 8)] {
        let begin = &entry.begin;
        let number = begin.generation;
        assert_eq!((begin.selfplay.seed, begin.selfplay.signature, begin.games), (seed, 5, 24));
        assert_eq!((begin.command.as_str(), begin.version.as_str()), ("a command", "a version"));
        assert_eq!((begin.comparison.size.as_str(), begin.comparison.nodes), ("9x9", Some(40)));
        let of = |name: &str| Fingerprint::of(&folder.join(name)).expect("a file");

        let games = entry.games.as_ref().expect("games");
        assert_eq!(games.file, of(&format!("games-{number:03}.bin")));
        assert!(games.games == 24 && games.positions > 200, "{games:?}");

        let training = entry.training.as_ref().expect("a network");
        assert_eq!(training.file, of(&format!("network-{number:03}.tnn")));
        let crc = crc32fast::hash(&bytes(&folder, &training.file.name));
        assert_eq!(training.name, format!("network-{crc:08x}"));
        let window: Vec<_> = (1..=number).map(|n| of(&format!("games-{n:03}.bin"))).collect();
        assert_eq!((&training.window, training.games), (&window, 24 * u64::from(number)));
        assert!(training.positions > 100 && training.positions > 10 * training.held_out, "{training:?}");
        assert!(training.loss.iter().all(|loss| loss.is_some_and(|loss| loss > 0.0)), "{training:?}");
        assert_eq!(training.network.result.is_some(), training.held_out > 0);
        assert_eq!(training.classical.order.is_some(), training.held_out > 0);

        let played = entry.comparison.as_ref().expect("a match");
        assert_eq!((&played.network, &played.against), (&training.name, &begin.selfplay.evaluation));
        assert_eq!((played.pairs.iter().sum::<u64>(), played.games.iter().sum::<u64>()), (3, 6));
        assert_eq!((played.accepted, played.verdict.as_str()), (false, "undecided"), "three pairs decide nothing");
        assert_eq!((end.accepted, end.evaluation.as_str()), (false, classical.as_str()));
    }
    // The two seeds hold out at least one game, so that some of the losses above are known.
    assert!(entries[1].training.as_ref().is_some_and(|training| training.held_out > 0));
    assert!(!folder.join("best.tnn").exists());
    std::fs::remove_dir_all(folder).expect("its end");
}

/// Training on nodes of search trees in addition to games; the manifest counts the nodes.
#[test]
fn search_trees_are_learned_from_as_well() {
    let [plain, with_trees] = [("plain", tiny()), ("trees", tiny_with_trees())].map(|(name, settings)| {
        let folder = folder(name);
        whole(&folder, &settings);
        folder
    });
    let [without, entry] = [&plain, &with_trees].map(|folder| manifest(folder).remove(0));
    assert!(without.trees.is_none() && !plain.join("trees-001.tree").exists());
    assert_eq!(without.games.expect("games").file, entry.games.expect("games").file);
    let trees = entry.trees.expect("trees");
    assert_eq!(trees.file, Fingerprint::of(&with_trees.join("trees-001.tree")).expect("a file"));
    let file = bytes(&with_trees, "trees-001.tree");
    let read = trees_in(&file);
    assert_eq!((read.len(), read.iter().map(|tree| tree.nodes.len() as u64).sum()), (24, trees.nodes));
    let [few, many] = [without.training, entry.training].map(|training| training.expect("a network").positions as u64);
    // Decided nodes and nodes of held-out games are excluded.
    assert!(few + trees.nodes / 2 < many && many <= few + trees.nodes, "{few}, {many}, {} nodes", trees.nodes);

    // A truncated file of trees is detected.
    let manifest = with_trees.join("manifest.jsonl");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let kept: Vec<&str> = text.lines().take(3).collect();
    std::fs::write(&manifest, kept.join("\n") + "\n").expect("space");
    std::fs::write(with_trees.join("trees-001.tree"), &file[..file.len() - 1]).expect("space");
    let said = refused(&with_trees, &tiny_with_trees());
    assert!(said.ends_with("trees-001.tree is not the file that the manifest names"), "{said}");

    // So is a file with trees of other games, before the stage is complete.
    let kept = text.lines().take(2).collect::<Vec<_>>().join("\n") + "\n";
    std::fs::write(&manifest, &kept).expect("space");
    std::fs::write(with_trees.join("trees-001.tree"), [read[1].encode(), read[0].encode()].concat()).expect("space");
    let said = refused(&with_trees, &tiny_with_trees());
    assert!(said.ends_with("trees-001.tree: other settings: its trees are of other games"), "{said}");
    // Existing trees of the right games are not made again.
    std::fs::write(with_trees.join("trees-001.tree"), read[0].encode()).expect("space");
    let mut made = Vec::new();
    let ended = run(&with_trees, &tiny_with_trees(), 1, &mut |update| {
        made.extend(if let Update::Tree(done, _) = update { Some(done) } else { None });
        true
    });
    assert!(ended.is_ok_and(|end| end.is_some()));
    assert_eq!(made, (2..=24).collect::<Vec<_>>());
    assert!(bytes(&with_trees, "trees-001.tree") == file);
    for folder in [plain, with_trees] {
        std::fs::remove_dir_all(folder).expect("its end");
    }
}

/// Without a step, the result equals the start: the network in force, or random weights.
#[test]
fn training_may_begin_with_the_network_in_force() {
    let folder = folder("warm");
    whole(&folder, &tiny());
    std::fs::copy(folder.join("network-001.tnn"), folder.join("best.tnn")).expect("space");
    let head = |name: &str| {
        let network = loader::read(&folder.join(name)).expect("a network").network.expect("a network");
        network.set(Rule::Freestyle).expect("the rule's numbers").heads[0].first.clone()
    };
    let learning = Learning { steps: 0, ..tiny().learning };
    whole(&folder, &Settings { learning: Learning { warm_start: true, ..learning.clone() }, ..tiny() });
    whole(&folder, &Settings { learning, ..tiny() });
    assert_eq!(head("network-002.tnn"), head("best.tnn"));
    assert_ne!(head("network-003.tnn"), head("best.tnn"));
    std::fs::remove_dir_all(folder).expect("its end");
}

/// Stops after the training; the given pairs replace the match.
fn trained(folder: &Path, settings: &Settings, halves: [u8; 2]) {
    let end = run(folder, settings, 2, &mut |update| !matches!(update, Update::Pair(..)));
    assert_eq!(end, Ok(None));
    let name = manifest(folder).len();
    let path = folder.join(format!("pairs-{name:03}.jsonl"));
    std::fs::remove_file(&path).expect("a match that was begun");
    let (mut lines, _) = Lines::open::<serde_json::Value>(&path, b"{").expect("a new file");
    for pair in 0..settings.comparison.pairs {
        lines.append(&serde_json::json!({ "pair": pair, "halves": halves })).expect("space");
    }
}

#[test]
fn a_stronger_network_is_adopted_and_plays_the_next_games() {
    let (mut settings, folder) = (tiny(), folder("adopted"));
    settings.comparison.pairs = 60;
    trained(&folder, &settings, [2, 2]);
    let first = whole(&folder, &settings);
    let network = manifest(&folder)[0].training.clone().expect("a network");
    assert_eq!((first.accepted, &first.evaluation), (true, &network.name));
    assert_eq!(bytes(&folder, "best.tnn"), bytes(&folder, "network-001.tnn"));

    // Simulates a kill between the match and the end.
    let text = std::fs::read_to_string(folder.join("manifest.jsonl")).expect("a manifest");
    let cut = text.trim_end().rfind('\n').expect("several lines") + 1;
    std::fs::write(folder.join("manifest.jsonl"), &text[..cut + 10]).expect("space");
    for is_there in [true, false] {
        if !is_there {
            std::fs::write(folder.join("manifest.jsonl"), &text[..cut]).expect("space");
            std::fs::remove_file(folder.join("best.tnn")).expect("a network");
        }
        assert_eq!(whole(&folder, &settings), first);
        assert_eq!(std::fs::read_to_string(folder.join("manifest.jsonl")).expect("a manifest"), text);
        assert_eq!(bytes(&folder, "best.tnn"), bytes(&folder, "network-001.tnn"));
    }

    trained(&folder, &settings, [0, 0]);
    let second = whole(&folder, &settings);
    assert_eq!((second.accepted, &second.evaluation), (false, &first.evaluation), "the weaker one is not adopted");
    let begin = &manifest(&folder)[1].begin;
    assert_eq!(begin.selfplay.evaluation, first.evaluation);
    assert_eq!(bytes(&folder, "best.tnn"), bytes(&folder, "network-001.tnn"));
    let by_network = bytes(&folder, "games-002.bin");
    assert!(by_network.windows(16).any(|window| window == first.evaluation.as_bytes()), "the games name their player");
    std::fs::remove_dir_all(folder).expect("its end");
}

/// A network that predicts too little better plays no match; too few positions judge nothing.
#[test]
fn a_closed_gate_ends_the_generation_without_a_match() {
    let (settings, folder) = (Settings { gate: Some(Gate::default()), ..tiny() }, folder("gate"));
    let end = run(&folder, &settings, 2, &mut |update| !matches!(update, Update::Pair(..)));
    assert_eq!(end, Ok(None));
    let unjudged = manifest(&folder)[0].gate.clone().expect("a gate");
    assert_eq!((unjudged.passed, unjudged.result, unjudged.best_move), (true, None, None));

    let path = folder.join("manifest.jsonl");
    let text = std::fs::read_to_string(&path).expect("a manifest");
    let closed = text.replace(
        "\"result\":null,\"best_move\":null,\"passed\":true",
        "\"result\":0.001,\"best_move\":0.03,\"passed\":false",
    );
    assert_ne!(closed, text);
    std::fs::write(&path, closed).expect("space");
    let _ = std::fs::remove_file(folder.join("pairs-001.jsonl"));
    let end = whole(&folder, &settings);
    assert!(!end.accepted && end.evaluation == manifest(&folder)[0].begin.selfplay.evaluation);
    assert_eq!(manifest(&folder)[0].comparison, None);
    assert!(!folder.join("pairs-001.jsonl").exists() && !folder.join("best.tnn").exists());
    std::fs::remove_dir_all(folder).expect("its end");
}

#[test]
fn what_must_not_be_mixed_is_refused_by_name() {
    let (settings, folder) = (tiny(), folder("refused"));
    let changed = |change: &dyn Fn(&mut Settings)| {
        let mut settings = settings.clone();
        change(&mut settings);
        settings
    };
    // Settings must not change within a generation.
    let mut games = 0;
    let stopped = run(&folder, &settings, 1, &mut |_| {
        games += 1;
        games < 5
    });
    assert_eq!(stopped, Ok(None));
    let said = refused(&folder, &changed(&|s| s.selfplay.nodes = Some(31)));
    assert!(said.ends_with("generation 1 is not complete; selfplay.nodes: 30 in the record, 31 now"), "{said}");
    let said = refused(&folder, &changed(&|s| s.learning.steps = 5));
    assert!(said.ends_with("generation 1 is not complete; learning.steps: 4 in the record, 5 now"), "{said}");
    let said = refused(&folder, &changed(&|s| s.comparison.budget = Budget::Nodes(41)));
    assert!(said.ends_with("comparison.nodes: 40 in the record, 41 now"), "{said}");
    whole(&folder, &settings);

    // The rule must not change from one generation to the next.
    let said = refused(&folder, &changed(&|s| s.selfplay.rule = Rule::Renju));
    assert!(said.ends_with("rule: \"freestyle\" in the record, \"renju\" now"), "{said}");

    let games = folder.join("games-001.bin");
    let mut damaged = bytes(&folder, "games-001.bin");
    damaged.truncate(1000);
    let kept = std::fs::read(&games).expect("a file");
    std::fs::write(&games, damaged).expect("space");
    let said = refused(&folder, &settings);
    assert!(said.ends_with("games-001.bin is not the file that the manifest names"), "{said}");
    std::fs::write(&games, kept).expect("space");

    let manifest = folder.join("manifest.jsonl");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, "").expect("space");
    let said = refused(&folder, &settings);
    assert!(said.ends_with("games-001.bin is there, but the manifest does not know its generation"), "{said}");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.remove(1);
    std::fs::write(&manifest, lines.join("\n") + "\n").expect("space");
    let said = refused(&folder, &settings);
    assert!(said.contains("manifest.jsonl: line 2 is of another version"), "{said}");
    std::fs::remove_dir_all(folder).expect("its end");
}

fn program(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let small = ["--games", "3", "--nodes", "20", "--size", "7", "--steps", "2", "--batch", "8", "--interval", "1"];
    let rest = ["--pairs", "1", "--match-nodes", "20", "--signature", "5", "-j", "2"];
    command.arg("generation").args(small).args(rest).args(args).arg(folder).output().expect("the program")
}

#[test]
fn the_command_makes_the_next_generation_each_time() {
    let folder = folder("command");
    let with_trees = ["--warm-start", "--tree-nodes", "50", "--tree-depth", "1", "--tree-every", "2"];
    for (number, args) in [(1, &[][..]), (2, &with_trees)] {
        let output = program(&folder, args);
        let (said, faults) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && faults.is_empty(), "{said}{faults}");
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].starts_with(&format!("generation {number} begins with classic-")), "{said}");
        let wanted = [
            &*format!("games-00{number}.bin: 3 games, "),
            if args.is_empty() { "" } else { "trees-002.tree: " },
            " training and ",
            "step      2: training ",
            &*format!("network-00{number}.tnn: network-"),
            "undecided",
            &*format!("generation {number}: not adopted; classic-"),
        ];
        let mut rest = lines.iter();
        for text in wanted.into_iter().filter(|text| !text.is_empty()) {
            assert!(rest.any(|line| line.contains(text)), "no {text} in\n{said}");
        }
    }
    let begin = &manifest(&folder)[1].begin;
    assert!(begin.command.contains("generation --games 3"), "{}", begin.command);
    let output = program(&folder, &["--rule", "renju"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.contains("rule: \"freestyle\" in the record, \"renju\" now"), "{said}");
    for wrong in [
        &["--match-time", "0"][..],
        &["--window", "0"],
        &["--match-time", "1"],
        &["--sprt", "elo0=5,elo1=0"],
        &["--tree-every", "3"],
    ] {
        assert_eq!(program(&folder, wrong).status.code(), Some(2), "{wrong:?}");
    }
    std::fs::remove_dir_all(folder).expect("its end");
}

/// Runs `tengen` in a folder, which must succeed.
fn succeed(folder: &Path, args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_tengen")).args(args).current_dir(folder).output();
    let output = output.expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A network after little training plays other games than the classical evaluation.
#[test]
fn selfplay_takes_a_network() {
    let folder = folder("selfplay");
    whole(&folder, &Settings { games: 3, ..tiny() });
    let games = |args: &[&str], name: &str| {
        let always = ["selfplay", "-n", "40", "-g", "3", "-s", "9", "--signature", "5", "-o", name];
        succeed(&folder, &[&always, args].concat());
        tengen_workbench::data::file::Reader::new(&bytes(&folder, name)[..])
            .map(|g| g.expect("a game"))
            .collect::<Vec<_>>()
    };
    let (plain, learned) = (games(&[], "plain.bin"), games(&["--weights", "network-001.tnn"], "learned.bin"));
    assert_eq!(learned, games(&["--weights", "network-001.tnn", "-j", "1"], "again.bin"));
    let name = manifest(&folder)[0].training.clone().expect("a network").name;
    assert!(learned.iter().all(|game| game.maker.evaluation == name));
    assert!(plain.iter().zip(&learned).any(|(a, b)| a.game != b.game), "the network makes no difference");

    // A generation may start from this network.
    let other = folder.join("other");
    std::fs::create_dir(&other).expect("a folder");
    std::fs::copy(folder.join("network-001.tnn"), other.join("best.tnn")).expect("space");
    assert_eq!(run(&other, &tiny(), 1, &mut |_| false), Ok(None));
    assert_eq!(manifest(&other)[0].begin.selfplay.evaluation, name);
    std::fs::write(other.join("best.tnn"), "Dear reader").expect("space");
    let said = refused(&other, &tiny());
    assert!(said.ends_with("best.tnn: not a network, nor a file of weights"), "{said}");
    std::fs::remove_dir_all(folder).expect("its end");
}

/// A result for several rules replaces the file's weights of these rules, and nothing else.
#[test]
fn a_trained_network_may_be_for_several_rules() {
    let folder = folder("rules");
    whole(&folder, &Settings { games: 3, ..tiny() });
    let train = |also: &str, seed: &str| {
        let state = format!("{seed}.ckpt");
        let always =
            ["train", "--steps", "2", "--batch", "8", "--interval", "1", "--network", "own.tnn", "games-001.bin"];
        let units = ["--units", "77"];
        succeed(&folder, &[&always[..], &units, &["--seed", seed, "-o", &state, "--also", also]].concat());
        let network = loader::read(&folder.join("own.tnn")).expect("a network").network.expect("a network");
        Rule::ALL.map(|rule| network.set(rule).map(|set| (set.scale, set.heads[0].first.clone())))
    };
    let [freestyle, standard, renju, caro, caro_exact] = train("caro,9", "1");
    assert!(freestyle.is_some() && freestyle == caro && freestyle == caro_exact);
    assert_eq!((&standard, &renju), (&None, &None));
    assert_eq!(freestyle.as_ref().map(|(scale, _)| *scale), Some(77));
    let later = train("standard", "2");
    assert_ne!(later[0], freestyle);
    assert_eq!(later, [later[0].clone(), later[0].clone(), None, caro, caro_exact]);
    std::fs::remove_dir_all(folder).expect("its end");
}
