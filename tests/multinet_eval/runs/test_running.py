"""Going on with runs whose episodes were left anywhere: results and record are those of a run that was not left."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluating import AnsweringModel, write_corridor
from gridworld.model_interface import EpisodeInfo
from gridworld.runner.presentation import Presentation
from gridworld.runner.record import EpisodeEnd, EpisodeHeader, Step
from gridworld.suites import load_folder
from hypothesis_profiles import bounded
from in_turn import in_turn
from multinet_eval.monitor.watching import RunView, RunWatch
from multinet_eval.play.observers import Place, RunObserver
from multinet_eval.play.run import RunOptions, new_run, open_run
from multinet_eval.play.session import StopReason
from multinet_eval.record.manifest import Suite
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.summary import RunStatus
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import BudgetLimits
from whole_runs import lines_of, requests_in, results_of
from worlds import corridor, door, key

Played = tuple[EpisodeHeader, tuple[Step, ...], EpisodeEnd | None]


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


def test_a_run_stays_where_it_was_begun_when_its_model_changes_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def played(directory: Path) -> dict[int, Played]:
    """What the latest attempts say, episode by episode, without the time that requests took."""
    episodes = RunDirectory(directory).episodes()
    return {number: (lines[-1].header, lines[-1].steps, lines[-1].end) for number, lines in episodes}


def cut(directory: Path, shares: tuple[float, ...]) -> None:
    """Leave so much of the latest attempt at each episode, from 0 to 1; 0 is no file at all."""
    (directory / "results.json").unlink(missing_ok=True)
    run = RunDirectory(directory)
    for planned, share in zip(run.manifest.plan, shares, strict=True):
        path = run.attempts(planned.number)[-1].path
        content = path.read_bytes()
        path.write_bytes(content[: round(len(content) * share)])
        if share == 0:
            path.unlink()


def check_that_cuts_heal(whole: Path, examples: int, **options: int) -> None:
    """Cut the episodes of copies of a finished run anywhere, twice, and go on with them."""
    planned = len(RunDirectory(whole).manifest.plan)
    shares = st.tuples(*[st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1))] * planned)
    directory = whole.with_name("cut")

    @bounded(examples)
    @given(st.lists(shares, min_size=1, max_size=2))
    def check(cuts: list[tuple[float, ...]]) -> None:
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(whole, directory)
        for each in cuts:
            cut(directory, each)
            go_on(directory, **options)
        assert played(directory) == played(whole)
        assert results_of(directory) == results_of(whole)
        attempts, model = sorted(lines_of(directory)), RunDirectory(directory).manifest.settings.model
        if model == "forgetful":
            assert all(is_left(lines_of(directory)[name]) for name in attempts if not is_latest(name, attempts))
        else:
            assert (attempts, requests_in(directory)) == (sorted(lines_of(whole)), requests_in(whole))

    check()


def is_left(lines: list[dict[str, Any]]) -> bool:
    return not lines or "end" not in lines[-1]


def is_latest(name: str, attempts: list[str]) -> bool:
    """Whether there is no file of a later attempt at the same episode."""
    episode, *attempt = name.removesuffix(".jsonl").split(".")
    return f"{episode}.{int(*attempt or ['1']) + 1}.jsonl" not in attempts


@pytest.mark.usefixtures("moody_models")
@pytest.mark.parametrize("model", ["random", "greedy", "optimal", "mindful", "forgetful"])
def test_episodes_cut_at_any_byte_are_gone_on_with_to_the_same_end(suite: Suite, tmp_path: Path, model: str) -> None:
    play_new(suite, RunSettings(model, presentation=Presentation("text")), tmp_path / "whole")
    check_that_cuts_heal(tmp_path / "whole", examples=5)


SHOWN: dict[str, dict[str, Any]] = {
    "pictures": {"presentation": Presentation("image+text", 2, 3)},
    "tilings": {"tilings": ("hex", "3464"), "compares_tilings": True, "presentation": Presentation(history_images=1)},
    "epochs": {"epochs": 3, "seed": 7},
    "conversation": {
        "protocol": "chunk:3",
        "presentation": Presentation("image+text", feedback="effect", context="conversation", note_length=4),
    },
    "another simulator": {"backend": "warehouse", "presentation": Presentation("image", 1, 2, image_size=70)},
    "formats": {
        "presentation": Presentation(
            "image+coordinates", 1, image_size=96, image_coordinates=True, image_style="letters"
        )
    },
}


@pytest.mark.usefixtures("moody_models")
@in_turn("name, workers", list(SHOWN), [1, 3])
def test_a_model_is_shown_what_it_would_have_been_shown(suite: Suite, tmp_path: Path, name: str, workers: int) -> None:
    """The model's actions depend on each picture and each word of the prompt, so other ones end otherwise."""
    settings = SHOWN[name]
    if "backend" in settings:  # which knows no fog
        suite = attrs.evolve(suite, tasks=suite.tasks[:1] * 2)
    play_new(suite, RunSettings("looker", **settings), tmp_path / "whole")
    check_that_cuts_heal(tmp_path / "whole", examples=3, workers=workers)


@pytest.mark.usefixtures("moody_models")
@pytest.mark.parametrize("left", [0.0, 0.4, 1.0])
def test_an_extended_run_is_one_with_more_repetitions_from_the_start(suite: Suite, tmp_path: Path, left: float) -> None:
    play_new(suite, RunSettings("mindful", epochs=3, seed=5), tmp_path / "three")
    play_new(suite, RunSettings("mindful", epochs=1, seed=5), tmp_path / "extended")
    cut(tmp_path / "extended", (1.0, left))
    go_on(tmp_path / "extended", epochs=3)
    assert played(tmp_path / "extended") == played(tmp_path / "three")
    assert results_of(tmp_path / "extended") == results_of(tmp_path / "three")
    assert requests_in(tmp_path / "extended") == requests_in(tmp_path / "three")
    go_on(tmp_path / "extended", epochs=2)  # which it has already
    assert results_of(tmp_path / "extended") == results_of(tmp_path / "three")


class SetsClockBack(RunObserver):
    """Sets the clock, and the dates of what has been written, back by a day with each step."""

    DAY = 86_400.0

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.steps = 0
        self.views: list[RunView] = []
        self._time = time.time
        monkeypatch.setattr(time, "time", self.now)

    def now(self) -> float:
        return self._time() - self.steps * self.DAY

    def step_taken(self, episode: PlannedEpisode, step: Step, place: Place) -> None:
        self.steps += 1
        for path in (self.directory, *self.directory.rglob("*")):
            os.utime(path, (self.now(), self.now()))
        self.views.append(RunWatch(self.directory).look())


def test_a_clock_that_is_set_back_changes_nothing(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = RunSettings("random", backend_arguments=("render_mode=none",))
    play_new(suite, settings, tmp_path / "whole")
    observer = SetsClockBack(tmp_path / "run", monkeypatch)
    run = new_run(settings, suite, make_model("random", []), tmp_path / "run")
    limited = RunOptions(limits=BudgetLimits(requests=5, seconds=600))
    assert run.play(limited, observer).stopped is not None
    resumed, changed = open_run(tmp_path / "run")
    assert changed == []
    assert resumed.play(RunOptions(limits=BudgetLimits(seconds=600)), observer).stopped is None
    assert results_of(tmp_path / "run") == results_of(tmp_path / "whole")
    assert played(tmp_path / "run") == played(tmp_path / "whole")
    assert {view.state for view in observer.views} == {RunStatus.PLAYING}
    assert all(view.idle >= 0 and (view.figures.seconds or 0) >= 0 for view in observer.views)


def test_a_run_that_is_told_to_stop_before_it_plays_asks_nothing(suite: Suite, tmp_path: Path) -> None:
    run = new_run(RunSettings("random"), suite, make_model("random", []), tmp_path / "run")
    run.stop("enough")
    stopped = run.play(RunOptions(), RunObserver()).stopped
    assert stopped is not None
    assert (stopped.reason, stopped.message) == (StopReason.INTERRUPTED, "enough")
    assert lines_of(tmp_path / "run") == {}
    go_on(tmp_path / "run")


def test_a_plan_that_another_process_has_changed_meanwhile_is_not_played(suite: Suite, tmp_path: Path) -> None:
    play_new(suite, RunSettings("random"), tmp_path / "run")
    late, _ = open_run(tmp_path / "run")
    go_on(tmp_path / "run", epochs=2)
    results = results_of(tmp_path / "run")
    with pytest.raises(RunError, match=r"run\.json has been changed by another process meanwhile"):
        late.play(RunOptions(), RunObserver())
    assert results_of(tmp_path / "run") == results
    assert not (tmp_path / "run/lock").exists()


def test_what_is_in_no_plan_does_not_complete_a_run(suite: Suite, tmp_path: Path) -> None:
    play_new(suite, RunSettings("random"), tmp_path / "run")
    (tmp_path / "run/episodes/1.jsonl").rename(tmp_path / "run/episodes/7.jsonl")
    results = recorded_results(RunDirectory(tmp_path / "run"))
    assert (results.complete, len(results.in_order)) == (False, 1)
