"""``multinet tasks render``, ``gallery`` and ``demos``: pictures and demonstrations of tasks."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import attrs
import typer

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry, normal_name
from gridworld.solver.plans import DEFAULT_MAX_STATES
from gridworld.support.files import is_folder, safe_file_name, write_text
from gridworld.support.wording import counted, make_visible, visible_line
from multinet_eval.cli.commands import REQUIRED, argument, command, option
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
from multinet_eval.cli.output_options import given_parameters
from multinet_eval.cli.progress_bars import counting
from multinet_eval.cli.tasks.finding import (
    MaxStates,
    SkipInvalid,
    TaskName,
    TilingOrAll,
    advising_without_plan,
    find_suite,
    find_task,
)
from multinet_eval.settings.defaults import ALL_TILINGS, DEFAULT_BACKEND
from multinet_eval.support.output import markdown_text, writing_to

if TYPE_CHECKING:
    from gridworld.backends.kernel import KernelBackend
    from gridworld.solver.plans import NoPlanError
    from gridworld.task_spec import TaskSpecification


@command(plugins="loaded")
def render(
    task: TaskName,
    output: Path = option(REQUIRED, "File: .png for the start, .gif or .webp for the run.", "-o", metavar="FILE"),
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: str | None = option(None, "Tiling to draw on.", panel=BACKEND),
    milliseconds: Milliseconds = 250,
    max_states: MaxStates = DEFAULT_MAX_STATES,
) -> None:
    """Draw a task: its start as a picture, or its optimal run as an animation."""
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


OF_PICTURES = ("per_tier", "run", "milliseconds")
"""Parameters without effect on the HTML file."""


@command(plugins="loaded")
def gallery(
    call: typer.Context,
    suite: str = argument("tiers", "Installed suite, or folder of tasks.", metavar="SUITE"),
    output: Path | None = option(
        None, "Folder, created if missing; with --html a file, gallery.html.", "-o", metavar="PLACE"
    ),
    as_html: bool = option(False, "Write one HTML file of the whole suite. Needs multinet-report.", "--html"),
    tiling: TilingOrAll = ALL_TILINGS,
    per_tier: int = option(1, "Number of tasks per tier.", min=1),
    run: str | None = option(None, "Task whose optimal run to animate, as a .gif.", metavar="TASK"),
    milliseconds: int = option(200, "Duration of each frame.", min=20, max=60_000),
    max_states: MaxStates = DEFAULT_MAX_STATES,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Draw the first tasks of each tier on each tiling, with a Markdown page that shows them."""
    from multinet_eval.settings.plugin_objects import choose_tilings, make_kernel_backend

    if as_html:
        for name, written in given_parameters(call):
            if name in OF_PICTURES:
                raise ArgumentError(f"--html shows the whole suite and all optimal runs: leave out {written}")
        _write_page(suite, skip_invalid, tiling, output or Path("gallery.html"), max_states)
        return
    if output is None:
        raise ArgumentError("--output is missing: name the folder for the pictures")
    backends = [make_kernel_backend(None, [], name) for name in choose_tilings(tiling)]
    in_order = sorted(find_suite(suite, skip_invalid), key=lambda task: (task.difficulty_tier, task.task_id))
    tiers = [list(of_tier) for _, of_tier in groupby(in_order, key=lambda task: task.difficulty_tier)]
    tasks = [task for of_tier in tiers for task in of_tier[:per_tier]]
    which = _selection_text(tiers, per_tier)
    animated = None if run is None else find_task(run)
    with writing_to(output):
        output.mkdir(parents=True, exist_ok=True)
    sections = [_draw_task(task, backends, output) for task in tasks]
    if animated is not None:
        sections.append(_animate(animated, backends, output, milliseconds, max_states))

    index = output / "index.md"
    with writing_to(index):
        write_text(index, make_visible("\n\n".join(["# Gallery", f"This page shows {which}.", *sections])) + "\n")
    largest = max(map(len, tiers))
    rest = f"; --per-tier {largest} shows all" if per_tier < largest else ""
    echo(f"{index}: {which}, on {counted(len(backends), 'tiling')}{rest}")


def _write_page(suite: str, skip_invalid: bool, tiling: str, output: Path, max_states: int) -> None:
    from multinet_eval.record.manifest import Suite

    refuse_output(output)
    writer = make_page_writer()
    catalog = get_registry().tilings
    tilings = list(catalog.names()) if tiling == ALL_TILINGS else [catalog.get(tiling).name]
    shown = Suite(normal_name("benchmark", suite), tuple(find_suite(suite, skip_invalid)))
    with reading_progress() as progress:
        written = writer.write_suite(shown, tilings, output, max_states, progress)
    if not print_page_summary(written):
        raise typer.Exit(FAILED)


def _selection_text(tiers: list[list[TaskSpecification]], per_tier: int) -> str:
    """Describe the number and choice of tasks shown."""
    total = sum(map(len, tiers))
    shown = sum(len(of_tier[:per_tier]) for of_tier in tiers)
    if shown == total:
        return f"all {counted(total, 'task')}" if total > 1 else "the only task"
    which = "first" if per_tier == 1 else f"first {per_tier}"
    return f"{shown} of {counted(total, 'task')}, the {which} of each tier"


def _draw_task(task: TaskSpecification, backends: list[KernelBackend], output: Path) -> str:
    from multinet_eval.datasets.pictures import draw_start, save_still

    called, pictures = markdown_text(task.task_id), []
    for backend in backends:
        name = _file_name(task, backend, "png")
        save_still(draw_start(backend, task), output / name)
        pictures.append(f"![{called} on {backend.tiling}]({name})")
    mission = f"Mission: *{markdown_text(backends[0].get_mission_text())}*."
    description = [markdown_text(" ".join(task.description.split()))] if task.description else []
    return "\n\n".join([f"## Tier {task.difficulty_tier}: {called}", *description, mission, "\n".join(pictures)])


def _animate(
    task: TaskSpecification, backends: list[KernelBackend], output: Path, milliseconds: int, max_states: int
) -> str:
    from multinet_eval.datasets.pictures import draw_run, save_animation

    called, lines = markdown_text(task.task_id), []
    for backend in backends:
        name = _file_name(task, backend, "gif")
        with advising_without_plan("--max-states"):
            shown = save_animation(draw_run(backend, task, max_states), output / name, milliseconds)
        lines.append(f"![{called} on {backend.tiling}, {shown - 1} actions]({name})")
    return f"## Optimal runs of {called}\n\n" + "\n".join(lines)


def _file_name(task: TaskSpecification, backend: KernelBackend, ending: str) -> str:
    return f"{safe_file_name(f'{task.task_id}-{backend.tiling}')}.{ending}"


@command(plugins="loaded")
def demos(
    suite: str = argument(REQUIRED, "Installed suite, or folder of task files.", metavar="SUITE"),
    output: Path = option(REQUIRED, "Folder to write to.", "-o", metavar="DIR"),
    form: Literal["jsonl", "minari"] = option("jsonl", "PNG files with JSON lines, or a Minari dataset.", "--format"),
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: PlayedTiling = None,
    pictures: bool = option(False, "Include pictures in a Minari dataset."),
    overwrite: bool = option(False, "Replace a Minari dataset of the same name."),
    max_states: MaxStates = DEFAULT_MAX_STATES,
    skip_invalid: SkipInvalid = False,
) -> None:
    """Play the shortest plan of every task and save observations and actions as a dataset.

    Tasks without a plan within their budget are left out and named. Exit code 1 if no task is left.
    """
    from multinet_eval.settings.plugin_objects import backend_arguments, make_kernel_backend

    tasks = find_suite(suite, skip_invalid)
    left_out = _LeftOut(len(tasks))
    if form == "minari":
        from multinet_eval.datasets.demonstrations import plan_demonstrations
        from multinet_eval.datasets.minari_export import export_to_minari, minari_dataset_id

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
            from multinet_eval.datasets.demonstrations import DemonstrationError

            raise DemonstrationError("\n  ".join(["no task has a plan to show:", *self.lines]))

    def report(self) -> None:
        """Print the tasks left out, with reasons, to standard error."""
        for line in self.lines:
            echo(f"left out {line}", err=True)
        if self.lines:
            echo(f"left out {len(self.lines)} of {counted(self.total, 'task')}", err=True)
