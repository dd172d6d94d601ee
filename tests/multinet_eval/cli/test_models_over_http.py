"""Whole runs with models behind servers: what is asked, what is scored, and what is said when nobody answers."""

import json
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from gridworld.actions import ACTION_SPACE
from gridworld.plugins import get_registry
from gridworld.solver.plans import winning_plan
from gridworld.suites import load_benchmark
from multinet_adapters.testing.model_servers import (
    MODEL,
    Answer,
    ChatRequest,
    ModelServer,
    Reply,
    Status,
    action_json,
    refused_address,
    serve,
)
from support.commands import run
from support.programs import Finished, words
from support.runs import outcomes
from support.worlds import compiled


@pytest.fixture(scope="module")
def plans() -> list[list[str]]:
    """The shortest plans of validation_10, in the order of its tasks."""
    tasks = load_benchmark(get_registry().benchmarks.get("validation_10"))
    return [[ACTION_SPACE[action] for action in winning_plan(compiled(task))] for task in tasks]


class Planner:
    """Answers with the plan of the task that is being played: a request for the first step begins the next one."""

    def __init__(self, plans: list[list[str]]) -> None:
        self._plans = iter(plans)
        self._plan: list[str] = []

    def __call__(self, request: ChatRequest) -> Reply | str:
        step = next(number for number in count(1) if f"This is step {number} of" in request.text)
        if step == 1:
            self._plan = next(self._plans)
        return action_json(self._plan[step - 1])


SMALL = ("-B", "tile_size=8")


def evaluate(
    server: ModelServer,
    *options: str | Path,
    model: str = "ollama",
    backend: tuple[str, ...] = SMALL,
    variables: dict[str, str] | None = None,
) -> Finished:
    url = server.openai_url if model == "openai" else server.ollama_url
    arguments = ("--benchmark", "validation_10", "--model", model, "-M", f"base_url={url}", "-M", f"model={MODEL}")
    return run("multinet-run-eval", *arguments, *backend, *options, variables=variables)


def results_of(finished: Finished) -> Any:
    assert (finished.returncode, finished.stderr) == (0, "")
    return json.loads(finished.stdout)


@pytest.mark.parametrize("model", ["ollama", "openai"])
def test_shortest_plans_from_a_server_win_validation_10(plans: list[list[str]], model: str) -> None:
    steps = sum(map(len, plans))
    with serve(Planner(plans)) as server:
        results = results_of(evaluate(server, "--json", "--explain", "none", model=model))

    assert (results["num_tasks"], results["num_success"], results["spl"]) == (10, 10, 1.0)
    assert results["outcomes"] == outcomes(ok=steps)
    assert results["model_name"] == f"{model}/{MODEL}"
    assert (results["usage"]["prompt_tokens"], results["usage"]["completion_tokens"]) == (321 * steps, 45 * steps)
    assert len(server.chats) == steps
    assert all(len(chat.images) == 1 for chat in server.chats)


def test_an_unreachable_server_ends_the_run_before_any_episode(tmp_path: Path) -> None:
    address, output = refused_address(), tmp_path / "results.json"
    finished = run(
        "multinet-run-eval", "-m", "ollama", "-M", f"base_url={address}", "-M", f"model={MODEL}", "-o", output
    )

    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith(f"error: model 'ollama/{MODEL}' is not ready: ")
    assert finished.stderr.count("\n") == 1
    for part in (address, "/api/tags", "ollama serve", "base_url"):
        assert part in finished.stderr
    assert not output.exists()


GONE = {
    404: ("no such model", f"does it have the model '{MODEL}'"),
    401: ("wrong credential", "api_key_env"),
}


@pytest.mark.parametrize(("status", "backend"), [(404, SMALL), (401, ("--tiling", "all"))])
def test_a_fault_that_will_not_pass_ends_the_run_after_one_request(status: int, backend: tuple[str, ...]) -> None:
    said, advice = GONE[status]
    with serve(lambda request: Status(status, said)) as server:
        finished = evaluate(server, "--json", model="openai", backend=backend)

    assert (finished.returncode, len(server.chats)) == (1, 1)
    line = words(finished.stderr)
    assert line.startswith(f"stopped at v01_empty_room: infrastructure: the server says (HTTP {status}): {said}; ")
    assert advice in line
    assert line.endswith("(asking again cannot help)")
    assert finished.stderr.count("\n") == 1
    results = json.loads(finished.stdout)
    (played,) = results["tilings"].values() if "--tiling" in backend else (results,)
    assert (results["complete"], played["num_tasks"], played["num_unscored"]) == (False, 1, 1)


@pytest.mark.parametrize("workers", [1, pytest.param(10, marks=pytest.mark.more)])
def test_a_run_ended_by_a_refused_credential_can_be_resumed(
    plans: list[list[str]], tmp_path: Path, workers: int
) -> None:
    """The credential is refused after the first answer, since a run without any is not recorded."""
    all_at_once = Barrier(workers, timeout=60)

    def refuse(request: ChatRequest) -> Reply | str:
        if request.number == 0:
            return action_json("turn_left")
        all_at_once.wait()
        return Status(401, "wrong credential")

    directory = tmp_path / "run"
    with serve(refuse) as server:
        finished = evaluate(server, "--workers", str(workers), "--run-dir", directory)
    assert (finished.returncode, len(server.chats)) == (1, workers + 1)
    assert f"continue with: multinet runs resume {directory}" in finished.stderr
    assert not (directory / "results.json").exists()
    shown = json.loads(run("multinet", "runs", "show", directory, "--json").stdout)
    assert (shown["run"]["status"], shown["run"]["finished"], shown["run"]["begun"]) == ("unfinished", 0, workers)
    assert [each["state"] for each in shown["episodes"]].count("unfinished") == workers
    rows = tmp_path / "rows.jsonl"
    assert run("multinet", "runs", "export", directory, "--format", "jsonl", "-o", rows).returncode == 0
    assert [json.loads(row)["finished"] for row in rows.read_text().splitlines()] == [False] * len(plans)
    verified = run("multinet", "runs", "verify", directory, "--json")
    assert [json.loads(verified.stdout)["runs"][0][key] for key in ("consistent", "complete")] == [True, False]

    with serve(Planner(plans)) as server:
        again = run("multinet", "runs", "resume", directory, "-M", f"base_url={server.ollama_url}", "--workers", "1")
    assert (again.returncode, json.loads((directory / "results.json").read_text())["num_success"]) == (0, 10)


def test_episodes_after_the_server_is_gone_are_not_scored(plans: list[list[str]]) -> None:
    planner = Planner(plans)
    first = len(plans[0])

    def answer(request: ChatRequest) -> Reply | str:
        return planner(request) if request.number < first else Status(500, "out of memory")

    with serve(answer) as server:
        finished = evaluate(server, "--on-infrastructure", "fail", "--json")

    assert finished.returncode == 1
    results = json.loads(finished.stdout)
    assert (results["num_tasks"], results["num_success"], results["num_unscored"]) == (10, 1, 9)
    assert results["success_rate"] == 1.0
    assert all("out of memory" in result["error"] for result in results["task_results"][1:])


@pytest.mark.parametrize(("name", "hint"), [("gridplayer", f" (did you mean '{MODEL}'?)"), ("quite another", "")])
def test_a_name_that_the_server_does_not_list_is_warned_of_once(tasks: Path, name: str, hint: str) -> None:
    with serve(lambda request: "Action: move_forward", models=[MODEL, name]) as server:
        server.listed = (MODEL,)
        options = ("-m", f"openai:{name}", "--base-url", server.openai_url, "--task-dir", tasks, *SMALL)
        finished = run("multinet-run-eval", *options)
        quiet = run("multinet-run-eval", *options, "--quiet")
    assert finished.stderr == f"warning: {server.openai_url} does not list '{name}'{hint}\n"
    assert (finished.returncode, quiet.stderr) == (0, "")


def run_into(answer: Answer, folder: Path, *options: str | Path) -> Finished:
    """Record a run whose first request is answered, and that ends by a fault at the second."""

    def begin(request: ChatRequest) -> Reply | str:
        return action_json("turn_left") if request.number == 0 else answer(request)

    with serve(begin) as server:
        finished = evaluate(server, "--run-dir", folder, *options, model="openai")
    assert finished.returncode == 1
    return finished


@pytest.mark.parametrize(
    ("status", "said", "options"),
    [
        (400, "At most 1 image(s) may be provided", None),
        (422, "out of order", ""),
        (404, "no such model", " --base-url URL"),
        (401, "wrong key", ""),
    ],
)
def test_a_run_is_told_to_be_resumed_only_where_that_can_help(
    tmp_path: Path, status: int, said: str, options: str | None
) -> None:
    folder = tmp_path / "run"
    told = run_into(lambda request: Status(status, said), folder).stderr
    lines = [line for line in told.splitlines() if line.startswith("continue with: ")]
    assert lines == ([] if options is None else [f"continue with: multinet runs resume {folder}{options}"])


# --- what is never answered ----------------------------------------------------------------------------------------

NOTHING = "no request was answered, so nothing is recorded; start again when this is fixed"


@pytest.mark.parametrize(
    ("status", "said"),
    [(404, "model 'gridplayr' not found"), (401, "wrong key"), (404, "Not Found"), (402, "no credit")],
)
def test_a_new_run_without_any_answer_leaves_no_folder(tmp_path: Path, status: int, said: str) -> None:
    folder, default = tmp_path / "run", tmp_path / "runs"
    with serve(lambda request: Status(status, said)) as server:
        finished = evaluate(server, "--run-dir", folder, model="openai")
        unnamed = evaluate(
            server, "--quiet", model="openai", variables={"MULTINET_NO_RECORD": "", "MULTINET_RUNS": str(default)}
        )
        unrecorded = evaluate(server, "--no-record", model="openai")
        assert len(server.chats) == 3
    for each in (finished, unnamed):
        assert (each.returncode, each.stderr.splitlines()[-1]) == (1, NOTHING)
        assert "resume" not in each.stderr
        assert said in each.stderr
    assert NOTHING not in unrecorded.stderr
    assert not folder.exists()
    assert not default.exists()


def test_the_nearest_names_that_the_server_lists_are_named_for_one_that_it_does_not_know(tasks: Path) -> None:
    names = [f"model-{number:02}" for number in range(30)]
    with serve(lambda request: Status(404, "model 'model-7' not found"), models=[*names, "model-7"]) as server:
        server.listed = tuple(names)
        options = ("--base-url", server.openai_url, "--task-dir", tasks, *SMALL)
        finished = run("multinet-run-eval", "-m", "openai:model-7", *options, "--quiet")
    line = words(finished.stderr)
    assert "the server says (HTTP 404): model 'model-7' not found; " in line
    assert "it lists: model-07, " in line
    assert " and 20 more" in line


def test_a_resumed_run_keeps_its_folder_though_nothing_is_answered(tasks: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with serve(lambda request: Status(500, "broken")) as server:
        options = ("-m", f"openai:{MODEL}", "--base-url", server.openai_url, "--task-dir", tasks, *SMALL)
        begun = run("multinet-run-eval", *options, "--run-dir", folder, "--max-requests", "1")
    assert (begun.returncode, folder.exists()) == (1, True)
    with serve(lambda request: Status(401, "wrong key")) as server:
        resume = ("--base-url", server.openai_url, "--max-requests", "none")
        resumed = run("multinet", "runs", "resume", folder, *resume)
    assert resumed.returncode == 1
    assert f"continue with: multinet runs resume {folder}" in resumed.stderr
    assert (folder / "run.json").exists()


@pytest.mark.parametrize("command", ["probe", "diagnose"])
def test_probings_and_diagnoses_without_any_answer_leave_no_folder(command: str, tasks: Path, tmp_path: Path) -> None:
    folder = tmp_path / "record"
    with serve(lambda request: Status(404, f"model '{MODEL}' not found")) as server:
        options = ("-m", f"openai:{MODEL}", "--base-url", server.openai_url, "--run-dir", folder)
        finished = run("multinet", command, tasks, *options)
        assert len(server.chats) == 1
    assert (finished.returncode, finished.stderr.splitlines()[-1]) == (1, NOTHING)
    assert "resume" not in finished.stderr
    assert not folder.exists()


def test_a_condition_of_an_experiment_without_any_answer_is_played_anew(tasks: Path, tmp_path: Path) -> None:
    file, record = tmp_path / "study.toml", tmp_path / "record"
    replies: list[Reply | str] = [Status(401, "wrong key")]
    with serve(lambda request: replies.pop() if replies else action_json("move_forward")) as server:
        arguments = f'model_arguments = {{ model = "{MODEL}", base_url = "{server.openai_url}" }}'
        base = f'[base]\nmodel = "openai"\nsuite = "{tasks}"\n{arguments}\n'
        file.write_text(f'{base}[[condition]]\nname = "first"\n[[condition]]\nname = "second"\nseed = 3\n')
        failed = run("multinet", "experiment", "run", file, "-o", record)
        there = [(record / name / "run.json").exists() for name in ("first", "second")]
        again = run("multinet", "experiment", "run", file, "-o", record)
    assert (failed.returncode, there, again.returncode) == (1, [False, True], 0)
    assert "wrong key" in failed.stderr


# --- what servers refuse -------------------------------------------------------------------------------------------


def test_a_refused_part_is_said_once_and_stands_in_the_results(tasks: Path, tmp_path: Path) -> None:
    refusal = "response_format is not supported by this server"

    def answer(request: ChatRequest) -> Reply | str:
        return Status(400, refusal) if "response_format" in request.body else "Action: move_forward"

    with serve(answer) as server:
        options = ["-M", f"base_url={server.openai_url}", "-M", f"model={MODEL}", "-o", tmp_path / "results.json"]
        finished = run("multinet-run-eval", "-m", "openai", "--task-dir", tasks, *SMALL, *options)
    assert finished.returncode == 0
    assert finished.stderr.count("the server refuses structured output") == 1
    assert "(from the start with -M structured=false)" in finished.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert [(each["refused"], each["reason"]) for each in results["adjustments"]] == [("structured output", refusal)]
    assert results["num_unscored"] == 0
    assert sum("response_format" in chat.body for chat in server.chats) == 1


def test_name_and_address_of_a_model_have_a_short_form(tasks: Path, tmp_path: Path) -> None:
    short = (f"openai:{MODEL}", "--base-url")
    one = ("--task-dir", tasks, "--tier", "1")
    with serve(lambda request: action_json("done")) as server:
        options = (server.openai_url, "-M", "reasoning_length=80", *SMALL, *one, "--run-dir", tmp_path / "run")
        played = run("multinet-run-eval", "-m", *short, *options)
        assert played.returncode == 0, played.stderr
        assert {chat.body["model"] for chat in server.chats} == {MODEL}
        schema = server.chats[0].body["response_format"]["json_schema"]["schema"]
        assert schema["properties"]["reasoning"]["maxLength"] == 80
        for command in (("probe", tasks, "--dry-run"), ("diagnose", tasks, "--dry-run")):
            assert run("multinet", *command, "-m", *short, server.openai_url).returncode == 0
        shown = run("multinet", "prompts", "show", "validation_10/v01_empty_room", "-m", *short, server.openai_url)
        checked = run("multinet", "models", "check", *short, server.openai_url, "--observation", "text")
    assert f"openai/{MODEL}" in checked.stdout
    assert f"openai/{MODEL} at step 1" in shown.stdout
    manifest = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert manifest["settings"]["model"] == "openai"
    recorded = {f"model={MODEL}", f"base_url={server.openai_url}", "reasoning_length=80"}
    assert set(manifest["settings"]["model_arguments"]) == recorded
