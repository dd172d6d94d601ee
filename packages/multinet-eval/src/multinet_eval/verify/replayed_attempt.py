"""Replay of a recorded attempt with its answers, comparing each line with the one that follows from them.

The engine itself plays the episode and makes its lines; only the answers come from the file. The start, the requests,
the effects, events, reward and state digest of each step, and the end are all checked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gridworld.errors import GridworldError, PluginFault, Problem
from gridworld.model_interface import ModelInput, ModelInterface, ModelOutput, ReplyForm
from gridworld.runner.record import EndReason, Request
from gridworld.support.files import FileError
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.model_caller import Made
from multinet_eval.play.recorder import FullRecorder, KeptArtifacts
from multinet_eval.record.events import Event, RequestMade, to_line
from multinet_eval.record.lines import ASKED, RecordedLine
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.sent_requests import ReadRequest, SentReader
from multinet_eval.verify.asked_prompts import PromptCheck
from multinet_eval.verify.json_differences import json_differences

WITHOUT_EFFECT = frozenset({"fault", "adjustment", "resumed"})
"""Kinds of lines that do not affect an episode."""


class RecordedModel(ModelInterface):
    """Placeholder for the model of a recorded run, which is never queried.

    Args:
        name: name under which its results are reported.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.looks = True
        """Whether the requests that are replayed have pictures; otherwise these are not drawn."""

    @property
    def model_name(self) -> str:
        """Name under which results are reported."""
        return self._name

    @property
    def looks_at_pictures(self) -> bool:
        """Whether pictures are drawn for it."""
        return self.looks

    def predict(self, input: ModelInput) -> ModelOutput:
        """Raise NotImplementedError: answers come from the record."""
        raise NotImplementedError("the answers of a recorded run are read from its files")

    def can_reply(self, form: ReplyForm) -> bool:
        """Return True for every form, since the replies are recorded."""
        return True


class ReplayRecorder(FullRecorder):
    """Recorder of a replayed episode, without what was sent, which `PromptCheck` compares."""

    def request(self, made: Made, given: ModelInput) -> RequestMade:
        """Create the event for a request."""
        return RequestMade(made.request, given.step_number + 1, frame=self.kept_frame(given))


class PlayedLine(NamedTuple):
    """A line of an episode's file, with what was sent for a request."""

    line: RecordedLine
    sent: tuple[ReadRequest, ...] = ()


def lines_in_order(lines: Iterable[RecordedLine], find: Callable[[str], str]) -> Iterator[PlayedLine]:
    """Yield the lines of an episode, without those that do not affect it; otherwise like `sent_in_lines`."""
    return (each for each in sent_in_lines(lines, find) if each.line.kind not in WITHOUT_EFFECT)


def sent_in_lines(lines: Iterable[RecordedLine], find: Callable[[str], str]) -> Iterator[PlayedLine]:
    """Yield the lines of an episode, those of requests with what was sent.

    Args:
        lines: the lines.
        find: returns a stored text by its digest.

    Raises:
        FileError: what was sent for a request cannot be read; the message names the line.
    """
    reader = SentReader(find)
    for line in lines:
        if line.kind in ("header", "resumed"):
            reader = SentReader(find)
        sent: tuple[ReadRequest, ...] = ()
        if line.kind in ASKED:
            try:
                sent = tuple(map(reader.read, line.sent))
            except (RunError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
                raise line.fault(f"{line.kind}.sent cannot be read: {error}") from error
        yield PlayedLine(line, sent)


def replay_problems(
    factory: EpisodeFactory,
    model: RecordedModel,
    job: EpisodeJob,
    lines: Iterable[PlayedLine],
    kept: KeptArtifacts,
    path: Path,
    check: PromptCheck,
) -> list[Problem]:
    """List the problems of the first line of an attempt that does not follow from the previous ones, if any.

    Args:
        factory: opens the episode.
        model: the model of the factory.
        job: the episode.
        lines: its lines.
        kept: scenes made for other episodes; scenes of this one are added.
        path: the file of the last line, for messages.
        check: compares what was sent.
    """
    left = deque[PlayedLine]()
    try:
        left.extend(lines)
        model.looks = not check.is_plain or any(each.has_pictures for played in left for each in played.sent)
        return _first_problems(factory, job, left, kept, check)
    except FileError as error:
        return [Problem("", str(error))]
    except GridworldError as error:
        place = left[0].line.place if left else str(path)
        return [Problem(place, f"it cannot be replayed: {error}")]


def _first_problems(
    factory: EpisodeFactory, job: EpisodeJob, left: deque[PlayedLine], kept: KeptArtifacts, check: PromptCheck
) -> list[Problem]:
    """List the problems of the first line that does not follow; remove lines that do from `left`."""

    def make_recorder() -> ReplayRecorder:
        return ReplayRecorder(factory.backend, job.number, job.planned.task, kept)

    opened = factory.open(job, make_recorder)
    state, events = opened.state, opened.events
    while True:
        problems = _problems_of(events, left)
        if problems or not left:
            return problems
        (line, sent) = left[0]
        if state is None or state.pending is None:
            return [_out_of_place(line, None)]
        answer = _answer(line)
        if answer is None:
            return [_out_of_place(line, "request")]
        made: list[Event] = []
        if not isinstance(answer, PluginFault):
            given = state.pending.input
            differing = list(check.problems(given, sent, answer.left_out))
            if differing:
                return [Problem(f"{line.place}: request.{each.path}", each.message) for each in differing]
            made = [state.recorder.request(Made(answer), given)]
        events = [*made, *state.apply(answer)]


def _problems_of(events: Iterable[Event], left: deque[PlayedLine]) -> list[Problem]:
    """List the differences between the first mismatched line and its event; empty if no line differs."""
    for event in events:
        if not left:
            return []
        problems = _line_problems(left.popleft().line, event)
        if problems:
            return problems
    return []


def _answer(line: RecordedLine) -> Request | PluginFault | None:
    """Read the answer to a request, or a plugin's failure that ended the episode; raises FileError."""
    if line.kind == "request":
        return line.to_request()
    if line.kind == "end" and line.to_end().reason is EndReason.PLUGIN:
        return PluginFault(str(line.to_end().error))
    return None


def _line_problems(line: RecordedLine, event: Event) -> list[Problem]:
    if isinstance(event, RequestMade) and line.kind == "request":
        if (line.step, line.frame) == (event.step, event.frame):
            return []
    elif line.text == to_line(event):
        return []
    expected = RecordedLine(line.path, line.number, to_line(event))
    if expected.kind != line.kind:
        return [_out_of_place(line, expected.kind)]
    pairs = json_differences(_compared(line), _compared(expected), line.kind)
    return [Problem(f"{line.place}: {each.path}", f"found {each}") for each in pairs]


def _compared(line: RecordedLine) -> dict[str, Any]:
    """Return the parts of a line that must follow from the previous lines."""
    return {"step": line.step, "frame": line.frame} if line.kind == "request" else line.data


def _out_of_place(line: RecordedLine, expected: str | None) -> Problem:
    follows = "the episode is over by then" if expected is None else f"'{expected}' has to follow the lines before it"
    return Problem(line.place, f"found '{line.kind}', but {follows}")
