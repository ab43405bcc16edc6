//! Differences between the settings of a run and those recorded in a file.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of listed differences; further ones are only counted.
const SHOWN: usize = 3;

/// The first settings in which a file and a run differ, as text; `None` if they are the same.
pub fn difference(recorded: &impl Serialize, wanted: &impl Serialize) -> Option<String> {
    let [recorded, wanted] = [serde_json::to_value(recorded), serde_json::to_value(wanted)];
    let mut found = Vec::new();
    collect("", &recorded.unwrap_or_default(), &wanted.unwrap_or_default(), &mut found);
    let more = if found.len() > SHOWN { format!(" and {} more", found.len() - SHOWN) } else { String::new() };
    found.truncate(SHOWN);
    (!found.is_empty()).then(|| format!("{}{more}", found.join("; ")))
}

/// Collects the differences of two JSON values: the path of keys, and both values if they are short.
fn collect(path: &str, recorded: &Value, wanted: &Value, found: &mut Vec<String>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (recorded, wanted) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                collect(&below(key), &of(a), &of(b), found);
            }
        }
        // Lists of settings are compared item by item, numbered from 1; other lists are compared as a whole.
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() && a.iter().chain(b).all(Value::is_object) => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                collect(&format!("{path} {}", i + 1), a, b, found);
            }
        }
        (a, b) if a == b => {}
        (a, b) => {
            let text = |value: &Value| match value {
                Value::Null => "none".to_owned(),
                // Print single-precision values with single precision.
                Value::Number(number) if number.is_f64() => match number.as_f64() {
                    Some(wide) if f64::from(wide as f32) == wide => (wide as f32).to_string(),
                    _ => number.to_string(),
                },
                // Print short lists of plain values. Openings and parameter names are too long to read.
                Value::Array(items)
                    if items.len() > 4 || items.iter().any(|item| item.is_array() || item.is_object()) =>
                {
                    format!("{} of them", items.len())
                }
                other => other.to_string(),
            };
            let (a, b) = (text(a), text(b));
            let values = if a == b { "others".to_owned() } else { format!("{a} in the record, {b} now") };
            found.push(format!("{path}: {values}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differing_settings_are_named() {
        let recorded =
            json!({"nodes": 2000, "size": ["15x15", "20x20"], "kinds": [{"rule": 0}, {"rule": 1}], "depth": null});
        let found = |change: &dyn Fn(&mut Value)| {
            let mut wanted = recorded.clone();
            change(&mut wanted);
            difference(&recorded, &wanted)
        };
        assert_eq!(found(&|_| {}), None);
        let is = |change: &dyn Fn(&mut Value), text: &str| assert_eq!(found(change).as_deref(), Some(text));
        is(&|s| s["nodes"] = json!(4000), "nodes: 2000 in the record, 4000 now");
        is(&|s| s["depth"] = json!(6), "depth: none in the record, 6 now");
        is(&|s| s["depth"] = json!(0.3_f32), "depth: none in the record, 0.3 now");
        is(&|s| s["depth"] = json!(0.3), "depth: none in the record, 0.3 now");
        is(&|s| s["kinds"][1]["rule"] = json!(4), "kinds 2.rule: 1 in the record, 4 now");
        is(&|s| s["size"] = json!(["15x15"]), "size: [\"15x15\",\"20x20\"] in the record, [\"15x15\"] now");
        let other = json!({"nodes": 1, "size": [], "kinds": [], "depth": 1});
        let all = difference(&recorded, &other).expect("differences");
        assert!(all.ends_with(" and 1 more"), "{all}");
    }
}
