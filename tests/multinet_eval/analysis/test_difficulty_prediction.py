"""How much of what models find difficult the static dimensions of tasks predict."""

import json
from functools import cache
from pathlib import Path

import attrs

from gridworld.solver import measure_difficulty
from gridworld.task_spec import TaskSpecification
from multinet_eval import read
from multinet_eval.analysis.calibration import calibrate_runs
from multinet_eval.analysis.difficulty_prediction import DIMENSIONS, LEAST_MAZES, predict_difficulties
from multinet_eval.analysis.recorded_run import RecordedRun
from support.runs import record_run
from support.worlds import compiled, corridor


def long_corridor(number: int) -> TaskSpecification:
    """A corridor of 1 to 8 actions."""
    return attrs.evolve(corridor(f"@{'.' * (number % 8)}G", max_steps=8), task_id=f"corridor {number}")


MAZES = [long_corridor(number) for number in range(LEAST_MAZES)]


@cache
def length_of(task: TaskSpecification) -> int:
    """The length of its shortest plan."""
    length = measure_difficulty(compiled(task)).optimal_length
    assert length is not None
    return length


def runs_of(folder: Path, tasks: list[TaskSpecification], reaches: tuple[int, ...] = (2, 4, 6)) -> list[RecordedRun]:
    """Runs of models that walk so many cells, and then wait."""
    found = []
    for reach in reaches:
        letters = ""
        for task in tasks:
            length = length_of(task)
            letters += "F" * length if length <= reach else "F" * reach + "W" * (task.max_steps - reach)
        arguments = (f"seed={reach}",)
        path = record_run(folder / str(reach), tasks, letters, model_arguments=arguments).path
        found.append(read(path))
    return found


def test_of_models_that_walk_so_far_the_length_predicts_what_is_difficult(tmp_path: Path) -> None:
    runs = runs_of(tmp_path, MAZES)
    predicted = predict_difficulties(calibrate_runs(runs), runs)
    rows = {row["dimension"]: row["coefficient"] for row in predicted.table()}
    assert list(rows) == list(DIMENSIONS)
    assert {name for name, value in rows.items() if value is not None} == {"optimal_length", "states_searched", "size"}
    assert rows["optimal_length"] > 0
    assert predicted.fit is not None
    assert 0.8 < predicted.fit.predicted_share <= 1
    assert (predicted.tasks, predicted.mazes, predicted.unknown, predicted.refusal) == (30, 30, 0, None)
    assert json.loads(json.dumps(predicted.to_dict())) == predicted.to_dict()


def test_with_too_few_mazes_there_are_no_numbers_however_many_variants_there_are(tmp_path: Path) -> None:
    variants = [attrs.evolve(task, metadata={"base_id": task.task_id[:10]}) for task in MAZES]
    runs = runs_of(tmp_path, variants, (2, 6))
    predicted = predict_difficulties(calibrate_runs(runs), runs)
    assert predicted.fit is None
    assert predicted.refusal == "10 base mazes; 30 are needed for 12 dimensions"
    assert (predicted.table(), predicted.to_dict()["predicted_share"]) == ([], None)


def test_tasks_of_which_a_dimension_is_not_known_are_left_out_and_counted(tmp_path: Path) -> None:
    runs = runs_of(tmp_path, MAZES, (2, 6))
    predicted = predict_difficulties(calibrate_runs(runs), runs, max_table_states=20)
    assert predicted.fit is None
    assert predicted.unknown > 0
    assert predicted.mazes + predicted.unknown == 30
    assert f"beside {predicted.unknown} tasks of which a dimension is not known" in str(predicted.refusal)


def test_where_all_tasks_are_equally_difficult_there_is_nothing_to_predict(tmp_path: Path) -> None:
    tasks = [attrs.evolve(corridor("@.G", max_steps=3), task_id=f"same {number}") for number in range(LEAST_MAZES)]
    runs = runs_of(tmp_path, tasks, (1, 2))
    predicted = predict_difficulties(calibrate_runs(runs), runs)
    assert predicted.refusal == "all tasks are equally difficult"
    assert predicted.fit is None


def test_tasks_are_measured_on_the_tiling_on_which_they_were_played(tmp_path: Path) -> None:
    settings = {"tilings": ("hex",), "backend_arguments": ()}
    runs = []
    for name, letters in (("good", "F" * 400), ("bad", "")):
        arguments = (f"seed={len(name)}",)
        path = record_run(tmp_path / name, MAZES, letters, model_arguments=arguments, **settings).path
        runs.append(read(path))
    predicted = predict_difficulties(calibrate_runs(runs), runs)
    assert predicted.tasks == 30
