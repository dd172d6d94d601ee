"""Data of an episode for the page: its recorded lines, with prompts assembled and repeated texts stored once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.runner.record import RecordingError
from gridworld.support.wording import counted
from multinet_eval.record.prompt_lines import PromptReader
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import Attempt, RunDirectory
from multinet_report.scene_data import check_numbers

OF_REQUESTS = ("outcome", "message", "raw_output", "reasoning", "subgoal", "note", "confidence", "usage", "cached")
"""Fields of a request shown on the page, in addition to its prompt and actions."""
OF_STEPS = ("agent", "looks", "shown", "events", "reward")


def read_checked_lines(attempt: Attempt) -> list[tuple[str, Any]]:
    """Return the place and JSON of each complete line of an attempt.

    Raises:
        RunError: a line cannot be read, or contains numbers that cannot be shown; the message names it.
    """
    lines = []
    try:
        for place, line in attempt.lines():
            lines.append((place, line))
            check_numbers(line)
    except OSError as error:
        raise RunError(f"cannot read {error.filename}: {error.strerror}") from error
    except RecordingError as error:
        raise RunError(str(error)) from error
    except ValueError as error:
        raise RunError(f"{lines[-1][0]}: {error}") from error
    return lines


def episode_data(directory: RunDirectory, lines: Iterable[tuple[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """Return the record of one attempt, and a message for each lost part of its prompts.

    Args:
        directory: the run.
        lines: the lines of the attempt, from `read_checked_lines`.

    Returns:
        JSON-ready: ``header``; ``scene``, its digest or None; ``steps``; ``pending``, requests after the last step; and
        ``end`` or None. A request's ``prompt`` is a list of roles and indices into ``lines``; None if it equals the
        previous request's prompt, and empty if not recorded. Its ``frame`` is the digest of a picture.

    Raises:
        RunError: a line cannot be read; the message names it.
    """
    reader = _Reader(directory)
    for place, line in lines:
        reader.read_line(place, line)
    return reader.data(), reader.lost


class _Reader:
    def __init__(self, directory: RunDirectory) -> None:
        self._directory = directory
        self._prompts = PromptReader(self._text)
        self.lost: list[str] = []
        """Messages about missing parts of prompts."""
        self._lines: dict[str, int] = {}
        """Lines of prompts and their indices."""
        self._last: list[Any] | None = None
        self._requests: list[dict[str, Any]] = []
        self._steps: list[dict[str, Any]] = []
        self._header: dict[str, Any] = {}
        self._end: dict[str, Any] | None = None

    def read_line(self, place: str, line: Mapping[str, Any]) -> None:
        """Add a line; raises RunError if it is malformed."""
        try:
            ((kind, content),) = line.items()
            self._read(kind, content)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise RunError(f"{place}: malformed line: {error!r}") from error

    def _read(self, kind: str, content: Mapping[str, Any]) -> None:
        """Add a line, ignoring kinds that the page does not show."""
        if kind in ("header", "resumed"):
            self._tell_lost()
            self._prompts = PromptReader(self._text, content.get("prompts", 1))
        if kind == "header":
            self._header = dict(content)
        elif kind in ("request", "fault"):
            self._requests.append(self._request(kind, content))
        elif kind == "step":
            self._steps.append(self._step(content))
        elif kind == "end":
            self._end = {"reason": content["reason"], "error": content.get("error")}

    def _text(self, digest: str) -> str | None:
        try:
            return self._directory.text(digest)
        except RunError as error:
            self.lost.append(f"a text of a prompt is lost: {error}")
            return None

    def _tell_lost(self) -> None:
        for role, numbers in sorted(self._prompts.lost.items()):
            self.lost.append(
                f"{counted(len(numbers), 'line')} of the prompts{role and f' ({role})'} are lost: the version that "
                "recorded them left them out after a server error"
            )

    def data(self) -> dict[str, Any]:
        """Return the data of the attempt."""
        self._tell_lost()
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
        if "prompt" in content:
            prompt = self._prompt(content["prompt"])
        else:
            self._prompts.skip()
            prompt = self._last = []
        frame = {"frame": content["frame"]} if "frame" in content else {}
        return {
            **said,
            "prompt": prompt,
            **frame,
            "actions": [ACTION_SPACE[each] for each in ids],
            "counts": kind == "request",
        }

    def _prompt(self, written: Any) -> list[Any] | None:
        texts = [[str(text.role), self._numbers(text.text)] for text in self._prompts.read(written)]
        if texts == self._last:
            return None
        self._last = texts
        return texts

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
