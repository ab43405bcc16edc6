#!/usr/bin/env python3
"""The log of experiments, docs/experiments/log.jsonl: shows, filters, plots and checks it, and adds rows.

experiments.py show [FILTER...] [--format text|markdown|csv|json] [--columns A,B,...] [--last N]
experiments.py add --topic T --change TEXT [--from FILE] [--KEY VALUE...]
experiments.py plot [FILTER...] -o FILE.svg
experiments.py --check

Filters: --topic, --kind, --league, --verdict, --opponent, --signature, --since, --until, --text. Those of text look for
a part of the value, whatever its case. FILE has what `tengen match --json FILE` wrote, or what `tengen tune compare`
printed. docs/experiments/README.md says what the keys mean.
"""

import argparse
import csv
import datetime
import json
import math
import os
import pathlib
import re
import subprocess
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "experiments"

KINDS = ("match", "factor", "measurement", "training", "data", "command")
VERDICTS = ("kept", "dropped", "open", "measured")
ALWAYS = ("id", "date", "commit", "topic", "kind", "change")
# Additional keys of a row of kind match or factor; null if unknown.
OF_GAMES = ("signature", "opponent", "league", "limit", "games", "result", "elo", "low", "high", "verdict", "seed")
NUMBER = (int, float)
# Type of the value of each key. A list has one value for each run, unless the key determines its length.
TYPES = {
    "id": int, "date": str, "commit": str, "signature": int, "topic": str, "kind": str, "change": str,
    "opponent": str, "league": str, "limit": str, "opponent_limit": str, "openings": str, "conditions": str,
    "games": int, "games_runs": list, "result": list, "pairs": list, "runs": list, "result_note": str,
    "elo": NUMBER, "low": NUMBER, "high": NUMBER, "elo_runs": list, "verdict": str, "seed": (int, list),
    "time_used": (int, float, list), "seconds_a_move_used": NUMBER, "knps": list, "book": bool,
    "same_openings_as": int, "values": str, "measured": dict, "command": (str, list), "sha256": list,
    "networks": list, "note": str,
}
COLUMNS = ("id", "date", "signature", "topic", "change", "opponent", "league", "limit", "games", "result", "elo",
           "verdict")


def read(path):
    """All rows of a log."""
    with open(path, encoding="utf-8") as lines:
        try:
            return [json.loads(line) for line in lines]
        except ValueError as error:
            raise SystemExit(f"experiments.py: {path}: {error}; --check says more") from None


def report(source):
    """Converts a report to a row."""
    text = sys.stdin.read() if source == "-" else pathlib.Path(source).read_text(encoding="utf-8")
    if not text.lstrip().startswith("{"):
        return of_compare(text)
    try:
        return of_match(json.loads(text))
    except (ValueError, LookupError, TypeError) as error:
        raise SystemExit(f"experiments.py: {source} is no report of `tengen match --json`: {error!r}") from None


def expected_elo(pairs):
    """Elo difference for these counts of pairs with 0, 1/2, 1, 1 1/2, 2 points; None if one side scored every point."""
    score = sum(i * n for i, n in enumerate(pairs)) / (4 * sum(pairs))
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else None


def is_type(value, wanted):
    """Whether a value has a type; true and false do not count as numbers."""
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


def counts(value, length):
    """Whether a value is a list of `length` game counts."""
    return isinstance(value, list) and len(value) == length and all(is_type(n, int) and n >= 0 for n in value)


def faults(row):
    """Yields the faults of a row as sentences."""
    for key in ALWAYS:
        if row.get(key) is None:
            yield f"{key} is missing"
    for key, value in row.items():
        if key not in TYPES:
            yield f"{key} is no key of the log"
        elif value is None and key not in OF_GAMES:
            yield f"{key} is null"
        elif value is not None and not is_type(value, TYPES[key]):
            yield f"{key} has the wrong type"
        elif isinstance(value, str) and not value.strip():
            yield f"{key} is empty"
    try:
        datetime.date.fromisoformat(str(row.get("date")))
    except ValueError:
        yield f"{row.get('date')} is no date like 2026-01-31"
    if not re.fullmatch(r"[0-9a-f]{7,40}", str(row.get("commit"))):
        yield f"{row.get('commit')} is no commit"
    if row.get("kind") not in KINDS:
        yield f"{row.get('kind')} is no kind; there are {', '.join(KINDS)}"
    if row.get("verdict") not in (*VERDICTS, None):
        yield f"{row['verdict']} is no verdict; there are {', '.join(VERDICTS)}"
    if row.get("kind") in ("match", "factor"):
        yield from faults_of_games(row)


def faults_of_games(row):
    """Yields the faults in the results of a row with games."""
    for key in OF_GAMES:
        if key not in row:
            yield f"{key} is missing; it may be null"
    for key in ("opponent", "verdict"):
        if row.get(key) is None:
            yield f"{key} is null"
    result, pairs, runs, games = (row.get(key) for key in ("result", "pairs", "runs", "games"))
    elo, low, high = (row.get(key) for key in ("elo", "low", "high"))
    if elo is None and not row.get("elo_runs") and result is None and pairs is None:
        yield "there is neither a result nor an Elo"
    for key, value, length in (("result", result, 3), ("pairs", pairs, 5)):
        if value is not None and not counts(value, length):
            yield f"{key} is no list of {length} numbers"
            return
    if runs is not None and not all(counts(run, 5) for run in runs):
        yield "runs is no list of lists of 5 numbers"
        return
    if result and is_type(games, int) and sum(result) > games:
        yield f"the result has {sum(result)} games of {games}"
    if pairs and is_type(games, int) and 2 * sum(pairs) > games:
        yield f"{sum(pairs)} pairs are more than {games} games"
    if runs and pairs and [sum(points) for points in zip(*runs)] != pairs:
        yield "pairs is not the sum of runs"
    if result and pairs and sum(result) == 2 * sum(pairs):
        if 2 * result[0] + result[1] != sum(i * n for i, n in enumerate(pairs)):
            yield "result and pairs have different points"
    if not all(value is None or is_type(value, NUMBER) for value in (elo, low, high)):
        return
    bounds = [value for value in (low, elo, high) if value is not None]
    if bounds != sorted(bounds):
        yield f"low {low}, Elo {elo} and high {high} are out of order"
    if elo is None and (low, high) != (None, None):
        yield "an interval without an Elo"
    if elo is not None and pairs and sum(pairs):
        expected = expected_elo(pairs)
        if expected is None or abs(expected - elo) > 1.5:
            yield f"the Elo is {elo}, the pairs say {expected}"


def check(path, pages=None):
    """Yields the faults of a log as sentences. `pages` are the names of the topics."""
    last_date = ""
    rows = 0
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            rows = number
            try:
                row = json.loads(line)
            except ValueError as error:
                yield f"line {number}: {error}"
                continue
            if not isinstance(row, dict):
                yield f"line {number}: no object"
                continue
            yield from (f"line {number}: {fault}" for fault in faults(row))
            if row.get("id") != number:
                yield f"line {number}: the id is {row.get('id')}, not the number of the line"
            if pages is not None and row.get("topic") not in pages:
                yield f"line {number}: topic {row.get('topic')} has no page"
            if str(row.get("date")) < last_date:
                yield f"line {number}: older than the line before"
            last_date = max(last_date, str(row.get("date")))
            other = row.get("same_openings_as")
            if other is not None and not (is_type(other, int) and 0 < other != number):
                yield f"line {number}: row {other} is another row"
    if rows == 0:
        yield "the log is empty"


def topics():
    """Names of the topic pages."""
    return sorted(page.stem for page in FOLDER.glob("*.md") if page.stem != "README")


def text_of(row):
    """The text of a row, for searches."""
    return json.dumps(row, ensure_ascii=False).lower()


def chosen(rows, args):
    """The rows that pass all filters."""
    def passes(row):
        parts = ("topic", "kind", "league", "verdict", "opponent")
        wanted = ((getattr(args, key), row.get(key)) for key in parts)
        if any(part is not None and part.lower() not in str(value or "").lower() for part, value in wanted):
            return False
        if args.signature is not None and row.get("signature") != args.signature:
            return False
        if not (args.since or "") <= row["date"] <= (args.until or "9"):
            return False
        return all(word.lower() in text_of(row) for word in args.text)
    return [row for row in rows if passes(row)]


def signed(value):
    """A number with its sign, 0 without."""
    return f"{value:+g}" if value else "0"


def shown(row, column):
    """The text of a table cell."""
    if column == "elo":
        if row.get("elo") is None:
            return "; ".join(interval(*run) for run in row.get("elo_runs", []))
        return interval(row["elo"], row.get("low"), row.get("high"))
    if column == "result":
        result, pairs = row.get("result"), row.get("pairs")
        told = ["+{} ={} -{}".format(*result)] if result else []
        return ", ".join(told + (["pairs " + "-".join(map(str, pairs))] if pairs else []))
    value = row.get(column)
    if value is None:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {part}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def interval(elo, low, high):
    """An Elo value with its interval."""
    ends = ("inf" if end is None else signed(end) for end in (low, high))
    return f"{signed(elo)} [{', '.join(ends)}]" if (low, high) != (None, None) else signed(elo)


def write_table(out, rows, columns, form):
    """Writes rows as a table."""
    if form == "json":
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    table = [[shown(row, column) for column in columns] for row in rows]
    if form == "csv":
        csv.writer(out).writerows([columns, *table])
    elif form == "markdown":
        cells = ([cell.replace("|", "\\|") for cell in row] for row in table)
        for row in (columns, ["---"] * len(columns), *cells):
            out.write(f"| {' | '.join(row)} |\n")
    else:
        for row in rows:
            head = (shown(row, column) for column in columns if column != "change")
            out.write("  ".join(part for part in head if part) + f"\n    {row['change']}\n")
            for key in ("values", "measured", "note"):
                if row.get(key):
                    out.write(f"    {shown(row, key)}\n")


def plot(rows):
    """An SVG with the Elo of each row and its interval, newest row first."""
    bars = [row for row in rows if None not in (row.get("elo"), row.get("low"), row.get("high"))][::-1]
    if not bars:
        raise SystemExit("experiments.py: none of these rows has an Elo with its interval")
    left, right, height, top = 520, 480, 20, 30
    low = min(0, *(row["low"] for row in bars))
    high = max(0, *(row["high"] for row in bars))
    span = max(high - low, 1)
    x = lambda elo: left + (elo - low) / span * (right - 60)
    step = next((s for s in (5, 10, 20, 50, 100, 200, 500) if span / s <= 10), 1000)
    bottom = top + height * len(bars)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{bottom + 30}" '
             'font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>',
             '<text x="8" y="16" font-weight="bold">Elo with its 95 % interval, newest row first</text>']
    for tick in range(math.ceil(low / step) * step, math.floor(high / step) * step + 1, step):
        color = "#888" if tick == 0 else "#ddd"
        lines.append(f'<path d="M{x(tick):.1f} {top}V{bottom}" stroke="{color}"/>')
        lines.append(f'<text x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{signed(tick)}</text>')
    colors = {"kept": "#1a7f37", "dropped": "#b42318", "open": "#9a6700"}
    for i, row in enumerate(bars):
        y = top + height * i + height / 2
        color = colors.get(row.get("verdict"), "#24508c")
        label = f"{row['id']}  {row['change']}"
        label = label if len(label) <= 84 else label[:83] + "…"
        told = f"{shown(row, 'elo')}, {row.get('league') or ''}, {row.get('limit') or ''}, {row.get('verdict')}"
        lines.append(f"<g><title>{escape(row['change'])}: {escape(told)}</title>"
                     f'<text x="8" y="{y + 4}">{escape(label)}</text>'
                     f'<path d="M{x(row["low"]):.1f} {y}H{x(row["high"]):.1f}" stroke="{color}" stroke-width="2"/>'
                     f'<circle cx="{x(row["elo"]):.1f}" cy="{y}" r="4" fill="{color}"/></g>')
    return "\n".join([*lines, "</svg>", ""])


def of_match(told):
    """Converts a report of `tengen match --json` to a row about its first two engines."""
    pairing = told["pairings"][0]
    engines = told["engines"]
    rounded = lambda value: None if value is None else round(value)
    row = {
        "opponent": pairing["second"],
        "league": ", ".join(f"{e['rule']} {e['width']}x{e['height']}" for e in told["events"]),
        "limit": limit_of(engines[0]["limits"]),
        "games": told["games"],
        "result": [pairing["wins"], pairing["draws"], pairing["losses"]],
        "pairs": pairing["pairs"],
        "elo": rounded(pairing["elo"]),
        "low": rounded(pairing["elo_low"]),
        "high": rounded(pairing["elo_high"]),
    }
    if limit_of(engines[1]["limits"]) != row["limit"]:
        row["opponent_limit"] = limit_of(engines[1]["limits"])
    if engines[0]["time_ratio"] is not None:
        row["time_used"] = round(engines[0]["time_ratio"], 2)
    if len(engines) > 2:
        raise SystemExit("experiments.py: a match of more than two engines has no one result")
    return row


def limit_of(limits):
    """Limits of an engine as text."""
    told = {"nodes": "{} nodes", "turn_ms": "{} ms a move", "match_ms": "{} ms a game",
            "increment_ms": "{} ms more a move"}
    parts = [told.get(key, key + " {}").format(value) for key, value in limits.items()
             if isinstance(value, NUMBER) and value]
    return ", ".join(parts) or "none"


def of_compare(text):
    """Converts the output of `tengen tune compare` to a row."""
    number = r"([+-]?[\d.]+|[+-]?inf)"
    elo = re.search(rf"Elo {number} \[{number}, {number}\]", text)
    games = re.search(r"(\d+) games: \+(\d+) =(\d+) -(\d+)", text)
    pairs = re.search(r"pairs with 0, 1/2, 1, 1 1/2, 2 points: (\d+) (\d+) (\d+) (\d+) (\d+)", text)
    ratio = re.search(r"time used: .*ratio ([\d.]+)", text)
    if not games or not pairs:
        raise SystemExit("experiments.py: neither a report of `tengen match --json` nor what `tune compare` prints")
    finite = lambda value: None if "inf" in value else round(float(value))
    values = [finite(value) for value in elo.groups()] if elo else [None] * 3
    row = {
        "games": int(games[1]),
        "result": [int(games[i]) for i in (2, 3, 4)],
        "pairs": [int(n) for n in pairs.groups()],
        "elo": values[0], "low": values[1], "high": values[2],
    }
    if ratio:
        row["time_used"] = float(ratio[1])
    return row


def value_of(key, text):
    """Parses the value of a key from an option's text."""
    wanted = TYPES[key]
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    if kinds == (str,) or (str in kinds and not text.startswith("[")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise SystemExit(f"experiments.py: --{key.replace('_', '-')}: {text} is no JSON value") from None


def head():
    """The checked-out commit."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit("experiments.py: no git here: name the commit with --commit") from None


def add(args):
    """Appends a row to the log."""
    rows = read(args.log)
    given = {key: value_of(key, text) for key in TYPES if (text := getattr(args, key, None)) is not None}
    row = {"kind": "match", "date": datetime.date.today().isoformat()}
    if args.source:
        row.update(report(args.source))
    row.update(given)
    row["id"] = len(rows) + 1
    row.setdefault("commit", None)
    row["commit"] = row["commit"] or head()
    if row["kind"] in ("match", "factor"):
        row.update({key: None for key in OF_GAMES if key not in row})
    row = {key: row[key] for key in TYPES if key in row}
    wrong = list(faults(row))
    if row.get("topic") not in topics():
        wrong.append(f"{row.get('topic')} is no topic; there are {', '.join(topics())}")
    if rows and row["date"] < rows[-1]["date"]:
        wrong.append("the date is before that of the last row")
    if wrong:
        raise SystemExit("experiments.py: not added: " + "; ".join(wrong))
    line = json.dumps(row, ensure_ascii=False) + "\n"
    sys.stdout.write(line)
    if not args.dry_run:
        with open(args.log, "a", encoding="utf-8", newline="\n") as log:
            log.write(line)


def arguments(argv):
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=pathlib.Path, default=FOLDER / "log.jsonl", help="another log")
    parser.add_argument("--check", action="store_true", help="validate the whole log")
    commands = parser.add_subparsers(dest="command_name")
    filters = argparse.ArgumentParser(add_help=False)
    for key in ("topic", "kind", "league", "verdict", "opponent", "since", "until"):
        filters.add_argument(f"--{key}")
    filters.add_argument("--signature", type=int)
    filters.add_argument("--text", action="append", default=[], help="a word of the row; may be given again")
    show = commands.add_parser("show", parents=[filters], help="print rows")
    show.add_argument("--format", choices=("text", "markdown", "csv", "json"), default="text")
    show.add_argument("--columns", default=",".join(COLUMNS))
    show.add_argument("--last", type=int, metavar="N", help="the newest N rows alone")
    drawing = commands.add_parser("plot", parents=[filters], help="draw Elo with its intervals as SVG")
    drawing.add_argument("-o", "--output", required=True, metavar="FILE")
    adding = commands.add_parser("add", help="append a row")
    adding.add_argument("--from", dest="source", metavar="FILE", help="report of a match or a comparison; - is stdin")
    adding.add_argument("--dry-run", action="store_true", help="print the row and keep the log as it is")
    for key in TYPES:
        if key != "id":
            adding.add_argument("--" + key.replace("_", "-"), dest=key, metavar="VALUE")
    args = parser.parse_args(argv)
    if args.command_name is None and not args.check:
        parser.error("say what to do: show, add, plot or --check")
    return args


def main(argv=None):
    """Runs the program."""
    args = arguments(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        return run(args)
    except BrokenPipeError:
        # The reader closed the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        raise SystemExit(f"experiments.py: {error}") from None


def run(args):
    """Executes the command of the command line."""
    if args.check:
        wrong = list(check(args.log, topics()))
        for fault in wrong:
            print(f"{args.log}: {fault}", file=sys.stderr)
        return 1 if wrong else 0
    if args.command_name == "add":
        add(args)
        return 0
    rows = chosen(read(args.log), args)
    if args.command_name == "plot":
        pathlib.Path(args.output).write_text(plot(rows), encoding="utf-8")
        return 0
    columns = [column.strip() for column in args.columns.split(",")]
    unknown = [column for column in columns if column not in TYPES]
    if unknown:
        raise SystemExit(f"experiments.py: no column {', '.join(unknown)}; there are {', '.join(TYPES)}")
    write_table(sys.stdout, rows[-args.last:] if args.last else rows, columns, args.format)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
