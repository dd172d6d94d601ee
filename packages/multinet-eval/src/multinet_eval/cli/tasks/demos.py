"""``multinet tasks demos``: optimal demonstrations of a suite, as data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from gridworld.solver.solution import DEFAULT_MAX_STATES
from gridworld.support.wording import counted, visible_line
from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.options import (
    BackendArgument,
    BackendName,
    DisablePlugin,
    PlayedTiling,
    load_plugins,
)
from multinet_eval.cli.row_bars import counting
from multinet_eval.cli.tasks.common import MaxStates, SkipInvalid, find_suite
from multinet_eval.settings.defaults import DEFAULT_BACKEND

if TYPE_CHECKING:
    from gridworld.solver.plans import NoPlanError

__all__ = ["demos"]


class DemoFormat(StrEnum):
    """The choices of ``--format``."""

    JSONL = "jsonl"
    MINARI = "minari"


def demos(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="An installed suite, or a folder of task files.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.")],
    form: Annotated[
        DemoFormat, typer.Option("--format", help="PNG frames with JSON lines, or a Minari dataset.")
    ] = DemoFormat.JSONL,
    backend: BackendName = None,
    backend_arg: BackendArgument = None,
    tiling: PlayedTiling = None,
    pictures: Annotated[bool, typer.Option("--pictures", help="Keep pictures in a Minari dataset, too.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a Minari dataset of the same name.")] = False,
    max_states: MaxStates = DEFAULT_MAX_STATES,
    skip_invalid: SkipInvalid = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Play the shortest plan of every task of a suite and save observations and actions as a dataset.

    Tasks that have no plan within their budget of steps are left out, and named. Exit code 1 if that leaves none.
    """
    from multinet_eval.settings.plugin_objects import backend_arguments, make_kernel_backend

    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from gridworld.support.files import is_folder

        tasks = find_suite(suite, skip_invalid)
        left_out = _LeftOut(len(tasks))
        if form is DemoFormat.MINARI:
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
            from gridworld.errors import ArgumentError
            from gridworld.runner.grid_runner import GridRunner

            if overwrite or pictures:
                raise ArgumentError(f"--{'overwrite' if overwrite else 'pictures'} needs --format minari")
            runner = GridRunner(make_kernel_backend(backend, backend_arg or [], tiling))
            with counting("playing", "pictures") as progress:
                records = runner.generate_observation_dataset(
                    tasks, output, max_states=max_states, progress=progress, without_plan=left_out
                )
            echo(f"{counted(len(records), 'record')} of {counted(left_out.others, 'episode')} in {output}")
        left_out.tell()


@attrs.define
class _LeftOut:
    """The tasks of a suite that have no plan to be shown."""

    of: int
    """How many tasks there are."""
    lines: list[str] = attrs.Factory(list)

    @property
    def others(self) -> int:
        """How many tasks have a plan, as far as is known."""
        return self.of - len(self.lines)

    def __call__(self, error: NoPlanError) -> None:
        """Leave a task out; raises `DemonstrationError` with all reasons where it is the last one."""
        self.lines.append(f"{visible_line(error.task_id)}: {error.reason('--max-states')}")
        if not self.others:
            from multinet_eval.datasets.demonstrations import DemonstrationError

            raise DemonstrationError("\n  ".join(["there is no plan to be shown of any task:", *self.lines]))

    def tell(self) -> None:
        """Say on standard error which were left out and why; nothing if none was."""
        for line in self.lines:
            echo(f"left out {line}", err=True)
        if self.lines:
            echo(f"left out {len(self.lines)} of {counted(self.of, 'task')}", err=True)
