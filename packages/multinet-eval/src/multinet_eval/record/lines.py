"""Lines of an episode's file: bounded reading, and typed decoding.

Each line is a JSON object with one key that names the kind of event:

* ``header``: the start of the attempt, with the number of the episode in the plan and the digest of its scene;
* ``request``: a request, with the number of its step and what was sent (`multinet_eval.record.sent_requests`);
* ``fault``: a request that does not count and is repeated, written like ``request``;
* ``adjustment``: a part of the request that the server rejects;
* ``step``: a step without its requests, with the agent's place and the looks that changed
  (`gridworld.backends.scenes`);
* ``resumed``: the numbering of messages and their parts starts over;
* ``end``: the end.

Fields are those of the attrs classes `Request`, `Usage`, `Step` and `Adjustment`. Steps and requests are nearly all
lines of a run, so msgspec decodes them straight into their fields; events of the world are decoded once each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import attrs
import msgspec

from gridworld.model_interface import Adjustment, AnswerOutcome, Usage
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, RecordingError, Request, Step
from gridworld.support.files import MIB, FileError, numbers_in, parse_json, read_lines
from gridworld.world.events import Event as WorldEvent
from gridworld.world.events import UnknownEvent

MOST_OF_AN_ATTEMPT = 1024 * MIB
"""Limit for an episode's file, in bytes."""
CUT_OFF = "delete it and all lines after it to resume from there"
"""Advice for a damaged line."""
CACHED_EVENTS, LONGEST_CACHED = 4096, 1024
"""Number of events that are cached, and the length of the longest in bytes."""
SURROGATE = re.compile("[\ud800-\udfff]")

Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
NOTHING = msgspec.Raw()
LONG = re.compile(rb"[0-9]{19}")
"""Pattern of digits that may be those of a whole number of more than 64 bits."""


def written(text: str) -> bytes:
    """Encode a line in UTF-8, with the replacement character in place of lone surrogates, which no decoder accepts."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return replaced(text).encode()


def replaced(text: str) -> str:
    """Replace lone surrogates, as `written` does."""
    return SURROGATE.sub("\ufffd", text)


def recordable(request: Request) -> Request:
    """Return a request as it is read again: without lone surrogates."""
    texts = (request.message, request.subgoal, request.note, request.reasoning, request.raw_output)
    if not request.returned and all(text is None or text.isascii() for text in texts):
        return request
    message, subgoal, note, reasoning, raw_output = (text and replaced(text) for text in texts)
    return attrs.evolve(
        request,
        message=message or "",
        subgoal=subgoal,
        note=note,
        reasoning=reasoning,
        raw_output=raw_output,
        returned=tuple(parse_json(replaced(json.dumps(request.returned, ensure_ascii=False)), number=float)),
    )


def _struct(kind: type, *more: tuple[Any, ...], without: tuple[str, ...] = (), **types: Any) -> Any:
    """Make a struct with the fields of an attrs class, so that unknown names in JSON are refused.

    Args:
        kind: the attrs class.
        more: fields after these: name, type and default.
        without: names of fields to leave out.
        types: types of fields in JSON that differ from those of the class.
    """
    hints, fields = get_type_hints(kind), list[tuple[Any, ...]]()
    for each in attrs.fields(kind):
        if each.name not in without:
            own = types.get(each.name, BOUNDED.get(hints[each.name], hints[each.name]))
            fields.append((each.name, own) if each.default is attrs.NOTHING else (each.name, own, each.default))
    return msgspec.defstruct(f"{kind.__name__}Line", [*fields, *more], kw_only=True, forbid_unknown_fields=True)


BOUNDED: dict[Any, Any] = {
    int: Whole,
    int | None: Whole | None,
    tuple[int, ...] | None: tuple[Whole, ...] | None,
}
"""Types of whole numbers with their limits."""
_UsageLine = _struct(Usage)
_RequestLine = _struct(
    Request, ("step", Whole), ("sent", msgspec.Raw), ("frame", str | None, None), usage=_UsageLine | None
)
_StepLine = _struct(
    Step,
    *[(name, msgspec.Raw, NOTHING) for name in ("agent", "looks", "shown")],
    ("effect", bool, True),
    without=("requests",),
    events=tuple[msgspec.Raw, ...],
)
_AdjustmentLine = _struct(Adjustment)
_KINDS: dict[str, Any] = {
    "request": _RequestLine,
    "step": _StepLine,
    "header": dict[str, Any],
    "end": dict[str, Any],
    "fault": _RequestLine,
    "adjustment": _AdjustmentLine,
    "resumed": dict[str, Any],
}
KINDS = tuple(_KINDS)
"""Kinds of lines, the commonest first."""
USABLE = frozenset({AnswerOutcome.OK, AnswerOutcome.NO_EFFECT})
"""Outcomes of requests with an action."""
ASKED = frozenset({"request", "fault"})
"""Kinds of lines that are requests to the model."""
_Line = msgspec.defstruct(
    "Line", [(kind, struct | None, None) for kind, struct in _KINDS.items()], forbid_unknown_fields=True
)
_decode = msgspec.json.Decoder(_Line).decode
_decode_any = msgspec.json.Decoder().decode
_decode_list = msgspec.json.Decoder(list[Any]).decode
_values = msgspec.structs.astuple


class RecordedLine:
    """A line of an episode's file.

    Args:
        path: the file.
        number: number of the line, from 1; None for the last one, whose number is not known.
        text: the line.

    Raises:
        FileError: the line is malformed.
    """

    __slots__ = ("_content", "kind", "number", "path", "text")

    def __init__(self, path: Path, number: int | None, text: bytes) -> None:
        self.path, self.number, self.text = path, number, text
        try:
            found = _values(_decode(text))
        except msgspec.ValidationError as error:
            raise self.fault(f"unexpected structure: {error}; {CUT_OFF}") from error
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            raise self.fault(f"it is not JSON: {error}; {CUT_OFF}") from error
        if found.count(None) != len(KINDS) - 1:
            raise self.fault(f"expected one of {', '.join(KINDS)}; {CUT_OFF}")
        self.kind, self._content = next(each for each in zip(KINDS, found, strict=True) if each[1] is not None)
        if LONG.search(text) and isinstance(self._content, dict) and _has_long_number(self._content):
            raise self.fault(f"{self.kind}: expected whole numbers of at most 64 bits; {CUT_OFF}")

    @property
    def place(self) -> str:
        """File and line number, for messages."""
        return f"{self.path}, {'last line' if self.number is None else f'line {self.number}'}"

    def fault(self, problem: str) -> FileError:
        """Return an error about the line."""
        return FileError(self.path, problem if self.number else f"last line: {problem}", self.number)

    @property
    def data(self) -> dict[str, Any]:
        """The content as JSON-ready data."""
        if isinstance(self._content, dict):
            return self._content
        content: dict[str, Any] = _decode_any(self.text)[self.kind]
        return content

    @property
    def sent(self) -> list[Any]:
        """The requests that were sent for an answer, as `SentWriter` writes them; raises FileError."""
        try:
            return _decode_list(self._content.sent)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise self.fault(f"{self.kind}.sent: {error}") from error

    @property
    def step(self) -> int:
        """Number of the step of a request or a step, from 1."""
        number: int = self._content.step if self.kind in ASKED else self._content.number
        return number

    @property
    def frame(self) -> str | None:
        """Digest of the picture that was shown before a request, if it was kept."""
        frame: str | None = self._content.frame
        return frame

    @property
    def effective(self) -> bool:
        """Whether the action of a step had an effect, as far as the line tells."""
        effective: bool = self._content.effect
        return effective

    def to_request(self) -> Request:
        """Return the request of a ``request`` or ``fault``; raises FileError, also if action and outcome disagree."""
        *values, _, _, _ = _values(self._content)
        usage = self._content.usage
        try:
            if usage is not None:
                values[USAGE] = Usage(*_values(usage))
            request = Request(*values)
        except (TypeError, ValueError) as error:
            raise self.fault(f"{self.kind}: {error}") from error
        if (request.action is not None) != (request.outcome in USABLE):
            raise self.fault(f"a {self.kind} with the outcome '{request.outcome}' and the action {request.action}")
        return request

    def to_step(self, requests: tuple[Request, ...]) -> Step:
        """Return the step of a ``step`` with its requests; raises FileError."""
        line = self._content
        try:
            events = tuple(map(_read_event, map(bytes, line.events)))
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError, msgspec.MsgspecError) as error:
            raise self.fault(f"step.events: unexpected structure: {error!r}") from error
        return Step(
            line.number,
            line.kind,
            line.action,
            requests,
            line.reward,
            line.terminated,
            line.truncated,
            events,
            line.digest,
        )

    def to_header(self) -> tuple[EpisodeHeader, int, str | None]:
        """Return the header, the number of the episode and the digest of its scene; raises FileError."""
        content = dict(self._content)
        number, scene = content.pop("number", 0), content.pop("scene", None)
        try:
            if type(number) is not int or not isinstance(scene, str | None):
                raise RecordingError("header: expected a whole number and the digest of a scene")
            return EpisodeHeader.from_dict(content), number, scene
        except UNEXPECTED as error:
            raise self.fault(str(error)) from error

    def to_end(self) -> EpisodeEnd:
        """Return the end; raises FileError."""
        return self._end(self._content)

    def to_bare_end(self) -> EpisodeEnd:
        """Return the end without the final state, which is most of it; raises FileError."""
        return self._end({name: each for name, each in self._content.items() if name != "final_state"})

    def _end(self, content: dict[str, Any]) -> EpisodeEnd:
        try:
            return EpisodeEnd.from_dict(content)
        except UNEXPECTED as error:
            raise self.fault(str(error)) from error

    def to_adjustment(self) -> Adjustment:
        """Return the adjustment."""
        return Adjustment(*_values(self._content))


def _has_long_number(value: Any) -> bool:
    """Whether JSON has a whole number of more than 64 bits."""
    return any(isinstance(each, int) and not -(2**63) <= each < 2**63 for each in numbers_in(value))


USAGE = [each.name for each in attrs.fields(Request)].index("usage")
UNEXPECTED = (RecordingError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""Errors about JSON of another structure."""


def _read_event(text: bytes) -> WorldEvent:
    if len(text) <= LONGEST_CACHED:
        with suppress(_UnknownEventError):
            return _known_event(text)
    return WorldEvent.from_dict(_decode_any(text))


class _UnknownEventError(Exception):
    """The class of an event is not known yet, so that the event is not to be cached."""


@lru_cache(maxsize=CACHED_EVENTS)
def _known_event(text: bytes) -> WorldEvent:
    event = WorldEvent.from_dict(_decode_any(text))
    if isinstance(event, UnknownEvent):
        raise _UnknownEventError
    return event


def recorded_lines(path: Path, size: int | None = None) -> Iterator[RecordedLine]:
    """Yield the complete lines of an episode's file; an incomplete last line is ignored.

    Args:
        path: the file.
        size: the number of valid bytes; None for all.

    Raises:
        FileError: the file cannot be read, or a line is malformed.
    """
    for number, text in read_lines(path, size, MOST_OF_AN_ATTEMPT):
        yield RecordedLine(path, number, text)
