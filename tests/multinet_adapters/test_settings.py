"""The settings of an adapter: as the command line gives them, and refused when they cannot be."""

from typing import Any

import pytest

from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.plugins.arguments import bind_arguments
from gridworld.support.import_strings import load_object
from multinet_adapters.anthropic_messages import AnthropicAdapter
from multinet_adapters.lmstudio_vlm_adapter import LMStudioVLMAdapter
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.openai_compatible import OpenAICompatibleAdapter
from multinet_adapters.testing.model_servers import MODEL
from support.commands import run_eval

EVERY_SETTING = {
    "base_url=http://127.0.0.1:5000/v1": "http://127.0.0.1:5000/v1",
    "model=some/model:7b": "some/model:7b",
    "temperature=0.5": 0.5,
    "seed=3": 3,
    "max_tokens=none": None,
    "connect_timeout=2": 2.0,
    "read_timeout=30.5": 30.5,
    "prompt=minimal": "minimal",
    "structured=off": False,
    "api_key_env=SOME_KEY": "SOME_KEY",
    "max_reply_bytes=1000": 1000,
    "proxy=none": "none",
}


@pytest.mark.parametrize(
    ("name", "adapter"),
    [("ollama", OllamaVLMAdapter), ("lmstudio", LMStudioVLMAdapter), ("openai", OpenAICompatibleAdapter)],
)
def test_an_adapter_is_registered_and_takes_its_settings_as_texts(
    name: str, adapter: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "some key".replace(" ", "-"))
    constructor = load_object(get_registry().models.get(name).target)
    assert constructor is adapter
    bound = bind_arguments(constructor, EVERY_SETTING, name)
    assert bound == {text.partition("=")[0]: value for text, value in EVERY_SETTING.items()}
    made = constructor(**bound)
    assert made.model_name == f"{name}/some/model:7b"
    attributes = {setting: "template" if setting == "prompt" else setting for setting in bound}
    assert {setting: getattr(made, attribute) for setting, attribute in attributes.items()} == bound
    made.close()


@pytest.mark.parametrize(
    ("constructor", "texts", "bound"),
    [
        (OllamaVLMAdapter, ["model=m", "num_ctx=8192", "think=no"], {"num_ctx": 8192, "think": False}),
        (LMStudioVLMAdapter, ["model=m", "max_tokens_field=max_tokens"], {"max_tokens_field": "max_tokens"}),
        (LMStudioVLMAdapter, ["model=m", "pictures_apart=yes"], {"pictures_apart": True}),
        (AnthropicAdapter, ["model=m", "api_version=2026-10-21"], {"api_version": "2026-10-21"}),
    ],
)
def test_settings_of_one_protocol_alone(constructor: type, texts: list[str], bound: dict[str, Any]) -> None:
    assert bind_arguments(constructor, texts, "m") == {"model": "m", **bound}


def test_a_model_has_to_be_named_and_a_server_of_no_default_address_too() -> None:
    for constructor, missing in ((OllamaVLMAdapter, "model"), (OpenAICompatibleAdapter, "model, base_url")):
        with pytest.raises(ArgumentError, match=f"{missing}$"):
            bind_arguments(constructor, [], "m")


def test_local_servers_have_their_usual_addresses() -> None:
    assert OllamaVLMAdapter(MODEL).base_url == "http://127.0.0.1:11434"
    assert LMStudioVLMAdapter(MODEL).base_url == "http://127.0.0.1:1234/v1"
    assert AnthropicAdapter(MODEL).base_url == "https://api.anthropic.com"


def test_a_slash_at_the_end_of_an_address_does_not_matter() -> None:
    assert OllamaVLMAdapter(MODEL, base_url="http://127.0.0.1:5000/").base_url == "http://127.0.0.1:5000"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": ""}, "model must be a name"),
        ({"model": " "}, "model must be a name"),
        ({"temperature": -0.1}, "temperature must be at least 0"),
        ({"temperature": float("nan")}, "temperature must be at least 0"),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
        ({"num_ctx": 0}, "num_ctx must be at least 1"),
        ({"max_reply_bytes": 0}, "max_reply_bytes must be at least 1"),
        ({"connect_timeout": 0}, "connect_timeout must be above 0"),
        ({"read_timeout": -1}, "read_timeout must be above 0"),
        ({"read_timeout": float("inf")}, "read_timeout must be above 0 and at most"),
        ({"base_url": "127.0.0.1:11434"}, "base_url"),
        ({"base_url": "ftp://127.0.0.1"}, "expected an address such as"),
        ({"base_url": "http://"}, "expected an address such as"),
        ({"base_url": "http://127.0.0.1:port"}, "expected a port from 1 to 65535, got 'port'"),
        (
            {"base_url": "http://127.0.0.1:114344/v1"},
            "expected a port from 1 to 65535, got '114344' in 'http://127.0.0.1:114344/v1'",
        ),
        ({"base_url": "http://127.0.0.1:0"}, "expected a port from 1 to 65535, got '0'"),
        ({"base_url": "http://[::1"}, "base_url is not an address"),
        ({"base_url": "http://127.0.0.1/?a=b"}, "without"),
        ({"proxy": "nearby"}, "proxy: expected an address such as"),
        ({"prompt": "standart"}, r"no prompt 'standart' \(did you mean 'standard'\?\)"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OllamaVLMAdapter(**{"model": MODEL, **settings})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": 1}, "seed: not supported by the Messages API, got 1"),
        ({"max_tokens": None}, "max_tokens: the Messages API needs a number of tokens"),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
        ({"api_version": "latest"}, "api_version"),
    ],
    ids=str,
)
def test_a_setting_that_anthropics_protocol_has_not_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AnthropicAdapter(MODEL, **settings)


def test_the_command_line_tells_what_is_wrong_with_a_setting() -> None:
    named = ["--model", "ollama", "-M", f"model={MODEL}", "-M"]
    for line, message in (
        ([*named, "prompt=standart"], "did you mean 'standard'?"),
        ([*named, "api_key_env=NO_SUCH_KEY"], "'NO_SUCH_KEY' is not set"),
        (["--model", "ollama"], "model 'ollama' needs the argument model"),
    ):
        refused = run_eval(*line)
        assert (refused.exit_code, message in refused.stderr) == (2, True), refused.stderr
