"""Sets of matched tasks, and what they claim, proved anew by a search that shares no code with the solver.

Run as a program it goes on for as many pairs of each kind and tiling as it is told, and prints how many it has
proved; a set of several tasks counts as one less than it has:
``python tests/matched_sets.py --pairs 500 --seconds 3600``.
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
from support.plain_search import explore_to_success

__all__ = ["KINDS", "TILINGS", "plain_length", "refuted", "sets"]

TILINGS = ("square", "hex", "triangle", "488", "3464")
KINDS = {
    "order": {"size": "7-9"},
    "path_choice": {"size": "9"},
    "decoy_ladder": {"size": "9", "base": "open_rooms:depth=1", "kinds": "idle_switch"},
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
    explored = explore_to_success(compile_on(tiling, with_ample_budget(task)), MAX_STATES)
    return None if explored is None else explored.length


def refuted(made: Made, tiling: str) -> tuple[list[str], int]:
    """What a set says of the lengths of its plans and is not so, and how many of its tasks are small enough to tell."""
    wrong: list[str] = []
    lengths = set()
    proved = 0
    for task in made.tasks:
        certificate = read_certificate(task)
        length = plain_length(task, tiling)
        if length is None:
            continue
        proved += 1
        lengths.add(length)
        stated = {**certificate.held[tiling], **certificate.varied[tiling]}["length"]
        if {length} != {stated, certificate.optimal_length[tiling]}:
            wrong.append(f"{task.task_id}: {length}, and says {stated}")
        if len(lengths) > 1 and "length" in certificate.held[tiling]:
            wrong.append(f"{task.task_id}: lengths {lengths} are said to be held")
        wrong += _wrong_routes(task, tiling)
    return wrong, proved


def _wrong_routes(task: TaskSpecification, tiling: str) -> Iterator[str]:
    routes, stated = read_routes(task), read_certificate(task).routes
    for name in routes if len(routes) > 1 else ():
        alone = plain_length(with_only(task, name), tiling)
        if alone not in (None, stated[tiling][name]):
            yield f"{task.task_id}: {alone} by {name}, and says {stated[tiling][name]}"


def main() -> None:
    """Prove sets until there are enough, or time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="of the sets of each kind and tiling")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--tilings", default=",".join(TILINGS))
    given = parser.parse_args()
    running = {
        (kind, tiling): sets(kind, tiling, given.first)
        for kind in given.kinds.split(",")
        for tiling in given.tilings.split(",")
    }
    pairs: Counter[tuple[str, str]] = Counter()
    too_large: Counter[tuple[str, str]] = Counter()
    end = time.monotonic() + given.seconds
    while running and time.monotonic() < end:
        for place in list(running):
            made = next(running[place])
            wrong, proved = refuted(made, place[1])
            if wrong:
                raise SystemExit("\n".join(wrong))
            pairs[place] += max(0, proved - 1)
            too_large[place] += len(made.tasks) - proved
            if pairs[place] >= given.pairs:
                del running[place]
        lines = (f"{name:13s} {tiling:9s} {n:5d} pairs proved\n" for (name, tiling), n in sorted(pairs.items()))
        sys.stdout.write("".join(lines) + f"{too_large.total()} tasks were too large\n\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
