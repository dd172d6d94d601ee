"""``multinet prompts show``: the whole prompt that a model would be sent, without sending it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.runner.presentation import Presentation
from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import (
    BACKEND,
    SCORE,
    BackendArgument,
    BackendName,
    DisablePlugin,
    Mission,
    MissionChoice,
    ModelArgument,
    ProtocolText,
    in_use,
    load_plugins,
)
from multinet_eval.cli.presenting import presented
from multinet_eval.cli.tasks.common import AsJson, TaskName, find_suite, find_task, suite_named_by
from multinet_eval.writing import writing_to

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInput, PromptedModel, PromptImage, PromptText
    from gridworld.task_spec import TaskSpecification

__all__ = ["show_prompt"]


@presented
def show_prompt(
    task: TaskName,
    model: Annotated[str, typer.Option("--model", "-m", help="The model that would be asked.", rich_help_panel=SCORE)],
    model_arg: ModelArgument = None,
    step: Annotated[
        int,
        typer.Option(
            "--step", min=0, help="How many steps of a shortest plan are taken before.", rich_help_panel=SCORE
        ),
    ] = 0,
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: Annotated[
        str | None, typer.Option("--tiling", help="Play on this tiling, such as hex.", rich_help_panel=BACKEND)
    ] = None,
    mission: Mission = MissionChoice.GOAL,
    protocol: ProtocolText = "step",
    *,
    presentation: Presentation,
    images: Annotated[
        Path | None,
        typer.Option("--images", metavar="FOLDER", help="Write the pictures into this folder, as PNG files."),
    ] = None,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Show the whole prompt that a model would be sent at a step: all texts and pictures, in order.

    It is what an evaluation with the same options would send. Nothing is sent here, and no server is needed.
    """
    from multinet_eval.plugin_objects import make_backend, make_protocol

    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from multinet_eval.evaluation_harness import EvaluationHarness

        spec = find_task(task)
        swaps = presentation.swaps_observations
        prompted = _make_prompted(model, model_arg or [])
        with in_use(prompted):
            harness = EvaluationHarness(
                prompted,
                make_backend(backend, backend_arg or [], tiling),
                swapped_backend=make_backend(backend, backend_arg or [], tiling) if swaps else None,
                presentation=presentation,
                protocol=make_protocol(protocol),
                mission=mission.value,
            )
            prompt = _render(prompted, harness.input_at(spec, step, _other_task(task, spec) if swaps else None))
            parts = [_describe(part) for part in prompt]
            if images is not None:
                _save(prompt, parts, images)
    shown = {
        "task_id": spec.task_id,
        "model": prompted.model_name,
        "backend": harness.backend.name,
        "tiling": harness.backend.tiling,
        "step": step,
    }
    if as_json:
        echo_json({**shown, "parts": parts})
    else:
        where = harness.backend.name if harness.backend.tiling is None else "{backend} ({tiling})".format(**shown)
        echo(visible_line(f"{prompted.model_name} at step {step + 1} of {spec.task_id} on {where}:"))
        for part in parts:
            echo(LINES[part["kind"]].format(**part))


LINES = {"text": "\n--- {role} ---\n{text}", "image": "\n[image {width}x{height}: {label}]"}
"""Kind of a part to how it is shown."""


def _other_task(name: str, task: TaskSpecification) -> TaskSpecification:
    """The task of the same suite that is shown in its place."""
    from gridworld.errors import ArgumentError
    from multinet_eval.swapping import swapped_tasks
    from multinet_eval.task_hashes import task_hash

    suite = suite_named_by(name)
    if suite is None:
        raise ArgumentError(f"{name}: swapped observations are those of another task: name it as SUITE/TASK_ID")
    return swapped_tasks(find_suite(suite))[task_hash(task)]


def _make_prompted(name: str, arguments: list[str]) -> PromptedModel:
    """The model; raises ArgumentError if it has no prompt, and as `make_model` does."""
    from gridworld.errors import ArgumentError
    from gridworld.model_interface import PromptedModel
    from multinet_eval.plugin_objects import make_model

    made = make_model(name, arguments)
    if not isinstance(made, PromptedModel):
        raise ArgumentError(f"model '{name}' has no prompt to show: it is not asked in text")
    return made


def _render(model: PromptedModel, question: ModelInput) -> list[PromptText | PromptImage]:
    from gridworld.plugins.faults import blaming

    with blaming(f"model '{model.model_name}'", "when its prompt was made"):
        return model.rendered_prompt(question)


def _describe(part: PromptText | PromptImage) -> dict[str, Any]:
    from gridworld.model_interface import PromptImage

    if isinstance(part, PromptImage):
        height, width, _ = part.image.shape
        return {"kind": "image", "label": part.label, "width": width, "height": height}
    return {"kind": "text", "role": part.role, "text": part.text}


def _save(prompt: Iterable[PromptText | PromptImage], parts: Iterable[dict[str, Any]], folder: Path) -> None:
    """Write the pictures, and add to the description of each the ``file`` that it is in."""
    from gridworld.model_interface import PromptImage
    from gridworld.support.files import write_bytes
    from gridworld.support.png import encode_png

    with writing_to(f"the pictures into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for number, (part, described) in enumerate(zip(prompt, parts, strict=True), start=1):
            if isinstance(part, PromptImage):
                file = folder / f"part_{number:02d}.png"
                write_bytes(file, encode_png(part.image))
                described["file"] = str(file)
