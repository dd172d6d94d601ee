"""Runs that are played from Python while working directory, clock or plan are changed."""

import os
from pathlib import Path

import attrs
import pytest

from gridworld.model_interface import EpisodeInfo
from gridworld.suites import load_folder
from multinet_eval.play.observers import RunObserver, RunStart
from multinet_eval.play.run import new_run, open_run
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.record.record_folders import RunError
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits
from support.run_folders import all_lines, results_of
from support.runs import UNSTEADY, AnsweringModel, make_corridor_run, write_corridor
from support.worlds import corridor, door, key


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("suites") / "small"
    write_corridor(folder, "door", "@kD.G", max_steps=12, k=key(), D=door("red"))
    write_corridor(folder, "fog", "@...G", max_steps=8, rules={"observability": "fog_of_war", "view_size": 3})
    return Suite("small", load_folder(folder))


def play_new(suite: Suite, settings: RunSettings, directory: Path, **options: int) -> None:
    model = make_model(settings.model, list(settings.model_arguments))
    run = new_run(settings, suite, model, directory)
    assert run.play(RunOptions(**options), RunObserver()).stopped is None


def go_on(directory: Path, epochs: int | None = None, **options: int) -> None:
    run, changed = open_run(directory, epochs=epochs)
    assert changed == []
    assert run.play(RunOptions(**options), RunObserver()).stopped is None


class Wanderer(AnsweringModel):
    """Goes to another working directory whenever an episode begins."""

    def __init__(self, folder: Path) -> None:
        super().__init__(*"FFFFF")
        self._folder = folder

    def begin_episode(self, episode: EpisodeInfo) -> None:
        os.chdir(self._folder)


def test_a_changed_working_directory_does_not_move_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    tasks = (attrs.evolve(corridor("@.G"), task_id="near"), attrs.evolve(corridor("@..G"), task_id="far"))
    settings = RunSettings("random", backend_arguments=["tile_size=8"])
    run = new_run(settings, Suite("two", tasks), Wanderer(elsewhere), Path("runs/new"))
    outcome = run.play(RunOptions(), RunObserver())
    recorded = tmp_path / "runs" / "new"
    assert list(elsewhere.iterdir()) == []
    assert {each.name for each in (recorded / "episodes").iterdir()} == {"0.jsonl", "1.jsonl"}
    assert (recorded / "results.json").is_file()
    assert not list(recorded.glob("*lock*"))
    assert (outcome.results.complete, outcome.directory) == (True, Path("runs/new"))


def test_the_start_of_a_resumed_run_says_what_was_spent(tmp_path: Path) -> None:
    run = make_corridor_run(tmp_path, AnsweringModel(*UNSTEADY))
    spent = run.play(RunOptions(limits=BudgetLimits(requests=4)), RunObserver()).spent
    starts: list[RunStart] = []

    class Starting(RunObserver):
        def run_started(self, run: RunStart) -> None:
            starts.append(run)

    resumed, _ = open_run(tmp_path / "run")
    resumed.play(RunOptions(), Starting())
    assert [start.spent for start in starts] == [spent]


def test_a_run_that_is_told_to_stop_before_it_plays_asks_nothing(suite: Suite, tmp_path: Path) -> None:
    run = new_run(RunSettings("random"), suite, make_model("random", []), tmp_path / "run")
    run.stop("enough")
    stopped = run.play(RunOptions(), RunObserver()).stopped
    assert stopped is not None
    assert (stopped.reason, stopped.message) == ("interrupted", "enough")
    assert all_lines(tmp_path / "run") == {}
    go_on(tmp_path / "run")


def test_a_plan_changed_by_another_process_is_refused(suite: Suite, tmp_path: Path) -> None:
    play_new(suite, RunSettings("random"), tmp_path / "run")
    late, _ = open_run(tmp_path / "run")
    go_on(tmp_path / "run", epochs=2)
    results = results_of(tmp_path / "run")
    with pytest.raises(RunError, match=r"run\.json has been changed by another process meanwhile"):
        late.play(RunOptions(), RunObserver())
    assert results_of(tmp_path / "run") == results
    assert not (tmp_path / "run/lock").exists()
