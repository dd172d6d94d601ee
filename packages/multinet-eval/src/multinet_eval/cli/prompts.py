"""``multinet prompts``: the whole prompt that a model would be sent, without sending it."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gridworld.errors import ArgumentError
from gridworld.support.files import write_bytes
from gridworld.support.wording import visible_line
from multinet_eval.cli.commands import REQUIRED, command, option
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import (
    SCORE,
    AsJson,
    BackendArgument,
    BackendName,
    Mission,
    ModelArgument,
    PlayedTiling,
    ProtocolText,
    in_use,
)
from multinet_eval.cli.run_options import PresentationOptions
from multinet_eval.cli.tasks.finding import TaskName, find_suite, find_task, suite_named_by, telling_of_no_plan
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.model_interface import ModelInput, PromptedModel, PromptImage, PromptText
    from gridworld.runner.presentation import Presentation
    from gridworld.task_spec import TaskSpecification
    from multinet_eval.settings.run_settings import Briefing

LINES = {"text": "--- {role} ---\n{text}", "image": "[image {width}x{height}: {label}]"}
"""Kind of a part to how it is shown."""


def describe_part(part: PromptText | PromptImage) -> dict[str, Any]:
    """A part, JSON-ready; of a picture its size in pixels, and a digest of what it shows."""
    from gridworld.model_interface import PromptImage

    if isinstance(part, PromptImage):
        height, width, _ = part.image.shape
        digest = blake2b(part.image.tobytes(), digest_size=4).hexdigest()
        return {"kind": "image", "label": part.label, "width": width, "height": height, "digest": digest}
    return {"kind": "text", "role": part.role, "text": part.text}


def part_text(described: dict[str, Any]) -> str:
    """A part as it is printed."""
    return LINES[described["kind"]].format(**described)


def save_pictures(prompt: Iterable[PromptText | PromptImage], parts: Iterable[dict[str, Any]], folder: Path) -> None:
    """Write the pictures as PNG files, and add to the description of each the ``file`` that it is in.

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


@command(plugins="loaded")
def show_prompt(
    task: TaskName,
    model: str = option(REQUIRED, "The model that would be asked.", "-m", panel=SCORE),
    model_arg: ModelArgument = None,
    step: int = option(0, "How many steps of a shortest plan are taken before.", min=0, panel=SCORE),
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: PlayedTiling = None,
    mission: Mission = "goal",
    protocol: ProtocolText = "step",
    suite: str | None = option(
        None,
        "Explain what can occur in this suite or folder; by default in the one that TASK is named by.",
        panel=SCORE,
    ),
    *,
    presented: PresentationOptions,
    images: Path | None = option(None, "Write the pictures into this folder, as PNG files.", metavar="FOLDER"),
    as_json: AsJson = False,
) -> None:
    """Show the whole prompt that a model would be sent at a step: all texts and pictures, in order.

    It is what an evaluation of the task's suite with the same options would send; with --suite, of another one. What is
    explained about a task in a file of its own is all that the installed plugins can have. Nothing is sent here, and no
    server is needed.
    """
    from multinet_eval.play.episode_factory import EpisodeFactory
    from multinet_eval.settings.plugin_objects import make_backend, make_protocol

    spec, presentation = find_task(task), presented.make()
    swaps = presentation.swaps_observations
    prompted = _make_prompted(model, model_arg or [])
    with in_use(prompted):
        runner = EpisodeFactory(
            prompted,
            make_backend(backend, backend_arg or [], tiling),
            swapped_backend=make_backend(backend, backend_arg or [], tiling) if swaps else None,
            presentation=presentation,
            protocol=make_protocol(protocol),
            briefing=_briefing(suite or suite_named_by(task), presentation),
            mission=mission,
        )
        other = _other_task(suite or suite_named_by(task), spec) if swaps else None
        with telling_of_no_plan(limit=None):
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


def _briefing(suite: str | None, presentation: Presentation) -> Briefing | None:
    """What the model is told of a suite; None without one."""
    from multinet_eval.settings.run_settings import Briefing

    return None if suite is None else Briefing.of(find_suite(suite), presentation)


def _other_task(suite: str | None, task: TaskSpecification) -> TaskSpecification:
    """The task of a suite that is shown in its place."""
    from multinet_eval.play.played_tasks import swapped_tasks
    from multinet_eval.record.plan import task_hash

    if suite is None:
        raise ArgumentError(
            "swapped observations are those of another task: give SUITE/TASK_ID, or the suite by --suite"
        )
    tasks = find_suite(suite)
    return swapped_tasks(tasks if task in tasks else [task, *tasks])[task_hash(task)]


def _make_prompted(name: str, arguments: list[str]) -> PromptedModel:
    """The model; raises ArgumentError if it has no prompt, and as `make_model` does."""
    from gridworld.model_interface import PromptedModel
    from multinet_eval.settings.plugin_objects import make_model

    made = make_model(name, arguments)
    if not isinstance(made, PromptedModel):
        raise ArgumentError(f"model '{name}' has no prompt to show: it is not asked in text")
    return made


def _render(model: PromptedModel, question: ModelInput) -> list[PromptText | PromptImage]:
    from gridworld.plugins.faults import blaming

    with blaming(f"model '{model.model_name}'", "when its prompt was made"):
        return model.rendered_prompt(question)
