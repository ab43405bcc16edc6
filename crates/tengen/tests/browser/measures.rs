//! Measurements: the speed of the page, its cost for the search, and its consistency under many random commands.

#[cfg(target_os = "linux")]
use super::against::out_of_book;
use super::support::Random;
use super::table::{Table, against, labels, measurement, scenario, two_people};
use serde_json::{Value, json};
use std::time::Duration;

/// Limit of the median time from a click to the painted stone during analysis, in milliseconds.
const PAINTED: f64 = 50.0;

/// Duration of a frame, in milliseconds. On an idle machine, a click that only fetches a file and writes a digit takes
/// about as long.
const FRAME: f64 = 1000.0 / 60.0;

/// Maximum share of the processor time that the search may lose to the board.
#[cfg(target_os = "linux")]
const LOST: f64 = 0.03;

/// Records for each stone the time from the click to the end of the frame that shows it. For comparison, it records the
/// same for a click on the name of the program, which only fetches a small file and writes a digit: the time of the
/// browser and the machine alone.
const STOPWATCH: &str = "
window.painted = [];
window.plain = [];
const frame = (list, from) => requestAnimationFrame(() => setTimeout(() => list.push(performance.now() - from)));
let clicked = 0;
document.querySelector('.board').addEventListener('click', (event) => { clicked = event.timeStamp; }, true);
new MutationObserver(() => {
  if (clicked) frame(window.painted, clicked);
  clicked = 0;
}).observe(document.querySelector('.board .stones'), { childList: true });
document.querySelector('.brand').addEventListener('click', (event) => {
  const { target, timeStamp } = event;
  fetch('/icon.svg', { cache: 'no-store' }).then((answer) => answer.text()).then(() => {
    target.textContent = window.plain.length;
    frame(window.plain, timeStamp);
  });
});
";

/// The times in a list of the page, and their median.
fn median(table: &Table, list: &str) -> (f64, Vec<f64>) {
    let times = table.browser.ask(list);
    let mut times: Vec<f64> =
        times.as_array().expect("a list").iter().map(|time| time.as_f64().expect("a time")).collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times)
}

#[test]
fn a_click_is_painted_at_once_while_analysis_runs() {
    measurement("latency", |table| {
        table.start(two_people("freestyle", 15, 15));
        // Leaves one processor for the browser, as on any machine with several.
        let threads = table.state()["settings"]["processors"].as_u64().expect("a number").saturating_sub(1).max(1);
        table.client.command(json!({ "do": "settings", "threads": threads }));
        table.client.command(json!({ "do": "analysis", "on": true, "lines": 5 }));
        table.see("analysis on the board", |shown| shown["candidates"].as_array().is_some_and(|c| !c.is_empty()));
        table.browser.execute(STOPWATCH, &[]);
        let line = labels("h8i9j8i7i8g8j7h9k8l8j9j6j10j11");
        for (i, at) in line.iter().enumerate() {
            // The page polls by itself: queries from outside would cost it time.
            let wait = |list: &str| {
                let look =
                    format!("const look = () => ({list}.length > {i} ? done(true) : setTimeout(look, 20)); look();");
                assert_eq!(table.browser.ask(&format!("new Promise((done) => {{ {look} }})")), true);
            };
            table.click(at);
            wait("painted");
            table.browser.click(".brand");
            wait("plain");
            table.see("analysis of the new position", |shown| {
                shown["candidates"].as_array().is_some_and(|c| !c.is_empty())
            });
        }
        let ((painted, times), (plain, _)) = (median(table, "painted"), median(table, "plain"));
        eprintln!("click to painted stone: median {painted:.1} ms; to a painted digit: {plain:.1} ms");
        // A busy machine increases both times.
        let limit = PAINTED * (plain / FRAME).max(1.0);
        assert!(painted < limit, "above {limit:.1} ms, the median of {times:?}");
        table.agrees();
    });
}

/// Processor time of each thread of a process so far, in the system's ticks of a hundredth of a second.
#[cfg(target_os = "linux")]
fn times_of_threads(process: u32) -> Vec<u64> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).expect("its threads");
    let time = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("stat")).ok()?;
        // The name, in brackets, may contain any characters. User and system time are fields 14 and 15 of the line,
        // counted from 1.
        let fields: Vec<u64> = text.rsplit(')').next()?.split(' ').map(|field| field.parse().unwrap_or(0)).collect();
        Some(fields[12] + fields[13])
    };
    threads.filter_map(|thread| time(thread.expect("an entry"))).collect()
}

/// The speed of a search varies by a tenth from second to second; the division of the program's processor time is
/// stable.
#[test]
#[cfg(target_os = "linux")]
fn the_search_loses_next_to_nothing_to_the_board() {
    measurement("share", |table| {
        table.start(out_of_book());
        table.client.command(json!({ "do": "settings", "threads": 1 }));
        table.client.command(json!({ "do": "analysis", "on": true, "lines": 5 }));
        table.see("analysis on the board", |shown| shown["candidates"].as_array().is_some_and(|c| !c.is_empty()));
        let process = table.play.as_ref().expect("it runs").process.child.id();
        let before: u64 = times_of_threads(process).iter().sum();
        let search = times_of_threads(process).into_iter().max().expect("a thread");
        std::thread::sleep(Duration::from_secs(4));
        let after = times_of_threads(process);
        let all = after.iter().sum::<u64>() - before;
        // The search thread is the one with the most time: no other thread has worked half as long.
        let search = after.into_iter().max().expect("a thread") - search;
        let lost = 1.0 - search as f64 / all as f64;
        eprintln!("processor time that is not the search's: {:.2} %", 100.0 * lost);
        assert!(all > 50 && lost < LOST, "{search} of {all} ticks");
    });
}

/// A random command, which may be invalid.
fn any_command(random: &mut Random, state: &Value) -> Value {
    let size = &state["game"]["size"];
    let side = |i: usize| size[i].as_u64().expect("a size") as usize;
    let nodes = state["line"].as_array().expect("a line");
    let node = |random: &mut Random| match nodes.is_empty() {
        true => json!(0),
        false => random.pick(nodes)["node"].clone(),
    };
    let point = |random: &mut Random| {
        let column = (b'a' + random.below(side(0)) as u8) as char;
        format!("{column}{}", 1 + random.below(side(1)))
    };
    match random.below(100) {
        0..45 => json!({ "do": "move", "at": point(random) }),
        45..55 => json!({ "do": "undo" }),
        55..62 => json!({ "do": "redo" }),
        62..70 => json!({ "do": "goto", "node": node(random) }),
        70..72 => json!({ "do": "delete_branch", "node": node(random) }),
        72..75 => json!({ "do": "promote", "node": node(random) }),
        75..79 => json!({ "do": "comment", "node": node(random), "text": format!("<b>{}</b>", random.below(100)) }),
        79..82 => json!({ "do": "analysis", "on": random.percent(50), "lines": 1 + random.below(5) }),
        82..84 => json!({ "do": "swap_sides" }),
        84..86 => json!({ "do": "go" }),
        86..88 => json!({ "do": "stop" }),
        88..90 => json!({ "do": "hint" }),
        90 => json!({ "do": "resign" }),
        91 => json!({ "do": "draw" }),
        92 => json!({ "do": "restart" }),
        93..95 => json!({ "do": "goto", "node": 0 }),
        95..97 => against(1, ["freestyle", "renju"][random.below(2)]),
        _ => {
            let (rule, size) =
                *random.pick(&[("freestyle", (5, 5)), ("standard", (7, 9)), ("renju", (15, 15)), ("caro", (20, 12))]);
            two_people(rule, size.0, size.1)
        }
    }
}

#[test]
fn the_page_stays_true_under_a_storm_of_commands() {
    scenario("soak", |table| {
        table.start(two_people("freestyle", 7, 7));
        let mut random = Random::new(500);
        let (mut done, mut refused) = (0, 0);
        for number in 1..=200 {
            let command = any_command(&mut random, &table.state());
            match table.client.try_command(command.clone()) {
                Ok(_) => done += 1,
                Err(refusal) => {
                    refused += 1;
                    assert!(refusal["message"].as_str().is_some_and(|text| !text.is_empty()), "{command}: {refusal}");
                }
            }
            if number % 20 == 0 {
                calm(table);
            }
        }
        calm(table);
        assert!(done > 80 && refused > 8, "{done} done, {refused} refused");
    });
}

/// Waits until the engine has moved, and compares page and server.
fn calm(table: &Table) {
    table.until("the engine has moved", Duration::from_secs(30), |state| {
        state["thinking"].is_null() || state["thinking"]["kind"] == "analysis"
    });
    table.agrees();
}
