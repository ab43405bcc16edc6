#!/usr/bin/env python3
"""Trains the network with PyTorch, on a GPU, several GPUs or the processor, as `tengen train` does on the processor.

    tengen train --arrays arrays -o begin.ckpt games.bin            (with --tree, --warm-start, --rule ... as wanted)
    python train.py arrays begin.ckpt -o run.ckpt --steps 20000 --batch 8192
    tengen train --steps 20000 -o run.ckpt --network own.tnn games.bin      (the same steps: only exports and measures)

Steps, batch, rate and the other settings are those of the command that wrote the arrays, unless given here. If the
output is there, the run goes on from it; it is written at each measurement. Numbers of single line shapes, which a
--warm-start brings, are kept as they are (as `--residual-from 1` does). For several GPUs:

    torchrun --nproc-per-node 4 train.py arrays begin.ckpt -o run.ckpt
"""

import argparse
import math
import os
import time
from pathlib import Path

import network
import numpy as np
import torch
import torch.distributed as dist
from files import HELD_OUT_NODE, HELD_OUT_POSITION, NODE, POSITION, Samples, State

MEASURED = 16_384
KEPT = 0.999  # decay of the moving average of the parameters, per step


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arrays", type=Path, help="folder of `tengen train --arrays`")
    parser.add_argument("begin", type=Path, help="the state to begin with, which that command wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="state of the run")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--batch", type=int, help="samples a step, of all GPUs together")
    parser.add_argument("--rate", type=float, help="largest learning rate")
    parser.add_argument("--tree-share", type=float, help="share of nodes of search trees in a step")
    parser.add_argument("--rounded-from", type=float, help="share of the steps after which numbers are rounded")
    parser.add_argument("--interval", type=int, help="steps between two measurements")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--device", help="cuda, cpu [default: cuda if there is one]")
    return parser.parse_args()


class Order:
    """Samples of one kind, in an order that is shuffled again for each epoch."""

    def __init__(self, indices, a_step, seed):
        self.indices, self.a_step, self.seed = indices, min(a_step, len(indices)), seed
        self.drawn = None

    def of_step(self, step):
        if self.a_step == 0:
            return self.indices[:0]
        number, at = divmod(step, len(self.indices) // self.a_step)
        if self.drawn is None or self.drawn[0] != number:
            shuffled = np.random.default_rng([self.seed, number]).permutation(self.indices)
            self.drawn = (number, shuffled)
        return self.drawn[1][at * self.a_step :][: self.a_step]


def rate(peak, progress):
    """Learning rate: linear warm-up over the first 2%, times a cosine decay to one hundredth of the peak."""
    return peak * min(progress / 0.02, 1.0) * (0.01 + 0.99 * 0.5 * (1.0 + math.cos(math.pi * progress)))


def spread(indices, most):
    return indices[np.arange(min(len(indices), most)) * len(indices) // max(min(len(indices), most), 1)]


@torch.no_grad()
def measure(samples, indices, values, residual, sides, device, rounded):
    """Means over samples: loss of the result, loss of the best move, share of positions whose best move is ranked
    first, squared error; NaN if no sample has the quantity."""
    sums = np.zeros(7)
    for part in np.array_split(indices, max(len(indices) // 2048, 1)):
        if len(part) == 0:
            continue
        batch = samples.batch(part, np.zeros(len(part), int), sides, device)
        made = network.losses(batch, *network.forward(values, residual, batch, rounded))
        result = torch.tensor(np.array(samples.rows["result"][part], np.float64), device=device)
        outcome = made["outcome"].double()
        expected = (outcome[:, 0] + outcome[:, 1] / 2).clamp(1e-9, 1 - 1e-9)
        cross = -(result * expected.log() + (1 - result) * (1 - expected).log())
        counts = ~result.isnan()
        sums += [
            float(cross[counts].sum()),
            float(counts.sum()),
            float(made["order"].sum()),
            float((made["first"] & batch.has_best).sum()),
            float(batch.has_best.sum()),
            float(made["error"].square().sum()),
            len(part),
        ]
    result, results, order, first, choices, square, count = sums
    ratio = lambda a, b: a / b if b else math.nan
    return ratio(result, results), ratio(order, choices), ratio(first, choices), ratio(square, count)


def main():
    args = arguments()
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda":
        device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
        torch.cuda.set_device(device)
    if world > 1:
        dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")

    begun = State.read(args.begin)
    samples = Samples(args.arrays, begun)
    plan = begun.recipe["plan"]
    for name, value in vars(args).items():
        if name in plan and value is not None:
            plan[name] = value
    state = State.read(args.output) if args.output.exists() else begun
    # Clear the recipe: this is another run, and `tengen train` must not compare its settings with the old ones.
    state.recipe = None
    sides = state.sides

    nodes, positions = samples.of_kind[NODE], samples.of_kind[POSITION]
    of_nodes = round(plan["tree_share"] * plan["batch"]) if len(nodes) else 0
    of_nodes = of_nodes if len(positions) else plan["batch"]
    orders = [
        Order(nodes, of_nodes, 2 * plan["seed"]),
        Order(positions, plan["batch"] - of_nodes, 2 * plan["seed"] + 1),
    ]
    a_step = sum(order.a_step for order in orders)
    if a_step < world:
        raise SystemExit(f"{a_step} samples a step for {world} processes: each needs one")
    held_out = [spread(samples.of_kind[kind], MEASURED) for kind in (HELD_OUT_POSITION, HELD_OUT_NODE)]

    values = torch.tensor(state.values, device=device, requires_grad=True)
    average = torch.tensor(state.average, device=device)
    residual = None if state.rows is None else torch.tensor(state.rows, device=device)
    optimiser = torch.optim.Adam([values], betas=(0.9, 0.999), eps=1e-8)
    if state.steps > 0:
        mean, square = (torch.tensor(m, device=device) for m in state.moments)
        step = torch.tensor(float(state.steps))
        optimiser.state[values] = {"step": step, "exp_avg": mean, "exp_avg_sq": square}
    limits = network.weight_limits(sides).to(device)

    training, started, counted = torch.zeros(4, device=device), time.time(), 0
    for step in range(state.steps, plan["steps"]):
        picks = np.concatenate([order.of_step(step) for order in orders])
        symmetries = np.random.default_rng([plan["seed"], step]).integers(0, 8, len(picks))
        share = slice(rank, None, world)
        batch = samples.batch(picks[share], symmetries[share], sides, device)
        progress = step / plan["steps"]
        rounded = progress >= plan["rounded_from"]
        sums = network.losses(batch, *network.forward(values, residual, batch, rounded, plan["leak"]))
        loss = plan["weighting"]["value"] * sums["value"] + plan["weighting"]["policy"] * sums["policy"]
        optimiser.zero_grad()
        (loss / len(picks)).backward()
        told = torch.stack([sums[name].detach() for name in ("value", "values", "policy", "policies")])
        if world > 1:
            dist.all_reduce(values.grad)
            dist.all_reduce(told)
        training += told
        counted += len(picks)
        torch.nn.utils.clip_grad_norm_([values], 1.0)
        optimiser.param_groups[0]["lr"] = rate(plan["rate"], progress)
        optimiser.step()
        with torch.no_grad():
            values.copy_(torch.maximum(torch.minimum(values, limits), -limits))
            average.lerp_(values, 1.0 - min(KEPT, (2.0 + step) / (11.0 + step)))
        done = step + 1
        if rank == 0 and (done % plan["interval"] == 0 or done == plan["steps"]):
            result, order, first, _ = measure(samples, held_out[0], average, residual, sides, device, rounded)
            error = measure(samples, held_out[1], average, residual, sides, device, rounded)[3]
            value, policy = float(training[0] / training[1]), float(training[2] / training[3])
            speed = counted / (time.time() - started)
            print(
                f"step {done:6}: training {value:.4f} {policy:.4f}, held-out result {result:.4f} order {order:.4f} "
                f"first {100 * first:.1f}% trees {error:.5f}; {speed:.0f} positions/s",
                flush=True,
            )
            state.history.append((done, value, policy, result, order, first))
            to = lambda tensor: tensor.detach().cpu().numpy()
            moments = optimiser.state[values]
            state.steps, state.values, state.average = done, to(values), to(average)
            state.moments = (to(moments["exp_avg"]), to(moments["exp_avg_sq"]))
            state.write(args.output)
            training.zero_()
            started, counted = time.time(), 0
    if world > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
