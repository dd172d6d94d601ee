"""``multinet tasks verify``: proves the certificates of tasks anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gridworld.support.wording import counted
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins
from multinet_eval.cli.row_bars import with_progress_between
from multinet_eval.cli.tasks.common import TaskFile, Workers, finding_task_files

if TYPE_CHECKING:
    from gridworld.task_spec import TaskSpecification

__all__ = ["verify_tasks"]


def verify_tasks(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Task files, folders of them, or suites.")],
    workers: Workers = None,
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Prove certificates anew: play the plans, search for shorter ones, and draw the tasks again from their seeds.

    Tasks that were drawn together are proved together: that none is missing, what is equal in all of them, and what is
    not.

    Exit code 1 when anything is not as it says.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from multinet_eval.cli.tasks.spreading import spread

        results = []
        with finding_task_files(paths) as folders:
            files = [file for folder in folders for file in folder]
            with spread(_verify, _sets(files), workers) as verified:
                rows = (row for of_set in verified for row in of_set)
                for result in with_progress_between(rows, len(files), "verifying"):
                    results.append(result)
                    if not as_json:
                        _say(result)
        bad = sum(not result["ok"] for result in results)
        if as_json:
            echo_json(results)
        else:
            echo(f"{len(results) - bad} of {counted(len(results), 'task')} verified")
        if bad:
            raise typer.Exit(FAILED)


def _sets(files: Sequence[TaskFile]) -> list[list[TaskFile]]:
    """The files, with those of one folder whose tasks were drawn together in one list."""
    from gridworld.errors import TaskError
    from gridworld.generation.verifying import set_of

    found: dict[object, list[TaskFile]] = {}
    for file in files:
        try:
            task = _read(file)
            belonging = None if task is None else set_of(task)
        except (TaskError, OSError):  # of which its own row tells
            belonging = None
        found.setdefault((file.path.parent, belonging or file.path.name), []).append(file)
    return list(found.values())


def _read(file: TaskFile) -> TaskSpecification | None:
    """The task of a file; None for one in a folder that is not meant to be a task.

    Raises:
        TaskError: it holds no valid task.
        OSError: it cannot be read.
    """
    from gridworld.plugins import get_registry
    from gridworld.task.reading import is_task, load_json, read_task

    data = load_json(file.path)
    return None if file.listed and not is_task(data) else read_task(data, get_registry(), str(file.path)).task


def _verify(files: Sequence[TaskFile]) -> list[dict[str, Any]]:
    """What is to be said about files whose tasks were drawn together, or about a single one."""
    from gridworld.errors import TaskError
    from gridworld.generation.verifying import verify_together

    try:
        read = [(file.name, task) for file in files if (task := _read(file)) is not None]
        found = verify_together([task for _, task in read])
    except TaskError as error:
        return [_row(file.name, map(str, error.problems)) for file in files]
    except OSError as error:
        return [_row(file.name, [f"cannot be read: {error.strerror}"]) for file in files]
    whole = zip(read, found, strict=True)
    return [_row(name, map(str, result.problems), result.notes) for (name, _), result in whole]


def _row(file: str, problems: Iterable[str], notes: Iterable[str] = ()) -> dict[str, Any]:
    listed = list(problems)
    return {"file": file, "ok": not listed, "problems": listed, "notes": list(notes)}


def _say(result: dict[str, Any]) -> None:
    echo(f"{'ok' if result['ok'] else 'BAD':4s} {result['file']}")
    for line in (*result["problems"], *result["notes"]):
        echo(f"     {line}")
