"""An error in the middle of a run is counted, and does not change the requests after it."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from support.commands import multinet
from support.model_servers import ChatServer, Raw, failed, said
from support.run_folders import lines_of, play_corridor
from support.thoroughness import first_by_default

REFUSED = failed(400, "Failed to initialize samplers: failed to parse grammar")


play = partial(play_corridor, length=5, max_steps=6)


def answer(body: dict[str, Any]) -> Raw:
    return said("move_forward") if "response_format" in body else said(text="Action: move_forward")


def recorded(folder: Path, kind: str) -> list[dict[str, Any]]:
    lines = lines_of(folder / "run", 0)
    return [line[kind] for line in lines if kind in line]


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run" / "results.json").read_text())
    return found


def structured(server: ChatServer) -> list[bool]:
    return ["response_format" in body for body in server.bodies]


def test_a_part_that_was_taken_before_is_left_out_once(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: REFUSED if number in (2, 5) else answer(body)) as server:
        finished = play(tmp_path, server)
    assert finished.exit_code == 0, finished.stderr
    assert structured(server) == [True, True, True, False, True, True, False]
    without = [request.get("left_out") for request in recorded(tmp_path, "request")]
    assert without == [None, None, ["structured output"], None, ["structured output"]]
    assert (results(tmp_path)["left_out"], results(tmp_path)["adjustments"]) == ({"structured output": 2}, [])
    assert "2 requests made without structured output" in finished.stdout
    assert multinet("runs", "verify", tmp_path / "run").exit_code == 0


def test_a_part_that_is_refused_from_the_start_is_not_sent_again(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: REFUSED if "response_format" in body else answer(body)) as server:
        finished = play(tmp_path, server, "--max-requests", "2")
        assert structured(server) == [True, False, False]
        resumed = multinet("runs", "resume", tmp_path / "run", "--max-requests", "none")
    assert (finished.exit_code, resumed.exit_code) == (1, 0), resumed.stderr
    assert structured(server) == [True, False, False, True, False, False, False]
    assert results(tmp_path)["left_out"] == {"structured output": 5}
    assert [each["argument"] for each in results(tmp_path)["adjustments"]] == ["structured=false"]


def test_a_run_that_goes_on_inside_an_episode_knows_what_was_taken(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: REFUSED if number == 2 else answer(body)) as server:
        play(tmp_path, server, "--max-requests", "2")
        resumed = multinet("runs", "resume", tmp_path / "run", "--max-requests", "none")
    assert resumed.exit_code == 0, resumed.stderr
    assert structured(server) == [True, True, True, False, True, True]
    assert (results(tmp_path)["left_out"], results(tmp_path)["adjustments"]) == ({"structured output": 1}, [])


def test_an_answer_to_a_request_without_a_part_is_not_taken_from_the_cache_for_one_with_it(tmp_path: Path) -> None:
    cache = ("--cache", str(tmp_path / "cache"))
    with ChatServer(lambda body, number: REFUSED if number == 2 else answer(body)) as server:
        play(tmp_path, server, *cache)
        assert len(server.bodies) == 6
        (tmp_path / "run").rename(tmp_path / "first")
        play(tmp_path, server, *cache)
    assert structured(server)[6:] == [True]


@first_by_default("words", ["no idea", ""])
def test_an_unusable_answer_to_such_a_request_is_counted_too(tmp_path: Path, words: str) -> None:
    def reply(body: dict[str, Any], number: int) -> Raw:
        return REFUSED if number == 2 else said(text=words) if number == 3 else answer(body)

    with ChatServer(reply) as server:
        play(tmp_path, server)
    assert results(tmp_path)["left_out"] == {"structured output": 1}
