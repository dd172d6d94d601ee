"""``multinet models check``: what is said of models that can play, and of those that cannot."""

import json
import os
import re
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from gridworld.model_interface import AnswerOutcome
from gridworld.plugins import load_registry, using_registry
from gridworld.runner.presentation import Presentation
from multinet_adapters.testing.model_servers import (
    MODEL,
    ChatRequest,
    Hang,
    ModelServer,
    Reply,
    Status,
    Text,
    action_json,
    refused_address,
    serve,
)
from multinet_eval.play import readiness
from multinet_eval.probing.model_check import check_model
from support.commands import multinet, run
from support.model_servers import ChatServer, Raw, model_arguments, said
from support.plugins import install_models
from support.programs import Finished, everything_written_to, start
from support.runs import AnsweringModel
from support.sighted_model import is_asked_to_act, schema_of, sighted


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
        "pictures in a request": True,
        "order of two pictures": True,
        "format of the answer": True,
        "JSON schemas": True,
        "what the server accepts": True,
        "what an answer takes": True,
    }
    assert json.loads(finished.stdout)["model"] == f"{model}/{MODEL}"
    assert all(each["seconds"] >= 0 for each in json.loads(finished.stdout)["checks"])


def test_on_a_pipe_each_check_is_a_line_with_its_finding_below() -> None:
    with serve(sighted) as server:
        finished = check(server)
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = finished.stdout.splitlines()
    assert lines[0] == f"ollama/{MODEL}"
    assert re.fullmatch(r"passed: it has the model \(\d+\.\d s\)", lines[3])
    assert lines[4] == f"  '{MODEL}'"
    assert lines[-5:-3] == ["10 passed, 0 failed", ""]
    assert lines[-1] == f"  multinet-run-eval --model ollama:{MODEL} --base-url {server.ollama_url}"
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("width", [80, pytest.param(200, marks=pytest.mark.more)])
def test_on_a_terminal_it_is_a_table_of_at_most_100_columns_and_progress_is_shown(width: int) -> None:
    def refuses(request: ChatRequest) -> Reply | str:
        return Status(400, f"this model takes no images, {'whatever ' * 20}") if request.images else sighted(request)

    leader, follower = os.openpty()
    with serve(refuses) as server:
        variables = {"COLUMNS": str(width), "TERM": "xterm"}
        address = arguments(server.ollama_url)
        told = ("models", "check", "ollama", *address)
        process = start("multinet", *told, variables=variables, stdout=follower, stderr=follower)
        os.close(follower)
        shown = everything_written_to(leader)
        process.wait(60)
    lines = [line.rsplit("\r", 1)[-1] for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).split("\r\n")]
    assert process.returncode == 1
    assert "checking: the model sees a picture" in shown
    (heading,) = (number for number, line in enumerate(lines) if line.split()[:2] == ["Check", "Result"])
    assert max(map(len, lines[heading:])) <= width
    assert max(len(line) for line in lines[heading:] if "passed" in line) <= 100
    assert any(line.startswith("failed: the model sees a picture: ") for line in lines)


# --- what a run needs ----


def proposed(finished: Finished) -> list[str]:
    """The words of the proposed command after the address."""
    words: list[str] = json.loads(finished.stdout)["command"].split()
    return words[words.index("--base-url") + 2 :]


def test_a_model_that_only_reads_is_not_failed_for_pictures_that_a_run_does_not_show() -> None:
    def blind(request: ChatRequest) -> Reply | str:
        return Status(400, "this model takes no images") if request.images else sighted(request)

    with serve(blind) as server:
        as_usual = check(server, "--json")
        before = len(server.chats)
        reading = check(server, "--json", "--observation", "text")
        assert not any(chat.images for chat in server.chats[before:])
        both = check(server, "--json", "--observation", "image+map")
    assert not verdicts(as_usual)["the model sees a picture"]
    assert proposed(as_usual) == ["--observation", "text"]
    assert proposed(both) == ["--observation", "map"]
    assert "the model sees a picture" not in verdicts(reading)
    assert reading.returncode == 0
    assert proposed(reading) == ["--observation", "text"]


def test_a_question_of_the_check_is_the_first_one_of_a_run() -> None:
    with serve(sighted) as server:
        check(server, "--json")
        asked = [chat for chat in server.chats if is_asked_to_act(chat)]
        address = arguments(server.ollama_url)
        assert run("multinet-run-eval", "-m", "ollama", *address, "--max-requests", "1").returncode == 1
    assert [len(chat.images) for chat in asked] == [6, 6]
    assert asked[0].body["messages"] == server.chats[-1].body["messages"]


def test_for_a_server_that_takes_few_pictures_those_of_the_legend_are_left_out() -> None:
    def holds_three(request: ChatRequest) -> Reply | str:
        return Status(400, "At most 3 image(s) may be provided") if len(request.images) > 3 else sighted(request)

    with serve(holds_three) as server:
        finished = check(server, "--json")
        assert finished.returncode == 0
        words = json.loads(finished.stdout)["command"].split()[1:]
        assert run("multinet-run-eval", *words, "--max-requests", "1").stderr.count("At most 3") == 0
    assert proposed(finished) == ["--explain", "rules"]
    assert messages(finished)["pictures in a request"].startswith("3: a first request has 6, those of the legend")


@pytest.mark.parametrize(
    ("message", "option"),
    [
        ("This response_format type is unavailable now", "structured=false"),
        ("System role not supported", "system_message=false"),
        ("temperature is not supported with this model", "temperature=none"),
    ],
)
def test_the_argument_that_leaves_out_what_a_server_refuses_is_proposed(message: str, option: str) -> None:
    def refuses(request: ChatRequest) -> Reply | str:
        roles = {each["role"] for each in request.messages}
        sent = {
            "structured": schema_of(request) is not None,
            "system_message": "system" in roles,
            "temperature": "temperature" in request.body.get("options", {}),
        }
        return Status(400, message) if sent[option.partition("=")[0]] else sighted(request)

    with serve(refuses) as server:
        finished = check(server, "--json")
        assert finished.returncode == 0
        assert proposed(finished) == ["-M", option]
        seen = len(server.chats)
        again = check(server, "--json", "-M", option)
        statuses = [refuses(chat) for chat in server.chats[seen:]]
    assert not any(isinstance(each, Status) for each in statuses)
    assert proposed(again) == ["-M", option]


def test_of_a_server_that_ignores_schemas_a_line_is_asked_for_if_the_answer_cannot_be_read() -> None:
    def chats(request: ChatRequest) -> str:
        in_lines = is_asked_to_act(request) and schema_of(request) is None
        return "Action: turn_left" if in_lines else "Well." if schema_of(request) else sighted(request)

    with serve(chats) as server:
        finished = check(server, "--json")
        assert not verdicts(finished)["format of the answer"]
        assert proposed(finished) == ["-M", "structured=false"]
        assert "\na run with options that may help:\n" in check(server).stdout
        assert check(server, "-M", "structured=false").returncode == 0


def test_a_reply_that_is_cut_off_is_asked_for_with_more_room_and_its_length_is_told() -> None:
    def long_winded(request: ChatRequest) -> Reply | str:
        fits = request.body["options"]["num_predict"] > 48
        return Text('{"reasoning": "I', finish="length") if is_asked_to_act(request) and not fits else sighted(request)

    with serve(long_winded) as server:
        finished = check(server, "--json", "-M", "max_tokens=48")
        found = messages(finished)["format of the answer"]
        assert (
            found
            == "the reply was cut off (max_tokens=48); with max_tokens=256 it answered in 45 tokens: -M max_tokens=192"
        )
        assert proposed(finished) == ["-M", "max_tokens=192"]
        assert check(server, "-M", "max_tokens=192").returncode == 0


def cut_after(request: ChatRequest, tokens: int) -> Reply | str:
    """The reply of a model of which every reply but one of several tokens is cut off below some limit."""
    limit = request.body["max_tokens"]
    return Text("He", finish="length") if limit < tokens else sighted(request)


def test_a_small_token_limit_says_nothing_about_the_model_and_is_replaced() -> None:
    with serve(lambda request: cut_after(request, 64)) as server:
        finished = check(server, "--json", "-M", "max_tokens=8", "-M", "reasoning_length=40", model="openai")
    told = messages(finished)
    unknown = ["it reads the system message", "the model sees a picture", "order of two pictures", "JSON schemas"]
    assert {told[name] for name in unknown} == {"not known: the reply was cut off"}
    assert told["pictures in a request"] == "at least 8"
    assert proposed(finished) == ["-M", "reasoning_length=40", "-M", "max_tokens=192"]


def test_every_request_is_made_with_the_arguments_of_the_run() -> None:
    given = {"temperature": "0.5", "max_tokens_field": "max_completion_tokens", "max_tokens": "100"}
    with serve(sighted) as server:
        words = [word for name, value in given.items() for word in ("-M", f"{name}={value}")]
        finished = check(
            server, "--json", "-M", "structured=false", "-M", "system_message=false", *words, model="openai"
        )
        asked = [chat.body for chat in server.chats]
    assert finished.returncode == 0, finished.stdout
    assert {(body["temperature"], body["max_completion_tokens"]) for body in asked} == {(0.5, 100)}
    assert not any("max_tokens" in body or "response_format" in body for body in asked)
    assert {message["role"] for body in asked for message in body["messages"]} == {"user"}


@pytest.mark.more
def test_no_request_takes_longer_than_the_arguments_allow() -> None:
    """With the limits of a run without arguments, this takes at least ten minutes."""
    with serve(lambda request: Hang()) as server:
        finished = check(server, "--json", "-M", "read_timeout=0.2", model="openai")
    told = messages(finished)
    assert "within 0.2 s" in told["it reads the system message"]
    assert "within 0.2 s" in told["format of the answer"]


def test_probes_whose_replies_are_cut_off_are_not_known_and_nothing_is_proposed_for_them() -> None:
    with serve(lambda request: cut_after(request, 10_000)) as server:
        finished = check(server, "--json", "-M", "max_tokens=8", "--observation", "text", model="openai")
    told = messages(finished)
    for name in ("it reads the system message", "JSON schemas"):
        assert told[name] == "not known: the reply was cut off"
    assert told["format of the answer"] == (
        "the reply was cut off (max_tokens=8); with max_tokens=256 as well; with max_tokens=256 and "
        "reasoning_length=200 as well; it may be repeating itself, or reasoning at length"
    )
    assert json.loads(finished.stdout)["command"] is None


def test_of_a_reply_that_is_cut_off_with_more_room_too_more_room_and_less_reasoning_are_proposed() -> None:
    def loops(request: ChatRequest) -> Reply | str:
        schema = schema_of(request) if is_asked_to_act(request) else None
        long = schema is not None and schema["properties"]["reasoning"]["maxLength"] > 200
        return Text("{", finish="length") if long else cut_after(request, 64)

    with serve(loops) as server:
        finished = check(server, "--json", "-M", "max_tokens=8", model="openai")
        assert proposed(finished) == ["-M", "max_tokens=192", "-M", "reasoning_length=200"]
        assert check(server, *proposed(finished), model="openai").returncode == 0


def test_a_model_that_reasons_until_its_reply_is_cut_off_is_limited_in_its_reasoning() -> None:
    def loops(request: ChatRequest) -> Reply | str:
        schema = schema_of(request) if is_asked_to_act(request) else None
        short = schema is None or schema["properties"]["reasoning"].get("maxLength", 1000) <= 200
        return sighted(request) if short else Text('{"reasoning": "I think I think', finish="length")

    with serve(loops) as server:
        finished = check(server, "--json")
        assert not verdicts(finished)["format of the answer"]
        assert proposed(finished) == ["-M", "reasoning_length=200"]
        assert check(server, "-M", "reasoning_length=200").returncode == 0


@pytest.mark.parametrize("argument", ["structured=false", "reasoning_length=100"])
def test_less_reasoning_is_not_proposed_where_it_is_not_limited_or_short_already(argument: str) -> None:
    def loops(request: ChatRequest) -> Reply | str:
        return Text("I think I think", finish="length") if is_asked_to_act(request) else sighted(request)

    with serve(loops) as server:
        finished = check(server, "--json", "-M", argument)
    assert messages(finished)["format of the answer"].endswith("it may be repeating itself, or reasoning at length")
    assert json.loads(finished.stdout)["command"] is None


def test_less_reasoning_is_not_proposed_where_the_server_refuses_to_limit_it() -> None:
    def fills(request: ChatRequest) -> Reply | str:
        if not is_asked_to_act(request):
            return sighted(request)
        if "maxLength" in str(schema_of(request)):
            return Status(400, "property 'maxLength' is not supported")
        return action_json("turn_left", "so " * 1000)

    with serve(fills) as server:
        assert proposed(check(server, "--json")) == ["-M", "reasoning_length=none"]


def test_a_model_that_fills_whatever_room_it_has_for_its_reasoning_is_given_less() -> None:
    def fills(request: ChatRequest) -> str:
        if not is_asked_to_act(request):
            return sighted(request)
        schema = schema_of(request)
        assert schema is not None
        return action_json("turn_left", "so " * (schema["properties"]["reasoning"]["maxLength"] // 3))

    with serve(fills) as server:
        finished = check(server, "--json")
        assert finished.returncode == 0
        assert proposed(finished) == ["-M", "reasoning_length=200"]
        assert "whose reasoning takes all the room it has" in messages(finished)["what an answer takes"]
        assert proposed(check(server, "--json", "-M", "reasoning_length=200")) == ["-M", "reasoning_length=200"]


def test_a_model_whose_answers_nearly_take_too_long_is_given_more_time() -> None:
    def slow(request: ChatRequest) -> str:
        if is_asked_to_act(request):
            server.closing.wait(1.1)
        return sighted(request)

    with serve(slow) as server:
        finished = check(server, "--json", "--observation", "text", "-M", "read_timeout=2")
    assert proposed(finished) == ["--observation", "text", "-M", "read_timeout=60"]


def test_a_model_that_takes_too_long_for_a_question_of_a_run_is_given_more_time() -> None:
    def slow(request: ChatRequest) -> Reply | str:
        return Hang() if is_asked_to_act(request) else sighted(request)

    with serve(slow) as server:
        finished = check(server, "--json", "--observation", "text", "-M", "read_timeout=2")
    assert not verdicts(finished)["format of the answer"]
    assert proposed(finished) == ["--observation", "text", "-M", "read_timeout=60"]


CONTRADICTING = """
from gridworld.model_interface import CheckedModel, ModelOutput, PreflightCheck

class Contradicting(CheckedModel):
    model_name = "contradicting"

    def predict(self, input):
        return ModelOutput(0)

    def check_ready(self):
        pass

    def preflight(self):
        return [PreflightCheck(each, True, "", 0.0, (f"length={each}",)) for each in ("none", "200")]
"""


def test_an_argument_is_proposed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_models(monkeypatch, tmp_path / "contradicting", CONTRADICTING, {"contradicting": "Contradicting"})
    with using_registry(load_registry()):
        finished = multinet("models", "check", "contradicting", "--json")
    assert json.loads(finished.stdout)["command"] == "multinet-run-eval --model contradicting -M length=none"


def test_a_model_that_reasons_first_and_a_server_that_counts_no_tokens_are_told() -> None:
    def answer(body: dict[str, Any], number: int) -> Raw:
        if "heron" in str(body["messages"][0]):
            return said(text="heron", usage={"prompt_tokens": 30, "completion_tokens": 400})
        return said("turn_left", word="heron")

    with ChatServer(answer) as server:
        told = run("multinet", "models", "check", *model_arguments(server.url)[1:], "--observation", "text", "--json")
    found = messages(told)
    assert found["it reasons first"] == "400 tokens for one word: max_tokens needs room"
    assert found["what an answer takes"].startswith(
        "the server counts no tokens, so --max-tokens and --max-cost cannot"
    )


def test_no_command_is_proposed_where_none_helps_and_none_has_a_credential(tmp_path: Path) -> None:
    told = run("multinet", "models", "check", "ollama", *arguments(refused_address()), "--json")
    assert json.loads(told.stdout)["command"] is None
    with serve(sighted, api_key="abcdefgh12345678") as server:
        variables = {"MY_KEY": "abcdefgh12345678"}
        finished = check(server, "-M", "api_key_env=MY_KEY", variables=variables)
    assert "abcdefgh12345678" not in finished.stdout
    assert finished.stdout.rstrip().endswith("-M api_key_env=MY_KEY")


def test_a_server_that_nobody_has_started_is_told_with_what_to_do() -> None:
    address = refused_address()
    finished = run("multinet", "models", "check", "ollama", *arguments(address))
    assert (finished.returncode, finished.stderr) == (1, "")
    lines = finished.stdout.splitlines()
    (reason,) = (line for line in lines if address in line)
    assert "ollama serve" in reason
    assert re.fullmatch(r"failed: the server is reachable \(\d+\.\d s\)", lines[lines.index(reason) - 1])
    assert lines[-1] == "0 passed, 1 failed"


def test_of_a_model_that_is_not_there_the_nearest_name_is_told() -> None:
    with serve(sighted) as server:
        finished = check(server, "--json", name="gridplayer:3b")
    assert verdicts(finished) == {"the server is reachable": True, "it has the model": False}
    assert f"did you mean '{MODEL}'?" in messages(finished)["it has the model"]
    assert server.chats == []
    assert f" --model ollama:{MODEL} " in json.loads(finished.stdout)["command"]


def test_a_name_that_the_server_does_not_list_but_answers_to_is_noted_and_not_failed() -> None:
    with serve(sighted, models=[MODEL, "gridplayer-alias"]) as server:
        server.listed = (MODEL,)
        finished = check(server, model="openai", name="gridplayer-alias")
        there = json.loads(check(server, "--json", model="openai", name="gridplayer-alias").stdout)["checks"][1]
    assert (finished.returncode, finished.stderr) == (0, "")
    assert re.search(
        r"^noted: it has the model \(.*\n  it answers to 'gridplayer-alias', although", finished.stdout, re.M
    )
    assert "\n9 passed, 1 noted, 0 failed\n" in finished.stdout
    assert f"multinet-run-eval --model openai:{MODEL} --base-url" in finished.stdout
    assert (there["passed"], there["noted"]) == (True, True)


# Models without checks of their own


@pytest.mark.parametrize(("model", "action"), [("optimal", "move_forward"), ("greedy", "move_forward")])
def test_a_model_without_checks_is_asked_for_one_step(model: str, action: str) -> None:
    finished = run("multinet", "models", "check", model, "--json")
    assert verdicts(finished) == {"it answers a question": True}
    assert messages(finished) == {"it answers a question": f"it answered {action}"}


@pytest.mark.parametrize(
    "fault", [each for each in AnswerOutcome if each not in (AnswerOutcome.OK, AnswerOutcome.NO_EFFECT)]
)
def test_a_model_without_checks_is_asked_only_once(fault: AnswerOutcome) -> None:
    model = AnsweringModel(fault)
    (verdict,) = check_model(model, "random", Presentation(), lambda check: None)
    assert (verdict.passed, verdict.message) == (False, f"{fault}: this is {fault}")
    assert len(model.inputs) == 1


def test_a_model_without_checks_that_has_no_answer_fails(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"elsewhere": [2]}')
    finished = run("multinet", "models", "check", "replay", "-M", "file=plan.json", "--json", cwd=tmp_path)
    assert verdicts(finished) == {"it answers a question": False}
    assert messages(finished)["it answers a question"].startswith("empty: plan.json has no actions for the task")


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (
            "talker",
            ["-M", "script=crash"],
            "model 'walker' (third-party/models) failed in predict at step 1: LookupError: out of words",
        ),
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
    assert finished.returncode == 1
    assert finished.stderr.startswith(
        "error: model 'walker' (third-party/models) failed in close: OSError: still in use"
    )


# --- servers that are still starting -----------------------------------------------------------------------------


def test_a_server_that_is_still_loading_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "POLL_SECONDS", 0.05)
    with ChatServer(lambda body, number: said("move_forward", answer="A"), loading=2) as server:
        options = ("openai:scripted", "--base-url", server.url, "--json")
        finished = multinet("models", "check", *options, "--wait-for-server", "60")
        server.loading = 2
        at_once = multinet("models", "check", *options)
    waiting, ready = finished.stderr.splitlines()
    assert waiting.startswith(
        "waiting up to 60 s for model 'openai/scripted': the server says (HTTP 503): Loading model"
    )
    assert ready.startswith("model 'openai/scripted' is ready after ")
    first, second, *_ = json.loads(finished.stdout)["checks"]
    assert (first["name"], first["passed"], first["message"]) == ("the server is ready", True, "it answers")
    assert (second["name"], second["passed"]) == ("the server is reachable", True)
    (only,) = json.loads(at_once.stdout)["checks"]
    assert (only["name"], only["passed"]) == ("the server is reachable", False)


def test_a_server_that_does_not_answer_is_given_up_after_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit the check takes two minutes."""
    monkeypatch.setattr(readiness, "POLL_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        options = ("openai:scripted", "--base-url", address, "--wait-for-server", "0.3", "--json")
        finished = multinet("models", "check", *options)
    (check,) = json.loads(finished.stdout)["checks"]
    assert (finished.exit_code, check["name"], check["passed"]) == (1, "the server is ready", False)
    assert check["message"].endswith("give a server that is still starting more time with --wait-for-server SECONDS")


def test_a_model_that_a_running_server_lacks_is_not_waited_for() -> None:
    with serve(sighted) as server:
        finished = check(server, "--wait-for-server", "600", "--json", name="gridplayers")
    assert verdicts(finished) == {
        "the server is ready": True,
        "the server is reachable": True,
        "it has the model": False,
    }


# Wrong calls


def test_ctrl_c_while_a_server_is_waited_for_ends_it_with_a_word() -> None:
    with serve(lambda request: Hang()) as server:
        process = start("multinet", "models", "check", "ollama", *arguments(server.ollama_url))
        while not server.chats and process.poll() is None:
            server.closing.wait(0.05)
        os.kill(process.pid, signal.SIGINT)
        printed, complained = process.communicate(timeout=60)
    assert (process.returncode, complained) == (130, "interrupted\n")
    assert [line.partition(" (")[0] for line in printed.splitlines()[1::2]] == [
        "passed: the server is reachable",
        "passed: it has the model",
    ]
