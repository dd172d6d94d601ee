"""The servers that tests of models talk to; `tests/libraries` checks them with the official clients."""

from typing import Any

import pytest
import requests

from multinet_adapters.testing.model_servers import (
    MODEL,
    Drop,
    Hang,
    Huge,
    ModelServer,
    Redirect,
    action_json,
    refused_address,
    serve,
    serve_in_turn,
    serve_plan,
)


def ask(server: ModelServer, text: str = "hello", **options: Any) -> requests.Response:
    body = {"model": MODEL, "stream": False, "messages": [{"role": "user", "content": text}]}
    return requests.post(f"{server.ollama_url}/api/chat", json=body, **{"timeout": 5, **options})


def test_the_answer_is_a_function_of_the_request() -> None:
    with serve(lambda request: f"{request.number}: {request.text}") as server:
        assert [ask(server, text).json()["message"]["content"] for text in "ab"] == ["0: a", "1: b"]


def test_a_plan_is_given_action_by_action_and_then_it_is_done() -> None:
    with serve_plan(["turn_left", 2]) as server:
        said = [ask(server).json()["message"]["content"] for _ in range(4)]
    assert said == [action_json(action) for action in ("turn_left", 2, "done", "done")]


def test_a_request_that_is_not_of_the_protocol_is_refused() -> None:
    with serve(lambda request: "") as server:
        for path in ("/api/chat", "/v1/chat/completions", "/anthropic/v1/messages"):
            reply = requests.post(server.address + path, json={"model": MODEL}, timeout=5)
            assert (reply.status_code, server.chats) == (400, [])


def test_an_answer_that_fails_is_seen_at_the_other_end() -> None:
    def fail(request: object) -> str:
        raise LookupError("no such step")

    with serve(fail) as server:
        assert "no such step" in ask(server).text


def test_a_reply_is_dropped_hung_or_led_elsewhere() -> None:
    with serve_in_turn([Drop(), Hang(), Redirect("http://127.0.0.1:9/elsewhere")]) as server:
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            ask(server)
        with pytest.raises(requests.ReadTimeout):
            ask(server, timeout=0.1)
        assert ask(server, allow_redirects=False).is_redirect


@pytest.mark.parametrize("announced", [True, False])
def test_a_huge_reply_is_as_large_as_it_says(announced: bool) -> None:
    with serve_in_turn([Huge(1_000_000, announced)]) as server:
        reply = ask(server)
    assert ("Content-Length" in reply.headers) == announced
    assert len(reply.content) >= 1_000_000


def test_nobody_listens_at_a_refused_address_or_once_a_server_is_closed() -> None:
    with serve(lambda request: "") as server:
        kept_open = requests.Session()
        assert kept_open.get(f"{server.ollama_url}/api/tags", timeout=5).ok
    for address in (refused_address(), server.address):
        with pytest.raises(requests.ConnectionError):
            kept_open.get(f"{address}/api/tags", timeout=5)
