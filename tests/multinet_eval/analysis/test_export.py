"""Recorded runs as tables: each format holds the same cells, whatever texts are in them."""

import csv
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerOutcome, ModelOutput, Usage
from multinet_eval.analysis.export import (
    EPISODE_COLUMNS,
    STEP_COLUMNS,
    ExportError,
    episode_rows,
    export_run,
    step_rows,
)
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.support.output import FORMULA
from support.runs import AnsweringModel, add_line, record_run
from support.worlds import corridor

TASKS = [corridor("@.G", max_steps=4), corridor("@..G", max_steps=5)]
FORMATS = ("csv", "jsonl")
"""Parquet is in `tests/libraries`."""
ROWS = ("episodes", "steps")


def exported(directory: RunDirectory, form: str, rows: str, folder: Path) -> list[dict[str, Any]]:
    """Read the file of an export; a cell of a CSV file is a text."""
    path = folder / f"table.{form}"
    number = export_run(directory, path, form, rows)
    read = READERS[form](path)
    assert len(read) == number
    return read


def read_csv(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").split("\n")[:-1]]


READERS: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
    "csv": read_csv,
    "jsonl": read_jsonl,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    """Two epochs of two tasks, left in the third episode."""
    answers = ["F", AnswerOutcome.REFUSED, "F", ModelOutput(2, 0.25, 'A reason,\n"quoted"', "raw", Usage(9, 3, 0.5))]
    path = tmp_path_factory.mktemp("runs") / "run"
    return record_run(path, TASKS, AnsweringModel(*answers), epochs=2, requests=10)


def test_rows_have_ordered_columns_and_typed_cells(run: RunDirectory) -> None:
    for columns, rows in ((EPISODE_COLUMNS, episode_rows(run)), (STEP_COLUMNS, step_rows(run))):
        for row in rows:
            assert list(row) == list(columns)
            wrong = [name for name, cell in row.items() if cell is not None and type(cell) is not columns[name]]
            assert wrong == []


def test_each_planned_episode_has_a_row_with_its_result(run: RunDirectory) -> None:
    rows = list(episode_rows(run))
    assert [(row["episode"], row["epoch"], row["attempts"], row["finished"], row["end"]) for row in rows] == [
        (0, 0, 1, True, "goal"),
        (1, 0, 1, True, "budget"),
        (2, 1, 1, False, None),
        (3, 1, 0, False, None),
    ]
    assert [(row["success"], row["steps_taken"], row["lost_steps"]) for row in rows] == [
        (True, 3, 1),
        (False, 5, 0),
        (None, None, None),
        (None, None, None),
    ]
    assert rows[0]["answers_refused"] == 1
    assert (rows[1]["prompt_tokens"], rows[1]["completion_tokens"], rows[1]["seconds"]) == (9, 3, 0.5)
    assert {(row["run"], row["suite"], row["backend"], row["tiling"]) for row in rows} == {
        ("run", "small", "minigrid", "square")
    }


def test_there_is_a_row_for_each_step_that_was_taken_or_lost(run: RunDirectory) -> None:
    rows = list(step_rows(run))
    assert [(row["episode"], row["step"]) for row in rows] == [
        *((0, step) for step in (1, 2, 3)),
        *((1, step) for step in (1, 2, 3, 4, 5)),
        *((2, step) for step in (1, 2)),
    ]
    assert [(row["kind"], row["action_name"], row["outcome"]) for row in rows[:3]] == [
        ("action", "move_forward", "ok"),
        ("lost", None, "refused"),
        ("action", "move_forward", "ok"),
    ]
    assert (rows[3]["confidence"], rows[3]["reasoning"], rows[3]["raw_output"]) == (0.25, 'A reason,\n"quoted"', "raw")


@pytest.mark.parametrize("rows", ROWS)
def test_every_format_holds_the_same_cells(rows: str, run: RunDirectory, tmp_path: Path) -> None:
    plain = exported(run, "jsonl", rows, tmp_path)
    assert plain == list(episode_rows(run) if rows == "episodes" else step_rows(run))
    texts = [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in plain]
    assert exported(run, "csv", rows, tmp_path) == texts


HOSTILE = st.text(st.characters(codec=None), max_size=8) | st.text('",;\r\n\t\x00\x1b\u2028=@+-\ud800\\', max_size=8)


@given(HOSTILE)
def test_any_text_of_a_model_comes_back_from_every_format(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = AnsweringModel(ModelOutput(6, reasoning=text, raw_output=text))
        directory = record_run(Path(folder, "run"), TASKS[:1], model, requests=1)
        (said,) = (row["raw_output"] for row in step_rows(directory))
        marked = f"'{said}" if FORMULA.match(said) else said
        encodable = marked.encode("utf-8", "backslashreplace").decode("utf-8")
        for form, expected in (("jsonl", said), ("csv", encodable)):
            (row,) = exported(directory, form, "steps", Path(folder))
            assert (row["reasoning"], row["raw_output"]) == (expected, expected)


@pytest.mark.parametrize("form", FORMATS)
def test_an_unreadable_run_leaves_an_earlier_export(form: str, tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", TASKS)
    add_line(directory.path / "episodes" / "1.jsonl", "garbage")
    target = tmp_path / "folder" / "table"
    target.parent.mkdir()
    target.write_text("earlier", encoding="utf-8")
    with pytest.raises(RunError, match=r"1\.jsonl, line"):
        export_run(directory, target, form)
    assert target.read_text(encoding="utf-8") == "earlier"
    assert [each.name for each in target.parent.iterdir()] == ["table"]


def test_a_file_that_cannot_be_written_is_named(run: RunDirectory, tmp_path: Path) -> None:
    for form in FORMATS:
        with pytest.raises(ExportError, match=r"cannot write .*nowhere"):
            export_run(run, tmp_path / "nowhere" / "table", form)


def test_a_missing_parquet_library_is_named(run: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match=r"pip install 'multinet-eval\[export\]'"):
        export_run(run, tmp_path / "table", "parquet")
    assert export_run(run, tmp_path / "table", "csv") == 4


def test_unknown_formats_and_rows_are_refused_with_choices(run: RunDirectory, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="format: expected one of csv, jsonl, parquet, got 'xls'"):
        export_run(run, tmp_path / "table", "xls")
    with pytest.raises(ArgumentError, match="rows: expected one of episodes, steps, mistakes, got 'runs'"):
        export_run(run, tmp_path / "table", "csv", "runs")
