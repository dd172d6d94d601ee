"""``multinet compare``, as a whole program."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from multinet_eval.record.run_directory import RunDirectory
from support.commands import invoke, run
from support.programs import Finished, assert_refused
from support.run_folders import RECORDED

MODELS = {"greedy": [], "optimal": [], "random": ["-M", "seed=1"]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of recorded runs of ``validation_10``, by model."""
    folder = tmp_path_factory.mktemp("runs")
    for model, options in MODELS.items():
        record(folder / model, "-m", model, *options)
    return folder


def record(directory: Path, *options: str | Path) -> None:
    result = invoke(["eval", *options, "-B", "tile_size=8", "--run-dir", directory, "-q"], **RECORDED)
    assert (result.exit_code, result.stderr) == (0, "")


def compare(runs: Path, *arguments: str | Path) -> Finished:
    """Compare runs, of which some are in the folder, in this process."""
    places = [runs / each if each in MODELS else each for each in arguments]
    result = invoke(["compare", *places], COLUMNS="250")
    return Finished(arguments, result.exit_code, result.stdout, result.stderr)


def rows_of(finished: Finished, title: str) -> list[list[str]]:
    """The cells of a table, without its heading."""
    _, _, table = finished.stdout.partition(f"{title}\n\n")
    return [line.split() for line in table.partition("\n\n")[0].splitlines()[1:]]


def test_each_run_is_compared_with_each(runs: Path) -> None:
    finished = run("multinet", "compare", *MODELS, cwd=runs)
    assert (finished.returncode, finished.stderr) == (0, "")
    suite = RunDirectory(runs / "greedy").manifest.suite_hash
    assert finished.stdout.splitlines()[0].split(maxsplit=1) == ["suite", f"validation_10 ({suite[:8]})"]
    assert [row[:6] for row in rows_of(finished, "Runs")] == [
        ["greedy", "greedy", "10", "10", "0", "0.100"],
        ["optimal", "optimal", "10", "10", "0", "1.000"],
        ["random", "random", "10", "10", "0", "0.000"],
    ]
    assert [row[:6] for row in rows_of(finished, "Differences")] == [
        ["greedy", "optimal", "10", "0", "9", "-0.900"],
        ["greedy", "random", "10", "1", "0", "+0.100"],
        ["optimal", "random", "10", "10", "0", "+1.000"],
    ]
    assert [row[2:6] for row in rows_of(finished, "Tests")] == [
        ["exact", "McNemar", "0.004", "0.008"],  # 2 / 2**9, twice
        ["exact", "McNemar", "1.000", "1.000"],
        ["exact", "McNemar", "0.002", "0.006"],  # 2 / 2**10, three times
    ]


def test_json_and_csv_have_the_same_figures(runs: Path) -> None:
    data = json.loads(compare(runs, *MODELS, "--json").stdout)
    assert (data["score"], data["varied"][0]) == ("success", "model.arguments")
    rows = list(csv.DictReader(io.StringIO(compare(runs, *MODELS, "--csv").stdout)))
    same = [{"by": "all", "group": "all", **row} for row in data["differences"]]
    same += [*data["where"], *data["mistakes"]]
    assert [row["by"] for row in rows[2:5]] == ["all", "mechanism", "mechanism"]
    for row, values in zip(rows, same, strict=True):
        assert {name: text for name, text in row.items() if text} == {
            name: str(value) for name, value in values.items() if value is not None
        }


def test_two_runs_have_a_sentence_and_a_table_of_where_they_differ(runs: Path) -> None:
    finished = compare(runs, "greedy", "optimal")
    lines = finished.stdout.splitlines()
    assert lines[4].startswith("optimal solves 90 percentage points more than greedy (95 % interval ")
    assert lines[-1].endswith("by both 1, only by greedy 0, only by optimal 9, by neither 0.")
    assert [row[:6] for row in rows_of(finished, "Where greedy (A) and optimal (B) differ")] == [
        ["mechanism", "doors", "+", "keys", "6", "0.000"],
        ["mechanism", "gates", "+", "switches", "4", "0.000"],
        ["tier", "3", "4", "0.000", "1.000", "-1.000"],
        ["tier", "2", "3", "0.000", "1.000", "-1.000"],
        ["tier", "1", "3", "0.333", "1.000", "-0.667"],
    ]


def test_several_runs_have_a_sentence_for_each_beside_the_first(runs: Path) -> None:
    shown = compare(runs, *MODELS).stdout
    assert "\noptimal solves 90 percentage points more than greedy" in shown
    assert "\nNo clear difference: random solves 10 percentage points fewer than greedy" in shown
    assert "Where " not in shown


def test_an_unfinished_run_is_said_to_be_one(runs: Path, tmp_path: Path) -> None:
    left = Path(shutil.copytree(runs / "optimal", tmp_path / "left"))
    for number in range(4, 10):
        (left / "episodes" / f"{number}.jsonl").unlink()
    finished = compare(runs, left, "greedy")
    assert finished.returncode == 0
    assert finished.stderr == "left is unfinished: 4 of 10 episodes have ended; it is compared by these\n"
    assert "left is unfinished, so this is over the 4 base mazes scored in both." in finished.stdout
    assert "If missing were lost / won" in finished.stdout
    assert rows_of(finished, "Differences")[0][2] == "4"


def test_a_run_of_nothing_can_be_compared_with_none(runs: Path, tmp_path: Path) -> None:
    empty = Path(shutil.copytree(runs / "optimal", tmp_path / "empty"))
    shutil.rmtree(empty / "episodes")
    (empty / "episodes").mkdir()
    finished = compare(runs, empty, "greedy")
    assert finished.returncode == 1
    assert "empty is unfinished: 0 of 10 episodes" in finished.stderr
    assert "no task is scored in two of the runs" in finished.stderr


def test_what_is_not_the_same_is_named_and_can_be_declared(runs: Path, tmp_path: Path) -> None:
    other = tmp_path / "text"
    record(other, "-m", "greedy", "--observation", "text", "--mission", "both")
    assert_refused(
        compare(runs, "greedy", other),
        "declare them as varied with --by mission --by presentation.observation:",
        "mission: goal and both",
        "presentation.observation: image and text",
    )
    assert_refused(compare(runs, "greedy", other, "--by", "mission"), "presentation.observation: image and text")
    assert_refused(compare(runs, "greedy", other, "--by", "misson"), "did you mean 'mission'?")
    finished = compare(runs, "greedy", other, "--by", "mission", "--by", "presentation.observation")
    assert finished.returncode == 0
    assert "varied  mission, presentation.observation" in finished.stdout


def test_variants_of_one_run_are_compared(runs: Path, tmp_path: Path) -> None:
    """One model wins in either order: the order of the chain does not disturb its plan."""
    record(tmp_path / "order", "-m", "optimal", "-b", "generated:order?count=2&size=9&seed=11")
    finished = compare(runs, tmp_path / "order", "--by", "variant")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert rows_of(finished, "Differences")[0][:6] == ["key_first", "switch_first", "2", "0", "0", "+0.000"]
    assert_refused(compare(runs, "greedy", "--by", "variant"), "at least two variants", "no task is one")
