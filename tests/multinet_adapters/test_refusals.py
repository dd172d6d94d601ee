"""What a server refuses as a request is not asked again unchanged: it is gone round, or it ends the run."""

import json
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from gridworld.model_interface import AnswerFault, PreflightCheck
from multinet_adapters.refusals import RequestPart, refused_part
from multinet_adapters.testing.model_servers import Body, ChatRequest, Reply, Status, action_json, serve, serve_in_turn
from support.sighted_model import is_asked_to_act, sighted

STRUCTURED, SYSTEM = RequestPart.STRUCTURED_OUTPUT, RequestPart.SYSTEM_MESSAGE
IMAGES, SEVERAL = RequestPart.IMAGES, RequestPart.SEVERAL_IMAGES
IN_MESSAGE = RequestPart.IMAGES_IN_MESSAGE
LENGTH = RequestPart.REASONING_LENGTH
TOKENS, TEMPERATURE, SEED = RequestPart.TOKEN_LIMIT_NAME, RequestPart.TEMPERATURE, RequestPart.SEED

WORDINGS = [
    (400, STRUCTURED, "response_format is not supported"),
    (400, STRUCTURED, "This response_format type is unavailable now"),
    (
        422,
        STRUCTURED,
        "Failed to deserialize the JSON body into the target type: response_format.type: unknown variant",
    ),
    (400, STRUCTURED, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
    (400, STRUCTURED, "'response_format.type' must be 'json_schema' or 'text'"),
    (
        400,
        STRUCTURED,
        "invalid schema for response format: response_format/json_schema/answer: minItems is not supported",
    ),
    (
        400,
        LENGTH,
        "Invalid schema for response_format 'answer': In context=('properties', 'note'), 'maxLength' is not permitted.",
    ),
    (400, LENGTH, "output_config.format.schema: For 'string' type, property 'maxLength' is not supported"),
    (400, STRUCTURED, "This model does not support response format `json_schema`. See supported models"),
    (400, STRUCTURED, "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"),
    (400, STRUCTURED, "output_config.format: Extra inputs are not permitted"),
    (400, STRUCTURED, "output_config: Extra inputs are not permitted"),
    (500, STRUCTURED, "failed to load model vocabulary required for format"),
    (500, STRUCTURED, "Failed to initialize samplers: failed to parse grammar"),
    (400, IMAGES, "Model does not support images. Please use a model that does."),
    (400, IMAGES, "this model does not support image input (ref: b8bd630e)"),
    (500, IMAGES, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
    (500, IMAGES, 'Failed to parse messages: Unsupported content part type: "image_url"; messages = [...]'),
    (500, IMAGES, "this model is missing data required for image input"),
    (400, IMAGES, "/models/qwen2 is not a multimodal model"),
    (400, IMAGES, "Failed to deserialize the JSON body into the target type: messages[7]: unknown variant `image_url`"),
    (422, IMAGES, "messages[2]: invalid type: sequence, expected a string at line 1 column 2901"),
    (400, IMAGES, "Invalid content type. image_url is only supported by certain models."),
    (404, IMAGES, "No endpoints found that support image input"),
    (400, IMAGES, "At most 0 image(s) may be provided in one prompt."),
    (400, SEVERAL, "At most 1 image(s) may be provided in one request."),
    (400, SEVERAL, "At most 5 image(s) may be provided in one request."),
    (400, SEVERAL, "Too much media: 0 document pages + 104 images > 100"),
    (500, IN_MESSAGE, "vision model only supports a single image per message"),
    (400, IN_MESSAGE, "At most 1 image may be provided in one message."),
    (400, IN_MESSAGE, "Multiple images in a single message are not supported"),
    (400, IN_MESSAGE, "messages with more than one image are not supported"),
    (400, SYSTEM, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
    (400, SYSTEM, "System role not supported"),
    (400, SYSTEM, "Developer instruction is not enabled for models/gemma-3-27b-it"),
    (500, SYSTEM, "Only user, assistant and tool roles are supported, got system"),
    (400, SYSTEM, "Conversation roles must alternate user/assistant/user/assistant/..."),
    (
        400,
        TOKENS,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    (422, TOKENS, "body.max_completion_tokens: Extra inputs are not permitted"),
    (400, TOKENS, "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs'}]"),
    (
        400,
        TEMPERATURE,
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    ),
    (400, TEMPERATURE, "`temperature` is deprecated for this model."),
    (400, TEMPERATURE, "temperature: Extra inputs are not permitted"),
    (422, SEED, "body.seed: Extra inputs are not permitted"),
]

OTHERS = [
    (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"),
    (400, "max_tokens is too large: 90000. This model supports at most 16384 completion tokens"),
    (400, "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for the model"),
    (
        400,
        "messages.1: at least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    ),
    (400, "After the optional system message, conversation roles must alternate user and assistant roles"),
    (404, "model 'gridplayer' not found, try pulling it first"),
    (400, "invalid model name"),
    (503, "response_format is not supported"),
    (429, "too many images this minute"),
]


@pytest.mark.parametrize(("status", "part", "words"), WORDINGS)
def test_servers_words_tell_what_they_refuse(status: int, part: RequestPart, words: str) -> None:
    assert refused_part(status, words) is part


@pytest.mark.parametrize(("status", "words"), OTHERS)
def test_other_errors_are_not_taken_for_a_refusal_of_a_part(status: int, words: str) -> None:
    assert refused_part(status, words) is None


# --- going round ---------------------------------------------------------------------------------------------------


def structured(body: Any) -> bool:
    return bool({"response_format", "format", "output_config"} & body.keys())


def has_system(body: Any) -> bool:
    return "system" in body or any(message["role"] == "system" for message in body["messages"])


def setting(name: str) -> Callable[[Any], bool]:
    return lambda body: name in body or name in body.get("options", {})


@attrs.define
class Picky:
    """A server that refuses some parts of requests, one at a time, and answers when there is none of them left."""

    refuses: list[tuple[Callable[[Any], bool], str]]
    status: int = 400

    def __call__(self, request: ChatRequest) -> Reply | str:
        for has, words in self.refuses:
            if has(request.body):
                return Status(self.status, words)
        return action_json("turn_left") if structured(request.body) else "Action: turn_left"


NO_SCHEMA = (structured, "response_format is not supported by this server")
NO_SYSTEM = (has_system, "System role not supported")
NO_TEMPERATURE = (setting("temperature"), "'temperature' does not support 0 with this model")
NO_SEED = (setting("seed"), "seed: Extra inputs are not permitted")
NO_MAX_TOKENS = (setting("max_tokens"), "'max_tokens' is not supported. Use 'max_completion_tokens' instead.")


@pytest.mark.parametrize(
    ("refusal", "argument"),
    [
        (NO_SCHEMA, "structured=false"),
        (NO_SYSTEM, "system_message=false"),
        (NO_TEMPERATURE, "temperature=none"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_refused_part_is_left_out_from_then_on(connect: Any, question: Any, refusal: Any, argument: str) -> None:
    check_left_out(connect, question, refusal, argument)


def test_a_seed_that_is_refused_is_left_out_from_then_on(connect_seeded: Any, question: Any) -> None:
    check_left_out(connect_seeded, question, NO_SEED, "seed=none", seed=3)


def check_left_out(connect: Any, question: Any, refusal: Any, argument: str, **options: Any) -> None:
    with serve(Picky([refusal])) as server:
        adapter = connect(server, **options)
        outputs = [adapter.predict(question()) for _ in range(3)]
    assert [output.action for output in outputs] == [0, 0, 0]
    assert [refusal[0](chat.body) for chat in server.chats] == [True, False, False, False]
    (adjustment,) = adapter.adjustments()
    assert (adjustment.argument, adjustment.reason) == (argument, refusal[1])
    assert [output.adjustments for output in outputs] == [(adjustment,), (), ()]
    assert {output.left_out for output in outputs} == {(adjustment.refused,)}
    told = [adapter.body(sent.prompt, dict(sent.settings)) for output in outputs for sent in output.sent]
    assert json.loads(json.dumps(told)) == [chat.body for chat in server.chats[1:]]


def test_an_adapter_samples_unless_its_server_takes_the_temperature_0(connect: Any, question: Any) -> None:
    with serve(Picky([NO_TEMPERATURE])) as server:
        adapter = connect(server)
        assert not adapter.samples
        adapter.predict(question())
        assert adapter.samples
        assert [connect(server, temperature=each).samples for each in (0.0, 0.2, None)] == [False, True, True]


def test_a_version_of_the_api_that_takes_no_temperature_is_gone_round(connect_as: Any, question: Any) -> None:
    with serve(lambda request: action_json("turn_left")) as server:
        adapter = connect_as("anthropic", server, api_version="2026-10-21")
        assert adapter.predict(question()).action == 0
    assert [each.argument for each in adapter.adjustments()] == ["temperature=none"]
    assert [("temperature" in chat.body) for chat in server.chats] == [False]


def test_the_text_of_the_system_is_still_there_after_its_message_is_refused(connect: Any, question: Any) -> None:
    with serve(Picky([NO_SYSTEM])) as server:
        connect(server, structured=False).predict(question())
    before, after = (chat.text for chat in server.chats)
    assert "".join(before.split()) == "".join(after.split())


def test_the_settings_that_are_named_avoid_the_refusal_from_the_start(connect: Any, question: Any) -> None:
    picky = Picky([NO_SCHEMA, NO_SYSTEM, NO_TEMPERATURE])
    with serve(picky) as server:
        adapter = connect(server, structured=False, system_message=False, temperature=None)
        assert adapter.predict(question()).action == 0
    assert (len(server.chats), adapter.adjustments()) == (1, ())


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_the_token_limit_is_sent_under_its_other_name(connect_as: Any, question: Any, name: str) -> None:
    refusal = (setting(name), f"body.{name}: Extra inputs are not permitted")
    with serve(Picky([refusal], 422)) as server:
        adapter = connect_as("openai", server, max_tokens_field=name, max_tokens=77)
        adapter.predict(question())
        adapter.predict(question())
    limits = [{key: value for key, value in chat.body.items() if "max" in key} for chat in server.chats]
    other = ({"max_tokens", "max_completion_tokens"} - {name}).pop()
    assert limits == [{name: 77}, {other: 77}, {other: 77}]
    assert [each.argument for each in adapter.adjustments()] == [f"max_tokens_field={other}"]


def test_all_parts_may_be_refused_one_after_the_other(connect_as: Any, question: Any) -> None:
    picky = Picky([NO_MAX_TOKENS, NO_TEMPERATURE, NO_SCHEMA, NO_SYSTEM, NO_SEED])
    with serve(picky) as server:
        adapter = connect_as("openai", server, seed=1)
        assert adapter.predict(question()).action == 0
    assert [each.refused for each in adapter.adjustments()] == [TOKENS, TEMPERATURE, STRUCTURED, SYSTEM, SEED]
    bodies = [chat.received.body for chat in server.chats]
    assert len(set(bodies)) == len(bodies) == 6


@pytest.mark.parametrize(("status", "words"), {part: (status, words) for status, part, words in WORDINGS}.values())
def test_no_refusal_is_ever_met_with_the_same_request_again(
    connect: Any, question: Any, status: int, words: str
) -> None:
    """Whatever is left out, this server goes on refusing."""
    with serve(lambda request: Status(status, words)) as server:
        with pytest.raises(AnswerFault) as caught:
            connect(server).predict(question())
        bodies = [chat.received.body for chat in server.chats]
    assert len(set(bodies)) == len(bodies) <= 2
    assert caught.value.permanent
    assert " ".join(words.split())[:40] in caught.value.message


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        ("Model does not support images. Please use a model that does.", "--observation text"),
        ("At most 1 image(s) may be provided in one request.", "--history-images"),
    ],
)
def test_what_cannot_be_gone_round_is_told_with_the_argument_that_helps(
    connect: Any, question: Any, words: str, argument: str
) -> None:
    with serve_in_turn([Status(400, words)]) as server, pytest.raises(AnswerFault) as caught:
        connect(server).predict(question())
    assert (argument in caught.value.message, caught.value.permanent, len(server.chats)) == (True, True, 1)


@pytest.mark.parametrize("status", [400, 422])
def test_any_other_refusal_of_a_request_ends_the_run_in_the_servers_own_words(
    connect: Any, question: Any, status: int
) -> None:
    body = b'{"detail": [{"type": "missing", "loc": ["body", "tenant"], "msg": "Field required"}]}'
    with serve_in_turn([Body(body, status=status)]) as server, pytest.raises(AnswerFault) as caught:
        connect(server).predict(question())
    assert (caught.value.permanent, len(server.chats)) == (True, 1)
    assert f"(HTTP {status}): body.tenant: Field required" in caught.value.message


def test_a_refusal_with_a_time_to_come_back_is_not_permanent(connect: Any, question: Any) -> None:
    reply = Status(400, "come back later", {"Retry-After": "3"})
    with serve_in_turn([reply]) as server, pytest.raises(AnswerFault) as caught:
        connect(server).predict(question())
    assert (caught.value.permanent, caught.value.retry_after) == (False, 3.0)


def test_a_credential_that_a_server_repeats_is_not_in_the_reason(
    connect: Any, question: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sesame-4711")
    with serve(Picky([(structured, "response_format is not supported for sesame-4711")])) as server:
        adapter = connect(server, api_key_env="MY_KEY")
        adapter.predict(question())
    assert "sesame" not in adapter.adjustments()[0].reason


def test_questions_without_pictures_are_plain_text(connect_as: Any, question: Any) -> None:
    with serve(lambda request: action_json(2)) as server:
        connect_as("openai", server).predict(question(image=None))
    assert isinstance(server.chats[0].messages[-1]["content"], str)


# --- before a run --------------------------------------------------------------------------------------------------


def test_the_checks_find_what_a_server_refuses_and_how_to_avoid_it(connect: Any) -> None:
    picky = Picky([NO_SCHEMA, NO_TEMPERATURE])

    def answer(request: ChatRequest) -> Reply | str:
        reply = picky(request)
        return reply if isinstance(reply, Status) or is_asked_to_act(request) else sighted(request)

    with serve(answer) as server:
        found: dict[str, PreflightCheck] = {verdict.name: verdict for verdict in connect(server).preflight()}
    accepted = found["what the server accepts"]
    assert accepted.passed
    assert "temperature: it is left to the server (-M temperature=none)" in accepted.message
    assert "structured output" in accepted.message
