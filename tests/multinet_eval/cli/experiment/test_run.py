"""``multinet experiment run``: several runs as one, recorded, gone on with and compared."""

import json
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from multinet_adapters.testing.model_servers import MODEL, ChatRequest, serve
from multinet_eval.record.summary import inspect_run
from support.commands import invoke, run_eval
from support.run_folders import request_answer
from support.runs import being_played, results_of, write_corridor

CONDITIONS = """
[[condition]]
name = "picture"

[[condition]]
name = "text"
observation = "text"

[[condition]]
name = "far"
history_text_window = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An experiment of three conditions with two small tasks each, in a folder beside it."""
    write_corridor(tmp_path / "mazes", "a", "@.G", max_steps=4)
    write_corridor(tmp_path / "mazes", "b", "@...G", max_steps=6)
    file = tmp_path / "study.toml"
    file.write_text(
        '[base]\nmodel = "optimal"\nsuite = "mazes"\nexplain = "none"\nbackend_arguments = { tile_size = 8 }\n'
        f"{CONDITIONS}"
    )
    return file


def experiment(file: Path, *options: str | Path, into: str = "out") -> Result:
    return invoke(["experiment", "run", file, "-o", file.parent / into, *options])


def rows(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.stdout)["runs"]
    return found


def asked_by(answer: Callable[[ChatRequest], Any]) -> tuple[Callable[[ChatRequest], Any], list[ChatRequest]]:
    """A server's answer, and the requests that it was asked for."""
    asked: list[ChatRequest] = []

    def note(request: ChatRequest) -> Any:
        asked.append(request)
        return answer(request)

    return note, asked


def served(url: str) -> list[str]:
    return ["--set", f"base_url={url}", "--set", f"model=ollama:{MODEL}"]


# --- One experiment of several runs ------------------------------------------------------------------------------


def test_each_condition_is_an_ordinary_run_and_all_are_one_table(file: Path) -> None:
    finished = experiment(file)
    assert (finished.exit_code, finished.stderr) == (0, "1 of 3: picture\n2 of 3: text\n3 of 3: far\n")
    assert [line.split()[:5] for line in finished.stdout.splitlines()[1:4]] == [
        [name, "2", "2", "of", "2"] for name in ("picture", "text", "far")
    ]
    folder = file.parent / "out"
    assert sorted(path.name for path in folder.iterdir()) == [".notasks", "experiment.json", "far", "picture", "text"]
    for name in ("picture", "text", "far"):
        assert invoke(["runs", "show", folder / name]).exit_code == 0
    assert inspect_run(folder / "text").manifest.settings.presentation.observation == "text"


def test_a_run_is_the_same_however_its_model_and_server_are_written(file: Path) -> None:
    written = file.read_text(encoding="utf-8")
    with serve(request_answer) as server:
        url = server.openai_url
        place = f'base_url = "{url}"'
        ways = {
            "short": f'model = "openai:{MODEL}"\nbase_url = "{url}"',
            "listed": f'models = [{{ model = "openai:{MODEL}", {place} }}]',
            "long": f'model = "openai"\nmodel_arguments = {{ model = "{MODEL}", {place} }}',
        }
        for way, keys in ways.items():
            file.write_text(written.replace('model = "optimal"', keys), encoding="utf-8")
            assert experiment(file, into=way).exit_code == 0
        told = ("-m", f"openai:{MODEL}", "--base-url", url, "--explain", "none")
        where = ("--task-dir", file.parent / "mazes", "-B", "tile_size=8", "--run-dir", file.parent / "command/picture")
        assert run_eval(*told, *where).exit_code == 0
        asked = len(server.chats)
        assert experiment(file, into="short").exit_code == 0  # in the last way
        assert len(server.chats) == asked
    manifests = [json.loads((file.parent / way / "picture/run.json").read_text()) for way in (*ways, "command")]
    assert [each["fingerprint"] for each in manifests] == [manifests[0]["fingerprint"]] * 4
    assert [each["settings"] for each in manifests] == [manifests[0]["settings"]] * 4


def test_commands_on_runs_name_the_runs_of_an_experiment_in_a_command(file: Path) -> None:
    assert experiment(file).exit_code == 0
    folder, other = file.parent / "out", file.parent / "other"
    shutil.copytree(folder / "far", other)
    inside = f"{folder / 'far'} {folder / 'picture'} {folder / 'text'}"
    told = f"error: {folder} is a recorded experiment, expected a run; for its runs: multinet"
    for command in ("leaderboard", "calibrate", "runs verify", "runs rescore"):
        refused = invoke([*command.split(), folder, other])
        assert refused.exit_code == 2
        assert refused.stderr.startswith(f"{told} {command} {inside} {other}")
        assert ("--by" in refused.stderr) == (command in ("leaderboard", "calibrate"))
    (command,) = re.findall("multinet (runs rescore .*)", refused.stderr)
    assert invoke(command.split()).exit_code == 0


def test_the_runs_of_an_experiment_are_compared_condition_by_condition(file: Path) -> None:
    """Text and a history change two things from each other, and are each compared with the base alone."""
    assert experiment(file).exit_code == 0
    compared = invoke(["compare", file.parent / "out", "--json"])
    assert (compared.exit_code, compared.stderr) == (0, "")
    data = json.loads(compared.stdout)
    assert [row["run"] for row in data["runs"]] == ["picture", "text", "far"]
    assert [(row["first"], row["second"]) for row in data["differences"]] == [("picture", "text"), ("picture", "far")]
    text, window = "presentation.observation", "presentation.history_text_window"
    assert data["untested"] == [["text", "far", [window, text]]]
    assert [(row["condition"], row["first"], row["second"]) for row in data["effects"]] == [
        (text, "observation=image", "observation=text"),
        (window, "history_text_window=0", "history_text_window=3"),
    ]
    shown = invoke(["compare", file.parent / "out"]).stdout
    assert shown.index("Effect of each condition, with the others held fixed") < shown.index("Differences\n")
    assert "1 pair of runs not compared, since they differ in several conditions." in shown


def test_an_experiment_of_which_nothing_has_been_played_is_not_compared(file: Path) -> None:
    assert experiment(file).exit_code == 0
    for name in ("picture", "text", "far"):
        shutil.rmtree(file.parent / "out" / name)
    refused = invoke(["compare", file.parent / "out"])
    assert refused.exit_code == 1
    assert "no run of this experiment has begun" in refused.stderr


@pytest.mark.parametrize("command", ["leaderboard", "calibrate"])
def test_the_command_for_the_runs_of_an_experiment_declares_what_it_varies(file: Path, command: str) -> None:
    assert experiment(file).exit_code == 0
    refused = invoke([command, file.parent / "out"])
    (proposed,) = re.findall(f"multinet ({command} .*)", refused.stderr)
    options = re.findall("--by ([^ ]+)", proposed)
    assert "presentation.observation" in options
    accepted = invoke(proposed.split())
    assert "cannot be compared" not in accepted.stderr
    for option in options:  # each of them is needed
        fewer = proposed.replace(f"--by {option}", "").split()
        assert "undeclared conditions differ" in invoke(fewer).stderr


def test_a_row_has_success_with_its_interval_and_what_it_took(file: Path) -> None:
    row = rows(experiment(file, "--json"))[0]
    assert (row["condition"], row["model_name"], row["suite"], row["folder"]) == (
        "picture",
        "optimal",
        "mazes",
        "picture",
    )
    assert (row["requests"], row["actions"], row["tokens"], row["complete"]) == (6, 6, None, True)
    assert (row["results"]["num_success"], row["results"]["spl"]) == (2, 1.0)
    assert row["results"]["success_interval"][1] == 1.0


def test_a_row_for_each_tiling_and_each_model_tells_which_it_is(file: Path) -> None:
    text = file.read_text().replace('model = "optimal"', 'models = ["optimal", "random"]')
    file.write_text(text.replace("{ tile_size = 8 }", '{ render_mode = "none" }') + 'tilings = ["square", "hex"]\n')
    finished = experiment(file)
    cells = [line.split()[:4] for line in finished.stdout.splitlines()]
    assert cells[0] == ["Condition", "Model", "Backend", "Tiling"]
    assert [row for row in cells if row[:1] == ["far"]] == [
        ["far", model, "multigrid", tiling] for model in ("optimal", "random") for tiling in ("square", "hex")
    ]


# --- Going on ----------------------------------------------------------------------------------------------------


def test_run_again_it_asks_nothing_and_tells_the_same(file: Path) -> None:
    answer, asked = asked_by(request_answer)
    with serve(answer) as server:
        first = experiment(file, *served(server.ollama_url), "--json")
        before = len(asked)
        again = experiment(file, *served(server.ollama_url), "--json")
    assert first.exit_code == again.exit_code == 0
    assert before > 0
    assert len(asked) == before
    assert first.stdout == again.stdout


def test_limits_apply_to_the_whole_experiment(file: Path) -> None:
    with serve(request_answer) as server:
        model = served(server.ollama_url)
        whole = rows(experiment(file, *model, "--json", into="whole"))
        limit = whole[0]["requests"] + 3
        left = experiment(file, *model, "--max-requests", str(limit), "--json")
        assert left.exit_code == 1
        assert (
            f"the limit of {limit} requests is reached; raise or remove it, and continue with the same command"
            in left.stderr
        )
        assert [row["complete"] for row in rows(left)] == [True, False, False]
        assert sum(row["requests"] for row in rows(left)) <= limit
        assert experiment(file, *model, "-q").exit_code == 0
    for name in ("picture", "text", "far"):
        assert results_of(file.parent / "out" / name) == results_of(file.parent / "whole" / name)


def test_ctrl_c_keeps_what_was_done(file: Path) -> None:
    asked = 0

    def interrupt(request: ChatRequest) -> str:
        nonlocal asked
        asked += 1
        if asked == 12:
            os.kill(os.getpid(), signal.SIGINT)
        return request_answer(request)

    with serve(interrupt) as server:
        left = experiment(file, *served(server.ollama_url), "--json")
        assert left.exit_code == 130
        assert threading.current_thread() is threading.main_thread()
        begun = [row["complete"] for row in rows(left)]
        assert begun != [True, True, True]
        assert experiment(file, *served(server.ollama_url), "-q").exit_code == 0
        experiment(file, *served(server.ollama_url), "-q", into="whole")
    for name in ("picture", "text", "far"):
        assert results_of(file.parent / "out" / name) == results_of(file.parent / "whole" / name)


def test_another_experiment_in_the_folder_is_refused(file: Path) -> None:
    experiment(file, "-q")
    file.write_text(file.read_text().replace("= 3", "= 4"))
    write_corridor(file.parent / "mazes", "c")
    refused = experiment(file)
    assert refused.exit_code == 2
    assert "holds another experiment: choose another folder with --output" in refused.stderr
    assert "far.settings.presentation.history_text_window: 3 in the run, 4 now" in refused.stderr
    assert "text.suite: " in refused.stderr


def test_a_folder_with_something_else_in_it_is_left_alone(file: Path) -> None:
    (file.parent / "out").mkdir()
    (file.parent / "out" / "mine.txt").write_text("mine")
    refused = experiment(file)
    assert refused.exit_code == 2
    assert "is not empty, expected a new folder" in refused.stderr
    assert [path.name for path in (file.parent / "out").iterdir()] == ["mine.txt"]


def test_a_second_process_is_refused_while_one_plays(file: Path) -> None:
    experiment(file, "-q", "--max-requests", "2")
    with being_played(file.parent / "out"):
        refused = experiment(file)
    assert refused.exit_code == 1
    assert f"{file.parent / 'out'} is being played by process" in refused.stderr
    assert experiment(file, "-q").exit_code == 0


# --- What goes wrong ---------------------------------------------------------------------------------------------


def test_a_condition_that_fails_is_told_and_the_others_are_played(file: Path) -> None:
    file.write_text(f'{file.read_text()}\n[[condition]]\nname = "last"\nepochs = 2\n')
    changed = file.read_text().replace(
        'name = "text"\n', 'name = "text"\nmodel = "ollama"\nmodel_arguments = { model = "gone" }\n'
    )
    with serve(request_answer) as server:
        address = f'model = "gone", base_url = "{server.ollama_url}"'
        file.write_text(changed.replace('model = "gone"', address))
        finished = experiment(file)
    assert finished.exit_code == 1
    assert "error: text: model 'ollama/gone' is not ready: " in finished.stderr
    table = finished.stdout
    assert [line.split()[:6] for line in table.splitlines() if line.startswith("last")] == [
        ["last", "optimal", "2", "4", "of", "4"]
    ]
    assert "not all episodes were played" in table


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('model = "greedy"\nprotocol = "plan"', "condition 'bad': model 'greedy' replies with a single action"),
        ('backend = "minigrid"\ntilings = "hex"', "'bad'): --tiling hex: backend 'minigrid'"),
        ('suite = "nowhere"', "condition 'bad': unknown benchmark 'nowhere'"),
        ("examples = 99", "condition 'bad': examples: 99 requested"),
        ('examples = 1\nexamples_from = "nowhere"', "condition 'bad': unknown benchmark 'nowhere'"),
        ('observation = "text"\nseed = 1\nprotocol = "chunk"', "condition 'bad': protocol 'chunk' needs a value"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is(file: Path, written: str, message: str) -> None:
    file.write_text(f'{file.read_text()}\n[[condition]]\nname = "bad"\n{written}\n')
    refused = experiment(file)
    assert refused.exit_code == 2
    assert message in refused.stderr
    assert not (file.parent / "out").exists()


# --- Before it is played -----------------------------------------------------------------------------------------


def test_a_dry_run_tells_what_each_run_and_all_of_them_would_take(file: Path) -> None:
    answer, asked = asked_by(request_answer)
    with serve(answer) as server:
        finished = experiment(file, *served(server.ollama_url), "--dry-run")
        forecasts = json.loads(experiment(file, *served(server.ollama_url), "--dry-run", "--json").stdout)
    assert asked == []
    assert not (file.parent / "out").exists()
    rows = [line.split()[:4] for line in finished.stdout.splitlines()]
    first = next(number for number, row in enumerate(rows) if row[:1] == ["picture"])
    assert rows[first : first + 4] == [
        ["picture", "2", "10", "10"], ["text", "2", "10", "0"], ["far", "2", "10", "10"], ["all", "6", "30", "20"],
    ]  # fmt: skip
    assert [each["requests"]["most"] for each in forecasts] == [10, 10, 10]


def test_prices_make_it_money(file: Path, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(f'["ollama/{MODEL}"]\ninput = 1000\noutput = 2000\n')
    with serve(request_answer) as server:
        options = [*served(server.ollama_url), "--prices", tmp_path / "prices.toml"]
        assert "Cost" in experiment(file, *options, "--dry-run").stdout
        stopped = experiment(file, *options, "--max-cost", "0.5", "--json")
    assert stopped.exit_code == 1
    assert "the limit of a cost of 0.5 is reached" in stopped.stderr


def test_a_dry_run_counts_what_is_left(file: Path) -> None:
    with serve(request_answer) as server:
        line = served(server.ollama_url)
        assert experiment(file, *line, "-q", "--max-requests", "12").exit_code == 1
        asked = len(server.chats)
        told = experiment(file, *line, "--dry-run", "--json")
        assert len(server.chats) == asked
        assert "without finished episodes of" in told.stderr
        left = json.loads(told.stdout)
        assert [each["episodes"] for each in left] == [
            2 - sum(episode.state == "finished" for episode in inspect_run(path).episodes) if path.exists() else 2
            for path in (file.parent / "out" / name for name in ("picture", "text", "far"))
        ]
        assert left[0]["episodes"] < 2
        assert experiment(file, *line, "-q").exit_code == 0
        nothing = json.loads(experiment(file, *line, "--dry-run", "--json").stdout)
    assert [(each["episodes"], each["requests"]) for each in nothing] == [(0, {"least": 0, "most": 0})] * 3
