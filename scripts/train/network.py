"""The network of size S in PyTorch (layout: src/eval/network/layout.rs; trainer: crates/workbench/src/train).

All parameters are one flat vector, in the order of the trainer's checkpoints (crates/workbench/src/train/model.rs), so
each trainer can resume the other's checkpoints. With `rounded`, all values that are integers in the engine are
quantized as in the engine, and gradients ignore the rounding (straight-through estimator).
"""

import functools
import itertools

import numpy as np
import torch

HALF, REGIONS, FACTS, HIDDEN, OUTPUTS = 16, 9, 32, 32, 4
LANES, INPUTS = 2 * HALF, REGIONS * 2 * HALF + FACTS
RADIUS, CENTRE = 2, 4
TAPS = (RADIUS + 1) * (RADIUS + 2) // 2
POLICY = TAPS * LANES
ARMS, CLASSES, DISPLACEMENTS, REACH = 364, 14, 36, 5
PAIRS = ARMS * (ARMS + 1) // 2
SHAPES = 3 * PAIRS
ARM_WIDTH, LINE_WIDTH = 64, 32

ROW_UNIT, HEAD_UNIT, POLICY_UNIT, NEAR_UNIT, POOL_SHIFT = 32, 64, 256, 256, 11
ROW_MAX, ACTIVATION_MAX, INPUT_MAX = 127 / ROW_UNIT, 255 / ROW_UNIT, 127 / HEAD_UNIT
POLICY_MAX, LARGEST = 9_000 / POLICY_UNIT, 1 << 24
POOL = ROW_UNIT / (1 << POOL_SHIFT) / HEAD_UNIT

# Shape of each part, with the unit and the largest magnitude of its exported integers.
TABLE_UNIT, LINE_UNIT, FIRST_MAX, SECOND_MAX = 256, 1024, 4095, 8191
TABLE, LINE, SUM = (TABLE_UNIT, 2047), (LINE_UNIT, 4095), (TABLE_UNIT * LINE_UNIT, 1 << 24)
LINE_NET = {
    "near": ((3 * ARMS, ARM_WIDTH), *TABLE),
    "far": ((3 * ARMS, ARM_WIDTH), *TABLE),
    "second": ((ARM_WIDTH, LINE_WIDTH), *LINE),
    "second_bias": ((LINE_WIDTH,), *SUM),
    "output": ((LINE_WIDTH, HALF), *LINE),
    "output_bias": ((HALF,), *SUM),
}
WEIGHT, BIAS = (HEAD_UNIT, 127), (HEAD_UNIT * HEAD_UNIT, LARGEST)
HEAD = {
    "first": ((INPUTS, HIDDEN), *WEIGHT),
    "first_bias": ((HIDDEN,), *BIAS),
    "second": ((HIDDEN, HIDDEN), *WEIGHT),
    "second_bias": ((HIDDEN,), *BIAS),
    "output": ((HIDDEN, OUTPUTS), *WEIGHT),
    "output_bias": ((OUTPUTS,), *BIAS),
    "policy": ((POLICY,), *BIAS),
    "gate": ((HIDDEN, POLICY), *WEIGHT),
    "near": ((2 * CLASSES * DISPLACEMENTS,), NEAR_UNIT, 32_767),
}


def numel(shape):
    return int(torch.Size(shape).numel())


LINE_NET_SIZE = sum(numel(shape) for shape, _, _ in LINE_NET.values())
HEAD_SIZE = sum(numel(shape) for shape, _, _ in HEAD.values())


def parameters(sides):
    """Number of parameters; `sides` is 2 if black and white have separate weights (renju), otherwise 1."""
    return sides * (LINE_NET_SIZE + HEAD_SIZE)


def line_net(values, net, rounded=False):
    """The parts of a line net; views of the flat vector unless they are rounded. Rounded parts have double precision,
    in which all sums of the engine's integers are exact."""
    numbers = parts(values[net * LINE_NET_SIZE :], {name: shape for name, (shape, _, _) in LINE_NET.items()})
    if not rounded:
        return numbers
    return {name: quantized(numbers[name].double(), unit, most) for name, (_, unit, most) in LINE_NET.items()}


def head_range(sides, side):
    start = sides * LINE_NET_SIZE + side * HEAD_SIZE
    return slice(start, start + HEAD_SIZE)


def weight_limits(sides):
    """The largest magnitude of each parameter after a step of the optimiser: that of the engine's integers, except for
    biases and tables of the last stones."""
    limits = torch.full((parameters(sides),), torch.inf)
    groups = [(limits[net * LINE_NET_SIZE :], LINE_NET) for net in range(sides)]
    groups += [(limits[head_range(sides, side)], HEAD) for side in range(sides)]
    for values, group in groups:
        numbers = parts(values, {name: shape for name, (shape, _, _) in group.items()})
        for name, (_, unit, most) in group.items():
            if unit in (TABLE_UNIT, LINE_UNIT, HEAD_UNIT) and not (group is HEAD and name == "near"):
                numbers[name].fill_(most / unit)
    return limits


def parts(values, shapes):
    result, at = {}, 0
    for name, shape in shapes.items():
        result[name] = values[at : at + numel(shape)].view(shape)
        at += numel(shape)
    return result


def straight(value, rounded):
    """`rounded`, with the gradient of `value`."""
    return value + (rounded - value).detach()


def quantized(value, unit, most):
    """Rounds to multiples of `1 / unit`, at most `most` of them, with the gradient of `value`."""
    return straight(value, (value * unit).round().clamp(-most, most) / unit)


def half_up(value, unit):
    """Rounds to multiples of `1 / unit`, halves upwards, with the gradient of `value`."""
    return straight(value, (value * unit + 0.5).floor() / unit)


def inside(value, low, high, leak=0.0):
    """Clamps to low..high; at the limits and beyond the share `leak` of the gradient passes."""
    passes = (value > low) & (value < high)
    leaked = leak * (value - value.detach())
    return torch.where(passes, value, value.detach().clamp(low, high) + leaked)


def head(values, sides, side, rounded):
    numbers = parts(values[head_range(sides, side)], {name: shape for name, (shape, _, _) in HEAD.items()})
    if not rounded:
        return numbers
    return {name: quantized(numbers[name], unit, most) for name, (_, unit, most) in HEAD.items()}


# Line shapes, computed from cells.


def shapes(cells):
    """The shapes of the four lines of each point, [n, height, width, 4], for cells [n, height, width] (0 empty, 1 own,
    2 opponent). An arm is a number in base three whose digits are 1 plus the cell, up to the edge."""
    n, height, width = cells.shape
    padded = torch.zeros(n, height + 2 * REACH, width + 2 * REACH, dtype=torch.int64, device=cells.device)
    padded[:, REACH:-REACH, REACH:-REACH] = cells + 1

    def arm(dy, dx):
        window = lambda k: padded[:, REACH + k * dy :][:, :height][:, :, REACH + k * dx :][:, :, :width]
        return sum(3 ** (k - 1) * window(k) for k in range(1, REACH + 1))

    of_line = []
    for dy, dx in [(0, 1), (1, 0), (1, 1), (1, -1)]:
        back, ahead = arm(-dy, -dx), arm(dy, dx)
        high, low = torch.maximum(back, ahead), torch.minimum(back, ahead)
        of_line.append(cells * PAIRS + high * (high + 1) // 2 + low)
    return torch.stack(of_line, dim=-1)


def arms_of(shape):
    """Rows of the arm tables that form a shape."""
    centre, pair = shape // PAIRS, shape % PAIRS
    high = (((8.0 * pair.double() + 1.0).sqrt() - 1.0) / 2.0).long()
    high -= (high * (high + 1) // 2 > pair).long()
    high += ((high + 1) * (high + 2) // 2 <= pair).long()
    return centre * ARMS + high, centre * ARMS + pair - high * (high + 1) // 2


# Data that depends only on the board size.


def outer(length):
    return (length + 1) // 3


@functools.cache
def regions(width, height):
    """The region of each cell under each of the eight symmetries, [8, height * width], and the factor of each region's
    sum. For a non-square board, the four symmetries without transposition occur twice."""
    band = lambda length: np.array(
        [0 if i < outer(length) else 1 if i < length - outer(length) else 2 for i in range(length)]
    )
    images = []
    for symmetry in range(8):
        symmetry %= 8 if width == height else 4
        x, y = band(width)[None, :], band(height)[:, None]
        x, y = (2 - x if symmetry & 1 else x), (2 - y if symmetry & 2 else y)
        images.append((3 * x + y if symmetry & 4 else 3 * y + x).flatten())
    sides = lambda length: [outer(length), length - 2 * outer(length), outer(length)]
    areas = [h * w for h in sides(height) for w in sides(width)]
    return np.stack(images), np.array([(256 * 25 + area // 2) // area for area in areas], np.float32)


def displacement(a, b, width):
    """Index of the distance between two cells; 0 if they are more than seven apart."""
    dx, dy = (a % width - b % width).abs(), (a // width - b // width).abs()
    far, near = torch.maximum(dx, dy), torch.minimum(dx, dy)
    return torch.where(far <= 7, far * (far + 1) // 2 + near, torch.zeros_like(far))


def around(place, move, width, height):
    """The points of each move's convolution: for each displacement its tap, the place of the point among all points,
    and its share, which is zero outside the board. `place` is the place of the move's own point."""
    steps = range(-RADIUS, RADIUS + 1)
    points = []
    for dy, dx in itertools.product(steps, steps):
        x, y = move % width + dx, move // width + dy
        exists = (0 <= x) & (x < width) & (0 <= y) & (y < height)
        more, less = max(abs(dx), abs(dy)), min(abs(dx), abs(dy))
        share = 1.0 if more == 0 else 1.0 / CENTRE
        points.append((more * (more + 1) // 2 + less, torch.where(exists, place + dy * width + dx, 0), exists * share))
    return points


class Batch:
    """Samples as input of `forward`: the concatenated cells, and the concatenated candidates. `rows` are rows of
    `samples.npy`; `boards` returns the cells of some rows, `moves` returns entries of `candidates.npy`; `symmetries`
    are integers below 8."""

    def __init__(self, rows, boards, moves, symmetries, sides, device):
        to = lambda array, kind=np.int64: torch.tensor(np.array(array, kind, order="C"), device=device)
        self.n, self.sides = len(rows), sides
        self.white = to(rows["white"])
        self.facts = to(rows["facts"], np.float32) / HEAD_UNIT
        self.target, self.weight = to(rows["target"], np.float32), to(rows["weight"], np.float32)
        self.policy_weight, self.bound = to(rows["policy_weight"], np.float32), to(rows["bound"])
        self.best = to(rows["best"])

        # Boards are grouped by size; `first` is the offset of each sample's cells.
        ids, region, owner = [], [], []
        first, factors = np.zeros(self.n, np.int64), np.zeros((self.n, REGIONS), np.float32)
        total, symmetries = 0, np.asarray(symmetries)
        for width, height in sorted({(int(w), int(h)) for w, h in zip(rows["width"], rows["height"])}):
            members = np.flatnonzero((rows["width"] == width) & (rows["height"] == height))
            cells = to(boards(rows[members], width * height)).view(-1, height, width)
            views = torch.cat([shapes(cells), shapes((3 - cells) % 3)], dim=-1)
            ids.append(views.flatten(0, 2))
            images, factors[members] = regions(width, height)
            region.append(images[symmetries[members]].flatten())
            owner.append(members.repeat(width * height))
            first[members] = total + width * height * np.arange(len(members))
            total += width * height * len(members)
        self.ids = torch.cat(ids)
        # If the sides have separate weights, white's view uses the second line net.
        if sides == 2:
            self.ids[:, 4:] += SHAPES
        self.owner = to(np.concatenate(owner))
        self.region = REGIONS * self.owner + to(np.concatenate(region))
        self.factors = to(factors, np.float32)

        count = rows["count"].astype(np.int64)
        ends = count.cumsum()
        place = np.arange(ends[-1]) - (ends - count).repeat(count)
        move = to(moves(rows["candidates"].astype(np.int64).repeat(count) + place))
        self.of_move = to(np.arange(self.n).repeat(count))
        self.move = to(first)[self.of_move] + move
        starts = to(ends - count)
        self.has_best = self.best >= 0
        self.chosen = self.has_best.nonzero().flatten()
        self.best_move = (starts + self.best)[self.chosen]
        width, height = to(rows["width"])[self.of_move], to(rows["height"])[self.of_move]
        self.around = around(self.move, move, width, height)
        last, kind = to(rows["last"])[self.of_move], to(rows["class"])[self.of_move]
        whose = torch.arange(2, device=device)
        place = displacement(last, move[:, None], width[:, None])
        self.near = (whose * CLASSES + kind) * DISPLACEMENTS + place
        self.near_counts = (last != 65535).float()


def rows_of(values, residual, batch, rounded):
    """The rows of all different shapes of a batch, [k, HALF], and the indices of each point's eight rows."""
    unique, places = torch.unique(batch.ids, return_inverse=True)
    made = []
    for net in range(batch.sides):
        of_net = unique[(unique // SHAPES) == net] % SHAPES
        n = line_net(values, net, rounded)
        a, b = arms_of(of_net)
        hidden = (n["near"][a] + n["far"][b]).relu() + (n["near"][b] + n["far"][a]).relu()
        hidden = (hidden @ n["second"] + n["second_bias"]).relu()
        if rounded:
            # As in the trainer in Rust, units that are rounded to zero get no gradient.
            hidden = half_up(hidden, TABLE_UNIT)
            hidden = torch.where(hidden > 0, hidden, 0.0)
        made.append(hidden @ n["output"] + n["output_bias"])
    rows = torch.cat(made).float()
    if residual is not None:
        rows = rows + residual[unique]
    rows = inside(rows, -ROW_MAX, ROW_MAX)
    if rounded:
        rows = half_up(rows, ROW_UNIT)
    return rows, places


def forward(values, residual, batch, rounded, leak=0.0):
    """Log-odds of win, draw and loss, [n, 3], and of all candidates, flat. `leak` is the share of a gradient that passes
    clipped points and units."""
    rows, places = rows_of(values, residual, batch, rounded)
    points = rows[places].view(len(places), 2, 4, HALF).sum(2).view(-1, LANES)
    points = inside(points, 0.0, ACTIVATION_MAX, leak)
    # Put the view of the side to move first.
    swap = lambda lanes, white: torch.where(white[:, None] == 1, lanes.roll(HALF, -1), lanes)
    points = swap(points, batch.white[batch.owner])

    sums = torch.zeros(batch.n * REGIONS, LANES, device=values.device).index_add(0, batch.region, points)
    inputs = sums.view(batch.n, REGIONS, LANES) * (batch.factors * POOL)[:, :, None]
    floor = lambda v, unit: straight(v, (v * unit).floor() / unit) if rounded else v
    inputs = floor(inputs, HEAD_UNIT)
    inputs = torch.where(inputs < INPUT_MAX, inputs, torch.full_like(inputs, INPUT_MAX))
    inputs = torch.cat([inputs.flatten(1), batch.facts], 1)

    value = torch.zeros(batch.n, 3, device=values.device)
    weights = torch.zeros(batch.n, POLICY, device=values.device)
    move_near = torch.zeros(len(batch.move), device=values.device)
    for side in range(batch.sides):
        h = head(values, batch.sides, side, rounded)
        ours = torch.arange(batch.n, device=values.device)
        if batch.sides == 2:
            ours = ours[batch.white == side]
        first = inside(floor(inputs[ours] @ h["first"] + h["first_bias"], HEAD_UNIT), 0.0, INPUT_MAX, leak)
        second = inside(floor(first @ h["second"] + h["second_bias"], HEAD_UNIT), 0.0, INPUT_MAX, leak)
        value = value.index_copy(0, ours, (second @ h["output"] + h["output_bias"])[:, :3])
        policy = first @ h["gate"] + h["policy"]
        if rounded:
            limited = ((policy * POLICY_UNIT).floor() / POLICY_UNIT).clamp(-POLICY_MAX, POLICY_MAX)
            policy = straight(policy, limited)
        weights = weights.index_copy(0, ours, policy)
        near = (h["near"][batch.near] * batch.near_counts).sum(1)
        mine = batch.sides == 1 or batch.white[batch.of_move] == side
        move_near = near if batch.sides == 1 else torch.where(mine, near, move_near)
    taps = [torch.zeros(len(batch.move), LANES, device=values.device) for _ in range(TAPS)]
    for tap, place, share in batch.around:
        taps[tap] = taps[tap] + points[place] * share[:, None]
    moves = (torch.cat(taps, 1) * weights[batch.of_move]).sum(1) + move_near
    return value, moves


def losses(batch, value, moves):
    """Weighted sums over a batch: value loss, its weights, policy loss, its weights, and hits. Gradients flow through
    the value loss, except where a bound holds, and through the policy loss. Also returns results for each sample."""
    outcome = value.softmax(1)
    cross = -(batch.target * outcome.clamp(min=1e-9).log()).sum(1)
    points = torch.tensor([1.0, 0.5, 0.0], device=value.device)
    error = (outcome - batch.target) @ points
    holds = ((batch.bound == 1) & (error >= 0)) | ((batch.bound == 2) & (error <= 0))
    entropy = -torch.special.xlogy(batch.target, batch.target).sum(1)
    learned = batch.weight * torch.where(holds, entropy, cross)

    high = torch.full((batch.n,), -torch.inf, device=value.device)
    high = high.scatter_reduce(0, batch.of_move, moves.detach(), "amax")
    total = torch.zeros(batch.n, device=value.device).index_add(0, batch.of_move, (moves - high[batch.of_move]).exp())
    best = torch.zeros(batch.n, device=value.device).index_copy(0, batch.chosen, moves[batch.best_move])
    order = total.log() + high - best
    weight = torch.where(batch.has_best, batch.policy_weight, torch.zeros_like(order))
    order = torch.where(batch.has_best, order, torch.zeros_like(order))
    hit = best.detach() >= high
    return {
        "value": learned.sum(),
        "values": batch.weight.sum(),
        "policy": (weight * order).sum(),
        "policies": weight.sum(),
        "hits": (weight * hit).sum(),
        "outcome": outcome.detach(),
        "error": torch.where(holds, torch.zeros_like(error), error).detach(),
        "order": order.detach(),
        "first": hit,
    }
