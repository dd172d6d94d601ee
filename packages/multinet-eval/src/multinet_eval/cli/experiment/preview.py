"""``multinet experiment preview``: what each condition asks first, and how it differs from the base."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multinet_eval.cli.echo import Styled, echo, echo_json, styled
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.experiment.options import Changes, ExperimentFile, read_suite
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.prompts.parts import describe_part, part_text, save_pictures

if TYPE_CHECKING:
    from multinet_eval.experiments.previewing import Preview

__all__ = ["preview_experiment"]

COLORS = {"+": "green", "-": "red"}


def preview_experiment(
    file: ExperimentFile,
    changes: Changes = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task", metavar="SUITE/TASK_ID", help="Ask about this task. By default the first of each suite."
        ),
    ] = None,
    step: Annotated[int, typer.Option("--step", min=0, help="How many steps of a shortest plan are taken before.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write the pictures of each condition into this folder."),
    ] = None,
    differences: Annotated[
        bool, typer.Option("--differences", help="Of all but the base, print only what differs from it.")
    ] = False,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Show what each condition asks, with marks at what differs from the base. Nothing is sent.

    Of a condition with several models, suites or tilings the first is shown.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from multinet_eval.cli.tasks.common import find_task, telling_of_no_plan
        from multinet_eval.experiments.experiment_file import read_experiment
        from multinet_eval.experiments.previewing import mark_differences, preview_conditions

        experiment = read_experiment(file, changes or ())
        asked = None if task is None else find_task(task)
        with telling_of_no_plan(limit=None):
            previews = preview_conditions(experiment, read_suite, asked, step)
        described = [[describe_part(part) for part in preview.parts] for preview in previews]
        if output is not None:
            _save(previews, described, output)
        if as_json:
            echo_json([_plain(*each) for each in zip(previews, described, strict=True)])
            return
    base = _lines(described[0])
    for number, (preview, parts) in enumerate(zip(previews, described, strict=True)):
        marked = mark_differences(base, _lines(parts))
        differing = [each for each in marked if each[0] != " "]
        _show(preview, differing if number and (differences or not differing) else marked)


def _save(previews: list[Preview], described: list[list[dict[str, Any]]], output: Path) -> None:
    from gridworld.support.file_names import unique_file_names

    names = unique_file_names(preview.condition.name for preview in previews)
    for name, preview, parts in zip(names, previews, described, strict=True):
        save_pictures(preview.parts, parts, output / name)


def _plain(preview: Preview, parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "condition": preview.condition.name,
        "varied": dict(preview.condition.varied),
        "model_name": preview.model_name,
        "task_id": preview.task_id,
        "parts": parts,
    }


def _lines(parts: list[dict[str, Any]]) -> list[str]:
    """The parts of a prompt, line by line; a picture with its digest, so that other pictures are other lines."""
    texts = [f"{part_text(part)} {part['digest']}" if part["kind"] == "image" else part_text(part) for part in parts]
    return "\n\n".join(texts).splitlines()


def _show(preview: Preview, lines: list[tuple[str, str]]) -> None:
    from gridworld.support.wording import visible_line

    varied = ", ".join(f"{key} = {_in_words(value)}" for key, value in preview.condition.varied.items())
    title = f"{preview.condition.name}: {varied or 'nothing varied'}"
    echo(styled(visible_line(f"=== {title} ==="), bold=True))
    echo(visible_line(f"    {preview.model_name}, {preview.task_id}"))
    for mark, line in lines or [(" ", "  the same as the base")]:
        echo(_marked(mark, line))
    echo()


def _in_words(value: Any) -> str:
    return " ".join(map(_in_words, value)) if isinstance(value, list) else str(value)


def _marked(mark: str, line: str) -> Styled:
    return styled(f"{mark} {line}".rstrip(), COLORS.get(mark))
