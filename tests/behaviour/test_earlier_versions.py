"""A run that began under other prompts, answer schemas or seeds is verified, and not continued."""

import json
from pathlib import Path
from typing import Any

import pytest

from gridworld.explaining.explanation import PROMPTS_VERSION
from support.commands import multinet, run_eval
from support.model_servers import ChatServer, model_arguments, said
from support.run_folders import write_manifest
from support.task_files import write_corridors


def of_an_earlier_version(folder: Path, server: ChatServer, place: str, value: Any, *arguments: str) -> Path:
    """A run, left after a request, whose fingerprint has another value, or none, at a place."""
    tasks, run = write_corridors(folder / "tasks", 3, max_steps=3), folder / "run"
    played = ("--task-dir", tasks, "--run-dir", run, "--observation", "text", "--max-requests", "1")
    run_eval(*model_arguments(server.url), *played, *arguments)
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    *rooms, name = place.split(".")
    holder = manifest["fingerprint"]
    for room in rooms:
        holder = holder[room]
    holder.pop(name, None)
    if value is not None:
        holder[name] = value
    write_manifest(run, manifest)
    return run


@pytest.mark.parametrize(
    ("place", "value", "arguments", "told", "found"),
    [
        ("model.answer_schema", None, (), "nothing in the run", ["found nothing, expected "]),
        ("model.seeding", None, ("-M", "seed=5"), "nothing in the run, by episode, step and attempt", []),
        ("prompt_version", 1, (), f"1 in the run, {PROMPTS_VERSION} now", []),
    ],
)
def test_a_run_that_began_under_another_rule_is_verified_and_not_continued(
    tmp_path: Path, place: str, value: Any, arguments: tuple[str, ...], told: str, found: list[str]
) -> None:
    """The schema of answers is compared: it is in each request, too."""
    with ChatServer(lambda body, number: said("turn_left")) as server:
        run = of_an_earlier_version(tmp_path, server, place, value, *arguments)
        for more in ((), ("--epochs", "2")):
            resumed = multinet("runs", "resume", run, "--max-requests", "none", *more)
            assert (resumed.exit_code, len(server.bodies)) == (1, 1)
            assert f"{place}: {told}" in resumed.stderr
        verified = multinet("runs", "verify", run)
    problems = json.loads(multinet("runs", "verify", run, "--json").stdout)["runs"][0]["problems"]
    assert [each["path"].rpartition(": ")[2] for each in problems] == [f"fingerprint.{place}"] * len(found)
    assert [each["message"][: len(words)] for each, words in zip(problems, found, strict=True)] == found
    other_prompts = f"the run has version 1 of the prompts, this release has {PROMPTS_VERSION}: texts are not compared"
    assert (other_prompts in verified.stdout) == (place == "prompt_version")


@pytest.mark.parametrize(
    ("place", "arguments"), [("model.answer_schema", ("-M", "structured=false")), ("model.seeding", ())]
)
def test_a_run_without_schema_or_seed_is_continued(tmp_path: Path, place: str, arguments: tuple[str, ...]) -> None:
    with ChatServer(lambda body, number: said(text="Action: turn_left")) as server:
        run = of_an_earlier_version(tmp_path, server, place, None, *arguments)
        assert multinet("runs", "resume", run, "--max-requests", "none").exit_code == 0
