#!/usr/bin/env python3
"""Compares the trainer in Rust with PyTorch: losses and gradient of one batch, computed by both.

    tengen train --arrays arrays -o run.ckpt games.bin      (any options of the training, the same files)
    python check.py arrays run.ckpt

Fails if a part of the gradient differs by more than a thousandth of its length, or a loss by more than 1e-5 of it.
"""

import argparse
import sys
from pathlib import Path

import network
import numpy as np
import torch
from files import Samples, State


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arrays", type=Path, help="folder of `tengen train --arrays`")
    parser.add_argument("state", type=Path, help="the state that it wrote")
    args = parser.parse_args()

    state = State.read(args.state)
    samples = Samples(args.arrays, state)
    picks, losses, gradient = (np.load(args.arrays / f"{name}.npy") for name in ("batch", "losses", "gradient"))
    weighting = state.recipe["plan"]["weighting"]
    batch = samples.batch(picks["sample"], picks["symmetry"], state.sides, "cpu")
    residual = None if state.rows is None else torch.tensor(state.rows)
    bad = 0
    for row, (name, rounded) in enumerate([("plain", False), ("rounded", True)]):
        values = torch.tensor(state.values, requires_grad=True)
        sums = network.losses(batch, *network.forward(values, residual, batch, rounded, state.recipe["plan"]["leak"]))
        loss = weighting["value"] * sums["value"] + weighting["policy"] * sums["policy"]
        (loss / batch.n).backward()
        for what in ("value", "values", "policy", "policies", "hits"):
            ours, theirs = float(sums[what]), float(losses[row][what])
            off = abs(ours - theirs) / max(abs(theirs), 1.0)
            bad += off > 1e-5
            print(f"{name:8} {what:24} {ours:14.6f} {theirs:14.6f} {off:10.1e}")
        for part, where in ranges(state.sides):
            ours, theirs = values.grad.numpy()[where], gradient[name][where]
            length = np.linalg.norm(theirs)
            off = np.linalg.norm(ours - theirs) / max(length, 1e-12)
            bad += bool(off > 1e-3)
            print(f"{name:8} {part:24} {np.linalg.norm(ours):14.6e} {length:14.6e} {off:10.1e}")
    print("they agree" if bad == 0 else f"{bad} differences")
    return bad > 0


def ranges(sides):
    """Yields the named parts of the parameters."""
    at = 0
    for kind, shapes in (("line net", network.LINE_NET), ("head", network.HEAD)):
        for side in range(sides):
            for name, (shape, _, _) in shapes.items():
                length = network.numel(shape)
                yield f"{kind} {side} {name}", slice(at, at + length)
                at += length


if __name__ == "__main__":
    sys.exit(main())
