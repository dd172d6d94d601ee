"""Servers that take few requests at once, that go and come back, and that go for good."""

import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from command_line import run, words
from evaluating import write_corridor
from gridworld.model_interface import AnswerOutcome
from multinet_adapters.testing.model_servers import MODEL, ChatRequest, Hang, ModelServer, Reply, Status, serve
from multinet_eval.play import outages, session
from multinet_eval.play.backoff import Backoff
from multinet_eval.play.observers import Pause, RunObserver
from multinet_eval.play.run import RunOutcome
from multinet_eval.play.session import StopReason
from multinet_eval.record.plan import PlannedEpisode
from playing_runs import answer_by_text, make_run, play_run, results_of

SMALL = {"backend_arguments": ("tile_size=8",)}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen corridors."""
    folder = tmp_path_factory.mktemp("suites") / "corridors"
    for number in range(16):
        write_corridor(folder, f"corridor_{number:02}", "@" + "." * (3 + number % 4) + "G", max_steps=16)
    return folder


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are repeated, and servers looked after, at shorter intervals than people would choose."""
    quick = Backoff(first=0.1, factor=1.5, longest=0.5)
    monkeypatch.setattr(outages, "PROBE", quick)
    monkeypatch.setattr(session, "Backoff", lambda: quick)


def play(server: ModelServer, tasks: Path, directory: Path, *arguments: str, **options: Any) -> RunOutcome:
    given = (f"base_url={server.ollama_url}", f"model={MODEL}", *arguments)
    return play_run(make_run(tasks, directory, "ollama", given, **SMALL), **options)


@pytest.fixture(scope="module")
def undisturbed(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """The results of a run that nothing goes wrong in, and how many requests it makes."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    with serve(answer_by_text) as server:
        assert play(server, tasks, folder).stopped is None
        return scores_of(folder), len(server.chats)


def scores_of(directory: Path) -> str:
    """The results, but for the requests that were made in vain."""
    return "\n".join(line for line in results_of(directory).splitlines() if '"infrastructure"' not in line)


class Crowd:
    """Answers a few requests at once, after some time, and refuses all others."""

    def __init__(self, most: int, headers: Mapping[str, str]) -> None:
        self._most = most
        self._headers = headers
        self._lock = threading.Lock()
        self._inside = 0
        self.seen: list[tuple[int, bool]] = []
        """Of each request: how many there were when it came, and whether it was answered."""

    def __call__(self, request: ChatRequest) -> Reply | str:
        with self._lock:
            self._inside += 1
            welcome = self._inside <= self._most
            self.seen.append((self._inside, welcome))
        try:
            if not welcome:
                return Status(429, "too many requests", self._headers)
            time.sleep(0.05)
            return answer_by_text(request)
        finally:
            with self._lock:
                self._inside -= 1

    @property
    def refused(self) -> int:
        """How many requests were refused."""
        return sum(not welcome for _, welcome in self.seen)


@pytest.mark.usefixtures("impatient")
def test_a_run_settles_at_what_a_server_takes_at_once(
    tasks: Path, tmp_path: Path, undisturbed: tuple[str, int]
) -> None:
    crowd = Crowd(4, {})
    with serve(crowd) as server:
        outcome = play(server, tasks, tmp_path / "run", workers=16)
    results, requests = undisturbed
    assert outcome.stopped is None
    assert scores_of(tmp_path / "run") == results
    assert len(crowd.seen) - crowd.refused == requests, "nothing that was answered is asked again"
    assert all(result.error is None for result in outcome.results.in_order)
    late = [inside for inside, _ in crowd.seen[len(crowd.seen) // 3 :]]
    assert max(late) <= 6
    assert 2.5 <= sum(late) / len(late) <= 5
    assert crowd.refused < len(crowd.seen) / 3


@pytest.mark.usefixtures("impatient")
def test_a_run_does_as_a_server_asks_that_wants_to_be_left_alone_for_a_while(
    tasks: Path, tmp_path: Path, undisturbed: tuple[str, int]
) -> None:
    crowd = Crowd(8, {"Retry-After": "1"})
    with serve(crowd) as server:
        outcome = play(server, tasks, tmp_path / "run", workers=16)
    assert outcome.stopped is None
    assert scores_of(tmp_path / "run") == undisturbed[0]
    assert 0 < crowd.refused < len(crowd.seen) / 3


class Mortal:
    """A server that can be switched off and on again, at one address."""

    def __init__(self) -> None:
        self.server = ModelServer(self._answer)
        self.port = self.server.port
        self.answered = 0
        self.dies_after = 10**9
        self.comes_back_after: float | None = None

    def _answer(self, request: ChatRequest) -> Reply | str:
        self.answered += 1
        if self.answered == self.dies_after:
            threading.Thread(target=self._die).start()
        return answer_by_text(request)

    def _die(self) -> None:
        self.server.close()
        if self.comes_back_after is not None:
            time.sleep(self.comes_back_after)
            self.revive()

    def revive(self) -> None:
        """Listen again."""
        self.server = ModelServer(self._answer, port=self.port)


@pytest.fixture
def mortal() -> Iterator[Mortal]:
    made = Mortal()
    yield made
    made.server.close()


class Listener(RunObserver):
    """Keeps the pauses that it is told of."""

    def __init__(self) -> None:
        self.pauses: list[Pause] = []

    def paused(self, episode: PlannedEpisode, pause: Pause) -> None:
        self.pauses.append(pause)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("workers", [1, 8])
def test_a_run_goes_on_when_its_server_comes_back(
    tasks: Path, tmp_path: Path, undisturbed: tuple[str, int], mortal: Mortal, workers: int
) -> None:
    mortal.dies_after, mortal.comes_back_after = 30, 0.7
    listener = Listener()
    given = (f"base_url={mortal.server.ollama_url}", f"model={MODEL}")
    run = make_run(tasks, tmp_path / "run", "ollama", given, policies=no_retries(), **SMALL)
    outcome = play_run(run, listener, workers=workers, patience=20.0)
    assert outcome.stopped is None
    assert all(result.error is None for result in outcome.results.in_order)
    assert scores_of(tmp_path / "run") == undisturbed[0]
    assert any("no connection to" in pause.reason for pause in listener.pauses)


def no_retries() -> Any:
    """Policies by which an episode ends at the first fault of the infrastructure that counts."""
    from multinet_eval.settings.policies import AnswerPolicies

    return AnswerPolicies(on_infrastructure="fail")


@pytest.mark.parametrize("workers", ["1", "8"])
def test_a_server_that_dies_for_good_ends_the_run_which_can_be_resumed(
    tasks: Path, tmp_path: Path, undisturbed: tuple[str, int], mortal: Mortal, workers: str
) -> None:
    mortal.dies_after = 30
    recorded = {"MULTINET_NO_RECORD": ""}
    address = mortal.server.ollama_url
    model = ("-m", "ollama", "-M", f"base_url={address}", "-M", f"model={MODEL}", "-B", "tile_size=8")
    how = ("--workers", workers, "--patience", "1", "-q")
    where = ("--task-dir", tasks, "--run-dir", tmp_path / "run")
    finished = run("multinet-run-eval", *model, *where, *how, variables=recorded)
    assert finished.returncode == 1
    said = words(finished.stderr)
    assert "the server has answered nothing for 1 seconds: no connection to" in said
    assert f"go on with: multinet runs resume {tmp_path / 'run'}" in said
    assert not (tmp_path / "run" / "results.json").exists()

    mortal.revive()
    finished = run("multinet", "runs", "resume", tmp_path / "run", *how, variables=recorded)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert scores_of(tmp_path / "run").replace("corridors", "small") == undisturbed[0]
    assert mortal.answered <= undisturbed[1] + int(workers)


def test_a_server_that_asks_for_more_patience_than_there_is_ends_the_run(tasks: Path, tmp_path: Path) -> None:
    with serve(lambda request: Status(429, "the quota of today is used up", {"Retry-After": "3600"})) as server:
        outcome = play(server, tasks, tmp_path / "run", workers=4, patience=60.0)
    assert outcome.stopped is not None
    assert outcome.stopped.reason is StopReason.OUTAGE
    assert "the server asks not to be called for 3600 seconds" in outcome.stopped.message
    assert "the quota of today is used up" in outcome.stopped.message
    assert outcome.results.results == {}
    assert len(server.chats) <= 4


def test_a_server_that_says_nothing_at_all_ends_the_run(tasks: Path, tmp_path: Path) -> None:
    with serve(lambda request: Hang()) as server:
        outcome = play(server, tasks, tmp_path / "run", "read_timeout=0.4", workers=4, patience=1.0)
    assert outcome.stopped is not None
    assert outcome.stopped.reason is StopReason.OUTAGE
    assert "the server has answered nothing for 1 seconds: no whole reply from" in outcome.stopped.message


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_slow_under_load_is_asked_less(
    tasks: Path, tmp_path: Path, undisturbed: tuple[str, int]
) -> None:
    one_at_a_time = threading.Semaphore(2)

    def answer(request: ChatRequest) -> Reply | str:
        with one_at_a_time:
            time.sleep(0.1)
            return answer_by_text(request)

    with serve(answer) as server:
        outcome = play(server, tasks, tmp_path / "run", "read_timeout=0.5", workers=16)
    assert outcome.stopped is None
    assert all(result.error is None for result in outcome.results.in_order)
    assert scores_of(tmp_path / "run") == undisturbed[0]
    in_vain = sum(result.outcomes[AnswerOutcome.INFRASTRUCTURE] for result in outcome.results.in_order)
    assert 0 < in_vain < undisturbed[1] / 2


def test_without_patience_faults_are_counted_and_episodes_end_by_them(tasks: Path, tmp_path: Path) -> None:
    with serve(lambda request: Status(503, "busy")) as server:
        given = (f"base_url={server.ollama_url}", f"model={MODEL}")
        run = make_run(tasks, tmp_path / "run", "ollama", given, policies=no_retries(), **SMALL)
        outcome = play_run(run, workers=4, patience=0.0)
    assert outcome.stopped is None
    assert [result.error for result in outcome.results.in_order] == [
        "infrastructure: the server says (HTTP 503): busy"
    ] * 16
