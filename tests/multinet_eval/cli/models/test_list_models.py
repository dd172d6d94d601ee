"""``multinet models list``: what ``--model`` can be."""

import json

from gridworld.plugins import load_registry
from support.commands import run
from support.programs import json_of


def test_every_model_is_listed_with_summary_and_distribution() -> None:
    told = json_of(run("multinet", "models", "list", "--json"))
    installed = [
        {"name": each.item.name, "summary": each.item.summary, "distribution": each.distribution}
        for each in load_registry().models
    ]
    assert told == sorted(installed, key=lambda each: each["name"])


def test_without_json_it_is_a_table() -> None:
    finished = run("multinet", "models", "list")
    (line,) = (line for line in finished.stdout.splitlines() if line.split()[:1] == ["ollama"])
    assert " ".join(line.split()) == "ollama multinet-adapters A model behind an Ollama server."


def test_a_disabled_plugin_has_no_models() -> None:
    finished = run("multinet", "models", "list", "--json", "--disable-plugin", "multinet-adapters")
    assert "multinet-adapters" not in {each["distribution"] for each in json.loads(finished.stdout)}
