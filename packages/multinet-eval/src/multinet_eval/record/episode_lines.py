"""An episode as lines of JSON, one for each moment, as they stand in its file.

Each line is an object with one key that says what it is:

* ``header``: the `EpisodeHeader`, with the number of the episode in the plan, the digest of its scene, and the version
  in which prompts are written;
* ``request``: a `Request`, with the number of its step and the prompt (`multinet_eval.record.prompt_lines`);
* ``fault``: a request that was made again and does not count, as ``request``;
* ``adjustment``: what the model found out about its server;
* ``step``: a `Step` without its requests, with the agent's place, and the looks that changed
  (`gridworld.backends.scenes`);
* ``resumed``: the episode goes on after it was left; the lines of prompts are numbered anew;
* ``end``: the `EpisodeEnd`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

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
from gridworld.support.structuring import describe_structure_error
from gridworld.world.events import Bumped, Event, Moved, NoEffect, Turned, Waited
from multinet_eval.play.moments import Past
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.prompt_lines import PROMPT_VERSION
from multinet_eval.support.compact_json import compact_json

__all__ = [
    "EpisodeLines",
    "adjustment_line",
    "end_line",
    "header_line",
    "read_lines",
    "read_request",
    "request_line",
    "resumed_line",
    "step_line",
]


ACTION, NO_EFFECT = DecisionKind.ACTION, AnswerOutcome.NO_EFFECT
"""Looked up once: members of enumerations are slow to find."""
ESCAPED = "backslashreplace"
"""How a line is encoded where it is no Unicode text."""
USUAL_EVENTS = frozenset({Bumped, Moved, NoEffect, Turned, Waited})
"""What almost all steps consist of; the same ones come again and again."""
MOST_EVENTS = 4096
"""How many are kept as text."""


def header_line(header: EpisodeHeader, planned: PlannedEpisode, scene: str | None) -> bytes:
    """The first line of an attempt.

    Args:
        header: the header.
        planned: the episode in the plan.
        scene: the digest of its scene, if it has one.
    """
    beside = {"number": planned.number, "scene": scene, "prompts": PROMPT_VERSION}
    return _line("header", {**beside, **header.to_dict()})


def request_line(request: Request, step: int, prompt: str, frame: str | None, kind: str = "request") -> bytes:
    """A request.

    Args:
        request: the request.
        step: the number of its step.
        prompt: what `PromptWriter` makes of its prompt, as JSON.
        frame: the digest of the picture that was shown, if it is kept.
        kind: ``request``, or ``fault`` for one that is made again and does not count.
    """
    shown = prompt if frame is None else f'{prompt},"frame":"{frame}"'
    bare, bare_text = _bare(request.outcome, request.action)
    said = bare_text if request == bare else compact_json(record_converter.unstructure(request))
    return f'{{"{kind}":{{"step":{step},"prompt":{shown},{said[1:]}}}\n'.encode(errors=ESCAPED)


def adjustment_line(adjustment: Adjustment) -> bytes:
    """What the model found out about its server."""
    return _line("adjustment", attrs.asdict(adjustment))


def step_line(step: Step, changes: str = "") -> bytes:
    """A step without its requests.

    Args:
        step: the step.
        changes: what has changed in the scene, as `Scene.changes_to_json` has it; empty where there is no scene.
    """
    rest = f",{changes}" if changes else ""
    if step.requests and step.requests[-1].outcome is NO_EFFECT:
        rest += ',"effect":false'  # the class of its events may be unknown to the reader
    if not _is_usual(step):
        return f'{{"step":{compact_json(step.to_dict_alone())[:-1]}{rest}}}}}\n'.encode(errors=ESCAPED)
    # What the encoder makes of `Step.to_dict_alone`, too, in several times as long.
    return (
        f'{{"step":{{"number":{step.number},"kind":"action","action":{step.action},'
        f'"events":[{_event_text(step.events[0])}],"digest":"{step.digest}"{rest}}}}}\n'
    ).encode(errors=ESCAPED)


def _is_usual(step: Step) -> bool:
    """Whether a step has what almost all have and nothing else, and a digest in which nothing has to be escaped."""
    return (
        step.kind is ACTION
        and not (step.reward or step.terminated or step.truncated)
        and len(step.events) == 1
        and type(step.events[0]) in USUAL_EVENTS
        and step.digest is not None
        and step.digest.isalnum()
    )


@lru_cache(maxsize=MOST_EVENTS)
def _event_text(event: Event) -> str:
    return compact_json(event.to_dict())


def resumed_line() -> bytes:
    """The episode goes on in another process; the lines of prompts are numbered anew."""
    return _line("resumed", {"prompts": PROMPT_VERSION})


def end_line(end: EpisodeEnd) -> bytes:
    """The last line."""
    return _line("end", end.to_dict())


@cache
def _bare(outcome: AnswerOutcome, action: int | None) -> tuple[Request, str]:
    """A request that says nothing but its action, as baselines make them, and its JSON."""
    request = Request(outcome, action=action)
    return request, compact_json(record_converter.unstructure(request))


def _line(kind: str, content: Mapping[str, Any]) -> bytes:
    """One line with its end."""
    return f'{{"{kind}":{compact_json(content)}}}\n'.encode(errors=ESCAPED)


@attrs.frozen
class EpisodeLines:
    """What the lines of an episode's file say."""

    header: EpisodeHeader
    steps: tuple[Step, ...] = ()
    pending: tuple[Request, ...] = ()
    """The requests for a step that has not been taken."""
    end: EpisodeEnd | None = None
    """None for an episode that was left before its end."""
    faults: tuple[Request, ...] = ()
    """The requests that were made again and do not count."""
    adjustments: tuple[Adjustment, ...] = ()
    frames: Mapping[int, str] = attrs.Factory(dict)
    """Number of a step to the digest of the picture that the model was shown before it, where pictures are kept."""

    @property
    def past(self) -> Past:
        """What is to be played again in order to go on."""
        return Past(self.header, self.steps, self.pending)

    @property
    def requests(self) -> Iterable[Request]:
        """All requests that were made, in no order."""
        return (*(request for step in self.steps for request in step.requests), *self.pending, *self.faults)


def read_lines(lines: Iterable[tuple[str, Any]]) -> EpisodeLines:
    """Parse the lines of one attempt.

    Args:
        lines: place and JSON of each line.

    Raises:
        RecordingError: a line is not of this form; its place is named.
    """
    reader = _Reader()
    for place, line in lines:
        try:
            reader.read(line)
        except RecordingError as error:
            raise RecordingError(f"{place}: {error}") from error
        except cattrs.BaseValidationError as error:
            problems = describe_structure_error(error, "request")
            raise RecordingError(f"{place}: {problems}") from error
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            raise RecordingError(f"{place}: it is not of the right form: {error!r}") from error
    if reader.header is None:
        raise RecordingError("an episode without any line")
    return EpisodeLines(
        reader.header,
        tuple(reader.steps),
        tuple(reader.pending),
        reader.end,
        tuple(reader.faults),
        tuple(reader.adjustments),
        reader.frames,
    )


class _Reader:
    """Gathers what lines say; each kind of line has a method of its name."""

    def __init__(self) -> None:
        self.header: EpisodeHeader | None = None
        self.steps: list[Step] = []
        self.pending: list[Request] = []
        self.end: EpisodeEnd | None = None
        self.faults: list[Request] = []
        self.adjustments: list[Adjustment] = []
        self.frames: dict[int, str] = {}
        self._kinds = {
            "header": self._read_header,
            "resumed": self._read_resumed,
            "request": self._read_request,
            "fault": self._read_fault,
            "adjustment": self._read_adjustment,
            "step": self._read_step,
            "end": self._read_end,
        }

    def read(self, line: Any) -> None:
        """Add one line."""
        if not isinstance(line, dict) or len(line) != 1:
            raise RecordingError("expected an object with one key")
        ((kind, content),) = line.items()
        if kind not in self._kinds:
            raise RecordingError(f"expected one of {', '.join(self._kinds)}, got '{kind}'")
        if (kind == "header") != (self.header is None):
            raise RecordingError("expected one header, as the first line")
        if self.end is not None:
            raise RecordingError("expected no line after the end")
        self._kinds[kind](content)

    def _read_header(self, content: dict[str, Any]) -> None:
        self.header = EpisodeHeader.from_dict(_without(content, "number", "scene", "prompts"))

    def _read_resumed(self, content: dict[str, Any]) -> None:
        """Nothing is kept of it: the steps go on."""

    def _read_request(self, content: dict[str, Any]) -> None:
        self.pending.append(read_request(content))
        if "frame" in content:
            self.frames[content["step"]] = content["frame"]

    def _read_fault(self, content: dict[str, Any]) -> None:
        self.faults.append(read_request(content))

    def _read_adjustment(self, content: dict[str, Any]) -> None:
        self.adjustments.append(Adjustment(**content))

    def _read_step(self, content: dict[str, Any]) -> None:
        step = Step.from_dict(_without(content, "agent", "looks", "shown", "effect"))
        if step.number != len(self.steps) + 1:
            raise RecordingError(f"expected step {len(self.steps) + 1}, got step {step.number}")
        requests = tuple(self.pending)
        if content.get("effect") is False:
            requests = (*requests[:-1], attrs.evolve(requests[-1], outcome=AnswerOutcome.NO_EFFECT))
        self.steps.append(attrs.evolve(step, requests=requests))
        self.pending = []

    def _read_end(self, content: dict[str, Any]) -> None:
        self.end = EpisodeEnd.from_dict(content)


def read_request(content: Mapping[str, Any]) -> Request:
    """The request that a line holds.

    Raises:
        cattrs.BaseValidationError: it is not of this form.
    """
    request: Request = record_converter.structure(_without(content, "step", "prompt", "frame"), Request)
    return request


def _without(content: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in names}
