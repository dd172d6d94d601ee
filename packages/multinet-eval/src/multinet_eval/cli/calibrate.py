"""``multinet calibrate``: a common scale of models and tasks, fitted to recorded runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import AsJson, RunFolders, VariedBy, refuse_experiments
from multinet_eval.cli.table import Cell, Column, numeric, print_facts, print_table

if TYPE_CHECKING:
    from multinet_eval.analysis.calibration import Calibration


@command()
def calibrate(
    runs: RunFolders,
    by: VariedBy = None,
    as_json: AsJson = False,
) -> None:
    """Fit a Rasch model of all runs.

    Puts abilities of models and difficulties of tasks on one scale. Also shows which tasks separate models, and
    which all or none of them solve. Runs may be of several suites; with --by, each condition of a model counts as a
    model.
    """
    from multinet_eval.analysis.calibration import calibrate_runs
    from multinet_eval.analysis.recorded_run import read

    refuse_experiments(runs, "calibrate", ["suite"])
    found = calibrate_runs([read(path) for path in runs], by or ())
    if as_json:
        echo_json(found.to_dict())
    else:
        _print(found)


def _print(found: Calibration) -> None:
    from multinet_eval.statistics.item_response import LEAST_COVERED, SCALES

    models = [
        Column("Model"),
        numeric("Episodes", 2),
        numeric("Success", 1),
        numeric("Ability"),
        numeric("95 % interval"),
    ]
    tasks = [
        Column("Task"),
        Column("Tiling", 3),
        numeric("Episodes", 4),
        numeric("Success", 1),
        numeric("Difficulty"),
        numeric("95 % interval"),
        Column("Solved by", 2),
        numeric("Information", 5),
    ]
    print_table(
        models,
        [
            [row["entry"], str(row["episodes"]), _share(row["success"]), *_place(row, "ability")]
            for row in found.model_table()
        ],
        "Models",
    )
    print_table(tasks, [_task_cells(row) for row in found.task_table()], "Tasks")
    scatters = found.scatters()
    models_given = len(found.entries)
    print_facts(
        {
            "scatter of models": _scatter(scatters, "ability_sd"),
            "of tasks": _scatter(scatters, "task_sd"),
            "of models at single tasks": _scatter(scatters, "interaction_sd"),
            "prior on that of models": f"half-normal, scale {SCALES[0]:g}; abilities move by up to "
            + ", ".join(f"{by:.2f} with {scale:g}" for scale, by in found.fit.moved.items()),
            **(
                {"intervals": f"checked for {LEAST_COVERED} models or more; of {models_given} they may be too short"}
                if models_given < LEAST_COVERED
                else {}
            ),
            **(
                {"mazes": f"{len(found.items)} tasks are of {counted(found.mazes, 'maze')} and count as independent"}
                if found.mazes < len(found.items)
                else {}
            ),
        }
    )
    echo()


def _task_cells(row: dict[str, Any]) -> list[Cell]:
    return [
        row["task_id"],
        row["tiling"] or "-",
        str(row["episodes"]),
        _share(row["success"]),
        *_place(row, "difficulty"),
        row["solved_by"],
        f"{row['information']:.2f}",
    ]


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"


def _scatter(scatters: dict[str, Any], name: str) -> str:
    if scatters[name] is None:
        return "not known without repetitions"
    low, high = scatters[f"{name}_interval_low"], scatters[f"{name}_interval_high"]
    return f"{scatters[name]:.2f} logits ({low:.2f} to {high:.2f})"


def _place(row: dict[str, Any], name: str) -> list[Cell]:
    low, high = row[f"{name}_interval_low"], row[f"{name}_interval_high"]
    return [f"{row[name]:+z.2f}", f"{low:+z.2f} to {high:+z.2f}"]
