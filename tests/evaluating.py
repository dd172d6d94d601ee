"""What the tests of the evaluation share: models that do as they are told, and folders of small task files."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gridworld.actions import Action
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    EpisodeInfo,
    ModelInput,
    ModelInterface,
    ModelOutput,
    Usage,
)
from worlds import LETTERS, describe

__all__ = ["AnsweringModel", "ScriptedModel", "outcomes", "task_ids", "write_corridor", "write_task"]


class ScriptedModel(ModelInterface):
    """Plays the letters of `worlds.play` in each episode, then waits; keeps all that it is given."""

    def __init__(self, letters: str = "") -> None:
        self._actions = [LETTERS[letter] for letter in letters.replace(" ", "")]
        self.episodes: list[EpisodeInfo] = []
        self.inputs: list[ModelInput] = []
        self.closed = 0

    @property
    def model_name(self) -> str:
        return "scripted"

    def begin_episode(self, episode: EpisodeInfo) -> None:
        self.episodes.append(episode)

    def predict(self, input: ModelInput) -> ModelOutput:
        self.inputs.append(input)
        script = self._actions
        return ModelOutput(script[input.step_number] if input.step_number < len(script) else Action.DONE)

    def close(self) -> None:
        self.closed += 1


class AnsweringModel(ScriptedModel):
    """Gives one answer after another, whatever the step, and waits when there are no more.

    A letter is an action, an `AnswerOutcome` a fault of that kind, and an exception is raised.
    """

    def __init__(self, *answers: str | AnswerOutcome | ModelOutput | BaseException) -> None:
        super().__init__()
        self._answers = iter(answers)

    def predict(self, input: ModelInput) -> ModelOutput:
        self.inputs.append(input)
        answer = next(self._answers, "W")
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, AnswerOutcome):
            raise AnswerFault(answer, f"this is {answer}", raw_output="hm", usage=Usage(completion_tokens=1))
        return answer if isinstance(answer, ModelOutput) else ModelOutput(LETTERS[answer])


def outcomes(**counts: int) -> dict[str, int]:
    """The counts of `TaskResult.outcomes`, 0 for the kinds that are not named."""
    unknown = set(counts) - set(AnswerOutcome)
    assert not unknown, f"no such outcome: {unknown}"
    return {kind.value: counts.get(kind.value, 0) for kind in AnswerOutcome}


def write_task(folder: Path, data: dict[str, Any], file: str | None = None) -> Path:
    """Write the contents of a task file; it is called as its task unless `file` says otherwise."""
    path = folder / (file or f"{data['task_id']}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def write_corridor(
    folder: Path, task_id: str, row: str = "@.G", *, tier: int = 1, file: str | None = None, **options: Any
) -> Path:
    """Write a task in one row, as `worlds.corridor` draws it, with up to 6 steps unless told otherwise."""
    edge = "#" * (len(row) + 2)
    data = describe(f"{edge}\n#{row}#\n{edge}", **{"max_steps": 6, **options})
    return write_task(folder, {**data, "task_id": task_id, "difficulty_tier": tier}, file)


def task_ids(results: Iterable[Any]) -> list[str]:
    """The ids of some tasks or of their results, in order."""
    return [result.task_id for result in results]
