"""Path choice: a barred and an open route to the goal, one of them short."""

# No postponed annotations: parameters are read from the types of inherited constructors.
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import attrs

from gridworld.generation.generator import Drawing, Generator, NothingDrawn
from gridworld.generation.measures import LEAST_GAP
from gridworld.task.routes import ROUTES, Route, with_only
from gridworld.task_spec import Position, TaskSpecification
from gridworld_generators.families.family import ANY
from gridworld_generators.matched.base import variant_of
from gridworld_generators.tools.chains import STEP_KINDS
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.mazes import CARVERS, carve
from gridworld_generators.tools.regions import distances, reachable, shortest_path
from gridworld_generators.tools.sketch import Sketch, colors_of_steps
from gridworld_generators.tools.ways import PER_THING

BARRED, OPEN = "barred", "open"
"""Names of the routes."""
WAYS = {"": (BARRED, OPEN), "_barred_only": (BARRED,), "_open_only": (OPEN,)}
"""Routes left open, by suffix of the variant's name."""
GENEROUS = 8
"""Step budget per floor cell; recipes replace it with a budget from the certificate."""


@attrs.frozen(kw_only=True)
class PathChoice(Generator):
    """A maze with two routes to the goal, one of them barred by mechanisms.

    In the first task the short route is barred but still at least four actions shorter than the long open one,
    including the actions to open it; in the next two, one of the routes is walled up. In the other three the same
    mechanisms bar the long route. The last cell of each route shows which one an agent took
    (`gridworld.task.routes.route_taken`).

    Args:
        size: lattice columns and rows, border included; odd, at least 9.
        steps: kinds of barriers in order, joined by "+": key, toggle, one_shot.
        algorithm: the algorithm of the maze.
    """

    size: int = 13
    steps: str = "key"
    algorithm: Literal["any", "backtracker", "division", "prim", "wilson"] = "any"

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for an impossible size or an unknown step."""
        if self.size < 9 or self.size % 2 == 0:
            raise ValueError(f"size must be odd and at least 9, got {self.size}")
        known = [kind for kind in STEP_KINDS if kind != "hold"]
        for kind in self.kinds:
            if kind not in known:
                raise ValueError(f"steps: '{kind}' is unknown; expected some of {', '.join(known)}")

    @property
    def kinds(self) -> list[str]:
        """The kind of each step."""
        return self.steps.split("+")

    def draw(self, seed: int) -> Drawing:
        """Draw six tasks: the short or the long route barred, each with both routes and with only one of them."""
        dice = Dice(seed)
        rooms = (self.size - 1) // 2
        algorithm = dice.choice(sorted(CARVERS)) if self.algorithm == ANY else self.algorithm
        fork = next(_forks(carve(algorithm, rooms, rooms, dice), self.size, self.kinds, dice), None)
        if fork is None:
            raise NothingDrawn("no loop with a short path and a long one")
        colors = colors_of_steps(fork.sketch, self.kinds, dice)
        tasks: list[TaskSpecification] = []
        for name, barred, free in (("short_barred", fork.short, fork.long), ("long_barred", fork.long, fork.short)):
            both = _task(fork, self.kinds, colors, barred, free)
            for suffix, left in WAYS.items():
                needs_steps = barred is fork.short if len(left) > 1 else left == (BARRED,)
                tasks.append(variant_of(_with_ways(both, left, needs_steps), name + suffix))
        shorter = (BARRED, BARRED, OPEN, OPEN, BARRED, OPEN)
        ways = (f"{BARRED}, {OPEN}", BARRED, OPEN) * 2
        return Drawing(tuple(tasks), held=("size", "contents"), stated={"short_way": shorter, "ways": ways})


@attrs.frozen
class _Fork:
    sketch: Sketch
    """The maze with start and goal, but without mechanisms."""
    short: list[Position]
    """Cells of the short route, from the fork to where both routes meet."""
    long: list[Position]
    openers: list[Position]
    """Dead ends before the fork, for keys and switches."""


def _forks(floor: set[Position], size: int, kinds: list[str], dice: Dice) -> Iterator[_Fork]:
    """Yield perfect mazes with one added loop that has a short and a much longer side."""
    whole = Sketch(size, size, floor)
    between = [cell for cell in whole.inner_cells if (cell.x + cell.y) % 2 and cell not in floor]
    for gap in dice.shuffled(cell for cell in between if len(whole.floor_beside(cell)) == 2):
        one, other = (cell for cell in whole.neighbors[gap] if cell in floor)
        loop = [*shortest_path(floor, one, other, whole.neighbors), gap]
        sketch = Sketch(size, size, floor | {gap})
        hanging = {cell: reachable(sketch.floor - set(loop) | {cell}, cell, sketch.neighbors) for cell in loop}
        for place in sorted(range(len(loop)), key=lambda place: -len(hanging[loop[place]]))[:3]:
            turned = [*loop[place:], *loop[:place]]
            yield from _with_ends(sketch, turned, hanging[turned[0]], hanging, kinds, dice)


def _with_ends(
    sketch: Sketch,
    loop: list[Position],
    before: set[Position],
    hanging: dict[Position, set[Position]],
    kinds: list[str],
    dice: Dice,
) -> Iterator[_Fork]:
    """Yield forks of a loop, with a start before the fork and a goal behind the point where its sides meet."""
    neighbors = sketch.neighbors
    closed = [cell for cell in sorted(before) if len(sketch.floor_beside(cell)) == 1]
    if len(closed) < len(kinds):
        return
    openers = dice.sample(closed, len(kinds))
    starts = [cell for cell in sorted(before) if cell not in openers]
    start = dice.choice(starts)
    stops = [start, *openers, loop[0]]
    moves = sum(distances(before, [here], neighbors)[there] for here, there in pairwise(stops))
    detour = moves - distances(before, [start], neighbors)[loop[0]] + 2 * PER_THING * len(kinds)
    room = 2 * len(kinds) + 1
    for meeting in dice.shuffled(range(room + 1, len(loop) - room)):
        sides = [loop[1:meeting], loop[:meeting:-1]]
        short, long = sorted(sides, key=len)
        if len(long) - len(short) < LEAST_GAP + detour:
            continue
        finished = sketch.copy()
        behind = distances(hanging[loop[meeting]], [loop[meeting]], neighbors)
        finished.start, finished.goal = start, list(behind)[-1]
        yield _Fork(finished, short, long, openers)


def _task(
    fork: _Fork, kinds: list[str], colors: list[str], barred: list[Position], free: list[Position]
) -> TaskSpecification:
    """Return the task with both routes; one of them is barred at every second cell, from its second cell on."""
    sketch = fork.sketch.copy()
    names: list[str] = []
    for kind, color, opener, barrier in zip(kinds, colors, fork.openers, barred[1::2], strict=False):
        if kind == "key":
            step = (sketch.place_key(opener, color), sketch.place_door(barrier, color))
        else:
            gate = sketch.place_gate(barrier, color)
            step = (sketch.place_switch(opener, color, kind, gate), gate)
        sketch.add_step("key-door" if kind == "key" else "switch-gate", *step)
        names += step
    routes = {BARRED: Route(barred, names), OPEN: Route(free)}
    return sketch.to_task(
        task_id="path_choice",
        seed=0,
        max_steps=GENEROUS * len(sketch.floor),
        description="A way through mechanisms and an open one.",
        metadata={ROUTES: {name: route.to_dict() for name, route in routes.items()}},
    )


def _with_ways(task: TaskSpecification, left: tuple[str, ...], needs_steps: bool) -> TaskSpecification:
    """Return a copy of a task with some routes walled up; keeps its chain if the shortest plan needs it."""
    routes = {name: route for name, route in task.metadata[ROUTES].items() if name in left}
    alone = with_only(task, left[0]) if len(left) == 1 else task
    kept = alone if needs_steps else attrs.evolve(alone, dependency_chain=None)
    return attrs.evolve(kept, metadata={**kept.metadata, ROUTES: routes})
