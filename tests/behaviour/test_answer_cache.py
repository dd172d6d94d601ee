"""The cache of answers: hits, misses, damaged entries and failing disks."""

import json
import os
import shutil
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from support.commands import Finished, multinet, run_eval
from support.model_servers import ChatServer, Raw, model_arguments, said, write_prompt
from support.mutants import make_sparse
from support.plugins import install_models
from support.run_folders import lines_of, shown
from support.scenarios import exported
from support.task_files import write_corridors
from support.thoroughness import first_by_default

EPISODES, STEPS = 2, 5
ASKED = EPISODES * STEPS
"""Requests of one epoch."""
MODELS = """
from gridworld.model_interface import ChatModel, ModelOutput, Text
from gridworld.model_interface.prompts import question, reply_of


class Cooling(ChatModel):
    '''Discovers after two answers that it samples.'''

    model_name = "cooling"
    asked = 0

    @property
    def samples(self):
        return self.asked > 2

    def prompt(self, input):
        return question(Text(f"Step {input.step_number} of {input.max_steps}."))

    def send(self, prompt):
        self.asked += 1
        return reply_of("0", sent=prompt)

    def read(self, reply, input):
        return ModelOutput(int(self.words(reply)))

    def words(self, reply):
        return reply.text
"""


def turning(body: dict[str, Any], number: int) -> Raw:
    """A turn that depends only on the question, with usage."""
    chosen = crc32(json.dumps(body["messages"]).encode()) % 2
    return said(("turn_left", "turn_right")[chosen], {"prompt_tokens": 10, "completion_tokens": 5})


def play(folder: Path, name: str, server: ChatServer, *options: object) -> Finished:
    """Record a run in the folder `name`, with the cache ``cache``."""
    tasks, prompt = folder / "tasks", folder / "prompt.txt"
    if not tasks.exists():
        write_prompt(folder)
        write_corridors(tasks, 3, 4, max_steps=STEPS)
    model = model_arguments(server.url, f"prompt={prompt}")
    quick = ("--observation", "text", "-q", "--cache", folder / "cache")
    return run_eval(*model, "--task-dir", tasks, "--run-dir", folder / name, *quick, *options)


def spent(run: Path) -> dict[str, int]:
    return dict(shown(run)["spent"])


def actions(run: Path) -> list[Any]:
    return [(step["episode"], step["step"], step["action"]) for step in exported(run, "steps")]


def entries(folder: Path) -> dict[Path, int]:
    """Files of the cache, with their inodes."""
    return {path: path.stat().st_ino for path in (folder / "cache").rglob("*") if path.is_file()}


@first_by_default("workers", [1, 3])
def test_a_second_run_asks_nobody_and_plays_the_same(tmp_path: Path, workers: int) -> None:
    ways = ("--workers", workers, "--epochs", 2)
    with ChatServer(turning) as server:
        assert play(tmp_path, "one", server, *ways).exit_code == 0
        kept = entries(tmp_path)
        assert len(server.bodies) == len(kept) == 2 * ASKED, "each repetition has answers of its own"
        again = play(tmp_path, "other", server, *ways, "--max-requests", 0)
    assert (again.exit_code, len(server.bodies)) == (0, 2 * ASKED), again.stderr
    assert entries(tmp_path) == kept, "nothing is written again"
    assert actions(tmp_path / "other") == actions(tmp_path / "one")
    used = spent(tmp_path / "other")
    assert (used.pop("cached"), {amount or 0 for amount in used.values()}) == (2 * ASKED, {0})
    results = json.loads((tmp_path / "other" / "results.json").read_text())
    assert (results["cached_requests"], set(results["usage"].values())) == (2 * ASKED, {None})
    for number in range(2 * EPISODES):
        one, other = (
            [line["request"] for line in lines_of(tmp_path / name, number) if "request" in line]
            for name in ("one", "other")
        )
        assert all(each["cached"] and each["raw_output"] for each in other)
        assert [each["sent"] for each in one] == [each["sent"] for each in other]


OTHERS: dict[str, tuple[tuple[object, ...], int]] = {
    "prompt": ((), 0),
    "observation": (("--observation", "map"), 0),
    "picture": (("--observation", "image+text"), 0),
    "form of replies": (("--protocol", "chunk:3"), 0),
    "note": (("--memory", "notes"), 0),
    "explanation": (("--explain", "none"), 0),
    "seed": (("--seed", 4), 0),
    "arguments of the model": (("-M", "max_tokens=99"), 0),
    "budget": (("--budget-factor", "2"), 0),
    "what was done before": (("--feedback", "effect"), EPISODES),
    "conversation": (("--context", "conversation"), EPISODES),
}
"""Options that change all questions, or all but the first of each episode, and how many answers may be known."""


@first_by_default("other", OTHERS)
def test_another_question_has_another_answer(tmp_path: Path, other: str) -> None:
    options, most_cached = OTHERS[other]
    with ChatServer(turning) as server:
        assert play(tmp_path, "one", server).exit_code == 0
        if other == "prompt":
            prompt = tmp_path / "prompt.txt"
            prompt.write_text(prompt.read_text().replace("You play.", "You play well."))
        before = len(server.bodies)
        assert play(tmp_path, "other", server, *options).exit_code == 0
    assert spent(tmp_path / "other")["cached"] <= most_cached
    assert len(server.bodies) > before


@first_by_default("words", ["I would rather not.", "", '{"action": "fly"}'])
def test_only_usable_answers_are_kept(tmp_path: Path, words: str) -> None:
    with ChatServer(lambda body, number: said(text=words)) as server:
        assert play(tmp_path, "run", server, "--on-unparsable", "skip").exit_code == 0
    assert entries(tmp_path) == {}


def signed(answer: str) -> bytes:
    """An entry whose digest matches its answer."""
    content = answer.encode()
    return blake2b(content, digest_size=20).hexdigest().encode() + b"\n" + content + b"\n"


def in_place(entry: Path, make: Callable[[Path], object]) -> None:
    """Replace an entry by something that is not a file."""
    entry.unlink()
    make(entry)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "another answer": lambda entry: entry.write_bytes(entry.read_bytes().replace(b"turn", b"burn")),
    "cut": lambda entry: entry.write_bytes(entry.read_bytes()[:100]),
    "emptied": lambda entry: entry.write_bytes(b""),
    "nested 100,000 times": lambda entry: entry.write_bytes(signed("[" * 100_000)),
    "without an action": lambda entry: entry.write_bytes(signed('{"outcome": "ok"}')),
    "FIFO": lambda entry: in_place(entry, os.mkfifo),
    "link": lambda entry: in_place(entry, lambda path: path.symlink_to("/etc/passwd")),
    "sparse": lambda entry: in_place(entry, make_sparse),
}


@first_by_default("damage", DAMAGES)
def test_a_damaged_entry_is_ignored_and_replaced(tmp_path: Path, damage: str) -> None:
    with ChatServer(turning) as server:
        assert play(tmp_path, "one", server).exit_code == 0
        entry, *_ = entries(tmp_path)
        DAMAGES[damage](entry)
        assert play(tmp_path, "two", server).exit_code == 0
        assert len(server.bodies) == ASKED + 1
        assert play(tmp_path, "three", server, "--max-requests", 0).exit_code == 0
    assert len(entries(tmp_path)) == ASKED


def test_no_entry_is_read_or_written_through_a_linked_subfolder(tmp_path: Path) -> None:
    with ChatServer(turning) as server:
        assert play(tmp_path, "one", server).exit_code == 0
        entry, *_ = entries(tmp_path)
        entry.parent.rename(tmp_path / "outside")
        entry.parent.symlink_to(tmp_path / "outside")
        before = len(server.bodies)
        (tmp_path / "outside" / entry.name).unlink()
        assert play(tmp_path, "two", server).exit_code == 0
    assert len(server.bodies) > before
    assert not (tmp_path / "outside" / entry.name).exists()


def test_a_run_that_is_resumed_goes_on_with_its_cache(tmp_path: Path) -> None:
    with ChatServer(turning) as server:
        assert play(tmp_path, "stopped", server, "--max-time", 0).exit_code == 1
        assert play(tmp_path, "whole", server).exit_code == 0
        limits = ("--max-time", "none", "--max-requests", 0)
        assert multinet("runs", "resume", tmp_path / "stopped", *limits).exit_code == 0
    assert (spent(tmp_path / "stopped")["cached"], len(server.bodies)) == (ASKED, ASKED)
    assert actions(tmp_path / "stopped") == actions(tmp_path / "whole")


def test_a_cache_that_fails_ends_the_run_after_the_answer_is_recorded(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> Raw:
        if number == 2:
            shutil.rmtree(tmp_path / "cache")
            (tmp_path / "cache").touch()
        return turning(body, number)

    run = tmp_path / "run"
    with ChatServer(answer) as server:
        finished = play(tmp_path, "run", server)
        assert (finished.exit_code, len(server.bodies)) == (1, 3)
        assert f"cannot write into the cache {tmp_path / 'cache'}: Not a directory" in finished.stderr
        assert "Traceback" not in finished.stderr
        assert spent(run)["requests"] == 3
        (tmp_path / "cache").unlink()
        assert multinet("runs", "resume", run).exit_code == 0
    assert len(server.bodies) == ASKED, "the answer that was not kept was recorded"


def test_a_model_that_begins_to_sample_has_its_answers_kept_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_models(monkeypatch, tmp_path / "cooling", MODELS, {"cooling": "Cooling"})
    tasks = write_corridors(tmp_path / "tasks", 3, max_steps=STEPS)
    finished = run_eval("-m", "cooling", "--task-dir", tasks, "--no-record", "--cache", tmp_path / "cache")
    assert finished.exit_code == 0, finished.stderr
    assert len(entries(tmp_path)) == 2
