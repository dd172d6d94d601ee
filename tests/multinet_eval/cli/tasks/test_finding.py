"""Names of suites and tasks on the command line, and advice after searches that gave up."""

from pathlib import Path

import pytest

from gridworld.errors import GridworldError
from gridworld.solver.plans import winning_plan
from multinet_eval.cli.tasks.finding import advising_without_plan, print_given_up
from support.programs import assert_refused, run
from support.runs import write_corridor, write_task
from support.worlds import compiled, corridor, describe


def found(verdict: str | None, states_seen: int | None) -> dict[str, object]:
    return {"verdict": verdict, "states_seen": states_seen}


def test_a_larger_limit_is_advised_where_the_limit_ended_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    print_given_up([found("gave up", 900), found("solved", 7), found("gave up", 900), found(None, None)], 900)
    assert capsys.readouterr().out == "2 searches gave up, after 900 states; raise --max-states\n"


def test_where_memory_ended_the_search_that_is_said_in_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    print_given_up([found("gave up", 900), found("gave up", 1_000)], 1_000)
    assert capsys.readouterr().out.splitlines() == [
        "1 search gave up, after 900 states: its tables are too large",
        "1 search gave up, after 1000 states; raise --max-states",
    ]


def test_nothing_is_said_where_none_gave_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_given_up([found("unsolvable", 4)], 4)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("limit", "advice"), [("--max-states", "; raise --max-states"), (None, "")])
def test_only_an_option_that_a_command_has_is_advised(limit: str | None, advice: str) -> None:
    with pytest.raises(GridworldError) as caught, advising_without_plan(limit):
        winning_plan(compiled(corridor("@......G")), max_states=3)
    assert str(caught.value) == f"no plan for the task 'drawn': the solver gave up after 3 states{advice}"


@pytest.mark.parametrize("command", ["list", "gallery -o out.html", "demos -o out", "validate", "seal"])
def test_an_unknown_suite_is_refused_with_the_nearest(command: str, tmp_path: Path) -> None:
    name, *options = command.split()
    nearest = "tires: no such file or folder, and no suite of that name is installed (did you mean 'tiers'?)"
    for suite, message in (("tires", nearest), ("a" * 300, "no such file or folder")):
        assert_refused(run("multinet", "tasks", name, suite, *options, cwd=tmp_path), message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["list", "gallery -o out.html", "demos -o out"])
def test_a_folder_without_tasks_or_with_a_bad_file_is_refused(command: str, tmp_path: Path) -> None:
    name, *options = command.split()
    (tmp_path / "empty").mkdir()
    write_corridor(tmp_path / "suite", "good")
    (tmp_path / "suite" / "x.json").symlink_to("nowhere")
    for folder, message in (("empty", "no task files (*.json with a maze) in it"), ("suite", "x.json: cannot be read")):
        assert_refused(run("multinet", "tasks", name, folder, *options, cwd=tmp_path), message)
    assert not (tmp_path / "out").exists()


REFUSED_TASKS = {
    "nowhere.json": ["nowhere.json: No such file or directory", "tiers, validation_10"],
    "folder.json": ["folder.json: Is a directory"],
    "broken.json": ["broken.json is not a task specification:", "line 1, column 4"],
    "impossible.json": ["is not a valid task:", "max_steps: must be at least 1, got 0", "rules.view_size: "],
    "half.json": ["description: ", "is not valid Unicode text"],
    "tiers/t1_01_open_rom": ["task of tiers", "did you mean 't1_01_open_room'?"],
    "tires/t1_01_open_room": ["tires", "did you mean 'tiers'?"],
}


@pytest.mark.parametrize("command", ["show", "solve", "render -o x.png"])
def test_a_task_that_cannot_be_read_is_refused(command: str, tmp_path: Path) -> None:
    name, *options = command.split()
    data = describe("#####\n#@.G#\n#####")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "broken.json").write_text("[1,")
    write_task(tmp_path, data | {"max_steps": 0, "rules": {"view_size": 4}}, "impossible.json")
    write_task(tmp_path, data | {"description": "half \ud800"}, "half.json")  # JSON can hold half of a surrogate pair
    for task, messages in REFUSED_TASKS.items():
        assert_refused(run("multinet", "tasks", name, task, *options, cwd=tmp_path), *messages)
