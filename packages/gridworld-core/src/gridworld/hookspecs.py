"""The seam between the toolkit and its plugins: the hooks to implement, and all that the author of a plugin imports.

A plugin is an entry point in the group ``gridworld``. It names a descriptor, as in ``ice = "my_package.ice:ICE"``, or a
module with hooks. Each hook is a function without arguments that returns descriptors:

    from gridworld.hookspecs import ModelInfo, hookimpl

    @hookimpl
    def gridworld_models():
        return [ModelInfo("still", "Never moves.", "my_package.still:StillModel")]

Modules of mechanisms, goal types, tilings and task suites need no other import of ``gridworld``: descriptors, tasks,
worlds, states, events, glyphs and errors are found here, whichever module defines them. Models subclass a class of
`gridworld.model_interface`, backends one of `gridworld.backends`; all else that they need is here, too, save what only
some of them use, such as `gridworld.text`. The conformance kits for the tests of a plugin are `gridworld.testing`.

Descriptors are light: those of backends, tilings and models hold an import string, ``"package.module:attribute"``, that
is imported when it is first used. Importing this module imports no heavy library and loads no plugin.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs
import pluggy

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    from gridworld.actions import ACTION_SPACE, Action
    from gridworld.drawing.glyphs import RGB, Circle, Color, Glyph, Line, Polygon, Rectangle, Shape, Tint
    from gridworld.drawing.signs import PLATE
    from gridworld.errors import ArgumentError, GridworldError, InvalidTaskError, Problem
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
    "CommandInfo",
    "CommonGoalField",
    "Died",
    "Discovered",
    "Dropped",
    "EnterHook",
    "Entered",
    "Entity",
    "Event",
    "ExecutorInfo",
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
    "PageInfo",
    "PickedUp",
    "Placed",
    "Polygon",
    "Position",
    "ProbeInfo",
    "Problem",
    "ProtocolInfo",
    "Pushed",
    "Rectangle",
    "RendererInfo",
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
    "gridworld_commands",
    "gridworld_executors",
    "gridworld_generators",
    "gridworld_goals",
    "gridworld_importers",
    "gridworld_mechanisms",
    "gridworld_metrics",
    "gridworld_models",
    "gridworld_observations",
    "gridworld_observers",
    "gridworld_pages",
    "gridworld_probes",
    "gridworld_protocols",
    "gridworld_renderers",
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


MODULES = {
    "ACTION_SPACE": "actions",
    "Action": "actions",
    "PLATE": "drawing.signs",
    "RGB": "drawing.glyphs",
    "Circle": "drawing.glyphs",
    "Color": "drawing.glyphs",
    "Glyph": "drawing.glyphs",
    "Line": "drawing.glyphs",
    "Polygon": "drawing.glyphs",
    "Rectangle": "drawing.glyphs",
    "Shape": "drawing.glyphs",
    "Tint": "drawing.glyphs",
    "ArgumentError": "errors",
    "GridworldError": "errors",
    "InvalidTaskError": "errors",
    "Problem": "errors",
    "nearest_hint": "support.wording",
    "COLOR_NAMES": "task.colors",
    "parse_any_color": "task.colors",
    "parse_color": "task.colors",
    "parse_optional_any_color": "task.colors",
    "parse_optional_color": "task.colors",
    "DIRECTION_WORDS": "task.meanings",
    "MEANING": "task.meanings",
    "ORDERED": "task.meanings",
    "STEPS": "task.meanings",
    "Meaning": "task.meanings",
    "Placed": "task.meanings",
    "color_field": "task.meanings",
    "direction_field": "task.meanings",
    "reference_field": "task.meanings",
    "references_field": "task.meanings",
    "LEFT_OUT_IF_NONE": "task_spec",
    "OBSERVABILITY_MODES": "task_spec",
    "SWITCH_TYPES": "task_spec",
    "GoalSpec": "task_spec",
    "MazeLayout": "task_spec",
    "MechanismSet": "task_spec",
    "Position": "task_spec",
    "Rules": "task_spec",
    "TaskSpecification": "task_spec",
    "one_of": "task_spec",
    "to_ids": "task_spec",
    "to_position": "task_spec",
    "to_positions": "task_spec",
    "Outcome": "world.acts",
    "Bumped": "world.events",
    "Carried": "world.events",
    "Changed": "world.events",
    "Closed": "world.events",
    "Died": "world.events",
    "Discovered": "world.events",
    "Dropped": "world.events",
    "Event": "world.events",
    "KeyUsed": "world.events",
    "Moved": "world.events",
    "NoEffect": "world.events",
    "Opened": "world.events",
    "PickedUp": "world.events",
    "Pushed": "world.events",
    "Succeeded": "world.events",
    "Switched": "world.events",
    "Teleported": "world.events",
    "Turned": "world.events",
    "Unlocked": "world.events",
    "Waited": "world.events",
    "cells_entered": "world.events",
    "Explained": "world.mechanism_type",
    "CommonGoalField": "world.goal_type",
    "GoalType": "world.goal_type",
    "minigrid_reward": "world.goal_type",
    "Marker": "world.goal_type",
    "number_things": "world.goal_type",
    "CarryHook": "world.mechanism_type",
    "Collected": "world.mechanism_type",
    "Entered": "world.mechanism_type",
    "EnterHook": "world.mechanism_type",
    "GridStateField": "world.mechanism_type",
    "Hook": "world.mechanism_type",
    "MechanismType": "world.mechanism_type",
    "NextValue": "world.mechanism_type",
    "TypedSpec": "world.mechanism_type",
    "dotted": "world.looks",
    "place_in_words": "world.looks",
    "square_topology": "world.square",
    "GONE": "world.state",
    "NOTHING": "world.state",
    "State": "world.state",
    "Status": "world.state",
    "NO_CELL": "world.topology",
    "FieldOfView": "world.topology",
    "Topology": "world.topology",
    "shared_topology": "world.topology",
    "Trait": "world.mechanism_type",
    "Entity": "world.world",
    "World": "world.world",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from("gridworld", MODULES, offered_by=__name__)


@attrs.frozen
class BackendInfo:
    """A backend; `target` names a subclass of `gridworld.backends.base.AbstractGridBackend`."""

    name: str
    summary: str
    target: str
    environment: str | None = None
    """What ``gymnasium.make`` makes the same worlds from, if there is an environment of them: an id such as
    ``my_package:my_package/Mine-v0``, of which Gymnasium imports what stands before the colon. It takes ``task`` (the
    contents of task files, in a list), ``render_mode``, and the backend's arguments; ``reset`` takes
    ``options={"task_id": ...}``, and observations are dictionaries."""


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
    files: tuple[str, ...] | None = None
    """Those of its arguments that may name a file or folder whose content decides its answers, such as weights: a
    recorded run goes on only with the same content. None for every text or path that names one, circumstances aside."""


@attrs.frozen
class ExecutorInfo:
    """Where a run's episodes are played; `target` names a subclass of `multinet_eval.Pool`."""

    name: str
    summary: str
    target: str


@attrs.frozen
class ProtocolInfo:
    """How a model is asked for actions; `target` names a subclass of `multinet_eval.Protocol`.

    What follows a colon in ``--protocol NAME:VALUE`` is the first parameter of its constructor.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class ObserverInfo:
    """Is told what happens in a run; `target` names a subclass of `multinet_eval.RunObserver`.

    The parameters of its constructor are what ``--observer-arg`` accepts.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class BenchmarkInfo:
    """A suite of tasks inside the importable `package`: files, or recipes that they are generated from."""

    name: str
    summary: str
    package: str
    folder: str
    """A folder of JSON files, which is searched recursively, or a TOML file of recipes."""


@attrs.frozen
class GeneratorInfo:
    """Draws tasks from seeds; `target` names a subclass of `gridworld.generation.generator.Generator`.

    The parameters of its constructor are what recipes, ``multinet tasks generate`` and ``generated:`` suites accept.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class ImporterInfo:
    """Makes tasks of levels in another form; `target` names a subclass of `gridworld.generation.importer.Importer`.

    The parameters of its constructor are what ``multinet tasks import`` accepts as ``--importer-arg``.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class ProbeInfo:
    """Asks about what is seen; `target` names a subclass of `multinet_eval.Probe`.

    It is made without arguments. ``multinet probe --probe NAME`` asks it.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class MetricInfo:
    """A number, or a word, that says something of an episode; `target` names a `multinet_eval.Metric`.

    Or a `multinet_eval.WeightedMetric`, which has weights that are read from a file.

    Its docstring is its documentation. ``multinet runs rescore --metric NAME`` computes it.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class ObservationInfo:
    """A format of observations; `target` names a function ``(episode: Episode) -> str`` of a moment to its text.

    It may tell what `gridworld.world.Episode.look` and `gridworld.world.Episode.knowledge` show, and nothing else, and
    has to be a function of that alone. ``+``, ``image`` and ``none`` have a meaning of their own in ``--observation``.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class CommandInfo:
    """A command of ``multinet``; `target` names a function that Typer makes a command of.

    The names, annotations and defaults of its parameters are the command's arguments and options, and its docstring is
    what ``--help`` says of it.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class PageInfo:
    """Pages of runs, suites and leaderboards; `target` names a subclass of `multinet_eval.PageWriter`.

    It is made without arguments. ``--page NAME`` of commands chooses it; by default they take the first one installed.
    """

    name: str
    summary: str
    target: str


@attrs.frozen
class RendererInfo:
    """A format of picture files; `target` names a function ``(drawn, file, tiling, episode)`` that writes one.

    ``drawn`` is a `TaskSpecification`, which is laid out on the tiling of that name, or the folder of a recorded run (a
    `pathlib.Path`), of which the episode of that number is drawn, on its own tiling; ``file`` is a `pathlib.Path`.
    """

    name: str
    """The ending of the names of such files, such as ``gif``."""
    summary: str
    target: str


hookspec = pluggy.HookspecMarker("gridworld")
hookimpl = pluggy.HookimplMarker("gridworld")
"""Marks a function of a plugin module as the implementation of the hook of the same name."""


@hookspec
def gridworld_backends() -> Iterable[BackendInfo]:
    """Backends: what shows tasks to an agent, whether the kernel runs their worlds or another simulator does.

    Example:
        @hookimpl
        def gridworld_backends():
            return [BackendInfo("text", "Draws with letters.", "my_package.backend:TextBackend")]
    """
    return ()


@hookspec
def gridworld_mechanisms() -> Iterable[MechanismType]:
    """Mechanisms: kinds of things, with what they do and how they look.

    Example:
        @hookimpl
        def gridworld_mechanisms():
            from my_package.ice import ICE

            return [ICE]
    """
    return ()


@hookspec
def gridworld_goals() -> Iterable[GoalType]:
    """Goal types: predicates on states, with their validation and mission sentence.

    Example:
        @hookimpl
        def gridworld_goals():
            from my_package.tour import TOUR

            return [TOUR]
    """
    return ()


@hookspec
def gridworld_models() -> Iterable[ModelInfo]:
    """Models that can be evaluated.

    Example:
        @hookimpl
        def gridworld_models():
            return [ModelInfo("still", "Never moves.", "my_package.still:StillModel")]
    """
    return ()


@hookspec
def gridworld_benchmarks() -> Iterable[BenchmarkInfo]:
    """Task suites: folders of task files inside a package.

    Example:
        @hookimpl
        def gridworld_benchmarks():
            return [BenchmarkInfo("mazes", "Forty mazes.", package="my_package", folder="mazes")]
    """
    return ()


@hookspec
def gridworld_tilings() -> Iterable[TilingInfo]:
    """Tilings: ways to lay a task's lattice out in cells.

    Example:
        @hookimpl
        def gridworld_tilings():
            return [TilingInfo("rhombus", "Three rhombi a cell.", "my_package.rhombus:rhombus_topology")]
    """
    return ()


@hookspec
def gridworld_executors() -> Iterable[ExecutorInfo]:
    """Executors: where the episodes of a run are played.

    Example:
        @hookimpl
        def gridworld_executors():
            return [ExecutorInfo("cluster", "Jobs of a cluster.", "my_package.cluster:ClusterExecutor")]
    """
    return ()


@hookspec
def gridworld_observers() -> Iterable[ObserverInfo]:
    """Observers of runs, such as trackers of experiments.

    Example:
        @hookimpl
        def gridworld_observers():
            return [ObserverInfo("tracker", "Logs to a tracker.", "my_package.tracker:TrackerObserver")]
    """
    return ()


@hookspec
def gridworld_protocols() -> Iterable[ProtocolInfo]:
    """Protocols: how many actions a reply of a model holds, and how far they are played before it is asked again.

    Example:
        @hookimpl
        def gridworld_protocols():
            return [ProtocolInfo("stride", "Walks until a wall.", "my_package.stride:Stride")]
    """
    return ()


@hookspec
def gridworld_generators() -> Iterable[GeneratorInfo]:
    """Generators: families of tasks, each task a function of parameters and a seed.

    Example:
        @hookimpl
        def gridworld_generators():
            return [GeneratorInfo("moats", "Islands and bridges.", "my_package.moats:Moats")]
    """
    return ()


@hookspec
def gridworld_importers() -> Iterable[ImporterInfo]:
    """Importers: other people's levels as tasks.

    Example:
        @hookimpl
        def gridworld_importers():
            return [ImporterInfo("levels", "Levels of my game.", "my_package.levels:LevelImporter")]
    """
    return ()


@hookspec
def gridworld_probes() -> Iterable[ProbeInfo]:
    """Probes: kinds of questions about what is seen, which are graded against the world.

    Example:
        @hookimpl
        def gridworld_probes():
            return [ProbeInfo("doors", "How many doors are open.", "my_package.doors:DoorsProbe")]
    """
    return ()


@hookspec
def gridworld_metrics() -> Iterable[MetricInfo]:
    """Metrics: numbers that recorded episodes are turned into, old ones too.

    Example:
        @hookimpl
        def gridworld_metrics():
            return [MetricInfo("turns", "The share of turns.", "my_package.turns:Turns")]
    """
    return ()


@hookspec
def gridworld_observations() -> Iterable[ObservationInfo]:
    """Formats of observations: ways to put what is shown into text.

    Example:
        @hookimpl
        def gridworld_observations():
            return [ObservationInfo("haiku", "Three lines.", "my_package.haiku:write_haiku")]
    """
    return ()


@hookspec
def gridworld_commands() -> Iterable[CommandInfo]:
    """Commands of ``multinet``.

    Example:
        @hookimpl
        def gridworld_commands():
            return [CommandInfo("count", "Counts recorded episodes.", "my_package.count:count")]
    """
    return ()


@hookspec
def gridworld_pages() -> Iterable[PageInfo]:
    """Writers of pages that show runs, suites and leaderboards.

    Example:
        @hookimpl
        def gridworld_pages():
            return [PageInfo("slides", "Slides of my design.", "my_package.pages:MyPages")]
    """
    return ()


@hookspec
def gridworld_renderers() -> Iterable[RendererInfo]:
    """Renderers: formats of picture files that ``gridworld.render`` can write, by the ending of their names.

    Example:
        @hookimpl
        def gridworld_renderers():
            return [RendererInfo("mp4", "Films.", "my_package.films:write_film")]
    """
    return ()
