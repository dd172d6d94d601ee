"""``multinet calibrate``: a common scale of models and tasks, fitted to recorded runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridworld.support.wording import counted
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.options import AsJson, MaxMetricStates, RunFolders, VariedBy, refuse_experiments
from multinet_eval.cli.table import Cell, Column, numeric, print_facts, print_table
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS

if TYPE_CHECKING:
    from multinet_eval.analysis.calibration import Calibration
    from multinet_eval.analysis.difficulty_prediction import DifficultyPrediction


@command(plugins="loaded")
def calibrate(
    runs: RunFolders,
    by: VariedBy = None,
    max_table_states: MaxMetricStates = MAX_STATES_OF_METRICS,
    as_json: AsJson = False,
) -> None:
    r"""Estimate abilities of models and difficulties of tasks on one scale, with a Rasch model of all runs.

    Also shows which tasks separate models, which all or none of them solve, and how well static dimensions predict
    difficulty. Runs may be of several suites; with --by, each condition of a model counts as a model. With 30 models or
    base mazes it needs pip install 'multinet-eval\[stats]'.
    """
    from multinet_eval.analysis.calibration import calibrate_runs
    from multinet_eval.analysis.difficulty_prediction import predict_difficulties
    from multinet_eval.analysis.recorded_run import read

    refuse_experiments(runs, "calibrate", ["suite"])
    recorded = [read(path) for path in runs]
    found = calibrate_runs(recorded, by or ())
    predicted = predict_difficulties(found, recorded, max_table_states)
    if as_json:
        echo_json({**found.to_dict(), "prediction": predicted.to_dict()})
    else:
        _print(found)
        _print_prediction(predicted)


def _print(found: Calibration) -> None:
    from multinet_eval.statistics.item_response import LEAST_COVERED, LEAST_MODELS, SCALES

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
        *([numeric("Discrimination")] if found.discriminations is not None else []),
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
            "discriminations": f"need {LEAST_MODELS} models, there are {models_given}"
            if found.discriminations is None
            else "of a two-parameter model",
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


def _print_prediction(found: DifficultyPrediction) -> None:
    if found.fit is None:
        echo(f"difficulty is not predicted: {found.refusal}")
        return
    columns = [Column("Dimension"), numeric("Logits by standard deviation")]
    cells: list[list[Cell]] = [
        [row["dimension"], "does not vary" if row["coefficient"] is None else f"{row['coefficient']:+.2f}"]
        for row in sorted(found.table(), key=lambda row: -abs(row["coefficient"] or 0.0))
    ]
    print_table(columns, cells, "What makes tasks difficult")
    print_facts(
        {
            "predicted for other mazes": f"{found.fit.predicted_share:.0%} of the variance",
            "by": f"{found.tasks} tasks of {found.mazes} base mazes",
            "left out": f"{found.unknown} of which a dimension is not known",
        }
    )


def _task_cells(row: dict[str, Any]) -> list[Cell]:
    return [
        row["task_id"],
        row["tiling"] or "-",
        str(row["episodes"]),
        _share(row["success"]),
        *_place(row, "difficulty"),
        row["solved_by"],
        f"{row['information']:.2f}",
        *_sharpness(row),
    ]


def _sharpness(row: dict[str, Any]) -> list[Cell]:
    if row["discrimination"] is None:
        return []
    low, high = row["discrimination_low"], row["discrimination_high"]
    return [f"{row['discrimination']:.2f} ({low:.2f} to {high:.2f})"]


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"


def _scatter(scatters: dict[str, Any], name: str) -> str:
    if scatters[name] is None:
        return "not known without repetitions"
    return f"{scatters[name]:.2f} logits ({scatters[f'{name}_low']:.2f} to {scatters[f'{name}_high']:.2f})"


def _place(row: dict[str, Any], name: str) -> list[Cell]:
    return [f"{row[name]:+.2f}", f"{row[f'{name}_low']:+.2f} to {row[f'{name}_high']:+.2f}"]
