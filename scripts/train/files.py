"""Checkpoints of training runs (format: crates/workbench/src/train/checkpoint.rs) and the arrays of
`tengen train --arrays` (format: crates/workbench/src/train/arrays.rs)."""

import json
import os
import struct
import zlib
from pathlib import Path

import network
import numpy as np

MAGIC = b"TGC5"
RULES_WITH_TWO_SIDES = {2}  # renju, by its index in the file format
ENTRY = 3 * network.HALF + 1


class State:
    """The state of a run. `history` has rows of step, training losses of value and policy, held-out losses of result
    and policy, and share of positions whose best move is ranked first."""

    def __init__(self, rule, recipe, steps, history, values, average, moments, residual):
        self.rule, self.recipe, self.steps, self.history = rule, recipe, steps, history
        self.values, self.average, self.moments, self.residual = values, average, moments, residual

    @property
    def sides(self):
        return 2 if self.rule in RULES_WITH_TWO_SIDES else 1

    @property
    def rows(self):
        """The residual rows, added to the line nets' rows, [shapes, HALF]; `None` without residual rows."""
        return self.residual[:, : network.HALF] if len(self.residual) else None

    @classmethod
    def read(cls, path):
        data = Path(path).read_bytes()
        if data[:4] != MAGIC:
            raise ValueError(f"{path}: no state of a training run of this version")
        body, crc = data[:-4], struct.unpack("<I", data[-4:])[0]
        if zlib.crc32(body) != crc:
            raise ValueError(f"{path}: damaged")
        rule, length = struct.unpack_from("<BI", body, 4)
        at = 9 + length
        recipe = json.loads(body[9:at])
        at += 40
        count, steps, marks = struct.unpack_from("<III", body, at)
        at += 12
        history = [struct.unpack_from("<I5f", body, at + 24 * i) for i in range(marks)]
        at += 24 * marks
        take = lambda i: np.frombuffer(body, "<f4", count, at + 4 * count * i).copy()
        values, average, mean, square = (take(i) for i in range(4))
        at += 16 * count
        (entries,) = struct.unpack_from("<I", body, at)
        residual = np.frombuffer(body, "<f4", entries * ENTRY, at + 4).reshape(entries, ENTRY).copy()
        state = cls(rule, recipe, steps, history, values, average, (mean, square), residual)
        if count != network.parameters(state.sides):
            raise ValueError(f"{path}: of a network of another shape")
        return state

    def write(self, path):
        recipe = json.dumps(self.recipe).encode()
        parts = [MAGIC, struct.pack("<BI", self.rule, len(recipe)), recipe, bytes(40)]
        parts.append(struct.pack("<III", len(self.values), self.steps, len(self.history)))
        parts += [struct.pack("<I5f", *mark) for mark in self.history]
        parts += [np.asarray(part, "<f4").tobytes() for part in (self.values, self.average, *self.moments)]
        parts += [struct.pack("<I", len(self.residual)), np.asarray(self.residual, "<f4").tobytes()]
        body = b"".join(parts)
        # Keep the old state until the new one is complete.
        part = Path(f"{path}.part")
        part.write_bytes(body + struct.pack("<I", zlib.crc32(body)))
        os.replace(part, path)


NODE, POSITION, HELD_OUT_POSITION, HELD_OUT_NODE = range(4)


class Samples:
    """The samples in a folder, mapped into memory. `begun` is the checkpoint that was written with them."""

    def __init__(self, folder, begun):
        if begun.recipe is None or json.loads((Path(folder) / "recipe.json").read_text()) != begun.recipe:
            raise ValueError(f"{folder}: not written by the command that wrote the state")
        load = lambda name: np.load(Path(folder) / f"{name}.npy", mmap_mode="r")
        self.rows, self.cells, self.candidates = load("samples"), load("cells"), load("candidates")
        kinds = np.asarray(self.rows["kind"])
        # Samples are sorted by kind.
        bounds = np.searchsorted(kinds, np.arange(5))
        self.of_kind = [np.arange(a, b) for a, b in zip(bounds, bounds[1:])]

    def batch(self, indices, symmetries, sides, device):
        rows = np.asarray(self.rows[indices])
        return network.Batch(rows, self.boards, self.moves, symmetries, sides, device)

    def boards(self, rows, cells):
        """Cells of samples of one size: 0 empty, 1 black, 2 white."""
        at = rows["cells"].astype(np.int64)[:, None] + np.arange((cells + 3) // 4)
        packed = np.asarray(self.cells[at])[:, :, None] >> np.array([0, 2, 4, 6], np.uint8) & 3
        return packed.reshape(len(rows), -1)[:, :cells].astype(np.int64)

    def moves(self, places):
        return self.candidates[places]
