"""A model that plays actions from a file, to replay an episode or follow an existing plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError, Problem, describe_value
from gridworld.model_interface.answers import AnswerFault, AnswerOutcome, read_action
from gridworld.model_interface.base import EpisodeInfo, ModelInput, ModelInterface, ModelOutput
from gridworld.support.files import FileError, JSONError, parse_json, read_given
from gridworld.support.wording import first_lines, nearest_hint

if TYPE_CHECKING:
    from gridworld.model_interface.steps import Step

Actions = tuple[int, ...]
Script = tuple[Actions | None, dict[str, Actions]]
"""Default actions, and actions by task id."""

ID = re.compile(r"[0-9]{1,9}")


class ReplayModel(ModelInterface):
    """Plays the actions in a file step by step; after the last one it has no answer.

    Actions are ids or names. A ``.json`` file holds a list for all tasks, an object of lists by task id, or the output
    of ``multinet tasks solve --json``. Any other file holds one action per line, for all tasks; blank lines and lines
    that begin with ``#`` are ignored.

    Args:
        file: the file of actions.

    Raises:
        ArgumentError: the file cannot be read, or is invalid; the error lists every problem.
    """

    def __init__(self, file: Path | str) -> None:
        self._file = Path(file)
        self._for_all, self._by_task = _read(self._file)
        self._task_id = ""

    @property
    def model_name(self) -> str:
        """Name of the model, ``replay``."""
        return "replay"

    @property
    def looks_at_pictures(self) -> bool:
        """Whether a subclass overrides `predict`; this model itself uses no pictures."""
        return type(self).predict is not ReplayModel.predict

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Select the actions of the task."""
        self._task_id = episode.task_id

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Return True: actions are looked up by step number, so there is no state to restore."""
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Return the action for this step.

        Raises:
            AnswerFault: `EMPTY`, no action is left.
        """
        actions = self._by_task.get(self._task_id, self._for_all)
        if actions is None:
            hint = nearest_hint(self._task_id, self._by_task)
            raise _empty(f"{self._file} has no actions for the task '{self._task_id}'{hint}")
        if input.step_number >= len(actions):
            step, last = input.step_number + 1, len(actions)
            raise _empty(f"{self._file} has no action for step {step}: it ends after {last}")
        return ModelOutput(action=actions[input.step_number])


def _empty(message: str) -> AnswerFault:
    return AnswerFault(AnswerOutcome.EMPTY, message)


def _read(path: Path) -> Script:
    try:
        text = read_given(path).decode("utf-8-sig")
    except FileError as error:
        raise ArgumentError(f"cannot read the actions in {path}: {error.problem}") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"cannot read the actions in {path}: it is not UTF-8 text") from error
    reader = _Reader()
    read = reader.read_json if path.suffix.casefold() == ".json" else reader.read_record
    found = read(text)
    if reader.problems:
        listed = "".join(f"\n  {line}" for line in first_lines(reader.problems))
        raise ArgumentError(f"{path} is not a valid file of actions:{listed}")
    return found


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        if word and not word.startswith("#"):
            yield f"line {number}", int(word) if ID.fullmatch(word) else word


class _Reader:
    """Parses actions and collects problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read_record(self, text: str) -> Script:
        """Parse a file with one action per line."""
        return self._actions(_lines(text)), {}

    def read_json(self, text: str) -> Script:
        """Read a JSON file."""
        try:
            data = parse_json(text)
        except JSONError as error:
            self.problems.append(Problem("", f"it is not JSON: {error}"))
            return None, {}
        if not isinstance(data, dict):
            return self._list("", data), {}
        if isinstance(data.get("task_id"), str) and "plan" in data:
            return None, {data["task_id"]: self._list("plan", data["plan"])}
        return None, {task_id: self._list(task_id, actions) for task_id, actions in data.items()}

    def _list(self, place: str, value: Any) -> Actions:
        if not isinstance(value, list):
            expected = (
                "expected a list of actions" if place else "expected a list of actions or an object of such lists"
            )
            self.problems.append(Problem(place, f"{expected}, got {describe_value(value)}"))
            return ()
        return self._actions((f"{place}[{number}]", each) for number, each in enumerate(value))

    def _actions(self, entries: Iterable[tuple[str, Any]]) -> Actions:
        found = []
        for place, value in entries:
            try:
                found.append(read_action(value, ACTION_SPACE))
            except AnswerFault as fault:
                self.problems.append(Problem(place, fault.message))
        return tuple(found)
