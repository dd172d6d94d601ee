"""``multinet eval``, ``multinet-run-eval`` and ``python run_eval.py``, run as whole programs."""

import json
import os
import pty
import re
from pathlib import Path
from typing import Any

import pytest

from gridworld.model_interface import RandomModelInterface
from gridworld.suites import load_folder, read_named_task
from multinet_eval import EvaluationHarness
from multinet_eval.record.manifest import Suite
from multinet_eval.record.plan import task_hash
from multinet_eval.record.run_directory import RunDirectory
from support.commands import multinet, run, run_eval
from support.programs import Finished, assert_refused, everything_written_to, json_of, output_of, start
from support.runs import write_corridor, write_task
from support.worlds import describe, hazard


def evaluated(*arguments: str | Path, **options: Any) -> Any:
    """The results that ``multinet-run-eval --json`` prints."""
    return json_of(run("multinet-run-eval", "--json", *arguments, **options))


def ids(results: Any) -> list[str]:
    return [result["task_id"] for result in results["task_results"]]


def rows(table: str) -> dict[str, list[str]]:
    """First word of each line to the others."""
    lines = (line.split() for line in table.splitlines())
    return {first: rest for first, *rest in filter(None, lines)}


def test_a_benchmark_ends_with_a_table_of_its_tasks_and_a_summary() -> None:
    printed = output_of(
        run("multinet-run-eval", "--benchmark", "validation_10", "--model", "random", "-B", "render_mode=none")
    )
    assert "validation_10: random on minigrid (square)" in printed
    table = rows(printed)
    assert table["Task"] == ["Tier", "Result", "Steps", "Budget", "Best", "Ratio", "Reward"]
    tasks = {name: row for name, row in table.items() if name.startswith("v")}
    assert len([name for name in tasks if name != "validation_10:"]) == 10
    assert tasks["v01_empty_room"][0] == "1"
    assert tasks["v01_empty_room"][-4:-2] == ["30", "10"]
    assert " of 10 tasks solved: " in printed


def test_repetitions_of_a_task_are_one_row_of_the_table(tmp_path: Path) -> None:
    """And the interval does not become shorter because one task went alike each time."""
    write_corridor(tmp_path, "corridor")
    finished = run(
        "multinet-run-eval", "-m", "optimal", "--task-dir", tmp_path, "-B", "render_mode=none", "--epochs", "2"
    )
    lines = [line.split() for line in finished.stdout.splitlines()]
    assert ["Task", "Tier", "Solved"] in [line[:3] for line in lines]
    assert [line[2:5] for line in lines if line[:1] == ["corridor"]] == [["2", "of", "2"]]
    said = "success rate 100% (95 % interval 0% to 100%): 1 maze, 1 task, 2 episodes, 2 of them solved"
    assert said in finished.stdout


def test_one_task_of_a_suite_is_played_and_recorded_as_its_own_suite(tmp_path: Path) -> None:
    name, run_dir = "validation_10/v04_single_key", tmp_path / "run"
    assert run_eval("-m", "optimal", "-b", name, "--run-dir", run_dir).exit_code == 0
    probed = multinet("probe", name, "-m", "openai:m", "--base-url", "http://127.0.0.1:9", "--dry-run")
    assert probed.exit_code == 0, probed.stderr
    study = tmp_path / "study.toml"
    study.write_text(f'model = "optimal"\nsuite = "{name}"\n[[condition]]\nname = "one"\n', encoding="utf-8")
    assert multinet("experiment", "run", study, "-o", tmp_path / "study").exit_code == 0
    task = read_named_task(name)
    for folder in (run_dir, tmp_path / "study" / "one"):
        manifest = RunDirectory(folder).manifest
        assert (manifest.suite, manifest.suite_tasks) == ("v04_single_key", (task_hash(task),))
        assert manifest.fingerprint["suite"] == Suite("v04_single_key", (task,)).digest


@pytest.fixture(scope="module")
def random_run(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    """A run that prints JSON and writes it to a file too."""
    output = tmp_path_factory.mktemp("results") / "results.json"
    arguments = ("--model", "random", "--task-dir", tasks, "--json", "--output", output)
    return run("multinet-run-eval", *arguments), output


def test_the_harness_results_are_printed_and_written(random_run: tuple[Finished, Path], tasks: Path) -> None:
    finished, output = random_run
    assert json_of(finished) == as_written(EvaluationHarness(RandomModelInterface()), tasks)
    assert output.read_text(encoding="utf-8") == finished.stdout
    assert list(output.parent.iterdir()) == [output]


def test_all_three_programs_print_the_same(random_run: tuple[Finished, Path], tasks: Path) -> None:
    options = ("--model", "random", "--task-dir", tasks, "--json")
    assert output_of(run("multinet", "eval", *options)) == random_run[0].stdout
    assert output_of(run("run_eval.py", *options)) == random_run[0].stdout


def test_quiet_prints_nothing_and_still_writes_the_output(tasks: Path, tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    output.write_text("what was there before")

    finished = run(
        "multinet-run-eval", "-m", "optimal", "--task-dir", tasks, "--quiet", "-o", output.name, cwd=tmp_path
    )

    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
    assert json.loads(output.read_text())["num_success"] == 3


def test_progress_on_a_terminal_leaves_piped_output_alone(tasks: Path, tmp_path: Path) -> None:
    shown, terminal = pty.openpty()
    with (tmp_path / "piped").open("w") as piped:
        options = ("-m", "optimal", "--task-dir", tasks, "--json")
        streams = {"stdout": piped.fileno(), "stderr": terminal}
        process = start("multinet-run-eval", *options, variables={"TERM": "xterm"}, **streams)
    os.close(terminal)

    progress = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", everything_written_to(shown))

    assert process.wait(timeout=60) == 0
    assert "3/3 solved 3" in progress
    assert ids(json.loads((tmp_path / "piped").read_text())) == ["a_short", "b_door", "c_long"]


@pytest.mark.parametrize(
    ("tier", "expected"),
    [
        ("1-2", ["a_short", "b_door"]),
        ("3,1-1,9", ["a_short", "c_long"]),
    ],
)
def test_tiers_are_chosen_by_numbers_and_ranges(tasks: Path, tier: str, expected: list[str]) -> None:
    results = evaluated("-m", "optimal", "--task-dir", tasks, "--tier", tier)
    assert ids(results) == expected
    assert list(results["tiers"]) == sorted({str("abc".index(name[0]) + 1) for name in expected})


def test_a_seed_is_recorded_and_is_that_of_every_episode(tasks: Path, random_run: tuple[Finished, Path]) -> None:
    results = evaluated("-m", "random", "--task-dir", tasks, "--seed", "5")

    assert results["seed"] == 5
    assert {result["seed"] for result in results["task_results"]} == {5}
    assert results == as_written(EvaluationHarness(RandomModelInterface(), seed=5), tasks)
    unseeded = json.loads(random_run[0].stdout)
    assert unseeded["seed"] is None
    assert without_seeds(results) != without_seeds(unseeded)


def without_seeds(results: Any) -> list[Any]:
    return [{**result, "seed": None} for result in results["task_results"]]


def as_written(harness: EvaluationHarness, tasks: Path) -> Any:
    """The results of a harness as they read in a file."""
    return json.loads(json.dumps(harness.evaluate_tasks(load_folder(tasks), "small").to_dict()))


def looks(folder: Path, third_party: Path, *arguments: str | Path) -> list[Any]:
    """Notes of a third party's model on each of the four steps of a task."""
    notes = folder / "notes"
    write_corridor(folder, "task", "@...G")
    evaluated("-m", "looker", "-M", f"notes={notes}", "--task-dir", folder, *arguments, path=[third_party])
    return [json.loads(line) for line in notes.read_text().splitlines()]


def test_a_history_and_the_backends_arguments_reach_the_model(tmp_path: Path, third_party: Path) -> None:
    history = ("--history-images", "2", "--history-text", "--history-text-window", "1")
    first, *_, last = looks(tmp_path, third_party, "-B", "tile_size=16", *history)

    assert first == {"image": [3 * 16, 7 * 16, 3], "prior_images": [], "text": ""}
    assert (last["prior_images"], last["text"]) == (2, "Step 3: move_forward: moved one cell forward.")


def test_the_table_shows_how_each_episode_ended(tmp_path: Path, third_party: Path) -> None:
    write_corridor(tmp_path, "wins", "@.G", tier=4)
    write_corridor(tmp_path, "dies", "@.hG", h=hazard())
    write_corridor(tmp_path, "lasts", "@.#G")

    finished = run("multinet-run-eval", "-m", "walker", "--task-dir", tmp_path, path=[third_party])

    assert finished.returncode == 0
    table = rows(finished.stdout)
    assert table["wins"] == ["4", "success", "2", "6", "2", "1.00", "0.700"]
    assert table["dies"] == ["1", "died", "2", "6", "unsolvable", "-", "0.000"]
    assert table["lasts"] == ["1", "out", "of", "steps", "6", "6", "unsolvable", "-", "0.000"]
    assert "1 of 3 tasks solved: 33% (95 % interval 0% to 100%)" in finished.stdout
    assert "SPL 1.000 (0.000 to 1.000), mean reward 0.233, mean steps 3.3, 56% of the budget" in finished.stdout


def test_all_faults_of_all_files_are_named_before_anything_is_played(tmp_path: Path) -> None:
    write_corridor(tmp_path, "fine")
    (tmp_path / "broken.json").write_text('{\n  "task_id": }', encoding="utf-8")
    write_task(tmp_path, describe("####\n#@G#\n####") | {"seed": "one", "extra": 1}, "odd.json")
    finished = run("multinet-run-eval", "-m", "random", "--task-dir", tmp_path)
    assert_refused(finished, "error: ", "is not a usable suite of tasks:", "broken.json: ", "odd.json: ")
    said = [line.strip() for line in finished.stderr.splitlines()[1:]]
    assert [line[: line.index(": ", 13)] for line in said] == [
        "broken.json: line 2, column 14",
        "odd.json: seed",
        "odd.json: extra",
    ]
