"""What a model is sent: all that it is given for the step."""

import io
import json
from typing import Any

import attrs
import numpy as np
import pytest
from PIL import Image

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import EpisodeInfo, ModelInput, Text
from gridworld.model_interface.prompts import question as open_question
from multinet_adapters.anthropic_messages import AnthropicAdapter
from multinet_adapters.chat_adapter import ChatAdapter
from multinet_adapters.lmstudio_vlm_adapter import LMStudioVLMAdapter
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
from multinet_adapters.testing.model_servers import MODEL, ModelServer, action_json, serve


def picture(value: int, height: int = 5, width: int = 7) -> np.ndarray:
    return np.full((height, width, 3), value, dtype=np.uint8)


def decoded(data: bytes) -> np.ndarray:
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.mode) == ("PNG", "RGB")
    return np.asarray(image)


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
    """The JSON that is sent for an input, without sending it."""
    return adapter.body(adapter.adapt(adapter.prompt(input)), adapter.settings_in_use())


@pytest.fixture
def server() -> Any:
    with serve(lambda request: action_json("turn_left")) as running:
        yield running


# --- the forms of the protocols --------------------------------------------------------------------------------

FULL = {
    "additional_context": "Step 3: turn_left: turned.",
    "prior_images": [picture(1), picture(2)],
    "text_observation": "a wall ahead",
    "correction": "'jump' is not an action",
    "feedback": "move_forward: bumped into a wall.",
    "note": "east is shut",
}


def test_anthropics_protocol_has_the_system_apart_and_each_picture_after_its_label(server: ModelServer) -> None:
    adapter = AnthropicAdapter(MODEL, base_url=server.anthropic_url)
    adapter.predict(asked(prior_images=[picture(1)]))
    body = server.chats[0].body
    (user,) = body["messages"]
    assert (body["system"].startswith("You control the agent"), user["role"]) == (True, "user")
    assert [block["type"] for block in user["content"]] == ["text", "image", "text", "image", "text"]
    assert [block["text"].rstrip(":") for block in user["content"][:4:2]] == [
        "Observation 1 step ago",
        "Current observation",
    ]
    assert server.chats[0].received.headers["anthropic-version"] == "2023-06-01"


def test_nothing_is_sent_when_a_prompt_is_only_looked_at(connect: Any, server: ModelServer) -> None:
    adapter = connect(server)
    body_for(adapter, asked())
    assert server.received == []


# --- pictures --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 5])
def test_all_pictures_arrive_pixel_by_pixel_the_oldest_first(connect: Any, server: ModelServer, count: int) -> None:
    noise = np.random.default_rng(count).integers(0, 256, (count + 1, 24, 31, 3), dtype=np.uint8)
    *prior, current = noise
    connect(server).predict(asked(image=current, prior_images=prior))
    assert np.array_equal([decoded(data) for data in server.chats[0].images], noise)


def test_each_picture_says_how_long_ago_it_was_seen(connect: Any, server: ModelServer) -> None:
    connect(server).predict(asked(prior_images=[picture(1), picture(2), picture(3)]))
    text = server.chats[0].text
    labels = ["Observation 3 steps ago", "Observation 2 steps ago", "Observation 1 step ago", "Current observation"]
    places = [text.index(label) for label in labels]
    assert places == sorted(places)


def test_ollama_has_a_message_for_each_earlier_picture_and_the_current_one_in_the_last(server: ModelServer) -> None:
    """Its server puts the pictures of a message before its text, and would drop any message but the last."""
    OllamaVLMAdapter(MODEL, base_url=server.ollama_url).predict(asked(prior_images=[picture(1), picture(2)]))
    system, *earlier, last = server.chats[0].messages
    assert (system["role"], [each["role"] for each in [*earlier, last]]) == ("system", ["user"] * 3)
    assert [each["content"] for each in earlier] == ["Observation 2 steps ago", "Observation 1 step ago"]
    assert [len(each["images"]) for each in [*earlier, last]] == [1, 1, 1]
    assert last["content"].startswith("Current observation\n")
    assert "collect the purple key" in last["content"]


def test_openai_has_each_picture_after_its_label_in_one_message(server: ModelServer) -> None:
    OpenAICompatibleAdapter(MODEL, base_url=server.openai_url).predict(asked(prior_images=[picture(1)]))
    system, user = server.chats[0].messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert [part["type"] for part in user["content"]] == ["text", "image_url", "text", "image_url", "text"]
    assert [part["text"].rstrip(":") for part in user["content"][:4:2]] == [
        "Observation 1 step ago",
        "Current observation",
    ]


def test_a_step_without_a_picture_is_sent_as_text_alone(connect: Any, server: ModelServer) -> None:
    connect(server).predict(asked(image=None, text_observation="@ stands before a wall"))
    assert server.chats[0].images == []
    assert "@ stands before a wall" in server.chats[0].text
    assert "picture" not in server.chats[0].text


# --- words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", ["minimal", "standard", "verbose", "chain_of_thought"])
@pytest.mark.parametrize("structured", [True, False])
def test_every_prompt_tells_all_that_is_given(
    connect_openai: Any, server: ModelServer, prompt: str, structured: bool
) -> None:
    connect_openai(server, prompt=prompt, structured=structured).predict(asked(**FULL))
    text = server.chats[0].text
    for told in ("collect the purple key", "Step 3: turn_left: turned.", "a wall ahead", "'jump' is not an action"):
        assert text.count(told) == 1, told
    for number, name in ACTION_SPACE.items():
        assert f"{number}: {name}\n" in text
    assert ("step 4 of at most 20" in text) == (prompt != "minimal")


def test_another_action_space_is_told_as_it_is(connect: Any, server: ModelServer) -> None:
    adapter = connect(server)
    output = adapter.predict(asked(action_space={4: "jump", 8: "turn_left"}))
    assert output.action == 8
    assert "4: jump\n8: turn_left\n" in server.chats[0].text
    assert "move_forward" not in server.chats[0].text


def test_a_structured_answer_is_asked_for_with_the_reasoning_first(server: ModelServer) -> None:
    of_ollama = body_for(OllamaVLMAdapter(MODEL), asked())["format"]
    of_anthropic = body_for(AnthropicAdapter(MODEL), asked())["output_config"]["format"]
    response_format = body_for(LMStudioVLMAdapter(MODEL), asked())["response_format"]
    assert response_format["type"] == "json_schema"
    assert of_ollama == response_format["json_schema"]["schema"] == of_anthropic["schema"]
    assert of_anthropic["type"] == "json_schema"
    assert list(of_ollama["properties"]) == ["reasoning", "action", "confidence"]
    assert of_ollama["properties"]["action"]["enum"] == list(ACTION_SPACE.values())


def test_an_unstructured_answer_is_asked_for_as_a_last_line(connect: Any, server: ModelServer) -> None:
    connect(server, structured=False).predict(asked())
    assert not {"format", "response_format", "output_config"} & server.chats[0].body.keys()
    assert "Action: <id or name>" in server.chats[0].text


def test_the_prompt_that_is_shown_is_the_prompt_that_is_sent(connect: Any, server: ModelServer) -> None:
    adapter = connect(server)
    prompt = adapter.prompt(asked(**FULL))
    (sent,) = adapter.predict(asked(**FULL)).sent
    assert sent.prompt.digest == prompt.digest
    chat = server.chats[0]
    assert chat.body == json.loads(json.dumps(body_for(adapter, asked(**FULL))))
    assert chat.body == json.loads(json.dumps(adapter.body(sent.prompt, dict(sent.settings))))
    system, user = prompt.messages
    assert (system.role, user.role) == ("system", "user")
    assert all(text in chat.text for text in (system.text, user.text, *(each.label for each in user.pictures)))
    assert np.array_equal([each.pixels for each in user.pictures], [decoded(data) for data in chat.images])


@pytest.mark.parametrize("system_message", [True, False])
@pytest.mark.parametrize("structured", [True, False])
def test_what_is_shown_is_named_by_what_it_is(connect: Any, structured: bool, system_message: bool) -> None:
    with serve(lambda request: "") as server:
        prompt = connect(server, structured=structured, system_message=system_message).prompt(asked(**FULL))
    parts = [(part.name, part.text if isinstance(part, Text) else part.label) for part in prompt.parts]
    texts = dict(parts)
    assert {name: texts[name] for name in ("mission", "history", "feedback", "note", "correction")} == {
        "mission": "collect the purple key",
        "history": FULL["additional_context"],
        **{name: FULL[name] for name in ("feedback", "note", "correction")},
    }
    assert ("observation", "a wall ahead") in parts
    assert ("JSON" in texts["answer form"]) == structured
    assert [text for name, text in parts if "observation" in name][:3] == [
        "Observation 2 steps ago",
        "Observation 1 step ago",
        "Current observation",
    ]


# --- settings of the sampling ----------------------------------------------------------------------------------


def sent_options(server: ModelServer) -> dict[str, Any]:
    """The settings of the sampling of the last chat, whatever the protocol calls them."""
    body = dict(server.chats[-1].body)
    options = body.get("options", body)
    length = options.get("num_predict", options.get("max_tokens", options.get("max_completion_tokens")))
    return {"temperature": options.get("temperature"), "seed": options.get("seed"), "max_tokens": length}


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({"temperature": 0.5, "seed": 11, "max_tokens": 64}, {"temperature": 0.5, "seed": 11, "max_tokens": 64}),
        ({"temperature": None, "max_tokens": None}, {"temperature": None, "seed": None, "max_tokens": None}),
    ],
)
def test_settings_of_the_sampling_are_sent_and_none_is_left_to_the_server(
    connect_seeded: Any, server: ModelServer, settings: dict[str, Any], sent: dict[str, Any]
) -> None:
    connect_seeded(server, **settings).predict(asked())
    assert sent_options(server) == sent


@pytest.mark.parametrize("temperature", [0.5, None])
def test_anthropics_protocol_has_no_seed_and_always_a_length(server: ModelServer, temperature: float | None) -> None:
    AnthropicAdapter(MODEL, base_url=server.anthropic_url, temperature=temperature, max_tokens=64).predict(asked())
    assert sent_options(server) == {"temperature": temperature, "seed": None, "max_tokens": 64}


def seed_in(adapter: ChatAdapter, task_id: str, seed: int, **changes: Any) -> int | None:
    """The seed that is sent in an episode."""
    body = body_for(adapter, asked(episode=EpisodeInfo(task_id, seed, "reach the goal", 20), **changes))
    sent: int | None = body.get("options", body).get("seed")
    return sent


def test_a_seed_is_combined_with_each_episode_step_and_attempt(connect_seeded: Any, server: ModelServer) -> None:
    questions = [("a", 1, {}), ("a", 2, {}), ("b", 1, {}), ("a", 1, {"step_number": 4}), ("a", 1, {"attempt": 1})]
    seeds, again, others = (
        [seed_in(connect_seeded(server, seed=seed), task, number, **changes) for task, number, changes in questions]
        for seed in (5, 5, 6)
    )
    assert again == seeds
    assert len({*seeds, *others}) == 10
    assert all(0 <= seed < 2**31 for seed in seeds if seed is not None)


def test_an_open_question_has_its_own_seed_or_that_of_the_model(connect_seeded: Any, server: ModelServer) -> None:
    prompt, adapter = open_question(Text("What is there?")), connect_seeded(server, seed=5)
    adapter.ask(prompt)
    adapter.ask(attrs.evolve(prompt, seed=7))
    assert [chat.body.get("options", chat.body)["seed"] for chat in server.chats] == [5, 7]


def test_without_a_seed_none_is_sent_in_any_episode(connect: Any, server: ModelServer) -> None:
    assert [seed_in(connect(server), task, number) for task, number in (("a", 1), ("b", 2))] == [None, None]


def test_ollama_is_told_to_drop_nothing_in_silence(server: ModelServer) -> None:
    body = body_for(OllamaVLMAdapter(MODEL), asked())
    assert (body["truncate"], body["shift"], body["stream"]) == (False, False, False)
