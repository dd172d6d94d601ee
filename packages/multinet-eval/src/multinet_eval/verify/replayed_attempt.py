"""What a recorded attempt at an episode says, and what comes of its answers when they are given once more.

The harness itself plays the episode, and the recorder writes it down; only the answers come out of the file. So each
line is compared with the one that had to follow from those before it: the start, which requests were to be made, what a
step did, the digest of the state after it, its events and its reward, and how the episode ended.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import cattrs

from gridworld.errors import GridworldError, PluginFault, Problem
from gridworld.model_interface import AnswerOutcome, ModelInput, ModelInterface, ModelOutput, ReplyForm
from gridworld.runner.presentation import gather_presentation
from gridworld.runner.record import EndReason, RecordingError, Request
from multinet_eval.play.asking import Ask
from multinet_eval.play.moments import Answer
from multinet_eval.play.news import Faulted, Job, News
from multinet_eval.play.seat import Seat
from multinet_eval.record.episode_lines import read_request
from multinet_eval.verify.json_differences import LATER_IN_LINES, json_differences, was_not_recorded

__all__ = ["RecordedLine", "RecordedModel", "all_lines", "lines_in_order", "replay_problems"]

BESIDE = frozenset({"fault", "adjustment", "resumed"})
"""The lines that change nothing of an episode."""
USABLE = frozenset({AnswerOutcome.OK, AnswerOutcome.NO_EFFECT})
"""The outcomes of requests that have an action, which no others have."""
COMPARED_OF_REQUESTS = frozenset({"step", "frame"})
"""The rest is the model's answer, and what it was told, which cannot be written down without the model."""


class RecordedModel(ModelInterface):
    """Stands for the model of a recorded run, and is asked nothing.

    Args:
        name: the name under which its results are reported.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def model_name(self) -> str:
        """The name under which results are reported."""
        return self._name

    def predict(self, input: ModelInput) -> ModelOutput:
        """Never called: its answers are recorded."""
        raise NotImplementedError("the answers of a recorded run are read from its files")

    def can_reply(self, form: ReplyForm) -> bool:
        """It has replied in whatever form it was asked for."""
        return True


@attrs.frozen
class RecordedLine:
    """A line of an episode's file."""

    place: str
    """File and number, for messages."""
    kind: str
    content: dict[str, Any]


def lines_in_order(lines: Iterable[tuple[str, dict[str, Any]]]) -> list[RecordedLine]:
    """The lines that an episode consists of.

    Args:
        lines: place and JSON of each line, of the form that `multinet_eval.record.episode_lines` describes.
    """
    return [line for line in all_lines(lines) if line.kind not in BESIDE]


def all_lines(lines: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[RecordedLine]:
    """The same with those that change nothing of the episode."""
    for place, line in lines:
        for kind, content in line.items():
            yield RecordedLine(place, kind, content)


def replay_problems(seat: Seat, job: Job, lines: Iterable[RecordedLine], path: Path) -> list[Problem]:
    """What is wrong with the first line of an attempt that does not follow from those before it; empty for none.

    Args:
        seat: where to play, with a `RecordedModel`.
        job: the episode.
        lines: its lines.
        path: the file of the last of them, for messages.
    """
    left = deque(lines)
    try:
        return _first_problems(seat.play(job), left)
    except (GridworldError, cattrs.BaseValidationError) as error:
        place = left[0].place if left else str(path)
        return [Problem(place, f"it cannot be played again: {error}")]


def _first_problems(playing: Generator[News | Ask, Answer | None, None], left: deque[RecordedLine]) -> list[Problem]:
    """What is wrong with the first line that does not follow; the lines that do are taken off those that are left."""
    reply: Answer | None = None
    with closing(playing):
        while (said := _next(playing, reply)) is not None:
            reply = None
            if not _counts(said):
                continue
            if not left:
                return []  # it was left here
            if isinstance(said, Ask):
                reply = _answer(left[0])
                problems = [_out_of_place(left[0], "request")] if reply is None else []
            else:
                problems = _line_problems(left.popleft(), said)
            if problems:
                return problems
    return [_out_of_place(left[0], None)] if left else []


def _next(playing: Generator[News | Ask, Answer | None, None], reply: Answer | None) -> News | Ask | None:
    """What is played next; None at the end."""
    try:
        return playing.send(reply)
    except StopIteration:
        return None


def _counts(said: News | Ask) -> bool:
    """Whether there is a line that has to be of this."""
    return isinstance(said, Ask) or (bool(said.line) and not isinstance(said.what, Faulted))


def _answer(line: RecordedLine) -> Answer | None:
    """What was sent in reply to a request: a plugin's failure, too, by which the episode then ended.

    Raises:
        RecordingError: it has an action although it was not usable, or none although it was.
    """
    if line.kind == "request":
        answer: Request = read_request(line.content)
        if (answer.action is not None) != (answer.outcome in USABLE):
            raise RecordingError(f"a request with the outcome '{answer.outcome}' and the action {answer.action}")
        return answer
    if line.kind == "end" and line.content.get("reason") == EndReason.PLUGIN.value:
        return PluginFault(line.content.get("error"))
    return None


def _line_problems(line: RecordedLine, news: News) -> list[Problem]:
    ((kind, expected),) = json.loads(news.line).items()
    if kind != line.kind:
        return [_out_of_place(line, kind)]
    pairs = json_differences(_compared(kind, line.content), _compared(kind, expected), kind)
    return [
        Problem(f"{line.place}: {each.path}", f"found {each}")
        for each in pairs
        if not was_not_recorded(each, LATER_IN_LINES)
    ]


def _compared(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a line that have to follow from the lines before it."""
    if kind == "header":  # but for how its prompts are written, which is not the same in all versions
        return {name: each for name, each in gather_presentation(content).items() if name != "prompts"}
    if kind == "request":
        return {name: each for name, each in content.items() if name in COMPARED_OF_REQUESTS}
    return dict(content)


def _out_of_place(line: RecordedLine, expected: str | None) -> Problem:
    follows = (
        "the episode is over by then" if expected is None else f"'{expected}' has to follow on the lines before it"
    )
    return Problem(line.place, f"found '{line.kind}', but {follows}")
