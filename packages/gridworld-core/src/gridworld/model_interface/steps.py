"""The steps of an episode and the requests to a model that led to them, as they are recorded."""

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
"""The version of the JSON form; it grows with every change that an older reader would misunderstand."""


class RecordingError(GridworldError):
    """Data that is not the record of an episode, or was written by a newer version."""


class DecisionKind(StrEnum):
    """What a question was answered with."""

    ACTION = "action"
    """One of the seven actions."""
    LOST = "lost"
    """No action: nothing happens in the world, and the budget has one step less."""
    STOP = "stop"
    """No action: the episode is left as it is."""


class EndReason(StrEnum):
    """Why an episode ended."""

    GOAL = "goal"
    """The goal was reached."""
    DEATH = "death"
    """The world ended it without success: a hazard."""
    BUDGET = "budget"
    """The budget of steps was used up."""
    STOPPED = "stopped"
    """The policy had no further action."""
    ANSWER = "answer"
    """The model gave no usable answer, and the policy for such answers is to fail."""
    INFRASTRUCTURE = "infrastructure"
    """No answer could be had from the model, which is not to blame for it."""
    PLUGIN = "plugin"
    """A plugin raised an exception."""


@attrs.frozen
class Request:
    """One request to a model, and what came of it."""

    outcome: AnswerOutcome
    message: str = ""
    """What was wrong with the answer; empty for an action."""
    action: int | None = None
    """The id of the action, if there is a legal one."""
    actions: tuple[int, ...] | None = None
    """All actions of the answer, `action` first; None where it has that one alone."""
    subgoal: str | None = None
    """What the actions are to achieve, if the model was asked for that."""
    note: str | None = None
    """What the model has noted for itself."""
    reasoning: str | None = None
    confidence: float | None = None
    """How sure the model says it is, 0 to 1."""
    raw_output: str | None = None
    """The reply as it came."""
    usage: Usage | None = None
    """What the request cost; None where that is unknown, and for an answer from a cache, which costs nothing."""
    retry_after: float | None = None
    """The seconds after which the server asked to be called again."""
    trouble: Trouble | None = None
    """What an infrastructure fault says of the server, if anything."""
    permanent: bool = False
    """Whether asking again cannot help, not even for another task."""
    cached: bool = False
    """Whether the model was not asked: the answer to an identical request was found in a cache."""
    left_out: tuple[str, ...] = ()
    """Parts of the request, such as ``structured output``, that it was made without since the server refuses them."""

    @property
    def planned(self) -> tuple[int, ...]:
        """The actions after the first."""
        return () if self.actions is None else self.actions[1:]


@attrs.frozen
class Decision:
    """What to do in one step, and the requests that led to it."""

    kind: DecisionKind
    action: int | None = None
    """The id of the action; None for other kinds."""
    requests: tuple[Request, ...] = ()

    @classmethod
    def act(cls, action: int, requests: tuple[Request, ...] = ()) -> Self:
        """Take an action."""
        return cls(DecisionKind.ACTION, action, requests)

    @classmethod
    def lose(cls, requests: tuple[Request, ...] = ()) -> Self:
        """Lose the step."""
        return cls(DecisionKind.LOST, None, requests)

    @classmethod
    def stop(cls, requests: tuple[Request, ...] = ()) -> Self:
        """Leave the episode as it is."""
        return cls(DecisionKind.STOP, None, requests)


@attrs.frozen
class RecordPart:
    """A part of a record, with its JSON form."""

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready dictionary; fields that have their default are left out."""
        plain: dict[str, Any] = record_converter.unstructure(self)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`.

        Raises:
            RecordingError: it is not of this form; every place is named.
        """
        return _structured(data, cls)


@attrs.frozen
class Step(RecordPart):
    """One step: what was decided, and what it did."""

    number: int
    """From 1; lost steps are counted."""
    kind: DecisionKind
    action: int | None = None
    """The id of the action; None where there was none."""
    requests: tuple[Request, ...] = ()
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    events: tuple[Event, ...] = ()
    """What happened in the world, in order; empty for a backend that does not report events."""
    digest: str | None = None
    """The digest of the state after the step, 16 hexadecimal digits."""

    def to_dict_alone(self) -> dict[str, Any]:
        """`to_dict` without the requests, for records that have these apart."""
        plain: dict[str, Any] = _unstructure_alone(self)
        return plain

    @property
    def decision(self) -> Decision:
        """What was decided."""
        return Decision(self.kind, self.action, self.requests)

    @property
    def is_ineffective(self) -> bool:
        """Whether it has an action that changed nothing; False where the backend does not report that."""
        if self.requests:
            return self.requests[-1].outcome is AnswerOutcome.NO_EFFECT
        return bool(self.events) and not self.events[0].effective

    @property
    def last(self) -> Request | None:
        """The request that decided the step; None where nobody was asked."""
        return self.requests[-1] if self.requests else None


T = TypeVar("T")


def _structured(data: Mapping[str, Any], kind: type[T]) -> T:
    if not isinstance(data, Mapping):
        raise RecordingError(f"not the record of an episode: expected an object, got {data!r:.60}")
    _refuse_newer(data)
    try:
        return record_converter.structure(data, kind)
    except cattrs.BaseValidationError as error:
        problems = describe_structure_error(error, kind.__name__)
        raise RecordingError(f"not the record of an episode: {problems}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise RecordingError(f"not the record of an episode: {error}") from error


def _refuse_newer(data: Mapping[str, Any]) -> None:
    header = data.get("header", data)
    version = header.get("version", RECORD_VERSION) if isinstance(header, Mapping) else RECORD_VERSION
    if isinstance(version, int) and version > RECORD_VERSION:
        raise RecordingError(
            f"recorded in version {version} of the format; this program reads up to version {RECORD_VERSION}"
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
    converter.register_unstructure_hook_func(_is_event, Event.to_dict)
    # These two spare a step most of the time that it takes by the converter's own ways.
    converter.register_unstructure_hook_func(_is_events, _unstructure_events)
    converter.register_unstructure_hook_func(_is_plain_or_none, identity)
    converter.register_structure_hook(Event, lambda value, _: Event.from_dict(value))
    return converter


def _structure_word(value: Any, kind: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        words = ", ".join(each.value for each in kind)
        raise ValueError(f"expected one of {words}, got {value!r:.60}") from None


def _is_event(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Event)


def _is_events(kind: Any) -> bool:
    return bool(kind == tuple[Event, ...])


def _unstructure_events(events: tuple[Event, ...]) -> list[dict[str, Any]]:
    return [event.to_dict() for event in events]


def _is_plain_or_none(kind: Any) -> bool:
    return kind in (int | None, float | None, str | None)


record_converter = _make_converter()
"""Makes JSON-ready dictionaries of the parts of a record, and back."""

_unstructure_alone = make_dict_unstructure_fn(
    Step, record_converter, _cattrs_omit_if_default=True, requests=override(omit=True)
)


def correction_after(requests: Sequence[Request], form: ReplyForm) -> str | None:
    """What was wrong with the last answer, to follow words such as "your answer could not be used:".

    Args:
        requests: the requests for a decision so far.
        form: what the answer is to hold.

    Returns:
        A sentence; None where there was no answer that could be wrong, since infrastructure faults are none.
    """
    answers = [request for request in requests if request.outcome is not AnswerOutcome.INFRASTRUCTURE]
    if not answers:
        return None
    names = ", ".join(ACTION_SPACE.values())
    wrong = shorten(answers[-1].message).rstrip(".") or str(answers[-1].outcome)
    wanted = "exactly one" if form.holds_one_action else "actions out"
    return f"{wrong}; answer in the form asked for, with {wanted} of {names}."
