#!/usr/bin/env python3
"""Compares the speed of engines: nodes a second on the same positions, taken in turn in one run.

speed.py [--rule N] [--nodes N] [--count N] ENGINE ENGINE...

Each engine gets `INFO max_node` and no limit of time; what counts is the time from DONE to its answer. The positions
are openings of crates/workbench/openings. An engine that answers before its nodes are used up (a proven win) would look too
fast, so positions where the answers come much sooner than usual are left out for all engines. The last column is the
geometric mean of the ratios to the first engine.
"""

import argparse
import math
import pathlib
import shlex
import shutil
import statistics
import subprocess
import time

OPENINGS = pathlib.Path(__file__).parent.parent / "crates" / "workbench" / "openings"
FILES = {0: ("freestyle15.txt", 15), 1: ("standard15.txt", 15), 4: ("renju15.txt", 15)}


def positions(rule, count):
    """Openings as lists of (x, y), black first."""
    name, size = FILES[rule]
    for line in (OPENINGS / name).read_text(encoding="utf-8").splitlines()[:count]:
        numbers = [int(n) + size // 2 for n in line.replace(" ", "").split(",")]
        yield list(zip(numbers[::2], numbers[1::2]))


class Engine:
    def __init__(self, command, rule, nodes):
        words = shlex.split(command)
        program = pathlib.Path(shutil.which(words[0]) or words[0]).resolve()
        self.name = program.name
        self.process = subprocess.Popen(
            [str(program), *words[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=program.parent)
        for line in ("max_memory 367001600", "thread_num 1", f"rule {rule}"):
            self.send(f"INFO {line}")
        self.send(f"START {FILES[rule][1]}")
        while self.process.stdout.readline().strip() != "OK":
            pass
        # For Rapfi 0 means no limit, for other engines it does not.
        for line in (f"timeout_turn {0 if 'rapfi' in self.name else 3600000}", "timeout_match 0",
                     "time_left 2147483647", f"max_node {nodes}"):
            self.send(f"INFO {line}")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def seconds(self, stones):
        """Time that the engine uses for a move in a position."""
        mine = len(stones) % 2
        self.send("BOARD")
        for i, (x, y) in enumerate(stones):
            self.send(f"{x},{y},{1 if i % 2 == mine else 2}")
        began = time.perf_counter()
        self.send("DONE")
        for line in self.process.stdout:
            if line[0].isdigit():
                return time.perf_counter() - began
        raise SystemExit(f"{self.name} ended")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", type=int, default=0, choices=FILES)
    parser.add_argument("--nodes", type=int, default=400_000)
    parser.add_argument("--count", type=int, default=16, help="positions")
    parser.add_argument("engines", nargs="+", metavar="ENGINE")
    args = parser.parse_args()
    engines = [Engine(command, args.rule, args.nodes) for command in args.engines]
    rows = []
    for i, stones in enumerate(positions(args.rule, args.count + 1)):
        row = [engine.seconds(stones) for engine in engines]
        if i > 0:  # the first search of a process includes the allocation of memory
            rows.append(row)
    usual = [statistics.median(column) for column in zip(*rows)]
    rows = [row for row in rows if all(t > 0.5 * u for t, u in zip(row, usual))]
    print(f"rule {args.rule}, {len(rows)} positions, {args.nodes} nodes each")
    for i, engine in enumerate(engines):
        rate = args.nodes * len(rows) / sum(row[i] for row in rows)
        ratio = math.exp(statistics.fmean(math.log(row[0] / row[i]) for row in rows))
        print(f"{engine.name:20} {rate / 1000:8.0f} k nodes/s   x {ratio:.2f}")
        engine.send("END")


if __name__ == "__main__":
    main()
