"""``multinet prompts``: show the complete prompt of a model without sending it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gridworld.errors import ArgumentError
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
from multinet_eval.cli.table import Column, numeric, print_table
from multinet_eval.cli.tasks.finding import TaskName, advising_without_plan, find_suite, find_task, suite_named_by
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.model_interface import Picture, Prompt
    from gridworld.model_interface.chat_model import ChatModel
    from gridworld.task_spec import TaskSpecification


def describe_prompt(prompt: Prompt) -> list[dict[str, Any]]:
    """Describe the parts of a prompt, JSON-ready; pictures by their size in pixels and a digest."""
    from gridworld.model_interface import Picture, Text

    described: list[dict[str, Any]] = []
    for message in prompt.messages:
        for part in message.parts:
            match part:
                case Text(text, name):
                    described.append({"kind": "text", "role": message.role, "name": name, "text": text})
                case Picture():
                    described.append({"kind": "image", "role": message.role, **_describe_picture(part)})
    return described


def _describe_picture(picture: Picture) -> dict[str, Any]:
    height, width, _ = picture.pixels.shape
    size = {"width": width, "height": height}
    return {"name": picture.name, "label": picture.label, **size, "digest": picture.digest}


def message_texts(prompt: Prompt, digests: bool = False) -> Iterator[str]:
    """Yield each message for printing, its texts as they are sent; `digests` tells different pictures apart."""
    from gridworld.model_interface import Picture

    for message in prompt.messages:
        lines = [f"--- {message.role} ---"]
        for block in message.blocks():
            if isinstance(block, Picture):
                height, width, _ = block.pixels.shape
                lines.append(
                    f"[image {width}x{height}: {block.label or block.name}]{f' {block.digest}' if digests else ''}"
                )
            else:
                lines.append(str(block))
        yield "\n".join(lines)


def save_pictures(prompt: Prompt, parts: Iterable[dict[str, Any]], folder: Path) -> None:
    """Write pictures as PNG files and add a ``file`` to their descriptions.

    Raises:
        GridworldError: the folder cannot be written.
    """
    from gridworld.support.png import encode_png

    pictures = [picture for message in prompt.messages for picture in message.pictures]
    shown = [part for part in parts if part["kind"] == "image"]
    with writing_to(f"the pictures into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for number, (picture, described) in enumerate(zip(pictures, shown, strict=True), start=1):
            file = folder / f"picture_{number:02d}.png"
            write_bytes(file, encode_png(picture.pixels))
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
    from multinet_eval.play.model_caller import render_prompt
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
        prompt = prompted.adapt(render_prompt(prompted, given))
        parts, settings = describe_prompt(prompt), prompted.settings_in_use()
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
        echo_json({**shown, "parts": parts, "schema": prompt.schema, "seed": prompt.seed, "settings": settings})
        return
    where = runner.backend.name if runner.backend.tiling is None else "{backend} ({tiling})".format(**shown)
    echo(visible_line(f"{prompted.model_name} at step {step + 1} of {spec.task_id} on {where}:"))
    for message in message_texts(prompt):
        echo(f"\n{message}")
    _print_sizes(prompt)


def _print_sizes(prompt: Prompt) -> None:
    """Print the parts by name, with their estimated tokens."""
    from multinet_eval.play.forecast import parts_of

    rows = [[part.name, f"{part.characters:,}", f"{part.tokens:,.0f}"] for part in parts_of(prompt)]
    echo()
    print_table([Column("Part"), numeric("Characters"), numeric("Tokens")], rows, "Parts, with estimated tokens")


def _other_task(suite: str | None, task: TaskSpecification) -> TaskSpecification:
    """Find the task whose observations are shown instead."""
    from multinet_eval.play.played_tasks import swapped_tasks
    from multinet_eval.record.plan import task_hash

    if suite is None:
        raise ArgumentError("swapped observations need another task: give SUITE/TASK_ID, or --suite")
    tasks = find_suite(suite)
    return swapped_tasks(tasks if task in tasks else [task, *tasks])[task_hash(task)]


def _make_prompted(name: str, arguments: list[str]) -> ChatModel:
    """Make the model; raises ArgumentError if the model has no prompt."""
    from gridworld.model_interface.chat_model import ChatModel
    from multinet_eval.settings.plugin_objects import make_model

    made = make_model(name, arguments)
    if not isinstance(made, ChatModel):
        raise ArgumentError(f"model '{name}' has no prompt to show: it is not asked in text")
    return made
