"""`RunSettings`: all that is asked of a run, as texts and numbers, so that another process can do the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Self, get_args

import attrs
import cattrs

from gridworld.backends.kernel import DEFAULT_MISSION, MissionMode
from gridworld.errors import ArgumentError
from gridworld.runner.presentation import Presentation, gather_presentation
from gridworld.solver import DEFAULT_MAX_STATES
from gridworld.support.structuring import describe_structure_error
from gridworld.task_spec import TaskSpecification
from multinet_eval.settings.briefing import Briefing
from multinet_eval.settings.budget_factor import BY_TASK, check_factor
from multinet_eval.settings.converting import FOUND, converter, leave_out
from multinet_eval.settings.policies import AnswerPolicies
from multinet_eval.settings.spending import Prices

__all__ = ["ELICITING", "CacheSettings", "RunSettings"]

MAX_EPOCHS = 1_000_000
ELICITING = {
    "diagnosis": "multinet_eval.probing.eliciting:DiagnosedModel",
    "transcription": "multinet_eval.probing.eliciting:TranscribingModel",
}
"""What `RunSettings.eliciting` may be, to the model that does it, which is imported when it is played."""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(value or ())


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
    """Where answers are kept."""

    folder: str
    """It is made if it is missing."""
    sampled: bool = False
    """Whether answers that were drawn at random are kept and given again, too."""


@attrs.frozen
class RunSettings:
    """What is asked of a run, beside its tasks.

    Raises:
        ArgumentError: a value outside its range.
    """

    model: str
    """The name of an installed model."""
    model_arguments: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    """``key=value``, as on the command line."""
    backend: str | None = None
    """The name of an installed backend; None for the usual one."""
    backend_arguments: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    tilings: tuple[str | None, ...] = (None,)
    """The tilings to play on, one after another; None for what the backend plays on anyway."""
    compares_tilings: bool = attrs.field(default=False, metadata={FOUND: True})
    """Whether the results are those of a comparison of tilings."""
    seed: int | None = None
    """The seed of every episode; None for each task's own."""
    epochs: int = attrs.field(default=1, validator=_at_least(1))
    """How many times each task is played."""
    presentation: Presentation = attrs.field(factory=Presentation, metadata={FOUND: True})
    mission: MissionMode = attrs.field(default=DEFAULT_MISSION, validator=_one_of(get_args(MissionMode)))
    protocol: str = "step"
    """The name of an installed protocol, with its value after a colon if it takes one."""
    eliciting: str | None = attrs.field(default=None, validator=_one_of((None, *ELICITING)))
    """What each action is asked for by way of (`multinet_eval.probing.eliciting`); None for the model's own way."""
    policies: AnswerPolicies = attrs.Factory(AnswerPolicies)
    max_states: int = attrs.field(default=DEFAULT_MAX_STATES, validator=_at_least(1))
    """Where the solver that finds the optimum gives up."""
    budget_factor: str = attrs.field(default=BY_TASK, converter=check_factor)
    """How many times its optimum a task has steps, on each tiling: a number, `BY_TASK` or `NO_FACTOR`
    (`multinet_eval.settings.budget_factor`)."""
    prices: Prices | None = None
    """What the model's tokens cost, if that is known."""
    cache: CacheSettings | None = None
    """Where answers are kept, and found again; None for nowhere."""
    briefing: Briefing | None = attrs.field(default=None, eq=False, metadata={FOUND: True})
    """What the model is told of the tasks; not written down, since it is found anew whenever the run is opened."""

    def about(self, tasks: Collection[TaskSpecification]) -> Self:
        """The same for a run of some tasks, valid ones; raises as `Briefing.of` does."""
        return attrs.evolve(self, briefing=Briefing.of(tasks, self.presentation))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, and whole; policies are texts."""
        policies = {name: str(policy) for name, policy in attrs.asdict(self.policies, recurse=False).items()}
        return {**converter.unstructure(self), "policies": policies}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`.

        Raises:
            ArgumentError: it is not of this form.
        """
        try:
            return converter.structure(data, cls)
        except cattrs.BaseValidationError as error:
            raise ArgumentError(describe_structure_error(error, "settings")) from error


leave_out(RunSettings, "briefing", upgrade=gather_presentation)
