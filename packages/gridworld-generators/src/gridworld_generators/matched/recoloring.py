"""The same task in other colours."""

from typing import Any

import attrs

from gridworld.generation.generator import Drawing
from gridworld.task.colors import COLOR_NAMES
from gridworld.task_spec import TaskSpecification
from gridworld_generators.matched.base import Matched, variant_of
from gridworld_generators.tools.changing import renamed, with_mechanisms
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import SWITCH_COLORS

__all__ = ["Recoloring"]

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
