"""A run until decided plays mazes in a fixed order and stops once the evidence suffices."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet, run_eval
from support.forked import play as play_forked
from support.pages import ReportPage
from support.run_folders import assert_done, shown
from support.system_calls import Trap
from support.task_files import write_corridors
from support.thoroughness import first_by_default

MAZES = 24
PLAIN = ("--observation", "none", "-B", "render_mode=none")


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corridors(tmp_path_factory.mktemp("suite") / "tasks", *[1] * MAZES, max_steps=3)


@pytest.fixture(scope="module")
def reference(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model that solves about a third."""
    run = tmp_path_factory.mktemp("runs") / "guessing"
    assert evaluate(tasks, run, "random", "-M", "seed=1").exit_code == 0
    return run


@pytest.fixture(scope="module")
def decided(tasks: Path, reference: Path) -> Path:
    """A run of a model that solves all, played until it is decided."""
    run = reference.with_name("decided")
    assert evaluate(tasks, run, "optimal", *until_decided(reference)).exit_code == 0
    return run


def evaluate(tasks: Path, run: Path, model: str, *options: object) -> Finished:
    return run_eval("-m", model, "--task-dir", tasks, "--run-dir", run, *PLAIN, *options)


def until_decided(reference: Path, *options: object) -> tuple[object, ...]:
    return ("--until-decided", reference, *options)


def decision(run: Path) -> Any:
    return shown(run)["results"]["sequential"]


def mazes_in_order(run: Path) -> list[str]:
    return [maze["name"] for maze in json.loads((run / "run.json").read_text())["sequential"]["mazes"]]


def evidence(differences: list[float]) -> float:
    """E by its definition."""
    total = 0.0
    for sign in (1, -1):
        for bet in range(5, 100, 10):
            product = 1.0
            for difference in differences:
                product *= 1 + sign * bet / 100 * difference
            total += product / 20
    return total


def test_a_run_stops_at_the_first_maze_after_which_the_evidence_suffices(reference: Path, decided: Path) -> None:
    theirs = {result["task_id"]: result["success"] for result in shown(reference)["results"]["task_results"]}
    ours = {result["task_id"]: result["success"] for result in shown(decided)["results"]["task_results"]}
    order = mazes_in_order(decided)
    differences = [ours[maze] - theirs[maze] for maze in order if maze in ours]
    found = decision(decided)
    assert sorted(order) == sorted(theirs)
    assert set(ours) == set(order[: len(ours)])
    assert evidence(differences) >= 20 > evidence(differences[:-1])
    assert found["evidence"] == pytest.approx(evidence(differences))
    assert (found["decided"], found["stopped"]) == (True, True)
    assert (found["looked"], found["mazes"]) == (len(differences), MAZES)
    assert found["interval"][0] > 0


def test_a_decided_run_is_told_of_by_its_interval_alone(tasks: Path, reference: Path) -> None:
    run = reference.with_name("printed")
    finished = evaluate(tasks, run, "optimal", *until_decided(reference))
    found = decision(run)
    assert f"decided after {found['looked']} of {MAZES} mazes: higher success rate than guessing" in finished.stdout
    assert "95 % anytime interval" in finished.stdout
    assert "solved:" not in finished.stdout
    assert "SPL" not in finished.stdout
    results = json.loads((run / "results.json").read_text())
    assert results["complete"]
    for estimated in (results, *results["tiers"].values()):
        assert not [name for name in estimated if name.endswith(("_interval", "_rate", "_share", "spl"))]
        assert not {"pass_rates", "success_variance_between_mazes", "cost_per_success"} & estimated.keys()


def test_a_decided_run_is_complete(decided: Path) -> None:
    assert shown(decided)["run"]["status"] == "decided"
    verified = json.loads(multinet("runs", "verify", decided, "--json").stdout)
    assert (verified["consistent"], verified["complete"]) == (True, True)
    refused = multinet("runs", "resume", decided, "--epochs", 2)
    assert refused.exit_code != 0
    assert "1 epoch fixed beforehand" in refused.stderr
    before = (decided / "results.json").read_text()
    resumed = multinet("runs", "resume", decided)
    assert resumed.exit_code == 0
    assert "decided after" in resumed.stdout
    assert (decided / "results.json").read_text() == before
    rescored = multinet("runs", "rescore", decided, "--metric", "success")
    assert rescored.exit_code == 0
    assert "is unchanged" in rescored.stderr
    assert "no intervals" in rescored.stdout


def test_a_decided_run_is_neither_ranked_nor_compared(reference: Path, decided: Path) -> None:
    board = multinet("leaderboard", reference, decided, "--json")
    assert board.exit_code == 0
    assert [each["model"] for each in json.loads(board.stdout)["entries"]] == ["random"]
    assert f"{decided} is not ranked: it stopped when it was decided" in board.stderr
    compared = multinet("compare", reference, decided)
    assert compared.exit_code != 0
    assert "stopped when it was decided" in compared.stderr


def test_a_report_of_a_decided_run_has_its_interval_and_no_rate_or_difference(
    reference: Path, decided: Path, tmp_path: Path
) -> None:
    assert multinet("report", decided, reference, "-o", tmp_path / "both.html").exit_code == 0
    assert ReportPage(tmp_path / "both.html").index["difference"] is None
    page = tmp_path / "page.html"
    assert multinet("report", decided, "-o", page).exit_code == 0
    (run,) = ReportPage(page).runs
    assert "95 % anytime interval" in run["sequential"]["told"]
    assert (run["status"], run["whole"]["rate"], run["groups"]) == ("decided", None, [])
    assert (run["whole"]["spl_interval"], run["whole"]["budget_interval"]) == (None, None)
    assert (run["whole"]["pass_rates"], run["whole"]["cost_per_success"]) == ([], None)


def test_a_dry_run_says_when_it_may_be_decided(tasks: Path, reference: Path, tmp_path: Path) -> None:
    run = tmp_path / "planned"
    planned = evaluate(tasks, run, "optimal", *until_decided(reference), "--dry-run")
    assert planned.exit_code == 0
    assert "compared with guessing, after at least " in planned.stderr
    assert not run.exists()


def test_models_that_are_alike_are_played_to_the_end(tasks: Path, reference: Path) -> None:
    run = reference.with_name("undecided")
    finished = evaluate(tasks, run, "random", "-M", "seed=2", *until_decided(reference))
    assert finished.exit_code == 0
    assert f"not decided after {MAZES} of {MAZES} mazes against guessing (random)" in finished.stdout
    assert "solved:" in finished.stdout
    assert shown(run)["run"]["status"] == "finished"
    low, high = decision(run)["interval"]
    assert low < 0 < high
    assert multinet("compare", reference, run).exit_code == 0


@first_by_default("ways", [("--workers", 5), ("--workers", MAZES), ("--executor", "processes", "--workers", 2)])
def test_several_workers_come_to_the_same_decision(
    tasks: Path, reference: Path, decided: Path, tmp_path: Path, ways: tuple[object, ...]
) -> None:
    run = tmp_path / "together"
    finished = evaluate(tasks, run, "optimal", *until_decided(reference), *ways)
    assert finished.exit_code == 0
    assert decision(run) == decision(decided)
    found, expected = shown(run)["results"]["task_results"], shown(decided)["results"]["task_results"]
    assert [each["task_id"] for each in found] == [each["task_id"] for each in expected]
    assert multinet("runs", "verify", run).exit_code == 0


@pytest.mark.more
def test_a_run_that_is_killed_is_resumed_to_the_same_decision(
    tasks: Path, reference: Path, decided: Path, tmp_path: Path
) -> None:
    def play(run: Path, at: dict[int, str]) -> Any:
        command = ("multinet-run-eval", "-m", "optimal", "--task-dir", tasks, "--run-dir", run, *PLAIN)
        return play_forked((*command, *until_decided(reference)), trap=Trap(str(run), at))

    writes = play(tmp_path / "counted", {}).writes
    answered = [number for number, write in enumerate(writes, start=1) if ".jsonl" in write]
    expected = decision(decided)
    for write in (answered[0], random.Random(1).choice(answered), answered[-1]):
        run = tmp_path / f"killed at {write}"
        assert play(run, {write: "kill"}).exit_code < 0
        assert_done(play_forked(("multinet", "runs", "resume", run)), [0])
        assert decision(run) == expected
        assert shown(run)["run"]["status"] == "decided"


def test_the_design_is_on_disk_before_the_first_answer(tasks: Path, reference: Path, tmp_path: Path) -> None:
    run = tmp_path / "unanswered"
    options = until_decided(reference, "--alpha", 0.1)
    assert evaluate(tasks, run, "optimal", *options, "--max-requests", 0).exit_code == 1
    design = json.loads((run / "run.json").read_text())["sequential"]
    assert (design["against"], design["alpha"], design["epochs"]) == ("guessing", 0.1, 1)
    again = tmp_path / "again"
    evaluate(tasks, again, "optimal", *options, "--max-requests", 0)
    assert mazes_in_order(run) == mazes_in_order(again) != sorted(mazes_in_order(run))
    assert "not decided after 0 of 24 mazes" in multinet("runs", "show", run).stdout


def test_a_design_that_was_changed_is_found(decided: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(decided, tmp_path / "changed"))
    manifest = json.loads((copy / "run.json").read_text())
    manifest["sequential"]["mazes"].sort(key=lambda maze: maze["name"])
    (copy / "run.json").write_text(json.dumps(manifest))
    verified = multinet("runs", "verify", copy)
    assert verified.exit_code == 1
    assert "sequential.mazes[0]" in verified.stdout


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (["--alpha", "0.1"], "--alpha has no effect without --until-decided"),
        (["--until-decided", "{reference}", "--alpha", "1"], "expected a number between 0 and 1"),
        (["--until-decided", "{reference}", "--epochs", "2"], "epochs: 1 and 2"),
        (["--until-decided", "{reference}", "--protocol", "plan"], "protocol: step and plan"),
        (["--until-decided", "{decided}"], "expected a run that was played to its end"),
        (["--until-decided", "{reference}", "--benchmark", "validation_10"], "suite: "),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_asked(
    tasks: Path, reference: Path, decided: Path, tmp_path: Path, options: list[str], fragment: str
) -> None:
    suite = () if "--benchmark" in options else ("--task-dir", tasks)
    given = [each.format(reference=reference, decided=decided) for each in options]
    refused = run_eval("-m", "optimal", "--run-dir", tmp_path / "run", *PLAIN, *suite, *given)
    assert refused.exit_code == 2
    assert fragment in refused.stderr
    assert not (tmp_path / "run").exists()


def test_an_unfinished_reference_is_refused(tasks: Path, tmp_path: Path) -> None:
    evaluate(tasks, tmp_path / "left", "random", "--max-requests", 5)
    refused = evaluate(tasks, tmp_path / "run", "optimal", *until_decided(tmp_path / "left"))
    assert refused.exit_code == 2
    assert "is unfinished" in refused.stderr
    assert "runs resume" in refused.stderr


@first_by_default(("mazes", "fragment"), [(10, "nothing can be saved"), (5, "cannot be decided at all")])
def test_few_mazes_save_nothing_and_that_is_said_beforehand(tmp_path: Path, mazes: int, fragment: str) -> None:
    tasks = write_corridors(tmp_path / "tasks", *[1] * mazes, max_steps=3)
    evaluate(tasks, tmp_path / "reference", "random")
    finished = evaluate(tasks, tmp_path / "run", "optimal", *until_decided(tmp_path / "reference"))
    assert finished.exit_code == 0
    assert "nothing can be saved" in finished.stderr
    assert fragment in finished.stderr
