//! Subcommands of `tengen tune` that play games between settings of the search.

use crate::choices::{ensure_writable, parse_rule, processors, progress_bar};
use crate::engine_args::whole;
use crate::match_args::parse_sprt;
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, anyhow, ensure};
use indicatif::ProgressBar;
use std::fs::OpenOptions;
use std::io::{Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tengen::board::{Point, format_opening};
use tengen::engine::loader::read_or_default;
use tengen::engine::{BoardSize, Params, Rule};
use tengen_analysis::chart::draw;
use tengen_workbench::matches::settings::SprtSpec;
use tengen_workbench::nearest::instead;
use tengen_workbench::stats::{Verdict, estimate_text};
use tengen_workbench::tune::duel::{Budget, Score, Side, Terms, compare};
use tengen_workbench::tune::log::{Log, Settings, Writer};
use tengen_workbench::tune::openings::{Judgement, Openings, find};
use tengen_workbench::tune::plot::of_way;
use tengen_workbench::tune::share::Share;
use tengen_workbench::tune::spsa::{Plan, State};

pub const SEARCH_EXAMPLES: &str = "\
Examples:
  tengen tune search -r 1 --pairs 4000 -o standard.jsonl --svg standard.svg
  tengen tune search -r 1 --pairs 4000 -o standard.jsonl   (the same command resumes an interrupted run)
  tengen tune search --only lmr_scale,lmr_cut -o lmr.jsonl

On several machines with a common folder, one process shares the search and writes the log, and any number of others
join it; all play. The log is the same, byte for byte, as that of one process. A batch (--batch) is best several times as
large as the number of concurrent games of all. Any process may be killed: a worker's pair is played by another after
the lease, and the search goes on when the process that shares it is started again.
  tengen tune search -r 1 --pairs 4000 --batch 64 -o standard.jsonl --share work
  tengen tune search -r 1 --pairs 4000 --batch 64 --join work   (on each other machine)";

pub const COMPARE_EXAMPLES: &str = "\
A pair is two games from the same opening with colours swapped. A pair that does not end 1-1 is decisive; the more
pairs are decisive, the fewer games a result needs. Sharp openings, from which either colour can win, give more decisive
pairs. Freestyle on 15x15 has built-in ones; other rules and boards use random openings unless --openings names a file
(`tengen tune openings` makes one).

--sprt is the sequential probability ratio test: it compares the hypotheses that the change is worth elo0 or elo1, and
stops when the games decide between them. alpha and beta are its error probabilities (default 0.05). Elo differences are
logistic, or with model=normalized in normalized Elo: the distance of the score from one half in standard deviations,
on a scale like Elo's.

Examples:
  tengen tune compare --pairs 200 lmr_cut=120 futility_slope=25
  tengen tune compare -r 1 --nodes 32000 --sprt elo0=0,elo1=10 standard.jsonl
  tengen tune compare --nodes 16000 --base-nodes 8000 --pairs 100";

/// The conditions of games between settings.
#[derive(clap::Args)]
struct GameConditions {
    /// Rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, default_value = "0", value_parser = parse_rule)]
    rule: Rule,
    /// Board size: 15, or 20x15
    #[arg(short, long, default_value = "15")]
    size: BoardSize,
    /// Nodes per move
    #[arg(short, long, default_value_t = 8000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Number of game pairs; with --sprt, the maximum
    #[arg(short, long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Openings: a file with one opening per line, or `random` for balanced random stones [default: the built-in sharp
    /// openings of this rule and board size, or random ones if there are none]
    #[arg(long, value_name = "FILE|random")]
    openings: Option<String>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Concurrent games [default: one per processor]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
}

impl GameConditions {
    fn terms(&self) -> Result<Terms> {
        let openings = openings(self.openings.as_deref(), self.rule, self.size)?;
        Ok(Terms { rule: self.rule, size: self.size, openings, seed: self.seed })
    }
}

/// The openings of a file, random ones if the name is `random`, or the built-in ones without a name.
pub fn openings(name: Option<&str>, rule: Rule, size: BoardSize) -> Result<Openings> {
    match name {
        None => Ok(Openings::built_in(rule, size)),
        Some("random") => Ok(Openings::Random),
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
            Openings::parse(&text, rule, size).with_context(|| path.to_owned())
        }
    }
}

fn threads(threads: Option<NonZeroUsize>) -> usize {
    threads.map_or_else(processors, NonZeroUsize::get)
}

/// Options of `tengen tune search`.
#[derive(clap::Args)]
pub struct SearchArgs {
    #[command(flatten)]
    conditions: GameConditions,
    /// Pairs per SPSA iteration
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// SPSA gain (step size) at the end of the run
    #[arg(long, default_value_t = 0.02)]
    gain: f64,
    /// Tune only these parameters
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Evaluation of both sides: a network, weights, or `classical` [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Log of the run. If it exists, the run resumes from its last line; the settings must be the same
    #[arg(short, long, value_name = "FILE", required_unless_present = "join")]
    output: Option<PathBuf>,
    /// Share the pairs with workers on other machines, through files in this folder (see below)
    #[arg(long, value_name = "FOLDER")]
    share: Option<PathBuf>,
    /// Be a worker of the search that shares this folder, until it ends; all other options as there
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["output", "share", "svg"])]
    join: Option<PathBuf>,
    /// Time after which a pair that a worker has taken without giving back a result is played by another; longer than a
    /// pair takes
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    lease: u64,
    /// Draw the parameters over the run as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Options of `tengen tune compare`.
#[derive(clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    conditions: GameConditions,
    /// Nodes per move of the unchanged side [default: as --nodes]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    base_nodes: Option<u64>,
    /// Stop by SPRT: elo0=0,elo1=5[,alpha=A,beta=B,model=normalized]
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_sprt)]
    sprt: Option<SprtSpec>,
    /// Evaluation of the changed side: a network, weights, or `classical` [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Evaluation of the unchanged side: a network, weights, or `classical` [default: the built-in network]
    #[arg(long, value_name = "FILE")]
    base_weights: Option<PathBuf>,
    /// Changed parameters, or a log of `tengen tune search`, whose last values are used
    #[arg(required_unless_present_any = ["weights", "base_weights", "base_nodes"], value_name = "NAME=VALUE|FILE")]
    changes: Vec<String>,
}

/// Options of `tengen tune openings`.
#[derive(clap::Args)]
pub struct OpeningsArgs {
    /// Rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, default_value = "0", value_parser = parse_rule)]
    rule: Rule,
    /// Board size: 15, or 20x15
    #[arg(short, long, default_value = "15")]
    size: BoardSize,
    /// Number of openings to find
    #[arg(short, long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Seed of the candidates
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: one per processor]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// New file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Index of a parameter by its name.
fn parameter(name: &str) -> Result<usize> {
    Params::ALL.iter().position(|p| p.name == name).ok_or_else(|| {
        let names: Vec<_> = Params::ALL.iter().map(|p| p.name).collect();
        anyhow!("no parameter {name}{}", instead(name, &names))
    })
}

/// The search that the options describe.
fn plan(args: &SearchArgs) -> Result<Plan> {
    let conditions = &args.conditions;
    ensure!(args.gain.is_finite() && args.gain > 0.0, "--gain is above 0");
    let tuned = match args.only.is_empty() {
        true => (0..Params::ALL.len()).collect(),
        false => args.only.iter().map(|name| parameter(name)).collect::<Result<_>>()?,
    };
    Ok(Plan {
        terms: conditions.terms()?,
        evaluation: read_or_default(args.weights.as_deref())?,
        nodes: conditions.nodes,
        tuned,
        pairs: conditions.pairs,
        batch: args.batch,
        gain: args.gain,
    })
}

/// Runs `tengen tune search`.
pub fn search(args: &SearchArgs) -> Result<()> {
    args.svg.iter().try_for_each(|path| ensure_writable(path))?;
    let plan = plan(args)?;
    let threads = threads(args.conditions.threads);
    let shared = |folder: &Path, stop| Share::open(folder, &plan, Duration::from_secs(args.lease), threads, stop);
    let Some(output) = &args.output else {
        let stop = stop_on_signal()?;
        let folder = args.join.as_deref().context("--output is missing")?;
        return join(&shared(folder, &stop)?);
    };
    let path = || output.display().to_string();
    let (mut writer, mut way) = Writer::open(output, &plan).with_context(path)?;
    let stop = stop_on_signal()?;
    let mut failed = None;
    let from = way[way.len() - 1].clone();
    let bar = progress_bar(plan.pairs, from.pairs);
    let on_state = &mut |state: &State| {
        bar.set_position(state.pairs);
        failed = failed.take().or(writer.state(state).err());
        if failed.is_some() {
            stop.stop();
        }
        way.push(state.clone());
    };
    match &args.share {
        Some(folder) => drop(shared(folder, &stop)?.coordinate(from, on_state)?),
        None => drop(plan.run(from, threads, &stop, on_state)?),
    }
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error).with_context(path);
    }
    if let Some(svg) = &args.svg {
        let panels = of_way(&way, &plan.tuned, Some(Settings::of(&plan).gains()));
        draw(svg, &panels).map_err(|e| anyhow!(e)).with_context(|| svg.display().to_string())?;
    }
    let last = &way[way.len() - 1];
    writeln!(stdout(), "after {} pairs, the start in brackets:", last.pairs)?;
    for i in &plan.tuned {
        let declared = &Params::ALL[*i];
        writeln!(stdout(), "{:18} {:7.1} [{}]", declared.name, last.values[*i], way[0].values[*i])?;
    }
    if last.pairs < plan.pairs {
        writeln!(stderr(), "{} of {} pairs: the same command goes on with {}", last.pairs, plan.pairs, path())?;
    }
    Ok(())
}

/// Plays pairs of a search that another process coordinates.
fn join(share: &Share) -> Result<()> {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_secs(1));
    let joined = share.join(&|_| {
        bar.inc(1);
        bar.set_message(format!("{} pairs", bar.position()));
    });
    bar.finish_and_clear();
    joined?;
    writeln!(stdout(), "played {} pairs", bar.position())?;
    Ok(())
}

/// Runs `tengen tune compare`.
pub fn compare_settings(args: &CompareArgs) -> Result<()> {
    let conditions = &args.conditions;
    let usual = Params::of(conditions.rule);
    let mut values = usual.values();
    let mut changed_parameters = Vec::new();
    for change in &args.changes {
        match change.split_once('=') {
            Some((name, value)) => {
                let index = parameter(name)?;
                let value: i32 = whole(value).with_context(|| format!("{name}={value}"))?;
                ensure!(!changed_parameters.contains(&index), "{name} is given twice");
                changed_parameters.push(index);
                let (low, high) = Params::ALL[index].range;
                ensure!((low..=high).contains(&value), "{name} is from {low} to {high}");
                values[index] = value;
            }
            None => {
                let text = std::fs::read_to_string(change).with_context(|| change.clone())?;
                let log = Log::parse(&text).with_context(|| change.clone())?;
                if let Some(settings) = &log.settings {
                    let (wanted, rule) = (conditions.rule.name(), &settings.rule);
                    ensure!(rule == wanted, "{change} is a log of {rule}, not of {wanted}: --rule {rule}");
                }
                let last = log.states.last().ok_or_else(|| anyhow!("{change} is empty"))?;
                values = last.params(&usual).values();
            }
        }
    }
    let mut changed = usual.clone();
    changed.set_values(&values);
    let terms = conditions.terms()?;
    let [evaluation, base] = [&args.weights, &args.base_weights].map(|file| read_or_default(file.as_deref()));
    let base_nodes = args.base_nodes.unwrap_or(conditions.nodes);
    let sides = [
        Side { params: changed, evaluation: evaluation?, budget: Budget::Nodes(conditions.nodes) },
        Side { params: usual, evaluation: base?, budget: Budget::Nodes(base_nodes) },
    ];
    // With a fixed number of nodes, the same opening gives the same games, so that a repetition adds no information.
    let pairs = terms.openings.period().map_or(conditions.pairs, |period| period.min(conditions.pairs));
    if pairs < conditions.pairs {
        writeln!(stderr(), "tengen: {pairs} pairs, since there are no more openings")?;
    }
    let stop = stop_on_signal()?;
    let bar = progress_bar(pairs, 0);
    let mut score = Score::default();
    compare(&terms, &sides, 0..pairs, threads(conditions.threads), &stop, &mut |pair| {
        score.add(pair);
        bar.inc(1);
        let test = args.sprt.map_or_else(String::new, |sprt| format!("; {}", sprt_text(&sprt, &score).0));
        bar.set_message(format!("{}{test}", elo_text(&score)));
        !args.sprt.is_some_and(|sprt| sprt_text(&sprt, &score).1 != Verdict::Continue)
    })?;
    bar.finish_and_clear();
    write_score(&mut stdout(), &score, args.sprt.as_ref())
}

/// The Elo difference with its confidence interval.
pub fn elo_text(score: &Score) -> String {
    estimate_text(score.estimate().as_ref())
}

/// The state of a sequential test: the text for people, and the verdict for the run.
pub fn sprt_text(sprt: &SprtSpec, score: &Score) -> (String, Verdict) {
    let test = sprt.test();
    let (llr, (lower, upper)) = (test.llr(&score.pairs), test.bounds());
    let verdict = test.verdict(llr);
    let unit = sprt.unit();
    let result = match verdict {
        Verdict::Continue => "undecided".to_owned(),
        Verdict::AcceptH0 => format!("H0 accepted: not {} {unit} stronger", sprt.elo1),
        Verdict::AcceptH1 => format!("H1 accepted: more than {} {unit} stronger", sprt.elo0),
    };
    (format!("LLR {llr:.2} ({lower:.2}, {upper:.2}), {result}"), verdict)
}

fn write_score(out: &mut dyn Write, score: &Score, sprt: Option<&SprtSpec>) -> Result<()> {
    let (games, pairs) = (&score.games, &score.pairs);
    writeln!(out, "{}; {} games: +{} ={} -{}", elo_text(score), games.games(), games.wins, games.draws, games.losses)?;
    let [ll, ld, dd, wd, ww] = pairs.counts;
    write!(out, "pairs with 0, 1/2, 1, 1 1/2, 2 points: {ll} {ld} {dd} {wd} {ww}; ")?;
    write!(out, "{} of {} decisive, {} won twice by one colour", pairs.pairs() - dd, pairs.pairs(), score.one_colour)?;
    if let Some(ratio) = pairs.variance_ratio(games) {
        write!(out, ", variance {ratio:.2} of unpaired games")?;
    }
    writeln!(out)?;
    if let Some(sprt) = sprt {
        writeln!(out, "SPRT of {} to {} {}: {}", sprt.elo0, sprt.elo1, sprt.unit(), sprt_text(sprt, score).0)?;
    }
    let [ours, theirs] = score.time.map(|time| time.as_secs_f64());
    let mean = |side: usize| 1e3 * score.time[side].as_secs_f64() / score.moves[side].max(1) as f64;
    write!(out, "time used: {ours:.1} s and {theirs:.1} s, ratio {:.2}; ", ours / theirs.max(1e-9))?;
    writeln!(out, "{:.1} ms and {:.1} ms a move", mean(0), mean(1))?;
    Ok(())
}

/// Runs `tengen tune openings`.
pub fn find_openings(args: &OpeningsArgs) -> Result<()> {
    let path = || args.output.display().to_string();
    let mut file = OpenOptions::new().write(true).create_new(true).open(&args.output).with_context(path)?;
    let stop = stop_on_signal()?;
    let (rule, size) = (args.rule, args.size);
    let seed = args.seed;
    writeln!(file, "# Sharp openings for {rule} {size}, found by `tengen tune openings --seed {seed}`.")
        .with_context(path)?;
    let bar = progress_bar(args.count, 0);
    let (mut found, mut judged, mut failed) = (0, 0u64, None);
    find((rule, size), seed, threads(args.threads), &stop, &mut |setup, judgement| {
        judged += 1;
        if judgement == Judgement::Sharp {
            let stones: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
            failed = writeln!(file, "{}", format_opening(size, &stones)).err();
            found += 1;
            bar.inc(1);
        }
        bar.set_message(format!("{judged} candidates"));
        found < args.count && failed.is_none()
    })?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error).with_context(path);
    }
    writeln!(stdout(), "{}: {found} openings of {judged} candidates", path())?;
    Ok(())
}
