"""Arguments of the toolkit's own models and backends that the run of somebody else may use without being asked."""

import shlex
from pathlib import Path

import pytest

from multinet_eval.record.confirmation import Given, UnconfirmedError, settings_to_resume
from multinet_eval.settings.run_settings import CacheSettings, RunSettings

HARMLESS = {
    "openai": (
        "model=m",
        "temperature=0",
        "seed=none",
        "prompt=minimal",
        "proxy=none",
        "api_key_env=none",
        "structured=no",
    ),
    "anthropic": ("model=m", "api_version=2023-06-01", "max_tokens=9"),
    "transformers": ("device=cuda:1", "dtype=auto", "prompt=standard", "temperature=0.5"),
    "person": ("name=N", "consent_hash=0123", "practice=2", "board=picture", "port=0", "open=no"),
    "random": ("seed=4",),
}
OUTSIDE = {
    "openai": (
        *("api_key_env=SECRET", "headers.X=@SECRET", "headers.X=plain", "extra_body.route=there", "proxy=http://p"),
        *("prompt=template.txt", "prompt=none", "max_tokens_field=x", "unknown=x"),
    ),
    "ollama": ("prompt=standard.txt",),
    "transformers": ("model=org/name", "model=folder"),
    "person": ("consent=consent.txt", "host=0.0.0.0"),
    "replay": ("path=actions.json",),
    "file": ("folder=there",),
}


@pytest.mark.parametrize("argument", [(name, text) for name, texts in HARMLESS.items() for text in texts], ids=str)
def test_a_number_a_listed_word_or_a_declared_text_is_used(argument: tuple[str, str]) -> None:
    settings = RunSettings(argument[0], model_arguments=(argument[1],), tilings=("hex",))
    assert settings_to_resume(settings, False, Path("run"), Given()) == settings


@pytest.mark.parametrize("argument", [(name, text) for name, texts in OUTSIDE.items() for text in texts], ids=str)
def test_any_other_text_is_given_again(argument: tuple[str, str]) -> None:
    name, text = argument
    settings = RunSettings(name, model_arguments=(text,))
    with pytest.raises(UnconfirmedError) as caught:
        settings_to_resume(settings, False, Path("run"), Given())
    assert caught.value.needed == (("-M", text),)
    other = f"{text.partition('=')[0]}=other"
    assert settings_to_resume(settings, False, Path("run"), Given([other])).model_arguments == (other,)
    assert settings_to_resume(settings, True, Path("run"), Given()) == settings


def test_the_words_can_be_pasted_and_hold_no_control_characters() -> None:
    settings = RunSettings(
        "openai", model_arguments=("extra_body.x=a 'b' $(c)", "prompt=\x1b[2J\nerror"), cache=CacheSettings("d e", True)
    )
    with pytest.raises(UnconfirmedError) as caught:
        settings_to_resume(settings, False, Path("run"), Given())
    _, *lines = str(caught.value).split("\n")
    assert [shlex.split(line) for line in lines[::2]] == [
        ["-M", "extra_body.x=a 'b' $(c)"],
        ["--cache", "d e", "--cache-sampled"],
    ]
    assert len(lines) == 3
    assert lines[1].isprintable()
