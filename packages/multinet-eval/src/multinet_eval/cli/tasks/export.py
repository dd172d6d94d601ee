"""``multinet tasks render``, ``gallery`` and ``demos``: pictures and demonstrations of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry, normal_name
from gridworld.solver.plans import DEFAULT_MAX_STATES
from gridworld.support.files import is_folder
from gridworld.support.wording import counted, first_lines, visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import (
    BACKEND,
    BackendArgument,
    BackendName,
    PlayedTiling,
)
from multinet_eval.cli.output_files import (
    ANIMATED,
    STILL,
    Milliseconds,
    check_picture_file,
    make_page_writer,
    print_page_summary,
    reading_progress,
    refuse_output,
)
from multinet_eval.cli.progress_bars import counting
from multinet_eval.cli.tasks.finding import (
    MaxStates,
    TaskName,
    TilingOrAll,
    advising_without_plan,
    find_suite,
    find_task,
)
from multinet_eval.settings.defaults import ALL_TILINGS, DEFAULT_BACKEND

if TYPE_CHECKING:
    from gridworld.solver.plans import NoPlanError


@command()
def render(
    task: TaskName,
    output: Path = typer.Option(
        ..., "--output", "-o", metavar="FILE", help="File: .png for the start, .gif or .webp for the run."
    ),
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: str | None = typer.Option(None, help="Tiling to draw on.", rich_help_panel=BACKEND),
    milliseconds: Milliseconds = 250,
    max_states: MaxStates = DEFAULT_MAX_STATES,
) -> None:
    """Draw a task's start, or animate its optimal run."""
    from multinet_eval.settings.plugin_objects import make_backend, make_kernel_backend

    check_picture_file(output, (*STILL, *ANIMATED))
    arguments = backend_arg or []
    from multinet_eval.datasets.pictures import draw_run, draw_start, save_animation, save_still

    if output.suffix.lower() in ANIMATED:
        plannable = make_kernel_backend(backend, arguments, tiling)
        with advising_without_plan("--max-states"):
            save_animation(draw_run(plannable, find_task(task), max_states), output, milliseconds)
    else:
        save_still(draw_start(make_backend(backend, arguments, tiling), find_task(task)), output)


@command()
def gallery(
    suite: str = typer.Argument("tiers", metavar="SUITE", help="Installed suite, or folder of tasks."),
    output: Path = typer.Option(Path("gallery.html"), "--output", "-o", metavar="FILE.html", help="File to write."),
    tiling: TilingOrAll = ALL_TILINGS,
    max_states: MaxStates = DEFAULT_MAX_STATES,
) -> None:
    """Write a page of a suite.

    It shows difficulties, certificates and optimal runs. Needs multinet-report.
    """
    from multinet_eval.record.manifest import Suite

    refuse_output(output)
    writer = make_page_writer()
    catalog = get_registry().tilings
    tilings = list(catalog.names()) if tiling == ALL_TILINGS else [catalog.get(tiling).name]
    shown = Suite(normal_name("benchmark", suite), tuple(find_suite(suite)))
    with reading_progress() as progress:
        written = writer.write_suite(shown, tilings, output, max_states, progress)
    if not print_page_summary(written):
        raise typer.Exit(FAILED)


@command()
def demos(
    suite: str = typer.Argument(..., metavar="SUITE", help="Installed suite, or folder of task files."),
    output: Path = typer.Option(..., "--output", "-o", metavar="DIR", help="Folder to write to."),
    form: Literal["jsonl", "minari"] = typer.Option(
        "jsonl", "--format", help="PNG files with JSON lines, or a Minari dataset."
    ),
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: PlayedTiling = None,
    pictures: bool = typer.Option(False, "--pictures", help="Include pictures in a Minari dataset."),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace a Minari dataset of the same name."),
    max_states: MaxStates = DEFAULT_MAX_STATES,
) -> None:
    """Save the shortest plan of every task as a dataset.

    A dataset has observations and actions. Tasks without a plan within their budget are left out and named. Exit
    code 1 if no task is left.
    """
    from multinet_eval.settings.plugin_objects import backend_arguments, make_kernel_backend

    tasks = find_suite(suite)
    left_out = _LeftOut(len(tasks))
    if form == "minari":
        from multinet_eval.datasets.minari_export import export_to_minari, minari_dataset_id, plan_demonstrations

        chosen, arguments = backend_arguments(backend, backend_arg or [], tiling)
        made = plan_demonstrations(tasks, tiling or "square", max_states, left_out)
        name = Path(suite).resolve().name if is_folder(suite) else suite
        variant = None if chosen == DEFAULT_BACKEND else str(arguments.get("tiling", chosen))
        with counting("playing", "steps") as progress:
            where = export_to_minari(
                made,
                minari_dataset_id(name, variant=variant),
                root=output,
                backend=chosen,
                arguments=arguments,
                pictures=pictures,
                overwrite=overwrite,
                progress=progress,
            )
        echo(f"{counted(len(made), 'episode')} in {where}")
    else:
        from gridworld.runner.grid_runner import GridRunner

        if overwrite or pictures:
            raise ArgumentError(f"--{'overwrite' if overwrite else 'pictures'} needs --format minari")
        runner = GridRunner(make_kernel_backend(backend, backend_arg or [], tiling))
        with counting("playing", "pictures") as progress:
            records = runner.generate_observation_dataset(
                tasks, output, max_states=max_states, progress=progress, without_plan=left_out
            )
        echo(f"{counted(len(records), 'record')} of {counted(left_out.others, 'episode')} in {output}")
    left_out.report()


@attrs.define
class _LeftOut:
    """Tasks of a suite that are left out for lack of a plan."""

    total: int
    """Number of tasks in the suite."""
    lines: list[str] = attrs.Factory(list)

    @property
    def others(self) -> int:
        """Number of tasks not left out so far."""
        return self.total - len(self.lines)

    def __call__(self, error: NoPlanError) -> None:
        """Leave out a task; raises `DemonstrationError` with all reasons if no task is left."""
        self.lines.append(f"{visible_line(error.task_id)}: {error.reason('--max-states')}")
        if not self.others:
            from multinet_eval.datasets.minari_export import DemonstrationError

            raise DemonstrationError("\n  ".join(["no task has a plan to show:", *first_lines(self.lines)]))

    def report(self) -> None:
        """Print the tasks left out, with reasons, to standard error."""
        for line in self.lines:
            echo(f"left out {line}", err=True)
        if self.lines:
            echo(f"left out {len(self.lines)} of {counted(self.total, 'task')}", err=True)
