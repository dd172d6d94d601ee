"""Events of an episode, how they are written as lines of its file, and the state that follows from them.

`multinet_eval.record.lines` describes the lines and reads them. The state of an episode follows from its events alone:
`EpisodeRecord` applies one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

import attrs

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
from gridworld.world.events import Bumped, Moved, NoEffect, Turned, Waited
from gridworld.world.events import Event as WorldEvent
from multinet_eval.record.lines import CACHED_EVENTS, RecordedLine, written
from multinet_eval.support.output import compact_json

ACTION, NO_EFFECT = DecisionKind.ACTION, AnswerOutcome.NO_EFFECT
"""Enumeration members bound to names, since attribute access on enumerations is slow."""
COMMON_EVENTS = frozenset({Bumped, Moved, NoEffect, Turned, Waited})
"""World event types that occur in nearly all steps."""
ONE_HEADER = "expected one header, as the first line"

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
            self._add_step(event.step)
        elif isinstance(event, RequestMade):
            self._add_request(event.request, event.step, event.frame, event.counts)
        elif isinstance(event, ModelAdjusted):
            self.adjustments.append(event.adjustment)
        elif isinstance(event, EpisodeEnded):
            self.end = event.end
        elif isinstance(event, EpisodeBegun):
            raise RecordingError(ONE_HEADER)

    def add_line(self, line: RecordedLine) -> None:
        """Apply a line after the header, as `add` applies its event; raises FileError if it is malformed, too."""
        match line.kind:
            case "step":
                requests = tuple(self.pending)
                if requests and not line.effective:
                    requests = (*requests[:-1], attrs.evolve(requests[-1], outcome=NO_EFFECT))
                self._add_step(line.to_step(requests))
            case "request" | "fault":
                self._add_request(line.to_request(), line.step, line.frame, line.kind == "request")
            case "adjustment":
                self.adjustments.append(line.to_adjustment())
            case "end":
                self.end = line.to_end()
            case "header":
                raise RecordingError(ONE_HEADER)

    def _add_request(self, request: Request, step: int, frame: str | None, counts: bool) -> None:
        if not counts:
            self.faults.append(request)
            return
        self.pending.append(request)
        if frame is not None:
            self.frames[step] = frame

    def _add_step(self, step: Step) -> None:
        if step.number != len(self.steps) + 1:
            raise RecordingError(f"expected step {len(self.steps) + 1}, got step {step.number}")
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

    @classmethod
    def sum(cls, parts: Iterable[Spent]) -> Spent:
        """Add up usages."""
        return cls(*map(sum, zip(*map(attrs.astuple, [cls(), *parts]), strict=True)))

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
    return written(f'{{"{kind}":{{"step":{event.step},"sent":{shown},{text[1:]}}}\n')


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
        return written(f'{{"step":{compact_json(step.to_dict_alone())[:-1]}{rest}}}}}\n')
    # Equal to the converter's result, and several times faster.
    return written(
        f'{{"step":{{"number":{step.number},"kind":"action","action":{step.action},'
        f'"events":[{_event_text(step.events[0])}],"digest":"{step.digest}"{rest}}}}}\n'
    )


@lru_cache(maxsize=CACHED_EVENTS)
def _event_text(event: WorldEvent) -> str:
    return compact_json(event.to_dict())


@cache
def _bare(outcome: AnswerOutcome, action: int | None) -> tuple[Request, str]:
    """Make a request with only an action, such as a baseline's, and its JSON."""
    request = Request(outcome, action=action)
    return request, compact_json(record_converter.unstructure(request))


def _line(kind: str, content: Mapping[str, Any]) -> bytes:
    return written(f'{{"{kind}":{compact_json(content)}}}\n')


LINES: dict[type[Any], Callable[[Any], bytes]] = {
    EpisodeBegun: _header_line,
    EpisodeResumed: lambda event: _line("resumed", {}),
    RequestMade: _request_line,
    ModelAdjusted: lambda event: _line("adjustment", attrs.asdict(event.adjustment)),
    StepTaken: _step_line,
    EpisodeEnded: lambda event: _line("end", event.end.to_dict()),
}


def read_episode(lines: Iterable[RecordedLine]) -> EpisodeRecord:
    """Reconstruct an attempt from its lines.

    Raises:
        FileError: a line does not have the expected form or cannot follow the previous ones; the message names it.
        RecordingError: there are no lines.
    """
    record: EpisodeRecord | None = None
    for line in lines:
        try:
            record = _with_line(record, line)
        except RecordingError as error:
            raise line.fault(str(error)) from error
    if record is None:
        raise RecordingError("the episode has no lines")
    return record


def _with_line(record: EpisodeRecord | None, line: RecordedLine) -> EpisodeRecord:
    """Apply one more line to a record."""
    if record is None:
        if line.kind != "header":
            raise RecordingError(ONE_HEADER)
        return EpisodeRecord(line.to_header()[0])
    if record.end is not None and line.kind != "header":
        raise RecordingError("expected no line after the end")
    record.add_line(line)
    return record
