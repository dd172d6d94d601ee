"""``multinet prompts show``: the prompt that an evaluation would send, part by part, without sending it."""

import os
from pathlib import Path
from typing import Any

import pytest

from multinet_adapters.testing.model_servers import MODEL, refused_address, serve_plan
from support.commands import run
from support.programs import Finished, assert_refused, json_of, output_of
from support.runs import write_corridor
from support.thoroughness import in_turn
from support.worlds import door, key

PLAN = ["pickup", "move_forward", "toggle", "move_forward", "move_forward", "move_forward"]
SMALL = ("-B", "tile_size=8")


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task that is won by `PLAN` and nothing shorter."""
    return write_corridor(tmp_path_factory.mktemp("task"), "locked", "@kD.G", max_steps=30, k=key(), D=door("red"))


def show(task: Path | str, *options: str | Path, model: str = "ollama", address: str | None = None) -> Finished:
    """Show a prompt for an unreachable server, unless there is an address; without a legend."""
    to = ("-M", f"model={MODEL}", "-M", f"base_url={address or refused_address()}")
    explained = () if "--explain" in options else ("--explain", "rules")
    return run("multinet", "prompts", "show", task, "--model", model, *to, *explained, *options)


def shown(*arguments: Any, **options: Any) -> Any:
    return json_of(show(*arguments, "--json", **options))


def texts(prompt: Any, role: str = "user") -> str:
    return "\n".join(part["text"] for part in prompt["parts"] if part["kind"] == "text" and part["role"] == role)


def test_model_task_texts_and_pictures_are_shown(task: Path) -> None:
    printed = output_of(show(task, *SMALL))
    lines = printed.splitlines()
    assert lines[0] == f"ollama/{MODEL} at step 1 of locked on minigrid (square):"
    marks = [line for line in lines if line.startswith(("--- ", "[image "))]
    assert marks == ["--- system ---", "--- user ---", "[image 56x24: Current observation]"]
    for text in ("Mission: reach the goal", "This is step 1 of at most 30.", "2: move_forward"):
        assert text in lines


def test_after_some_steps_of_the_shortest_plan_the_history_is_in_it(task: Path) -> None:
    lines = show(task, "--step", "3", "--history-images", "2", "--history-text", *SMALL).stdout.splitlines()

    assert [line for line in lines if line.startswith("[image ")] == [
        "[image 56x24: Observation 2 steps ago]",
        "[image 56x24: Observation 1 step ago]",
        "[image 56x24: Current observation]",
    ]
    told = [line for line in lines if line.startswith("Step ")]
    assert [line.split(": ")[1] for line in told] == PLAN[:3]
    assert "This is step 4 of at most 30." in lines


@pytest.mark.parametrize(("observation", "pictures", "text"), [("image", 1, 0), ("text", 0, 1), ("image+text", 1, 1)])
def test_it_shows_what_the_model_is_given_of_the_step(task: Path, observation: str, pictures: int, text: int) -> None:
    prompt = shown(task, "--observation", observation, *SMALL)
    assert sum(part["kind"] == "image" for part in prompt["parts"]) == pictures
    assert ("#######" in texts(prompt)) == bool(text)


@in_turn(
    "options, model",
    [
        ("--history-images", "2", "--history-text"),
        ("--observation", "image+text", "--history-text", "--history-text-window", "2"),
        ("--observation", "text", "-M", "prompt=verbose"),
        ("-M", "structured=false", "-M", "prompt=minimal", "--explain", "full"),
    ],
    ["ollama", "openai"],
)
def test_it_is_what_an_evaluation_with_the_same_options_sends(
    task: Path, tmp_path: Path, model: str, options: tuple[str, ...]
) -> None:
    step = 3
    with serve_plan(PLAN) as server:
        address = server.ollama_url if model == "ollama" else server.openai_url
        to = ("-M", f"model={MODEL}", "-M", f"base_url={address}")
        explained = () if "--explain" in options else ("--explain", "rules")
        line = ["-m", model, *to, "--task-dir", task.parent, *SMALL, *explained, *options]
        finished = run("multinet-run-eval", *line)
        assert "1 of 1 task solved" in finished.stdout
        sent = server.chats[step]
        heard = len(server.received)
        where = ("--suite", task.parent, "--step", str(step), "--images", tmp_path)
        prompt = shown(task, *where, *SMALL, *options, model=model, address=address)
        assert len(server.received) == heard

    pictures = [part for part in prompt["parts"] if part["kind"] == "image"]
    assert [Path(picture["file"]).read_bytes() for picture in pictures] == sent.images
    rest = sent.text
    for part in prompt["parts"]:
        before, _, rest = rest.partition(part["text" if part["kind"] == "text" else "label"])
        assert before.strip(":\n") == ""
    assert rest == ""


def test_an_unsolvable_task_has_only_a_first_step(tmp_path: Path) -> None:
    walled = write_corridor(tmp_path, "walled", "@.#G")
    assert texts(shown(walled, *SMALL))
    assert_refused(show(walled, "--step", "1"), "no plan for the task 'walled': it cannot be won", exit_code=1)


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("square", ()),
        ("square-none", ("--explain", "none")),
        ("square-legend", ("--explain", "legend")),
        ("square-rules", ("--explain", "rules")),
        ("square-text", ("--explain", "full", "--observation", "text")),
        ("hex", ("--tiling", "hex")),
        ("triangle", ("--tiling", "triangle")),
        ("488", ("--tiling", "488")),
        ("3464", ("--tiling", "3464")),
    ],
)
def test_the_prompts_of_each_level_and_tiling_are_these(name: str, options: tuple[str, ...]) -> None:
    """Golden files, to be read; ``REWRITE_GOLDEN=1`` writes them anew."""
    level = () if "--explain" in options else ("--explain", "full")
    finished = show("validation_10/v04_single_key", *level, *options)
    assert finished.returncode == 0, finished.stderr
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("REWRITE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(finished.stdout, encoding="utf-8")
    assert finished.stdout == file.read_text(encoding="utf-8")


def test_without_a_suite_everything_installed_is_explained(task: Path) -> None:
    everything = texts(shown(task), "system")
    of_folder = texts(shown(task, "--suite", task.parent), "system")
    assert "teleporter" in everything
    assert "teleporter" not in of_folder
    assert "door" in of_folder
