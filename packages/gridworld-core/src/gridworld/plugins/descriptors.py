"""Descriptors of what is named by an import string: backends, tilings, models and benchmarks.

A descriptor is light: ``"package.module:attribute"`` is imported when it is first used. Those of mechanisms and goal
types, which the kernel reads, are `gridworld.world.mechanism_type` and `gridworld.world.goal_type`.
"""

from __future__ import annotations

import attrs

__all__ = ["BackendInfo", "BenchmarkInfo", "ExecutorInfo", "ModelInfo", "ObserverInfo", "TilingInfo"]


@attrs.frozen
class BackendInfo:
    """A backend; `target` names a subclass of `gridworld.backends.base.AbstractGridBackend`."""

    name: str
    summary: str
    target: str
    environment: str | None = None
    """What ``gymnasium.make`` makes the same worlds from, if there is an environment of them: an id such as
    ``my_package.registration:Mine-v0``. It takes ``task`` (the contents of task files, in a list), ``render_mode``, and
    the backend's arguments; ``reset`` takes ``options={"task_id": ...}``, and observations are dictionaries."""


@attrs.frozen
class TilingInfo:
    """A tiling; `target` names a function ``(width, height) -> Topology`` of a lattice's dimensions."""

    name: str
    summary: str
    target: str


@attrs.frozen
class ModelInfo:
    """A model; `target` names a subclass of `gridworld.model_interface.ModelInterface`.

    The parameters of its constructor are what ``--model-arg`` accepts.
    """

    name: str
    summary: str
    target: str
    circumstances: tuple[str, ...] = ()
    """Those of its arguments that change no answer, such as addresses and time-outs: a recorded run may go on with
    others."""


@attrs.frozen
class ExecutorInfo:
    """Where a run's episodes are played; `target` names a subclass of `multinet_eval.runs.executors.Executor`."""

    name: str
    summary: str
    target: str


@attrs.frozen
class ObserverInfo:
    """Is told what happens in a run; `target` names a subclass of `multinet_eval.runs.observers.RunObserver`.

    The parameters of its constructor are what ``--observer-arg`` accepts.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class BenchmarkInfo:
    """A suite of task files: the JSON files in `folder` (searched recursively) inside the importable `package`."""

    name: str
    summary: str
    package: str
    folder: str
