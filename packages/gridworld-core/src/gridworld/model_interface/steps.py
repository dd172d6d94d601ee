"""The steps of an episode as recorded, with the requests that led to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Self, TypeVar

import attrs
import cattrs
from cattrs.fns import identity
from cattrs.gen import make_dict_unstructure_fn, override

from gridworld.actions import ACTION_SPACE
from gridworld.errors import GridworldError
from gridworld.model_interface.answers import AnswerOutcome, Trouble, Usage
from gridworld.model_interface.base import ReplyForm
from gridworld.support.checks import describe_structure_error
from gridworld.support.wording import shorten
from gridworld.world.events import Event

RECORD_VERSION = 1
"""Version of the JSON form; increase it for every change to it."""


class RecordingError(GridworldError):
    """Data is not an episode record, or has another version."""


class DecisionKind(StrEnum):
    """How a step was decided."""

    ACTION = "action"
    """The step is one of the seven actions."""
    LOST = "lost"
    """No action; the world stays unchanged, but the step counts against the budget."""
    STOP = "stop"
    """No action; the episode is left unfinished."""


class EndReason(StrEnum):
    """Reason for the end of an episode."""

    GOAL = "goal"
    """The goal was reached."""
    DEATH = "death"
    """A hazard ended the episode without success."""
    BUDGET = "budget"
    """The step budget was used up."""
    STOPPED = "stopped"
    """The policy had no more actions."""
    ANSWER = "answer"
    """The model gave no usable answer, and the policy for such answers is to fail."""
    INFRASTRUCTURE = "infrastructure"
    """No answer could be obtained, through no fault of the model."""
    PLUGIN = "plugin"
    """A plugin raised an exception."""


@attrs.frozen
class Request:
    """One request to a model and its outcome."""

    outcome: AnswerOutcome
    message: str = ""
    """Problem with the answer; empty if there is none."""
    action: int | None = None
    """Action id, if the answer is legal."""
    actions: tuple[int, ...] | None = None
    """All actions of the answer, `action` first; None for `action` alone."""
    subgoal: str | None = None
    """Purpose of the actions, if requested."""
    note: str | None = None
    """The model's note to itself."""
    reasoning: str | None = None
    confidence: float | None = None
    """Self-reported confidence, from 0 to 1."""
    raw_output: str | None = None
    """The reply as received."""
    usage: Usage | None = None
    """Cost of the request; None if unknown or cached."""
    retry_after: float | None = None
    """Seconds to wait before the next call, as requested by the server."""
    trouble: Trouble | None = None
    """State of the server after an infrastructure fault, if known."""
    permanent: bool = False
    """Whether no other request can succeed, even for another task."""
    cached: bool = False
    """Whether the answer came from a cache of identical requests."""
    left_out: tuple[str, ...] = ()
    """Parts omitted from the request because the server rejects them, such as ``structured output``."""
    status: int | None = None
    """HTTP status of the server's error, if it has sent one."""
    advice: tuple[str, ...] = ()
    """Settings of the run that have to change before a request can succeed, such as ``observation``."""
    returned: tuple[dict[str, Any], ...] = ()
    """JSON beside the reply's text that the provider wants back in a conversation: its ``kind`` and ``content``."""

    @property
    def planned(self) -> tuple[int, ...]:
        """The actions after the first."""
        return () if self.actions is None else self.actions[1:]


@attrs.frozen
class Decision:
    """The decision for one step, with the requests that led to it."""

    kind: DecisionKind
    action: int | None = None
    """Action id; None unless an action was decided."""
    requests: tuple[Request, ...] = ()

    @classmethod
    def act(cls, action: int, requests: tuple[Request, ...] = ()) -> Self:
        """Make a decision to take an action."""
        return cls(DecisionKind.ACTION, action, requests)

    @classmethod
    def lose(cls, requests: tuple[Request, ...] = ()) -> Self:
        """Make a decision that loses the step."""
        return cls(DecisionKind.LOST, None, requests)

    @classmethod
    def stop(cls, requests: tuple[Request, ...] = ()) -> Self:
        """Make a decision to leave the episode unfinished."""
        return cls(DecisionKind.STOP, None, requests)


@attrs.frozen
class RecordPart:
    """Base class of record parts that convert to JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Convert to a JSON-ready dictionary without fields that have their defaults."""
        plain: dict[str, Any] = record_converter.unstructure(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Convert from the form of `to_dict`.

        Raises:
            RecordingError: the form is invalid; every problem is named.
        """
        return _structured(data, cls)


@attrs.frozen
class Step(RecordPart):
    """One step: a decision and its effect."""

    number: int
    """Step number from 1; lost steps count."""
    kind: DecisionKind
    action: int | None = None
    """Action id; None without an action."""
    requests: tuple[Request, ...] = ()
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    events: tuple[Event, ...] = ()
    """Events in the world, in order; empty if the backend reports none."""
    digest: str | None = None
    """Digest of the state after the step, 16 hexadecimal digits."""

    def to_dict_alone(self) -> dict[str, Any]:
        """Convert to a JSON-ready dictionary without requests, for records that store these elsewhere."""
        plain: dict[str, Any] = _unstructure_alone(self)
        return plain

    @property
    def decision(self) -> Decision:
        """The decision."""
        return Decision(self.kind, self.action, self.requests)

    @property
    def is_ineffective(self) -> bool:
        """Whether the action changed nothing; False if the backend does not report this."""
        if self.requests:
            return self.requests[-1].outcome is AnswerOutcome.NO_EFFECT
        return bool(self.events) and not self.events[0].effective

    @property
    def last(self) -> Request | None:
        """The last request, which decided the step; None without requests."""
        return self.requests[-1] if self.requests else None


T = TypeVar("T")


def _structured(data: Mapping[str, Any], kind: type[T]) -> T:
    if not isinstance(data, Mapping):
        raise RecordingError(f"not the record of an episode: expected an object, got {data!r:.60}")
    _refuse_other_version(data)
    try:
        return record_converter.structure(data, kind)
    except cattrs.BaseValidationError as error:
        problems = describe_structure_error(error, kind.__name__)
        raise RecordingError(f"not the record of an episode: {problems}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise RecordingError(f"not the record of an episode: {error}") from error


def _refuse_other_version(data: Mapping[str, Any]) -> None:
    header = data.get("header", data)
    version = header.get("version", RECORD_VERSION) if isinstance(header, Mapping) else RECORD_VERSION
    if version != RECORD_VERSION:
        raise RecordingError(
            f"the episode has version {shorten(str(version))}, and this release reads version {RECORD_VERSION}"
        )


def _strict(kind: type[T]) -> Callable[[Any, Any], T]:
    def structure(value: Any, _: Any) -> T:
        if type(value) is not kind:
            raise TypeError(f"expected {kind.__name__}, got {value!r:.60}")
        return value

    return structure


def _structure_float(value: Any, _: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError(f"expected a number, got {value!r:.60}")
    return float(value)


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(omit_if_default=True, forbid_extra_keys=True)
    for kind in (int, str, bool):
        converter.register_structure_hook(kind, _strict(kind))
    converter.register_structure_hook(float, _structure_float)
    for words in (AnswerOutcome, DecisionKind, EndReason, Trouble):
        converter.register_structure_hook(words, _structure_word)
        converter.register_unstructure_hook(words, str)
    converter.register_unstructure_hook_func(
        lambda kind: isinstance(kind, type) and issubclass(kind, Event), Event.to_dict
    )
    # Much faster than the converter's own hooks.
    converter.register_unstructure_hook_func(
        lambda kind: kind == tuple[Event, ...], lambda events: [event.to_dict() for event in events]
    )
    converter.register_unstructure_hook_func(lambda kind: kind in (int | None, float | None, str | None), identity)
    converter.register_structure_hook(Event, lambda value, _: Event.from_dict(value))
    return converter


def _structure_word(value: Any, kind: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        words = ", ".join(each.value for each in kind)
        raise ValueError(f"expected one of {words}, got {value!r:.60}") from None


record_converter = _make_converter()
"""Converts parts of a record to JSON-ready dictionaries and back."""

_unstructure_alone = make_dict_unstructure_fn(
    Step, record_converter, _cattrs_omit_if_default=True, requests=override(omit=True)
)


def correction_after(requests: Sequence[Request], form: ReplyForm) -> str | None:
    """Describe the problem with the last answer, to follow a phrase such as "your answer could not be used:".

    Args:
        requests: the requests of the step so far.
        form: expected form of the answer.

    Returns:
        A sentence; None if every request ended in an infrastructure fault.
    """
    answers = [request for request in requests if request.outcome is not AnswerOutcome.INFRASTRUCTURE]
    if not answers:
        return None
    names = ", ".join(ACTION_SPACE.values())
    wanted = "exactly one of" if form.holds_one_action else "actions out of"
    asked = f"answer in the form asked for, with {wanted} {names}"
    last = answers[-1]
    if last.outcome is AnswerOutcome.TRUNCATED:
        field = "action" if form.holds_one_action else "actions"
        missing = "its end" if f'"{field}"' in (last.raw_output or "") else f"the {field}"
        return f"it was cut off at the length limit, before {missing}; keep the reasoning short, and {asked}."
    wrong = shorten(last.message).rstrip(".") or str(last.outcome)
    return f"{wrong}; {asked}."
