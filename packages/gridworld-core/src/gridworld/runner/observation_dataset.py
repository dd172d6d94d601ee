"""Played episodes as a folder of pictures, with a line of JSON for each.

::

    output_dir/records.jsonl
    output_dir/<task id>/step_0000.png
    output_dir/<task id>/step_0001.png

``records.jsonl`` is written last: a folder that has one is complete.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend, GridState
from gridworld.errors import GridworldError
from gridworld.file_names import unique_file_names
from gridworld.files import write_bytes, write_text
from gridworld.png import encode_png, is_rgb
from gridworld.solver.plans import winning_plan
from gridworld.task_spec import TaskSpecification

if TYPE_CHECKING:
    from gridworld.runner.grid_runner import EpisodeResult, PolicyAnswer, PolicyFunction, Transition

    PlayFunction = Callable[[TaskSpecification, PolicyFunction, int | None], EpisodeResult]

__all__ = ["RECORDS_FILE", "DatasetError", "write_observation_dataset"]

RECORDS_FILE = "records.jsonl"
"""The file of a dataset with one JSON object for each observation."""

Record = dict[str, Any]


class DatasetError(GridworldError):
    """A dataset that cannot be made or written."""


def write_observation_dataset(
    backend: AbstractGridBackend,
    play: PlayFunction,
    tasks: Iterable[TaskSpecification],
    output_dir: Path,
    policy: PolicyFunction | None,
    seed: int | None,
    max_states: int,
) -> list[Record]:
    """Play tasks and write what was seen; `GridRunner.generate_observation_dataset` tells of it.

    Args:
        backend: where `play` plays.
        play: plays one episode.
        tasks: what to play.
        output_dir: the folder to write to.
        policy: chooses the actions; None for each task's shortest plan.
        seed: the seed of every episode; None for each task's own.
        max_states: where the search for a plan gives up.
    """
    tasks = list(tasks)
    _refuse_used(output_dir)
    policies = [_prepare(backend, task, policy, max_states) for task in tasks]
    _make_folder(output_dir)
    records: list[Record] = []
    for task, name, task_policy in zip(tasks, unique_file_names(task.task_id for task in tasks), policies, strict=True):
        recorder = _Recorder(task_policy, output_dir, name)
        episode = play(task, recorder.act, seed)
        if len(recorder.frames) == len(episode.trajectory):  # one that stopped has been shown the end already
            recorder.see(backend.observe(), backend.get_known_state())
        records += _records(episode, recorder.frames)
    with _writing(output_dir / RECORDS_FILE) as path:
        # Escaped to ASCII: some programs take further characters than the newline for the end of a line.
        write_text(path, "".join(json.dumps(record) + "\n" for record in records))
    return records


def _refuse_used(folder: Path) -> None:
    with _writing(folder):
        used = folder.exists() and any(folder.iterdir())
    if used:
        raise DatasetError(f"the folder {folder} is not empty; choose another one, or empty it first")


def _prepare(
    backend: AbstractGridBackend, task: TaskSpecification, policy: PolicyFunction | None, max_states: int
) -> PolicyFunction:
    """The policy for a task, after making sure that the task can be played and seen."""
    backend.configure(task)
    observation, _, _ = backend.reset()
    if not is_rgb(observation):
        raise DatasetError(
            f"the backend '{backend.name}' has to give RGB pictures as observations, arrays of shape "
            f"(height, width, 3), uint8; it gives {_describe(observation)}"
        )
    if policy is not None:
        return policy
    plan = winning_plan(backend.world, max_states)
    return lambda observation, state, mission: plan[state.step_count]


def _describe(observation: Any) -> str:
    if observation is None:
        return "None (is its render_mode 'rgb_array'?)"
    if hasattr(observation, "shape"):
        return f"an array of shape {tuple(observation.shape)}, {observation.dtype}"
    return type(observation).__name__


class _Recorder:
    """A policy that writes down what it is shown before it asks another policy what to do."""

    def __init__(self, policy: PolicyFunction, output_dir: Path, name: str) -> None:
        self._policy = policy
        self._output_dir = output_dir
        self._name = name
        self.frames: list[Record] = []
        """Where the pictures are, and what was known then."""
        _make_folder(output_dir / name)

    def act(self, observation: Any, state: GridState, mission: str) -> PolicyAnswer:
        """Write down what is seen and choose an action."""
        self.see(observation, state)
        return self._policy(observation, state, mission)

    def see(self, observation: Any, state: GridState) -> None:
        """Write down what is seen."""
        image = f"{self._name}/step_{len(self.frames):04d}.png"
        with _writing(self._output_dir / image) as path:
            write_bytes(path, encode_png(observation))
        self.frames.append({"image": image, "state": state.to_dict()})


def _records(episode: EpisodeResult, frames: Iterable[Record]) -> Iterator[Record]:
    for step, (frame, transition) in enumerate(zip_longest(frames, episode.trajectory)):
        yield {
            "task_id": episode.task_id,
            "step": step,
            "image": frame["image"],
            "mission": episode.mission,
            **_outcome(episode, transition),
            "state": frame["state"],
        }


def _outcome(episode: EpisodeResult, transition: Transition | None) -> Record:
    if transition is None:
        return {
            "action": None,
            "action_name": None,
            "reward": 0.0,
            "terminated": episode.terminated,
            "truncated": episode.truncated,
        }
    return {
        "action": int(transition.action),
        "action_name": ACTION_SPACE[transition.action],
        "reward": float(transition.reward),
        "terminated": transition.terminated,
        "truncated": transition.truncated,
    }


def _make_folder(folder: Path) -> None:
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[Path]:
    try:
        yield path
    except OSError as error:
        raise DatasetError(f"cannot write {path}: {error.strerror or error}") from error
