"""Played episodes as a folder of pictures with a JSON line for each.

::

    output_dir/records.jsonl
    output_dir/<task id>/step_0000.png
    output_dir/<task id>/step_0001.png

``records.jsonl`` is written last, so a folder that contains it is complete.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.backends.base import AbstractGridBackend
from gridworld.errors import GridworldError
from gridworld.plugins.registry import owner_of
from gridworld.runner.record import DecisionKind, Step
from gridworld.runner.rollout import PolicyFunction, Rollout, kernel_of, read_answer
from gridworld.solver.plans import NoPlanError, WithoutPlan, winning_plan
from gridworld.support.faults import calling
from gridworld.support.files import unique_file_names, write_bytes, write_text
from gridworld.support.png import encode_png, is_rgb
from gridworld.task_spec import TaskSpecification

RECORDS_FILE = "records.jsonl"
"""Name of the file that holds one JSON object per observation."""

Record = dict[str, Any]
Progress = Callable[[int, int], object]
"""Called with the number of pictures written and the maximum total."""


class DatasetError(GridworldError):
    """A dataset cannot be created or written."""


def write_observation_dataset(
    backend: AbstractGridBackend,
    tasks: Iterable[TaskSpecification],
    output_dir: Path,
    policy: PolicyFunction | None,
    seed: int | None,
    max_states: int,
    progress: Progress,
    without_plan: WithoutPlan,
) -> list[Record]:
    """Write a dataset; see `GridRunner.generate_observation_dataset`."""
    _refuse_used(output_dir)
    prepared: list[tuple[TaskSpecification, PolicyFunction, int]] = []
    for task in tasks:
        try:
            prepared.append((task, *_prepare(backend, task, policy, max_states)))
        except NoPlanError as error:
            without_plan(error)
    most = sum(steps + 1 for _, _, steps in prepared)
    _make_folder(output_dir)
    records: list[Record] = []
    names = unique_file_names(task.task_id for task, _, _ in prepared)
    for name, (task, task_policy, _) in zip(names, prepared, strict=True):
        _make_folder(output_dir / name)
        for record in _play(Rollout(backend, task, seed), task_policy, output_dir, name):
            records.append(record)
            progress(len(records), most)
    with _writing(output_dir / RECORDS_FILE) as path:
        # Escaped to ASCII, as some programs end lines at other characters than the newline.
        write_text(path, "".join(json.dumps(record) + "\n" for record in records))
    return records


def _play(rollout: Rollout, policy: PolicyFunction, output_dir: Path, name: str) -> Iterator[Record]:
    """Play an episode, write its pictures, and yield the record of each."""
    written = 0
    step: Step | None = None
    while rollout.question is not None:
        known, frame = rollout.known_state(), _write_frame(rollout, output_dir, name, written)
        shown = known.to_dict()  # before the policy can change it
        decision, _ = read_answer(policy(rollout.observation, known, rollout.header.mission))
        step = rollout.take(decision)
        written += 1
        yield {**frame, **_outcome(rollout, step), "state": shown}
    if step is None or step.kind is not DecisionKind.STOP:  # the end of a stopped episode is already written
        frame = _write_frame(rollout, output_dir, name, written)
        yield {**frame, **_outcome(rollout, None), "state": rollout.known_state().to_dict()}


def _refuse_used(folder: Path) -> None:
    with _writing(folder):
        used = folder.exists() and any(folder.iterdir())
    if used:
        raise DatasetError(f"the folder {folder} is not empty; choose another one, or empty it first")


def _prepare(
    backend: AbstractGridBackend, task: TaskSpecification, policy: PolicyFunction | None, max_states: int
) -> tuple[PolicyFunction, int]:
    """Return the policy for a task and its maximum number of steps; raises if the task has no pictures or no plan."""
    owner = owner_of("backend", backend, backend.name)
    with calling(owner, "configure"):
        backend.configure(task)
    with calling(owner, "reset"):
        observation, _, _ = backend.reset()
    if not is_rgb(observation):
        raise DatasetError(
            f"the backend '{backend.name}' must observe RGB pictures, arrays of shape "
            f"(height, width, 3), uint8; got {_describe(observation)}"
        )
    if policy is not None:
        return policy, task.max_steps
    kernel = kernel_of(backend)
    if kernel is None:
        raise DatasetError(f"the backend '{backend.name}' has no solver to plan with: pass a policy_fn")
    plan = winning_plan(kernel.world, max_states)
    return (lambda observation, state, mission: plan[state.step_count]), len(plan)


def _describe(observation: Any) -> str:
    if observation is None:
        return "None (is its render_mode 'rgb_array'?)"
    if hasattr(observation, "shape"):
        return f"an array of shape {tuple(observation.shape)}, {observation.dtype}"
    return type(observation).__name__


def _write_frame(rollout: Rollout, output_dir: Path, name: str, step: int) -> Record:
    image = f"{name}/step_{step:04d}.png"
    with _writing(output_dir / image) as path:
        write_bytes(path, encode_png(rollout.observation))
    header = rollout.header
    return {"task_id": header.task_id, "step": step, "image": image, "mission": header.mission}


def _outcome(rollout: Rollout, step: Step | None) -> Record:
    """Return the action and result of a step, or of the end of an episode."""
    if step is None or step.action is None:
        return {
            "action": None,
            "action_name": None,
            "reward": 0.0,
            "terminated": rollout.state.terminated,
            "truncated": rollout.state.truncated,
        }
    return {
        "action": step.action,
        "action_name": ACTION_SPACE[step.action],
        "reward": step.reward,
        "terminated": step.terminated,
        "truncated": step.truncated,
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
