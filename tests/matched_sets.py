"""Sets of matched tasks, and what they claim, proved anew by a search that shares no code with the solver.

Run as a program it goes on for as many sets of each kind and tiling as it is told, and prints how many it has proved:
``python tests/matched_sets.py --sets 500 --seconds 3600``.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator

from gridworld.generation.budgets import with_ample_budget
from gridworld.generation.certificate import Bounds, read_certificate
from gridworld.generation.making import Job, Made, make
from gridworld.generation.recipe import Recipe
from gridworld.plugins.tilings import compile_on
from gridworld.task.routes import read_routes, with_only
from gridworld.task_spec import TaskSpecification
from plain_search import explore_plainly

__all__ = ["KINDS", "TILINGS", "plain_length", "refuted", "sets"]

TILINGS = ("square", "hex", "triangle", "488", "3464")
KINDS = {
    "order": {"size": "7-9"},
    "path_choice": {"size": "9"},
    "decoy_ladder": {"size": "9", "base": "perfect_maze:depth=1", "kinds": "dead_end+wrong_key+idle_switch"},
    "depth_ladder": {"size": "9", "most": "2"},
    "sight": {"size": "7", "base": "perfect_maze:depth=1"},
    "recolored": {"size": "7", "base": "perfect_maze:depth=1"},
    "mirrored": {"size": "7", "base": "perfect_maze:depth=1"},
    "turned": {"size": "7", "base": "perfect_maze:depth=1"},
}
"""Kind of set to parameters with which every state can be looked at."""
MAX_STATES = 60_000
BOUNDS = Bounds(max_states=60_000, max_table_states=500)


def sets(kind: str, tiling: str, first: int = 0) -> Iterator[Made]:
    """Sets of a kind, certified on a tiling, without end."""
    number = first
    while True:
        recipe = Recipe(family=kind, count=number + 1, seed=41, tilings=(tiling,), parameters=KINDS[kind])
        found = make(Job(recipe, number), BOUNDS)
        if isinstance(found, Made):
            yield found
        number += 1


def plain_length(task: TaskSpecification, tiling: str) -> int | None:
    """The fewest actions that solve a task, found by trying all; None if there are too many states."""
    explored = explore_plainly(compile_on(tiling, with_ample_budget(task)), MAX_STATES)
    return None if explored is None else explored.length


def refuted(made: Made, tiling: str) -> list[str] | None:
    """What a set says of the lengths of its plans and is not so; None if there are too many states to tell."""
    wrong = []
    lengths = []
    for task in made.tasks:
        certificate = read_certificate(task)
        lengths.append(plain_length(task, tiling))
        if lengths[-1] is None:
            return None
        stated = certificate.held[tiling].get("length", certificate.varied[tiling].get("length"))
        if {lengths[-1]} != {stated, certificate.optimal_length[tiling]}:
            wrong.append(f"{task.task_id}: {lengths[-1]}, and says {stated}")
        routes = read_routes(task)
        for name in routes if len(routes) > 1 else ():
            alone = plain_length(with_only(task, name), tiling)
            if alone != certificate.routes[tiling][name]:
                wrong.append(f"{task.task_id}: {alone} by {name}, and says {certificate.routes[tiling][name]}")
    if len(set(lengths)) > 1 and "length" in read_certificate(made.tasks[0]).held[tiling]:
        wrong.append(f"{made.job}: lengths {lengths} are said to be held")
    return wrong


def main() -> None:
    """Prove sets until there are enough, or time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--tilings", default=",".join(TILINGS))
    given = parser.parse_args()
    running = {
        (kind, tiling): sets(kind, tiling) for kind in given.kinds.split(",") for tiling in given.tilings.split(",")
    }
    proved: Counter[tuple[str, str]] = Counter()
    skipped: Counter[tuple[str, str]] = Counter()
    end = time.monotonic() + given.seconds
    while running and time.monotonic() < end:
        for place in list(running):
            wrong = refuted(next(running[place]), place[1])
            if wrong:
                raise SystemExit("\n".join(wrong))
            (skipped if wrong is None else proved)[place] += 1
            if proved[place] >= given.sets:
                del running[place]
        sys.stdout.write(f"{proved.total()} proved, {skipped.total()} too large\n")
        sys.stdout.flush()
    for place in sorted({*proved, *skipped}):
        sys.stdout.write(f"{place[0]:14s} {place[1]:9s} {proved[place]:5d} proved {skipped[place]:4d} too large\n")


if __name__ == "__main__":
    main()
