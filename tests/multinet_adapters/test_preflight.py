"""Whether a model can play is found out before it plays, and told with what to do about it."""

import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gridworld.model_interface import AnswerFault, AnswerOutcome, CheckedModel, PreflightCheck
from multinet_adapters import chat_adapter
from multinet_adapters.testing.model_servers import (
    ChatRequest,
    Hang,
    Reply,
    Status,
    refused_address,
    serve,
)
from support.sighted_model import color_of, is_asked_to_act, schema_of, sighted

REACHED, THERE = "the server is reachable", "it has the model"
READS, SEES = "it reads the system message", "the model sees a picture"
COUNT, ORDER = "pictures in a request", "order of two pictures"
FORM, SCHEMAS, TAKES, COST = "format of the answer", "JSON schemas", "what the server accepts", "what an answer takes"
EVERY = [REACHED, THERE, READS, SEES, COUNT, ORDER, FORM, SCHEMAS, TAKES, COST]


def only_the_last(request: ChatRequest) -> str:
    """A model that is shown the last picture alone, as some servers do."""
    return color_of(request.images[-1]) if request.images and not is_asked_to_act(request) else sighted(request)


def shows(request: ChatRequest) -> bool:
    """Whether it is a check in which the model is shown pictures."""
    return bool(request.images) and not is_asked_to_act(request)


def verdicts(connect: Any, answer: Callable[[ChatRequest], Reply | str], **options: Any) -> dict[str, PreflightCheck]:
    with serve(answer, models=["gridplayer:2b", "other:7b"]) as server:
        return {verdict.name: verdict for verdict in connect(server, **options).preflight()}


def test_a_model_that_can_play_passes_every_check(connect: Any) -> None:
    found = verdicts(connect, sighted)
    assert list(found) == EVERY
    assert all(verdict.passed and not (verdict.arguments or verdict.settings) for verdict in found.values())
    measured = r"321 tokens of prompt, 45 of answer; first \d+\.\d s, next \d+\.\d s, [\d.,]+ tokens/s"
    assert re.fullmatch(measured, found[COST].message)


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
    assert list(found) == EVERY
    assert all(verdict.passed for verdict in found.values())
    assert [name for name in found if found[name].noted] == [THERE]
    expected = "it answers to 'alias', although 'alias' is not in the server's list; it lists: gridplayer:2b"
    assert found[THERE].message == expected


def test_of_a_long_list_the_nearest_names_are_told(connect_as: Any) -> None:
    with serve(sighted, models=[*(f"other:{number}b" for number in range(40)), "gridplayer:2b"]) as server:
        there = connect_as("ollama", server, model="gridplayer:3b").preflight()[1]
    told = there.message.partition("the server has: ")[2].split(", ")
    assert (there.passed, told[0], len(told), told[-1]) == (False, "gridplayer:2b", 11, "and 31 more")


def test_a_model_that_is_not_listed_and_not_answered_to_is_not_there(connect_as: Any) -> None:
    found = verdicts(partial(connect_as, "openai"), sighted, model="gridplayr:2b")
    assert "(did you mean 'gridplayer:2b'?); asked by that name: the server says" in found[THERE].message
    assert found[THERE].message.endswith("; it lists: gridplayer:2b, other:7b")
    assert [(name, found[name].passed) for name in found] == [(REACHED, True), (THERE, False)]
    assert "model 'gridplayr:2b' not found" in found[THERE].message


@pytest.mark.parametrize("said", ["green", "red", "I cannot see pictures.", "red or green", "", "evergreen"])
def test_a_model_that_does_not_see_is_found_out_even_if_it_guesses(connect_openai: Any, said: str) -> None:
    found = verdicts(connect_openai, lambda request: said if shows(request) else sighted(request))
    assert [name for name in found if not found[name].passed] == [SEES]
    assert ORDER not in found
    assert ("is it a vision model?" if said else "no text") in found[SEES].message


def test_a_server_that_refuses_pictures_is_asked_for_the_form_without_one(connect: Any) -> None:
    words = "this model does not support images"
    found = verdicts(connect, lambda request: Status(422, words) if request.images else sighted(request))
    assert (found[SEES].passed, words in found[SEES].message, found[FORM].passed) == (False, True, True)
    expected = "the server takes no images for this model: use --observation text, or a vision model"
    assert found[TAKES].message == f"everything except images: {expected}"


# --- what servers lack -----------------------------------------------------------------------------------------


def test_a_server_that_drops_the_system_message_is_found_out_and_what_avoids_it_is_told(connect: Any) -> None:
    def deaf(request: ChatRequest) -> str:
        system = any(message["role"] == "system" for message in request.messages)
        return "I do not know." if system and "word of the day" in request.text else sighted(request)

    found = verdicts(connect, deaf)
    assert [name for name in found if not found[name].passed] == [READS]
    assert "it said 'I do not know.'; -M system_message=false puts" in found[READS].message
    assert verdicts(connect, deaf, system_message=False)[READS].passed


def test_a_server_that_refuses_the_system_message_is_told_it_by_the_user(connect: Any) -> None:
    def refuses(request: ChatRequest) -> Reply | str:
        if any(message["role"] == "system" for message in request.messages):
            return Status(400, "System role not supported")
        return sighted(request)

    found = verdicts(connect, refuses)
    assert all(verdict.passed for verdict in found.values())
    assert "the system message: its text is put before the user's message (-M system_message=false)" in (
        found[TAKES].message
    )


def test_a_server_that_takes_schemas_and_does_not_keep_to_them_is_found_out(connect: Any) -> None:
    def careless(request: ChatRequest) -> str:
        return "A puzzle is a riddle." if schema_of(request) and not is_asked_to_act(request) else sighted(request)

    found = verdicts(connect, careless)
    assert all(verdict.passed for verdict in found.values())
    assert found[SCHEMAS].message.startswith("accepted, but ignored (-M structured=false asks")
    assert SCHEMAS not in verdicts(connect, careless, structured=False)


def holds(limit: int) -> Callable[[ChatRequest], Reply | str]:
    """A server that takes so many pictures in a request."""

    def answer(request: ChatRequest) -> Reply | str:
        if len(request.images) > limit:
            return Status(400, f"At most {limit} image(s) may be provided in one request.")
        return sighted(request)

    return answer


@pytest.mark.parametrize("limit", [2, 3, 7])
def test_the_number_of_pictures_that_a_server_takes_is_found_out(connect_as: Any, limit: int) -> None:
    found = verdicts(partial(connect_as, "openai"), holds(limit))
    assert all(verdict.passed for verdict in found.values())
    assert found[COUNT].message.startswith(f"{limit}: use at most --history-images (or --context-images) {limit - 1}; ")
    assert (
        f"of {limit + 1}, the server says (HTTP 400): At most {limit} image(s) may be provided" in found[COUNT].message
    )
    assert found[TAKES].message.startswith("everything except several images in one request: lower --history")


def test_a_server_that_takes_one_picture_is_enough_to_play_without_earlier_ones(connect: Any) -> None:
    found = verdicts(connect, holds(1))
    assert all(verdict.passed for verdict in found.values())
    assert found[COUNT].message.startswith("1: use at most --history-images (or --context-images) 0; of 2, ")
    assert ORDER not in found


def test_a_server_that_takes_many_pictures_is_asked_for_eight_at_most(connect: Any) -> None:
    with serve(sighted) as server:
        found = {verdict.name: verdict for verdict in connect(server).preflight()}
        shown = [len(chat.images) for chat in server.chats]
    assert (found[COUNT].message, max(shown)) == ("at least 8", 8)


def test_pictures_that_are_refused_in_one_message_are_sent_in_several(connect_as: Any) -> None:
    def single(request: ChatRequest) -> Reply | str:
        if any(len(request.protocol.images(message)) > 1 for message in request.messages):
            return Status(500, "vision model only supports a single image per message")
        return sighted(request)

    for kind, told in (
        ("openai", "each is sent in its own message (-M pictures_apart=true)"),
        ("ollama", "every part"),
    ):
        found = verdicts(partial(connect_as, kind), single)
        assert all(verdict.passed for verdict in found.values()), kind
        assert (found[COUNT].message, told in found[TAKES].message) == ("at least 8", True)


def test_a_server_that_is_busy_is_not_blamed_on_the_model(connect: Any) -> None:
    found = verdicts(connect, lambda request: Status(429, "rate limit reached"))
    assert found[FORM].message.endswith("the server is busy, which says nothing about the model: try again later")


def test_a_server_that_shows_only_the_last_picture_is_found_out(connect: Any) -> None:
    found = verdicts(connect, only_the_last)
    assert [name for name in found if not found[name].passed] == [ORDER]
    assert "the first was blue, it said 'red'" in found[ORDER].message


def test_a_model_that_talks_on_does_not_keep_to_the_form(connect: Any) -> None:
    def talks(request: ChatRequest) -> str:
        return "I would turn left." if is_asked_to_act(request) else sighted(request)

    found = verdicts(connect, talks)
    assert [name for name in found if not found[name].passed] == [FORM]
    assert COST not in found


def test_a_model_that_does_not_answer_in_time_is_told_so(connect_openai: Any) -> None:
    found = verdicts(connect_openai, lambda request: Hang(), read_timeout=0.2)
    assert "within 0.2 s" in found[SEES].message


def test_short_replies_do_not_shorten_the_wait_for_long_ones(
    connect_openai: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three times the slowest short reply is too little time for the first question of a run."""
    monkeypatch.setattr(chat_adapter, "SHORTEST_WAIT", 0.2)

    def answer(request: ChatRequest) -> str:
        if is_asked_to_act(request):
            time.sleep(1.0)
        return sighted(request)

    assert verdicts(connect_openai, answer)[FORM].passed


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


@pytest.mark.parametrize("kind", ["ollama", "anthropic"])
def test_an_address_with_an_end_of_others_is_not_ready(connect_as: Any, kind: str) -> None:
    with serve(sighted) as server:
        right = {"ollama": server.ollama_url, "anthropic": server.anthropic_url}[kind]
        adapter = connect_as(kind, server, base_url=f"{right}/v1")
        with pytest.raises(AnswerFault, match=f"base_url has no /v1 here: is it {right}") as caught:
            adapter.check_ready()
    assert "ollama pull" not in caught.value.message


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
