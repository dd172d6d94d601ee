"""Hooks for plugins, and everything else that a plugin author needs to import.

A plugin is an entry point in the group ``gridworld``: either a descriptor, as in ``ice = "my_package.ice:ICE"``, or a
module with hooks. A hook is a function without arguments that returns descriptors:

    from gridworld.hookspecs import ModelInfo, hookimpl

    @hookimpl
    def gridworld_models():
        return [ModelInfo("still", "Never moves.", "my_package.still:StillModel")]

Mechanisms, goal types, tilings and task suites need no other import from ``gridworld``: this module exports
descriptors, tasks, worlds, states, events, glyphs and errors. Models also subclass a class of
`gridworld.model_interface`, and backends one of `gridworld.backends`. `gridworld.testing` has conformance kits for a
plugin's tests.

Descriptors are cheap to import: most hold an import string, ``"package.module:attribute"``, which is resolved on first
use. This module imports no heavy library and loads no plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import attrs
import pluggy

from gridworld.actions import ACTION_SPACE, Action
from gridworld.drawing.glyphs import RGB, Circle, Color, Glyph, Line, Polygon, Rectangle, Shape, Tint
from gridworld.drawing.signs import PLATE
from gridworld.errors import ArgumentError, GridworldError, InvalidTaskError, Owner, Problem
from gridworld.support.checks import named_fields
from gridworld.support.faults import calling
from gridworld.support.import_strings import load_callable, load_object
from gridworld.support.wording import nearest_hint
from gridworld.task.colors import (
    COLOR_NAMES,
    parse_any_color,
    parse_color,
    parse_optional_any_color,
    parse_optional_color,
)
from gridworld.task.meanings import (
    DIRECTION_WORDS,
    MEANING,
    ORDERED,
    STEPS,
    Meaning,
    Placed,
    color_field,
    direction_field,
    reference_field,
    references_field,
)
from gridworld.task_spec import (
    LEFT_OUT_IF_NONE,
    OBSERVABILITY_MODES,
    SWITCH_TYPES,
    GoalSpec,
    MazeLayout,
    MechanismSet,
    Position,
    Rules,
    TaskSpecification,
    one_of,
    to_ids,
    to_position,
    to_positions,
)
from gridworld.world.acts import Outcome
from gridworld.world.events import (
    Bumped,
    Carried,
    Changed,
    Closed,
    Died,
    Discovered,
    Dropped,
    Event,
    KeyUsed,
    Moved,
    NoEffect,
    Opened,
    PickedUp,
    Pushed,
    Succeeded,
    Switched,
    Teleported,
    Turned,
    Unlocked,
    Waited,
    cells_entered,
)
from gridworld.world.goal_type import CommonGoalField, GoalType, Marker, minigrid_reward, number_things
from gridworld.world.looks import dotted, place_in_words
from gridworld.world.mechanism_type import (
    CarryHook,
    Collected,
    Entered,
    EnterHook,
    Explained,
    GridStateField,
    Hook,
    MechanismType,
    NextValue,
    Trait,
    TypedSpec,
)
from gridworld.world.square import square_topology
from gridworld.world.state import GONE, NOTHING, State, Status
from gridworld.world.topology import NO_CELL, FieldOfView, Topology, shared_topology
from gridworld.world.world import Entity, World

__all__ = [
    "ACTION_SPACE",
    "COLOR_NAMES",
    "DIRECTION_WORDS",
    "GONE",
    "LEFT_OUT_IF_NONE",
    "MEANING",
    "NOTHING",
    "NO_CELL",
    "OBSERVABILITY_MODES",
    "ORDERED",
    "PLATE",
    "RGB",
    "STEPS",
    "SWITCH_TYPES",
    "Action",
    "ArgumentError",
    "BackendInfo",
    "BenchmarkInfo",
    "Bumped",
    "Carried",
    "CarryHook",
    "Changed",
    "Circle",
    "Closed",
    "Collected",
    "Color",
    "CommonGoalField",
    "Died",
    "Discovered",
    "Dropped",
    "EnterHook",
    "Entered",
    "Entity",
    "Event",
    "Explained",
    "FieldOfView",
    "GeneratorInfo",
    "Glyph",
    "GoalSpec",
    "GoalType",
    "GridStateField",
    "GridworldError",
    "Hook",
    "ImporterInfo",
    "InvalidTaskError",
    "KeyUsed",
    "Line",
    "Marker",
    "MazeLayout",
    "Meaning",
    "MechanismSet",
    "MechanismType",
    "MetricInfo",
    "ModelInfo",
    "Moved",
    "NextValue",
    "NoEffect",
    "ObservationInfo",
    "ObserverInfo",
    "Opened",
    "Outcome",
    "PickedUp",
    "Placed",
    "Polygon",
    "Position",
    "ProbeInfo",
    "Problem",
    "ProtocolInfo",
    "Pushed",
    "Rectangle",
    "Rules",
    "Shape",
    "State",
    "Status",
    "Succeeded",
    "Switched",
    "TaskSpecification",
    "Teleported",
    "TilingInfo",
    "Tint",
    "Topology",
    "Trait",
    "Turned",
    "TypedSpec",
    "Unlocked",
    "Waited",
    "World",
    "cells_entered",
    "color_field",
    "direction_field",
    "dotted",
    "gridworld_backends",
    "gridworld_benchmarks",
    "gridworld_generators",
    "gridworld_goals",
    "gridworld_importers",
    "gridworld_mechanisms",
    "gridworld_metrics",
    "gridworld_models",
    "gridworld_observations",
    "gridworld_observers",
    "gridworld_probes",
    "gridworld_protocols",
    "gridworld_tilings",
    "hookimpl",
    "minigrid_reward",
    "nearest_hint",
    "number_things",
    "one_of",
    "parse_any_color",
    "parse_color",
    "parse_optional_any_color",
    "parse_optional_color",
    "place_in_words",
    "reference_field",
    "references_field",
    "shared_topology",
    "square_topology",
    "to_ids",
    "to_position",
    "to_positions",
]


@attrs.frozen
class PluginInfo:
    """Base class of descriptors."""

    name: str
    """Name, unique within its kind and distribution."""
    summary: str
    """One sentence for listings."""
    owner: Owner = attrs.field(
        default=attrs.Factory(lambda self: Owner(f"'{self.name}'"), takes_self=True), kw_only=True, eq=False, repr=False
    )
    """The plugin, for messages; set when the plugin is loaded."""


@named_fields
@attrs.frozen
class TargetInfo(PluginInfo):
    """Base class of descriptors of something that is imported on first use."""

    target: str
    """Import string of a class or function, ``package.module:attribute``."""
    extra: str | None = attrs.field(default=None, kw_only=True, repr=False)
    """Extra of the distribution whose libraries the target needs, as in ``distribution[extra]``; None for none."""

    def load(self) -> Callable[..., Any]:
        """Import the target.

        Raises:
            PluginFault: it cannot be imported, or is neither a class nor a function.
        """
        with calling(self.owner, "target"):
            return load_callable(self.target)


@named_fields
@attrs.frozen
class BackendInfo(TargetInfo):
    """Descriptor of a backend; `target` names a subclass of `gridworld.backends.base.AbstractGridBackend`."""

    environment: str | None = None
    """Id of a Gymnasium environment with the same worlds, such as ``my_package:my_package/Mine-v0``, or None.

    The environment takes ``task`` (a list of task files' contents), ``render_mode``, and the backend's arguments. Its
    ``reset`` takes ``options={"task_id": ...}``, and its observations are dictionaries.
    """
    harmless: tuple[str, ...] = ()
    """Text arguments that name no file, folder, address or environment variable, as in `ModelInfo.harmless`."""


@named_fields
@attrs.frozen
class TilingInfo(TargetInfo):
    """Descriptor of a tiling; `target` names a function ``(width, height) -> Topology`` of the lattice's dimensions."""


@named_fields
@attrs.frozen
class ModelInfo(TargetInfo):
    """Descriptor of a model; `target` names a subclass of `gridworld.model_interface.ModelInterface`.

    ``--model-arg`` accepts the parameters of its constructor.
    """

    circumstances: tuple[str, ...] = ()
    """Arguments that cannot affect answers, such as addresses and timeouts; a resumed run may change them."""
    files: tuple[str, ...] | None = None
    """Arguments that name files or folders whose contents affect answers, such as weights.

    A run can be resumed only if their contents are unchanged. None stands for every argument outside `circumstances`
    whose value is the path of an existing file.
    """
    harmless: tuple[str, ...] = ()
    """Text arguments that name no file, folder, address or environment variable, such as a model's name on its server.

    A run recorded by somebody else is resumed only if all its other texts are given again. Numbers, true and false, and
    words of a `Literal` are always harmless.
    """


@named_fields
@attrs.frozen
class ProtocolInfo(TargetInfo):
    """Descriptor of a protocol for asking models for actions; `target` names a subclass of `multinet_eval.Protocol`.

    ``--protocol NAME:VALUE`` passes VALUE as the first argument of its constructor.
    """


@named_fields
@attrs.frozen
class ObserverInfo(TargetInfo):
    """Descriptor of an observer of runs; `target` names a subclass of `multinet_eval.RunObserver`.

    ``--observer-arg`` accepts the parameters of its constructor.
    """


@named_fields
@attrs.frozen
class BenchmarkInfo(PluginInfo):
    """Descriptor of a task suite inside the importable `package`: task files, or recipes that generate tasks."""

    package: str
    folder: str
    """A folder of JSON files, searched recursively, or a TOML file of recipes."""


@named_fields
@attrs.frozen
class GeneratorInfo(TargetInfo):
    """Descriptor of a task generator; `target` names a subclass of `gridworld.generation.generator.Generator`.

    Recipes, ``multinet tasks generate`` and ``generated:`` suites accept the parameters of its constructor.
    """


@named_fields
@attrs.frozen
class ImporterInfo(TargetInfo):
    """Descriptor of an importer of another level format.

    `target` names a subclass of `gridworld.generation.importer.Importer`; ``--importer-arg`` of ``multinet tasks
    import`` accepts the parameters of its constructor.
    """


@named_fields
@attrs.frozen
class ProbeInfo(TargetInfo):
    """Descriptor of a probe, which asks questions about observations.

    `target` names a subclass of `multinet_eval.Probe`; ``multinet probe --probe NAME`` creates it without arguments.
    """


@named_fields
@attrs.frozen
class MetricInfo(TargetInfo):
    """Descriptor of a metric, which maps an episode to a number or a word.

    `target` names a `multinet_eval.Metric` or a `WeightedMetric`, which reads its weights from a file; the docstring of
    that class documents the metric. ``multinet runs rescore --metric NAME`` computes it.
    """

    def load(self) -> Any:
        """Import the metric; raises PluginFault if it cannot be imported."""
        with calling(self.owner, "target"):
            return load_object(self.target)


@named_fields
@attrs.frozen
class ObservationInfo(TargetInfo):
    """Descriptor of a text format of observations.

    `target` names a function ``(episode: Episode) -> str`` that describes the episode's current state. The text must
    depend only on `gridworld.world.Episode.look` and `gridworld.world.Episode.knowledge`. ``+``, ``image`` and ``none``
    are reserved in ``--observation``.
    """


hookspec = pluggy.HookspecMarker("gridworld")
hookimpl = pluggy.HookimplMarker("gridworld")
"""Marks a function in a plugin module as the implementation of the hook with its name."""


@hookspec
def gridworld_backends() -> Iterable[BackendInfo]:
    """Return backends, which show tasks to an agent and run them with the kernel or another simulator."""
    return ()


@hookspec
def gridworld_mechanisms() -> Iterable[MechanismType]:
    """Return mechanism types: entities with their rules and looks."""
    return ()


@hookspec
def gridworld_goals() -> Iterable[GoalType]:
    """Return goal types: predicates on states, with validation and a mission sentence."""
    return ()


@hookspec
def gridworld_models() -> Iterable[ModelInfo]:
    """Return models to evaluate."""
    return ()


@hookspec
def gridworld_benchmarks() -> Iterable[BenchmarkInfo]:
    """Return task suites: folders of task files inside a package."""
    return ()


@hookspec
def gridworld_tilings() -> Iterable[TilingInfo]:
    """Return tilings, which divide a task's lattice into cells."""
    return ()


@hookspec
def gridworld_observers() -> Iterable[ObserverInfo]:
    """Return observers of runs, such as experiment trackers."""
    return ()


@hookspec
def gridworld_protocols() -> Iterable[ProtocolInfo]:
    """Return protocols, which set how many actions a reply may hold and how many are played before the next request."""
    return ()


@hookspec
def gridworld_generators() -> Iterable[GeneratorInfo]:
    """Return generators: families of tasks, each determined by parameters and a seed."""
    return ()


@hookspec
def gridworld_importers() -> Iterable[ImporterInfo]:
    """Return importers of levels in other formats."""
    return ()


@hookspec
def gridworld_probes() -> Iterable[ProbeInfo]:
    """Return probes, which ask questions about observations and grade the answers against the world."""
    return ()


@hookspec
def gridworld_metrics() -> Iterable[MetricInfo]:
    """Return metrics of recorded episodes; they can also rescore existing runs."""
    return ()


@hookspec
def gridworld_observations() -> Iterable[ObservationInfo]:
    """Return text formats of observations."""
    return ()


# The rest is for the toolkit's own distributions only, and may change in any version.


@named_fields
@attrs.frozen
class ExecutorInfo(TargetInfo):
    """Descriptor of an executor, which plays a run's episodes; `target` names a subclass of `Pool` in multinet_eval."""


@named_fields
@attrs.frozen
class CommandInfo(TargetInfo):
    """Descriptor of a subcommand of ``multinet``; `target` names a function for Typer."""


@named_fields
@attrs.frozen
class PageInfo(TargetInfo):
    """Descriptor of a writer of HTML pages; `target` names a subclass of `PageWriter` in multinet_eval."""


@named_fields
@attrs.frozen
class RendererInfo(TargetInfo):
    """Descriptor of a picture file format, named by its extension without the dot.

    `target` names a function ``(drawn, file, tiling, episode)`` that writes such a file. ``drawn`` is either a
    `TaskSpecification`, to be drawn on the named tiling, or the `pathlib.Path` of a recorded run, whose episode of that
    number is drawn on the run's own tiling. ``file`` is a `pathlib.Path`. It raises ArgumentError for what it cannot
    draw.
    """


@hookspec
def gridworld_executors() -> Iterable[ExecutorInfo]:
    """Return executors, which play the episodes of a run."""
    return ()


@hookspec
def gridworld_commands() -> Iterable[CommandInfo]:
    """Return subcommands of ``multinet``."""
    return ()


@hookspec
def gridworld_pages() -> Iterable[PageInfo]:
    """Return writers of HTML pages for runs, suites and leaderboards."""
    return ()


@hookspec
def gridworld_renderers() -> Iterable[RendererInfo]:
    """Return renderers, each for one file extension accepted by ``gridworld.render``."""
    return ()
