"""Base classes of families: for sketched tasks in general, for mazes with chains and decoys, and for puzzles."""

# No postponed annotations: parameters are read from the types of inherited constructors.
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, Literal

import attrs

from gridworld.generation.generator import Drawing, Generator, NothingDrawn
from gridworld.support.wording import nearest_hint
from gridworld.task_spec import Rules
from gridworld_generators.tools.chains import (
    STEP_KINDS,
    SWITCH_STEPS,
    TARGET_KINDS,
    hide_steps,
    place_chain,
    place_targets,
)
from gridworld_generators.tools.decoys import DECOY_KINDS, place_decoys
from gridworld_generators.tools.dice import Dice
from gridworld_generators.tools.sketch import TIERS, Sketch
from gridworld_generators.tools.ways import estimated_length

ATTEMPTS = 16
"""Number of sketches tried per seed."""


@attrs.frozen(kw_only=True)
class Sketched(Generator):
    """A family whose tasks are sketched on a square lattice.

    Args:
        size: lattice columns and rows, border included.
        observability: which part of the world is visible.
        view_size: side of the visible square if sight is limited; odd, at least 3.
    """

    size: int = 9
    observability: Literal["full", "view_cone", "fog_of_war"] = "full"
    view_size: int = 7

    LEAST_SIZE: ClassVar[int] = 5
    MOST_SIZE: ClassVar[int] = 41

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for an impossible size or view size."""
        if not self.LEAST_SIZE <= self.size <= self.MOST_SIZE:
            raise ValueError(f"size must be {self.LEAST_SIZE} to {self.MOST_SIZE}, got {self.size}")
        if self.view_size < 3 or self.view_size % 2 == 0:
            raise ValueError(f"view_size must be odd and at least 3, got {self.view_size}")

    @property
    def rules(self) -> Rules:
        """The rules of the family's tasks."""
        return Rules(observability=self.observability, view_size=self.view_size)


def first_sketch(draw: Callable[[], Sketch]) -> Sketch:
    """Return the first successful sketch; raises NothingDrawn with all reasons if several attempts fail."""
    reasons = set()
    for _ in range(ATTEMPTS):
        try:
            return draw()
        except NothingDrawn as nothing:
            reasons.add(str(nothing))
    raise NothingDrawn("; ".join(sorted(reasons)))


ANY = "any"
"""Parameter value that stands for all listed words."""
GENEROUS = 4
"""Step budget as a multiple of the estimated plan length; recipes replace it with a budget from the certificate."""
TIER_OF_DECOY = {"dead_end": 1, "wrong_key": 2, "locked_closet": 2, "idle_switch": 3, "gated_closet": 3}
MOST_TARGETS = 3

Goal = Literal["reach_position", "collect_all"]


@attrs.frozen(kw_only=True)
class Family(Sketched):
    """A family of mazes: a subclass lays out floor, start and goal; this class adds chains, decoys and items.

    Args:
        depth: number of barriers in a row, 0 to 6.
        steps: kinds of barriers, joined by "+": key, toggle, one_shot, hold; or any.
        decoys: number of decoys.
        decoy_kinds: kinds of decoys, joined by "+": dead_end, wrong_key, idle_switch, locked_closet, gated_closet; or
            any.
        hidden: number of hidden doors and switches in the chain.
        goal: whether to reach a cell, or to collect keys and turn switches on.
        tier: required tier of the tasks, 1 to 5; by default, the lowest possible one.
    """

    size: int = 11
    depth: int = attrs.field(default=0, validator=[attrs.validators.ge(0), attrs.validators.le(6)])
    steps: str = ANY
    decoys: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    decoy_kinds: str = ANY
    hidden: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    goal: Goal = "reach_position"
    tier: int | None = None

    NOUN: ClassVar[str] = "A maze"
    """Beginning of the description of a task."""

    @abstractmethod
    def lay_out(self, dice: Dice) -> Sketch:
        """Lay out a sketch with connected floor, a start and a goal, but no mechanisms.

        Raises:
            NothingDrawn: the layout failed; another one is tried.
        """

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for parameters that contradict each other."""
        super().__attrs_post_init__()
        if self.hidden > self.depth:
            raise ValueError(
                f"hidden={self.hidden} is more than depth={self.depth}: only elements of a chain can be hidden"
            )
        steps, decoys = self.step_kinds, self.kinds_of_decoys
        if self.tier is not None:
            self._check_tier(self.tier)
        if self.depth and not steps:
            raise ValueError(f"steps={self.steps} with tier={self.tier}: no kind of step is left")
        if self.decoys and not decoys:
            raise ValueError(f"decoy_kinds={self.decoy_kinds} with tier={self.tier}: no kind of decoy is left")

    @property
    def step_kinds(self) -> tuple[str, ...]:
        """Kinds of steps that the tier allows."""
        kinds = _words("steps", self.steps, STEP_KINDS)
        return tuple(kind for kind in kinds if self._allows(2 if kind == "key" else 3))

    @property
    def kinds_of_decoys(self) -> tuple[str, ...]:
        """Kinds of decoys that the tier allows."""
        kinds = _words("decoy_kinds", self.decoy_kinds, tuple(DECOY_KINDS))
        return tuple(kind for kind in kinds if self._allows(TIER_OF_DECOY[kind]))

    def draw(self, seed: int) -> Drawing:
        """Draw one task from the first of several layouts with room for everything."""
        dice = Dice(seed)
        decoy_dice = dice.split()
        sketch = first_sketch(lambda: self._attempt(dice))
        place_decoys(sketch, self.decoys, self.kinds_of_decoys, decoy_dice)
        task = sketch.to_task(
            task_id=f"seed_{seed}",
            seed=seed,
            max_steps=GENEROUS * estimated_length(sketch),
            description=self._description(sketch),
        )
        if self.tier not in (None, task.difficulty_tier):
            raise NothingDrawn(f"the drawn task has tier {task.difficulty_tier}")
        return Drawing((task,))

    def _attempt(self, dice: Dice) -> Sketch:
        """Return a sketch without decoys, which must not influence anything else."""
        sketch = self.lay_out(dice)
        sketch.rules = self.rules
        end = sketch.goal
        if end is None:
            raise ValueError("a layout needs a goal")
        place_chain(sketch, end, self._draw_steps(dice), dice)
        if self.goal == "collect_all":
            kinds = TARGET_KINDS if self._allows(3) else ("key",)
            place_targets(sketch, end, dice.between(1, MOST_TARGETS), kinds, dice)
        hide_steps(sketch, self.hidden, dice)
        return sketch

    def _draw_steps(self, dice: Dice) -> list[str]:
        """Return the kind of each step, with at least one switch in tier 3."""
        kinds = [dice.choice(self.step_kinds) for _ in range(self.depth)]
        if self.tier == 3 and kinds and set(kinds) == {"key"}:
            kinds[dice.below(len(kinds))] = dice.choice([kind for kind in self.step_kinds if kind in SWITCH_STEPS])
        return kinds

    def _allows(self, tier: int) -> bool:
        return self.tier is None or tier <= self.tier

    def _check_tier(self, tier: int) -> None:
        """Raise ValueError if no task can be of the tier."""
        if tier not in TIERS:
            raise ValueError(f"tier must be 1 to {max(TIERS)}, got {tier}")
        limited = [f"hidden={self.hidden}"] * bool(self.hidden)
        limited += [f"observability={self.observability}"] * (self.observability != "full")
        if tier < 5 and limited:
            raise ValueError(f"tier={tier} with {' and '.join(limited)}: hidden elements and limited sight need tier 5")
        if tier == 5 and not limited:
            raise ValueError("tier=5 needs hidden elements or limited sight: set hidden or observability")
        if tier == 4:
            raise ValueError("tier=4: this family has neither blocks nor hazards")
        if tier == 1 and (self.depth or self.goal != "reach_position"):
            raise ValueError(f"tier=1 with depth={self.depth} and goal={self.goal}: it holds no mechanisms")
        contents = {2 if kind == "key" else 3 for kind in self.step_kinds if self.depth}
        contents |= {TIER_OF_DECOY[kind] for kind in self.kinds_of_decoys if self.decoys}
        if tier in (2, 3) and tier not in contents and self.goal != "collect_all":
            raise ValueError(f"tier={tier} needs {TIERS[tier]}: set depth, steps, decoys, decoy_kinds or goal")

    def _description(self, sketch: Sketch) -> str:
        doors = sum(step.type == "key-door" for step in sketch.chain)
        gates = len(sketch.chain) - doors
        counted = [(doors, "locked door"), (gates, "gate"), (self.decoys, "decoy")]
        parts = [f"{count} {noun}{'s' * (count > 1)}" for count, noun in counted if count]
        return f"{self.NOUN} with {' and '.join(parts)}." if parts else f"{self.NOUN}."


def _words(parameter: str, text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words listed by a parameter, in the order of `known`; raises ValueError for an unknown one."""
    listed = known if text == ANY else tuple(text.split("+"))
    for word in listed:
        if word not in known:
            hint = nearest_hint(word, known)
            raise ValueError(f"{parameter}: '{word}' is unknown{hint}; expected some of {', '.join(known)}, or {ANY}")
    return tuple(word for word in known if word in listed)


@attrs.frozen(kw_only=True)
class Puzzle(Sketched):
    """A family of puzzles that a subclass plans completely.

    Args:
        tier: required tier; only checked, since all tasks of the family have the same tier.
    """

    tier: int | None = None

    TIER: ClassVar[int] = 4
    """Tier of the family's tasks under full observability."""

    @abstractmethod
    def plan(self, dice: Dice) -> Sketch:
        """Plan a complete task, apart from its rules.

        Raises:
            NothingDrawn: the plan failed; another one is tried.
        """

    @abstractmethod
    def budget(self, sketch: Sketch) -> int:
        """Return a generous step budget; recipes replace it with one from the certificate."""

    @abstractmethod
    def describe(self) -> str:
        """Return a one-sentence description of the task."""

    def __attrs_post_init__(self) -> None:
        """Raise ValueError for a tier that no task of the family has."""
        super().__attrs_post_init__()
        tier = self.TIER if self.observability == "full" else max(TIERS)
        if self.tier not in (None, tier):
            raise ValueError(
                f"tier={self.tier} with observability={self.observability}: these tasks are of tier {tier}"
            )

    def draw(self, seed: int) -> Drawing:
        """Draw one task from the first of several plans that succeeds."""
        dice = Dice(seed)
        sketch = first_sketch(lambda: self.plan(dice))
        sketch.rules = self.rules
        task = sketch.to_task(
            task_id=f"seed_{seed}", seed=seed, max_steps=self.budget(sketch), description=self.describe()
        )
        return Drawing((task,))
