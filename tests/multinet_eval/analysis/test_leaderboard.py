"""Models are ranked by their recorded runs, on the whole and part by part."""

import csv
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import ArgumentError, GridworldError, PluginFault, UnknownNameError
from gridworld.hookspecs import MetricInfo
from gridworld.model_interface import ModelOutput, Usage
from gridworld.plugins import get_registry, using_registry
from gridworld.runner.presentation import Presentation
from gridworld.task_spec import TaskSpecification
from multinet_eval import read
from multinet_eval.analysis.calibration import calibrate_runs
from multinet_eval.analysis.leaderboard import make_leaderboard
from multinet_eval.analysis.leaderboard_output import cells_of, headings_of, write_leaderboard
from multinet_eval.analysis.metrics.aggregation import SCORE
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.metric_type import metric
from multinet_eval.analysis.recorded_run import RecordedRun
from multinet_eval.analysis.run_comparison import compare_runs
from multinet_eval.analysis.shared_conditions import NotComparable
from support.plugins import with_item
from support.runs import AnsweringModel, record_run
from support.worlds import LETTERS, corridor, door, key

FORWARD, LEFT = "F" * 400, "L" * 400
Row = dict[str, Any]


def task(number: int, tier: int = 1, **metadata: str) -> TaskSpecification:
    plain = corridor("@.G", max_steps=3)
    return attrs.evolve(plain, task_id=f"task {number}", difficulty_tier=tier, metadata=metadata)


LOCKED = attrs.evolve(corridor("@kD.G", max_steps=6, k=key("red"), D=door("red")), task_id="locked", difficulty_tier=3)
MANY = [task(number) for number in range(12)]
MIXED = [task(0), task(1, tier=2), LOCKED]


class Named(AnsweringModel):
    """Plays letters under a name of its own."""

    def __init__(self, name: str, letters: str) -> None:
        super().__init__(*letters)
        self._own_name = name

    @property
    def model_name(self) -> str:
        return self._own_name


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., RecordedRun]:
    """Records a run by a model that plays letters, one after another, and then waits."""

    def record(
        model: str, letters: str, tasks: Iterable[TaskSpecification] = MANY, folder: str = "", **settings: Any
    ) -> RecordedRun:
        path = tmp_path / (folder or model)
        return read(record_run(path, tasks, Named(model, letters), **settings).path)

    return record


def rows_of(table: Iterable[Row], axis: str = "all") -> list[Row]:
    return [row for row in table if row["axis"] == axis]


def standing(rows: Iterable[Row]) -> list[tuple[str, int, int]]:
    """Who has which ranks, in order."""
    return [(row["entry"], row["rank_first"], row["rank_last"]) for row in rows]


def test_models_are_ranked_by_what_the_paired_tests_find(recorded: Callable[..., RecordedRun]) -> None:
    runs = [recorded("bad", LEFT), recorded("good", FORWARD), recorded("fair", "FF" * 11)]
    found = make_leaderboard(runs)
    assert standing(found.table()) == [("good", 1, 2), ("fair", 1, 2), ("bad", 3, 3)]
    first = found.table()[0]
    assert (first["success"], first["spl"], first["mazes"], first["missing"]) == (1, 1, 12, 0)
    assert (first["success_interval_low"], first["success_interval_high"]) == pytest.approx((0.7743, 1), abs=1e-4)
    (pair,) = (row for row in found.pair_table() if {row["first"], row["second"]} == {"good", "bad"})
    assert (pair["difference"], pair["test"], pair["adjusted_p_value"]) == (-1, "exact McNemar", 3 * 2 / 2**12)


def test_of_how_many_mazes_an_spl_is_the_mean_is_told_where_that_is_not_all(
    recorded: Callable[..., RecordedRun],
) -> None:
    """One of the tasks has no plan."""
    open_ones = make_leaderboard([recorded("good", FORWARD)])
    assert "Mazes of SPL" not in headings_of(open_ones)
    assert open_ones.table()[0]["spl_mazes"] == open_ones.table()[0]["mazes"]
    walled = attrs.evolve(corridor("@.#..G", max_steps=2), task_id="walled")
    found = make_leaderboard([recorded("good", FORWARD, [*MANY, walled], folder="walled")])
    row, told = found.table()[0], dict(zip(headings_of(found), cells_of(found, found.standings[0]), strict=True))
    assert (row["spl_mazes"], row["mazes"]) == (len(MANY), len(MANY) + 1)
    assert (told["Mazes of SPL"], told["Mazes"]) == (str(len(MANY)), str(len(MANY) + 1))


def test_models_can_be_ranked_by_any_metric_with_values_from_0_to_1_with_its_weights(
    recorded: Callable[..., RecordedRun], tmp_path: Path
) -> None:
    """Of two models that win everything one takes a third more steps; both need no more than the tasks tell."""
    file = tmp_path / "own.toml"
    file.write_text("[composite.efficiency]\nsteps = 1\n", encoding="utf-8")
    runs = [recorded("detour", "WFF" * 12), recorded("straight", FORWARD)]
    found = make_leaderboard(runs, score="composite", weights=file)
    rows = rows_of(found.table())
    assert standing(rows) == [("straight", 1, 1), ("detour", 2, 2)]
    assert [row["composite"] for row in rows] == [1, pytest.approx(2 / 3)]
    assert [row["success"] for row in rows] == [1, 1]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert found.to_dict()["weights"] == {"file": "own.toml", "sha256": digest}
    write_leaderboard(found, tmp_path / "board")
    page = (tmp_path / "board" / "leaderboard.md").read_text(encoding="utf-8")
    assert digest in page
    assert "| composite | 95 % of composite |" in page
    compared = compare_runs(runs, score="composite", weights=file)
    assert compared.difference_table()[0]["difference"] == pytest.approx(-1 / 3)
    assert compared.to_dict()["weights"] == found.to_dict()["weights"]


@pytest.mark.parametrize(
    ("score", "complaint"),
    [
        ("composit", r"unknown metric 'composit' \(did you mean 'composite'\?\)"),
        (
            "regret_total",
            "metric 'regret_total' is not a score: expected success or spl, or a metric of rates, or of scores",
        ),
        ("ended", "metric 'ended' is not a score"),
    ],
)
def test_what_is_no_score_is_refused(score: str, complaint: str, recorded: Callable[..., RecordedRun]) -> None:
    with pytest.raises(GridworldError, match=complaint):
        make_leaderboard([recorded("good", FORWARD)], score=score)


@metric(SCORE)
def failing(episode: EpisodeAnalysis) -> float:
    """Fails."""
    raise LookupError("out of numbers")


def test_nothing_is_ranked_by_a_metric_that_fails(recorded: Callable[..., RecordedRun]) -> None:
    info = MetricInfo("failing", "Fails.", f"{__name__}:failing")
    with (
        using_registry(with_item(get_registry(), "metric", info)),
        pytest.raises(PluginFault, match=r"metric 'failing' .*out of numbers"),
    ):
        make_leaderboard([recorded("good", FORWARD)], score="failing")


def test_parts_are_ranked_by_themselves(recorded: Callable[..., RecordedRun]) -> None:
    good, bad = recorded("good", "FFFFPFTFFF", MIXED), recorded("bad", "FF" + LEFT, MIXED)
    table = make_leaderboard([good, bad]).table()
    assert [(row["part"], row["entry"], row["success"]) for row in rows_of(table, "tier")] == [
        ("1", "bad", 1),
        ("1", "good", 1),
        ("2", "good", 1),
        ("2", "bad", 0),
        ("3", "good", 1),
        ("3", "bad", 0),
    ]
    assert {(row["part"], row["mazes"]) for row in rows_of(table, "mechanism")} == {
        ("doors", 1),
        ("keys", 1),
        ("none", 2),
    }
    assert rows_of(table, "tiling") == rows_of(table, "condition") == []


def test_tilings_are_parts_where_there_are_several(recorded: Callable[..., RecordedRun]) -> None:
    settings = {"tilings": ("square", "hex"), "compares_tilings": True, "backend_arguments": ()}
    table = make_leaderboard([recorded("good", FORWARD, MIXED[:2], **settings)]).table()
    assert [(row["part"], row["mazes"], row["episodes"]) for row in rows_of(table, "tiling")] == [
        ("hex", 2, 2),
        ("square", 2, 2),
    ]
    assert rows_of(table)[0]["mazes"] == 2


def test_each_condition_has_entries_and_a_part_of_its_own(recorded: Callable[..., RecordedRun]) -> None:
    text = {"presentation": Presentation("text")}
    runs = [
        recorded("a", FORWARD),
        recorded("b", LEFT),
        recorded("a", LEFT, folder="a text", **text),
        recorded("b", FORWARD, folder="b text", **text),
    ]
    with pytest.raises(NotComparable, match=r"--by presentation\.observation:"):
        make_leaderboard(runs)
    found = make_leaderboard(runs, ["presentation"])
    condition = "presentation.observation"
    assert standing(found.table())[:2] == [("a (observation=image)", 1, 2), ("b (observation=text)", 1, 2)]
    assert [(row["part"], row["model"], row["rank_first"]) for row in rows_of(found.table(), "condition")] == [
        (f"{condition}=image", "a", 1),
        (f"{condition}=image", "b", 2),
        (f"{condition}=text", "b", 1),
        (f"{condition}=text", "a", 2),
    ]
    assert rows_of(found.table())[0]["conditions"] == f"{condition}=image"


def test_runs_of_one_model_are_repetitions_of_each_other(recorded: Callable[..., RecordedRun]) -> None:
    """The best of several counts no more than the others, and the mazes stay as many as they are."""
    runs = [recorded("lucky", FORWARD), recorded("lucky", LEFT, folder="unlucky"), recorded("fair", "FF" * 9)]
    found = make_leaderboard(runs)
    rows = {row["entry"]: row for row in rows_of(found.table())}
    assert {name: (row["runs"], row["success"], row["mazes"]) for name, row in rows.items()} == {
        "lucky": (2, 0.5, 12),
        "fair": (1, 0.75, 12),
    }
    assert rows["lucky"]["episodes"] == 24


def test_models_of_one_name_are_told_apart_by_their_arguments(recorded: Callable[..., RecordedRun]) -> None:
    runs = [recorded("m", FORWARD, folder=seed, model_arguments=(f"seed={seed}",)) for seed in "12"]
    assert [each.name for each in make_leaderboard(runs).entries] == [
        "m (seed=1)",
        "m (seed=2)",
    ]


def test_no_two_entries_are_called_alike(recorded: Callable[..., RecordedRun]) -> None:
    """Where arguments put together read the same, they are told in full."""
    together, apart = ("a=1, b=2",), ("a=1", "b=2")
    runs = [recorded("m", FORWARD, folder=str(n), model_arguments=each) for n, each in enumerate((together, apart))]
    assert [each.name for each in make_leaderboard(runs).entries] == [
        "m (model.arguments=['a=1, b=2'])",
        "m (model.arguments=['a=1', 'b=2'])",
    ]


# --- Degenerate cases -----------------------------------------------------------------------------------------------


def test_what_cannot_be_ranked_is_refused(recorded: Callable[..., RecordedRun]) -> None:
    run = recorded("a", FORWARD)
    with pytest.raises(ArgumentError, match="at least 1 run"):
        make_leaderboard([])
    with pytest.raises(ArgumentError, match="is given 2 times"):
        make_leaderboard([run, run])
    with pytest.raises(UnknownNameError, match="unknown metric 'succes'"):
        make_leaderboard([run], score="succes")
    with pytest.raises(NotComparable, match="suite: "):
        make_leaderboard([run, recorded("b", FORWARD, MANY[:3])])


# --- Files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("analyse", [make_leaderboard, calibrate_runs])
def test_a_copy_of_a_run_is_no_repetition(analyse: Callable[[list[RecordedRun]], object], tmp_path: Path) -> None:
    answers = [ModelOutput(LETTERS["F"], usage=Usage(seconds=number / 7)) for number in range(1, 40)]
    original = record_run(tmp_path / "run", MIXED, AnsweringModel(*answers)).path
    copy = Path(shutil.copytree(original, tmp_path / "copy"))
    with pytest.raises(ArgumentError, match=r"copy is a copy of .*run: .* took the same times, to the last digit"):
        analyse([read(original), read(copy)])


def test_the_files_have_the_same_figures_and_are_the_same_each_time(
    recorded: Callable[..., RecordedRun], tmp_path: Path
) -> None:
    runs = [recorded("a|b", FORWARD, MIXED), recorded("bad", LEFT, MIXED)]
    found = make_leaderboard(runs, score="spl")
    files = {path.name: path.read_bytes() for path in write_leaderboard(found, tmp_path / "new" / "board")}
    assert sorted(files) == ["leaderboard.csv", "leaderboard.json", "leaderboard.md"]
    data = json.loads(files["leaderboard.json"])
    rows = list(csv.DictReader(files["leaderboard.csv"].decode("utf-8").splitlines()))
    assert [{name: "" if each is None else str(each) for name, each in row.items()} for row in data["table"]] == rows
    assert (data["score"], len(data["pairs"])) == ("spl", 1 + 3 + 3)
    suite = runs[0].manifest.suite_hash
    assert {(row["suite"], row["suite_hash"]) for row in [*rows, *data["entries"]]} == {("small", suite)}
    assert f"Ranked by spl on small ({suite[:8]})." in files["leaderboard.md"].decode("utf-8")
    assert (data["suite"], data["suite_hash"]) == ("small", suite)
    assert "| all | 1 to 2 | a\\|b | 0.667 |" in files["leaderboard.md"].decode("utf-8")
    write_leaderboard(found, tmp_path / "new" / "board")
    assert {path.name: path.read_bytes() for path in (tmp_path / "new" / "board").iterdir()} == files


def test_runs_that_are_not_verified_are_marked(recorded: Callable[..., RecordedRun], tmp_path: Path) -> None:
    runs = [recorded("good", FORWARD), recorded("forged", FORWARD)]
    found = make_leaderboard(runs, unverified=[runs[1].path])
    assert {row["entry"]: row["verified"] for row in found.table()} == {"good": True, "forged": False}
    page = write_leaderboard(found, tmp_path / "board")[1].read_text(encoding="utf-8")
    assert "| forged \\[not verified\\] |" in page
