"""Replay of a recorded attempt with its answers, comparing each line with the one that follows from them.

The engine itself plays the episode and makes its lines; only the answers come from the file. The start, the requests,
the effects, events, reward and state digest of each step, and the end are all checked.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import cattrs

from gridworld.errors import GridworldError, PluginFault, Problem
from gridworld.model_interface import AnswerOutcome, ModelInput, ModelInterface, ModelOutput, ReplyForm
from gridworld.runner.record import EndReason, RecordingError
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.model_caller import Answer
from multinet_eval.play.recorder import FullRecorder, KeptArtifacts
from multinet_eval.record.events import Event, RequestMade, read_event, to_line
from multinet_eval.verify.json_differences import json_differences

WITHOUT_EFFECT = frozenset({"fault", "adjustment", "resumed"})
"""Kinds of lines that do not affect an episode."""
USABLE = frozenset({AnswerOutcome.OK, AnswerOutcome.NO_EFFECT})
"""Outcomes of requests with an action."""
COMPARED_OF_REQUESTS = frozenset({"step", "frame"})
"""Compared fields of requests; the others are the model's answer, and the prompt, which only the model can render."""


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


def lines_in_order(lines: Iterable[tuple[str, dict[str, Any]]]) -> list[RecordedLine]:
    """List the lines of an episode, without those that do not affect it.

    Args:
        lines: place and JSON of each line, in the format described by `multinet_eval.record.events`.
    """
    return [line for line in all_lines(lines) if line.kind not in WITHOUT_EFFECT]


def all_lines(lines: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[RecordedLine]:
    """Yield all lines of an episode; the argument is as for `lines_in_order`."""
    for place, line in lines:
        for kind, content in line.items():
            yield RecordedLine(place, kind, content)


def replay_problems(
    factory: EpisodeFactory, job: EpisodeJob, lines: Iterable[RecordedLine], kept: KeptArtifacts, path: Path
) -> list[Problem]:
    """List the problems of the first line of an attempt that does not follow from the previous ones, if any.

    Args:
        factory: opens the episode, with a `RecordedModel`.
        job: the episode.
        lines: its lines.
        kept: scenes made for other episodes; scenes of this one are added.
        path: the file of the last line, for messages.
    """
    left = deque(lines)
    try:
        return _first_problems(factory, job, left, kept)
    except (GridworldError, cattrs.BaseValidationError) as error:
        place = left[0].place if left else str(path)
        return [Problem(place, f"it cannot be replayed: {error}")]


def _first_problems(
    factory: EpisodeFactory, job: EpisodeJob, left: deque[RecordedLine], kept: KeptArtifacts
) -> list[Problem]:
    """List the problems of the first line that does not follow; remove lines that do from `left`."""

    def make_recorder() -> FullRecorder:
        return FullRecorder(factory.model, factory.backend, job.number, job.planned.task, kept)

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
            state.recorder.show(state.pending.input)
            made = [state.recorder.request(answer, state.pending.step)]
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


def _answer(line: RecordedLine) -> Answer | None:
    """Read the answer to a request, or a plugin's failure that ended the episode.

    Raises:
        RecordingError: the action does not fit the outcome.
    """
    if line.kind == "request":
        event = read_event({line.kind: line.content})
        assert isinstance(event, RequestMade)
        answer = event.request
        if (answer.action is not None) != (answer.outcome in USABLE):
            raise RecordingError(f"a request with the outcome '{answer.outcome}' and the action {answer.action}")
        return answer
    if line.kind == "end" and line.content.get("reason") == EndReason.PLUGIN.value:
        return PluginFault(str(line.content.get("error")))
    return None


def _line_problems(line: RecordedLine, event: Event) -> list[Problem]:
    ((kind, expected),) = json.loads(to_line(event)).items()
    if kind != line.kind:
        return [_out_of_place(line, kind)]
    pairs = json_differences(_compared(kind, line.content), _compared(kind, expected), kind)
    return [Problem(f"{line.place}: {each.path}", f"found {each}") for each in pairs]


def _compared(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a line that must follow from the previous lines."""
    if kind == "header":  # without the form of its prompts, which depends on the version
        return {name: each for name, each in content.items() if name != "prompts"}
    if kind == "request":
        return {name: each for name, each in content.items() if name in COMPARED_OF_REQUESTS}
    return dict(content)


def _out_of_place(line: RecordedLine, expected: str | None) -> Problem:
    follows = "the episode is over by then" if expected is None else f"'{expected}' has to follow the lines before it"
    return Problem(line.place, f"found '{line.kind}', but {follows}")
