"""`WorkedExamples`: other mazes, each with a shortest solution, that a model is shown before it plays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self
from weakref import WeakKeyDictionary

import attrs

from gridworld.actions import ACTION_SPACE, Action
from gridworld.backends.base import AbstractGridBackend
from gridworld.backends.kernel import KernelBackend, MissionMode
from gridworld.backends.pictures import PictureSettings
from gridworld.errors import ArgumentError
from gridworld.explaining.explanation import Explanation, LabelledPicture
from gridworld.model_interface.base import ModelInput
from gridworld.plugins.registry import owner_of
from gridworld.runner.presentation import Presentation
from gridworld.runner.rollout import Resize, Rollout, kernel_of
from gridworld.solver.plans import optimal_solution
from gridworld.support.faults import telling
from gridworld.task_spec import TaskSpecification

HEAD = "Other mazes, and how each is solved with the fewest actions:"
MISSION = "Mission:"


class WorkedExamples:
    """Tasks with their initial observations and shortest plans on a backend.

    Args:
        tasks: the examples, in order.
    """

    def __init__(self, tasks: Iterable[TaskSpecification]) -> None:
        self._tasks = tuple(tasks)
        self._made: WeakKeyDictionary[AbstractGridBackend, dict[Key, Explanation]] = WeakKeyDictionary()

    def shown_on(
        self, backend: AbstractGridBackend, presentation: Presentation, resize: Resize | None = None
    ) -> Explanation | None:
        """Return the examples' texts and pictures, made once per backend and observation; None without tasks.

        Args:
            backend: the backend, which is configured with each task.
            presentation: the observation and the style of pictures.
            resize: as in `Rollout`.

        Raises:
            ArgumentError: the backend is not built on the kernel, or a task cannot be won on it.
            PluginFault: a plugin failed.
        """
        if not self._tasks:
            return None
        kernel = kernel_of(backend)
        if kernel is None:
            owner = owner_of("backend", backend, backend.name)
            raise ArgumentError(f"{owner} is not built on the kernel, so no worked example can be solved on it")
        made = self._made.setdefault(backend, {})
        key = (presentation.observation, presentation.pictures, kernel.mission)
        if key not in made:
            made[key] = _show([_Example.of(kernel, task, presentation, resize) for task in self._tasks])
        return made[key]


Key = tuple[str, PictureSettings, MissionMode]
"""Settings that affect examples: observation, pictures and missions."""


@attrs.frozen(eq=False)
class _Example:
    """A task at its start, and a shortest plan."""

    given: ModelInput
    plan: tuple[Action, ...]

    @classmethod
    def of(
        cls, backend: KernelBackend, task: TaskSpecification, presentation: Presentation, resize: Resize | None
    ) -> Self:
        shown = presentation.of_first_steps()
        question = Rollout(backend, task, presentation=shown, resize=resize).question
        assert question is not None, "no episode is over before its first step"
        with telling(f"when the worked example '{task.task_id}' was solved"):
            solution = optimal_solution(backend.world)
        if solution.plan is None:
            where = backend.name if backend.tiling is None else f"{backend.name} ({backend.tiling})"
            raise ArgumentError(
                f"the worked example '{task.task_id}' cannot be won on {where}: "
                "choose examples from another suite with examples_from"
            )
        return cls(question.input, solution.plan)

    def text(self, number: int) -> str:
        """Return the text of the example."""
        lines = [f"Example {number}. {MISSION} {self.given.text_prompt}"]
        if self.given.image is not None:
            lines.append(f"The maze: see the picture '{_label(number)}'.")
        if self.given.text_observation is not None:
            lines.append(f"The maze in words:\n{self.given.text_observation}\n")
        names = ", ".join(ACTION_SPACE[action] for action in self.plan)
        return "\n".join([*lines, f"Solved by {len(self.plan)} actions: {names}."])


def _show(examples: Sequence[_Example]) -> Explanation:
    numbered = list(enumerate(examples, start=1))
    pictures = [
        LabelledPicture(_label(number), each.given.image) for number, each in numbered if each.given.image is not None
    ]
    return Explanation(
        examples="\n\n".join([HEAD, *(each.text(number) for number, each in numbered)]), pictures=tuple(pictures)
    )


def _label(number: int) -> str:
    return f"Example {number}, before the first action"
