"""Servers that take few requests at once, that go and come back, and that go for good."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from support.commands import Finished, multinet, run_eval
from support.model_servers import ChatServer, Raw, failed, model_arguments, said
from support.run_folders import requests_of
from support.scenarios import exported
from support.task_files import write_corridors
from support.thoroughness import first_by_default

EPISODES = 12
UNSTEADY = ("requests", "failed_requests", "seconds", "server_seconds", "prompt_tokens", "completion_tokens")
"""Columns of times and failed requests."""
ACTIONS = ("move_forward", "move_forward", "move_forward", "turn_left", "turn_right", "toggle")
Answer = Callable[[dict[str, Any], int], Raw]


def chosen(body: dict[str, Any], number: int = 0) -> Raw:
    """An action that depends only on the prompt."""
    return said(ACTIONS[crc32(json.dumps(body["messages"]).encode()) % len(ACTIONS)])


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lengths = (3 + number % 4 for number in range(EPISODES))
    return write_corridors(tmp_path_factory.mktemp("suite") / "tasks", *lengths, max_steps=8)


def play(tasks: Path, run: Path, url: str, *options: object) -> Finished:
    quick = ("--observation", "text", "-B", "render_mode=none", "-q")
    return run_eval(*model_arguments(url), "--task-dir", tasks, "--run-dir", run, *quick, *options)


def outcome_of(run: Path) -> list[dict[str, Any]]:
    """All rows of episodes and steps, without the columns of `UNSTEADY`."""
    rows = [*exported(run, "episodes"), *exported(run, "steps")]
    return [{name: value for name, value in row.items() if name not in UNSTEADY} for row in rows]


@pytest.fixture(scope="module")
def undisturbed(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], int]:
    """Outcome and number of requests of an undisturbed run."""
    run = tmp_path_factory.mktemp("undisturbed") / "run"
    with ChatServer(chosen) as server:
        finished = play(tasks, run, server.url)
    assert finished.exit_code == 0, finished.stderr
    return outcome_of(run), len(server.bodies)


Undisturbed = tuple[list[dict[str, Any]], int]

# --- asked too much --------------------------------------------------------------------------------------------------


class Crowd:
    """Answers a few requests at once, after a while, and refuses all others."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.seen: list[tuple[int, bool]] = []
        """For each request, the number of simultaneous requests, and whether it was answered."""
        self._inside = 0
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any], number: int) -> Raw:
        with self._lock:
            self._inside += 1
            welcome = self._inside <= self.most
            self.seen.append((self._inside, welcome))
        try:
            if not welcome:
                return failed(429, "too many requests")
            time.sleep(0.05)
            return chosen(body)
        finally:
            with self._lock:
                self._inside -= 1


def test_a_run_settles_at_what_a_server_takes_at_once(tasks: Path, tmp_path: Path, undisturbed: Undisturbed) -> None:
    crowd, run = Crowd(3), tmp_path / "run"
    with ChatServer(crowd) as server:
        finished = play(tasks, run, server.url, "--workers", 12)
    assert finished.exit_code == 0, finished.stderr
    outcome, requests = undisturbed
    assert outcome_of(run) == outcome
    refused = sum(not welcome for _, welcome in crowd.seen)
    assert len(crowd.seen) - refused == requests, "nothing that was answered is asked again"
    assert requests_of(run) == len(server.bodies), "what was refused is recorded, too"
    assert 0 < refused < len(crowd.seen) / 2
    assert max(inside for inside, _ in crowd.seen) <= 12
    assert max(inside for inside, _ in crowd.seen[len(crowd.seen) // 2 :]) <= 6


@pytest.mark.more
def test_all_requests_wait_for_as_long_as_a_server_asks_one_to(tasks: Path, tmp_path: Path) -> None:
    came: list[float] = []
    refused: list[float] = []

    def answer(body: dict[str, Any], number: int) -> Raw:
        came.append(time.monotonic())
        if number != 9:
            return chosen(body)
        refused.append(time.monotonic())
        return failed(429, "busy", Retry_After="3")

    with ChatServer(answer) as server:
        finished = play(tasks, tmp_path / "run", server.url, "--workers", 4)
    assert finished.exit_code == 0, finished.stderr
    (start,) = refused
    on_their_way = [each for each in came if start < each < start + 1.5]
    assert len(on_their_way) <= 2 * 4, "a request that is on its way may be answered"
    assert not [each for each in came if start + 1.5 < each < start + 3]
    assert [each for each in came if each >= start + 3]


def test_a_server_that_asks_for_more_patience_than_there_is_ends_the_run(tasks: Path, tmp_path: Path) -> None:
    quota = failed(429, "the quota of today is used up", Retry_After="3600")
    with ChatServer(lambda body, number: quota) as server:
        finished = play(tasks, tmp_path / "run", server.url, "--workers", 4, "--patience", 60)
    assert finished.exit_code == 1
    assert "the server asks not to be called for 3600 seconds" in finished.stderr
    assert "the quota of today is used up" in finished.stderr
    assert f"multinet runs resume {tmp_path / 'run'}" in finished.stderr
    assert 1 <= len(server.bodies) <= 4
    assert not any(row["finished"] for row in exported(tmp_path / "run", "episodes"))


@pytest.mark.more
def test_a_server_that_is_slow_under_load_is_asked_less(tasks: Path, tmp_path: Path, undisturbed: Undisturbed) -> None:
    at_a_time = threading.Semaphore(2)

    def answer(body: dict[str, Any], number: int) -> Raw:
        with at_a_time:
            time.sleep(0.1)
            return chosen(body)

    run = tmp_path / "run"
    with ChatServer(answer) as server:
        finished = play(tasks, run, server.url, "--workers", 16, "-M", "read_timeout=0.5")
    assert finished.exit_code == 0, finished.stderr
    outcome, requests = undisturbed
    assert outcome_of(run) == outcome
    in_vain = sum(row["failed_requests"] for row in exported(run, "episodes"))
    assert 0 < in_vain < requests / 2


# --- gone ------------------------------------------------------------------------------------------------------------


class Mortal:
    """A server that closes its port after some answers, and can be opened again."""

    def __init__(self, answers: int) -> None:
        self.left = answers
        self.answered = 0
        self.dead = threading.Event()
        self._lock = threading.Lock()
        self._open = ExitStack()
        self.server = self._open.enter_context(ChatServer(self._answer))

    def _answer(self, body: dict[str, Any], number: int) -> Raw:
        with self._lock:
            if self.left == 0 and not self.dead.is_set():
                self.dead.set()
                self._open.close()
            if self.dead.is_set():
                raise ConnectionAbortedError
            self.left -= 1
            self.answered += 1
        return chosen(body)

    def revive(self) -> None:
        """Listen again, for good."""
        self.left = -1
        self.dead.clear()
        self.server = self._open.enter_context(ChatServer(self._answer, port=self.server.port))

    def close(self) -> None:
        self._open.close()


@contextmanager
def mortal(answers: int) -> Iterator[Mortal]:
    server = Mortal(answers)
    try:
        yield server
    finally:
        server.close()


@first_by_default("workers", [1, 8])
def test_a_run_goes_on_when_its_server_comes_back(
    tasks: Path, tmp_path: Path, undisturbed: Undisturbed, workers: int
) -> None:
    with mortal(20) as server:

        def come_back() -> None:
            server.dead.wait()
            time.sleep(0.5)
            server.revive()

        reviver = threading.Thread(target=come_back)
        reviver.start()
        url, run = server.server.url, tmp_path / "run"
        finished = play(tasks, run, url, "--workers", workers, "--patience", 60, "--on-infrastructure", "fail")
        reviver.join()
    assert finished.exit_code == 0, finished.stderr
    assert outcome_of(run) == undisturbed[0]
    assert server.answered == undisturbed[1]


@first_by_default("workers", [1, 8])
def test_a_server_that_dies_for_good_ends_the_run_which_can_be_resumed(
    tasks: Path, tmp_path: Path, undisturbed: Undisturbed, workers: int
) -> None:
    run = tmp_path / "run"
    with mortal(20) as server:
        ways = ("--workers", workers, "--patience", 1, "-q")
        finished = play(tasks, run, server.server.url, *ways)
        assert finished.exit_code == 1
        assert "the server has answered nothing for 1 seconds: no connection to" in finished.stderr
        assert f"continue with: multinet runs resume {run}" in finished.stderr
        assert not (run / "results.json").exists()

        server.revive()
        resumed = multinet("runs", "resume", run, *ways)
    assert (resumed.exit_code, resumed.stderr) == (0, "")
    assert outcome_of(run) == undisturbed[0]
    assert server.answered <= undisturbed[1] + workers


def test_the_command_to_continue_repeats_an_overridden_argument(tasks: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with mortal(20) as server:
        assert play(tasks, run, server.server.url, "--max-requests", 1).exit_code == 1
        argument = next(each for each in model_arguments(server.server.url) if str(each).startswith("base_url="))
        url = str(argument).removeprefix("base_url=")
        ways = (("-M", argument), ("--base-url", url))
        resumed = [multinet("runs", "resume", run, *way, "--max-requests", n) for n, way in enumerate(ways, 2)]
        twice = multinet("runs", "resume", run, *ways[0], *ways[1])
    for each in resumed:
        assert f"continue with: multinet runs resume {run} --base-url {url} --max-requests none\n" in each.stderr
    assert "--base-url and -M base_url exclude each other: leave out one of them" in twice.stderr


@pytest.mark.more
def test_a_server_that_says_nothing_at_all_ends_the_run(tasks: Path, tmp_path: Path) -> None:
    closing = threading.Event()

    def hang(body: dict[str, Any], number: int) -> Raw:
        closing.wait()
        return chosen(body)

    with ChatServer(hang) as server:
        options = ("--workers", 4, "--patience", 1, "-M", "read_timeout=0.4")
        finished = play(tasks, tmp_path / "run", server.url, *options)
        closing.set()
    assert finished.exit_code == 1
    assert "the server has answered nothing for 1 seconds: no whole reply within" in finished.stderr


def test_without_patience_faults_are_counted_and_episodes_end_by_them(tasks: Path, tmp_path: Path) -> None:
    options = ("--workers", 4, "--patience", 0, "--on-infrastructure", "fail")
    with ChatServer(lambda body, number: failed(503, "busy")) as server:
        finished = play(tasks, tmp_path / "run", server.url, *options)
    assert (finished.exit_code, len(server.bodies)) == (1, EPISODES)
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert {each["error"] for each in results["task_results"]} == {"infrastructure: the server says (HTTP 503): busy"}
