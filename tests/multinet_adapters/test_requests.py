"""What a model is sent: all that it is given for the step."""

import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import EpisodeInfo, ModelInput, PromptedModel, PromptImage, PromptText
from multinet_adapters.anthropic_messages import AnthropicAdapter
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
    adapter.request_for(asked())
    adapter.rendered_prompt(asked())
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
    of_ollama = OllamaVLMAdapter(MODEL).request_for(asked())["format"]
    of_anthropic = AnthropicAdapter(MODEL).request_for(asked())["output_config"]["format"]
    response_format = LMStudioVLMAdapter(MODEL).request_for(asked())["response_format"]
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
    assert isinstance(adapter, PromptedModel)
    shown = adapter.rendered_prompt(asked(**FULL))
    adapter.predict(asked(**FULL))
    chat = server.chats[0]
    assert [type(part) for part in shown] == [PromptText, PromptImage, PromptImage, PromptImage, PromptText]
    assert [part.role for part in shown if isinstance(part, PromptText)] == ["system", "user"]
    for part in shown:
        assert (part.text if isinstance(part, PromptText) else part.label) in chat.text
    assert chat.body == json.loads(json.dumps(adapter.request_for(asked(**FULL))))
    pictures = [part.image for part in shown if isinstance(part, PromptImage)]
    assert np.array_equal(pictures, [decoded(data) for data in chat.images])


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


def seeds_of(adapter: Any, *episodes: tuple[str, int]) -> list[int | None]:
    """The seed that is sent in each episode (task, seed)."""
    seeds = []
    for task_id, seed in episodes:
        adapter.begin_episode(EpisodeInfo(task_id, seed, "reach the goal", 20))
        body = adapter.request_for(asked())
        seeds.append(body.get("options", body).get("seed"))
    return seeds


def test_a_seed_is_combined_with_each_episode_whatever_was_played_before(
    connect_seeded: Any, server: ModelServer
) -> None:
    episodes = [("a", 1), ("a", 2), ("b", 1)]
    seeds = seeds_of(connect_seeded(server, seed=5), *episodes)
    assert len(set(seeds)) == 3
    assert seeds_of(connect_seeded(server, seed=5), *reversed(episodes)) == seeds[::-1]
    assert not set(seeds_of(connect_seeded(server, seed=6), *episodes)) & set(seeds)
    assert all(0 <= seed < 2**31 for seed in seeds if seed is not None)


def test_the_seed_is_that_of_the_episode_that_is_asked_in_where_one_thread_plays_several(
    connect_seeded: Any, server: ModelServer
) -> None:
    adapter = connect_seeded(server, seed=5)
    begun = [EpisodeInfo(task_id, 1, "reach the goal", 20) for task_id in ("a", "b")]
    for episode in begun:
        adapter.begin_episode(episode)
    bodies = [adapter.request_for(asked(episode=episode)) for episode in begun]
    assert [body.get("options", body)["seed"] for body in bodies] == seeds_of(adapter, ("a", 1), ("b", 1))


def test_without_a_seed_none_is_sent_in_any_episode(connect: Any, server: ModelServer) -> None:
    assert seeds_of(connect(server), ("a", 1), ("b", 2)) == [None, None]


def test_ollama_is_told_to_drop_nothing_in_silence(server: ModelServer) -> None:
    body = OllamaVLMAdapter(MODEL).request_for(asked())
    assert (body["truncate"], body["shift"], body["stream"]) == (False, False, False)
