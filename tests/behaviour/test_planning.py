"""Numbers of mazes that show a difference before a run, and detectable differences after it."""

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
    found = planned(tasks, 0.3, "--prices", prices)
    assert (found["mazes"], found["tasks"]) == (4, 4)
    assert [each["epochs"] for each in found["plans"]] == [1, 2, 3, 5, 10]
    for each in found["plans"]:
        played = each["mazes"] * each["epochs"]
        assert each["episodes"] == played
        assert each["requests"] == {"least": round(played * 2.5), "most": played * 10}  # of 1 to 4 steps, or 10
        assert each["reply_tokens"]["most"] == 100 * each["requests"]["most"]
        money = (2.0 * each["prompt_tokens"]["most"] + 5.0 * each["reply_tokens"]["most"]) / 1e6
        assert each["cost"]["openai/mine"]["most"] == pytest.approx(money)
        assert each["suite_shows"] is None  # no p-value of four mazes is below 0.125
    shown = multinet("plan", "--suite", tasks, "--difference", 0.3, "--prices", prices)
    assert shown.exit_code == 0
    assert "Cost of openai/mine" in shown.stdout
    assert "Assumed: " in shown.stdout


def test_smaller_differences_and_more_power_take_more_mazes_and_epochs_fewer(tasks: Path) -> None:
    def mazes(difference: float, *options: object) -> list[int]:
        return [each["mazes"] for each in planned(tasks, difference, *options)["plans"]]

    usual = mazes(0.2)
    assert usual == sorted(usual, reverse=True)
    assert all(more > few for few, more in zip(usual, mazes(0.1), strict=True))
    assert all(more > few for few, more in zip(usual, mazes(0.2, "--power", 0.95), strict=True))
    assert min(mazes(1.0)) >= 6


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


def test_a_comparison_of_four_mazes_could_show_nothing(tasks: Path, tmp_path: Path) -> None:
    for model in ("optimal", "random"):
        options = ("--observation", "none", "-B", "render_mode=none")
        assert run_eval("-m", model, "--task-dir", tasks, "--run-dir", tmp_path / model, *options).exit_code == 0
    compared = multinet("compare", tmp_path / "optimal", tmp_path / "random", "--json")
    (row,) = json.loads(compared.stdout)["differences"]
    assert row["p_value"] >= 0.125
    assert row["could_show"] is None
    assert row["needed"] > 4
