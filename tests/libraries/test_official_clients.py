"""Adapters send what the official clients of the protocols send, and the servers of tests answer as real ones do."""

import base64
import io
import json
import ssl
from collections.abc import Mapping
from functools import cache
from typing import Any

import anthropic
import numpy as np
import ollama
import openai
import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as AnthropicRequest
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as OpenAIRequest
from PIL import Image
from pydantic import TypeAdapter

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import ModelInput, ReplyForm, Turn
from multinet_adapters.anthropic_messages import AnthropicAdapter
from multinet_adapters.chat_adapter import ChatAdapter
from multinet_adapters.lmstudio_vlm_adapter import LMStudioVLMAdapter
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.testing.model_servers import (
    MODEL,
    ModelServer,
    Refusal,
    Status,
    Text,
    action_json,
    serve,
    serve_in_turn,
)

HELLO = {"role": "user", "content": "hello"}
NEWER_THAN_OLLAMAS_CLIENT = {"truncate", "shift"}
"""What Ollama's server reads and its client does not know."""
OLDER_THAN_ANTHROPICS_CLIENT = {"temperature"}
"""What older versions of Anthropic's API take and the client does not know."""


@cache
def certificates() -> ssl.SSLContext:
    """Certificate checks, read once: to read those of all authorities takes longer than most requests."""
    return ssl.create_default_context()


def openai_client(server: ModelServer, api_key: str = "none") -> openai.OpenAI:
    http = openai.DefaultHttpxClient(verify=certificates())
    return openai.OpenAI(base_url=server.openai_url, api_key=api_key, max_retries=0, http_client=http)


def anthropic_client(server: ModelServer, api_key: str = "none") -> anthropic.Anthropic:
    http = anthropic.DefaultHttpxClient(verify=certificates())
    return anthropic.Anthropic(base_url=server.anthropic_url, api_key=api_key, max_retries=0, http_client=http)


def ollama_client(server: ModelServer) -> ollama.Client:
    return ollama.Client(server.ollama_url, verify=certificates())


def complete(server: ModelServer, **changes: Any) -> Any:
    return openai_client(server).chat.completions.create(**{"model": MODEL, "messages": [HELLO], **changes})


def create(server: ModelServer, **changes: Any) -> Any:
    asked = {"model": MODEL, "messages": [HELLO], "max_tokens": 9, **changes}
    return anthropic_client(server).messages.create(**asked)


def chat(server: ModelServer, **changes: Any) -> Any:
    return ollama_client(server).chat(**{"model": MODEL, "messages": [HELLO], **changes})


# --- what adapters send --------------------------------------------------------------------------------------------


def picture(value: int) -> np.ndarray:
    return np.full((5, 7, 3), value, dtype=np.uint8)


def asked(**changes: Any) -> ModelInput:
    given = {
        "image": picture(9),
        "text_prompt": "collect the purple key",
        "action_space": dict(ACTION_SPACE),
        "step_number": 3,
        "max_steps": 20,
    }
    return ModelInput(**{**given, **changes})


def body_for(adapter: ChatAdapter, input: ModelInput) -> dict[str, Any]:
    """The JSON that is sent for an input."""
    return adapter.body(adapter.adapt(adapter.prompt(input)), adapter.settings_in_use())


GIVEN = {
    "plain": {},
    "full": {
        "additional_context": "Step 3: turn_left: turned.",
        "prior_images": [picture(1), picture(2)],
        "text_observation": "a wall ahead",
        "correction": "'jump' is not an action",
        "feedback": "move_forward: bumped into a wall.",
        "note": "east is shut",
    },
    "several": {
        "reply": ReplyForm(4, subgoal=True, note_length=80),
        "turns": (
            Turn(asked(step_number=1, image=None), '{"actions": ["turn_left"]}'),
            Turn(asked(step_number=2), "<think>hm</think>Actions: turn_left"),
        ),
    },
    "text only": {"image": None},
}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"structured": False},
    {"temperature": None, "max_tokens": None},
    {"temperature": 0.7, "seed": 5, "max_tokens": 17},
    {"prompt": "minimal"},
]
ANTHROPIC_SETTINGS: list[dict[str, Any]] = [
    {},
    {"structured": False},
    {"temperature": None},
    {"temperature": 0.7, "max_tokens": 17},
    {"prompt": "minimal"},
    {"system_message": False},
]

every_question = pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)


@pytest.fixture
def server() -> Any:
    with serve(lambda request: action_json("turn_left")) as running:
        yield running


def consumed(value: Any) -> Any:
    """A validated value with all that is validated only when it is read."""
    if isinstance(value, (str, int, float, type(None))):
        return value
    if isinstance(value, Mapping):
        return {key: consumed(each) for key, each in value.items()}
    return [consumed(each) for each in value]


@every_question
@pytest.mark.parametrize("chosen", SETTINGS, ids=str)
def test_openais_client_would_send_the_same_and_its_types_take_it(
    server: ModelServer, chosen: dict[str, Any], given: Any
) -> None:
    body = body_for(LMStudioVLMAdapter(MODEL, **chosen), asked(**given))
    plain = json.loads(json.dumps(body))
    assert consumed(TypeAdapter(OpenAIRequest).validate_python(body, strict=False)) == plain
    complete(server, **body)
    assert server.chats[0].body == plain


@every_question
@pytest.mark.parametrize("chosen", [*SETTINGS, {"num_ctx": 8192, "think": True}], ids=str)
def test_ollamas_client_would_send_the_same(server: ModelServer, chosen: dict[str, Any], given: Any) -> None:
    """Its types check all of it: a setting that it does not know, or of a wrong kind, would be refused or missing."""
    body = body_for(OllamaVLMAdapter(MODEL, **chosen), asked(**given))
    known = {name: value for name, value in body.items() if name not in NEWER_THAN_OLLAMAS_CLIENT}
    chat(server, **{**known, "options": ollama.Options(**body["options"])})
    sent = server.chats[0].body
    messages = [{name: value for name, value in each.items() if value != []} for each in sent["messages"]]
    assert {**{name: value for name, value in sent.items() if value != []}, "messages": messages} == known


@every_question
@pytest.mark.parametrize("chosen", ANTHROPIC_SETTINGS, ids=str)
def test_anthropics_client_would_send_the_same_and_its_types_take_it(
    server: ModelServer, chosen: dict[str, Any], given: Any
) -> None:
    body = body_for(AnthropicAdapter(MODEL, **chosen), asked(**given))
    known = {name: value for name, value in body.items() if name not in OLDER_THAN_ANTHROPICS_CLIENT}
    older = {name: value for name, value in body.items() if name in OLDER_THAN_ANTHROPICS_CLIENT}
    plain = json.loads(json.dumps(known))
    assert consumed(TypeAdapter(AnthropicRequest).validate_python(known, strict=False)) == plain
    version = {"anthropic-version": AnthropicAdapter(MODEL).api_version}
    create(server, **known, extra_body=older, extra_headers=version)
    assert server.chats[0].body == json.loads(json.dumps(body))
    assert server.chats[0].received.headers["anthropic-version"] == version["anthropic-version"]


# --- what the servers of tests say ---------------------------------------------------------------------------------


def test_clients_read_a_reply_with_its_costs() -> None:
    with serve_in_turn([Text("turning", "length", thinking="hm")] * 3) as server:
        of_ollama, of_openai, of_anthropic = chat(server), complete(server), create(server)
    assert (of_ollama.message.content, of_ollama.message.thinking) == ("turning", "hm")
    assert (of_ollama.done, of_ollama.done_reason, of_ollama.model) == (True, "length", MODEL)
    assert (of_ollama.prompt_eval_count, of_ollama.eval_count, of_ollama.total_duration) == (321, 45, 1_500_000_000)
    (choice,) = of_openai.choices
    assert (choice.message.content, choice.finish_reason) == ("turning", "length")
    assert (of_openai.usage.prompt_tokens, of_openai.usage.completion_tokens) == (321, 45)
    said = [(block.type, getattr(block, block.type)) for block in of_anthropic.content]
    assert said == [("thinking", "hm"), ("text", "turning")]
    usage = of_anthropic.usage
    assert (of_anthropic.stop_reason, usage.output_tokens, of_anthropic.model) == ("max_tokens", 45, MODEL)
    assert usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens == 321


def test_ollamas_client_reads_a_stream() -> None:
    with serve(lambda request: "turning") as server:
        parts = list(chat(server, stream=True))
    assert [(part.message.content, part.done) for part in parts] == [("turning", False), ("", True)]


def test_clients_read_a_refusal() -> None:
    with serve_in_turn([Refusal("I will not")] * 2) as server:
        (choice,), of_anthropic = complete(server).choices, create(server)
    assert (choice.message.refusal, choice.message.content) == ("I will not", None)
    assert (of_anthropic.stop_reason, of_anthropic.content) == ("refusal", [])
    assert of_anthropic.stop_details.explanation == "I will not"


def test_clients_read_the_list_of_models() -> None:
    with serve(lambda request: "", models=["one:1b", "two:2b"]) as server:
        of_anthropic = [each.id for each in anthropic_client(server).models.list()]
        of_ollama = [each.model for each in ollama_client(server).list().models]
        of_openai = [each.id for each in openai_client(server).models.list()]
    assert of_ollama == of_openai == of_anthropic == ["one:1b", "two:2b"]


def test_a_server_takes_texts_and_pictures_from_what_clients_send() -> None:
    file = io.BytesIO()
    Image.new("RGB", (3, 2), (1, 2, 3)).save(file, "png")
    png, look = file.getvalue(), {"type": "text", "text": "look"}
    encoded = base64.b64encode(png).decode()
    source = {"type": "base64", "media_type": "image/png", "data": encoded}
    of_openai = [look, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}}]
    with serve(lambda request: "seen") as server:
        chat(server, messages=[HELLO, {"role": "user", "content": "look", "images": [png, png]}])
        complete(server, messages=[HELLO, {"role": "user", "content": of_openai}])
        content = [look, {"type": "image", "source": source}]
        create(server, messages=[HELLO, {"role": "user", "content": content}], system="be brief")
    assert [each.text for each in server.chats] == ["hello\nlook", "hello\nlook", "be brief\nhello\nlook"]
    assert [each.images for each in server.chats] == [[png, png], [png], [png]]


@pytest.mark.parametrize("status", [400, 429, 500])
def test_clients_read_the_message_of_an_error(status: int) -> None:
    with serve_in_turn([Status(status, "slow down")]) as server:
        with pytest.raises(ollama.ResponseError, match="slow down") as of_ollama:
            chat(server)
        with pytest.raises(openai.APIStatusError, match="slow down") as of_openai:
            complete(server)
        with pytest.raises(anthropic.APIStatusError, match="slow down") as of_anthropic:
            create(server)
    assert of_ollama.value.status_code == of_openai.value.status_code == of_anthropic.value.status_code == status


def test_anthropics_client_knows_the_kind_of_an_error() -> None:
    with serve_in_turn([Status(529, "Overloaded")]) as server, pytest.raises(anthropic.APIStatusError) as caught:
        create(server)
    assert caught.value.type == "overloaded_error"


def test_the_newest_version_of_anthropics_protocol_takes_no_temperature() -> None:
    refusal = pytest.raises(anthropic.BadRequestError, match="temperature: Extra inputs are not permitted")
    with serve(lambda request: "") as server, refusal:
        create(server, extra_body={"temperature": 0})
    assert server.chats == []


def test_a_model_that_a_server_does_not_have_is_not_found() -> None:
    with serve(lambda request: "") as server:
        with pytest.raises(ollama.ResponseError, match="'other' not found"):
            chat(server, model="other")
        with pytest.raises(anthropic.NotFoundError, match="'other' not found"):
            create(server, model="other")
        with pytest.raises(openai.NotFoundError, match="'other' not found"):
            complete(server, model="other")


def test_a_wrong_credential_is_refused_and_the_right_one_admitted() -> None:
    with serve(lambda request: "well", api_key="right") as server:
        with pytest.raises(openai.AuthenticationError):
            openai_client(server, "wrong").models.list()
        with pytest.raises(anthropic.AuthenticationError):
            anthropic_client(server, "wrong").models.list()
        assert list(anthropic_client(server, "right").models.list())
        assert list(openai_client(server, "right").models.list())
