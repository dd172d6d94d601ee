"""The file protocol between whole programs: runs in some processes, ``examples/answer_files.py`` in another."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.programs import Program, command, run, start
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
    assert outcomes(finished.stdout) == {"near": (True, 3), "far": (False, 9)}
    assert (answerer.returncode, printed, told) == (0, "answered 12 requests\n", "")


def test_the_location_of_requests_is_shown_unless_quiet(tmp_path: Path, tasks: Path) -> None:
    folder = tmp_path / "exchange"
    with answering(folder, "--policy", "walk"):
        finished = run("multinet-run-eval", *arguments(folder, tasks))
        (requests,) = folder.iterdir()
        quiet = run("multinet-run-eval", *arguments(folder, tasks, "--quiet"))

    answerer = f"'python examples/answer_files.py {folder}'"
    assert finished.stderr == f"requests are written into {requests}; {answerer} answers them\n"
    assert quiet.stderr == ""


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


def test_files_of_earlier_runs_are_ignored(tmp_path: Path, tasks: Path) -> None:
    """Neither its answers nor its requests, some of which nobody has answered."""
    folder = tmp_path / "exchange"
    with answering(folder, "--policy", "random"):
        run("multinet-run-eval", *arguments(folder, tasks))
    for path in folder.rglob("answer_0002.json"):
        path.unlink()
    with answering(folder, "--policy", "walk"):
        finished = run("multinet-run-eval", *arguments(folder, tasks))

    assert outcomes(finished.stdout) == {"near": (True, 3), "far": (False, 9)}


def test_pictures_and_texts_are_in_the_folder(tmp_path: Path, tasks: Path) -> None:
    folder = tmp_path / "exchange"
    with answering(folder, "--policy", "walk"):
        given = ("--observation", "image+text", "--history-images", "1", "--history-text")
        run("multinet-run-eval", *arguments(folder, tasks, *given))

    (path,) = folder.glob("*/near-seed1/request_0001.json")
    request = json.loads(path.read_text(encoding="utf-8"))
    assert request["text_observation"].startswith("######\n#.>.G#\n")
    assert request["history"] == "Step 1: move_forward: moved one cell forward."
    assert (path.parent / request["image"]).read_bytes() != (path.parent / request["prior_images"][0]).read_bytes()


def test_the_answering_program_explains_itself() -> None:
    finished = run(ANSWERER, "--help")
    assert finished.returncode == 0
    for fragment in ("folder", "--policy", "--seed", "--poll", "Ctrl-C", "ask_my_model"):
        assert fragment in finished.stdout


def own_model(folder: Path, answer: str) -> Path:
    """A copy of the program in which somebody has put a model that always answers the same."""
    source = Path(command(ANSWERER)[1]).read_text(encoding="utf-8")
    before, _, rest = source.partition("    image = folder")
    copy = folder / "my_answers.py"
    copy.write_text(f"{before}    return {answer}\n\n\ndef random_policy{rest.partition('def random_policy')[2]}")
    return copy


def answers_of(tmp_path: Path, tasks: Path, answer: str) -> list[Any]:
    """The results of a run in which a model of one's own always answers the same."""
    program = own_model(tmp_path, answer)
    with answering(tmp_path / "exchange", "--policy", "mine", program=program):
        return results_of(run("multinet-run-eval", *arguments(tmp_path / "exchange", tasks)).stdout)


def test_a_model_of_ones_own_can_be_put_in(tmp_path: Path, tasks: Path) -> None:
    far, near = answers_of(tmp_path, tasks, "{'action': 2, 'reasoning': 'the goal is ahead'}")
    assert (far["steps_taken"], near["steps_taken"], far["success"], near["success"]) == (5, 3, True, True)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("{'action': 'forward'}", "illegal"), ("{'fault': 'refused', 'message': 'no'}", "refused")],
)
def test_answers_without_an_action_lose_the_step(tmp_path: Path, tasks: Path, answer: str, outcome: str) -> None:
    for result in answers_of(tmp_path, tasks, answer):
        assert (result["success"], result["outcomes"][outcome], result["outcomes"]["ok"]) == (False, 9, 0)


def test_the_program_refuses_without_a_model(tmp_path: Path, tasks: Path) -> None:
    with answering(tmp_path / "exchange", "--policy", "mine"):
        finished = run("multinet-run-eval", *arguments(tmp_path / "exchange", tasks))
    assert {result["outcomes"]["refused"] for result in results_of(finished.stdout)} == {9}


def test_unanswered_requests_name_the_program_to_run(tmp_path: Path, tasks: Path) -> None:
    line = ("-M", f"folder={tmp_path / 'x'}", "-M", "timeout=0.05", "--on-infrastructure", "fail")
    finished = run("multinet-run-eval", "--model", "file", *line, "--task-dir", tasks, "--json")
    for result in results_of(finished.stdout):
        assert result["steps_taken"] == 0
        assert result["error"].startswith("infrastructure: no answer after 0.05 s in ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "model 'file' needs the argument folder"),
        (["-M", "folder=x", "-M", "timeout=0"], "model 'file': timeout must be more than 0"),
    ],
)
def test_a_wrong_argument_is_a_wrong_call(options: list[str], message: str) -> None:
    finished = run("multinet-run-eval", "--model", "file", *options)
    assert finished.returncode == 2
    assert message in finished.stderr


def test_the_solvers_output_is_replayed(tmp_path: Path, tasks: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(run("multinet", "tasks", "solve", tasks / "near.json", "--json").stdout, encoding="utf-8")
    (tasks / "far.json").unlink()
    line = ("--model", "replay", "-M", f"file={plan}", "--task-dir", tasks, "--json")
    assert outcomes(run("multinet-run-eval", *line).stdout) == {"near": (True, 3)}


def test_the_greedy_model_is_installed(tasks: Path) -> None:
    finished = run("multinet-run-eval", "--model", "greedy", "--task-dir", tasks, "--json")
    assert outcomes(finished.stdout) == {"near": (True, 3), "far": (True, 5)}
