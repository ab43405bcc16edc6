//! Joint training: several rules learn one line net, each with heads of its own. Lines look much the same under all
//! rules, so each rule learns from the games of all. [R. Caruana 1997, "Multitask Learning"]
//!
//! The state of a joint run is a checkpoint for each rule. Their line nets are the same at every step, because each
//! gets the mean gradient of all rules. There are no residual rows: a run of one rule that starts from the result
//! trains them, and separates the line nets.
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TGCJ`: magic |
//! | 1 | u8 | number of rules |
//! | | | for each rule: length of its checkpoint as u32, and the [checkpoint](super::checkpoint) |

use super::batch::Machine;
use super::checkpoint::{Checkpoint, CheckpointError, Mark};
use super::mix::Mix;
use super::model::LINE_NET;
use super::optimiser::{rate, squared_norm};
use super::run::{ExportOptions, Exported, Run, RunError, ToMeasure, Update, pool, read, write, write_network};
use super::validate::Report;
use super::{Data, Measuring, Plan, Progress, SetWeights, begin, revive_dead_parts};
use std::path::Path;
use tengen::control::StopToken;
use tengen::rules::Rule;

/// Magic of a joint run's state.
pub(super) const MAGIC: [u8; 4] = *b"TGCJ";

/// The initial state of a joint run.
pub fn begin_jointly(rules: &[Rule], seed: u64) -> Vec<Checkpoint> {
    let mut checkpoints: Vec<Checkpoint> = rules.iter().map(|rule| begin(*rule, seed, None)).collect();
    share_line_net(&mut checkpoints);
    checkpoints
}

/// Gives all line nets the weights of the first rule's first.
fn share_line_net(checkpoints: &mut [Checkpoint]) {
    let Some(first) = checkpoints.first() else { return };
    let net = first.optimiser.values[first.sides.line_net(0)].to_vec();
    for Checkpoint { sides, optimiser, .. } in checkpoints {
        for side in 0..sides.0 {
            optimiser.values[sides.line_net(side)].copy_from_slice(&net);
            optimiser.average[sides.line_net(side)].copy_from_slice(&net);
        }
    }
}

/// Trains all rules together from their checkpoints, up to the plan's last step or until `stop` is set. A batch has
/// equal shares of all rules. Reports the progress of all rules after each interval.
pub fn train_jointly(
    plan: &Plan,
    data: &[Data],
    checkpoints: &mut [Checkpoint],
    stop: &StopToken,
    on_measurement: &mut dyn FnMut(&[Progress], &[Checkpoint]) -> bool,
) {
    let rules = checkpoints.len();
    let of_one_rule = Plan { batch: plan.batch.div_ceil(rules.max(1)), ..plan.clone() };
    let Some((first, first_data)) = checkpoints.first_mut().zip(data.first()) else { return };
    if plan.steps > 0 && first.optimiser.steps == 0 {
        revive_dead_parts(plan.seed, &first_data.training, first);
        share_line_net(checkpoints);
    }
    let mut machines: Vec<Machine> = checkpoints.iter().map(|c| Machine::new(c.sides)).collect();
    machines.iter_mut().for_each(|machine| machine.leak = plan.leak);
    let mut mixes: Vec<Mix> = data.iter().map(|data| Mix::new(&of_one_rule, &data.training)).collect();
    let measurings: Vec<Measuring> = data.iter().map(Measuring::new).collect();
    while checkpoints[0].optimiser.steps < plan.steps && !stop.is_stopped() {
        let step = checkpoints[0].optimiser.steps;
        let (progress, precision) = plan.at(step);
        for (((machine, checkpoint), data), mix) in machines.iter_mut().zip(&mut *checkpoints).zip(data).zip(&mut mixes)
        {
            let (samples, picks) = data.training.batch(&mix.picks(step as usize));
            let current = checkpoint.optimiser.current();
            checkpoint.losses.add(&machine.learn(current, &samples, &picks, precision, plan.weighting));
        }
        let norm = share_gradient(&mut machines);
        let rate = rate(plan.rate, progress);
        for (machine, Checkpoint { sides, optimiser, .. }) in machines.iter().zip(&mut *checkpoints) {
            optimiser.step_clipped(*sides, &machine.gradient, norm, rate);
        }
        let step = step + 1;
        if step.is_multiple_of(plan.interval) || step == plan.steps {
            let all = machines.iter_mut().zip(&mut *checkpoints).zip(&measurings);
            let all: Vec<Progress> =
                all.map(|((machine, checkpoint), measuring)| measuring.run(machine, checkpoint, precision)).collect();
            if !on_measurement(&all, checkpoints) {
                break;
            }
        }
    }
}

/// Replaces the gradients of the rules' losses by those of their mean, in which all line nets are one. Returns the
/// norm.
fn share_gradient(machines: &mut [Machine]) -> f32 {
    let share = 1.0 / machines.len() as f32;
    let mut net = vec![0.0; LINE_NET];
    for machine in machines.iter_mut() {
        machine.gradient.iter_mut().for_each(|g| *g *= share);
        for side in 0..machine.sides().0 {
            net.iter_mut().zip(&machine.gradient[machine.sides().line_net(side)]).for_each(|(sum, g)| *sum += g);
        }
    }
    let mut squares = squared_norm(&net);
    for machine in machines {
        let sides = machine.sides();
        for side in 0..sides.0 {
            machine.gradient[sides.line_net(side)].copy_from_slice(&net);
            squares += squared_norm(&machine.gradient[sides.head(side)]);
        }
    }
    squares.sqrt() as f32
}

/// Encodes the state of a joint run as the bytes of a file.
pub fn encode_jointly(checkpoints: &[Checkpoint]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(checkpoints.len() as u8);
    for checkpoint in checkpoints.iter().map(Checkpoint::encode) {
        bytes.extend((checkpoint.len() as u32).to_le_bytes());
        bytes.extend(checkpoint);
    }
    bytes
}

/// Decodes the state of a joint run.
///
/// # Errors
/// See [`CheckpointError`].
pub fn decode_jointly(bytes: &[u8]) -> Result<Vec<Checkpoint>, CheckpointError> {
    use CheckpointError::{Damaged, OfOneRule};
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        return Err(Checkpoint::decode(bytes).map_or_else(|error| error, |_| OfOneRule));
    };
    let (number, mut rest) = rest.split_first().ok_or(Damaged)?;
    let mut checkpoints = Vec::new();
    for _ in 0..*number {
        let (length, after) = rest.split_first_chunk().ok_or(Damaged)?;
        let (checkpoint, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(Damaged)?;
        checkpoints.push(Checkpoint::decode(checkpoint)?);
        rest = after;
    }
    if rest.is_empty() { Ok(checkpoints) } else { Err(Damaged) }
}

/// Reads the state of a joint run for these rules, or creates the initial one if the file does not exist.
///
/// # Errors
/// If the file cannot be read, or is not the state of a joint run for these rules in this order.
pub fn open_jointly(path: &Path, rules: &[Rule], seed: u64) -> Result<Vec<Checkpoint>, RunError> {
    let Some(bytes) = read(path)? else { return Ok(begin_jointly(rules, seed)) };
    let checkpoints = decode_jointly(&bytes).map_err(|error| RunError::Checkpoint(path.to_owned(), error))?;
    let found: Vec<Rule> = checkpoints.iter().map(|c| c.rule).collect();
    if found == rules { Ok(checkpoints) } else { Err(RunError::OtherRules(path.to_owned(), found)) }
}

/// Trains rules together up to the last step of their plan, until `stop` is set, or until `on_update` returns `false`;
/// that gets the number of the rule with each update. All runs have the same plan, start cold and share a file for
/// their state. Returns the last measurement of each rule on held-out games.
///
/// # Errors
/// As [`Run::train`].
pub fn run_jointly(
    runs: &[Run],
    checkpoints: &mut [Checkpoint],
    stop: &StopToken,
    on_update: &mut (dyn FnMut(usize, Update) -> bool + Send),
) -> Result<Vec<Option<Report>>, RunError> {
    let Some(Run { plan, state, threads, .. }) = runs.first() else { return Ok(Vec::new()) };
    let pool = pool(*threads)?;
    let prepared = runs.iter().zip(&mut *checkpoints).map(|(run, checkpoint)| run.prepare(&pool, checkpoint));
    let data = prepared.collect::<Result<Vec<Data>, RunError>>()?;
    let steps = checkpoints[0].optimiser.steps;
    let goes_on = data.iter().enumerate().all(|(i, data)| {
        on_update(i, Update::Samples { training: data.training.len(), held_out: data.held_out.len(), steps })
    });
    let (mut last, mut written) = (vec![None; runs.len()], Ok(()));
    if goes_on {
        let mut measured = |all: &[Progress], checkpoints: &[Checkpoint]| {
            last = all.iter().map(|progress| progress.held_out).collect();
            written = write(state, &encode_jointly(checkpoints));
            let marks = checkpoints.iter().map(|checkpoint| checkpoint.history.last());
            let mut shown = all.iter().zip(marks).enumerate().filter_map(|(i, (p, mark))| Some((i, p, mark?)));
            let report =
                |(i, progress, mark): (usize, &Progress, &Mark)| on_update(i, Update::Measured(progress, mark));
            shown.all(report) && written.is_ok()
        };
        pool.install(|| train_jointly(plan, &data, checkpoints, stop, &mut measured));
    }
    written?;
    write(state, &encode_jointly(checkpoints))?;
    Ok(last)
}

/// Writes the networks of all rules of a joint run, together with those of other rules. Each serves its own rule;
/// [`ExportOptions::rules`] and [`ExportOptions::compared`] do not count.
///
/// # Errors
/// If the file cannot be written, or if lanes are dead.
pub fn export_jointly(
    runs: &[Run],
    checkpoints: &[Checkpoint],
    options: ExportOptions,
    others: Vec<SetWeights>,
    path: &Path,
) -> Result<Vec<Exported>, RunError> {
    let pool = pool(runs.first().map_or(1, |run| run.threads))?;
    let weights = |(run, checkpoint): (&Run, &Checkpoint)| {
        run.weights(&pool, checkpoint, ExportOptions { rules: &[checkpoint.rule], ..options }, path)
    };
    let all = runs.iter().zip(checkpoints).map(weights).collect::<Result<Vec<_>, RunError>>()?;
    let (sets, measures): (Vec<SetWeights>, Vec<ToMeasure>) = all.into_iter().unzip();
    let network = write_network(&[others, sets].concat(), path)?;
    Ok(measures.into_iter().zip(runs).map(|(own, run)| own.measured(&pool, run, &network)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::{games, training_data};
    use crate::train::train;

    /// In a joint run all line nets are the same at each step, those of both sides of renju too, while heads differ.
    #[test]
    fn a_joint_run_has_one_line_net_and_goes_on_as_if_never_stopped() {
        let rules = [Rule::Freestyle, Rule::Renju, Rule::Caro];
        let all = rules.map(|rule| games(rule, 8));
        let data: Vec<Data> = all.iter().map(|games| training_data(games)).collect();
        let plan = Plan { steps: 16, batch: 48, interval: 8, residual_from: 1.0, ..Plan::default() };
        let run = |checkpoints: &mut [Checkpoint], until: u32| {
            let mut measured = |all: &[Progress], _: &[Checkpoint]| all[0].step < until;
            train_jointly(&plan, &data, checkpoints, &StopToken::new(), &mut measured);
        };
        let mut whole = begin_jointly(&rules, 3);
        run(&mut whole, 16);
        let nets = |checkpoint: &Checkpoint| {
            let Checkpoint { sides, optimiser, .. } = checkpoint;
            let of_side = |side| [&optimiser.values, &optimiser.average].map(|all| all[sides.line_net(side)].to_vec());
            (0..sides.0).map(of_side).collect::<Vec<_>>()
        };
        let all: Vec<_> = whole.iter().flat_map(nets).collect();
        assert!(all.len() == 4 && all.iter().all(|net| *net == all[0]));
        assert_ne!(all[0], nets(&begin_jointly(&rules, 3)[0])[0]);
        let head = |i: usize| &whole[i].optimiser.values[whole[i].sides.head(0)];
        assert!(head(0) != head(1) && head(0) != head(2));
        for checkpoint in &whole {
            assert_eq!(checkpoint.history.len(), 2);
            assert!(checkpoint.history[1].training[1] < checkpoint.history[0].training[1], "{:?}", checkpoint.history);
        }

        let mut resumed = begin_jointly(&rules, 3);
        run(&mut resumed, 8);
        resumed = decode_jointly(&encode_jointly(&resumed)).expect("a joint run");
        run(&mut resumed, 16);
        assert_eq!(
            resumed.iter().map(|c| &c.optimiser).collect::<Vec<_>>(),
            whole.iter().map(|c| &c.optimiser).collect::<Vec<_>>()
        );
    }

    /// With one rule a joint run is an ordinary one.
    #[test]
    fn a_joint_run_of_one_rule_is_a_plain_one() {
        let games = games(Rule::Freestyle, 8);
        let data = [training_data(&games)];
        let plan = Plan { steps: 8, batch: 32, interval: 8, residual_from: 1.0, ..Plan::default() };
        let (mut joint, mut plain) = (begin_jointly(&[Rule::Freestyle], 1), begin(Rule::Freestyle, 1, None));
        train_jointly(&plan, &data, &mut joint, &StopToken::new(), &mut |_, _| true);
        train(&plan, &data[0], &mut plain, &StopToken::new(), &mut |_, _| true);
        assert_eq!(joint[0].optimiser, plain.optimiser);
    }

    /// Joint runs, runs of one rule and damaged files have errors of their own.
    #[test]
    fn states_of_joint_runs_are_told_apart() {
        let joint = encode_jointly(&begin_jointly(&[Rule::Freestyle, Rule::Standard], 1));
        let plain = begin(Rule::Freestyle, 1, None).encode();
        assert_eq!(decode_jointly(&joint).map(|all| all.len()), Ok(2));
        assert_eq!(Checkpoint::decode(&joint), Err(CheckpointError::OfSeveralRules));
        assert_eq!(decode_jointly(&plain), Err(CheckpointError::OfOneRule));
        assert_eq!(decode_jointly(b"GIF89a"), Err(CheckpointError::NotACheckpoint));
        for cut in [4, 5, 8, 1000, joint.len() - 1] {
            assert_eq!(decode_jointly(&joint[..cut]), Err(CheckpointError::Damaged), "{cut}");
        }
        assert_eq!(decode_jointly(&[&joint[..], b"x"].concat()), Err(CheckpointError::Damaged));
    }
}
