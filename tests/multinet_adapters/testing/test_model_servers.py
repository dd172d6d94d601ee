"""The servers that tests of models talk to: the official clients take them for real ones."""

import base64
import io
from typing import Any

import pytest
import requests
from PIL import Image

from multinet_adapters.testing.model_servers import (
    MODEL,
    Drop,
    Hang,
    Huge,
    ModelServer,
    Redirect,
    Refusal,
    Status,
    Text,
    action_json,
    refused_address,
    serve,
    serve_in_turn,
    serve_plan,
)
from support.model_servers import official

HELLO = {"role": "user", "content": "hello"}


def openai_client(server: ModelServer, api_key: str = "none") -> Any:
    return official.openai.OpenAI(base_url=server.openai_url, api_key=api_key, max_retries=0)


def anthropic_client(server: ModelServer, api_key: str = "none") -> Any:
    return official.anthropic.Anthropic(base_url=server.anthropic_url, api_key=api_key, max_retries=0)


def a_png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (3, 2), (1, 2, 3)).save(file, "png")
    return file.getvalue()


# --- proper replies --------------------------------------------------------------------------------------------


def test_ollamas_client_reads_a_reply_with_its_costs() -> None:
    with serve_in_turn([Text("turning", "length", thinking="hm")]) as server:
        reply = official.ollama.Client(server.ollama_url).chat(model=MODEL, messages=[HELLO])
    assert (reply.message.content, reply.message.thinking) == ("turning", "hm")
    assert (reply.done, reply.done_reason, reply.model) == (True, "length", MODEL)
    assert (reply.prompt_eval_count, reply.eval_count, reply.total_duration) == (321, 45, 1_500_000_000)


def test_a_caller_of_ollama_that_does_not_forbid_it_gets_a_stream() -> None:
    with serve(lambda request: "turning") as server:
        parts = list(official.ollama.Client(server.ollama_url).chat(model=MODEL, messages=[HELLO], stream=True))
        raw = requests.post(f"{server.ollama_url}/api/chat", json={"model": MODEL, "messages": [HELLO]}, timeout=5)
    assert [(part.message.content, part.done) for part in parts] == [("turning", False), ("", True)]
    assert len(raw.text.splitlines()) == 2


def test_openais_client_reads_a_reply_with_its_costs() -> None:
    with serve_in_turn([Text("turning", "length")]) as server:
        reply = openai_client(server).chat.completions.create(model=MODEL, messages=[HELLO])
    assert (reply.choices[0].message.content, reply.choices[0].finish_reason) == ("turning", "length")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (321, 45)


def test_openais_client_reads_a_refusal() -> None:
    with serve_in_turn([Refusal("I will not")]) as server:
        reply = openai_client(server).chat.completions.create(model=MODEL, messages=[HELLO])
    assert (reply.choices[0].message.refusal, reply.choices[0].message.content) == ("I will not", None)


def test_anthropics_client_reads_a_reply_with_its_costs() -> None:
    with serve_in_turn([Text("turning", "length", thinking="hm")]) as server:
        reply = anthropic_client(server).messages.create(model=MODEL, messages=[HELLO], max_tokens=9)
    assert [(block.type, getattr(block, block.type)) for block in reply.content] == [
        ("thinking", "hm"),
        ("text", "turning"),
    ]
    assert (reply.stop_reason, reply.usage.output_tokens, reply.model) == ("max_tokens", 45, MODEL)
    usage = reply.usage
    assert usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens == 321


def test_anthropics_client_reads_a_refusal() -> None:
    with serve_in_turn([Refusal("I will not")]) as server:
        reply = anthropic_client(server).messages.create(model=MODEL, messages=[HELLO], max_tokens=9)
    assert (reply.stop_reason, reply.stop_details.explanation, reply.content) == ("refusal", "I will not", [])


def test_all_clients_read_the_list_of_models() -> None:
    with serve(lambda request: "", models=["one:1b", "two:2b"]) as server:
        of_anthropic = [each.id for each in anthropic_client(server).models.list()]
        of_ollama = [each.model for each in official.ollama.Client(server.ollama_url).list().models]
        of_openai = [each.id for each in openai_client(server).models.list()]
    assert of_ollama == of_openai == of_anthropic == ["one:1b", "two:2b"]


# --- what it records -------------------------------------------------------------------------------------------


def test_it_takes_texts_and_pictures_from_what_ollamas_client_sends() -> None:
    message = {"role": "user", "content": "look", "images": [a_png(), a_png()]}
    with serve(lambda request: "seen") as server:
        official.ollama.Client(server.ollama_url).chat(model=MODEL, messages=[HELLO, message])
    assert server.chats[0].text == "hello\nlook"
    assert server.chats[0].images == [a_png(), a_png()]


def test_it_takes_texts_and_pictures_from_what_openais_client_sends() -> None:
    url = f"data:image/png;base64,{base64.b64encode(a_png()).decode()}"
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": url}}]
    with serve(lambda request: "seen") as server:
        openai_client(server).chat.completions.create(model=MODEL, messages=[HELLO, {"role": "user", "content": parts}])
    assert server.chats[0].text == "hello\nlook"
    assert server.chats[0].images == [a_png()]


def test_it_takes_texts_and_pictures_from_what_anthropics_client_sends() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(a_png()).decode()}
    message = {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "source": source}]}
    with serve(lambda request: "seen") as server:
        anthropic_client(server).messages.create(
            model=MODEL, messages=[HELLO, message], max_tokens=9, system="be brief"
        )
    assert server.chats[0].text == "be brief\nhello\nlook"
    assert server.chats[0].images == [a_png()]


def test_the_answer_is_a_function_of_the_request() -> None:
    with serve(lambda request: f"{request.number}: {request.text}") as server:
        client = official.ollama.Client(server.ollama_url)
        said = [client.chat(model=MODEL, messages=[{**HELLO, "content": text}]).message.content for text in "ab"]
    assert said == ["0: a", "1: b"]


def test_a_plan_is_given_action_by_action_and_then_it_is_done() -> None:
    with serve_plan(["turn_left", 2]) as server:
        client = official.ollama.Client(server.ollama_url)
        said = [client.chat(model=MODEL, messages=[HELLO]).message.content for _ in range(4)]
    assert said == [action_json(action) for action in ("turn_left", 2, "done", "done")]


# --- errors and misbehaviours ----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 429, 500])
def test_all_clients_read_the_message_of_an_error(status: int) -> None:
    with serve_in_turn([Status(status, "slow down")]) as server:
        with pytest.raises(official.ollama.ResponseError, match="slow down") as of_ollama:
            official.ollama.Client(server.ollama_url).chat(model=MODEL, messages=[HELLO])
        with pytest.raises(official.openai.APIStatusError, match="slow down") as of_openai:
            openai_client(server).chat.completions.create(model=MODEL, messages=[HELLO])
        with pytest.raises(official.anthropic.APIStatusError, match="slow down") as of_anthropic:
            anthropic_client(server).messages.create(model=MODEL, messages=[HELLO], max_tokens=9)
    assert of_ollama.value.status_code == of_openai.value.status_code == of_anthropic.value.status_code == status


def test_anthropics_client_knows_the_kind_of_an_error() -> None:
    with (
        serve_in_turn([Status(529, "Overloaded")]) as server,
        pytest.raises(official.anthropic.APIStatusError) as caught,
    ):
        anthropic_client(server).messages.create(model=MODEL, messages=[HELLO], max_tokens=9)
    assert caught.value.type == "overloaded_error"


def test_the_newest_version_of_anthropics_protocol_takes_no_temperature() -> None:
    extra = {"temperature": 0}
    refusal = pytest.raises(official.anthropic.BadRequestError, match="temperature: Extra inputs are not permitted")
    with serve(lambda request: "") as server, refusal:
        anthropic_client(server).messages.create(model=MODEL, messages=[HELLO], max_tokens=9, extra_body=extra)
    assert server.chats == []


def test_a_model_that_it_does_not_have_is_not_found() -> None:
    with serve(lambda request: "") as server:
        with pytest.raises(official.ollama.ResponseError, match="'other' not found"):
            official.ollama.Client(server.ollama_url).chat(model="other", messages=[HELLO])
        with pytest.raises(official.anthropic.NotFoundError, match="'other' not found"):
            anthropic_client(server).messages.create(model="other", messages=[HELLO], max_tokens=9)
        with pytest.raises(official.openai.NotFoundError, match="'other' not found"):
            openai_client(server).chat.completions.create(model="other", messages=[HELLO])
    assert server.chats[0].model == "other"


def test_a_wrong_credential_is_refused_and_the_right_one_admitted() -> None:
    with serve(lambda request: "well", api_key="right") as server:
        with pytest.raises(official.openai.AuthenticationError):
            openai_client(server, "wrong").models.list()
        with pytest.raises(official.anthropic.AuthenticationError):
            anthropic_client(server, "wrong").models.list()
        assert anthropic_client(server, "right").messages.create(model=MODEL, messages=[HELLO], max_tokens=9)
        assert openai_client(server, "right").chat.completions.create(model=MODEL, messages=[HELLO])


def test_a_request_that_is_not_of_the_protocol_is_refused() -> None:
    with serve(lambda request: "") as server:
        for path in ("/api/chat", "/v1/chat/completions", "/anthropic/v1/messages"):
            reply = requests.post(server.address + path, json={"model": MODEL}, timeout=5)
            assert (reply.status_code, server.chats) == (400, [])


def test_an_answer_that_fails_is_seen_at_the_other_end() -> None:
    def fail(request: object) -> str:
        raise LookupError("no such step")

    with serve(fail) as server, pytest.raises(official.ollama.ResponseError, match="no such step"):
        official.ollama.Client(server.ollama_url).chat(model=MODEL, messages=[HELLO])


def test_a_reply_is_dropped_hung_or_led_elsewhere() -> None:
    with serve_in_turn([Drop(), Hang(), Redirect("http://127.0.0.1:9/elsewhere")]) as server:
        url, body = f"{server.ollama_url}/api/chat", {"model": MODEL, "messages": [HELLO]}
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            requests.post(url, json=body, timeout=5)
        with pytest.raises(requests.ReadTimeout):
            requests.post(url, json=body, timeout=0.1)
        assert requests.post(url, json=body, timeout=5, allow_redirects=False).is_redirect


@pytest.mark.parametrize("announced", [True, False])
def test_a_huge_reply_is_as_large_as_it_says(announced: bool) -> None:
    huge = Huge(1_000_000, announced)
    with serve_in_turn([huge]) as server:
        reply = requests.post(f"{server.ollama_url}/api/chat", json={"model": MODEL, "messages": [HELLO]}, timeout=5)
    assert ("Content-Length" in reply.headers) == announced
    assert len(reply.content) >= 1_000_000


def test_nobody_listens_at_a_refused_address_or_once_a_server_is_closed() -> None:
    with serve(lambda request: "") as server:
        kept_open = requests.Session()
        assert kept_open.get(f"{server.ollama_url}/api/tags", timeout=5).ok
    for address in (refused_address(), server.address):
        with pytest.raises(requests.ConnectionError):
            kept_open.get(f"{address}/api/tags", timeout=5)
