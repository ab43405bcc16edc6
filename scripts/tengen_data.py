#!/usr/bin/env python3
"""Reads the training games of `tengen selfplay` (format: crates/workbench/src/data/record.rs) and the arrays of
`tengen data export` (format: crates/workbench/src/data/export.rs).

    import tengen_data
    for game in tengen_data.read("games.bin"):
        game["moves"]["score"]      # numpy arrays: played, best, score, nodes, random
        game["settings"]            # settings of the run: openings, temperature, ... (None in older files)

    stones, positions = tengen_data.load("arrays")                 # from `tengen data export -o arrays games.bin`
    quiet = positions[positions["flags"] & tengen_data.DECIDED == 0]
    batch = np.random.default_rng(1).choice(quiet, 4096)
    boards = tengen_data.boards(stones, batch)                     # [4096, height, width]: 0 empty, 1 to move, 2 other

On the command line, tengen_data.py FILE... prints counts.
"""

import json
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

MOVE = np.dtype([("played", "<u2"), ("best", "<u2"), ("score", "<i2"), ("nodes", "<u4")])
GAME = "rule width height result ending stones plies nodes depth seed signature engine evaluation"
FORMS = {
    b"TGR1": ("<BBBBBBHIQQ16s", "rule width height result ending stones plies nodes seed signature evaluation"),
    b"TGR2": ("<BBBBBBHIHQQ16s16s", GAME),
    b"TGR3": ("<IBBBBBBHIHQQ16s16s", "run " + GAME),
}
HEADS = {magic: (struct.Struct(form), names.split()) for magic, (form, names) in FORMS.items()}
SETTINGS = b"TGRS"

# Flags of a position.
RANDOM, WINS, FORCED, PROVEN = 1, 2, 4, 8
DECIDED = WINS | FORCED | PROVEN


def read(path):
    """Yields each game of a file as a dict. Skips an incomplete last record; a corrupt record is an error."""
    with open(path, "rb") as file:
        data = file.read()
    at, runs = 0, {}
    while at + 8 <= len(data):
        magic = data[at : at + 4]
        if magic not in HEADS and magic != SETTINGS:
            raise ValueError(f"{path}: no record at byte {at}")
        (length,) = struct.unpack_from("<I", data, at + 4)
        body = data[at + 8 : at + 8 + length]
        checksum = data[at + 8 + length : at + 12 + length]
        if len(checksum) < 4:
            return
        (checksum,) = struct.unpack("<I", checksum)
        if zlib.crc32(body) != checksum:
            raise ValueError(f"{path}: bad checksum at byte {at}")
        at += 12 + length
        if magic == SETTINGS:
            runs[checksum] = json.loads(body)
            continue
        head, names = HEADS[magic]
        game = {"depth": 0, "engine": b"", **dict(zip(names, head.unpack_from(body)))}
        game["settings"] = runs.get(game.pop("run", None))
        for name in ("engine", "evaluation"):
            game[name] = game[name].rstrip(b"\0").decode()
        game["opening"] = np.frombuffer(body, "<u2", game["stones"], head.size)
        moves = np.frombuffer(body, MOVE, game["plies"], head.size + 2 * game["stones"])
        game["moves"] = {name: moves[name] for name in MOVE.names}
        game["moves"]["random"] = moves["played"] >> 15 == 1
        game["moves"]["played"] = moves["played"] & 0x7FFF
        yield game


def load(folder):
    """The stones and positions of `tengen data export`, mapped into memory."""
    return tuple(np.load(Path(folder) / f"{name}.npy", mmap_mode="r") for name in ("stones", "positions"))


def boards(stones, positions):
    """The boards of positions of one board size, as uint8 [n, height, width]: 0 empty, 1 side to move, 2 opponent."""
    sizes = np.unique(positions[["width", "height"]])
    if len(sizes) != 1:
        raise ValueError("positions of several board sizes: choose those of one")
    width, height = int(sizes[0]["width"]), int(sizes[0]["height"])
    ply = positions["ply"].astype(np.int64)
    ends = np.cumsum(ply)
    row = np.repeat(np.arange(len(ply)), ply)
    number = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - ply, ply)
    at = stones[np.repeat(positions["start"].astype(np.int64), ply) + number]
    # The colours of stones alternate, and the last stone is the opponent's.
    side = 2 - ((np.repeat(ply, ply) - number) % 2 == 0)
    result = np.zeros((len(ply), height * width), np.uint8)
    result[row, at] = side
    return result.reshape(-1, height, width)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        games = list(read(name))
        results = np.bincount([g["result"] for g in games], minlength=3)
        plies = sum(g["plies"] for g in games)
        print(f"{name}: {len(games)} games, {plies} positions, black {results[2]} draw {results[1]} white {results[0]}")
