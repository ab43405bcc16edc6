//! Parts of work that is distributed over machines.

use std::fmt;
use std::str::FromStr;

/// One part of a match or a data set that is distributed over machines: number `part` (from 1) of `parts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `parts`.
    pub part: u64,
    /// At least 1.
    pub parts: u64,
}

impl Shard {
    /// The whole match.
    pub const WHOLE: Shard = Shard { part: 1, parts: 1 };

    /// Whether a pair belongs to this part.
    pub fn has(&self, pair: u64) -> bool {
        pair % self.parts == self.part - 1
    }

    fn new(part: u64, parts: u64) -> Option<Shard> {
        (1..=parts).contains(&part).then_some(Shard { part, parts })
    }

    /// The part of the array task in which this program runs, by the variables that Slurm, Kubernetes or GNU parallel
    /// set; `look` reads a variable. Slurm also tells the number of tasks; the others need it from `parts`.
    ///
    /// # Errors
    /// A sentence, if the variables do not determine the part.
    pub fn of_task(look: &dyn Fn(&str) -> Option<String>, parts: Option<u64>) -> Result<Shard, String> {
        let present: Vec<&str> = TASKS.into_iter().filter(|name| look(name).is_some()).collect();
        match present[..] {
            [] => Err(format!("this is no array task: none of {} is set", TASKS.join(", "))),
            [SLURM] => slurm_task(look, parts),
            [name] => {
                let first = u64::from(name == PARALLEL);
                let number = number(look, name)?;
                let parts = parts.ok_or_else(|| format!("{name} does not tell the number of tasks N: say auto/N"))?;
                let part = number.checked_sub(first).and_then(|number| Shard::new(number.checked_add(1)?, parts));
                part.ok_or_else(|| format!("{name} is {number}, not one of {parts} tasks from {first} on"))
            }
            _ => Err(format!("{} are set at the same time: say K/N", present.join(" and "))),
        }
    }
}

const SLURM: &str = "SLURM_ARRAY_TASK_ID";
const KUBERNETES: &str = "JOB_COMPLETION_INDEX";
const PARALLEL: &str = "PARALLEL_SEQ";
/// Variables with the number of a task.
const TASKS: [&str; 3] = [SLURM, KUBERNETES, PARALLEL];

fn number(look: &dyn Fn(&str) -> Option<String>, name: &str) -> Result<u64, String> {
    let text = look(name).ok_or_else(|| format!("{name} is not set"))?;
    text.trim().parse().map_err(|_| format!("{name} is {text:?}, not a number"))
}

/// The part of a task of a Slurm array, which may begin at any number and have steps.
fn slurm_task(look: &dyn Fn(&str) -> Option<String>, wanted: Option<u64>) -> Result<Shard, String> {
    let of_array = |what: &str| format!("SLURM_ARRAY_TASK_{what}");
    let optional = |what: &str| look(&of_array(what)).map(|_| number(look, &of_array(what))).transpose();
    let (id, min, max) = (number(look, SLURM)?, number(look, &of_array("MIN"))?, number(look, &of_array("MAX"))?);
    let step = optional("STEP")?.filter(|step| *step > 0).unwrap_or(1);
    let regular = max.checked_sub(min).map(|range| range / step + 1);
    let parts = optional("COUNT")?.or(regular);
    let place = id.checked_sub(min).filter(|from| from % step == 0).map(|from| from / step + 1);
    // `--array=1,3,7` has the range of a longer array.
    let shard = place.zip(parts.filter(|_| parts == regular)).and_then(|(part, parts)| Shard::new(part, parts));
    let shard = shard.ok_or_else(|| format!("the array has gaps (task {id} of {min} to {max}): say K/N"))?;
    match wanted.filter(|wanted| *wanted != shard.parts) {
        Some(wanted) => Err(format!("the array has {} tasks, not {wanted}: say K/N", shard.parts)),
        None => Ok(shard),
    }
}

/// The value of an option: a part, or the one of the array task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardChoice {
    /// `K/N`.
    Given(Shard),
    /// `auto`, or `auto/N` with the number of parts.
    Task(Option<u64>),
}

impl ShardChoice {
    /// The part.
    ///
    /// # Errors
    /// See [`Shard::of_task`].
    pub fn shard(self, look: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
        match self {
            ShardChoice::Given(shard) => Ok(shard),
            ShardChoice::Task(parts) => Shard::of_task(look, parts),
        }
    }
}

impl FromStr for ShardChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<ShardChoice, Self::Err> {
        let error = "expected K/N with 1 <= K <= N, auto or auto/N";
        let number = |s: &str| s.trim().parse::<u64>().ok().filter(|n| *n > 0);
        match text.trim().split_once('/') {
            None if text.trim() == "auto" => Ok(ShardChoice::Task(None)),
            None => Err(error),
            Some(("auto", parts)) => number(parts).map(|parts| ShardChoice::Task(Some(parts))).ok_or(error),
            Some((part, parts)) => {
                let shard = number(part).zip(number(parts)).and_then(|(part, parts)| Shard::new(part, parts));
                shard.map(ShardChoice::Given).ok_or(error)
            }
        }
    }
}

impl fmt::Display for ShardChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardChoice::Given(shard) => shard.fmt(f),
            ShardChoice::Task(None) => f.write_str("auto"),
            ShardChoice::Task(Some(parts)) => write!(f, "auto/{parts}"),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let look = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        let choice: ShardChoice = text.parse().map_err(str::to_owned)?;
        assert_eq!(choice.to_string(), text);
        choice.shard(&look).map(|shard| shard.to_string())
    }

    #[test]
    fn shards_partition_the_pairs() {
        let shards: Vec<Shard> = (1..=3).map(|part| Shard { part, parts: 3 }).collect();
        for pair in 0..20 {
            assert_eq!(shards.iter().filter(|s| s.has(pair)).count(), 1);
        }
        assert_eq!(part("2/3", &[("PARALLEL_SEQ", "1")]), Ok("2/3".to_owned()), "what is said counts");
        for text in ["0/3", "4/3", "1", "1/0", "a/b", "-1/2", "auto/0", "auto/", "automatic"] {
            assert!(text.parse::<ShardChoice>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_task_of_an_array_has_its_part() {
        let slurm = |id, min, max, count, step| {
            let named = [("ID", id), ("MIN", min), ("MAX", max), ("COUNT", count), ("STEP", step)];
            named.map(|(name, value)| (["SLURM_ARRAY_TASK_", name].concat(), value))
        };
        let told = |text: &str, variables: &[(String, &str)]| {
            part(text, &variables.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>())
        };
        for (id, min, max, count, step, expected) in [
            ("1", "1", "4", "4", "1", "1/4"),
            ("0", "0", "3", "4", "1", "1/4"),
            ("7", "5", "8", "4", "1", "3/4"),
            ("9", "3", "9", "4", "2", "4/4"),
            // Slurm reports the last number as it was given, even if no task has it.
            ("8", "2", "10", "3", "3", "3/3"),
            ("6", "6", "6", "1", "1", "1/1"),
        ] {
            let variables = slurm(id, min, max, count, step);
            assert_eq!(told("auto", &variables), Ok(expected.to_owned()));
            let parts = expected.split_once('/').expect("a part").1;
            assert_eq!(told(&format!("auto/{parts}"), &variables), Ok(expected.to_owned()));
            // Without the count and the step.
            if step == "1" {
                assert_eq!(told("auto", &variables[..3]), Ok(expected.to_owned()));
            }
        }
        let refused = |text: &str, variables: &[(String, &str)]| told(text, variables).expect_err("no part");
        assert!(refused("auto", &slurm("3", "1", "7", "3", "1")).contains("gaps"));
        assert!(refused("auto", &slurm("4", "3", "9", "4", "2")).contains("gaps"));
        assert!(refused("auto/4", &slurm("3", "3", "3", "1", "1")).contains("has 1 tasks, not 4"));
        assert!(refused("auto", &slurm("x", "1", "7", "7", "1")).contains("not a number"));
        assert!(refused("auto", &slurm("1", "1", "7", "7", "1")[..1]).contains("SLURM_ARRAY_TASK_MIN is not set"));
    }

    #[test]
    fn other_tasks_need_the_number_of_parts() {
        assert_eq!(part("auto/4", &[("JOB_COMPLETION_INDEX", "0")]), Ok("1/4".to_owned()));
        assert_eq!(part("auto/4", &[("JOB_COMPLETION_INDEX", "3")]), Ok("4/4".to_owned()));
        assert_eq!(part("auto/4", &[("PARALLEL_SEQ", "1")]), Ok("1/4".to_owned()));
        let refused = |text: &str, variables: &[(&str, &str)]| part(text, variables).expect_err("no part");
        assert!(refused("auto", &[]).contains("none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, PARALLEL_SEQ"));
        assert!(refused("auto", &[("JOB_COMPLETION_INDEX", "0")]).contains("say auto/N"));
        assert!(refused("auto/4", &[("JOB_COMPLETION_INDEX", "4")]).contains("is 4, not one of 4 tasks from 0 on"));
        assert!(refused("auto/4", &[("PARALLEL_SEQ", "0")]).contains("from 1 on"));
        let both = [("PARALLEL_SEQ", "1"), ("JOB_COMPLETION_INDEX", "1")];
        assert!(refused("auto/4", &both).contains("are set at the same time"));
    }
}
