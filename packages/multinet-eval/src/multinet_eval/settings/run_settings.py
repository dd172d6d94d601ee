"""`RunSettings`: all settings of a run as strings and numbers, so that another process can play it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Self, get_args

import attrs
import cattrs

from gridworld.backends.kernel import DEFAULT_MISSION, MissionMode
from gridworld.errors import ArgumentError
from gridworld.explaining.suite_vocabulary import SuiteVocabulary
from gridworld.plugins import get_registry, normal_name
from gridworld.runner.presentation import Presentation
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.suites import find_suite
from gridworld.suites.choosing_examples import choose_examples
from gridworld.support.checks import describe_structure_error
from gridworld.task_spec import TaskSpecification
from multinet_eval.settings.asking import AnswerPolicies
from multinet_eval.settings.converting import FOUND, converter, leave_out
from multinet_eval.settings.defaults import EXAMPLES_SUITE
from multinet_eval.settings.spending import Prices

BY_TASK = "by task"
"""Budget factor value for each task's own factor, if it has one."""
NO_FACTOR = "none"
"""Budget factor value for no factor, so that each task has its ``max_steps``."""


def check_factor(text: str) -> str:
    """Return a budget factor; raises ArgumentError unless it is a number >= 1, `BY_TASK` or `NO_FACTOR`."""
    if text not in (BY_TASK, NO_FACTOR):
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 1 <= number < float("inf"):
            raise ArgumentError(f"budget factor: expected a number of at least 1, or {NO_FACTOR}, got '{text}'")
    return text


ELICITING = {
    "diagnosis": "multinet_eval.probing.eliciting:DiagnosedModel",
    "transcription": "multinet_eval.probing.eliciting:TranscribingModel",
}
"""Import strings of the models that elicit actions by open questions, by `RunSettings.eliciting`."""


@attrs.frozen
class Briefing:
    """What a model is told about a suite before it plays any of its tasks."""

    vocabulary: SuiteVocabulary
    """Vocabulary of everything that can occur in the suite's tasks."""
    examples: tuple[TaskSpecification, ...] = ()
    """Tasks outside the suite that the model is shown with solutions."""

    @classmethod
    def of(cls, tasks: Collection[TaskSpecification], presentation: Presentation) -> Self:
        """Make the briefing of a suite of valid tasks; raises as `SuiteVocabulary.of` and `examples_for` do."""
        return cls(SuiteVocabulary.of(tasks, get_registry()), examples_for(tasks, presentation))


def examples_for(tasks: Collection[TaskSpecification], presentation: Presentation) -> tuple[TaskSpecification, ...]:
    """Choose as many worked examples for a suite as the presentation requests.

    Raises:
        ArgumentError: too few fit, or none has a mechanism of the suite.
        UnknownNameError, SuiteError: the suite of examples is unknown, or cannot be read.
    """
    if not presentation.examples:
        return ()
    source = presentation.examples_from or EXAMPLES_SUITE
    return choose_examples(presentation.examples, find_suite(source), tasks, source)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(value or ())


def _to_model(name: str) -> str:
    return normal_name("model", name)


def _to_backend(name: str | None) -> str | None:
    return name and normal_name("backend", name)


def _to_tilings(names: Iterable[str | None]) -> tuple[str | None, ...]:
    return tuple(name and normal_name("tiling", name) for name in names)


def _to_protocol(text: str) -> str:
    name, colon, value = text.partition(":")
    return f"{normal_name('protocol', name)}{colon}{value}"


def _one_of(words: tuple[str | None, ...]) -> Any:
    def check(settings: Any, attribute: Any, value: str) -> None:
        if value not in words:
            raise ArgumentError(f"{attribute.name}: expected one of {', '.join(map(str, words))}, got {value!r}")

    return check


def _at_least(least: int) -> Any:
    def check(settings: Any, attribute: Any, value: int) -> None:
        if value < least:
            raise ArgumentError(f"{attribute.name}: expected at least {least}, got {value}")

    return check


@attrs.frozen
class CacheSettings:
    """Settings of the answer cache."""

    folder: str
    """Folder of the cache; created if missing."""
    sampled: bool = False
    """Whether to cache sampled answers too."""


@attrs.frozen
class RunSettings:
    """All settings of a run, apart from its tasks.

    Raises:
        ArgumentError: a value is out of range.
    """

    model: str = attrs.field(converter=_to_model)
    """Name of an installed model."""
    model_arguments: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    """Arguments of the model, ``key=value``, as on the command line."""
    backend: str | None = attrs.field(default=None, converter=_to_backend)
    """Name of an installed backend; None for the default."""
    backend_arguments: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    tilings: tuple[str | None, ...] = attrs.field(default=(None,), converter=_to_tilings)
    """Names of the tilings to play on, in order; None for the backend's own tiling."""
    compares_tilings: bool = attrs.field(default=False, metadata={FOUND: True})
    """Whether the results compare the tilings."""
    seed: int | None = None
    """Seed of every episode; None for each task's own."""
    epochs: int = attrs.field(default=1, validator=_at_least(1))
    """Number of repetitions of each task."""
    presentation: Presentation = attrs.field(factory=Presentation, metadata={FOUND: True})
    mission: MissionMode = attrs.field(default=DEFAULT_MISSION, validator=_one_of(get_args(MissionMode)))
    protocol: str = attrs.field(default="step", converter=_to_protocol)
    """Name of an installed protocol, followed by a colon and a value if it takes one."""
    eliciting: str | None = attrs.field(default=None, validator=_one_of((None, *ELICITING)))
    """Way of eliciting actions (`multinet_eval.probing.eliciting`); None for the model's own."""
    policies: AnswerPolicies = attrs.Factory(AnswerPolicies)
    max_states: int = attrs.field(default=DEFAULT_MAX_STATES, validator=_at_least(1))
    """Limit of the solver that finds the optimum."""
    budget_factor: str = attrs.field(default=BY_TASK, converter=check_factor)
    """Step budget as a multiple of the shortest plan on each tiling: a number, `BY_TASK` or `NO_FACTOR`."""
    prices: Prices | None = None
    """Prices of the model's tokens, if known."""
    cache: CacheSettings | None = None
    """Cache of answers; None for no cache."""
    briefing: Briefing | None = attrs.field(default=None, eq=False, metadata={FOUND: True})
    """Briefing derived from the tasks each time the run is opened; not recorded."""

    def about(self, tasks: Collection[TaskSpecification]) -> Self:
        """Return a copy with the briefing about some valid tasks; raises as `Briefing.of` does."""
        return attrs.evolve(self, briefing=Briefing.of(tasks, self.presentation))

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data; policies become texts."""
        policies = attrs.asdict(self.policies, recurse=False)
        texts = {name: str(policy) for name, policy in policies.items()}
        return {**converter.unstructure(self), "policies": texts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Parse the result of `to_dict`; raises ArgumentError if the data has another form."""
        try:
            return converter.structure(data, cls)
        except cattrs.BaseValidationError as error:
            raise ArgumentError(describe_structure_error(error, "settings")) from error


leave_out(RunSettings, "briefing")
