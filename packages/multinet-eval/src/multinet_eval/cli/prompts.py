"""``multinet prompts``: show the complete prompt of a model without sending it."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gridworld.errors import ArgumentError
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from gridworld.support.files import write_bytes
from gridworld.support.wording import visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import (
    MODEL,
    SEEN,
    TASKS,
    AsJson,
    BackendArgument,
    BackendName,
    Mission,
    ModelOptions,
    PlayedTiling,
    ProtocolText,
    in_use,
)
from multinet_eval.cli.settings_options import PresentationOptions
from multinet_eval.cli.tasks.finding import TaskName, advising_without_plan, find_suite, find_task, suite_named_by
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInput, PromptedModel, PromptImage, PromptText
    from gridworld.task_spec import TaskSpecification

LINES = {"text": "--- {role} ---\n{text}", "image": "[image {width}x{height}: {label}]"}
"""Template for each kind of part."""


def describe_part(part: PromptText | PromptImage) -> dict[str, Any]:
    """Describe a part of a prompt, JSON-ready; a picture by its size in pixels and a digest."""
    from gridworld.model_interface import PromptImage

    if isinstance(part, PromptImage):
        height, width, _ = part.image.shape
        digest = blake2b(part.image.tobytes(), digest_size=4).hexdigest()
        return {"kind": "image", "label": part.label, "width": width, "height": height, "digest": digest}
    return {"kind": "text", "role": part.role, "text": part.text}


def part_text(described: dict[str, Any]) -> str:
    """Format a described part for printing."""
    return LINES[described["kind"]].format(**described)


def save_pictures(prompt: Iterable[PromptText | PromptImage], parts: Iterable[dict[str, Any]], folder: Path) -> None:
    """Write pictures as PNG files and add a ``file`` to their descriptions.

    Raises:
        GridworldError: the folder cannot be written.
    """
    from gridworld.model_interface import PromptImage
    from gridworld.support.png import encode_png

    with writing_to(f"the pictures into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for number, (part, described) in enumerate(zip(prompt, parts, strict=True), start=1):
            if isinstance(part, PromptImage):
                file = folder / f"part_{number:02d}.png"
                write_bytes(file, encode_png(part.image))
                described["file"] = str(file)


@command()
def show_prompt(
    task: TaskName,
    model: str = typer.Option(
        ..., "--model", "-m", metavar="NAME[:MODEL]", help="Model whose prompt to show.", rich_help_panel=MODEL
    ),
    step: int = typer.Option(0, min=0, help="Number of steps of a shortest plan taken before.", rich_help_panel=TASKS),
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: PlayedTiling = None,
    mission: Mission = "goal",
    protocol: ProtocolText = "step",
    suite: str | None = typer.Option(
        None, help="Suite or folder to explain; by default the one TASK belongs to.", rich_help_panel=SEEN
    ),
    *,
    arguments: ModelOptions,
    presented: PresentationOptions,
    images: Path | None = typer.Option(None, metavar="FOLDER", help="Folder for the pictures, as PNG files."),
    as_json: AsJson = False,
) -> None:
    """Show the complete prompt of a step, without sending it.

    It equals the prompt of an evaluation of the same suite with the same options; --suite names another suite. For
    a task in a file of its own, everything the installed plugins provide is explained. No server is needed.
    """
    from multinet_eval.play.episode_factory import EpisodeFactory
    from multinet_eval.settings.plugin_objects import make_backend, make_protocol
    from multinet_eval.settings.run_settings import Briefing

    spec, presentation, suite = find_task(task), presented.make(), suite or suite_named_by(task)
    swaps = presentation.swaps_observations
    prompted = _make_prompted(*arguments.of(model))
    with in_use(prompted):
        runner = EpisodeFactory(
            prompted,
            make_backend(backend, backend_arg or [], tiling),
            swapped_backend=make_backend(backend, backend_arg or [], tiling) if swaps else None,
            presentation=presentation,
            protocol=make_protocol(protocol),
            briefing=None if suite is None else Briefing.of(find_suite(suite), presentation),
            mission=mission,
        )
        other = _other_task(suite, spec) if swaps else None
        with advising_without_plan(limit=None):
            given = runner.input_at(spec, step, other)
        prompt = _render(prompted, given)
        parts = [describe_part(part) for part in prompt]
        if images is not None:
            save_pictures(prompt, parts, images)
    shown = {
        "task_id": spec.task_id,
        "model": prompted.model_name,
        "backend": runner.backend.name,
        "tiling": runner.backend.tiling,
        "step": step,
    }
    if as_json:
        echo_json({**shown, "parts": parts})
    else:
        where = runner.backend.name if runner.backend.tiling is None else "{backend} ({tiling})".format(**shown)
        echo(visible_line(f"{prompted.model_name} at step {step + 1} of {spec.task_id} on {where}:"))
        for part in parts:
            echo(f"\n{part_text(part)}")


def _other_task(suite: str | None, task: TaskSpecification) -> TaskSpecification:
    """Find the task whose observations are shown instead."""
    from multinet_eval.play.played_tasks import swapped_tasks
    from multinet_eval.record.plan import task_hash

    if suite is None:
        raise ArgumentError("swapped observations need another task: give SUITE/TASK_ID, or --suite")
    tasks = find_suite(suite)
    return swapped_tasks(tasks if task in tasks else [task, *tasks])[task_hash(task)]


def _make_prompted(name: str, arguments: list[str]) -> PromptedModel:
    """Make the model; raises ArgumentError if the model has no prompt."""
    from gridworld.model_interface import PromptedModel
    from multinet_eval.settings.plugin_objects import make_model

    made = make_model(name, arguments)
    if not isinstance(made, PromptedModel):
        raise ArgumentError(f"model '{name}' has no prompt to show: it is not asked in text")
    return made


def _render(model: PromptedModel, question: ModelInput) -> list[PromptText | PromptImage]:
    with calling(owner_of("model", model, model.model_name), "rendered_prompt"):
        return model.rendered_prompt(question)
