"""Recorded runs as Parquet files: the cells of the other formats, with types."""

import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.model_interface import ModelOutput
from multinet_eval.analysis.export import ExportError, episode_rows, export_run, step_rows
from multinet_eval.record.run_directory import RunDirectory
from support.runs import AnsweringModel, record_run
from support.thoroughness import bounded
from support.worlds import corridor

TASKS = [corridor("@.G", max_steps=4), corridor("@..G", max_steps=5)]


def exported(directory: RunDirectory, rows: str, path: Path) -> list[dict[str, Any]]:
    number = export_run(directory, path, "parquet", rows)
    read: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    assert len(read) == number
    return read


def test_a_file_holds_the_cells_of_the_rows_and_is_the_same_to_the_byte_each_time(tmp_path: Path) -> None:
    run = record_run(tmp_path / "run", TASKS, "FF", requests=4)
    for rows, expected in (("episodes", episode_rows(run)), ("steps", step_rows(run))):
        assert exported(run, rows, tmp_path / "first") == list(expected)
        exported(run, rows, tmp_path / "second")
        assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_empty_columns_have_types(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", TASKS, requests=0)
    for rows in ("episodes", "steps"):
        export_run(directory, tmp_path / "table", "parquet", rows)
        kinds = {str(kind) for kind in pyarrow.parquet.read_schema(tmp_path / "table").types}
        assert kinds == {"string", "int64", "double", "bool"}


@bounded(25)
@given(st.text(st.characters(codec=None), max_size=8) | st.text('",;\r\n\t\x00\x1b\u2028=@+-\ud800\\', max_size=8))
def test_any_text_of_a_model_comes_back(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = AnsweringModel(ModelOutput(6, reasoning=text, raw_output=text))
        directory = record_run(Path(folder, "run"), TASKS[:1], model, requests=1)
        (said,) = (row["raw_output"] for row in step_rows(directory))
        (row,) = exported(directory, "steps", Path(folder, "table"))
        assert row["reasoning"] == row["raw_output"] == said.encode("utf-8", "backslashreplace").decode("utf-8")


def test_what_cannot_be_written_or_held_is_refused(tmp_path: Path) -> None:
    directory = record_run(tmp_path / "run", TASKS[:1], seed=2**70)
    with pytest.raises(ExportError, match="Parquet cannot hold a value of the run"):
        export_run(directory, tmp_path / "table", "parquet")
    assert not (tmp_path / "table").exists()
    with pytest.raises(ExportError, match=r"cannot write .*nowhere"):
        export_run(directory, tmp_path / "nowhere" / "table", "parquet", "steps")
