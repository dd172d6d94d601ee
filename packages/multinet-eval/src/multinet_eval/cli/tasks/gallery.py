"""``multinet tasks gallery``: a page with pictures of tasks, side by side on several tilings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridworld.errors import ArgumentError
from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.support.wording import counted, make_visible
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import (
    DisablePlugin,
    load_plugins,
)
from multinet_eval.cli.tasks.common import (
    MaxStates,
    SkipInvalid,
    TilingOrAll,
    find_suite,
    find_task,
    telling_of_no_plan,
)
from multinet_eval.settings.defaults import ALL_TILINGS
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.backends.kernel import KernelBackend
    from gridworld.task_spec import TaskSpecification

__all__ = ["gallery"]

OF_PICTURES = ("per_tier", "run", "milliseconds")
"""The parameters that the HTML file does not heed."""


def gallery(
    call: typer.Context,
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="An installed suite, or a folder of tasks.")] = "tiers",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PLACE", help="A folder, made if missing; with --html a file, gallery.html."
        ),
    ] = None,
    as_html: Annotated[
        bool,
        typer.Option(
            "--html",
            help="Write one HTML file of the whole suite: difficulty, certificates, and optimal runs to be replayed. "
            "Needs multinet-report.",
        ),
    ] = False,
    tiling: TilingOrAll = ALL_TILINGS,
    per_tier: Annotated[int, typer.Option("--per-tier", min=1, help="How many tasks of each tier.")] = 1,
    run: Annotated[
        str | None, typer.Option("--run", metavar="TASK", help="Animate the optimal run of this task, as FILE.gif.")
    ] = None,
    milliseconds: Annotated[
        int, typer.Option("--milliseconds", min=20, max=60_000, help="How long each frame is shown.")
    ] = 200,
    max_states: MaxStates = DEFAULT_MAX_STATES,
    skip_invalid: SkipInvalid = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Draw the first tasks of each tier on each tiling, and write a Markdown page that shows them."""
    from multinet_eval.settings.plugin_objects import choose_tilings, make_kernel_backend

    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        if as_html:
            _refuse_beside_html(call)
            _write_page(suite, skip_invalid, tiling, output or Path("gallery.html"), max_states)
            return
        if output is None:
            raise ArgumentError("--output is missing: name the folder for the pictures")
        backends = [make_kernel_backend(None, [], name) for name in choose_tilings(tiling)]
        tiers = _by_tier(find_suite(suite, skip_invalid))
        tasks = [task for of_tier in tiers for task in of_tier[:per_tier]]
        which = _told_choice(tiers, per_tier)
        animated = None if run is None else find_task(run)
        with writing_to(output):
            output.mkdir(parents=True, exist_ok=True)
        sections = [_draw_task(task, backends, output) for task in tasks]
        if animated is not None:
            sections.append(_animate(animated, backends, output, milliseconds, max_states))
        from gridworld.support.files import write_text

        page = output / "index.md"
        with writing_to(page):
            write_text(page, make_visible("\n\n".join(["# Gallery", f"This page shows {which}.", *sections])) + "\n")
        echo(f"{page}: {which}, on {counted(len(backends), 'tiling')}{_rest(tiers, per_tier)}")


def _refuse_beside_html(call: typer.Context) -> None:
    from multinet_eval.cli.recording import given_parameters

    for name, said in given_parameters(call):
        if name in OF_PICTURES:
            raise ArgumentError(f"--html shows the whole suite, and all optimal runs: leave out {said}")


def _write_page(suite: str, skip_invalid: bool, tiling: str, output: Path, max_states: int) -> None:
    from gridworld.plugins import get_registry
    from multinet_eval.cli.pages import make_page_writer, reading_progress, refuse_page, tell_page
    from multinet_eval.record.manifest import Suite

    refuse_page("--output", output)
    catalog = get_registry().tilings
    tilings = list(catalog.names()) if tiling == ALL_TILINGS else [tiling]
    shown = Suite(suite, tuple(find_suite(suite, skip_invalid)))
    with reading_progress() as progress:
        written = make_page_writer().write_suite(shown, tilings, output, max_states, progress)
    if not tell_page(written):
        raise typer.Exit(FAILED)


Tiers = list[list["TaskSpecification"]]


def _by_tier(tasks: Iterable[TaskSpecification]) -> Tiers:
    """The tasks of each tier, ascending, by their ids."""
    in_order = sorted(tasks, key=lambda task: (task.difficulty_tier, task.task_id))
    return [list(of_tier) for _, of_tier in groupby(in_order, key=lambda task: task.difficulty_tier)]


def _told_choice(tiers: Tiers, per_tier: int) -> str:
    """How many tasks of how many are shown, and which."""
    total = sum(map(len, tiers))
    shown = sum(len(of_tier[:per_tier]) for of_tier in tiers)
    if shown == total:
        return f"all {counted(total, 'task')}" if total > 1 else "the only task"
    which = "first" if per_tier == 1 else f"first {per_tier}"
    return f"{shown} of {counted(total, 'task')}, the {which} of each tier"


def _rest(tiers: Tiers, per_tier: int) -> str:
    """How to have the others shown, too; empty if there are none."""
    largest = max(map(len, tiers))
    return f"; --per-tier {largest} shows all" if per_tier < largest else ""


def _draw_task(task: TaskSpecification, backends: list[KernelBackend], output: Path) -> str:
    from multinet_eval.datasets.pictures import draw_start, save_still
    from multinet_eval.support.output import markdown_text

    called, pictures = markdown_text(task.task_id), []
    for backend in backends:
        name = _file_name(task, backend, "png")
        save_still(draw_start(backend, task), output / name)
        pictures.append(f"![{called} on {backend.tiling}]({name}){{ width=300 }}")
    mission = f"Mission: *{markdown_text(backends[0].get_mission_text())}*."
    told = [markdown_text(" ".join(task.description.split()))] if task.description else []
    return "\n\n".join([f"## Tier {task.difficulty_tier}: {called}", *told, mission, "\n".join(pictures)])


def _animate(
    task: TaskSpecification, backends: list[KernelBackend], output: Path, milliseconds: int, max_states: int
) -> str:
    from multinet_eval.datasets.pictures import draw_run, save_animation
    from multinet_eval.support.output import markdown_text

    called, lines = markdown_text(task.task_id), []
    for backend in backends:
        name = _file_name(task, backend, "gif")
        with telling_of_no_plan("--max-states"):
            shown = save_animation(draw_run(backend, task, max_states), output / name, milliseconds)
        lines.append(f"![{called} on {backend.tiling}, {shown - 1} actions]({name}){{ width=300 }}")
    return f"## Optimal runs of {called}\n\n" + "\n".join(lines)


def _file_name(task: TaskSpecification, backend: KernelBackend, ending: str) -> str:
    from gridworld.support.file_names import safe_file_name

    return f"{safe_file_name(f'{task.task_id}-{backend.tiling}')}.{ending}"
