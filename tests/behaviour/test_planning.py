"""The mazes, epochs and cost of a comparison are planned before a run."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import multinet, run_eval
from support.task_files import write_corridors


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corridors(tmp_path_factory.mktemp("suite") / "tasks", 1, 2, 3, 4, max_steps=10)


def planned(tasks: Path, difference: float, *options: object) -> Any:
    finished = multinet("plan", "--suite", tasks, "--difference", difference, "--json", *options)
    assert finished.exit_code == 0, finished.stderr
    return json.loads(finished.stdout)


def test_a_plan_tells_mazes_epochs_requests_tokens_and_money(tasks: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["openai/mine"]\ninput = 2.0\noutput = 5.0\n')
    found = planned(tasks, 0.5, "--prices", prices)
    assert (found["mazes"], found["tasks"]) == (4, 4)
    assert [each["epochs"] for each in found["plans"]] == [1, 2, 3, 5, 10]
    for each in found["plans"]:
        played = each["mazes"] * each["epochs"]
        assert each["episodes"] == played
        assert each["requests"] == {"least": round(played * 2.5), "most": played * 10}  # of 1 to 4 steps, or 10
        assert each["reply_tokens"]["most"] == 100 * each["requests"]["most"]
        money = (2.0 * each["prompt_tokens"]["most"] + 5.0 * each["reply_tokens"]["most"]) / 1e6
        assert each["cost"]["openai/mine"]["most"] == pytest.approx(money)
        assert each["power"] >= 0.8
        assert each["suite_power"] == 0  # no p-value of four mazes is below 0.125
    shown = multinet("plan", "--suite", tasks, "--difference", 0.5, "--prices", prices)
    assert shown.exit_code == 0
    assert "Cost of openai/mine" in shown.stdout
    assert "Power is simulated with 1,000 suites. Assumed truth: success rates of 0.750 and 0.250; " in shown.stdout


def test_smaller_differences_and_more_power_take_more_mazes_and_epochs_fewer(tasks: Path) -> None:
    def mazes(difference: float, *options: object) -> list[int]:
        return [each["mazes"] for each in planned(tasks, difference, *options)["plans"]]

    usual = mazes(0.4)
    assert usual == sorted(usual, reverse=True)
    assert all(more > few for few, more in zip(usual, mazes(0.2), strict=True))
    assert all(more > few for few, more in zip(usual, mazes(0.4, "--power", 0.95), strict=True))
    assert min(mazes(1.0)) >= 6


def test_what_is_asked_decides_requests_and_tokens(tasks: Path) -> None:
    usual, words, at_once, unexplained = (
        planned(tasks, 0.5, *options)["plans"][0]
        for options in ([], ["--observation", "text"], ["--protocol", "plan"], ["--explain", "none"])
    )
    assert words["prompt_tokens"] != usual["prompt_tokens"]
    assert unexplained["prompt_tokens"]["most"] < usual["prompt_tokens"]["most"]
    assert at_once["requests"]["most"] < usual["requests"]["most"]


def test_recorded_runs_say_how_much_mazes_scatter(tasks: Path, tmp_path: Path) -> None:
    for model in ("optimal", "random"):
        options = ("--observation", "none", "-B", "render_mode=none", "--epochs", "3")
        assert run_eval("-m", model, "--task-dir", tasks, "--run-dir", tmp_path / model, *options).exit_code == 0
    one = planned(tasks, 0.3, "--like", tmp_path / "optimal")
    assert one["truth"].startswith("truth: success rates of 1.000 and 0.700; mazes are as hard as the 4 base mazes of ")
    assert one["truth"].endswith("optimal; both models find the same mazes hard")
    two = planned(tasks, 0.3, "--like", tmp_path / "optimal", "--like", tmp_path / "random")
    assert "same mazes" not in two["truth"]
    assert one["plans"][0]["mazes"] < planned(tasks, 0.3)["plans"][0]["mazes"]


def test_no_more_than_two_runs_are_taken_as_typical_and_they_need_mazes_in_common(tasks: Path, tmp_path: Path) -> None:
    for name, suite in (("one", ["--task-dir", tasks]), ("other", ["--benchmark", "validation_10", "--tier", "1"])):
        options = ("--observation", "none", "-B", "render_mode=none")
        assert run_eval("-m", "optimal", *suite, "--run-dir", tmp_path / name, *options).exit_code == 0
    for like, fragment in (
        (["one"] * 3, "expected one or two runs, got 3"),
        (["one", "other"], "no base maze is scored"),
    ):
        options = [word for name in like for word in ("--like", str(tmp_path / name))]
        refused = multinet("plan", "--suite", tasks, "--difference", "0.3", *options)
        assert (refused.exit_code, fragment in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (["--difference", "0"], "--difference: expected a number above 0"),
        (["--difference", "nan"], "--difference: expected a number above 0"),
        (["--difference", "0.1", "--power", "1"], "--power: expected a number"),
    ],
)
def test_a_plan_without_sense_is_refused(tasks: Path, options: list[str], fragment: str) -> None:
    refused = multinet("plan", "--suite", tasks, *options)
    assert refused.exit_code == 2
    assert fragment in refused.stderr
