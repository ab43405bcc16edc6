#!/usr/bin/env python3
"""Tests of experiments.py: the current log, rows with faults, new rows, tables and plots."""

import contextlib
import io
import json
import pathlib
import re
import shlex
import tempfile
import unittest
import xml.etree.ElementTree as xml

import experiments

GOOD = {
    "id": 1, "date": "2026-01-31", "commit": "0123abc", "signature": 567687, "topic": "time", "kind": "match",
    "change": "a change", "opponent": "without it", "league": "freestyle 15x15", "limit": "8000 nodes", "games": 100,
    "result": [52, 6, 42], "pairs": [8, 1, 26, 3, 12], "elo": 35, "low": -18, "high": 89, "verdict": "open",
    "seed": None,
}
COMPARED = """Elo +34.9 [-20.3, +91.8]; 100 games: +52 =6 -42
pairs with 0, 1/2, 1, 1 1/2, 2 points: 8 1 26 3 12; 23 of 50 decisive, variance 0.71 of unpaired games
time used: 10.2 s and 10.0 s, ratio 1.02; 20.0 ms and 19.6 ms a move
"""
REPORT = {
    "games": 4, "pairs": 2,
    "events": [{"rule": "renju", "width": 15, "height": 15, "swap2": False, "openings": 2}],
    "engines": [{"limits": {"nodes": 2000, "increment_ms": 0}, "time_ratio": 1.234},
                {"limits": {"nodes": 1000, "increment_ms": 0}, "time_ratio": 0.81}],
    "pairings": [{"first": "new", "second": "old", "wins": 3, "draws": 0, "losses": 1, "pairs": [0, 0, 1, 0, 1],
                  "elo": 190.85, "elo_low": None, "elo_high": None}],
    "sprt": None,
}


def run(*argv):
    """Runs the program and returns its standard output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        experiments.main([str(word) for word in argv])
    return out.getvalue()


class Log(unittest.TestCase):
    def test_the_log_is_valid_and_every_topic_has_rows(self):
        path = experiments.FOLDER / "log.jsonl"
        self.assertEqual(list(experiments.check(path, experiments.topics())), [])
        self.assertEqual({row["topic"] for row in experiments.read(path)}, set(experiments.topics()))

    def test_faults_are_found(self):
        self.assertEqual(list(experiments.faults(GOOD)), [])
        for change, fault in [
            ({"date": "31.1.2026"}, "no date"),
            ({"commit": "HEAD"}, "no commit"),
            ({"change": ""}, "change is empty"),
            ({"change": None}, "change is missing"),
            ({"kind": "game"}, "no kind"),
            ({"verdict": "good"}, "no verdict"),
            ({"verdict": None}, "verdict is null"),
            ({"games": "100"}, "games has the wrong type"),
            ({"games": True}, "games has the wrong type"),
            ({"note": None}, "note is null"),
            ({"colour": "red"}, "no key"),
            ({"result": [52, 48]}, "result is no list of 3"),
            ({"pairs": [8, 1, 27, 2, -12]}, "pairs is no list of 5"),
            ({"games": 90}, "the result has 100 games of 90"),
            ({"result": [51, 6, 43]}, "different points"),
            ({"low": 40}, "out of order"),
            ({"elo": 20}, "the pairs say"),
            ({"elo": None}, "an interval without an Elo"),
            ({"runs": [[1, 1, 1, 1, 1]]}, "not the sum of runs"),
        ]:
            found = list(experiments.faults({**GOOD, **change}))
            self.assertTrue(any(fault in sentence for sentence in found), (change, found))
        for key in experiments.OF_GAMES:
            row = {name: value for name, value in GOOD.items() if name != key}
            self.assertTrue(any(f"{key} is missing" in fault for fault in experiments.faults(row)), key)

    def test_lines_are_in_order(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "log.jsonl")
            older = {**GOOD, "id": 3, "date": "2026-01-30", "topic": "tea"}
            path.write_text(f"{json.dumps(GOOD)}\n{json.dumps(older)}\nno json\n[]\n", encoding="utf-8")
            found = "\n".join(experiments.check(path, ["time"]))
            for fault in ("the id is 3", "topic tea has no page", "older than", "line 3: Exp", "line 4: no object"):
                self.assertIn(fault, found)
            path.write_text("", encoding="utf-8")
            self.assertEqual(list(experiments.check(path)), ["the log is empty"])


class Rows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log.jsonl"
        self.log.write_text(json.dumps(GOOD) + "\n", encoding="utf-8")

    def add(self, text, *options):
        source = self.folder / "source"
        source.write_text(text, encoding="utf-8")
        run("--log", self.log, "add", "--from", source, "--topic", "time", "--commit", "89abcde", *options)
        return experiments.read(self.log)[-1]

    def test_a_comparison_is_added(self):
        row = self.add(COMPARED, "--change", "more", "--opponent", "less", "--verdict", "kept", "--seed", "7")
        self.assertEqual(row["pairs"], [8, 1, 26, 3, 12])
        self.assertEqual((row["elo"], row["low"], row["high"]), (35, -20, 92))
        self.assertEqual((row["id"], row["seed"], row["time_used"], row["signature"]), (2, 7, 1.02, None))
        self.assertEqual(list(experiments.check(self.log, ["time"])), [])

    def test_a_match_is_added(self):
        row = self.add(json.dumps(REPORT), "--change", "new", "--verdict", "open")
        self.assertEqual((row["opponent"], row["league"], row["limit"]), ("old", "renju 15x15", "2000 nodes"))
        self.assertEqual((row["opponent_limit"], row["elo"], row["low"]), ("1000 nodes", 191, None))

    def test_a_faulty_row_is_not_added(self):
        before = self.log.read_text(encoding="utf-8")
        for options in (["--verdict", "good"], ["--verdict", "kept", "--topic", "tea"], ["--seed", "x"],
                        ["--verdict", "kept", "--date", "2025-01-01"], []):
            with self.assertRaises(SystemExit):
                self.add(COMPARED, "--change", "more", "--opponent", "less", *options)
        for text in ("hello", "", "{", "{}", '{"pairings": [], "engines": []}'):
            with self.assertRaises(SystemExit):
                self.add(text, "--change", "more")
        with self.assertRaises(SystemExit):
            run("--log", self.log, "add", "--from", self.folder / "absent", "--topic", "time")
        self.assertEqual(self.log.read_text(encoding="utf-8"), before)

    def test_tables_and_filters(self):
        table = run("--log", self.log, "show", "--format", "markdown", "--topic", "time", "--text", "A CHANGE")
        self.assertIn("+52 =6 -42, pairs 8-1-26-3-12 | +35 [-18, +89] | open |", table)
        self.assertEqual(json.loads(run("--log", self.log, "show", "--format", "json")), GOOD)
        self.assertIn("2026-01-31", run("--log", self.log, "show", "--since", "2026-01-31", "--until", "2026-01-31"))
        for filters in (["--topic", "tea"], ["--verdict", "kept"], ["--league", "renju"], ["--opponent", "Rapfi"],
                        ["--since", "2026-02"], ["--signature", "1"], ["--text", "absent"], ["--kind", "data"]):
            self.assertEqual(run("--log", self.log, "show", *filters), "", filters)

    def test_a_plot_is_well_formed(self):
        picture = self.folder / "elo.svg"
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(json.dumps({**GOOD, "id": 2, "change": "<&> " + "long " * 30}) + "\n")
        run("--log", self.log, "plot", "-o", picture)
        self.assertEqual(len(xml.parse(picture).getroot().findall("{*}g")), 2)

    def test_the_commands_of_the_pages_run(self):
        reports = {"report.json": json.dumps(REPORT), "compare.txt": COMPARED}
        for name, text in reports.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        commands = []
        for page in experiments.FOLDER.glob("*.md"):
            text = page.read_text(encoding="utf-8").replace("\\\n", " ")
            commands += re.findall(r"(?:^|`)scripts/experiments\.py ([^`\n]*)", text, re.MULTILINE)
        self.assertGreater(len(commands), 8)
        for command in commands:
            words = [str(self.folder / w) if w in reports or w.endswith(".svg") else w for w in shlex.split(command)]
            out = run(*words, *["--dry-run"] * (words[0] == "add"))
            self.assertTrue(out or words[0] in ("plot", "--check"), command)


if __name__ == "__main__":
    unittest.main()
