"""Data of an episode for the page: its recorded lines, with prompts assembled and repeated texts stored once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.actions import ACTION_SPACE
from multinet_eval.record.lines import RecordedLine
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.sent_requests import ReadPart, ReadRequest, SentReader
from multinet_report.scene_data import check_numbers

OF_REQUESTS = ("outcome", "message", "raw_output", "reasoning", "subgoal", "note", "confidence", "usage", "cached")
"""Fields of a request shown on the page, in addition to its prompt and actions."""
OF_STEPS = ("agent", "looks", "shown", "events", "reward")


def episode_data(directory: RunDirectory, lines: Iterable[RecordedLine]) -> tuple[dict[str, Any], list[str]]:
    """Return the record of one attempt, and a message for each lost part of its prompts.

    Args:
        directory: the run.
        lines: the lines of the attempt.

    Returns:
        JSON-ready: ``header``; ``scene``, its digest or None; ``steps``; ``pending``, requests after the last step; and
        ``end`` or None. A request's ``prompt`` is a list of the role, the name and the text of each part that was sent,
        the text as indices into ``lines``; None if it equals the previous request's. Its ``frame`` is the digest of a
        picture, its ``seen`` the digest of the last picture that was sent, and its ``settings`` went with it.

    Raises:
        RunError: a line cannot be read; the message names it.
    """
    reader = _Reader(directory)
    for line in lines:
        reader.read_line(line)
    return reader.data(), reader.lost


class _Reader:
    def __init__(self, directory: RunDirectory) -> None:
        self._directory = directory
        self._sent = SentReader(self._text)
        self.lost: list[str] = []
        """Messages about missing parts of prompts."""
        self._lines: dict[str, int] = {}
        """Lines of prompts and their indices."""
        self._last: list[Any] | None = None
        self._requests: list[dict[str, Any]] = []
        self._steps: list[dict[str, Any]] = []
        self._header: dict[str, Any] = {}
        self._end: dict[str, Any] | None = None

    def read_line(self, line: RecordedLine) -> None:
        """Add a line; raises RunError if it is malformed, or contains numbers that cannot be shown."""
        try:
            content = line.data
            check_numbers(content)
            self._read(line.kind, content)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise RunError(f"{line.place}: malformed line: {error!r}") from error

    def _read(self, kind: str, content: Mapping[str, Any]) -> None:
        """Add a line, ignoring kinds that the page does not show."""
        if kind in ("header", "resumed"):
            self._sent = SentReader(self._text)
        if kind == "header":
            self._header = dict(content)
        elif kind in ("request", "fault"):
            self._requests.append(self._request(kind, content))
        elif kind == "step":
            self._steps.append(self._step(content))
        elif kind == "end":
            self._end = {"reason": content["reason"], "error": content.get("error")}

    def _text(self, digest: str) -> str:
        try:
            return self._directory.text(digest)
        except RunError as error:
            self.lost.append(f"a text of a prompt is lost: {error}")
            return "(this text is lost)"

    def data(self) -> dict[str, Any]:
        """Return the data of the attempt."""
        header = self._header
        return {
            "header": {name: header.get(name) for name in ("task_id", "mission", "backend", "tiling", "max_steps")},
            "presentation": header.get("presentation") or {},
            "scene": header.get("scene"),
            "lines": list(self._lines),
            "steps": self._steps,
            "pending": self._requests,
            "end": self._end,
        }

    def _request(self, kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
        said = {name: content[name] for name in OF_REQUESTS if content.get(name) is not None}
        ids = content.get("actions") or [each for each in [content.get("action")] if each is not None]
        sent = [self._sent.read(each) for each in content["sent"]]
        frame = {"frame": content["frame"]} if "frame" in content else {}
        settings = next((dict(each.settings) for each in reversed(sent) if each.settings), None)
        return {
            **said,
            "prompt": self._prompt(sent),
            **({} if settings is None else {"settings": settings}),
            "seen": [
                part.picture for each in sent for last in each.messages[-1:] for part in last.parts if part.picture
            ][-1:],
            **frame,
            "actions": [ACTION_SPACE[each] for each in ids],
            "counts": kind == "request",
        }

    def _prompt(self, sent: Iterable[ReadRequest]) -> list[Any] | None:
        messages = [message for request in sent for message in request.messages]
        parts = [
            [message.role, part.name, self._numbers(_shown(part))] for message in messages for part in message.parts
        ]
        if parts == self._last:
            return None
        self._last = parts
        return parts

    def _numbers(self, text: str) -> list[int]:
        return [self._lines.setdefault(line, len(self._lines)) for line in text.split("\n")]

    def _step(self, content: Mapping[str, Any]) -> dict[str, Any]:
        action = content.get("action")
        requests, self._requests = self._requests, []
        return {
            "kind": content["kind"],
            "action": None if action is None else ACTION_SPACE[action],
            **{name: content[name] for name in OF_STEPS if content.get(name)},
            "requests": requests,
        }


def _shown(part: ReadPart) -> str:
    """Return the text of a part, or what a picture is."""
    return f"[picture {part.picture}{part.label and f': {part.label}'}]\n" if part.text is None else part.text
