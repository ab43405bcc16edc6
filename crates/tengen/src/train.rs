//! `tengen train`: trains the network on training games.

use crate::choices::{ensure_shares, ensure_writable, parse_rule, processors};
use crate::data::load;
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, anyhow, ensure};
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tengen::engine::Rule;
use tengen_analysis::chart::draw;
use tengen_workbench::data::record::DataGame;
use tengen_workbench::data::tree;
use tengen_workbench::train::checkpoint::Mark;
use tengen_workbench::train::joint;
use tengen_workbench::train::liveness::Liveness;
use tengen_workbench::train::plot::{of_calibration, of_training};
use tengen_workbench::train::run::{self, ExportOptions, Exported, Run, Start, Update};
use tengen_workbench::train::validate::{Quality, Report};
use tengen_workbench::train::{Plan, Progress, Targets, Weighting};

/// Examples for the help.
pub const EXAMPLES: &str = "\
Examples:
  tengen selfplay -r 0 -s 15,20 -g 50000 -n 2000 -o games.bin
  tengen train -r 0 --network own.tnn -o run.ckpt games.bin
  tengen train -r 0 --network own.tnn -o run.ckpt games.bin   (the same command resumes a stopped run)
  tengen train -r 0,1,4,8 --network joint.tnn -o joint.ckpt games.bin";

/// Options of `tengen train`.
#[derive(clap::Args)]
pub struct TrainArgs {
    /// Rule: 0, 1, 4, 8, 9 or its name; games of other rules are ignored. With several, such as 0,1,4,8, they learn one
    /// line net together, and a run of one rule may begin with the result (--warm-start)
    #[arg(short, long, default_value = "0", value_delimiter = ',', value_parser = parse_rule)]
    rule: Vec<Rule>,
    /// Other rules for which --network stores the result too
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = parse_rule, requires = "network")]
    also: Vec<Rule>,
    /// Number of training steps
    #[arg(long, default_value_t = Plan::default().steps)]
    steps: u32,
    /// Batch size: positions per step
    #[arg(long, default_value_t = Plan::default().batch)]
    batch: usize,
    /// Largest learning rate
    #[arg(long, default_value_t = Plan::default().rate)]
    rate: f32,
    /// Share of the search score in the value target, 0 to 1; the rest is the game result
    #[arg(long, default_value_t = Targets::default().blend)]
    blend: f32,
    /// Scale of the sigmoid that turns recorded scores into expected results, in evaluation units
    #[arg(long, default_value_t = Targets::default().scale)]
    scale: f32,
    /// Weight of positions whose outcome a search proved; other positions have weight 1
    #[arg(long, default_value_t = Targets::default().proven)]
    proven: f32,
    /// Search trees of `tengen data tree` to train on too
    #[arg(long, value_name = "FILE")]
    tree: Vec<PathBuf>,
    /// --scale for the scores of search trees [default: that of the --warm-start network, otherwise --scale]
    #[arg(long, value_name = "UNITS")]
    tree_scale: Option<f32>,
    /// Share of tree nodes in a batch; the rest are positions of games
    #[arg(long, default_value_t = Plan::default().tree_share)]
    tree_share: f32,
    /// Weight of the policy loss at tree nodes; it is 1 at positions of games
    #[arg(long, default_value_t = Targets::default().tree_policy)]
    tree_policy: f32,
    /// Weight of the value loss; the policy loss has weight 1
    #[arg(long, default_value_t = Plan::default().weighting.value)]
    value: f32,
    /// Quantize the weights as the engine does after this share of the steps, 0 to 1
    #[arg(long, default_value_t = Plan::default().rounded_from)]
    rounded_from: f32,
    /// Add separate weights for each line shape after this share of the steps; 1: never, as with several rules
    #[arg(long, default_value_t = Plan::default().residual_from)]
    residual_from: f32,
    /// Learning rate of the separate weights, relative to the other weights
    #[arg(long, default_value_t = Plan::default().residual_rate)]
    residual_rate: f32,
    /// Share of a gradient that passes lanes and units below zero, so that they can become active again
    #[arg(long, default_value_t = Plan::default().leak)]
    leak: f32,
    /// Write --network although some lanes of the network are never active
    #[arg(long, requires = "network")]
    allow_dead: bool,
    /// Steps between two measurements on validation games, which are not trained on
    #[arg(long, default_value_t = Plan::default().interval)]
    interval: u32,
    /// Start from the weights of this network (those of the rule, or the first ones in the file) instead of random
    /// weights. This needs fewer steps and games, and about half the learning rate. A narrower network is accepted
    #[arg(long, value_name = "FILE")]
    warm_start: Option<PathBuf>,
    /// Seed of the initial weights and of the order of positions
    #[arg(long, default_value_t = Plan::default().seed)]
    seed: u64,
    /// Use only the first N games
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Threads, of which training uses at most eight [default: one per processor]
    #[arg(short = 'j', long)]
    threads: Option<usize>,
    /// Checkpoint, written at each measurement. If it exists, the run resumes from it; settings and games must be the
    /// same
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Network file that gets the result; its weights for other rules stay
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Evaluation units per unit of log-odds in the network file; they scale all margins of the search [default: that
    /// of the --warm-start network if it supports the rule; otherwise chosen so that a score means the same odds as in
    /// the classical evaluation]
    #[arg(long, requires = "network", value_parser = clap::value_parser!(u16).range(1..))]
    units: Option<u16>,
    /// Leave the separate weights of rare line shapes out of the network file, which makes it smaller: of those that
    /// make up less than this share of all lines of validation positions
    #[arg(long, requires = "network", value_name = "SHARE", default_value_t = run::RARE)]
    rare: f64,
    /// Do not train: write the samples, the next batch with its gradient, and the checkpoint as numpy arrays into this
    /// folder, for scripts/train
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["network", "svg"])]
    arrays: Option<PathBuf>,
    /// Draw the loss curves, and the calibration: expected and actual results of the validation games
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Training games
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl TrainArgs {
    /// Checks the numbers.
    fn check(&self) -> Result<()> {
        ensure_shares(&[
            ("blend", f64::from(self.blend)),
            ("tree-share", f64::from(self.tree_share)),
            ("rare", self.rare),
            ("rounded-from", f64::from(self.rounded_from)),
            ("residual-from", f64::from(self.residual_from)),
            ("leak", f64::from(self.leak)),
        ])?;
        for (name, number) in
            [("scale", self.scale), ("tree-scale", self.tree_scale.unwrap_or(self.scale)), ("rate", self.rate)]
        {
            ensure!(number > 0.0 && number.is_finite(), "--{name} is above 0");
        }
        for (name, number) in [
            ("value", self.value),
            ("proven", self.proven),
            ("tree-policy", self.tree_policy),
            ("residual-rate", self.residual_rate),
        ] {
            ensure!(number >= 0.0 && number.is_finite(), "--{name} is not below 0");
        }
        ensure!(self.batch > 0 && self.interval > 0, "--batch and --interval are at least 1");
        Ok(())
    }

    fn plan(&self) -> Plan {
        Plan {
            steps: self.steps,
            batch: self.batch,
            tree_share: self.tree_share,
            rate: self.rate,
            seed: self.seed,
            weighting: Weighting { value: self.value, policy: 1.0 },
            rounded_from: self.rounded_from,
            residual_from: self.residual_from,
            residual_rate: self.residual_rate,
            leak: self.leak,
            interval: self.interval,
        }
    }

    fn targets(&self, tree_scale: f32) -> Targets {
        Targets { blend: self.blend, scale: self.scale, proven: self.proven, tree_scale, tree_policy: self.tree_policy }
    }

    /// The files that the run writes must be writable: checked before hours of training.
    fn ensure_outputs(&self, rules: &[Rule]) -> Result<()> {
        if let Some(path) = &self.network {
            run::other_sets(path, rules)?;
        }
        let paths = [Some(&self.output), self.network.as_ref(), self.svg.as_ref()];
        paths.into_iter().flatten().try_for_each(|path| ensure_writable(path))
    }

    /// The games of each rule.
    fn load_games(&self, rules: &[Rule]) -> Result<Vec<Vec<DataGame>>> {
        let mut games = vec![Vec::new(); rules.len()];
        for game in load(&self.files)? {
            let of_rule = rules.iter().position(|rule| *rule == game.rule).map(|i| &mut games[i]);
            if let Some(of_rule) = of_rule.filter(|all| self.games.is_none_or(|most| all.len() < most)) {
                of_rule.push(game);
            }
        }
        Ok(games)
    }

    /// The contents of the files of search trees.
    fn tree_files(&self) -> Result<Vec<Vec<u8>>> {
        self.tree.iter().map(|path| std::fs::read(path).with_context(|| path.display().to_string())).collect()
    }

    /// The records of these files.
    fn trees<'a>(&self, files: &'a [Vec<u8>]) -> Result<Vec<&'a [u8]>> {
        let bodies = files
            .iter()
            .zip(&self.tree)
            .map(|(file, path)| tree::bodies(file).map_err(|error| anyhow!("{}: {error}", path.display())));
        Ok(bodies.collect::<Result<Vec<_>>>()?.concat())
    }

    /// Says how to go on with a run that was stopped. A half-trained network must not replace the existing one.
    fn write_how_to_go_on(&self, steps: u32) -> Result<()> {
        writeln!(stderr(), "{steps} of {} steps: the same command goes on with {}", self.steps, self.output.display())?;
        Ok(())
    }
}

/// Runs `tengen train`.
pub fn main(args: &TrainArgs) -> Result<ExitCode> {
    args.check()?;
    match args.rule[..] {
        [rule] => train(args, rule),
        _ => train_jointly(args),
    }
}

fn train(args: &TrainArgs, rule: Rule) -> Result<ExitCode> {
    let start = args.warm_start.as_deref().map_or(Start::Cold, Start::Warm);
    let mut checkpoint = run::open(&args.output, rule, args.seed, start)?;
    let rules = [&[rule], &args.also[..]].concat();
    args.ensure_outputs(&rules)?;
    let games = args.load_games(&[rule])?.swap_remove(0);
    let plan = args.plan();
    let tree_scale = match (args.tree_scale, args.warm_start.as_deref().filter(|_| !args.tree.is_empty())) {
        (Some(scale), _) => scale,
        (None, Some(path)) => run::scale(path, rule)?,
        (None, None) => args.scale,
    };
    let targets = args.targets(tree_scale);
    let threads = args.threads.unwrap_or_else(processors);
    let files = args.tree_files()?;
    let trees = args.trees(&files)?;
    let state = &args.output;
    let run = Run { games: &games, trees: &trees, plan: &plan, targets: &targets, start, state, threads };
    if let Some(folder) = &args.arrays {
        let samples = run.write_arrays(&mut checkpoint, folder)?;
        writeln!(stdout(), "{} games: {samples} training positions in {}", games.len(), folder.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    let stop = stop_on_signal()?;
    let (mut shown, mut speed) = (Ok(()), Speed::new(args.batch, checkpoint.optimiser.steps));
    let last = run.train(&mut checkpoint, &stop, &mut |update| {
        shown = match update {
            Update::Samples { training, held_out, steps } => {
                speed = Speed::new(args.batch, steps);
                writeln!(stdout(), "{} games: {training} training and {held_out} held-out positions", games.len())
            }
            Update::Measured(progress, mark) => writeln!(stdout(), "{}", speed.line(progress, mark)),
        };
        shown.is_ok()
    })?;
    shown?;
    let (mut panels, mut quality) = (of_training(&checkpoint.history), last);
    let steps = checkpoint.optimiser.steps;
    if steps < plan.steps {
        args.write_how_to_go_on(steps)?;
    } else if let Some(path) = &args.network {
        let others = run::other_sets(path, &rules)?;
        let (units, rare, allow_dead) = (args.units, args.rare, args.allow_dead);
        let options = ExportOptions { rules: &rules, units, rare, allow_dead, compared: None };
        let exported = run.export(&checkpoint, options, others, path)?;
        write_exported(path, &exported)?;
        quality = Some(exported.report);
    } else if let Some(report) = &last {
        write_report(report)?;
    }
    panels.extend(quality.filter(|report| report.results > 0).map(|report| of_calibration(&report)));
    // A run that is stopped before its first measurement has no curves.
    if let Some(path) = args.svg.as_ref().filter(|_| !panels.is_empty()) {
        draw(path, &panels).map_err(|e| anyhow!(e)).with_context(|| path.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Trains several rules together.
fn train_jointly(args: &TrainArgs) -> Result<ExitCode> {
    let rules = &args.rule;
    ensure!((1..).zip(rules).all(|(i, rule)| !rules[i..].contains(rule)), "--rule names a rule twice");
    let alone = [
        ("warm-start", args.warm_start.is_some()),
        ("also", !args.also.is_empty()),
        ("units", args.units.is_some()),
        ("arrays", args.arrays.is_some()),
        ("svg", args.svg.is_some()),
    ];
    for (name, given) in alone {
        ensure!(!given, "--{name} is for one rule, and --rule names {}", rules.len());
    }
    let mut checkpoints = joint::open_jointly(&args.output, rules, args.seed)?;
    args.ensure_outputs(rules)?;
    let games = args.load_games(rules)?;
    // Separate weights for each shape are for a run of one rule that starts from the result.
    let plan = Plan { residual_from: 1.0, ..args.plan() };
    let targets = args.targets(args.tree_scale.unwrap_or(args.scale));
    let threads = args.threads.unwrap_or_else(processors);
    let files = args.tree_files()?;
    let trees = args.trees(&files)?;
    let (start, state) = (Start::Cold, args.output.as_path());
    let of_games = |games| Run { games, trees: &trees, plan: &plan, targets: &targets, start, state, threads };
    let runs: Vec<Run> = games.iter().map(|games| of_games(games)).collect();
    let stop = stop_on_signal()?;
    let mut shown = Ok(());
    let mut speed = Speed::new(args.batch, checkpoints[0].optimiser.steps);
    let last = joint::run_jointly(&runs, &mut checkpoints, &stop, &mut |i, update| {
        let rule = rules[i];
        shown = match update {
            Update::Samples { training, held_out, steps } => {
                speed = Speed::new(args.batch, steps);
                let games = games[i].len();
                writeln!(stdout(), "{rule}: {games} games: {training} training and {held_out} held-out positions")
            }
            Update::Measured(progress, mark) => {
                if i == 0 {
                    speed.measure(progress.step);
                }
                writeln!(stdout(), "{rule:10} {}", speed.text(progress, mark))
            }
        };
        shown.is_ok()
    })?;
    shown?;
    let steps = checkpoints[0].optimiser.steps;
    if steps < plan.steps {
        args.write_how_to_go_on(steps)?;
    } else if let Some(path) = &args.network {
        let others = run::other_sets(path, rules)?;
        let (rare, allow_dead) = (args.rare, args.allow_dead);
        let options = ExportOptions { rules, units: None, rare, allow_dead, compared: None };
        for (rule, exported) in rules.iter().zip(joint::export_jointly(&runs, &checkpoints, options, others, path)?) {
            writeln!(stdout(), "{rule}")?;
            write_exported(path, &exported)?;
        }
    } else {
        for (rule, report) in rules.iter().zip(last).filter_map(|(rule, report)| Some((rule, report?))) {
            writeln!(stdout(), "{rule}")?;
            write_report(&report)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what a run has written.
fn write_exported(path: &Path, exported: &Exported) -> Result<()> {
    let Exported { name, report, liveness, residual: (rows, trained), .. } = exported;
    writeln!(stdout(), "{}: {name}, {rows} of {trained} shapes with separate weights", path.display())?;
    write_liveness(liveness, report)?;
    write_report(report)
}

/// Measures the speed of a run, from the time of its last measurement.
pub struct Speed {
    batch: usize,
    at: (Instant, u32),
    /// Positions a second before the last measurement.
    last: f64,
}

impl Speed {
    /// Starts the measurement now, after `steps` steps of `batch` positions.
    pub fn new(batch: usize, steps: u32) -> Speed {
        Speed { batch, at: (Instant::now(), steps), last: 0.0 }
    }

    /// Formats a measurement as a line.
    pub fn line(&mut self, progress: &Progress, mark: &Mark) -> String {
        self.measure(progress.step);
        self.text(progress, mark)
    }

    /// Measures the speed up to a step.
    fn measure(&mut self, step: u32) {
        let positions = f64::from(step - self.at.1) * self.batch as f64;
        self.last = positions / self.at.0.elapsed().as_secs_f64();
        self.at = (Instant::now(), step);
    }

    /// Formats a measurement with the last speed as a line.
    fn text(&self, progress: &Progress, mark: &Mark) -> String {
        let ([value, policy], [result, order, first]) = (mark.training, mark.held_out);
        let trees = progress.trees.map_or_else(String::new, |error| format!(" trees {error:.5}"));
        format!(
            "step {:6}: training {value:.4} {policy:.4}, held-out result {result:.4} order {order:.4} first {:.1}%{trees}; {:.0} positions/s, {} shapes",
            progress.step,
            100.0 * first,
            self.last,
            progress.unique
        )
    }
}

/// Prints which parts of a network are ever active on held-out positions.
pub fn write_liveness(liveness: &Liveness, report: &Report) -> Result<()> {
    match report.positions {
        0 => writeln!(stdout(), "no held-out positions: whether all lanes and units are live is not known")?,
        _ => writeln!(stdout(), "{liveness}")?,
    }
    Ok(())
}

/// Prints the quality of a network next to that of the classical evaluation.
pub fn write_report(report: &Report) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{} held-out positions, {} with a best move", report.positions, report.choices)?;
    write_qualities(&mut out, &[("network", &report.network), ("classical", &report.classical)])
}

/// Prints a table of evaluations, each with its name.
pub fn write_qualities(out: &mut dyn Write, evaluations: &[(&str, &Quality)]) -> Result<()> {
    let width = evaluations.iter().map(|(name, _)| name.chars().count()).fold(10, usize::max);
    writeln!(
        out,
        "{:width$} {:>8} {:>8} {:>7} {:>8} {:>8} {:>7} {:>7}",
        "", "result", "scaled", "factor", "search", "order", "first", "five"
    )?;
    for (name, quality) in evaluations {
        let Quality { result, scaled, search, order, first, five, calibration: _ } = quality;
        writeln!(
            out,
            "{name:width$} {result:8.4} {:8.4} {:7.2} {search:8.4} {order:8.4} {:6.1}% {:6.1}%",
            scaled.0,
            scaled.1,
            100.0 * first,
            100.0 * five
        )?;
    }
    Ok(())
}
