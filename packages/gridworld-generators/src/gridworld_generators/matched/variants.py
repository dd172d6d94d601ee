"""A task and its variants: turned, recolored, in another order, or seen otherwise."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

import attrs

from gridworld.generation.generator import Drawing, NothingDrawn
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import OBSERVABILITY_MODES, DependencyStep, Position, TaskSpecification
from gridworld_generators.matched.base import Matched, moved, renamed, variant_of, with_chain, with_mechanisms
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.lattice import SYMMETRIES, turned
from gridworld_generators.tools.sketch import SWITCH_COLORS, tier_of

HELD = ("depth", "decoys", "contents", "chain", "observability", "tier")
UPSIDE_DOWN = 6
"""Mirrored left to right and turned by 180 degrees: mirrored top to bottom."""


@attrs.frozen(kw_only=True)
class Mirroring(Matched):
    """One task as it is and mirrored top to bottom.

    The agent starts facing right in both, so that shortest plans have the same length on squares; on other tilings
    lengths may differ, and are stated.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """The task and its mirror image."""
        task = self.base_task(seed)
        both = (variant_of(task, "as_drawn"), variant_of(_turned(task, UPSIDE_DOWN), "upside_down"))
        return Drawing(both, held=HELD, held_on={"square": ("length",)})


@attrs.frozen(kw_only=True)
class Turning(Matched):
    """One task in all eight positions of a square: turned by 90, 180 and 270 degrees, mirrored, and both.

    The agent starts facing right in all of them, so that lengths differ, and are stated.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """All eight."""
        task = self.base_task(seed)
        return Drawing(
            tuple(variant_of(_turned(task, symmetry), _name(symmetry)) for symmetry in range(SYMMETRIES)), held=HELD
        )


def _name(symmetry: int) -> str:
    degrees = 90 * (symmetry % 4)
    return f"mirrored_turned_{degrees}" if symmetry >= SYMMETRIES // 2 else f"turned_{degrees}"


def _turned(task: TaskSpecification, symmetry: int) -> TaskSpecification:
    size, height = task.maze.dimensions
    if size != height:
        raise NothingDrawn("the base is not square")
    return moved(task, lambda cell: turned([cell], size, symmetry)[0])


Colors = dict[str, str]


@attrs.frozen(kw_only=True)
class Recoloring(Matched):
    """One task in two sets of colours: those of keys and doors are exchanged, and those of switches and blocks.

    Shortest plans are the same. Ids change with the colours that are part of them.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """The task in its own colours, and in others."""
        dice, task = Dice(seed).split(), self.base_task(seed)
        others = _recolored(task, _exchange(COLOR_NAMES, dice), _exchange(SWITCH_COLORS, dice))
        held = ("length", "depth", "decoys", "layout", "contents", "chain", "observability", "tier")
        return Drawing((variant_of(task, "as_drawn"), variant_of(others, "recolored")), held=held, varied=("colors",))


def _exchange(names: tuple[str, ...], dice: Dice) -> Colors:
    """Each colour with another one, no two with the same."""
    mixed = dice.shuffled(names)
    return dict(zip(mixed, [*mixed[1:], mixed[0]], strict=True))


def _recolored(task: TaskSpecification, of_keys: Colors, of_others: Colors) -> TaskSpecification:
    groups = {name: list(specs) for name, specs in task.mechanisms.groups()}
    names: dict[str, str] = {}

    def recolor(kind: str, field: str, colors: Colors) -> None:
        for place, spec in enumerate(groups.get(kind, [])):
            old = str(attrs.asdict(spec, recurse=False)[field])
            new = colors.get(old, old)
            groups[kind][place] = attrs.evolve(spec, **{field: new})
            for name in (spec.id, *_gates(spec, kind)):
                names[name] = "_".join(new if word == old else word for word in name.split("_"))

    recolor("keys", "color", of_keys)
    recolor("doors", "requires_key", of_keys)
    recolor("switches", "color", of_others)
    recolor("blocks", "color", of_others)
    return renamed(with_mechanisms(task, groups), names)


def _gates(spec: Any, kind: str) -> tuple[str, ...]:
    """The ids of the gates that a switch controls, which bear its colour's name."""
    return tuple(spec.controls) if kind == "switches" else ()


SWITCH = "switch-gate"


@attrs.frozen(kw_only=True)
class Order(Matched):
    """Two tasks: in one a key comes first and then a switch, in the other both have changed places.

    Shortest plans have the same length on every tiling. A key is picked up and a switch switched from where it is
    faced, each by one action, and until then nothing is gained by standing on a switch; a door takes one action more
    than a gate wherever it stands.

    Args:
        depth: how many barriers the base has, 2 to 6; two that follow each other, a door and a gate, are exchanged.
        switch: what switches are.
    """

    depth: int = attrs.field(default=2, validator=[attrs.validators.ge(2), attrs.validators.le(6)])
    switch: Literal["toggle", "one_shot"] = "toggle"

    @property
    def given(self) -> Mapping[str, object]:
        """Chains of keys and switches."""
        return {"depth": self.depth, "steps": f"key+{self.switch}"}

    def draw(self, seed: int) -> Drawing:
        """A task, and the same with two steps of its chain exchanged."""
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
    """The task with a step and the one after it exchanged in place."""
    one, other = steps[first : first + 2]
    where = {spec.id: spec.position for _, specs in task.mechanisms.groups() for spec in specs}
    places = {
        one.element: where[other.element],
        one.unlocks: where[other.unlocks],
        other.element: where[one.element],
        other.unlocks: where[one.unlocks],
    }
    groups = {name: [_put(spec, places) for spec in specs] for name, specs in task.mechanisms.groups()}
    return with_chain(with_mechanisms(task, groups), [*steps[:first], other, one, *steps[first + 2 :]])


def _put(spec: Any, places: Mapping[str, Position]) -> Any:
    return attrs.evolve(spec, position=places[spec.id]) if spec.id in places else spec


NAMES = {"full": "full", "view_cone": "cone", "fog_of_war": "fog"}
"""What is shown, to the name of the variant."""


@attrs.frozen(kw_only=True)
class Sight(Matched):
    """One task in which everything is shown, only what lies in the cone of view, and what has been seen before.

    Shortest plans are the same. How far one sees is the base's view_size.
    """

    base: str = "perfect_maze:depth=2"

    def draw(self, seed: int) -> Drawing:
        """The three of them."""
        task = self.base_task(seed)
        seen = tuple(variant_of(_shown(task, mode), NAMES[mode]) for mode in OBSERVABILITY_MODES)
        held = ("length", "depth", "decoys", "layout", "contents", "colors")
        return Drawing(seen, held=held, stated={"observability": OBSERVABILITY_MODES})


def _shown(task: TaskSpecification, mode: str) -> TaskSpecification:
    rules = attrs.evolve(task.rules, observability=mode)
    return attrs.evolve(task, rules=rules, difficulty_tier=tier_of(task.mechanisms, rules))
