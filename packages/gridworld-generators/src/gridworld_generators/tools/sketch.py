"""A task under construction: floor, start and goal, what has been placed, and the colours and tier of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
"""Each tier with what it adds to those before it."""
TIER_OF = {"keys": 2, "doors": 2, "switches": 3, "gates": 3, "blocks": 4, "hazards": 4, "teleporters": 5}
"""Mechanism type to the lowest tier that may hold it; all others belong to the highest."""


def tier_of(mechanisms: MechanismSet, rules: Rules) -> int:
    """The lowest tier that may hold a task with these mechanisms and rules, 1 to 5."""
    if rules.hidden_mechanisms or rules.observability != "full":
        return max(TIERS)
    return max((TIER_OF.get(kind, max(TIERS)) for kind, _ in mechanisms.groups()), default=1)


BARRIERS = ("doors", "gates")
"""Mechanism types that stand shut in their cell until they are opened."""
SOLID = ("keys", "blocks")
"""Mechanism types that one cannot walk over."""
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
"""Colours of switches, in the order in which they are taken; they can be told apart."""
SWITCH_NOUNS = {"toggle": "lever", "one_shot": "button", "hold": "plate"}
"""Switch type to what ids call such a switch."""


@attrs.frozen
class Thing:
    """A mechanism that has been placed."""

    kind: str
    """Its mechanism type, such as ``keys``."""
    spec: Any
    """What the task file says of it: an instance of the type's attrs class."""
    cells: tuple[Position, ...]
    """The lattice cells that it takes."""


@attrs.define
class Sketch:
    """A mutable plan of a task; all cells that are not floor are walls.

    Lattice cells are `Position`s; the border is never floor. `copy` makes another sketch to try something on.
    """

    width: int
    """Lattice columns, border included."""
    height: int
    """Lattice rows, border included."""
    floor: set[Position] = attrs.field(factory=set)
    """All cells that are not walls, those of barriers and of other things included."""
    start: Position | None = None
    """Where the agent starts; to be set before `to_task`."""
    goal: Position | None = None
    """The cell of ``maze.goal``; to be set before `to_task`."""
    goal_spec: GoalSpec = attrs.field(factory=lambda: GoalSpec("reach_position"))
    """What has to be achieved."""
    rules: Rules = attrs.field(factory=Rules)
    things: dict[str, Thing] = attrs.field(factory=dict)
    """Everything that has been placed, by id, in the order in which it was."""
    chain: list[DependencyStep] = attrs.field(factory=list)
    """The steps of the dependency chain, from the first to the last."""
    distractors: list[Distractor] = attrs.field(factory=list)
    taken: dict[Position, str] = attrs.field(factory=dict, init=False)
    """Cell to the id of what stands there."""

    def copy(self) -> Sketch:
        """Another sketch with the same contents."""
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
        """Each cell inside the border with its neighbours there, walls included: right, down, left, up."""
        return neighbors(self.width, self.height)

    @property
    def around(self) -> Mapping[Position, tuple[Position, ...]]:
        """Each cell inside the border with those of the eight cells around it that are inside, walls included."""
        return around(self.width, self.height)

    def floor_beside(self, cell: Position) -> list[Position]:
        """The neighbours of a cell that are floor: right, down, left, up."""
        return [there for there in self.neighbors[cell] if there in self.floor]

    def dig(self, cells: Iterable[Position]) -> None:
        """Make cells inside the border floor."""
        self.floor.update(cells)

    def wall_up(self, cells: Iterable[Position]) -> None:
        """Make cells walls; nothing may stand there."""
        self.floor.difference_update(cells)

    def is_free(self, cell: Position) -> bool:
        """Whether a cell is floor with nothing on it, and neither start nor goal."""
        return cell in self.floor and cell not in self.taken and cell != self.start and cell != self.goal

    def free_cells(self) -> list[Position]:
        """All cells that are free (`is_free`), row by row."""
        return [cell for cell in self.inner_cells if self.is_free(cell)]

    def cells_of(self, *kinds: str) -> set[Position]:
        """The cells of all things of some mechanism types, such as `BARRIERS` or `SOLID`."""
        return {cell for thing in self.things.values() if thing.kind in kinds for cell in thing.cells}

    def open_floor(self) -> set[Position]:
        """The floor without the cells of barriers: where one can be as long as none has been opened."""
        return self.floor - self.cells_of(*BARRIERS)

    def place(self, kind: str, spec: Any, *cells: Position) -> str:
        """Place a mechanism of any type, and return its id.

        Args:
            kind: the mechanism type, such as ``blocks``.
            spec: an instance of the type's attrs class; its `id` is new (`new_id`).
            cells: the floor cells that it takes, with nothing on them.
        """
        self.things[spec.id] = Thing(kind, spec, cells)
        self.taken.update(dict.fromkeys(cells, spec.id))
        return str(spec.id)

    def new_id(self, stem: str) -> str:
        """An id that nothing has: the stem itself, or with a number from 2 on."""
        number, name = 1, stem
        while name in self.things:
            number += 1
            name = f"{stem}_{number}"
        return name

    def place_key(self, cell: Position, color: str) -> str:
        """Place a key of one of MiniGrid's six colours, and return its id."""
        return self.place("keys", KeySpec(self.new_id(f"key_{color}"), cell, color), cell)

    def place_door(self, cell: Position, color: str) -> str:
        """Place a locked door of one of MiniGrid's six colours, and return its id."""
        return self.place("doors", DoorSpec(self.new_id(f"door_{color}"), cell, color), cell)

    def place_gate(self, cell: Position, label: str) -> str:
        """Place a closed gate, and return its id; the label, such as the colour of its switch, becomes part of it."""
        return self.place("gates", GateSpec(self.new_id(f"gate_{label}"), cell), cell)

    def place_switch(self, cell: Position, color: str, switch_type: str, *controls: str) -> str:
        """Place a switch that is off, and return its id.

        Args:
            cell: where it lies.
            color: any colour name of CSS, such as the next of `switch_colors_left`.
            switch_type: ``toggle``, ``one_shot`` or ``hold``.
            controls: the ids of the gates that it opens; a switch without any is idle.
        """
        name = self.new_id(f"{SWITCH_NOUNS[switch_type]}_{color}")
        return self.place("switches", SwitchSpec(name, cell, controls, color, switch_type), cell)

    def key_colors_left(self) -> list[str]:
        """The colours that no key and no door has, in MiniGrid's order."""
        used = {self._key_color(thing) for thing in self.things.values() if thing.kind in ("keys", "doors")}
        return [color for color in COLOR_NAMES if color not in used]

    def switch_colors_left(self) -> list[str]:
        """The colours of `SWITCH_COLORS` that no switch has."""
        used = {thing.spec.color for thing in self.things.values() if thing.kind == "switches"}
        return [color for color in SWITCH_COLORS if color not in used]

    def _key_color(self, thing: Thing) -> str:
        return str(thing.spec.color if thing.kind == "keys" else thing.spec.requires_key)

    def add_step(self, kind: str, element: str, unlocks: str) -> None:
        """Add a step to the end of the dependency chain, such as ``key-door``."""
        self.chain.append(DependencyStep(len(self.chain) + 1, kind, element, unlocks))

    def add_distractor(self, kind: str, element_id: str, description: str = "") -> None:
        """Say that something, or a branch (type ``distractor_chain``), only looks useful."""
        self.distractors.append(Distractor(kind, element_id, description))

    def hide(self, names: Iterable[str]) -> None:
        """Hide things until they are discovered; switches and barriers can be."""
        self.rules = attrs.evolve(self.rules, hidden_mechanisms=(*self.rules.hidden_mechanisms, *names))

    def mechanisms(self) -> MechanismSet:
        """All things as a task holds them, those of a type sorted by id."""
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
        difficulty_tier: int | None = None,
        description: str = "",
        metadata: Mapping[str, Any] | None = None,
    ) -> TaskSpecification:
        """The task that has been planned; without a tier, the lowest one that may hold it (`tier_of`).

        Raises:
            ValueError: there is no start or no goal.
        """
        if self.start is None or self.goal is None:
            raise ValueError("a task needs a start and a goal")
        mechanisms = self.mechanisms()
        walls = [cell for cell in self.inner_cells if cell not in self.floor]
        return TaskSpecification(
            task_id=task_id,
            seed=seed,
            difficulty_tier=tier_of(mechanisms, self.rules) if difficulty_tier is None else difficulty_tier,
            maze=MazeLayout((self.width, self.height), self.start, self.goal, walls),
            goal=self.goal_spec,
            max_steps=max_steps,
            description=description,
            mechanisms=mechanisms,
            rules=self.rules,
            dependency_chain=self._dependency_chain(),
            distractors=self.distractors,
            metadata=metadata or {},
        )

    def _dependency_chain(self) -> DependencyChain | None:
        if not self.chain:
            return None
        return DependencyChain(len(self.chain), self.chain, " -> ".join([*self._notation(), self._end()]))

    def _notation(self) -> Iterator[str]:
        for step in self.chain:
            yield from (step.element, step.unlocks)

    def _end(self) -> str:
        return " + ".join(self.goal_spec.target_ids) or "G"


ROCK = "grey"
"""A door of this colour is hard to tell from the wall around it in pictures, so it is the last to be taken."""


def choose_color(colors: Sequence[str], dice: Dice) -> str:
    """One of some colours, of which there is at least one."""
    return dice.choice([color for color in colors if color != ROCK] or colors)


def colors_of_steps(sketch: Sketch, kinds: Sequence[str], dice: Dice) -> list[str]:
    """A colour for each step of a chain, by its kind.

    Raises:
        NothingDrawn: there are not as many left.
    """
    for_keys = sorted(dice.shuffled(sketch.key_colors_left()), key=lambda color: color != ROCK)
    for_switches = dice.shuffled(sketch.switch_colors_left())
    if kinds.count("key") > len(for_keys) or len(kinds) - kinds.count("key") > len(for_switches):
        raise NothingDrawn("not enough colours for a chain")
    return [(for_keys if kind == "key" else for_switches).pop() for kind in kinds]
