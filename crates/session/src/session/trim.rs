//! Limits the nodes without a move. A file may have any number of them, and each one that is shown costs as much as a
//! move. No game needs many of them.

use tengen_record::{Node, NodeId, Record, Tree};

/// Maximum number of nodes without a stone in a game: remarks, passes, stones put by hand.
const MOST: usize = 1_000;

/// Maximum number of warnings of a file that are shown.
const WARNINGS: usize = 50;

/// Removes warnings beyond the limit.
pub(super) fn trim_warnings(record: &mut Record) {
    let warnings = &mut record.warnings;
    if warnings.len() > WARNINGS {
        let more = warnings.len() - (WARNINGS - 1);
        warnings.truncate(WARNINGS - 1);
        warnings.push(format!("{more} more warnings"));
    }
}

/// Removes nodes without a stone if there are too many: first those without content, then those beyond the limit. A
/// warning of the record reports the latter. Their descendants stay, except after stones put by hand.
pub(super) fn trim(record: &mut Record) {
    let tree = &record.tree;
    let without_stone = tree.ids().filter(|id| tree.get(*id).is_some_and(|node| node.stone.is_none())).count();
    if without_stone <= MOST + 1 {
        return;
    }
    let (trimmed, lost) = trimmed(tree);
    record.tree = trimmed;
    if lost > 0 {
        let text = format!("{lost} nodes without a move are left out: no more than {MOST} are kept");
        record.warnings.push(text);
    }
}

fn trimmed(tree: &Tree) -> (Tree, usize) {
    let mut new = Tree::new();
    *new.root_mut() = Node { children: Vec::new(), ..tree.root().clone() };
    let (mut kept, mut lost) = (0, 0);
    // The nodes to process, with their new parents; the last one is next.
    let mut waiting: Vec<(NodeId, NodeId)> = Vec::new();
    let later = |waiting: &mut Vec<_>, node: &Node, parent| {
        waiting.extend(node.children.iter().rev().map(|child| (*child, parent)));
    };
    later(&mut waiting, tree.root(), Tree::ROOT);
    while let Some((id, parent)) = waiting.pop() {
        let Some(node) = tree.get(id) else { continue };
        let id = match (node.stone, node.pass) {
            (Some((point, side)), _) => new.add(parent, point, side),
            _ if says_nothing(node) => parent,
            _ if kept == MOST => {
                lost += 1;
                if !node.edits.is_empty() {
                    continue;
                }
                parent
            }
            (None, pass) => {
                kept += 1;
                match pass {
                    Some(side) => new.add_pass(parent, side),
                    None => new.add_empty(parent),
                }
            }
        };
        if let Some(target) = new.get_mut(id).filter(|target| id != parent && says_nothing(target)) {
            let (parent, children) = (target.parent, std::mem::take(&mut target.children));
            *target = Node { parent, children, ..node.clone() };
        }
        later(&mut waiting, node, id);
    }
    (new, lost)
}

/// Whether a node has no content except its move.
fn says_nothing(node: &Node) -> bool {
    let Node { parent: _, children: _, stone: _, pass, edits, to_move, comment, value, time, marks, properties } = node;
    (node.stone.is_some() || pass.is_none())
        && edits.is_empty()
        && to_move.is_none()
        && comment.is_empty()
        && value.is_none()
        && time.is_none()
        && marks.is_empty()
        && properties.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::BoardSize;
    use tengen_record as record;

    fn read(sgf: &str) -> Record {
        record::read(sgf.as_bytes(), Some("game.sgf"), BoardSize::RENJU).expect("SGF").swap_remove(0)
    }

    fn trimmed(sgf: &str) -> (String, usize, Vec<String>) {
        let mut record = read(sgf);
        let before = record.warnings.len();
        trim(&mut record);
        let warnings = record.warnings.split_off(before);
        (record::write_sgf(&record), record.tree.len(), warnings)
    }

    #[test]
    fn warnings_are_no_flood() {
        let mut record = read("(;GM[4]SZ[15];B[hh])");
        record.warnings = (0..100_000).map(|number| number.to_string()).collect();
        trim_warnings(&mut record);
        assert_eq!((record.warnings.len(), record.warnings[49].as_str()), (50, "99951 more warnings"));
    }

    #[test]
    fn few_nodes_without_a_move_stay() {
        let sgf = format!("(;GM[4]SZ[15]{}(;B[hh])(;B[ii]C[x]))", ";".repeat(MOST));
        assert_eq!(trimmed(&sgf).1, MOST + 3);
    }

    #[test]
    fn many_that_say_nothing_vanish_and_nothing_else() {
        let empty = ";".repeat(300_000);
        let (sgf, nodes, warnings) = trimmed(&format!(
            "(;GM[4]SZ[15]C[root]{empty};B[hh]C[one]{empty}(;W[ii];B[jj])(;C[remark]{empty}(;W[ii]C[two])(;W[gg];B[])))"
        ));
        assert_eq!((nodes, warnings), (8, Vec::new()), "{sgf}");
        let order = ["C[root]", "B[hh]", "C[one]", "W[ii]", "B[jj]", "C[remark]", "C[two]", "W[gg]"];
        let places: Vec<_> =
            order.iter().map(|word| sgf.find(word).unwrap_or_else(|| panic!("{word}: {sgf}"))).collect();
        assert!(places.is_sorted(), "{sgf}");
    }

    #[test]
    fn too_many_that_say_something_are_left_out_and_counted() {
        let remarks = ";C[x]".repeat(MOST + 500);
        let (_, nodes, warnings) = trimmed(&format!("(;GM[4]SZ[15]{remarks};B[hh];W[ii])"));
        assert_eq!(nodes, 1 + MOST + 2);
        assert_eq!(warnings, ["500 nodes without a move are left out: no more than 1000 are kept"]);
        let passes = ";B[];W[]".repeat(100_000);
        let (_, nodes, warnings) = trimmed(&format!("(;GM[4]SZ[15]{passes};B[hh])"));
        assert_eq!((nodes, warnings.len()), (MOST + 2, 1));
    }

    #[test]
    fn what_follows_stones_by_hand_goes_with_them() {
        let again = ";B[hh];AE[hh]".repeat(MOST + 5);
        let (_, nodes, warnings) = trimmed(&format!("(;GM[4]SZ[15]{again};B[hh])"));
        assert_eq!((nodes, warnings.len()), (1 + 2 * MOST + 1, 1));
    }
}
