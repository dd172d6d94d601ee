"""Demonstrations as datasets of Minari, the Farama Foundation's format for offline reinforcement learning.

It needs the optional dependencies ``multinet-eval[minari]``. A dataset has one episode for each demonstration, in
order:

- **Observations** are MiniGrid's symbolic ones, as a user of MiniGrid and Minari expects them: a dictionary of
  ``image`` (type, colour and state of each cell in view, uint8, indexed by column and row), ``direction`` (0 to 3) and
  ``mission`` (text). Pictures would differ in size between tasks, while a Minari dataset has one space. So that it is
  one also where tasks differ in their ``view_size``, all views have the size of the largest one, 7 at least; the cells
  around a smaller view are unseen (0, 0, 0). The agent is at the middle of the last row, as always.
- **Actions** are ``Discrete(7)``, numbered as in MiniGrid; rewards, terminations and truncations are those of the
  steps.
- **Episode metadata** hold ``seed``, ``task_id`` and ``task``, the contents of the task file as JSON, from which an
  episode can be played again::

      dataset = minari.load_dataset("gridworld/validation_10-optimal-v0")
      metadata = next(iter(dataset.storage.get_episode_metadata([0])))
      env = gridworld_minigrid.TaskParser().parse_dict(json.loads(metadata["task"]))

  As every episode has an environment of its own, the dataset has none as a whole, and Minari's
  ``recover_environment`` has nothing to recover.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.support.file_names import safe_file_name
from gridworld.support.files import write_text
from multinet_eval._version import __version__
from multinet_eval.runs.demonstrations import Demonstration, DemonstrationError

__all__ = ["NAMESPACE", "export_to_minari", "minari_dataset_id"]

NAMESPACE = "gridworld"
"""The part of a dataset's id before its suite."""
AUTHOR = "multinet-gridworld"
OPTIMAL = "Shortest plans, found by breadth-first search"
SMALLEST_VIEW = 7
"""MiniGrid's usual view; datasets of most suites have the same space then, and can be combined."""
ASCII = "".join(map(chr, range(32, 127)))
MISSION_LENGTH = 256
REQUIRED = ("minari", "gymnasium", "numpy", "h5py", "PIL")
"""What the optional dependencies bring; Minari itself does not ask for Pillow, which its HDF5 storage imports."""


def minari_dataset_id(suite: str, policy: str = "optimal", version: int = 0) -> str:
    """A dataset id such as ``gridworld/validation_10-optimal-v0``; other characters than Minari's are replaced."""
    return f"{NAMESPACE}/{safe_file_name(suite, keep_dots=False)}-{safe_file_name(policy, keep_dots=False)}-v{version}"


def export_to_minari(
    demonstrations: Iterable[Demonstration],
    dataset_id: str,
    root: str | PathLike[str] | None = None,
    *,
    author: str = AUTHOR,
    algorithm_name: str = OPTIMAL,
    description: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a Minari dataset in HDF5, whole or not at all.

    Args:
        demonstrations: the episodes, played on the MiniGrid backend; at least one.
        dataset_id: ``namespace/name-v0``, see `minari_dataset_id`.
        root: the folder of all datasets, by default Minari's own: ``MINARI_DATASETS_PATH``, or
            ``~/.minari/datasets``. To load a dataset from another one, set that variable to it.
        author: who has made the dataset.
        algorithm_name: how the actions were chosen.
        description: what is in the dataset; by default a few sentences that say it.
        overwrite: replace a dataset of this id.

    Returns:
        The folder of the dataset, ``root/dataset_id``.

    Raises:
        DemonstrationError: the optional dependencies are not installed, the id is none of Minari's, there is a
            dataset already, the demonstrations have no symbolic observations, or the dataset cannot be written.
    """
    _require_extra()
    episodes = list(demonstrations)
    _check_episodes(episodes)
    _check_id(dataset_id)
    metadata = {
        "dataset_id": dataset_id,
        "author": {author},
        "algorithm_name": algorithm_name,
        "description": description or _describe(episodes),
        "requirements": [f"gridworld-minigrid=={__version__}"],
        "minari_version": import_module("minari").__version__,
    }
    try:
        # Absolute, since Minari and HDF5 take relative paths for relative to different folders.
        folder = Path(root).absolute() if root is not None else import_module("minari.storage").get_dataset_path()
        target: Path = folder / dataset_id
        _refuse_existing(target, overwrite)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Minari takes no hidden folder for a dataset, and none of this is left behind when something fails.
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder) as staging:
            _write(Path(staging, "new"), episodes, metadata)
            if target.exists():
                target.rename(Path(staging, "old"))
            Path(staging, "new").rename(target)
        _mark_namespaces(folder, target)
    except (OSError, ValueError, TypeError) as error:
        # HDF5 cannot hold everything that JSON can: a NUL in a text, a lone surrogate, a seed beyond 64 bits.
        raise DemonstrationError(f"cannot write the Minari dataset '{dataset_id}': {error}") from error
    return target


def _require_extra() -> None:
    for name in REQUIRED:
        try:
            import_module(name)
        except ImportError as error:
            raise DemonstrationError(
                f"Minari datasets need optional dependencies: pip install 'multinet-eval[minari]' ({error})"
            ) from error


def _check_episodes(episodes: list[Demonstration]) -> None:
    if not episodes:
        raise DemonstrationError("a Minari dataset needs at least one demonstration")
    for episode in episodes:
        if any("symbolic" not in info for info in episode.infos):
            raise DemonstrationError(
                f"the demonstration of the task '{episode.task.task_id}' has no symbolic observations: "
                "play it on the MiniGrid backend"
            )


def _check_id(dataset_id: str) -> None:
    try:
        import_module("minari.dataset.minari_dataset").parse_dataset_id(dataset_id)
    except (ValueError, TypeError) as error:
        raise DemonstrationError(
            f"'{dataset_id}' is no id of a Minari dataset; it has to be like {minari_dataset_id('suite')}"
        ) from error


def _refuse_existing(target: Path, overwrite: bool) -> None:
    if not target.exists():
        return
    if not (target / "data" / "metadata.json").is_file():
        raise DemonstrationError(f"{target} is there already and is no Minari dataset")
    if not overwrite:
        raise DemonstrationError(f"there is a Minari dataset at {target} already; overwrite it, or choose another id")


def _describe(episodes: list[Demonstration]) -> str:
    steps = sum(len(episode.actions) for episode in episodes)
    return (
        f"Grid puzzles: {len(episodes)} episodes of one task each, {steps} steps in all. Observations are MiniGrid's "
        "symbolic ones. The metadata of an episode hold its task, to play it again: "
        '`gridworld_minigrid.TaskParser().parse_dict(json.loads(metadata["task"]))`.'
    )


def _write(folder: Path, episodes: list[Demonstration], metadata: dict[str, Any]) -> None:
    folder.mkdir()
    spaces = import_module("gymnasium.spaces")
    view = max(SMALLEST_VIEW, *(_symbolic(episode)[0]["image"].shape[0] for episode in episodes))
    storage = import_module("minari.dataset.minari_storage").MinariStorage.new(
        folder / "data",
        observation_space=_observation_space(view, episodes),
        action_space=spaces.Discrete(len(ACTION_SPACE)),
        data_format="hdf5",
        jpeg_encoding=False,
    )
    storage.update_metadata(metadata)
    storage.update_episodes(_buffer(episode, view) for episode in episodes)
    storage.update_episode_metadata(
        {"task_id": episode.task.task_id, "task": json.dumps(episode.task.to_dict())} for episode in episodes
    )


def _symbolic(episode: Demonstration) -> list[dict[str, Any]]:
    return [info["symbolic"] for info in episode.infos]


def _observation_space(view: int, episodes: list[Demonstration]) -> Any:
    spaces = import_module("gymnasium.spaces")
    missions = {observation["mission"] for episode in episodes for observation in _symbolic(episode)}
    mission = spaces.Text(
        min_length=0,
        max_length=max(MISSION_LENGTH, *map(len, missions)),
        charset="".join(sorted({*ASCII, *"".join(missions)})),
    )
    image = spaces.Box(low=0, high=255, shape=(view, view, 3), dtype="uint8")
    return spaces.Dict({"image": image, "direction": spaces.Discrete(4), "mission": mission})


def _buffer(episode: Demonstration, view: int) -> Any:
    np = import_module("numpy")
    observations = _symbolic(episode)
    return import_module("minari.data_collector.episode_buffer").EpisodeBuffer(
        seed=episode.seed,
        observations={
            "image": np.stack([_framed(observation["image"], view) for observation in observations]),
            "direction": np.array([observation["direction"] for observation in observations], dtype=np.int64),
            "mission": [observation["mission"] for observation in observations],
        },
        actions=np.array(episode.actions, dtype=np.int64),
        rewards=list(episode.rewards),
        terminations=list(episode.terminations),
        truncations=list(episode.truncations),
        infos={},
    )


def _framed(image: Any, view: int) -> Any:
    """A symbolic view amid unseen cells, its agent where that of a view of the size `view` is."""
    size = image.shape[0]
    side = (view - size) // 2
    return import_module("numpy").pad(image, ((side, side), (view - size, 0), (0, 0)))


def _mark_namespaces(folder: Path, target: Path) -> None:
    """Make the folders between known to Minari as namespaces."""
    name = import_module("minari.namespace").NAMESPACE_METADATA_FILENAME
    for parent in target.relative_to(folder).parents[:-1]:
        if not (folder / parent / name).exists():
            write_text(folder / parent / name, "{}")
