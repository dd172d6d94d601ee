"""The file protocol between whole programs: runs in some processes, ``examples/answer_files.py`` in another."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.commands import run
from support.programs import Program, command, start
from support.runs import write_corridor

TIMEOUT = 60
ANSWERER = "examples/answer_files.py"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Three steps forward win the first, and a turn to the right comes too early in the second."""
    folder = tmp_path / "tasks"
    write_corridor(folder, "near", "@..G", max_steps=9)
    write_corridor(folder, "far", "@....G", max_steps=9)
    return folder


@contextmanager
def answering(folder: Path, *options: str, program: str | Path = ANSWERER) -> Iterator[Program]:
    process = start(str(program), folder, "--poll", "0.005", *options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def arguments(folder: Path, tasks: Path, *options: str | Path) -> list[str]:
    model = ("--model", "file", "-M", f"folder={folder}", "-M", "poll_interval=0.005", "-M", f"timeout={TIMEOUT}")
    return [str(each) for each in (*model, "--task-dir", tasks, "--json", *options)]


def outcomes(printed: str) -> dict[str, tuple[bool, int]]:
    """Task to whether it was solved, and in how many steps."""
    results = json.loads(printed)["task_results"]
    return {result["task_id"]: (result["success"], result["steps_taken"]) for result in results}


def test_a_program_answers_a_run_in_another_process_until_ctrl_c(tmp_path: Path, tasks: Path) -> None:
    folder = tmp_path / "exchange"
    with answering(folder, "--policy", "walk") as answerer:
        finished = run("multinet-run-eval", *arguments(folder, tasks))
        answerer.send_signal(signal.SIGINT)
        printed, told = answerer.communicate(timeout=TIMEOUT)

    assert finished.returncode == 0
    (requests,) = folder.iterdir()
    answered = f"'python examples/answer_files.py {folder}' answers them"
    assert finished.stderr == f"requests are written into {requests}; {answered}\n"
    assert outcomes(finished.stdout) == {"near": (True, 3), "far": (False, 9)}
    assert (answerer.returncode, printed, told) == (0, "answered 12 requests\n", "")


@pytest.mark.more
def test_runs_at_once_on_one_folder_are_as_they_would_be_alone(tmp_path: Path, tasks: Path) -> None:
    folder, lines = tmp_path / "exchange", [["--seed", str(seed)] for seed in (1, 2)]
    with answering(folder, "--seed", "5"):
        alone = [run("multinet-run-eval", *arguments(folder, tasks, *line)).stdout for line in lines]
        at_once = [start("multinet-run-eval", *arguments(folder, tasks, *line)) for line in lines]
        together = [process.communicate(timeout=TIMEOUT)[0] for process in at_once]

    assert [results_of(text) for text in together] == [results_of(text) for text in alone]
    assert len(list(folder.iterdir())) == 4


def results_of(printed: str) -> list[Any]:
    """The results of the tasks, without the time that they took."""
    return [{**result, "usage": None} for result in json.loads(printed)["task_results"]]


def own_model(folder: Path, answer: str) -> Path:
    """A copy of the program in which somebody has put a model that always answers the same."""
    source = Path(command(ANSWERER)[1]).read_text(encoding="utf-8")
    before, _, rest = source.partition("    image = folder")
    copy = folder / "my_answers.py"
    copy.write_text(f"{before}    return {answer}\n\n\ndef random_policy{rest.partition('def random_policy')[2]}")
    return copy


@pytest.mark.more
@pytest.mark.parametrize(
    ("answer", "outcome", "steps", "success"),
    [
        ("{'action': 2, 'reasoning': 'the goal is ahead'}", "ok", {3, 5}, True),
        ("{'action': 'forward'}", "illegal", {9}, False),
        ("{'fault': 'refused', 'message': 'no'}", "refused", {9}, False),
    ],
)
def test_a_model_of_ones_own_can_be_put_in(
    tmp_path: Path, tasks: Path, answer: str, outcome: str, steps: set[int], success: bool
) -> None:
    folder = tmp_path / "exchange"
    with answering(folder, "--policy", "mine", program=own_model(tmp_path, answer)):
        results = results_of(run("multinet-run-eval", *arguments(folder, tasks)).stdout)
    assert {result["steps_taken"] for result in results} == {each["outcomes"][outcome] for each in results} == steps
    assert {result["success"] for result in results} == {success}


def test_a_missing_folder_is_a_wrong_call_and_the_program_explains_itself() -> None:
    refused = run("multinet-run-eval", "--model", "file")
    assert refused.returncode == 2
    assert "model 'file' needs the argument folder" in refused.stderr
    explained = run(ANSWERER, "--help")
    assert explained.returncode == 0
    for fragment in ("folder", "--policy", "--seed", "--poll", "Ctrl-C", "ask_my_model"):
        assert fragment in explained.stdout
