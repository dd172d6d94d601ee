"""A credential reaches the server that it is for, and nothing else: no other host, no file, no message."""

import json
import logging
from typing import Any

import pytest

from gridworld.model_interface import AnswerFault, Opaque, reply_of
from gridworld.model_interface import Text as Part
from gridworld.model_interface.prompts import question as open_question
from multinet_adapters.credentials import Credential
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.testing.model_servers import (
    MODEL,
    Body,
    Redirect,
    Status,
    Text,
    refused_address,
    serve,
    serve_in_turn,
)

KEY = "sk-a+b/c=9f438cb9cd581fc0"
VARIABLE = "SOME_KEY"


@pytest.fixture(autouse=True)
def _given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def fault_of(call: Any) -> AnswerFault:
    with pytest.raises(AnswerFault) as caught:
        call()
    return caught.value


def all_of(fault: AnswerFault) -> str:
    """Everything that could be written down of a fault, the errors that it came from included."""
    parts, error = [], fault
    while error is not None:
        parts += [str(error), repr(error), repr(vars(error)), repr(error.args)]
        error = error.__cause__ or error.__context__
    return "\n".join(parts)


@pytest.mark.parametrize(
    ("kind", "header", "value"),
    [
        ("ollama", "authorization", f"Bearer {KEY}"),
        ("openai", "authorization", f"Bearer {KEY}"),
        ("lmstudio", "authorization", f"Bearer {KEY}"),
        ("anthropic", "x-api-key", KEY),
    ],
)
def test_it_is_presented_with_every_request(connect_as: Any, question: Any, kind: str, header: str, value: str) -> None:
    with serve(lambda request: "Action: 2", api_key=KEY) as server:
        adapter = connect_as(kind, server, api_key_env=VARIABLE)
        adapter.check_ready()
        assert adapter.predict(question()).action == 2
    for each in server.received:
        assert [name for name, given in each.headers.items() if KEY in given] == [header]
        assert each.headers[header] == value
    assert len(server.received) == 2


def test_without_one_none_is_presented(connect: Any, question: Any) -> None:
    with serve(lambda request: "Action: 2") as server:
        connect(server).predict(question())
    assert not {"authorization", "x-api-key"} & server.received[0].headers.keys()


def test_white_space_around_it_is_left_out(connect_openai: Any, question: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f" {KEY}\n")
    with serve(lambda request: "Action: 2", api_key=KEY) as server:
        assert connect_openai(server, api_key_env=VARIABLE).predict(question()).action == 2


SPELLINGS = {
    "plain": list(KEY),
    "slashes escaped": [each.replace("/", "\\/") for each in KEY],
    "JSON escapes": [f"\\u{ord(each):04x}" for each in KEY],
    "JSON in JSON": [f"\\\\u{ord(each):04X}" for each in KEY],
    "JSON in JSON in JSON": [f"\\\\\\\\u{ord(each):04x}" for each in KEY],
    "percent-encoding": [f"%{ord(each):02X}" for each in KEY],
}


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
def test_wherever_a_text_is_cut_less_than_eight_characters_of_it_are_left(spelled: list[str]) -> None:
    credential = Credential(VARIABLE, {}, MODEL)
    whole, beginning = "".join(spelled), "".join(spelled[:8])
    for end in range(len(beginning), len(whole) + 1):
        kept = credential.redact(f"key: {whole[:end]}")
        assert kept.startswith("key: [credential]")
        assert len(kept) < len("key: [credential]") + max(map(len, spelled))


def test_it_is_not_sent_where_the_server_redirects_to(connect: Any, question: Any) -> None:
    with serve(lambda request: "Action: 2") as elsewhere, serve_in_turn([Redirect(elsewhere.address, 307)]) as server:
        fault_of(lambda: connect(server, api_key_env=VARIABLE).predict(question()))
        assert elsewhere.received == []


def test_it_is_not_in_an_answer_that_repeats_it(connect_openai: Any, question: Any) -> None:
    text = f'{{"reasoning": "my key is {KEY}", "action": 2}}'
    with serve_in_turn([Text(text)]) as server:
        output = connect_openai(server, api_key_env=VARIABLE).predict(question())
    assert output.action == 2
    assert KEY not in repr(output)
    assert output.reasoning == "my key is [credential]"


def test_it_is_not_in_an_answer_that_tags_have_hidden_it_in(connect_openai: Any, question: Any) -> None:
    with serve_in_turn([Text(f"I say {KEY[:5]}<think></think>{KEY[5:]}.\nAction: 2")] * 2) as server:
        adapter = connect_openai(server, api_key_env=VARIABLE)
        output = adapter.predict(question())
        said = adapter.ask(open_question(Part("Which key?")))
    assert (output.action, output.reasoning) == (2, "I say [credential].")
    assert KEY not in said


@pytest.mark.parametrize("key", [KEY, "12", "null", 'abcdefgh"}]'])
def test_it_is_not_in_what_is_given_back_to_a_provider(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(VARIABLE, key)
    content = {"thinking": f"it is {key}", "signature": ["abcdefgh", None, 12, "half \ud800"], key: 1.5}
    (part,) = (
        Credential(VARIABLE, {}, MODEL).redact_reply(reply_of("", None, Opaque("thinking", content))).message.parts[:1]
    )
    assert isinstance(part, Opaque)
    assert part.content["thinking"] == "it is [credential]"
    assert (part.content["signature"][1:3], part.content["[credential]"]) == ([None, 12], 1.5)
    json.dumps(part.content, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(
    "reply",
    [
        Status(500, f"wrong credential: Bearer {KEY}"),
        Status(429, f"{KEY} asks too often"),
        Redirect(f"http://elsewhere.invalid/?key={KEY}"),
        Body(f"<html>{KEY}".encode()),
        Body(f'{{"message": {{"content": ["{KEY}"]}}, "choices": [{{"message": "{KEY}"}}]}}'.encode()),
        Body(b'{"error": "' + KEY.replace("/", "\\/").encode() + b'"}'),
        Text(f"the key {KEY} says go"),
        Text(f"Action: {KEY}"),
        Text(f"<think>{KEY}</think>"),
    ],
    ids=str,
)
def test_it_is_not_in_a_fault_of_a_server_that_repeats_it(connect_openai: Any, question: Any, reply: Any) -> None:
    with serve_in_turn([reply]) as server:
        fault = fault_of(lambda: connect_openai(server, api_key_env=VARIABLE).predict(question()))
    assert KEY not in all_of(fault)


def test_it_is_not_in_what_a_refused_connection_tells(question: Any) -> None:
    adapter = OllamaVLMAdapter(MODEL, base_url=refused_address(), api_key_env=VARIABLE)
    assert KEY not in all_of(fault_of(lambda: adapter.predict(question())))
    assert KEY not in all_of(fault_of(adapter.check_ready))


def test_it_is_not_in_verdicts_nor_in_the_list_of_models(connect_openai: Any) -> None:
    with serve(lambda request: f"green {KEY}", models=[f"one {KEY}", MODEL]) as server:
        adapter = connect_openai(server, api_key_env=VARIABLE)
        missing = connect_openai(server, api_key_env=VARIABLE, model="other")
        told = repr([adapter.list_models(), adapter.preflight(), missing.preflight()])
    assert KEY not in told
    assert told.count("[credential]") >= 3


def test_it_is_not_in_the_log(connect_openai: Any, question: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), serve_in_turn(["Action: 2", Status(500, KEY)]) as server:
        adapter = connect_openai(server, api_key_env=VARIABLE)
        adapter.predict(question())
        fault_of(lambda: adapter.predict(question()))
    assert caplog.text
    assert KEY not in caplog.text


def test_it_is_not_in_what_an_adapter_shows_of_itself(connect_openai: Any, question: Any) -> None:
    with serve(lambda request: "") as server:
        adapter = connect_openai(server, api_key_env=VARIABLE)
    body = adapter.body(adapter.adapt(adapter.prompt(question())), adapter.settings_in_use())
    assert KEY not in repr(adapter) + str(adapter) + adapter.model_name + repr(body)
    assert f"api_key_env='{VARIABLE}'" in repr(adapter)


def test_a_wrong_one_is_told_by_the_name_of_its_variable(connect_openai: Any, question: Any) -> None:
    with serve(lambda request: "", api_key="another") as server:
        fault = fault_of(lambda: connect_openai(server, api_key_env=VARIABLE).predict(question()))
    assert "it does not accept the credential in the environment variable 'SOME_KEY'" in fault.message
    assert KEY not in all_of(fault)


def test_a_missing_one_is_asked_for(connect_openai: Any, question: Any) -> None:
    with serve(lambda request: "", api_key=KEY) as server:
        adapter = connect_openai(server)
        for call in (adapter.check_ready, lambda: adapter.predict(question())):
            assert "pass the variable's name as api_key_env" in fault_of(call).message


@pytest.mark.parametrize("value", ["", "  ", None])
def test_a_variable_that_holds_nothing_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv(VARIABLE) if value is None else monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(ValueError, match="the environment variable 'SOME_KEY' is not set or empty"):
        OllamaVLMAdapter(MODEL, api_key_env=VARIABLE)


@pytest.mark.parametrize("value", ["two words", "line\nbreak", "größe"])
def test_what_cannot_be_sent_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(ValueError, match="'SOME_KEY' contains characters that cannot be sent") as caught:
        OllamaVLMAdapter(MODEL, api_key_env=VARIABLE)
    assert value not in str(caught.value)


def test_a_credential_that_is_given_in_place_of_a_name_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="expected the name of a variable") as caught:
        OllamaVLMAdapter(MODEL, api_key_env="sk-123-secret")
    assert "sk-123-secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["base_url", "proxy"])
def test_an_address_with_a_password_in_it_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(ValueError, match="contains a user name or password") as caught:
        OllamaVLMAdapter(MODEL, **{name: "http://me:secret@127.0.0.1:11434"})
    assert "secret" not in str(caught.value)
