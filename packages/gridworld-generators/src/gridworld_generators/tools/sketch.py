"""A task under construction: floor, start, goal and mechanisms, with the rules for colours and tiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from gridworld.generation.generator import NothingDrawn
from gridworld.mechanisms.doors import DoorSpec
from gridworld.mechanisms.gates import GateSpec
from gridworld.mechanisms.keys import KeySpec
from gridworld.mechanisms.switches import SwitchSpec
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import (
    DependencyChain,
    DependencyStep,
    Distractor,
    GoalSpec,
    MazeLayout,
    MechanismSet,
    Position,
    Rules,
    TaskSpecification,
)
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import around, inner_cells, neighbors

TIERS = {
    1: "no mechanism",
    2: "keys and doors",
    3: "switches and gates",
    4: "blocks and hazards",
    5: "hidden things, limited sight and teleporters",
}
"""Features that each tier adds to the tiers below."""
TIER_OF = {"keys": 2, "doors": 2, "switches": 3, "gates": 3, "blocks": 4, "hazards": 4, "teleporters": 5}
"""Lowest tier for each mechanism type; other types belong to the highest."""


def tier_of(mechanisms: MechanismSet, rules: Rules) -> int:
    """Return the lowest tier, 1 to 5, that allows these mechanisms and rules."""
    if rules.hidden_mechanisms or rules.observability != "full":
        return max(TIERS)
    return max((TIER_OF.get(kind, max(TIERS)) for kind, _ in mechanisms.groups()), default=1)


BARRIERS = ("doors", "gates")
"""Mechanism types that block their cell until opened."""
SOLID = ("keys", "blocks")
"""Mechanism types that the agent cannot walk over."""
SWITCH_COLORS = (
    "yellow",
    "cyan",
    "orange",
    "magenta",
    "white",
    "lime",
    "red",
    "blue",
    "pink",
    "green",
    "tan",
    "violet",
)
"""Distinguishable colours of switches, in order of preference."""
SWITCH_NOUNS = {"toggle": "lever", "one_shot": "button", "hold": "plate"}
"""Switch type to the noun used in ids."""


@attrs.frozen
class Thing:
    """A mechanism that has been placed."""

    kind: str
    """Mechanism type of the element, such as ``keys``."""
    spec: Any
    """An instance of the type's attrs class."""
    cells: tuple[Position, ...]
    """The lattice cells that the mechanism occupies."""


@attrs.define
class Sketch:
    """A mutable plan of a task; cells that are not floor are walls, and the border is always wall."""

    width: int
    """Lattice columns, border included."""
    height: int
    """Lattice rows, border included."""
    floor: set[Position] = attrs.field(factory=set)
    """All cells that are not walls, including those with mechanisms."""
    start: Position | None = None
    """The agent's start; set it before `to_task`."""
    goal: Position | None = None
    """The cell of ``maze.goal``; set it before `to_task`."""
    goal_spec: GoalSpec = attrs.field(factory=lambda: GoalSpec("reach_position"))
    """The goal of the task."""
    rules: Rules = attrs.field(factory=Rules)
    things: dict[str, Thing] = attrs.field(factory=dict)
    """Placed mechanisms by id, in order of placement."""
    chain: list[DependencyStep] = attrs.field(factory=list)
    """The steps of the dependency chain, in order."""
    distractors: list[Distractor] = attrs.field(factory=list)
    taken: dict[Position, str] = attrs.field(factory=dict, init=False)
    """Id of the mechanism on each occupied cell."""

    def copy(self) -> Sketch:
        """Return an independent copy."""
        other = Sketch(
            self.width,
            self.height,
            set(self.floor),
            self.start,
            self.goal,
            self.goal_spec,
            self.rules,
            dict(self.things),
            list(self.chain),
            list(self.distractors),
        )
        other.taken = dict(self.taken)
        return other

    @property
    def inner_cells(self) -> tuple[Position, ...]:
        """All cells inside the border, row by row."""
        return inner_cells(self.width, self.height)

    @property
    def neighbors(self) -> Mapping[Position, tuple[Position, ...]]:
        """Neighbours inside the border, walls included, of each cell inside the border: right, down, left, up."""
        return neighbors(self.width, self.height)

    @property
    def around(self) -> Mapping[Position, tuple[Position, ...]]:
        """Cells inside the border around each cell inside the border (up to eight), walls included."""
        return around(self.width, self.height)

    def floor_beside(self, cell: Position) -> list[Position]:
        """Return the floor cells next to a cell: right, down, left, up."""
        return [there for there in self.neighbors[cell] if there in self.floor]

    def dig(self, cells: Iterable[Position]) -> None:
        """Turn cells inside the border into floor."""
        self.floor.update(cells)

    def wall_up(self, cells: Iterable[Position]) -> None:
        """Turn empty cells into walls."""
        self.floor.difference_update(cells)

    def is_free(self, cell: Position) -> bool:
        """Whether a cell is empty floor and neither start nor goal."""
        return cell in self.floor and cell not in self.taken and cell != self.start and cell != self.goal

    def free_cells(self) -> list[Position]:
        """Return all free cells (`is_free`), row by row."""
        return [cell for cell in self.inner_cells if self.is_free(cell)]

    def cells_of(self, *kinds: str) -> set[Position]:
        """Return the cells of all mechanisms of the given types, such as `BARRIERS` or `SOLID`."""
        return {cell for thing in self.things.values() if thing.kind in kinds for cell in thing.cells}

    def open_floor(self) -> set[Position]:
        """Return the floor without the cells of barriers."""
        return self.floor - self.cells_of(*BARRIERS)

    def place(self, kind: str, spec: Any, *cells: Position) -> str:
        """Place a mechanism of any type, and return its id.

        Args:
            kind: the mechanism type, such as ``blocks``.
            spec: an instance of the type's attrs class, with a new `id` (`new_id`).
            cells: the empty floor cells it occupies.
        """
        self.things[spec.id] = Thing(kind, spec, cells)
        self.taken.update(dict.fromkeys(cells, spec.id))
        return str(spec.id)

    def new_id(self, stem: str) -> str:
        """Return an unused id: the stem, followed by a number from 2 on if the stem is taken."""
        number, name = 1, stem
        while name in self.things:
            number += 1
            name = f"{stem}_{number}"
        return name

    def place_key(self, cell: Position, color: str) -> str:
        """Place a key of one of MiniGrid's six colours and return its id."""
        return self.place("keys", KeySpec(self.new_id(f"key_{color}"), cell, color), cell)

    def place_door(self, cell: Position, color: str) -> str:
        """Place a locked door of one of MiniGrid's six colours and return its id."""
        return self.place("doors", DoorSpec(self.new_id(f"door_{color}"), cell, color), cell)

    def place_gate(self, cell: Position, label: str) -> str:
        """Place a closed gate and return its id, which contains the label (such as the colour of its switch)."""
        return self.place("gates", GateSpec(self.new_id(f"gate_{label}"), cell), cell)

    def place_switch(self, cell: Position, color: str, switch_type: str, *controls: str) -> str:
        """Place a switch that is off and return its id.

        Args:
            cell: its cell.
            color: a CSS colour name, such as the first of `switch_colors_left`.
            switch_type: ``toggle``, ``one_shot`` or ``hold``.
            controls: ids of the gates it opens; none for an idle switch.
        """
        name = self.new_id(f"{SWITCH_NOUNS[switch_type]}_{color}")
        return self.place("switches", SwitchSpec(name, cell, controls, color, switch_type), cell)

    def key_colors_left(self) -> list[str]:
        """Return MiniGrid's colours, in order, that no key or door has."""
        used = {thing.spec.color for thing in self.things.values() if thing.kind == "keys"}
        used |= {thing.spec.requires_key for thing in self.things.values() if thing.kind == "doors"}
        return [color for color in COLOR_NAMES if color not in used]

    def switch_colors_left(self) -> list[str]:
        """Return colours of `SWITCH_COLORS` that no switch has."""
        used = {thing.spec.color for thing in self.things.values() if thing.kind == "switches"}
        return [color for color in SWITCH_COLORS if color not in used]

    def add_step(self, kind: str, element: str, unlocks: str) -> None:
        """Append a step, such as ``key-door``, to the dependency chain."""
        self.chain.append(DependencyStep(len(self.chain) + 1, kind, element, unlocks))

    def add_distractor(self, kind: str, element_id: str, description: str = "") -> None:
        """Register a mechanism, or a branch (type ``distractor_chain``), as a decoy."""
        self.distractors.append(Distractor(kind, element_id, description))

    def hide(self, names: Iterable[str]) -> None:
        """Hide switches or barriers until they are discovered."""
        self.rules = attrs.evolve(self.rules, hidden_mechanisms=(*self.rules.hidden_mechanisms, *names))

    def mechanisms(self) -> MechanismSet:
        """Return all mechanisms in the form of a task, sorted by id within each type."""
        groups: dict[str, list[Any]] = {}
        for name in sorted(self.things):
            groups.setdefault(self.things[name].kind, []).append(self.things[name].spec)
        return MechanismSet(**groups)

    def to_task(
        self,
        *,
        task_id: str,
        seed: int,
        max_steps: int,
        description: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> TaskSpecification:
        """Return the finished task; its tier is `tier_of` its mechanisms and rules.

        Raises:
            ValueError: the sketch lacks a start or a goal.
        """
        if self.start is None or self.goal is None:
            raise ValueError("a task needs a start and a goal")
        mechanisms = self.mechanisms()
        walls = [cell for cell in self.inner_cells if cell not in self.floor]
        return TaskSpecification(
            task_id=task_id,
            seed=seed,
            difficulty_tier=tier_of(mechanisms, self.rules),
            maze=MazeLayout((self.width, self.height), self.start, self.goal, walls),
            goal=self.goal_spec,
            max_steps=max_steps,
            description=description,
            mechanisms=mechanisms,
            rules=self.rules,
            dependency_chain=chain_of(self.chain, self.goal_spec),
            distractors=self.distractors,
            metadata=metadata or {},
        )


def chain_of(steps: Sequence[DependencyStep], goal: GoalSpec) -> DependencyChain | None:
    """Return the dependency chain with these steps, including its notation; None without steps."""
    if not steps:
        return None
    names = [name for step in steps for name in (step.element, step.unlocks)]
    return DependencyChain(len(steps), steps, " -> ".join([*names, " + ".join(goal.target_ids) or "G"]))


WALL_COLOR = "grey"
"""Colour chosen last: in pictures a grey door hardly stands out from the wall."""


def choose_color(colors: Sequence[str], dice: Dice) -> str:
    """Return one of the colours, of which there must be at least one; grey only if there is no other."""
    return dice.choice([color for color in colors if color != WALL_COLOR] or colors)


def colors_of_steps(sketch: Sketch, kinds: Sequence[str], dice: Dice) -> list[str]:
    """Return a colour for each step of a chain; raises NothingDrawn if too few are left."""
    for_keys = sorted(dice.shuffled(sketch.key_colors_left()), key=lambda color: color != WALL_COLOR)
    for_switches = dice.shuffled(sketch.switch_colors_left())
    if kinds.count("key") > len(for_keys) or len(kinds) - kinds.count("key") > len(for_switches):
        raise NothingDrawn("not enough colours for a chain")
    return [(for_keys if kind == "key" else for_switches).pop() for kind in kinds]
