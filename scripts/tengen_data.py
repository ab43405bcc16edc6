#!/usr/bin/env python3
"""Reads the training games of `tengen selfplay` (form: src/workbench/data/file.rs).

    import tengen_data
    for game in tengen_data.read("games.bin"):
        game["moves"]["score"]      # numpy arrays: played, best, score, nodes, random

As a program: tengen_data.py FILE... prints counts.
"""

import struct
import sys
import zlib

import numpy as np

MOVE = np.dtype([("played", "<u2"), ("best", "<u2"), ("score", "<i2"), ("nodes", "<u4")])
FORMS = {
    b"TGR1": ("<BBBBBBHIQQ16s", "rule width height result ending stones plies nodes seed signature evaluation"),
    b"TGR2": (
        "<BBBBBBHIHQQ16s16s",
        "rule width height result ending stones plies nodes depth seed signature engine evaluation",
    ),
}
HEADS = {magic: (struct.Struct(form), names.split()) for magic, (form, names) in FORMS.items()}


def read(path):
    """Yields each game of a file as a dict; a torn last record is left out, a corrupt one is an error."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at + 8 <= len(data):
        head, names = HEADS.get(data[at : at + 4], (None, None))
        if head is None:
            raise ValueError(f"{path}: no record at byte {at}")
        (length,) = struct.unpack_from("<I", data, at + 4)
        body = data[at + 8 : at + 8 + length]
        checksum = data[at + 8 + length : at + 12 + length]
        if len(checksum) < 4:
            return
        if zlib.crc32(body) != struct.unpack("<I", checksum)[0]:
            raise ValueError(f"{path}: bad checksum at byte {at}")
        game = {"depth": 0, "engine": b"", **dict(zip(names, head.unpack_from(body)))}
        for name in ("engine", "evaluation"):
            game[name] = game[name].rstrip(b"\0").decode()
        game["opening"] = np.frombuffer(body, "<u2", game["stones"], head.size)
        moves = np.frombuffer(body, MOVE, game["plies"], head.size + 2 * game["stones"])
        game["moves"] = {name: moves[name] for name in MOVE.names}
        game["moves"]["random"] = moves["played"] >> 15 == 1
        game["moves"]["played"] = moves["played"] & 0x7FFF
        yield game
        at += 12 + length


if __name__ == "__main__":
    for name in sys.argv[1:]:
        games = list(read(name))
        results = np.bincount([g["result"] for g in games], minlength=3)
        plies = sum(g["plies"] for g in games)
        print(f"{name}: {len(games)} games, {plies} positions, black {results[2]} draw {results[1]} white {results[0]}")
