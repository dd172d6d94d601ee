"""Interface of probes: kinds of questions about a `Scene`, a moment as shown to a model, with exact grading."""

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
    """A moment of a task, as shown to a model."""

    world: World
    snapshot: Snapshot
    input: ModelInput
    """The model input at that moment."""
    tiling: str | None
    """The requested tiling; None for the backend's own."""
    walk: str
    """The walk that led to the moment, such as ``optimal``."""
    step: int
    """Number of actions before the moment."""

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return self.world.task.task_id

    @property
    def name(self) -> str:
        """Unique name within a suite: ``task/tiling/walk/step``."""
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
        """The lattice cell of the agent."""
        return self.topology.lattice[self.state.cell]

    @property
    def shows_all(self) -> bool:
        """Whether everything is shown: all cells are visible, and no hidden object is undiscovered."""
        full = self.world.task.rules.observability == "full"
        return full and not self.world.hidden & ~self.state.discovered

    def look(self, cell: int) -> CellLook | None:
        """Return the look of a cell of the topology as shown; None for an unseen cell."""
        return shown_look(self.world, self.snapshot, cell)


class Unreadable(Exception):
    """An answer has the wrong form; the message explains the problem."""


@attrs.frozen
class Counts:
    """Counts of how an answer overlaps with the truth.

    A question with a single answer counts one true and one stated item, so that the micro-F1 over many such questions
    is the share of right answers.
    """

    hits: int = 0
    """Number of items both true and stated."""
    said: int = 0
    there: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.hits + other.hits, self.said + other.said, self.there + other.there)

    @property
    def f1(self) -> float:
        """F1 score, 2 * hits / (said + there), 0 to 1; 1 if no item was true and none was stated."""
        together = self.said + self.there
        return 2 * self.hits / together if together else 1.0


@attrs.frozen
class Item:
    """One requested item and the model's answer to it."""

    labels: Mapping[str, str]
    """Properties for grouping results: ``thing``, ``color``, ``distance``."""
    said: str
    """The stated item, for confusion tables; equal to the truth if the answer is right."""
    right: bool


@attrs.frozen
class Grade:
    """Grade of one answer."""

    scores: Mapping[str, Counts]
    """Counts for each measure; the first is the probe's own score."""
    items: tuple[Item, ...] = ()


def verdict(right: bool) -> Counts:
    """Return the counts of a question with a single answer."""
    return Counts(int(right), 1, 1)


def overlap(there: Set[Any], said: Set[Any]) -> Counts:
    """Count the overlap of two sets."""
    return Counts(len(there & said), len(said), len(there))


@attrs.frozen
class ProbeQuestion:
    """One question about a scene, losslessly serializable as JSON."""

    text: str
    """The question, including the form of the answer: a JSON object."""
    right: Mapping[str, Any]
    """The perfect answer, in the form requested from models."""
    facts: Mapping[str, Any] = attrs.Factory(dict)
    """Additional facts needed for grading, such as the meanings of lettered options."""
    cells: tuple[tuple[int, int], ...] = ()
    """Lattice cells that the text names; pages mark them on the board."""


class Probe(ABC):
    """A kind of question; stateless, since questions depend only on the scene and the random generator."""

    name: ClassVar[str]
    """Registered name."""
    needs_everything: ClassVar[bool] = False
    """Whether right answers may depend on hidden parts; if so, only scenes that show everything are used."""

    @abstractmethod
    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Return the questions about a scene, possibly none.

        Args:
            scene: the scene. Ask only about what it shows (`Scene.look`, `Scene.input`).
            dice: random generator, seeded for this scene and probe.
        """

    @abstractmethod
    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> Any:
        """Parse an answer to a hashable value; equal answers have equal values.

        Raises:
            Unreadable: the form is wrong.
        """

    @abstractmethod
    def grade(self, question: ProbeQuestion, truth: Any, answer: Any) -> Grade:
        """Grade an answer.

        Args:
            question: the question.
            truth: the value that `read` returns for the perfect answer.
            answer: the value of another answer, possibly one given to another question.
        """

    def constants(self, question: ProbeQuestion, truth: Any) -> Iterable[Any]:
        """Yield the answers to try for the chance level of never looking; by default each question's right answer."""
        yield truth
