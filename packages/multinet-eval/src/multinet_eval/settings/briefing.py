"""`Briefing`: what a model is told of a suite before it plays, as a value."""

from __future__ import annotations

from collections.abc import Collection
from typing import Self

import attrs

from gridworld.explaining.vocabulary import SuiteVocabulary
from gridworld.plugins import get_registry
from gridworld.runner.presentation import Presentation
from gridworld.suites import find_suite
from gridworld.suites.choosing_examples import choose_examples
from gridworld.task_spec import TaskSpecification
from multinet_eval.settings.defaults import EXAMPLES_SUITE


@attrs.frozen
class Briefing:
    """The same for every task of a suite."""

    vocabulary: SuiteVocabulary
    """What can occur."""
    examples: tuple[TaskSpecification, ...] = ()
    """Other mazes, which the model is shown solved."""

    @classmethod
    def of(cls, tasks: Collection[TaskSpecification], presentation: Presentation) -> Self:
        """The briefing of a suite of valid tasks; raises as `SuiteVocabulary.of` and `examples_for` do."""
        return cls(SuiteVocabulary.of(tasks, get_registry()), examples_for(tasks, presentation))


def examples_for(tasks: Collection[TaskSpecification], presentation: Presentation) -> tuple[TaskSpecification, ...]:
    """The worked examples for a suite; none where none are asked for.

    Raises:
        ArgumentError: there are too few that fit, or none with a mechanism that the suite has.
        UnknownNameError, SuiteError: there is no such suite to choose from, or it cannot be read.
    """
    if not presentation.examples:
        return ()
    source = presentation.examples_from or EXAMPLES_SUITE
    return choose_examples(presentation.examples, find_suite(source), tasks, source)
