#!/usr/bin/env python3
"""Reads the engine's messages with the parser of pygomo-lib (PyPI), as drivers of engines do.

  scripts/check_drivers.py [PROGRAM]      without a program: target/release/pbrain-tengen

Every line about a search must give depth, evaluation, nodes, speed, time and line, and the line must begin with the move
that the engine then plays. Without pygomo-lib (pip install pygomo-lib) the check says so and is skipped.
"""

import os
import subprocess
import sys

SCRIPT = "START 15\nINFO timeout_turn 1500\nINFO rule 0\nBOARD\n7,7,1\n8,8,2\n7,8,1\n7,6,2\n9,6,1\n6,9,2\nDONE\n"


def main():
    try:
        from pygomo.protocol.gomocup import GomocupProtocol
    except ImportError:
        print("skipped: no pygomo-lib (pip install pygomo-lib)")
        return 0
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(target, "release", "pbrain-tengen")
    run = subprocess.run([program], input=SCRIPT, capture_output=True, text=True, timeout=60, check=True)
    lines = run.stdout.splitlines()
    searches = [line for line in lines if line.startswith("MESSAGE depth ")]
    column, row = map(int, lines[-1].split(","))
    if not searches:
        print("no line about a search:", lines, file=sys.stderr)
        return 1
    parser = GomocupProtocol()
    for line in searches:
        found = parser.parse_message(line)
        missing = [name for name in ("depth", "sel_depth", "nodes", "nps", "time", "pv") if not found[name]]
        if missing or f" ev {found['eval']} " not in line:
            print(f"{line}\nis read as {found}; missing: {missing}", file=sys.stderr)
            return 1
    first = str(parser.parse_message(searches[-1])["pv"][0])
    if first != f"{chr(ord('a') + column)}{row + 1}":
        print(f"the line begins with {first}, the move is {lines[-1]}", file=sys.stderr)
        return 1
    print(f"{len(searches)} lines read whole by pygomo-lib")
    return 0


if __name__ == "__main__":
    sys.exit(main())
