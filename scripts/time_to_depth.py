#!/usr/bin/env python3
"""Compares numbers of threads: time to a depth on the same positions, taken in turn in one run.

time_to_depth.py [--rule N] [--depth N] [--count N] [--threads N] ENGINE

The positions are openings of crates/workbench/openings, which follow each other without the table being cleared; it has
64 MB. Printed is the geometric mean of the ratios to one thread's time, with its 95% interval: a sum would be decided by
the two or three longest searches.
"""

import argparse
import math
import statistics

from speed import FILES, Engine, positions


class DepthEngine(Engine):
    def __init__(self, command, rule, threads, depth):
        super().__init__(command, rule, 0)
        for line in (f"thread_num {threads}", f"max_depth {depth}", "hash_size 65536", "book 0"):
            self.send(f"INFO {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", type=int, default=0, choices=FILES)
    parser.add_argument("--depth", type=int, default=15)
    parser.add_argument("--count", type=int, default=25, help="positions")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("engine", metavar="ENGINE")
    args = parser.parse_args()
    one, many = (DepthEngine(args.engine, args.rule, n, args.depth) for n in (1, args.threads))
    logs, total = [], 0
    for i, stones in enumerate(positions(args.rule, args.count + 1)):
        # Alternate the order, so that a change of the machine's speed favours neither.
        if i % 2:
            alone, together = one.seconds(stones), many.seconds(stones)
        else:
            together, alone = many.seconds(stones), one.seconds(stones)
        if i > 0:  # the first search of a process includes the allocation of memory
            logs.append(math.log(together / alone))
            total += alone
    mean, error = statistics.mean(logs), 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
    low, middle, high = (math.exp(mean + d) for d in (-error, 0, error))
    print(f"rule {args.rule}, depth {args.depth}, {len(logs)} positions, {total:.1f} s with one thread")
    print(f"{args.threads} threads: {middle:.2f} [{low:.2f}, {high:.2f}] of that time")


if __name__ == "__main__":
    main()
