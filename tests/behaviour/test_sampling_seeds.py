"""Each request has its own sampling seed, unaffected by server faults and interruptions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.commands import Finished, multinet, run_eval
from support.model_servers import ChatServer, Raw, failed, model_arguments, said
from support.task_files import write_corridors

Answer = Callable[[dict[str, Any], int], Raw]


def play(folder: Path, server: ChatServer, *arguments: str) -> Finished:
    tasks = write_corridors(folder / "tasks", 3, 3, max_steps=3)
    played = ("--task-dir", tasks, "--run-dir", folder / "run", "--observation", "text")
    return run_eval(*model_arguments(server.url), *played, *arguments)


def in_turn(*replies: Raw) -> Answer:
    """The replies, and after them good answers."""
    return lambda body, number: replies[number] if number < len(replies) else said("turn_left")


GOOD, BAD, LOST = said("turn_left"), said(text="no idea"), failed(503, "busy", Retry_After="0")


def seeds(server: ChatServer) -> list[int]:
    return [body["seed"] for body in server.bodies]


def test_steps_attempts_and_episodes_have_seeds_of_their_own(tmp_path: Path) -> None:
    with ChatServer(in_turn(GOOD, BAD, BAD, GOOD)) as server:
        assert play(tmp_path, server, "-M", "seed=5").exit_code == 0
    assert len(server.bodies) == 8
    assert len(set(seeds(server))) == 8
    assert server.bodies[2]["messages"] == server.bodies[3]["messages"]
    assert all(0 <= seed < 2**31 for seed in seeds(server))


@pytest.mark.more
def test_a_request_that_is_made_again_for_want_of_a_server_has_its_seed_again(tmp_path: Path) -> None:
    with ChatServer(in_turn(GOOD, BAD, BAD, GOOD)) as undisturbed:
        play(tmp_path / "a", undisturbed, "-M", "seed=5")
    for name, patience in (("counted", "0"), ("not counted", "60")):
        with ChatServer(in_turn(GOOD, LOST, BAD, LOST, LOST, BAD, LOST, GOOD)) as server:
            assert play(tmp_path / name, server, "-M", "seed=5", "--patience", patience).exit_code == 0
        assert list(dict.fromkeys(seeds(server))) == seeds(undisturbed)


def test_a_run_that_was_left_goes_on_with_the_seeds_of_one_that_was_not(tmp_path: Path) -> None:
    with ChatServer(in_turn(GOOD, BAD, BAD, GOOD)) as undisturbed:
        play(tmp_path / "a", undisturbed, "-M", "seed=5")
    for left_after in (1, 3):
        folder = tmp_path / str(left_after)
        with ChatServer(in_turn(GOOD, BAD, BAD, GOOD)) as server:
            assert play(folder, server, "-M", "seed=5", "--max-requests", str(left_after)).exit_code == 1
            assert multinet("runs", "resume", folder / "run", "--max-requests", "none").exit_code == 0
        assert seeds(server) == seeds(undisturbed)
