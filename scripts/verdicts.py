#!/usr/bin/env python3
"""Compares the verdicts in a match record with those of c-gomoku-cli on the same moves; see verdicts.sh.

verdicts.py script RECORD           prints each different game on a line, for the scripted engine
verdicts.py compare RECORD GAMES    compares the record with c-gomoku-cli's SGF collection
"""

import collections
import json
import re
import sys


def our_games(path):
    """Moves and verdict of each different game of the record."""
    games = {}
    with open(path, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            game = json.loads(line)
            moves = tuple(tuple(p) for p in game["opening"]) + tuple(tuple(m["p"]) for m in game["moves"])
            winner = game.get("winner")
            result = "0" if winner is None else "B+1" if winner == game["black"] else "W+1"
            games[moves] = (result, game["end"])
    return games


def their_games(path):
    """Moves and verdict of each game of the collection."""
    for text in open(path, encoding="utf-8").read().split("(;")[1:]:
        moves = tuple((ord(m[0]) - 97, ord(m[1]) - 97) for m in re.findall(r";[BW]\[(..)\]", text))
        result, reason = re.search(r"RE\[(.*?)\]", text)[1], re.search(r"TE\[(.*?)\]", text)[1]
        words = {"connection": "row", "forbidden": "foul", "fullfilled": "full"}
        end = next((end for word, end in words.items() if word in reason), reason)
        yield moves, (result, end)


def compare(record, collection):
    ours = our_games(record)
    agreed, wrong = collections.Counter(), 0
    for moves, verdict in their_games(collection):
        # The record of c-gomoku-cli does not contain the forbidden move.
        if verdict[1] == "foul":
            found = [v for m, v in ours.items() if m[:-1] == moves]
        else:
            found = [ours[moves]] if moves in ours else []
        if found == [verdict]:
            agreed[verdict] += 1
        else:
            wrong += 1
            print(f"  c-gomoku-cli says {verdict}, the record {found}: {moves}")
    for (result, end), n in sorted(agreed.items()):
        print(f"  {n:4} {result:3} by {end}")
    print(f"  {sum(agreed.values())} agree, {wrong} do not")
    return wrong == 0 and bool(agreed)


if __name__ == "__main__":
    if sys.argv[1] == "script":
        for line in our_games(sys.argv[2]):
            print(" ".join(f"{x},{y}" for x, y in line))
    elif not compare(sys.argv[2], sys.argv[3]):
        sys.exit(1)
