"""Tables after a run and in ``multinet runs show``: what failed first, and no more than fits a screen."""

import json
import re
import sys
from pathlib import Path

import attrs
import pytest

from multinet_eval.analysis.mistakes.acts import Act
from multinet_eval.analysis.mistakes.episode_mistakes import Ending
from multinet_eval.analysis.mistakes.mistake_table import MistakeRow, MistakeTable
from multinet_eval.analysis.mistakes.needs import MistakeKind
from multinet_eval.cli.result_tables import print_results_tables
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from support.commands import Finished, invoke, run_eval
from support.model_servers import MODEL, ChatServer, model_arguments, said
from support.runs import write_corridor

PLAIN = ("-B", "render_mode=none")
NO_MISTAKES = MistakeTable.of([])
FAR = "@.......G"
"""A corridor that is too long for its budget."""
NO_MISTAKES = MistakeTable((), {})


def lines_with(printed: str, name: str) -> list[list[str]]:
    return [line.split() for line in printed.splitlines() if name in line]


def play(tasks: Path, folder: Path, *options: object) -> Finished:
    return run_eval("-m", "optimal", "--task-dir", tasks, "--run-dir", folder, *PLAIN, *options)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """42 tasks; the 13th and the last cannot be solved within their budgets."""
    folder = tmp_path_factory.mktemp("suite") / "tasks"
    folder.mkdir()
    for number in range(42):
        write_corridor(folder, f"task_{number:02}", FAR if number in (12, 41) else "@.G", tier=1 + number % 2)
    return folder


def test_failed_tasks_are_first_and_at_most_forty_are_listed(tasks: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    finished = play(tasks, folder)
    listed = [line[0] for line in lines_with(finished.stdout, "task_")]
    assert listed[:3] == ["task_12", "task_41", "task_00"]
    assert len(listed) == 40
    all_of_them = f"multinet runs show {folder} --episodes"
    assert f"and 2 more tasks; list all with: {all_of_them}" in finished.stdout
    shown = invoke(all_of_them.split()[1:]).stdout
    episodes = shown[shown.index("Number") :]
    assert [line[0] for line in lines_with(episodes, "out of steps")] == ["12", "41"]
    assert len(lines_with(episodes, "success")) == 40


@pytest.mark.parametrize("tilings", [[], ["--tiling", "all"]], ids=["one", "all"])
def test_without_a_record_all_tasks_are_in_the_json(tilings: list[str], tasks: Path) -> None:
    finished = run_eval("-m", "optimal", "--task-dir", tasks, "--no-record", *tilings)
    assert len(lines_with(finished.stdout, "task_")) == 40
    assert "and 2 more tasks; list all with: --json" in finished.stdout


def test_tiers_and_mechanisms_are_a_small_table(tmp_path: Path) -> None:
    told = run_eval("-m", "greedy", "-b", "validation_10", "--run-dir", tmp_path / "run", *PLAIN).stdout
    table = told[told.index("Tier or mechanism") :].splitlines()[1:6]
    rows = {name: tuple(figures) for name, *figures in (re.split(r"  +", line) for line in table)}
    assert list(rows) == ["tier 1", "tier 2", "tier 3", "doors + keys", "gates + switches"]
    assert rows["tier 1"][:2] == ("1 of 3", "33%")
    assert rows["doors + keys"][:2] == ("0 of 6", "0%")


def test_one_tier_without_mechanisms_has_no_such_table(tmp_path: Path) -> None:
    write_corridor(tmp_path, "corridor")
    assert "Tier or mechanism" not in play(tmp_path, tmp_path / "run").stdout


def test_epochs_are_one_row_with_the_ways_of_failing(tmp_path: Path) -> None:
    write_corridor(tmp_path, "far", FAR)
    write_corridor(tmp_path, "near")
    printed = play(tmp_path, tmp_path / "run", "--epochs", "3").stdout
    assert [re.split(r"  +", line)[:3] for line in printed.splitlines() if line.startswith(("far", "near"))] == [
        ["far", "1", "0 of 3, out of steps"],
        ["near", "1", "3 of 3"],
    ]


def test_plays_of_a_task_have_a_table_and_one_play_has_none(tmp_path: Path) -> None:
    write_corridor(tmp_path, "far", FAR)
    write_corridor(tmp_path, "near")
    printed = play(tmp_path, tmp_path / "run", "--epochs", "2").stdout
    table = printed[printed.index("k plays of a task") :].splitlines()[2:5]
    half = printed[printed.index("success rate 50% (95 % interval ") :].split("interval ")[1].split(")")[0]
    assert [re.split(r"  +", line.strip()) for line in table[1:]] == [
        ["1", *[f"50% ({half})"] * 2, "2"],
        ["2", *[f"50% ({half})"] * 2, "2"],
    ]
    assert "variance of success: 0.500 between mazes, 0.000 between plays of a task" in printed
    again = play(tmp_path, tmp_path / "once").stdout
    assert "plays of a task" not in again


def test_a_run_with_prices_has_the_cost_for_each_solved_episode(tmp_path: Path) -> None:
    write_corridor(tmp_path / "tasks", "near")
    prices = tmp_path / "prices.toml"
    prices.write_text(f'["openai/{MODEL}"]\ninput = 100.0\noutput = 0.0\n', encoding="utf-8")
    forward = said("move_forward", usage={"prompt_tokens": 5, "completion_tokens": 1})
    with ChatServer(lambda body, number: forward) as server:
        options = (*model_arguments(server.url), "--prices", prices, "--observation", "text")
        printed = run_eval("--task-dir", tmp_path / "tasks", *options, "--no-record").stdout
    assert "cost 0.001 for each solved episode" in " ".join(printed.split())


def test_with_several_tilings_tasks_and_parts_are_told_of_all_together(tmp_path: Path) -> None:
    write_corridor(tmp_path, "far", FAR)
    write_corridor(tmp_path, "near", tier=2, max_steps=40)
    printed = play(tmp_path, tmp_path / "run", "--tiling", "all", "--epochs", "2").stdout
    assert [re.split(r"  +", line) for line in printed.splitlines() if line.startswith(("far", "near"))] == [
        ["far", "1", *["0 of 2"] * 5, "0 of 10"],
        ["near", "2", *["2 of 2"] * 5, "10 of 10"],
    ]
    assert "success rate 50% (95 % interval" in printed
    assert lines_with(printed, "tier 2")[0][2:6] == ["10", "of", "10", "100%"]


def test_a_run_that_its_budget_stopped_has_bounds(tmp_path: Path) -> None:
    for number in range(4):
        write_corridor(tmp_path, f"task_{number}", tier=1 + number // 2)
    stopped = play(tmp_path, tmp_path / "run", "--max-requests", "2", "--json")
    assert stopped.exit_code == 1
    found = json.loads(stopped.stdout)
    assert found["success_bounds"] == [0.25, 1.0]
    assert found["tiers"]["1"]["success_bounds"] == [0.5, 1.0]
    printed = " ".join(invoke(["runs", "show", str(tmp_path / "run")]).stdout.split())
    assert "1 of 1 task solved: 100% (95 % interval" in printed
    assert "3 of 4 episodes are missing: the success rate would be 25% if all of them were lost, 100% if won" in printed


def test_the_bounds_of_several_tilings_count_those_that_were_not_begun(tmp_path: Path) -> None:
    for number in range(2):
        write_corridor(tmp_path, f"task_{number}", max_steps=40)
    stopped = play(tmp_path, tmp_path / "run", "--tiling", "all", "--max-requests", "5")
    assert stopped.exit_code == 1
    ended = json.loads(invoke(["runs", "show", str(tmp_path / "run"), "--json"]).stdout)["run"]["finished"]
    assert 0 < ended < 10
    missing = f"{10 - ended} of 10 episodes are missing: the success rate would be {ended / 10:.0%} if all of them"
    assert missing in " ".join(stopped.stdout.split())
    assert "If missing were lost / won" in stopped.stdout


def test_a_finished_run_has_no_bounds(tmp_path: Path) -> None:
    write_corridor(tmp_path, "corridor")
    assert json.loads(play(tmp_path, tmp_path / "run", "--json").stdout)["success_bounds"] is None
    assert "missing" not in invoke(["runs", "show", str(tmp_path / "run")]).stdout


def test_the_rate_is_bold_on_a_terminal_and_zero_has_no_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corridor(tmp_path, "corridor")
    play(tmp_path, tmp_path / "run")
    results = recorded_results(RunDirectory(tmp_path / "run"))
    punished = {number: attrs.evolve(each, total_reward=-1e-9) for number, each in results.results.items()}
    for name, value in {"COLUMNS": "80", "NO_COLOR": "", "FORCE_COLOR": "1", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_results_tables(attrs.evolve(results, results=punished), None, NO_MISTAKES)
    printed = capsys.readouterr().out
    assert re.search(r"1 of 1 task solved: \x1b\[1m100% \(95 % interval \d+% to 100%\)\x1b\[0m", printed)
    assert "mean reward 0.000" in printed
    assert "-0.000" not in printed


def test_three_mistakes_are_below_their_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    write_corridor(tmp_path, "corridor")
    play(tmp_path, tmp_path / "run")
    results = recorded_results(RunDirectory(tmp_path / "run"))
    kind = MistakeKind((Act("toggle", "door"),), Act("walked into", "door"))
    row = MistakeRow(kind, {"door": 7839}, decisive=51, episodes=53, share=0.912, interval=(0.85, 0.97))
    others = (attrs.evolve(row, nouns={f"goal {number}": 5}) for number in range(3))
    table = MistakeTable((row, *others), {Ending.LOST: 60})
    print_results_tables(results, None, table)
    printed = capsys.readouterr().out
    assert table.sentence in printed
    rows = [re.split(r"  +", line) for line in printed.splitlines() if line.startswith("toggle")]
    assert rows[0] == ["toggle a door", "a door", "walked into a door", "51", "53", "7,839", "91%", "85% to 97%"]
    assert [row[1] for row in rows[1:]] == ["a goal 0", "a goal 1"]
    print_results_tables(results, None, NO_MISTAKES)
    assert "Mistakes" not in capsys.readouterr().out
