"""Random tasks for searches, mostly of 100 to 30,000 states, and differences of the solver from a plain search.

    task = random_task(17)
    task = random_task(17, WITH_EXAMPLES)

A task has one or more rooms with gaps in the walls between them, and in each gap something to open, push away or
bypass. Mechanisms are drawn with `worlds.FIELDS_OF`, on a `worlds.Sketch`.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from math import prod
from typing import Any

import attrs

from gridworld.actions import Action
from gridworld.errors import GridworldError
from gridworld.goals import REACH_POSITION
from gridworld.plugins import get_registry
from gridworld.solver import solve, state_table
from gridworld.solver.search import TaskSearches
from gridworld.solver.state_table import NotTabulatedError, StateTable, tabulate
from gridworld.task.catalogs import Catalogs
from gridworld.task.colors import COLOR_NAMES
from gridworld.task.reading import task_from_dict
from gridworld.task_spec import TaskSpecification
from gridworld.world import Topology, World, compile_world
from support.plain_search import DEAD, WON, Explored, Name, can_do_without, explore_plainly, name_of
from support.plugins import example_catalogs, with_item
from support.tilings import TILINGS, make_topology
from support.worlds import FIELDS_OF, FieldsOf, Sketch, Thing

Cell = list[int]

MOST_STATES = (4_000, 20_000, 100_000)
"""Limits on the estimated states on the square tiling; one is drawn for each task."""
FEWEST_STATES = 100
"""Most tasks with fewer states on the square tiling are rejected, too."""


@attrs.frozen(eq=False)
class Ingredients:
    """The mechanisms and goals of random tasks."""

    catalogs: Callable[[], Catalogs]
    """Catalogs to read and compile the tasks with."""
    fields_of: FieldsOf
    barriers: Mapping[str, int]
    """Weights of the mechanisms in gaps."""
    goals: Mapping[str, int]
    """Weights of the goal types."""


BUILT_IN = Ingredients(
    get_registry,
    FIELDS_OF,
    {"doors": 8, "gates": 8, "blocks": 8, "hazards": 1, "teleporters": 3, "keys": 1, "switches": 1},
    {"reach_position": 5, "push_block_to": 4, "collect_all": 2, "survive_steps": 1},
)
WITH_EXAMPLES = Ingredients(
    example_catalogs,
    {
        **FIELDS_OF,
        "belts": lambda rng: Thing("belts", {"direction": rng.randrange(4)}),
        "ice": lambda rng: Thing("ice", {}),
        "one_way": lambda rng: Thing("one_way", {"direction": rng.choice(("right", "down", "left", "up"))}),
        "timers": lambda rng: Thing("timers", {"period": rng.randint(1, 4), "controls": []}),
    },
    {**BUILT_IN.barriers, "gates": 5, "doors": 5, "belts": 4, "ice": 3, "one_way": 8},
    {**BUILT_IN.goals, "tour": 4},
)


@cache
def _timed_catalogs() -> Catalogs:
    at_even_steps = attrs.evolve(
        REACH_POSITION,
        name="at_even_steps",
        reached=lambda world: lambda state: REACH_POSITION.reached(world)(state) and state.steps % 2 == 0,
        timed=True,
    )
    return with_item(get_registry(), "goal", at_even_steps)


AT_EVEN_STEPS = attrs.evolve(BUILT_IN, catalogs=_timed_catalogs, goals={"at_even_steps": 1})
"""A timed goal: to be on the goal cell after an even number of steps."""


@attrs.frozen
class _Plan:
    """Size of a task, and its dividing walls."""

    width: int
    height: int
    lines: list[int]
    """Columns (rows, if it is not broader than high) that are wall except for a gap."""
    in_a_row: bool = False
    """Whether all gaps are in line."""
    locked: bool = False
    """Whether locked doors bar all gaps, with two keys in turn."""


def _broad(rng: random.Random) -> _Plan:
    """One to three rooms."""
    return _spaced(rng, rng.randint(5, 8), rng.randint(5, 7), rng.choice((0, 1, 1, 1, 2)))


def _narrow(rng: random.Random) -> _Plan:
    """A corridor with hardly any room to walk around obstacles."""
    return _spaced(rng, rng.randint(7, 10), rng.choice((3, 4, 4)), rng.choice((1, 2, 2, 3)))


def _spaced(rng: random.Random, width: int, height: int, count: int) -> _Plan:
    """Walls with room between them."""
    length = max(width, height)
    possible = range(2 + rng.randrange(min(2, length - 4)), length - 2, 2)
    lines = sorted(rng.sample(possible, min(count, len(possible))))
    return _Plan(*rng.choice(((width, height), (height, width))), lines)


def _thick(rng: random.Random) -> _Plan:
    """Two small rooms and a passage with several obstacles, mostly doors.

    Where two keys open three doors, one may have to be put down and fetched again.
    """
    first, count = rng.choice((3, 3, 4)), rng.choice((2, 3, 3, 3))
    sides = first + count + rng.choice((2, 3)), rng.choice((4, 4, 5))
    return _Plan(*rng.choice((sides, sides[::-1])), [*range(first, first + count)], True, rng.random() < 0.8)


STRETCHES, STRETCH = ("belts", "ice"), 3
"""Mechanisms that come in threes."""
LAYOUTS = (_broad, _broad, _narrow, _thick)


@lru_cache(maxsize=512)
def random_task(seed: int, ingredients: Ingredients = BUILT_IN) -> TaskSpecification:
    """The small task of a seed; it is valid on every installed tiling."""
    rng = random.Random(seed)
    catalogs = ingredients.catalogs()
    # Drawn once: layouts and goals whose attempts mostly fail would become rare otherwise.
    layout, goal_type = rng.choice(LAYOUTS), _choose(rng, ingredients.goals)
    while True:
        data = _draw(rng, layout(rng), goal_type, ingredients)
        if data is None or _estimate(data, catalogs) > rng.choice(MOST_STATES):
            continue
        try:
            task = task_from_dict({**data, "task_id": f"random-{seed}"}, catalogs)
            worlds = {tiling: compile_on(tiling, task, ingredients) for tiling in TILINGS}
        except GridworldError:
            continue
        if explore_plainly(worlds["square"], FEWEST_STATES) is None or rng.random() < 0.1:
            return task


def compile_on(tiling: str, task: TaskSpecification, ingredients: Ingredients = BUILT_IN) -> World:
    """A task on a tiling.

    Raises:
        InvalidTaskError: it is invalid there.
    """
    return compile_world(task, _topology(tiling, *task.maze.dimensions), ingredients.catalogs())


@cache
def _topology(tiling: str, width: int, height: int) -> Topology:
    return make_topology(tiling, (width, height))


def _choose(rng: random.Random, weights: Mapping[str, int]) -> str:
    return rng.choices(sorted(weights), [weights[name] for name in sorted(weights)])[0]


def _draw(rng: random.Random, plan: _Plan, goal_type: str, ingredients: Ingredients) -> dict[str, Any] | None:
    """The contents of a task file, which may be invalid; None if there is not enough room."""
    timed = ingredients.catalogs().goals.get(goal_type).timed
    extras = rng.choices(sorted(ingredients.fields_of), k=rng.choice((0, 0, 1, 1, 2, 3)))
    rooms = _Rooms(plan, rng, ingredients.fields_of)
    barriers = {"doors": 1} if plan.locked else ingredients.barriers
    try:
        goal = rooms.make_room_for(goal_type)
        for gap in rooms.gaps:
            rooms.bar(_choose(rng, barriers), gap)
        for kind in extras:
            for _ in range(STRETCH if kind in STRETCHES else 1):
                rooms.scatter(kind)
    except IndexError:
        return None
    rooms.complete_references()
    return {
        "seed": 1,
        "difficulty_tier": 1,
        "maze": rooms.maze(),
        "mechanisms": rooms.mechanisms,
        "rules": rooms.rules(),
        "goal": goal,
        "max_steps": rng.randint(3, 12) if timed else rng.randint(5, 100),
    }


class _Rooms(Sketch):
    """A draft of rooms side by side, with a gap in each wall between two.

    Methods raise IndexError if there is not enough room.
    """

    def __init__(self, plan: _Plan, rng: random.Random, fields_of: FieldsOf) -> None:
        width, height, lines = plan.width, plan.height, plan.lines
        upright = width > height or (width == height and rng.random() < 0.5)
        across = height if upright else width
        holes = (
            [rng.randrange(1, across - 1)] * len(lines)
            if plan.in_a_row
            else rng.choices(range(1, across - 1), k=len(lines))
        )
        self.gaps = [[line, hole] if upright else [hole, line] for line, hole in zip(lines, holes, strict=True)]
        dividing = [[line, each] if upright else [each, line] for line in lines for each in range(1, across - 1)]
        self.walls = [cell for cell in dividing if cell not in self.gaps]
        super().__init__(width, height, rng, fields_of, dividing)
        self._locked = plan.locked
        self._axis, self._lines = (0 if upright else 1), lines
        if rng.random() < 0.8:
            self._part_start_and_goal()

    def _part_start_and_goal(self) -> None:
        """Put the start in the first room, the goal in the last."""
        self.free += [self.start, self.goal]
        self.start, self.goal = self._take(0), self._take(len(self._lines))
        self.target = self.goal

    def _room_of(self, cell: Cell) -> int:
        return sum(cell[self._axis] > line for line in self._lines)

    def _take(self, room: int) -> Cell:
        """Take a free cell of a room."""
        cell = self.rng.choice([each for each in self.free if self._room_of(each) == room])
        self.free.remove(cell)
        return cell

    def _near(self) -> Cell:
        """Take a free cell, mostly in the room of the start."""
        return self._take(self._room_of(self.start)) if self.rng.random() < 0.7 else self.free.pop()

    def make_room_for(self, goal_type: str) -> dict[str, Any]:
        """The goal, with the mechanisms that it requires."""
        if goal_type == "tour":
            return self._tour()
        goal = super().make_room_for(goal_type)
        more = self.rng.random() < 0.3
        if goal_type == "collect_all" and more:
            goal["target_ids"].append(self.add("keys", self.free.pop())["id"])
        if goal_type == "push_block_to" and more:
            position, target = self._room_for_a_push()
            pushed = self.add("blocks", position)
            pushed["pushable"] = True
            goal["target_ids"].append(pushed["id"])
            goal["target_positions"].append(target)
        return goal

    def _tour(self) -> dict[str, Any]:
        cells = [*self.free, self.goal]
        waypoints = self.rng.sample(cells, min(self.rng.randint(1, 3), len(cells)))
        in_order, come_back = (self.rng.random() < 0.5 for _ in range(2))
        return {"type": "tour", "waypoints": waypoints, "in_order": in_order, "come_back": come_back}

    def bar(self, kind: str, gap: Cell) -> None:
        """Put a mechanism into a gap, and what opens it mostly into the agent's room."""
        if kind == "teleporters":
            self._bridge(gap)
            return
        self.add(kind, gap)
        if kind == "doors" and len(self.mechanisms.get("keys", ())) < 2:
            self.add("keys", self._take(self._room_of(self.start)) if self._locked else self._near())
        if kind == "gates":
            for _ in range(self.rng.choice((1, 1, 2))):
                openers = [name for name in ("switches", "timers") if name in self.fields_of]
                self.add(self.rng.choice(openers), self._near())

    def _bridge(self, gap: Cell) -> None:
        """Wall up a gap, with a teleporter past it."""
        self.walls.append(gap)
        room = self._room_of(gap)
        here, there = self._take(room), self._take(room + 1)
        if self.rng.random() < 0.2:
            here, there = there, here
        entry = self.add("teleporters", here)
        self.free.append(entry["position_b"])
        entry["position_b"] = there

    def complete_references(self) -> None:
        """Complete references; most gates without a controller get one."""
        super().complete_references()
        if self._locked:
            self._lock_by_turns()
        openers = [*self.mechanisms.get("switches", ()), *self.mechanisms.get("timers", ())]
        controlled = {name for each in openers for name in each["controls"]}
        for gate in self.mechanisms.get("gates", ()):
            if openers and gate["id"] not in controlled and self.rng.random() < 0.8:
                self.rng.choice(openers)["controls"].append(gate["id"])

    def _lock_by_turns(self) -> None:
        first, second = self.mechanisms["keys"][:2]
        if self.rng.random() < 0.8:
            first["color"], second["color"] = self.rng.sample(COLOR_NAMES, 2)
        for number, door in enumerate(self.mechanisms["doors"][: len(self.gaps)]):
            door["requires_key"], door["initial_state"] = (first, second)[number % 2]["color"], "locked"

    def maze(self) -> dict[str, Any]:
        """The maze, with further walls on a few free cells."""
        del self.free[: len(self.free) // 3]
        maze = super().maze()
        return {**maze, "walls": [*self.walls, *maze["walls"]]}


def _estimate(data: dict[str, Any], catalogs: Catalogs) -> int:
    """Rough upper estimate of the number of states on the square tiling."""
    width, height = data["maze"]["dimensions"]
    cells = (width - 2) * (height - 2) - len(data["maze"]["walls"])
    counts = Counter({kind: len(group) for kind, group in data["mechanisms"].items()})
    moved = sum(each["pushable"] for each in data["mechanisms"].get("blocks", ())) + counts["keys"]
    places = prod(cells - each for each in range(moved))
    values = 2 ** (counts["doors"] + counts["switches"] + counts["gates"] // 2)
    periods = prod(2 * timer["period"] for timer in data["mechanisms"].get("timers", ()))
    memories = 2 ** len(data["goal"].get("waypoints", ()))
    times = data["max_steps"] if catalogs.goals.get(data["goal"]["type"]).timed else 1
    return int(4 * cells * places * values * periods * memories * times)


FURTHER_STARTS = 3
"""Number of states of each task, besides its start, from which plans are compared."""


def find_differences(world: World, max_states: int) -> list[str] | None:
    """Disagreements of the solver with the plain search; None if the world has too many states."""
    plain = explore_plainly(world, max_states)
    if plain is None:
        return None
    starts = random.Random(len(plain.states)).choices(sorted(plain.states, key=repr), k=FURTHER_STARTS)
    plans = (difference for name in [plain.start, *starts] for difference in _differences_in_plan(world, plain, name))
    return [*plans, *_differences_in_necessity(world, plain), *_differences_in_table(world, plain)]


def _differences_in_plan(world: World, plain: Explored, name: Name) -> Iterator[str]:
    """Compare a shortest plan from a state: length and actions."""
    state, expected = plain.states[name], plain.distance[name]
    solution = solve(world, start=state)
    if (solution.length, solution.verdict.value) != (expected, "unsolvable" if expected is None else "solved"):
        yield f"from {state}: {solution} instead of a plan of length {expected}"
    for action in solution.plan or ():
        if action not in plain.optimal.get(name, ()):
            yield f"from {state}: {solution.plan} goes wrong with {action!r} in {name}"
            break
        name = plain.outcomes[name][action]


def _differences_in_necessity(world: World, plain: Explored) -> Iterator[str]:
    """Compare what every shortest plan has to touch."""
    if plain.length is None:
        return
    searches = TaskSearches(world)
    for entity in world.entities:
        expected = plain.length if can_do_without(world, plain, entity.index) else None
        found = searches.necessity_of(entity.index)
        if (found.length, found.decided) != (expected, True):
            yield f"without {entity.id}: {found} instead of {expected}"


def _differences_in_table(world: World, plain: Explored) -> Iterator[str]:
    """Compare all reachable states: outcomes of actions, distances, and optimal actions."""
    try:
        table = tabulate(world)
    except NotTabulatedError as error:
        if not world.goal_type.timed or world.goal_type.only_at_last_step:
            yield f"there is no table: {error}"
        return
    names = [
        name_of(world, table.state(number)._replace(steps=int(table.depth[number]))) for number in range(len(table))
    ]
    numbers = {name: number for number, name in enumerate(names)}
    if not world.goal_type.timed:
        if set(names) != set(plain.states) or len(names) != len(plain.states):
            yield f"the table has other states: {set(names) ^ set(plain.states)}"
            return
        yield from _differences_in_outcomes(table, plain, numbers)
    for name in plain.states.keys() & numbers:  # for a goal at the last step: states at their earliest time
        number = numbers[name]
        distance = None if table.lost[number] else int(table.distance[number])
        optimal = {action for action in Action if table.optimal[number, action]}
        if (distance, optimal) != (plain.distance[name], plain.optimal[name]):
            expected = plain.distance[name], sorted(plain.optimal[name])
            yield f"in {name}: distance {distance}, optimal {sorted(optimal)} instead of {expected}"


def _differences_in_outcomes(table: StateTable, plain: Explored, numbers: Mapping[Name, int]) -> Iterator[str]:
    numbers = {**numbers, WON: state_table.WON, DEAD: state_table.DEAD}
    for name, outcomes in plain.outcomes.items():
        expected = [numbers[outcomes[action]] for action in Action]
        found = table.successor[numbers[name]].tolist()
        if found != expected:
            yield f"in {name} the actions lead to {found} instead of {expected}"
