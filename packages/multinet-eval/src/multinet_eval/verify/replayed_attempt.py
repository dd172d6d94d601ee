"""Replay of a recorded attempt with its answers, comparing each line with the one that follows from them.

The engine itself plays the episode and makes its lines; only the answers come from the file. The start, the requests,
the effects, events, reward and state digest of each step, and the end are all checked.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import cattrs

from gridworld.errors import GridworldError, PluginFault, Problem
from gridworld.model_interface import AnswerOutcome, ModelInput, ModelInterface, ModelOutput, ReplyForm
from gridworld.runner.record import EndReason, RecordingError, Request
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.model_caller import Made
from multinet_eval.play.recorder import FullRecorder, KeptArtifacts
from multinet_eval.record.events import Event, RequestMade, read_event, to_line
from multinet_eval.record.sent_requests import ReadRequest, SentReader
from multinet_eval.verify.asked_prompts import PromptCheck
from multinet_eval.verify.json_differences import json_differences

WITHOUT_EFFECT = frozenset({"fault", "adjustment", "resumed"})
"""Kinds of lines that do not affect an episode."""
USABLE = frozenset({AnswerOutcome.OK, AnswerOutcome.NO_EFFECT})
"""Outcomes of requests with an action."""
COMPARED_OF_REQUESTS = frozenset({"step", "frame"})
"""Fields of requests that follow from the lines before; what was sent is compared by `PromptCheck`."""


class RecordedModel(ModelInterface):
    """Placeholder for the model of a recorded run, which is never queried.

    Args:
        name: name under which its results are reported.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def model_name(self) -> str:
        """Name under which results are reported."""
        return self._name

    def predict(self, input: ModelInput) -> ModelOutput:
        """Raise NotImplementedError: answers come from the record."""
        raise NotImplementedError("the answers of a recorded run are read from its files")

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True for every form, since the replies are recorded."""
        return True


@attrs.frozen
class RecordedLine:
    """A line of an episode's file."""

    place: str
    """File and line number, for messages."""
    kind: str
    content: dict[str, Any]
    sent: tuple[ReadRequest, ...] = ()
    """What was sent for a request."""


def lines_in_order(lines: Iterable[tuple[str, dict[str, Any]]], find: Callable[[str], str]) -> Iterator[RecordedLine]:
    """Yield the lines of an episode, without those that do not affect it; otherwise like `sent_in_lines`."""
    return (line for line in sent_in_lines(lines, find) if line.kind not in WITHOUT_EFFECT)


def sent_in_lines(lines: Iterable[tuple[str, dict[str, Any]]], find: Callable[[str], str]) -> Iterator[RecordedLine]:
    """Yield the lines of an episode, those of requests with what was sent.

    Args:
        lines: place and JSON of each line, in the format described by `multinet_eval.record.events`.
        find: returns a stored text by its digest.

    Raises:
        RecordingError: what was sent for a request cannot be read; the message names the line.
    """
    reader = SentReader(find)
    for line in all_lines(lines):
        if line.kind in ("header", "resumed"):
            reader = SentReader(find)
        sent: tuple[ReadRequest, ...] = ()
        if line.kind in ("request", "fault"):
            try:
                sent = tuple(map(reader.read, line.content.get("sent", ())))
            except (GridworldError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
                raise RecordingError(f"{line.place}: {line.kind}.sent cannot be read: {error}") from error
        yield attrs.evolve(line, sent=sent)


def all_lines(lines: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[RecordedLine]:
    """Yield all lines of an episode; the argument is as for `sent_in_lines`."""
    for place, line in lines:
        for kind, content in line.items():
            yield RecordedLine(place, kind, content)


def replay_problems(
    factory: EpisodeFactory,
    job: EpisodeJob,
    lines: Iterable[RecordedLine],
    kept: KeptArtifacts,
    path: Path,
    check: PromptCheck,
) -> list[Problem]:
    """List the problems of the first line of an attempt that does not follow from the previous ones, if any.

    Args:
        factory: opens the episode, with a `RecordedModel`.
        job: the episode.
        lines: its lines.
        kept: scenes made for other episodes; scenes of this one are added.
        path: the file of the last line, for messages.
        check: compares what was sent.
    """
    left = deque[RecordedLine]()
    try:
        left.extend(lines)
        return _first_problems(factory, job, left, kept, check)
    except (GridworldError, cattrs.BaseValidationError) as error:
        place = left[0].place if left else str(path)
        return [Problem(place, f"it cannot be replayed: {error}")]


def _first_problems(
    factory: EpisodeFactory, job: EpisodeJob, left: deque[RecordedLine], kept: KeptArtifacts, check: PromptCheck
) -> list[Problem]:
    """List the problems of the first line that does not follow; remove lines that do from `left`."""

    def make_recorder() -> FullRecorder:
        return FullRecorder(factory.backend, job.number, job.planned.task, kept)

    opened = factory.open(job, make_recorder)
    state, events = opened.state, opened.events
    while True:
        problems = _problems_of(events, left)
        if problems or not left:
            return problems
        if state is None or state.pending is None:
            return [_out_of_place(left[0], None)]
        answer = _answer(left[0])
        if answer is None:
            return [_out_of_place(left[0], "request")]
        made: list[Event] = []
        if not isinstance(answer, PluginFault):
            line, given = left[0], state.pending.input
            differing = list(check.problems(given, line.sent, answer.left_out))
            if differing:
                return [Problem(f"{line.place}: request.{each.path}", each.message) for each in differing]
            made = [state.recorder.request(Made(answer), given)]
        events = [*made, *state.apply(answer)]


def _problems_of(events: Iterable[Event], left: deque[RecordedLine]) -> list[Problem]:
    """List the differences between the first mismatched line and its event; empty if no line differs."""
    for event in events:
        if not left:
            return []
        problems = _line_problems(left.popleft(), event)
        if problems:
            return problems
    return []


def _answer(line: RecordedLine) -> Request | PluginFault | None:
    """Read the answer to a request, or a plugin's failure that ended the episode.

    Raises:
        RecordingError: the action does not fit the outcome.
    """
    if line.kind == "request":
        event = read_event({line.kind: line.content})
        assert isinstance(event, RequestMade)
        check_answer(event.request)
        return event.request
    if line.kind == "end" and line.content.get("reason") == EndReason.PLUGIN.value:
        return PluginFault(str(line.content.get("error")))
    return None


def check_answer(answer: Request) -> None:
    """Raise RecordingError if an action does not fit the outcome, so that the answer cannot be played."""
    if (answer.action is not None) != (answer.outcome in USABLE):
        raise RecordingError(f"a request with the outcome '{answer.outcome}' and the action {answer.action}")


def _line_problems(line: RecordedLine, event: Event) -> list[Problem]:
    ((kind, expected),) = json.loads(to_line(event)).items()
    if kind != line.kind:
        return [_out_of_place(line, kind)]
    pairs = json_differences(_compared(kind, line.content), _compared(kind, expected), kind)
    return [Problem(f"{line.place}: {each.path}", f"found {each}") for each in pairs]


def _compared(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a line that must follow from the previous lines."""
    if kind == "request":
        return {name: each for name, each in content.items() if name in COMPARED_OF_REQUESTS}
    return dict(content)


def _out_of_place(line: RecordedLine, expected: str | None) -> Problem:
    follows = "the episode is over by then" if expected is None else f"'{expected}' has to follow the lines before it"
    return Problem(line.place, f"found '{line.kind}', but {follows}")
