"""Impossible numbers of a server are not recorded, and a recording with them is read nevertheless."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.commands import multinet
from support.model_servers import ChatServer, Raw, failed, said
from support.run_folders import lines_of, play_corridor
from support.thoroughness import first_by_default

DIGITS = "9" * 4200
"""The most digits that Python reads as an integer, roughly."""


play = partial(play_corridor, length=5, max_steps=6)


def requests(folder: Path) -> list[dict[str, Any]]:
    """The recorded requests of the episode."""
    return [line["request"] for line in lines_of(folder / "run", 0) if "request" in line]


def replaced(reply: Raw, number: str) -> Raw:
    """A reply with other digits, or any other JSON, in place of the number 4711."""
    return Raw(reply.status, reply.content.replace(b"4711", number.encode()))


NUMBERS = [DIGITS, "9" * 5000, "1e999", "Infinity", "NaN", "-5", "true", '"12"', "1000000000001", "[7]"]


@first_by_default("number", NUMBERS, ids=lambda number: number[:16])
def test_a_count_that_no_server_can_mean_is_not_recorded(tmp_path: Path, number: str) -> None:
    reply = replaced(said("move_forward", {"prompt_tokens": 4711, "completion_tokens": 5}), number)
    with ChatServer(lambda body, count: reply) as server:
        left = play(tmp_path, server, "--max-requests", "2")
        resumed = multinet("runs", "resume", tmp_path / "run", "--max-requests", "none")
    assert (left.exit_code, resumed.exit_code) == (1, 0), left.stderr + resumed.stderr
    usages = [request["usage"] for request in requests(tmp_path)]
    assert [sorted(usage) for usage in usages] == [["completion_tokens", "seconds"]] * 5


@first_by_default("number", ["1e300", "1e999", "-1e300", "NaN", DIGITS], ids=lambda number: number[:16])
@pytest.mark.parametrize("name", ["prompt_ms", "predicted_ms"])
def test_a_duration_that_no_server_can_mean_is_not_recorded(tmp_path: Path, name: str, number: str) -> None:
    whole = json.loads(said("move_forward", {"prompt_tokens": 3, "completion_tokens": 5}).content)
    reply = replaced(Raw(200, json.dumps({**whole, "timings": {name: 4711}}).encode()), number)
    with ChatServer(lambda body, count: reply) as server:
        finished = play(tmp_path, server)
    assert finished.exit_code == 0, finished.stderr
    assert all("server_seconds" not in request["usage"] for request in requests(tmp_path))


@first_by_default("number", [DIGITS, "1e999", "-1", "2", "true"], ids=lambda number: number[:16])
def test_a_confidence_outside_of_0_to_1_is_not_recorded(tmp_path: Path, number: str) -> None:
    words = '{"reasoning": "so", "action": "move_forward", "confidence": 4711}'.replace("4711", number)
    with ChatServer(lambda body, count: said(text=words)) as server:
        finished = play(tmp_path, server)
    assert finished.exit_code == 0, finished.stderr
    assert all("confidence" not in request for request in requests(tmp_path))


WAITS = ["9" * 400, "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT", f"Mon, 01 Jan {'9' * 30} 00:00:00 GMT", "-3", "1e9"]


@first_by_default("wait", WAITS, ids=lambda wait: wait[:24])
def test_a_wait_that_no_server_can_mean_is_not_kept_to(tmp_path: Path, wait: str) -> None:
    def answer(body: dict[str, Any], number: int) -> Raw:
        return failed(503, "busy", Retry_After=wait) if number == 1 else said("move_forward")

    with ChatServer(answer) as server:
        finished = play(tmp_path, server)
    assert finished.exit_code == 0, finished.stderr
    assert "retry_after" not in (tmp_path / "run" / "episodes" / "0.jsonl").read_text()
    assert len(server.bodies) == 6


def test_a_length_of_5000_digits_is_a_reply_that_is_too_large(tmp_path: Path) -> None:
    reply = Raw(200, b"{}", {"Content-Length": "9" * 5000})
    with ChatServer(lambda body, number: reply) as server:
        finished = play(tmp_path, server, "--on-infrastructure", "fail")
    assert finished.exit_code == 1
    assert "Traceback" not in finished.stderr
    assert "is larger than 8000000 bytes (max_reply_bytes)" in requests(tmp_path)[0]["message"]


# --- recordings that have such numbers -----------------------------------------------------------------------------


def left_with(folder: Path, server: ChatServer, number: str) -> None:
    """A run that was left after two requests, of which the second took a number of tokens."""
    server.answer = lambda body, count: said("move_forward", {"prompt_tokens": 4711, "completion_tokens": 5})
    play(folder, server, "--max-requests", "2")
    path = folder / "run" / "episodes" / "0.jsonl"
    text = path.read_text()
    assert text.count("4711") == 2
    path.write_text(text[::-1].replace("1174", number[::-1], 1)[::-1])


@pytest.fixture
def server() -> Any:
    with ChatServer(lambda body, number: said("move_forward")) as server:
        yield server


@first_by_default("digits", [4200, 20, 5000])
def test_a_recorded_number_of_more_than_64_bits_is_told_with_its_line(
    tmp_path: Path, server: ChatServer, digits: int
) -> None:
    left_with(tmp_path, server, "9" * digits)
    for arguments in (("runs", "resume"), ("runs", "show"), ("runs", "rescore"), ("runs", "verify")):
        finished = multinet(*arguments, tmp_path / "run")
        assert finished.exit_code != 0, arguments
        assert "Traceback" not in finished.stderr
        assert "0.jsonl, line 4" in finished.stdout + finished.stderr, arguments
