"""`Probe`: a kind of question about a `Scene`, a moment as it is shown to a model, which can be graded exactly."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Set
from typing import Any, ClassVar

import attrs

from gridworld.model_interface import ModelInput
from gridworld.task_spec import Position
from gridworld.world.knowledge import Snapshot, shown_look
from gridworld.world.looks import CellLook
from gridworld.world.state import State
from gridworld.world.topology import Topology
from gridworld.world.world import World


@attrs.frozen(eq=False)
class Scene:
    """A moment of a task."""

    world: World
    snapshot: Snapshot
    input: ModelInput
    """The input of a model at that moment."""
    tiling: str | None
    """The tiling that was asked for; None for the backend's own."""
    walk: str
    """The walk that has led to it, such as ``optimal``."""
    step: int
    """Number of actions taken before."""

    @property
    def task_id(self) -> str:
        """The id of its task."""
        return self.world.task.task_id

    @property
    def name(self) -> str:
        """Name that no other scene of a suite has: ``task/tiling/walk/step``."""
        return f"{self.task_id}/{self.tiling or self.topology.name}/{self.walk}/{self.step}"

    @property
    def state(self) -> State:
        """The state of the world."""
        return self.snapshot.state

    @property
    def topology(self) -> Topology:
        """The layout of the board."""
        return self.world.topology

    @property
    def agent(self) -> Position:
        """The lattice cell that the agent is on."""
        return self.topology.lattice[self.state.cell]

    @property
    def shows_all(self) -> bool:
        """Whether what is shown is all that there is: every cell is, and no hidden thing is still to be discovered."""
        full = self.world.task.rules.observability == "full"
        return full and not self.world.hidden & ~self.state.discovered

    def look(self, cell: int) -> CellLook | None:
        """How a cell of the topology is shown; None for one that is not."""
        return shown_look(self.world, self.snapshot, cell)


class Unreadable(Exception):
    """An answer that is not in the form that was asked for; the message says why."""


@attrs.frozen
class Counts:
    """How much of what is there was said, and how much of what was said is there.

    A question with one answer counts as one thing that is there and one that is said, so that the micro-F1 of many such
    questions is the share of right answers.
    """

    hits: int = 0
    """Things that are there, and were said."""
    said: int = 0
    there: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.hits + other.hits, self.said + other.said, self.there + other.there)

    @property
    def f1(self) -> float:
        """2 * hits / (said + there), 0 to 1; 1 where there was nothing to say, and nothing was said."""
        together = self.said + self.there
        return 2 * self.hits / together if together else 1.0


@attrs.frozen
class Item:
    """One thing that was asked for, and what was said of it."""

    labels: Mapping[str, str]
    """Properties by which results are grouped: ``thing``, ``color``, ``distance``."""
    said: str
    """Answer in its place, for tables of confusions; the same if it is right."""
    right: bool


@attrs.frozen
class Grade:
    """Grade of one answer."""

    scores: Mapping[str, Counts]
    """Name of each measure to its counts; the first one is the probe's own score."""
    items: tuple[Item, ...] = ()


def verdict(right: bool) -> Counts:
    """The counts of a question with one answer."""
    return Counts(int(right), 1, 1)


def overlap(there: Set[Any], said: Set[Any]) -> Counts:
    """The counts of a set."""
    return Counts(len(there & said), len(said), len(there))


@attrs.frozen
class ProbeQuestion:
    """One question about a scene. It goes losslessly through JSON."""

    text: str
    """The question, and the form of the answer: a JSON object."""
    right: Mapping[str, Any]
    """The answer that is entirely right, as a model would give it."""
    facts: Mapping[str, Any] = attrs.Factory(dict)
    """Facts needed, beside the answers, to grade them: such as the meanings of the letters of options."""


class Probe(ABC):
    """A kind of question. It keeps nothing: what it asks follows from the scene and the dice alone."""

    name: ClassVar[str]
    """The name under which it is registered."""
    needs_everything: ClassVar[bool] = False
    """Whether what is right can depend on what is not shown, so that it asks only where all is."""

    @abstractmethod
    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Questions about a scene; none where there is nothing to ask.

        Args:
            scene: the scene. Only what it shows (`Scene.look`, `Scene.input`) may be asked for.
            dice: seeded for this scene and probe.
        """

    @abstractmethod
    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> Any:
        """Read an answer as a hashable value; equal answers have equal values.

        Raises:
            Unreadable: it is not in the form that was asked for.
        """

    @abstractmethod
    def grade(self, question: ProbeQuestion, truth: Any, answer: Any) -> Grade:
        """How right an answer is.

        Args:
            question: the question.
            truth: what `read` makes of its right answer.
            answer: what it makes of another one, which may have been given to another question.
        """

    def constants(self, question: ProbeQuestion, truth: Any) -> Iterable[Any]:
        """Answers that somebody who does not look might always give, for the chance level: what is right here."""
        yield truth
