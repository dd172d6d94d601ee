"""Shortest plans as datasets of Minari, the Farama Foundation's format for offline reinforcement learning.

The export needs the optional dependencies ``multinet-eval[minari]``. A dataset has one episode for each demonstration,
in order:

- **Observations** come from the backend's Gymnasium environment of all these tasks (`BackendInfo.environment`): on
  MiniGrid its symbolic ones, a dictionary of ``image`` (type, colour and state of each cell in view, uint8, indexed by
  column and row), ``direction`` and ``mission``; on other tilings as in `gridworld_multigrid.env.MultiGridEnv`. They
  have one space, whatever the sizes of the tasks and their views. With pictures there is also ``pixels``, the RGB
  frame.
- **Actions** are ``Discrete(7)``, numbered as in MiniGrid.
- **Episode metadata** hold ``seed``, ``task_id`` and ``task``, the contents of the task file as JSON. An episode can be
  played again in the environment of the dataset, which has all tasks inside::

      dataset = minari.load_dataset("gridworld/validation_10-optimal-v0")
      metadata = next(iter(dataset.storage.get_episode_metadata([0])))
      env = dataset.recover_environment()
      observation, info = env.reset(options={"task_id": metadata["task_id"]})
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from importlib import import_module
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import GridworldError, TaskError
from gridworld.plugins import get_registry
from gridworld.plugins.registry import version_of
from gridworld.plugins.tilings import compile_on
from gridworld.runner.observation_dataset import Progress
from gridworld.solver.plans import DEFAULT_MAX_STATES, NoPlanError, WithoutPlan, refuse_without_plan, winning_plan
from gridworld.support.files import safe_file_name, write_text
from gridworld.support.wording import how_to_install
from gridworld.task_spec import TaskSpecification

NAMESPACE = "gridworld"
"""Namespace in the ids of exported datasets."""
AUTHOR = "multinet-gridworld"
OPTIMAL = "Shortest plans, found by breadth-first search"
PIXELS = "pixels"
ASCII = "".join(map(chr, range(32, 127)))
MISSION_LENGTH = 256
REQUIRED = ("minari", "gymnasium", "numpy", "h5py", "PIL")
"""Modules of the optional dependencies; Minari itself does not require Pillow, which its HDF5 storage imports."""


class DemonstrationError(GridworldError):
    """A demonstration cannot be made or exported."""


@attrs.frozen
class Demonstration:
    """An episode that follows a shortest plan of a task."""

    task: TaskSpecification
    actions: tuple[int, ...]


def plan_demonstrations(
    tasks: Iterable[TaskSpecification],
    tiling: str = "square",
    max_states: int = DEFAULT_MAX_STATES,
    without_plan: WithoutPlan = refuse_without_plan,
) -> list[Demonstration]:
    """Find each task's shortest plan on a tiling.

    Args:
        tasks: the tasks.
        tiling: the tiling.
        max_states: state limit of the solver.
        without_plan: called with the error of each task without a plan, which is then skipped; the default raises it.

    Raises:
        UnknownNameError: no installed plugin provides the tiling.
        InvalidTaskError: a task is invalid.
        NoPlanError: the solver has no plan for a task.
    """
    made = list[Demonstration]()
    for task in tasks:
        try:
            made.append(Demonstration(task, winning_plan(compile_on(tiling, task), max_states)))
        except NoPlanError as error:
            without_plan(error)
    return made


def minari_dataset_id(suite: str, variant: str | None = None) -> str:
    """Build a dataset id such as ``gridworld/validation_10-optimal-v0``, replacing characters that Minari rejects.

    Args:
        suite: the name of the suite.
        variant: distinction from another dataset of the same suite, such as ``hex``; None for squares on MiniGrid.
    """
    parts = [suite, "optimal"] if variant is None else [suite, variant, "optimal"]
    name = "-".join(safe_file_name(part, keep_dots=False) for part in parts)
    return f"{NAMESPACE}/{name}-v0"


def export_to_minari(
    demonstrations: Iterable[Demonstration],
    dataset_id: str,
    root: str | PathLike[str] | None = None,
    *,
    backend: str = "minigrid",
    arguments: Mapping[str, Any] | None = None,
    pictures: bool = False,
    overwrite: bool = False,
    progress: Progress = lambda taken, planned: None,
) -> Path:
    """Write a Minari dataset in HDF5, atomically.

    Args:
        demonstrations: the episodes, at least one, planned on the tiling of the environment.
        dataset_id: ``namespace/name-v0``, see `minari_dataset_id`.
        root: the folder of all datasets, by default Minari's own: ``MINARI_DATASETS_PATH``, or ``~/.minari/datasets``.
            To load a dataset from another folder, set that variable to it.
        backend: the backend whose environment makes the observations, such as ``multigrid``.
        arguments: arguments of that environment, such as ``{"tiling": "hex"}``; JSON-ready.
        pictures: whether each observation also has the picture, under ``pixels``.
        overwrite: whether to replace a dataset with this id.
        progress: called after each step with the number of steps taken in the environment, and their total.

    Returns:
        The folder of the dataset, ``root/dataset_id``.

    Raises:
        DemonstrationError: the optional dependencies are not installed, Minari rejects the id, the dataset exists
            already, the backend has no environment, a demonstration does not end with its last action there, two
            different tasks have the same id, or the dataset cannot be written.
        UnknownNameError: no installed plugin provides the backend.
    """
    _require_extra()
    episodes = list(demonstrations)
    _check_id(dataset_id)
    environment = _environment_of(backend)
    distribution = get_registry().backends.provider(backend).distribution
    made_with = {"task": _contents_of_tasks(episodes), **(arguments or {})}
    metadata = {
        "dataset_id": dataset_id,
        "author": {AUTHOR},
        "algorithm_name": OPTIMAL,
        "description": _describe(episodes),
        "requirements": [f"{distribution}=={version_of(distribution)}"],
        "minari_version": import_module("minari").__version__,
    }
    try:
        # An absolute path, since Minari and HDF5 resolve relative paths against different folders.
        folder = Path(root).absolute() if root is not None else import_module("minari.storage").get_dataset_path()
        target: Path = folder / dataset_id
        _refuse_existing(target, overwrite)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Minari takes no hidden folder for a dataset, and none of this is left behind when something fails.
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder) as staging:
            with closing(_make(environment, made_with, pictures)) as env:
                _write(Path(staging, "new"), episodes, env, metadata, progress)
            if target.exists():
                target.rename(Path(staging, "old"))
            Path(staging, "new").rename(target)
        _mark_namespaces(folder, target)
    except (OSError, ValueError, TypeError, TaskError) as error:
        # HDF5 cannot hold everything that JSON can: a NUL in a text, a lone surrogate, a seed beyond 64 bits.
        raise DemonstrationError(f"cannot write the Minari dataset '{dataset_id}': {error}") from error
    return target


def _require_extra() -> None:
    for name in REQUIRED:
        try:
            import_module(name)
        except ImportError as error:
            raise DemonstrationError(
                f"Minari datasets need optional dependencies ({error}): {how_to_install('multinet-eval', 'minari')}"
            ) from error


def _contents_of_tasks(episodes: list[Demonstration]) -> list[dict[str, Any]]:
    """Return the file contents of the distinct tasks."""
    if not episodes:
        raise DemonstrationError("a Minari dataset needs at least one demonstration")
    tasks: dict[str, TaskSpecification] = {}
    for episode in episodes:
        task = tasks.setdefault(episode.task.task_id, episode.task)
        if task != episode.task:
            raise DemonstrationError(f"there are two different tasks with the id '{task.task_id}'")
    return [task.to_dict() for task in tasks.values()]


def _environment_of(backend: str) -> str:
    info = get_registry().backends.get(backend)
    if info.environment is None:
        raise DemonstrationError(f"{info.owner} has no Gymnasium environment to provide observations")
    return info.environment


def _make(environment: str, made_with: dict[str, Any], pictures: bool) -> Any:
    gymnasium = import_module("gymnasium")
    if not pictures:
        return gymnasium.make(environment, **made_with)
    env = gymnasium.make(environment, render_mode="rgb_array", **made_with)
    return import_module("gymnasium.wrappers").AddRenderObservation(env, render_only=False, render_key=PIXELS)


def _check_id(dataset_id: str) -> None:
    try:
        import_module("minari.dataset.minari_dataset").parse_dataset_id(dataset_id)
    except (ValueError, TypeError) as error:
        raise DemonstrationError(
            f"'{dataset_id}' is not a Minari dataset id such as {minari_dataset_id('suite')}"
        ) from error


def _refuse_existing(target: Path, overwrite: bool) -> None:
    if not target.exists():
        return
    if not (target / "data" / "metadata.json").is_file():
        raise DemonstrationError(f"{target} exists and is not a Minari dataset")
    if not overwrite:
        raise DemonstrationError(
            f"a Minari dataset already exists at {target}: replace it with --overwrite (overwrite=True), or write to "
            "another folder with --output (root)"
        )


def _describe(episodes: list[Demonstration]) -> str:
    steps = sum(len(episode.actions) for episode in episodes)
    return (
        f"Grid puzzles: {len(episodes)} episodes of one task each, {steps} steps in all. The environment has all tasks "
        "inside; `env = dataset.recover_environment()` makes it, and with the metadata of an episode "
        '`env.reset(options={"task_id": metadata["task_id"]})` begins its task.'
    )


def _write(folder: Path, episodes: list[Demonstration], env: Any, metadata: dict[str, Any], progress: Progress) -> None:
    folder.mkdir()
    storage = import_module("minari.dataset.minari_storage").MinariStorage.new(
        folder / "data",
        observation_space=_observation_space(env, episodes),
        action_space=env.action_space,
        env_spec=env.spec,
        data_format="hdf5",
        jpeg_encoding=False,
    )
    storage.update_metadata(metadata)
    planned, taken = sum(len(episode.actions) for episode in episodes), count(1)
    storage.update_episodes(_buffer(episode, env, lambda: progress(next(taken), planned)) for episode in episodes)
    storage.update_episode_metadata(
        {"task_id": episode.task.task_id, "task": json.dumps(episode.task.to_dict())} for episode in episodes
    )


def _observation_space(env: Any, episodes: list[Demonstration]) -> Any:
    """Return the environment's space with missions as text of a common length, so that datasets can be combined."""
    spaces = import_module("gymnasium.spaces")
    missions = {_reset(env, episode)["mission"] for episode in episodes}
    mission = spaces.Text(
        min_length=0,
        max_length=max(MISSION_LENGTH, *map(len, missions)),
        charset="".join(sorted({*ASCII, *"".join(missions)})),
    )
    return spaces.Dict({**env.observation_space.spaces, "mission": mission})


def _reset(env: Any, episode: Demonstration) -> dict[str, Any]:
    observation: dict[str, Any] = env.reset(options={"task_id": episode.task.task_id})[0]
    return observation


def _buffer(episode: Demonstration, env: Any, taken: Callable[[], object]) -> Any:
    """Play a demonstration in the environment; calls `taken` after each action."""
    observations, rewards, ends = [_reset(env, episode)], list[float](), list[tuple[bool, bool]]()
    for number, action in enumerate(episode.actions, start=1):
        observation, reward, terminated, truncated, _ = env.step(action)
        if (terminated or truncated) != (number == len(episode.actions)):
            raise DemonstrationError(
                f"the demonstration of the task '{episode.task.task_id}' takes a different course in the environment: "
                "plan it on the same tiling"
            )
        observations.append(observation)
        rewards.append(reward)
        ends.append((terminated, truncated))
        taken()
    return import_module("minari.data_collector.episode_buffer").EpisodeBuffer(
        seed=episode.task.seed,
        observations={name: _column([observation[name] for observation in observations]) for name in observations[0]},
        actions=import_module("numpy").array(episode.actions, dtype="int64"),
        rewards=rewards,
        terminations=[terminated for terminated, _ in ends],
        truncations=[truncated for _, truncated in ends],
        infos={},
    )


def _column(values: list[Any]) -> Any:
    return values if isinstance(values[0], str) else import_module("numpy").stack(values)


def _mark_namespaces(folder: Path, target: Path) -> None:
    """Register the intermediate folders with Minari as namespaces."""
    name = import_module("minari.namespace").NAMESPACE_METADATA_FILENAME
    for parent in target.relative_to(folder).parents[:-1]:
        if not (folder / parent / name).exists():
            write_text(folder / parent / name, "{}")
