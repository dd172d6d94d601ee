"""Whether a model can play is found out before it plays, and told with what to do about it."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gridworld.model_interface import AnswerFault, AnswerOutcome, CheckedModel, PreflightCheck
from multinet_adapters.testing.model_servers import (
    ChatRequest,
    Hang,
    Reply,
    Status,
    action_json,
    refused_address,
    serve,
)
from plain_pictures import color_of

REACHED, THERE = "the server is reachable", "it has the model"
SEES, ORDER = "the model sees a picture", "it can tell the order of two pictures"
FORM, TAKES, TIME = "it answers in the required format", "what the server accepts", "time of one call"


def sighted(request: ChatRequest) -> str:
    """A model that sees, and answers in the form that it is asked for."""
    if "mission" in request.text.casefold():
        return action_json("turn_left")
    if not request.images:
        return "Ready."
    return f"<think>red, green or blue?</think>\n{color_of(request.images[0]).capitalize()}."


def only_the_last(request: ChatRequest) -> str:
    """A model that is shown the last picture alone, as some servers do."""
    return sighted(request) if "mission" in request.text.casefold() else color_of(request.images[-1])


def verdicts(connect: Any, answer: Callable[[ChatRequest], Reply | str], **options: Any) -> dict[str, PreflightCheck]:
    with serve(answer, models=["gridplayer:2b", "other:7b"]) as server:
        return {verdict.name: verdict for verdict in connect(server, **options).preflight()}


def test_a_model_that_can_play_passes_every_check(connect: Any) -> None:
    found = verdicts(connect, sighted)
    assert list(found) == [REACHED, THERE, SEES, ORDER, FORM, TAKES, TIME]
    assert all(verdict.passed for verdict in found.values())
    assert re.fullmatch(r"\d+\.\d s", found[TIME].message)
    assert found[TIME].seconds == found[FORM].seconds > 0


def test_a_server_that_is_not_there_is_told_with_what_to_start(connect: Any) -> None:
    address = refused_address()
    (only,) = verdicts(connect, sighted, base_url=address).values()
    assert (only.name, only.passed) == (REACHED, False)
    assert address in only.message
    assert "Connection refused): start" in only.message


@pytest.mark.parametrize("kind", ["ollama", "lmstudio"])
def test_a_model_that_is_not_there_is_told_with_the_nearest(connect_as: Any, kind: str) -> None:
    found = verdicts(partial(connect_as, kind), sighted, model="gridplayr:2b")
    assert [found[name].passed for name in found] == [True, False]
    assert "(did you mean 'gridplayer:2b'?); the server has: gridplayer:2b, other:7b" in found[THERE].message


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_model_that_a_server_does_not_list_is_tried_all_the_same_since_some_take_any_name(
    connect_as: Any, kind: str
) -> None:
    with serve(sighted, models=["gridplayer:2b", "alias"]) as server:
        adapter = connect_as(kind, server, model="alias")
        server.listed = ("gridplayer:2b",)
        found = {verdict.name: verdict for verdict in adapter.preflight()}
    assert list(found) == [REACHED, THERE, SEES, ORDER, FORM, TAKES, TIME]
    assert all(verdict.passed for verdict in found.values())
    expected = "it answers to 'alias', although 'alias' is not in the server's list; it lists: gridplayer:2b"
    assert found[THERE].message == expected


def test_a_model_that_is_not_listed_and_not_answered_to_is_not_there(connect_as: Any) -> None:
    found = verdicts(partial(connect_as, "openai"), sighted, model="gridplayr:2b")
    assert "(did you mean 'gridplayer:2b'?); it lists: gridplayer:2b, other:7b" in found[THERE].message
    assert [(name, found[name].passed) for name in found] == [(REACHED, True), (THERE, False)]
    assert "model 'gridplayr:2b' not found" in found[THERE].message


@pytest.mark.parametrize("said", ["green", "red", "I cannot see pictures.", "red or green", "", "evergreen"])
def test_a_model_that_does_not_see_is_found_out_even_if_it_guesses(connect: Any, said: str) -> None:
    found = verdicts(connect, lambda request: action_json(2) if "Mission" in request.text else said)
    assert [name for name in found if not found[name].passed] == [SEES]
    assert ORDER not in found
    assert "is it a vision model?" in found[SEES].message


def test_a_server_that_refuses_pictures_is_asked_for_the_form_without_one(connect: Any) -> None:
    def blind(request: ChatRequest) -> Reply | str:
        return Status(400, "this model takes no images") if request.images else action_json(2)

    found = verdicts(connect, blind)
    assert (found[SEES].passed, found[FORM].passed) == (False, True)
    assert "this model takes no images" in found[SEES].message


def test_a_server_that_refuses_pictures_does_not_accept_every_part_of_a_request(connect: Any) -> None:
    def blind(request: ChatRequest) -> Reply | str:
        return Status(422, "this model does not support images") if request.images else action_json(2)

    found = verdicts(connect, blind)
    assert (found[SEES].passed, found[FORM].passed) == (False, True)
    assert found[TAKES].message == "everything except images: see the failed check"


def test_a_server_that_is_busy_is_not_blamed_on_the_model(connect: Any) -> None:
    found = verdicts(connect, lambda request: Status(429, "rate limit reached"))
    assert found[FORM].message.endswith("the server is busy, which says nothing of the model: try again later")


def test_a_server_that_shows_only_the_last_picture_is_found_out(connect: Any) -> None:
    found = verdicts(connect, only_the_last)
    assert [name for name in found if not found[name].passed] == [ORDER]
    assert "the first was blue, it said 'red'" in found[ORDER].message


def test_a_model_that_talks_on_does_not_keep_to_the_form(connect: Any) -> None:
    def talks(request: ChatRequest) -> str:
        return "I would turn left." if "Mission" in request.text else sighted(request)

    found = verdicts(connect, talks)
    assert [name for name in found if not found[name].passed] == [FORM]
    assert TIME not in found


def test_a_model_that_does_not_answer_in_time_is_told_so(connect: Any) -> None:
    found = verdicts(connect, lambda request: Hang(), read_timeout=0.2)
    assert "within 0.2 s" in found[SEES].message


# --- before a run ----------------------------------------------------------------------------------------------


def test_a_server_that_answers_is_ready_and_no_model_is_asked(connect: Any) -> None:
    with serve(lambda request: "") as server:
        adapter = connect(server)
        assert isinstance(adapter, CheckedModel)
        adapter.check_ready()
    assert (len(server.received), server.chats) == (1, [])


def test_a_server_that_does_not_answer_is_not_ready(connect: Any) -> None:
    with serve(lambda request: "") as server:
        adapter = connect(server)
    with pytest.raises(AnswerFault, match="start") as caught:
        adapter.check_ready()
    assert caught.value.outcome is AnswerOutcome.INFRASTRUCTURE


def test_ollama_is_not_ready_without_the_model(connect_as: Any) -> None:
    with serve(lambda request: "", models=["llava:7b", "qwen:2b"]) as server:
        with pytest.raises(AnswerFault, match="no model 'lava:7b'") as caught:
            connect_as("ollama", server, model="lava:7b").check_ready()
        assert "(did you mean 'llava:7b'?); it has: llava:7b, qwen:2b" in caught.value.message
        assert "'ollama pull lava:7b'" in caught.value.message


@pytest.mark.parametrize(
    ("listed", "asked", "same"),
    [
        ("llava:7b", "llava:7b", True),
        ("llava:7b", "LLaVA:7b", True),
        ("llava:latest", "llava", True),
        ("host:5000/me/llava:latest", "host:5000/me/llava", True),
        ("llava:7b", "llava", False),
        ("llava:latest", "llava:7b", False),
    ],
)
def test_ollama_knows_a_model_without_a_tag_as_its_latest(connect_as: Any, listed: str, asked: str, same: bool) -> None:
    with serve(lambda request: "") as server:
        assert connect_as("ollama", server, model=asked).is_called(listed) == same


def test_an_address_that_lacks_its_end_is_not_ready_and_nothing_else_is_tried(connect_as: Any) -> None:
    with serve(sighted) as server:
        adapter = connect_as("openai", server, base_url=server.address)
        with pytest.raises(AnswerFault, match=f"usually ends in /v1: is it {server.openai_url}") as caught:
            adapter.check_ready()
        assert caught.value.permanent
        assert [verdict.passed for verdict in adapter.preflight()] == [False]
    assert server.chats == []


def test_ollamas_address_goes_without_the_end_of_others(connect_as: Any) -> None:
    with serve(sighted) as server:
        adapter = connect_as("ollama", server, base_url=server.openai_url)
        with pytest.raises(AnswerFault, match=f"base_url goes without /v1 here: is it {server.ollama_url}") as caught:
            adapter.check_ready()
    assert "ollama pull" not in caught.value.message


def test_anthropics_address_goes_without_the_version(connect_as: Any) -> None:
    with serve(sighted) as server:
        adapter = connect_as("anthropic", server, base_url=f"{server.anthropic_url}/v1")
        with pytest.raises(AnswerFault, match=f"base_url goes without /v1 here: is it {server.anthropic_url}"):
            adapter.check_ready()


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_server_without_a_list_of_models_is_ready_all_the_same(connect_as: Any, kind: str) -> None:
    with serve(sighted) as server:
        adapter = connect_as(kind, server)
        adapter.models_path = "/nothing/here"
        adapter.check_ready()
        assert adapter.list_models() is None
        there = adapter.preflight()[1]
    assert (there.passed, "although the server does not list its models" in there.message) == (True, True)


def test_a_hosted_server_may_list_models_with_a_folder_before_their_names(connect_as: Any) -> None:
    with serve(sighted, models=["models/gridplayer", "gridplayer"]) as server:
        assert connect_as("openai", server, model="gridplayer").is_called("models/gridplayer")
        assert not connect_as("openai", server, model="player").is_called("models/gridplayer")
