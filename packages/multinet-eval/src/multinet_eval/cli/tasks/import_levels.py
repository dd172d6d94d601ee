"""``multinet tasks import``: make certified tasks of levels in other formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gridworld.errors import ArgumentError, TaskError
from gridworld.plugins import get_registry
from gridworld.solver.plans import DEFAULT_MAX_STATES
from gridworld.support.files import unique_file_names
from gridworld.support.wording import counted, visible_line
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED
from multinet_eval.cli.options import AsJson, Workers
from multinet_eval.cli.output_files import refuse_file_as_folder
from multinet_eval.cli.progress_bars import with_progress_between
from multinet_eval.cli.tasks.finding import MaxStates
from multinet_eval.support.output import writing_to

if TYPE_CHECKING:
    from gridworld.generation.certificate import Bounds
    from gridworld.generation.certified_levels import Uncertified
    from gridworld.generation.importer import Level

IMPORTED, UNREADABLE = "imported", "unreadable"


@command()
def import_levels(
    importer: str = typer.Argument(..., metavar="IMPORTER", help="Importer, such as minigrid, sokoban or ascii."),
    source: str = typer.Argument(..., metavar="SOURCE", help="Id, file or folder to import."),
    output: Path = typer.Option(
        ..., "--output", "-o", metavar="FOLDER", help="Folder for the task files; created if missing."
    ),
    seeds: str | None = typer.Option(None, help="Seeds, such as 0-99: short for -I seeds=0-99."),
    importer_arg: list[str] | None = typer.Option(
        None, "--importer-arg", "-I", metavar="KEY=VALUE", help="Argument of the importer. Repeatable."
    ),
    tilings: str = typer.Option("square", help="Tilings to certify on, such as square,hex."),
    max_states: MaxStates = DEFAULT_MAX_STATES,
    overwrite: bool = typer.Option(False, "--overwrite", help="Also replace files imported from another source."),
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Make certified tasks of levels in another format.

    Inexpressible, unsolvable, undecided and unreadable levels are not written but named with the reason. They do not
    stop the others. Exit code 1 if there is any, or no level at all.
    """
    from gridworld.generation.certificate import Bounds
    from gridworld.generation.certified_levels import origin_of, read_levels
    from multinet_eval.settings.plugin_objects import make_importer
    from multinet_eval.support.parallel import parallel_map

    chosen = [get_registry().tilings.get(name.strip()).name for name in tilings.split(",")]
    arguments = [*(importer_arg or []), *([] if seeds is None else [f"seeds={seeds}"])]
    levels = list(read_levels(importer, make_importer(importer, arguments), source))
    origin = origin_of(importer, source)
    files = _choose_files(levels, output)
    if not overwrite:
        _refuse_foreign_files(files.values(), origin)
    attempt = partial(_attempt, origin=origin, tilings=chosen, bounds=Bounds(max_states=max_states))
    outcomes = []
    with parallel_map(attempt, levels, workers) as attempted:
        for result in with_progress_between(attempted, len(levels), "certifying"):
            outcome = _keep(result, files)
            outcomes.append(outcome)
            if not as_json and outcome["outcome"] != IMPORTED:
                reason = f"{visible_line(outcome['level'])}: {visible_line(outcome['detail'])}"
                echo(f"{outcome['outcome']}: {reason}", err=True)
    counts = Counter(outcome["outcome"] for outcome in outcomes)
    if as_json:
        echo_json({"levels": outcomes, "counts": dict(sorted(counts.items()))})
    else:
        echo(_summary(counts, output))
    if set(counts) != {IMPORTED}:
        raise typer.Exit(FAILED)


def _choose_files(levels: Iterable[Level], folder: Path) -> dict[str, Path]:
    """Map the id of each task to its target file.

    Raises:
        ArgumentError: the folder is a file, or two tasks have one id.
    """
    from gridworld.task_spec import TaskSpecification

    refuse_file_as_folder(folder)
    ids = [level.task_id for level in levels if isinstance(level, TaskSpecification)]
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise ArgumentError(f"several levels have the id '{repeated[0]}'; give the tasks of a folder different ids")
    return {name: folder / f"{file}.json" for name, file in zip(ids, unique_file_names(ids), strict=True)}


def _refuse_foreign_files(files: Iterable[Path], origin: Mapping[str, Any]) -> None:
    """Raise ArgumentError if a file to replace was not imported from the same source."""
    for file in files:
        if file.exists() and not _comes_from(file, origin):
            raise ArgumentError(
                f"{file} exists, and was not imported from {origin['source']}: choose another folder, or replace it "
                "with --overwrite"
            )


def _comes_from(file: Path, origin: Mapping[str, Any]) -> bool:
    from gridworld.task.reading import read_task_file

    try:
        former = read_task_file(file, get_registry()).task.metadata.get("importer")
    except (OSError, TaskError):
        return False
    same = ("name", "source")
    return isinstance(former, Mapping) and all(former.get(key) == origin[key] for key in same)


def _attempt(level: Level, origin: Mapping[str, Any], tilings: list[str], bounds: Bounds) -> Level | Uncertified:
    from gridworld.generation.certified_levels import certify
    from gridworld.task_spec import TaskSpecification

    return certify(level, origin, tilings, bounds) if isinstance(level, TaskSpecification) else level


def _keep(result: Level | Uncertified, files: Mapping[str, Path]) -> dict[str, Any]:
    """Write a certified task, and return the outcome of its level."""
    from gridworld.generation.certified_levels import Uncertified
    from gridworld.generation.importer import Inexpressible, Unreadable
    from gridworld.task.writing import task_to_json

    if isinstance(result, Unreadable):
        return {"level": result.file, "outcome": UNREADABLE, "detail": result.reason}
    if isinstance(result, Inexpressible):
        return {"level": result.level, "outcome": "inexpressible", "detail": result.reason}
    if isinstance(result, Uncertified):
        return {"level": result.level, "outcome": result.reason, "detail": result.detail}
    file = files[result.task_id]
    with writing_to(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        task_to_json(result, file)
    lengths = result.metadata["certificate"]["optimal_length"]
    return {"level": result.task_id, "outcome": IMPORTED, "file": str(file), "optimal_length": lengths}


def _summary(counts: Counter[str], output: Path) -> str:
    others = [f"{count} {outcome}" for outcome, count in sorted(counts.items()) if outcome != IMPORTED]
    summary = f"{counts[IMPORTED]} of {counted(counts.total(), 'level')} imported into {output}"
    return summary + (f" ({', '.join(others)})" if others else "")
