"""Small worlds for tests: drawn as pictures, played with letters, or made at random.

In a picture ``#`` is wall, ``.`` floor, ``@`` the start and ``G`` the goal; any other character is a mechanism with
that id, or a named cell:

    task = draw(
        '''
        ######
        #@kDG#
        ######
        ''',
        k=key("red"),
        D=door("red"),
    )
    state = play(begin(task), "P T FF")
"""

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from textwrap import dedent
from typing import Any

import attrs
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.backends.grid_state import GridState, full_grid_state
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld.testing.stage import roaming_action as roaming_action  # the tests have both from here
from gridworld.testing.stage import walk as walk
from gridworld.world import Episode, State, World, compile_world, square_topology

LETTERS = {
    "L": Action.TURN_LEFT,
    "R": Action.TURN_RIGHT,
    "F": Action.MOVE_FORWARD,
    "P": Action.PICKUP,
    "D": Action.DROP,
    "T": Action.TOGGLE,
    "W": Action.DONE,
}
"""The letters of `play`; W is for waiting."""


@attrs.frozen
class Thing:
    """A mechanism without id and position."""

    kind: str
    fields: dict[str, Any]


def key(color: str = "red") -> Thing:
    return Thing("keys", {"color": color})


def door(requires_key: str | None = None, initial_state: str = "locked") -> Thing:
    return Thing("doors", {"requires_key": requires_key, "initial_state": initial_state})


def switch(*controls: str, **fields: Any) -> Thing:
    return Thing("switches", {"controls": list(controls), **fields})


def gate(initial_state: str = "closed") -> Thing:
    return Thing("gates", {"initial_state": initial_state})


def block(**fields: Any) -> Thing:
    return Thing("blocks", fields)


def teleporter(bidirectional: bool = True) -> Thing:
    """Named by both ends: ``ab=teleporter()``."""
    return Thing("teleporters", {"bidirectional": bidirectional})


def hazard(hazard_type: str = "lava") -> Thing:
    return Thing("hazards", {"hazard_type": hazard_type})


def cells_of(picture: str) -> dict[str, list[list[int]]]:
    """Cells of each character."""
    found: dict[str, list[list[int]]] = {}
    for y, row in enumerate(dedent(picture).strip().splitlines()):
        for x, character in enumerate(row):
            found.setdefault(character, []).append([x, y])
    return found


def describe(
    picture: str,
    goal: Mapping[str, Any] | None = None,
    rules: Mapping[str, Any] | None = None,
    max_steps: int = 100,
    **things: Thing,
) -> dict[str, Any]:
    """The contents of the task file of a picture; `goal` may name cells by their character."""
    cells = cells_of(picture)
    rows = dedent(picture).strip().splitlines()
    mechanisms: dict[str, list[dict[str, Any]]] = {}
    for name, thing in things.items():
        mechanisms.setdefault(thing.kind, []).append({"id": name, **_place(thing, name, cells), **thing.fields})
    return {
        "task_id": "drawn",
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {
            "dimensions": [len(rows[0]), len(rows)],
            "walls": cells["#"],
            "start": cells["@"][0],
            "goal": cells["G"][0],
        },
        "mechanisms": mechanisms,
        "rules": dict(rules or {}),
        "goal": _named_cells(goal or {"type": "reach_position"}, cells),
        "max_steps": max_steps,
    }


def _place(thing: Thing, name: str, cells: Mapping[str, list[list[int]]]) -> dict[str, Any]:
    if thing.kind == "teleporters":
        return {"position_a": cells[name[0]][0], "position_b": cells[name[1]][0]}
    return {"position": cells[name][0]}


def _named_cells(goal: Mapping[str, Any], cells: Mapping[str, list[list[int]]]) -> dict[str, Any]:
    named = dict(goal)
    if isinstance(named.get("target"), str):
        named["target"] = cells[named["target"]][0]
    if "target_positions" in named:
        named["target_positions"] = [
            cells[each][0] if isinstance(each, str) else each for each in named["target_positions"]
        ]
    return named


def draw(picture: str, **options: Any) -> TaskSpecification:
    """The task of a picture; options as for `describe`."""
    return TaskSpecification.from_dict(describe(picture, **options))


def draw_everything(**options: Any) -> TaskSpecification:
    """A maze with most kinds of every mechanism."""
    return draw(
        """
        ###########
        #@.k.D..gG#
        #.B.m.#z.p#
        #.sc..#a.q#
        #tuCOb#..l#
        ###########
        """,
        k=key("red"),
        c=key("blue"),
        D=door("red"),
        C=door("green", "closed"),
        O=door("yellow", "open"),
        s=switch("g", color="purple"),
        t=switch("g", switch_type="hold"),
        u=switch("g", switch_type="one_shot", color="grey"),
        g=gate(),
        B=block(color="blue"),
        z=block(pushable=False),
        ab=teleporter(),
        p=hazard("pit"),
        q=hazard("spike"),
        l=hazard("lava"),
        **{"max_steps": 80, **options},
    )


def describe_every_field() -> dict[str, Any]:
    """The contents of a valid task file that uses every part and field."""
    data = describe(
        """
        #########
        #@kd.sg.#
        #.b.h...#
        #t..u..G#
        #########
        """,
        k=key("red"),
        d=door("red"),
        s=switch("g", color="blue", switch_type="one_shot", initial_state="off"),
        g=gate(),
        b=block(pushable=True, color="green"),
        tu=teleporter(bidirectional=False),
        h=hazard("spike"),
        rules={
            "key_consumption": True,
            "switch_type": "hold",
            "hidden_mechanisms": ["s"],
            "observability": "fog_of_war",
            "view_size": 5,
        },
        goal={"type": "reach_position", "target": "G"},
    )
    data["version"] = "2.0"
    data["description"] = "One of each: größe ✓"
    data["dependency_chain"] = {
        "depth": 1,
        "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "d"}],
        "notation": "k -> d -> G",
    }
    data["distractors"] = [{"type": "useless_block", "element_id": "b", "description": "Opens nothing."}]
    data["metadata"] = {"author": "someone", "tags": ["one", {"two": 2.5}], "none": None}
    return data


def corridor(row: str, **options: Any) -> TaskSpecification:
    """A task in one row from (1, 1), walled in; the agent starts facing along it."""
    edge = "#" * (len(row) + 2)
    return draw(f"{edge}\n#{row}#\n{edge}", **options)


def compiled(task: TaskSpecification) -> World:
    """A task on the square tiling."""
    return compile_world(task, square_topology(task.maze.width, task.maze.height))


def begin(task: TaskSpecification) -> Episode:
    """An episode at the start of a task."""
    episode = Episode(compiled(task))
    episode.reset()
    return episode


def play(episode: Episode, letters: str) -> GridState:
    """Take the actions of some letters, and return the state."""
    for letter in letters.replace(" ", ""):
        episode.step(LETTERS[letter])
    return look(episode)


def look(episode: Episode) -> GridState:
    """The full state of an episode."""
    return full_grid_state(episode.world, episode.snapshot)


def cell_named(world: World, position: tuple[int, int]) -> int:
    """The kernel's number of a cell of the square tiling."""
    x, y = position
    return y * world.topology.width + x


def steps_of(world: World, seed: int, length: int) -> Iterator[tuple[State, Action, State]]:
    """(before, action, after) of random steps, until the end of the episode or `length` steps."""
    return ((before, action, after) for before, action, after, _ in walk(world, seed, length))


def rollout(world: World, seed: int, length: int) -> Episode:
    """An episode after the actions of `steps_of`."""
    episode = Episode(world)
    episode.reset()
    for _, action, _ in steps_of(world, seed, length):
        episode.step(action)
    return episode


FieldsOf = Mapping[str, Callable[[random.Random], Thing]]
"""Functions that draw a mechanism, by its type."""

FIELDS_OF: FieldsOf = {
    "keys": lambda rng: key(rng.choice(COLOR_NAMES)),
    "doors": lambda rng: door(rng.choice(COLOR_NAMES), rng.choice(("locked", "locked", "closed", "open"))),
    "switches": lambda rng: switch(
        switch_type=rng.choice(("toggle", "hold", "one_shot", None)), initial_state=rng.choice(("on", "off"))
    ),
    "gates": lambda rng: gate(rng.choice(("closed", "closed", "open"))),
    "blocks": lambda rng: block(pushable=rng.random() < 0.8, color=rng.choice(COLOR_NAMES)),
    "teleporters": lambda rng: teleporter(rng.random() < 0.5),
    "hazards": lambda rng: hazard(rng.choice(("lava", "pit", "spike"))),
}
GOAL_TYPES = ("reach_position", "collect_all", "push_block_to", "survive_steps")


def tasks(max_side: int = 8, goal_types: tuple[str, ...] = GOAL_TYPES) -> st.SearchStrategy[TaskSpecification]:
    """Small random tasks, valid by construction and mostly solvable."""
    return task_dicts(max_side, goal_types).map(TaskSpecification.from_dict)


@st.composite
def task_dicts(choose: st.DrawFn, max_side: int = 8, goal_types: tuple[str, ...] = GOAL_TYPES) -> dict[str, Any]:
    """The contents of the task files of `tasks`."""
    goal_type = choose(st.sampled_from(goal_types))
    width, height = (choose(st.integers(4, max_side)) for _ in "xy")
    rng = random.Random(choose(st.integers(0, 2**32 - 1)))
    kinds = [rng.choice(sorted(FIELDS_OF)) for _ in range(choose(st.integers(0, 8)))]
    sketch = Sketch(width, height, rng)
    goal = sketch.make_room_for(goal_type)
    for kind in kinds:
        sketch.scatter(kind)
        if kind == "doors":
            sketch.scatter("keys")
    sketch.complete_references()
    return {
        "task_id": f"random-{goal_type}",
        "seed": choose(st.integers(0, 1000)),
        "difficulty_tier": 1,
        "maze": sketch.maze(),
        "mechanisms": sketch.mechanisms,
        "rules": sketch.rules(),
        "goal": goal,
        "max_steps": choose(st.integers(1, 150)),
    }


class Sketch:
    """A draft of a task, with its free cells.

    Args:
        width: columns, border included.
        height: rows, border included.
        rng: source of all randomness.
        fields_of: functions that draw a mechanism, by its type.
        taken: inner cells that are not free.
    """

    def __init__(
        self,
        width: int,
        height: int,
        rng: random.Random,
        fields_of: FieldsOf = FIELDS_OF,
        taken: Collection[list[int]] = (),
    ) -> None:
        self.dimensions = [width, height]
        self.rng = rng
        self.fields_of = fields_of
        self.mechanisms: dict[str, list[dict[str, Any]]] = {}
        self.free = [[x, y] for y in range(1, height - 1) for x in range(1, width - 1) if [x, y] not in taken]
        rng.shuffle(self.free)
        self.start, self.goal = self.free.pop(), self.free.pop()
        self.target = self.goal

    def make_room_for(self, goal_type: str) -> dict[str, Any]:
        """The goal, with the mechanisms that it requires."""
        goal: dict[str, Any] = {"type": goal_type}
        if goal_type == "collect_all":
            wanted = self.add(self.rng.choice(("keys", "switches")), self.free.pop())
            if "initial_state" in wanted:
                wanted["initial_state"] = "off"  # otherwise the goal is reached at the start
            goal["target_ids"] = [wanted["id"]]
        elif goal_type == "push_block_to":
            position, target = self._room_for_a_push()
            goal["target_ids"] = [self.add("blocks", position)["id"]]
            goal["target_positions"] = [target]
            self.mechanisms["blocks"][0]["pushable"] = True
        elif goal_type == "reach_position" and self.rng.random() < 0.3:
            self.target = goal["target"] = self.rng.choice(self.free)
        return goal

    def _room_for_a_push(self) -> tuple[list[int], list[int]]:
        """A cell for a block and the next one to push it to; both, and the pusher's cell, stay free."""
        rooms = [
            ([x, y], [x + dx, y + dy], [x - dx, y - dy])
            for x, y in self.free
            for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))
            if [x + dx, y + dy] in self.free and [x - dx, y - dy] in [*self.free, self.start]
        ]
        chosen = self.rng.choice(rooms) if rooms else (self.free[0], self.free[1])
        self.free = [cell for cell in self.free if cell not in chosen]
        return chosen[0], chosen[1]

    def scatter(self, kind: str) -> None:
        """Add a mechanism if there is room."""
        if len(self.free) >= (2 if kind == "teleporters" else 1):
            self.add(kind, self.free.pop())

    def add(self, kind: str, position: list[int]) -> dict[str, Any]:
        """Add a mechanism on a taken cell; the other end of a teleporter takes a free cell."""
        group = self.mechanisms.setdefault(kind, [])
        place = (
            {"position_a": position, "position_b": self.free.pop()} if kind == "teleporters" else {"position": position}
        )
        entry = {"id": f"{kind}-{len(group)}", **place, **self.fields_of[kind](self.rng).fields}
        group.append(entry)
        return entry

    def complete_references(self) -> None:
        """Give locked doors the color of a key, switches gates to control, and the target a thing that can go."""
        self._clear_target()
        colors = [each["color"] for each in self.mechanisms.get("keys", [])]
        for each in self.mechanisms.get("doors", []):
            if colors:
                each["requires_key"] = self.rng.choice(colors)
            elif each["initial_state"] == "locked":
                each["initial_state"] = "closed"
        gates = [each["id"] for each in self.mechanisms.get("gates", [])]
        for each in self.mechanisms.get("switches", []):
            each["controls"] = [name for name in gates if self.rng.random() < 0.7]

    def _clear_target(self) -> None:
        hazards = self.mechanisms.pop("hazards", [])
        kept = [each for each in hazards if each["position"] != self.target]
        self.mechanisms.update({"hazards": kept} if kept else {})
        for each in self.mechanisms.get("blocks", []):
            each["pushable"] |= each["position"] == self.target

    def maze(self) -> dict[str, Any]:
        """The maze, with walls on some free cells."""
        built = self.free[: self.rng.randrange(len(self.free) // 3 + 1)]
        x, y = self.start
        way_out = [x + 1 if x + 2 < self.dimensions[0] else x - 1, y]
        walls = [cell for cell in built if cell not in (self.target, way_out)]
        return {"dimensions": self.dimensions, "walls": walls, "start": self.start, "goal": self.goal}

    def rules(self) -> dict[str, Any]:
        """Any rules at all."""
        ids = [entry["id"] for group in self.mechanisms.values() for entry in group]
        return {
            "key_consumption": self.rng.random() < 0.5,
            "switch_type": self.rng.choice(("toggle", "hold", "one_shot")),
            "hidden_mechanisms": [name for name in ids if self.rng.random() < 0.2],
            "observability": self.rng.choice(("full", "view_cone", "fog_of_war")),
            "view_size": self.rng.choice((3, 5, 7)),
        }


def turned(cell: list[int], width: int, height: int) -> list[int]:
    """A quarter turn."""
    return [height - 1 - cell[1], cell[0]]


def mirrored(cell: list[int], width: int, height: int) -> list[int]:
    return [width - 1 - cell[0], cell[1]]


def moved(task: TaskSpecification, how: Any, swaps: bool) -> TaskSpecification:
    """A task whose cells lie elsewhere."""
    data = task.to_dict()
    width, height = data["maze"]["dimensions"]
    places = ("position", "position_a", "position_b", "target", "start", "goal")
    lists = ("walls", "target_positions", "floor")

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: _placed(name, each) for name, each in value.items()}
        return [walk(each) for each in value] if isinstance(value, list) else value

    def _placed(name: str, value: Any) -> Any:
        if name in places and value is not None and not isinstance(value, dict):
            return how(value, width, height)
        if name in lists and value is not None:
            return [how(cell, width, height) for cell in value]
        return walk(value)

    whole: dict[str, Any] = {name: each if name == "goal" else _placed(name, each) for name, each in data.items()}
    whole["goal"] = walk(data["goal"])
    whole["maze"]["dimensions"] = [height, width] if swaps else [width, height]
    return TaskSpecification.from_dict(whole)
