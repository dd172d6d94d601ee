"""Whatever is wrong with a call is said in words, with exit code 2, and before anything is played."""

from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import load_registry
from support.commands import invoke
from support.programs import Finished, assert_refused, run
from support.runs import write_corridor, write_task
from support.worlds import describe, door, key, switch


def changed(**changes: Any) -> dict[str, Any]:
    """The contents of a task file with some of its fields changed; one that is None is left out."""
    data = describe("######\n#@kDG#\n######", k=key("red"), D=door("red")) | changes
    return {name: value for name, value in data.items() if value is not None}


def with_mechanism(kind: str, **changes: Any) -> dict[str, Any]:
    mechanisms: dict[str, Any] = changed()["mechanisms"]
    mechanisms[kind][0].update(changes)
    return changed(mechanisms=mechanisms)


WRONG_FILES: dict[str, tuple[str | bytes | dict[str, Any], list[str]]] = {
    "broken JSON": ('{\n  "task_id": }', ["line 2, column 14: broken JSON: Expecting value"]),
    "no text": (b'{"task_id": "\xff\xfe"}', ["byte 13: not UTF-8 text"]),
    "no object for a maze": (
        '{"maze": 3}',
        ["task_id: ", "seed: ", "difficulty_tier: ", "maze: ", "goal: ", "max_steps: "],
    ),
    "a field twice": ('{"maze": {}, "seed": 1, "seed": 2}', ["seed: appears twice in one object"]),
    "a wrong type": (changed(seed="one"), ['seed: expected an integer, got "one" (str)']),
    "a wrong type inside": (
        with_mechanism("keys", position=[1]),
        ["mechanisms.keys[0].position: expected a position [x, y] of two integers, got [1] (list)"],
    ),
    "a missing field": (changed(max_steps=None), ["max_steps: this field is required"]),
    "an unknown field": (
        changed(dificulty_tier=1),
        ["dificulty_tier: unknown field (did you mean 'difficulty_tier'?); known: task_id, seed"],
    ),
    "an unknown field inside": (
        with_mechanism("doors", requires_kee="red"),
        ["mechanisms.doors[0].requires_kee: unknown field (did you mean 'requires_key'?); known: id, position"],
    ),
    "an unknown colour": (
        with_mechanism("keys", color="purpel"),
        [
            "mechanisms.keys[0].color: unknown colour 'purpel' (did you mean 'purple'?); "
            "expected one of red, green, blue, purple, yellow, grey"
        ],
    ),
    "an unknown state": (
        with_mechanism("doors", initial_state="lokced"),
        ["mechanisms.doors[0].initial_state: initial_state 'lokced' is unknown (did you mean 'locked'?)"],
    ),
    "an unknown mechanism": (
        changed(mechanisms={"dors": []}),
        ["mechanisms.dors: unknown mechanism 'dors' (did you mean 'doors'?); installed: blocks, doors"],
    ),
    "an unknown goal type": (
        changed(goal={"type": "reach_positon"}),
        ["goal.type: unknown goal 'reach_positon' (did you mean 'reach_position'?); installed: collect_all"],
    ),
    "an impossible task": (
        changed(
            max_steps=0,
            rules={"hidden_mechanisms": ["nobody"], "view_size": 4},
            maze={"dimensions": [6, 3], "walls": [[1, 1]], "start": [1, 1], "goal": [5, 1]},
        ),
        [
            "maze.goal: [5, 1] is on the border, where every cell is a wall",
            "maze.start: [1, 1] is a wall",
            "rules.hidden_mechanisms[0]: no mechanism has the id 'nobody'",
            "max_steps: must be at least 1, got 0",
            "rules.view_size: must be odd, at least 3 and at most 1023, got 4",
        ],
    ),
}


@pytest.fixture(scope="module")
def refused_folder(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run on a folder of files with one fault each, between two good ones."""
    folder = tmp_path_factory.mktemp("wrong")
    for name, (content, _) in WRONG_FILES.items():
        if isinstance(content, dict):
            write_task(folder, {**content, "task_id": name}, f"{name}.json")
        else:
            (folder / f"{name}.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    write_corridor(folder, "fine")
    return run("multinet-run-eval", "-m", "random", "--task-dir", folder)


@pytest.mark.parametrize("fault", WRONG_FILES)
def test_each_faulty_file_is_named_with_all_that_is_wrong_with_it(refused_folder: Finished, fault: str) -> None:
    _, problems = WRONG_FILES[fault]
    said = [line.strip() for line in refused_folder.stderr.splitlines() if line.strip().startswith(f"{fault}.json: ")]
    assert len(said) == len(problems)
    for line, problem in zip(said, problems, strict=True):
        assert line.startswith(f"{fault}.json: {problem}")


def test_one_faulty_file_is_enough_to_play_nothing(refused_folder: Finished) -> None:
    assert_refused(refused_folder, "error: ", "is not a usable suite of tasks:")
    assert "fine" not in refused_folder.stderr


def test_a_task_won_at_the_start_is_refused_before_playing(tmp_path: Path) -> None:
    write_corridor(tmp_path, "first")
    won = describe(
        "#####\n#@sG#\n#####",
        s=switch(initial_state="on"),
        goal={"type": "collect_all", "target_ids": ["s"]},
    )
    write_task(tmp_path, won, "won.json")

    finished = run("multinet-run-eval", "-m", "random", "--task-dir", tmp_path)

    assert_refused(finished, "won.json: goal", "at the start")


def test_two_tasks_of_one_id_are_refused_with_both_files(tmp_path: Path) -> None:
    write_corridor(tmp_path, "same", file="one.json")
    write_corridor(tmp_path, "same", file="sub/other.json")
    finished = run("multinet-run-eval", "-m", "random", "--task-dir", tmp_path)
    assert_refused(finished, "sub/other.json: task_id: 'same' is already the id of one.json")


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    finished = run("multinet-run-eval", "-m", "random", "--task-dir", tmp_path / "nowhere")
    assert_refused(finished, f"{tmp_path / 'nowhere'} is not a usable suite of tasks:", "no such folder")


def test_a_folder_without_task_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Nothing here.")
    assert_refused(
        run("multinet-run-eval", "-m", "random", "--task-dir", tmp_path), "no task files (*.json with a maze) in it"
    )


def installed(kind: str) -> str:
    """List of names in a message about an unknown one."""
    (catalog,) = (catalog for catalog in load_registry().catalogs if catalog.kind == kind)
    return ", ".join(catalog.names())


@pytest.mark.parametrize(
    ("options", "kind", "name", "nearest"),
    [
        (["-m", "randm"], "model", "randm", "random"),
        (["-m", "random", "--backend", "minigird"], "backend", "minigird", "minigrid"),
        (["-m", "random", "-b", "validation_01"], "benchmark", "validation_01", "validation_10"),
    ],
    ids=["model", "backend", "benchmark"],
)
def test_an_unknown_name_is_refused_with_the_installed_ones(
    options: list[str], kind: str, name: str, nearest: str
) -> None:
    assert_refused(
        run("multinet-run-eval", *options),
        f"error: unknown {kind} '{name}' (did you mean '{nearest}'?); installed: {installed(kind)}",
        "multinet plugins list",
    )


def test_a_path_in_place_of_a_suite_is_told_where_paths_are_given(tasks: Path, tmp_path: Path) -> None:
    (file, *_) = sorted(tasks.rglob("*.json"))
    for path, messages in (
        (tasks, [f"--benchmark: {tasks} is a folder", f"use --task-dir {tasks}"]),
        (file, [f"--benchmark: {file} is a file", "use --task-dir, which takes a folder"]),
        (tmp_path / "tirs", ["unknown benchmark"]),
    ):
        finished = invoke(["eval", "-m", "random", "--benchmark", path])
        assert (finished.exit_code, finished.stdout) == (2, "")
        assert all(message in finished.stderr for message in messages)


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (["-M", "sed=3"], ["model 'random' has no argument 'sed' (did you mean 'seed'?); it takes: seed"]),
        (["-M", "seed"], ["model 'random': expected key=value, got 'seed'"]),
        (["-M", "seed=three"], ["model 'random': argument 'seed': expected int, got 'three'"]),
        (["-M", "seed=1", "-M", "seed=2"], ["model 'random': argument 'seed' is given twice"]),
        (["-B", "tile_sise=16"], ["backend 'minigrid' has no argument 'tile_sise' (did you mean 'tile_size'?)"]),
        (["-B", "tile_size=2"], ["backend 'minigrid': tile_size must be at least 8 pixels, got 2"]),
        (["-B", "render_mode=human"], ["argument 'render_mode': expected one of rgb_array", "none", "got 'human'"]),
        (["--tier", "two"], ["--tier: expected numbers or ranges such as 2, 1-3 or 1,4, got 'two'"]),
        (["--tier", ""], ["--tier: expected numbers or ranges"]),
        (["--tier", "1-"], ["--tier: expected numbers or ranges", "got '1-'"]),
        (["--tier", "3-1"], ["--tier: the range 3-1 is empty"]),
        (["--tier", "7"], ["--tier 7: 'small' has no such tier; it has 1, 2, 3"]),
        (["--output", "no/such/folder/results.json"], ["--output: the folder no/such/folder does not exist"]),
        (
            ["--backend", "minigrid", "--tiling", "hex"],
            ["--tiling hex: backend 'minigrid'", "choose --backend multigrid"],
        ),
        (["--examples-from", "tiers"], ["--examples-from has no effect without --examples"]),
        (["--examples", "1", "--examples-from", "tirs"], ["unknown benchmark 'tirs' (did you mean 'tiers'?)"]),
        (["--examples", "1", "--examples-from", "no/such/folder"], ["no/such/folder"]),
        (["--examples", "99"], ["examples: 99 requested, but 'worked_examples' has only"]),
        (["--examples", "-1"], ["Invalid value for '--examples'"]),
        (["--observation", "maps"], ["unknown observation 'maps' (did you mean 'map'?)"]),
        (["--output", "."], ["--output: . is a folder, expected a file name"]),
        (["--disable-plugin", "gridworld-mingrid"], ["unknown plugin 'gridworld-mingrid'", "'gridworld-minigrid'"]),
        (["--benchmark", "validation_10"], ["--task-dir and --benchmark 'validation_10' exclude each other"]),
        (["--history-images", "-1"], ["Invalid value for '--history-images'"]),
        (["--history-text-window", "0"], ["Invalid value for '--history-text-window'"]),
        (["--seed", "one"], ["Invalid value for '--seed'"]),
        (["--on-unparsable", "retry"], ["--on-unparsable: expected skip, fail, retry:N", "got 'retry'"]),
        (["--on-refused", "retry:-1"], ["--on-refused: expected skip, fail, retry:N", "got 'retry:-1'"]),
        (["--on-illegal", ""], ["--on-illegal: expected skip, fail, retry:N", "got ''"]),
        (["--on-infrastructure", "skip"], ["--on-infrastructure: expected retry:N or fail, got 'skip'"]),
        (["--sed", "1"], ["No such option", "--sed", "--seed"]),
    ],
    ids=" ".join,
)
def test_an_option_that_cannot_be_is_refused(
    tasks: Path, tmp_path: Path, options: list[str], messages: list[str]
) -> None:
    finished = run("multinet-run-eval", "-m", "random", "--task-dir", tasks, *options, cwd=tmp_path)
    assert_refused(finished, *messages)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("benchmark", ["directory", "tiers"])
def test_a_folder_may_be_called_what_it_is(tasks: Path, benchmark: str) -> None:
    finished = run("multinet-run-eval", "-m", "random", "--task-dir", tasks, "--benchmark", benchmark, "--tier", "1")
    assert finished.returncode == 0, finished.stderr


def test_a_directory_needs_a_folder() -> None:
    finished = run("multinet-run-eval", "-m", "random", "--benchmark", "directory")
    assert_refused(finished, "--benchmark directory needs --task-dir")


def test_a_model_has_to_be_named(tasks: Path) -> None:
    assert_refused(run("multinet-run-eval", "--task-dir", tasks), "Missing option '--model'")


def test_arguments_that_a_model_cannot_do_without_are_asked_for(tasks: Path, third_party: Path) -> None:
    finished = run("multinet-run-eval", "-m", "looker", "--task-dir", tasks, path=[third_party])
    assert_refused(finished, "model 'looker' needs the argument notes")
