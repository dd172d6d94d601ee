"""Events of an episode: the lines of its file, and the state that follows from them.

Each line of an episode's file is a JSON object with one key that names the kind of event:

* ``header``: `EpisodeBegun`, with the number of the episode in the plan and the digest of its scene;
* ``request``: `RequestMade`, with the number of its step and what was sent (`multinet_eval.record.sent_requests`);
* ``fault``: `RequestMade` that does not count and is repeated, written like ``request``;
* ``adjustment``: `ModelAdjusted`;
* ``step``: `StepTaken`, without its requests, with the agent's place and the looks that changed
  (`gridworld.backends.scenes`);
* ``resumed``: `EpisodeResumed`; the numbering of messages and their parts starts over;
* ``end``: `EpisodeEnded`.

The state of an episode follows from its events alone: `EpisodeRecord` applies one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

import attrs
import cattrs

from gridworld.model_interface import Adjustment, AnswerOutcome
from gridworld.runner.record import (
    DecisionKind,
    EpisodeEnd,
    EpisodeHeader,
    RecordingError,
    Request,
    Step,
    record_converter,
)
from gridworld.support.checks import describe_structure_error
from gridworld.world.events import Bumped, Moved, NoEffect, Turned, Waited
from gridworld.world.events import Event as WorldEvent
from multinet_eval.support.output import compact_json

ACTION, NO_EFFECT = DecisionKind.ACTION, AnswerOutcome.NO_EFFECT
"""Enumeration members bound to names, since attribute access on enumerations is slow."""
ESCAPED = "backslashreplace"
"""Encoding error handler for text that is not valid Unicode."""
COMMON_EVENTS = frozenset({Bumped, Moved, NoEffect, Turned, Waited})
"""World event types that occur in nearly all steps."""
CACHED_EVENTS = 4096

RecordedPose = tuple[int, int, int]
"""Position of the agent: x and y of the lattice cell, and its heading."""
NOWHERE: RecordedPose = (0, 0, 0)


class Artifact(NamedTuple):
    """A file named after its digest, written before the line that refers to it."""

    folder: str
    name: str
    content: bytes


class EpisodeBegun(NamedTuple):
    """An attempt at an episode began."""

    header: EpisodeHeader
    number: int
    """Number of the episode in the plan."""
    scene: str | None = None
    """Digest of the episode's scene, if any."""
    artifacts: tuple[Artifact, ...] = ()


class EpisodeResumed(NamedTuple):
    """The episode resumed from its recorded events."""

    artifacts: tuple[Artifact, ...] = ()


class RequestMade(NamedTuple):
    """A request was made to the model."""

    request: Request
    step: int
    """Number of the step to decide, from 1."""
    sent: str = "[]"
    """The requests that were sent for it as JSON (`SentWriter`), usually one; none in a run that is not recorded."""
    frame: str | None = None
    """Digest of the picture that was shown, if kept."""
    artifacts: tuple[Artifact, ...] = ()
    is_free: bool = False
    """True if losing its line would cost nothing, so that it may be written together with the next one."""
    counts: bool = True
    """Whether the request counts; False for a server fault, after which it is repeated."""


class ModelAdjusted(NamedTuple):
    """The model found that its server rejects part of its requests."""

    adjustment: Adjustment


class StepTaken(NamedTuple):
    """A step was taken or lost."""

    step: Step
    changes: str = ""
    """Changes of the scene (`Scene.changes_to_json`); empty without a scene."""
    place: RecordedPose = NOWHERE
    effective: bool = True
    """Whether the action had an effect; set if the step was read without its requests."""


class EpisodeEnded(NamedTuple):
    """The episode ended."""

    end: EpisodeEnd


Event = EpisodeBegun | EpisodeResumed | RequestMade | ModelAdjusted | StepTaken | EpisodeEnded


@attrs.define
class EpisodeRecord:
    """An episode reconstructed from its events."""

    header: EpisodeHeader
    steps: list[Step] = attrs.Factory(list)
    pending: list[Request] = attrs.Factory(list)
    """Requests made so far for the next step."""
    end: EpisodeEnd | None = None
    """End of the episode; None if it has not ended."""
    faults: list[Request] = attrs.Factory(list)
    """Requests that were repeated and therefore do not count."""
    adjustments: list[Adjustment] = attrs.Factory(list)
    frames: dict[int, str] = attrs.Factory(dict)
    """Digest of the picture shown before each step, by step number, if pictures are kept."""

    def add(self, event: Event) -> None:
        """Apply an event after the header; raises RecordingError if it cannot follow the previous ones."""
        if isinstance(event, StepTaken):
            self._add_step(event)
        elif isinstance(event, RequestMade):
            if not event.counts:
                self.faults.append(event.request)
                return
            self.pending.append(event.request)
            if event.frame is not None:
                self.frames[event.step] = event.frame
        elif isinstance(event, ModelAdjusted):
            self.adjustments.append(event.adjustment)
        elif isinstance(event, EpisodeEnded):
            self.end = event.end
        elif isinstance(event, EpisodeBegun):
            raise RecordingError("expected one header, as the first line")

    def _add_step(self, taken: StepTaken) -> None:
        step = taken.step
        if step.number != len(self.steps) + 1:
            raise RecordingError(f"expected step {len(self.steps) + 1}, got step {step.number}")
        if self.pending and not step.requests:  # the step was read from a line, which has no requests
            requests = tuple(self.pending)
            if not taken.effective:
                requests = (*requests[:-1], attrs.evolve(requests[-1], outcome=NO_EFFECT))
            step = attrs.evolve(step, requests=requests)
        self.pending = []
        self.steps.append(step)

    @property
    def requests(self) -> Iterable[Request]:
        """All requests: first those that do not count, then those that do, both in order."""
        return (*self.faults, *(request for step in self.steps for request in step.requests), *self.pending)

    @property
    def asked(self) -> tuple[Step, ...]:
        """Steps for which the model was queried; the pending one comes last, without its effects."""
        if not self.pending:
            return tuple(self.steps)
        action = self.pending[-1].action
        kind = DecisionKind.LOST if action is None else DecisionKind.ACTION
        return (*self.steps, Step(len(self.steps) + 1, kind, action, tuple(self.pending)))


@attrs.frozen
class Spent:
    """Requests and tokens used; cached answers cost nothing and are counted separately."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unmetered: int = 0
    """Number of replies whose token counts are unknown."""
    cached: int = 0
    """Number of answers from a cache."""
    failed: int = 0
    """Number of requests that got no answer because of the server or the network."""
    cache_read_tokens: int = 0
    """Part of the prompts' tokens that the provider read from its cache."""
    cache_write_tokens: int = 0
    """Part of the prompts' tokens that the provider wrote into its cache."""

    @property
    def tokens(self) -> int:
        """Number of tokens of prompts and replies."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, request: Request) -> Spent:
        """Add a request."""
        if request.cached:
            return attrs.evolve(self, cached=self.cached + 1)
        usage = request.usage
        prompt, completion = (None, None) if usage is None else (usage.prompt_tokens, usage.completion_tokens)
        read, written = (None, None) if usage is None else (usage.cache_read_tokens, usage.cache_write_tokens)
        replied = request.outcome is not AnswerOutcome.INFRASTRUCTURE
        return Spent(
            self.requests + 1,
            self.prompt_tokens + (prompt or 0),
            self.completion_tokens + (completion or 0),
            self.unmetered + (replied and (prompt is None or completion is None)),
            self.cached,
            self.failed + (not replied),
            self.cache_read_tokens + (read or 0),
            self.cache_write_tokens + (written or 0),
        )

    def plus_all(self, requests: Iterable[Request]) -> Spent:
        """Add several requests."""
        spent = self
        for request in requests:
            spent = spent.plus(request)
        return spent


def to_line(event: Event) -> bytes:
    """Format an event as a line, including its line feed."""
    return LINES[type(event)](event)


def _header_line(event: EpisodeBegun) -> bytes:
    return _line("header", {"number": event.number, "scene": event.scene, **event.header.to_dict()})


def _request_line(event: RequestMade) -> bytes:
    request, kind = event.request, "request" if event.counts else "fault"
    shown = event.sent if event.frame is None else f'{event.sent},"frame":"{event.frame}"'
    bare, bare_text = _bare(request.outcome, request.action)
    text = bare_text if request == bare else compact_json(record_converter.unstructure(request))
    return f'{{"{kind}":{{"step":{event.step},"sent":{shown},{text[1:]}}}\n'.encode(errors=ESCAPED)


def _step_line(event: StepTaken) -> bytes:
    step = event.step
    rest = f",{event.changes}" if event.changes else ""
    if step.requests and step.requests[-1].outcome is NO_EFFECT:
        rest += ',"effect":false'  # a reader may not know the class of its events
    is_common = (
        step.kind is ACTION
        and not (step.reward or step.terminated or step.truncated)
        and len(step.events) == 1
        and type(step.events[0]) in COMMON_EVENTS
        and step.digest is not None
        and step.digest.isalnum()
    )
    if not is_common:
        return f'{{"step":{compact_json(step.to_dict_alone())[:-1]}{rest}}}}}\n'.encode(errors=ESCAPED)
    # Equal to the converter's result, and several times faster.
    return (
        f'{{"step":{{"number":{step.number},"kind":"action","action":{step.action},'
        f'"events":[{_event_text(step.events[0])}],"digest":"{step.digest}"{rest}}}}}\n'
    ).encode(errors=ESCAPED)


@lru_cache(maxsize=CACHED_EVENTS)
def _event_text(event: WorldEvent) -> str:
    return compact_json(event.to_dict())


@cache
def _bare(outcome: AnswerOutcome, action: int | None) -> tuple[Request, str]:
    """Make a request with only an action, such as a baseline's, and its JSON."""
    request = Request(outcome, action=action)
    return request, compact_json(record_converter.unstructure(request))


def _line(kind: str, content: Mapping[str, Any]) -> bytes:
    return f'{{"{kind}":{compact_json(content)}}}\n'.encode(errors=ESCAPED)


LINES: dict[type[Any], Callable[[Any], bytes]] = {
    EpisodeBegun: _header_line,
    EpisodeResumed: lambda event: _line("resumed", {}),
    RequestMade: _request_line,
    ModelAdjusted: lambda event: _line("adjustment", attrs.asdict(event.adjustment)),
    StepTaken: _step_line,
    EpisodeEnded: lambda event: _line("end", event.end.to_dict()),
}


def read_episode(lines: Iterable[tuple[str, Any]]) -> EpisodeRecord:
    """Reconstruct an attempt from its lines.

    Args:
        lines: place and JSON of each line.

    Raises:
        RecordingError: a line does not have the expected form; the message names it.
    """
    record: EpisodeRecord | None = None
    for place, line in lines:
        try:
            record = _with_line(record, line)
        except RecordingError as error:
            raise RecordingError(f"{place}: {error}") from error
        except cattrs.BaseValidationError as error:
            problems = describe_structure_error(error, "request")
            raise RecordingError(f"{place}: {problems}") from error
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            raise RecordingError(f"{place}: unexpected structure: {error!r}") from error
    if record is None:
        raise RecordingError("the episode has no lines")
    return record


def _with_line(record: EpisodeRecord | None, line: Any) -> EpisodeRecord:
    """Apply one more line to a record."""
    event = read_event(line)
    if record is None:
        if not isinstance(event, EpisodeBegun):
            raise RecordingError("expected one header, as the first line")
        return EpisodeRecord(event.header)
    if record.end is not None and not isinstance(event, EpisodeBegun):
        raise RecordingError("expected no line after the end")
    record.add(event)
    return record


def read_event(line: Any) -> Event:
    """Parse the event of a line, ignoring what was sent and drawing data (``agent``, ``looks``).

    Raises:
        RecordingError: the line or one of its parts does not have the expected form.
    """
    if not isinstance(line, dict) or len(line) != 1:
        raise RecordingError("expected an object with one key")
    ((kind, content),) = line.items()
    if kind not in READERS:
        raise RecordingError(f"expected one of {', '.join(READERS)}, got '{kind}'")
    return READERS[kind](content)


def _read_header(content: dict[str, Any]) -> EpisodeBegun:
    header = EpisodeHeader.from_dict(_without(content, "number", "scene"))
    return EpisodeBegun(header, content.get("number", 0), content.get("scene"))


def _read_step(content: dict[str, Any]) -> StepTaken:
    step = Step.from_dict(_without(content, "agent", "looks", "shown", "effect"))
    return StepTaken(step, effective=content.get("effect") is not False)


def _read_request(content: Mapping[str, Any], counts: bool = True) -> RequestMade:
    request: Request = record_converter.structure(_without(content, "step", "sent", "frame"), Request)
    return RequestMade(request, content["step"], frame=content.get("frame"), counts=counts)


def _without(content: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in names}


READERS: dict[str, Callable[[dict[str, Any]], Event]] = {
    "header": _read_header,
    "resumed": lambda content: EpisodeResumed(),
    "request": _read_request,
    "fault": lambda content: _read_request(content, counts=False),
    "adjustment": lambda content: ModelAdjusted(Adjustment(**content)),
    "step": _read_step,
    "end": lambda content: EpisodeEnded(EpisodeEnd.from_dict(content)),
}
