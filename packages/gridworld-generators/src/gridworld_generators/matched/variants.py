"""Variants of one task: rotated, mirrored, recoloured, with steps swapped, or with limited sight."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import OBSERVABILITY_MODES, DependencyStep, TaskSpecification
from gridworld_generators.matched.base import Matched, moved, renamed, variant_of, with_chain, with_mechanisms
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import turned
from gridworld_generators.tools.sketch import SWITCH_COLORS, tier_of

HELD = ("depth", "decoys", "contents", "chain", "observability", "tier")
UPSIDE_DOWN = 6
"""Number of the symmetry that mirrors left to right and rotates by 180 degrees, that is, mirrors top to bottom."""


@attrs.frozen(kw_only=True)
class Mirroring(Matched):
    """One task as drawn and mirrored top to bottom.

    The agent starts facing right in both, so that shortest plans have the same length on squares; on other tilings
    lengths may differ and are stated.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """Draw a task and its mirror image."""
        task = self.base_task(seed)
        both = (variant_of(task, "as_drawn"), variant_of(_turned(task, UPSIDE_DOWN), "upside_down"))
        return Drawing(both, held=HELD, held_on={"square": ("length",)})


@attrs.frozen(kw_only=True)
class Turning(Matched):
    """One task in all eight orientations of a square: rotated by multiples of 90 degrees, with and without mirroring.

    The agent starts facing right in all of them, so plan lengths differ and are stated.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """Draw a task in its eight orientations."""
        task = self.base_task(seed)
        names = [f"{mirrored}turned_{degrees}" for mirrored in ("", "mirrored_") for degrees in (0, 90, 180, 270)]
        return Drawing(tuple(variant_of(_turned(task, each), name) for each, name in enumerate(names)), held=HELD)


def _turned(task: TaskSpecification, symmetry: int) -> TaskSpecification:
    size, height = task.maze.dimensions
    if size != height:
        raise NothingDrawn("the base is not square")
    return moved(task, lambda cell: turned([cell], size, symmetry)[0])


Colors = dict[str, str]


@attrs.frozen(kw_only=True)
class Recoloring(Matched):
    """One task in two sets of colours: what has equal colours in one has equal colours in the other.

    The six colours of keys and doors are permuted, and so are all others. Shortest plans are the same. Colours in ids
    change as well.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """Draw a task, as drawn and recoloured."""
        dice, task = Dice(seed).split(), self.base_task(seed)
        further = tuple(color for color in SWITCH_COLORS if color not in COLOR_NAMES)
        others = _recolored(task, _exchange(COLOR_NAMES, dice) | _exchange(further, dice))
        held = ("length", "depth", "decoys", "layout", "contents", "chain", "observability", "tier")
        return Drawing((variant_of(task, "as_drawn"), variant_of(others, "recolored")), held=held, varied=("colors",))


def _exchange(names: tuple[str, ...], dice: Dice) -> Colors:
    """Return a permutation of the colours without fixed points."""
    mixed = dice.shuffled(names)
    return dict(zip(mixed, [*mixed[1:], mixed[0]], strict=True))


def _recolored(task: TaskSpecification, colors: Colors) -> TaskSpecification:
    groups = {name: list(specs) for name, specs in task.mechanisms.groups()}
    names: dict[str, str] = {}

    for kind, field in (("keys", "color"), ("doors", "requires_key"), ("switches", "color"), ("blocks", "color")):
        for place, spec in enumerate(groups.get(kind, [])):
            old = str(attrs.asdict(spec, recurse=False)[field])
            new = colors.get(old, old)
            groups[kind][place] = attrs.evolve(spec, **{field: new})
            for name in (spec.id, *_gates(spec, kind)):
                names[name] = "_".join(new if word == old else word for word in name.split("_"))

    return renamed(with_mechanisms(task, groups), names)


def _gates(spec: Any, kind: str) -> tuple[str, ...]:
    """Return the ids of the gates of a switch, which contain its colour."""
    return tuple(spec.controls) if kind == "switches" else ()


SWITCH = "switch-gate"


@attrs.frozen(kw_only=True)
class Order(Matched):
    """Two tasks: one with a key before a switch, the other with the two swapped in place.

    Shortest plans have the same length on every tiling: picking up a key and operating a switch take one action each
    from the cell in front, and a door takes one action more than a gate wherever it is.

    Args:
        depth: number of barriers of the base, 2 to 6; an adjacent door and gate are swapped.
        switch: type of the switches.
    """

    depth: int = attrs.field(default=2, validator=[attrs.validators.ge(2), attrs.validators.le(6)])
    switch: Literal["toggle", "one_shot"] = "toggle"

    @property
    def given(self) -> Mapping[str, object]:
        """Parameters for chains of keys and switches."""
        return {"depth": self.depth, "steps": f"key+{self.switch}"}

    def draw(self, seed: int) -> Drawing:
        """Draw a task, as drawn and with two steps of its chain swapped, the key first."""
        task = self.base_task(seed)
        steps = list(task.dependency_chain.sequence) if task.dependency_chain else []
        first = next((place for place, (one, other) in enumerate(pairwise(steps)) if one.type != other.type), None)
        if first is None:
            raise NothingDrawn("no key is next to a switch in the chain")
        tasks = [task, _exchanged(task, steps, first)]
        if steps[first].type == SWITCH:
            tasks.reverse()
        variants = (variant_of(tasks[0], "key_first"), variant_of(tasks[1], "switch_first"))
        return Drawing(variants, held=("length", "layout", "contents"), varied=("chain",))


def _exchanged(task: TaskSpecification, steps: list[DependencyStep], first: int) -> TaskSpecification:
    """Return a copy of a task with a step and the next one swapped in place."""
    one, other = steps[first : first + 2]
    where = {spec.id: spec.position for _, specs in task.mechanisms.groups() for spec in specs}
    places = {
        one.element: where[other.element],
        one.unlocks: where[other.unlocks],
        other.element: where[one.element],
        other.unlocks: where[one.unlocks],
    }
    groups = {
        name: [attrs.evolve(spec, position=places.get(spec.id, spec.position)) for spec in specs]
        for name, specs in task.mechanisms.groups()
    }
    return with_chain(with_mechanisms(task, groups), [*steps[:first], other, one, *steps[first + 2 :]])


NAMES = {"full": "full", "view_cone": "cone", "fog_of_war": "fog"}
"""Name of the variant for each observability."""


@attrs.frozen(kw_only=True)
class Sight(Matched):
    """One task under full observability, with a view cone and in fog of war.

    Shortest plans are the same. The base's view_size limits sight.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """Draw the three variants of a task."""
        task = self.base_task(seed)
        seen = []
        for mode in OBSERVABILITY_MODES:
            rules = attrs.evolve(task.rules, observability=mode)
            shown = attrs.evolve(task, rules=rules, difficulty_tier=tier_of(task.mechanisms, rules))
            seen.append(variant_of(shown, NAMES[mode]))
        held = ("length", "depth", "decoys", "layout", "contents", "colors")
        return Drawing(tuple(seen), held=held, stated={"observability": OBSERVABILITY_MODES})
