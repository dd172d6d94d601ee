"""``multinet models check``: what is said of models that can play, and of those that cannot."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from multinet_adapters.testing.model_servers import (
    MODEL,
    Hang,
    ModelServer,
    refused_address,
    serve,
)
from support.model_servers import sighted
from support.programs import Finished, assert_refused, run, start


def arguments(address: str, name: str = MODEL) -> tuple[str, ...]:
    return ("-M", f"model={name}", "-M", f"base_url={address}")


def check(server: ModelServer, *options: str, model: str = "ollama", name: str = MODEL, **others: Any) -> Finished:
    address = {"ollama": server.ollama_url, "anthropic": server.anthropic_url}.get(model, server.openai_url)
    return run("multinet", "models", "check", model, *arguments(address, name), *options, **others)


def verdicts(finished: Finished) -> dict[str, bool]:
    """Check to verdict, as ``--json`` tells."""
    assert finished.stderr == ""
    told = json.loads(finished.stdout)
    assert told["passed"] == all(each["passed"] for each in told["checks"])
    assert finished.returncode == (0 if told["passed"] else 1)
    return {each["name"]: each["passed"] for each in told["checks"]}


def messages(finished: Finished) -> dict[str, str]:
    return {each["name"]: each["message"] for each in json.loads(finished.stdout)["checks"]}


@pytest.mark.parametrize("model", ["ollama", "openai", "lmstudio", "anthropic"])
def test_a_good_server_passes_every_check(model: str) -> None:
    with serve(sighted) as server:
        finished = check(server, "--json", model=model)
    assert verdicts(finished) == {
        "the server is reachable": True,
        "it has the model": True,
        "it reads the system message": True,
        "the model sees a picture": True,
        "how many pictures a request can hold": True,
        "it can tell the order of two pictures": True,
        "it answers in the required format": True,
        "what the server accepts": True,
        "time of one call": True,
    }
    assert json.loads(finished.stdout)["model"] == f"{model}/{MODEL}"
    assert all(each["seconds"] >= 0 for each in json.loads(finished.stdout)["checks"])


def test_without_json_it_is_a_table_with_what_was_found() -> None:
    with serve(sighted) as server:
        finished = check(server)
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in finished.stdout.splitlines()]
    assert lines[0] == f"ollama/{MODEL}"
    (line,) = (line for line in lines if line.startswith("it has the model"))
    assert line.startswith("it has the model passed 0.")
    assert line.endswith(f"'{MODEL}'")
    assert lines[-1] == "9 passed, 0 failed"


def test_a_server_that_nobody_has_started_is_told_with_what_to_do() -> None:
    address = refused_address()
    finished = run("multinet", "models", "check", "ollama", *arguments(address))
    assert (finished.returncode, finished.stderr) == (1, "")
    lines = finished.stdout.splitlines()
    (reason,) = (line for line in lines if address in line)
    assert "ollama serve" in reason
    assert lines[lines.index(reason) - 1] == "failed: the server is reachable"
    assert lines[-1] == "0 passed, 1 failed"


def test_of_a_model_that_is_not_there_the_nearest_name_is_told() -> None:
    with serve(sighted) as server:
        finished = check(server, "--json", name="gridplayer:3b")
    assert verdicts(finished) == {"the server is reachable": True, "it has the model": False}
    assert f"did you mean '{MODEL}'?" in messages(finished)["it has the model"]
    assert server.chats == []


# Models without checks of their own


@pytest.mark.parametrize(("model", "action"), [("optimal", "move_forward"), ("greedy", "move_forward")])
def test_a_model_without_checks_is_asked_for_one_step(model: str, action: str) -> None:
    finished = run("multinet", "models", "check", model, "--json")
    assert verdicts(finished) == {"it answers a question": True}
    assert messages(finished) == {"it answers a question": f"it answered {action}"}


def test_a_model_without_checks_that_has_no_answer_fails(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"elsewhere": [2]}')
    finished = run("multinet", "models", "check", "replay", "-M", "file=plan.json", "--json", cwd=tmp_path)
    assert verdicts(finished) == {"it answers a question": False}
    assert messages(finished)["it answers a question"].startswith("empty: plan.json has no actions for the task")


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("talker", ["-M", "script=crash"], "model 'walker' failed at step 1: LookupError: out of words"),
        ("talker", ["-M", "script=infrastructure"], "infrastructure: this is infrastructure"),
        ("confused", [], "illegal: 9 is not in the action space"),
        ("unready", [], "model 'walker' is not ready: nobody listens; start the server"),
    ],
    ids=str,
)
def test_a_model_of_a_third_party_that_fails_is_told_so(
    third_party: Path, model: str, options: list[str], message: str
) -> None:
    finished = run("multinet", "models", "check", model, *options, "--json", path=[third_party])
    assert finished.returncode == 1
    ((check, said),) = messages(finished).items()
    assert check == "it answers a question"
    assert said.startswith(message)


def test_a_model_that_cannot_be_closed_is_told_of(third_party: Path) -> None:
    finished = run("multinet", "models", "check", "clinging", path=[third_party])
    assert_refused(finished, "error: model 'walker' failed when it was closed: OSError: still in use", exit_code=1)


# Wrong calls


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["olama"], ["unknown model 'olama' (did you mean 'ollama'?)"]),
        (["ollama"], ["model 'ollama' needs the argument model"]),
        (["ollama", "-M", "model=x", "-M", "base_url=localhost"], ["base_url: expected an address such as http://"]),
        (["openai", "-M", "model=x"], ["model 'openai' needs the argument base_url"]),
        (["human"], ["model 'human' needs a terminal"]),
        ([], ["Missing argument 'NAME'"]),
    ],
    ids=" ".join,
)
def test_a_wrong_call_is_refused(options: list[str], said: list[str]) -> None:
    assert_refused(run("multinet", "models", "check", *options), *said)


def test_ctrl_c_while_a_server_is_waited_for_ends_it_with_a_word() -> None:
    with serve(lambda request: Hang()) as server:
        process = start("multinet", "models", "check", "ollama", *arguments(server.ollama_url))
        while not server.chats and process.poll() is None:
            server.closing.wait(0.05)
        os.kill(process.pid, signal.SIGINT)
        said, complained = process.communicate(timeout=60)
    assert (process.returncode, said, complained) == (130, "", "interrupted\n")
