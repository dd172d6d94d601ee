"""Recorded runs as whole programs: interrupted, taken over, begun twice at once, changed, or on a disk that fails."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import attrs
import pytest

from multinet_adapters.testing.model_servers import MODEL, ChatRequest, ModelServer, serve
from multinet_adapters.testing.model_servers import ModelServer as ManyProtocolServer
from support.commands import run
from support.plugins import write_distribution
from support.programs import Finished, Program, command, environment, start
from support.run_folders import RECORDED, all_lines, request_answer, results_of
from support.runs import write_corridor

TIMEOUT = 60
INTERRUPTED = 130


def resume(directory: Path, *options: str, path: Iterable[Path] = ()) -> Finished:
    """Resume a run."""
    return run("multinet", "runs", "resume", directory, *options, path=path, variables=RECORDED)


def model_options(server: ManyProtocolServer) -> list[str]:
    """The options for a model behind a server."""
    return ["-m", "ollama", "-M", f"model={MODEL}", "-M", f"base_url={server.ollama_url}"]


def requests_in(directory: Path) -> int:
    """Number of recorded answers."""
    return sum("request" in line for lines in all_lines(directory).values() for line in lines)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "small"
    write_corridor(folder, "far", "@....G", max_steps=8)
    write_corridor(folder, "near", "@..G", max_steps=8)
    return folder


@pytest.fixture(scope="module")
def whole(tasks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has happened to."""
    directory = tmp_path_factory.mktemp("runs") / "whole"
    with serve(request_answer) as server:
        finished = run("multinet-run-eval", *beginning(server, tasks, directory), variables=RECORDED)
    assert (finished.returncode, finished.stderr) == (0, "")
    return directory


def beginning(server: ModelServer, tasks: Path, directory: Path) -> list[str]:
    return [*model_options(server), "--task-dir", str(tasks), "--run-dir", str(directory), "-q"]


@attrs.define
class Hesitating:
    """Answers so many requests at once, and others when it is allowed to."""

    at_once: int
    allowed: threading.Event = attrs.field(factory=threading.Event)
    waiting: threading.Semaphore = attrs.field(factory=lambda: threading.Semaphore(0))

    def answer(self, request: ChatRequest) -> str:
        if request.number >= self.at_once and not self.allowed.is_set():
            self.waiting.release()
            self.allowed.wait(TIMEOUT)
        return request_answer(request)

    def wait_until_asked(self) -> None:
        assert self.waiting.acquire(timeout=TIMEOUT)


@contextmanager
def under_way(tasks: Path, directory: Path, *options: str) -> Iterator[tuple[Program, Hesitating]]:
    """A run in another process that waits for an answer."""
    hesitating = Hesitating(5)
    with serve(hesitating.answer) as server:
        process = start("multinet-run-eval", *beginning(server, tasks, directory), *options, variables=RECORDED)
        try:
            hesitating.wait_until_asked()
            yield process, hesitating
        finally:
            hesitating.allowed.set()
            process.kill()
            process.communicate()


def read_line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


# --- Interrupting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "workers"),
    [
        (signal.SIGINT, 1),
        (signal.SIGHUP, 1),
        pytest.param(signal.SIGTERM, 2, marks=pytest.mark.more),
    ],
)
def test_an_interrupted_run_waits_and_names_the_resume_command(
    tasks: Path, whole: Path, tmp_path: Path, number: signal.Signals, workers: int
) -> None:
    directory = tmp_path / "run"
    with under_way(tasks, directory, "--workers", str(workers)) as (process, hesitating):
        for _ in range(workers - 1):
            hesitating.wait_until_asked()
        process.send_signal(number)
        requests = "1 request" if workers == 1 else "2 requests"
        told = f"stopping: up to 10 s for {requests} in flight; Ctrl-C again stops at once\n"
        assert read_line(process.stderr) == told
        hesitating.allowed.set()
        _, rest = process.communicate(timeout=TIMEOUT)
        assert rest.endswith(f" of 2 episodes\ncontinue with: multinet runs resume {directory}\n")
        assert process.returncode == 128 + number
    assert requests_in(directory) == 5 + workers
    assert not (directory / "lock").exists()
    assert_completed(directory, whole)


ON_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Code that calls a program with its standard input as its terminal."""


@pytest.mark.parametrize("executor", ["local", pytest.param("processes", marks=pytest.mark.more)])
def test_a_run_whose_terminal_is_closed_keeps_the_answer_it_waits_for(
    tasks: Path, whole: Path, tmp_path: Path, executor: str
) -> None:
    directory, hesitating = tmp_path / "run", Hesitating(5)
    terminal, inner = os.openpty()
    with serve(hesitating.answer) as server:
        options = beginning(server, tasks, directory)[:-1]
        words = [*command("multinet-run-eval"), *options, "--executor", executor]
        process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, *words],
            env=environment(variables=RECORDED),
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
        )
        os.close(inner)
        try:
            hesitating.wait_until_asked()
            os.close(terminal)
            time.sleep(0.5)
            hesitating.allowed.set()
            assert process.wait(TIMEOUT) == 128 + signal.SIGHUP
        finally:
            process.kill()
            process.wait()
    assert requests_in(directory) == 6
    assert not (directory / "lock").exists()
    assert_completed(directory, whole)


def test_a_run_under_nohup_survives_its_terminal(tasks: Path, whole: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which the program inherits
    try:
        with under_way(tasks, directory) as (process, hesitating):
            process.send_signal(signal.SIGHUP)
            hesitating.allowed.set()
            _, told = process.communicate(timeout=TIMEOUT)
            assert (process.returncode, told) == (0, "")
    finally:
        signal.signal(signal.SIGHUP, former)
    assert results_of(directory) == results_of(whole)


@pytest.mark.parametrize(
    ("workers", "executor"),
    [
        (2, "local"),
        pytest.param(1, "local", marks=pytest.mark.more),
        pytest.param(2, "processes", marks=pytest.mark.more),
    ],
)
def test_a_second_interrupt_ends_a_run_at_once(
    tasks: Path, whole: Path, tmp_path: Path, workers: int, executor: str
) -> None:
    directory = tmp_path / "run"
    options = ("--workers", str(workers), "--executor", executor)
    with under_way(tasks, directory, *options) as (process, hesitating):
        for _ in range(workers - 1):
            hesitating.wait_until_asked()
        process.send_signal(signal.SIGINT)
        assert read_line(process.stderr).startswith("stopping: ")
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=TIMEOUT)
        assert not hesitating.allowed.is_set()
        waited_for = {1: "1 request in flight was", 2: "2 requests in flight were"}[workers]
        cut = "" if (workers, executor) == (1, "local") else f", {waited_for} abandoned"
        assert rest.endswith(
            f"interrupted{cut}, after 0 of 2 episodes\ncontinue with: multinet runs resume {directory}\n"
        )
        assert process.returncode == INTERRUPTED
    assert requests_in(directory) == 5
    assert not (directory / "lock").exists()
    assert_completed(directory, whole)


def assert_completed(directory: Path, whole: Path) -> None:
    """Going on leads to the results of the whole run, and asks only what is not recorded."""
    missing = requests_in(whole) - requests_in(directory)
    with serve(request_answer) as server:
        finished = resume(directory, "-q", "-M", f"base_url={server.ollama_url}")
    assert finished.returncode == 0, finished.stderr
    assert len(server.chats) == missing
    assert results_of(directory) == results_of(whole)


# --- Two processes ---------------------------------------------------------------------------------------------------


def test_a_playing_run_is_refused_or_taken_over(tasks: Path, whole: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with under_way(tasks, directory) as (process, hesitating):
        for line in (["resume"], ["resume", "--epochs", "2"]):
            before = (directory / "run.json").read_bytes()
            refused = run("multinet", "runs", line[0], directory, *line[1:], "-q", variables=RECORDED)
            assert (refused.returncode, refused.stdout) == (1, "")
            assert f" is being played by process {process.pid} on " in refused.stderr
            assert "--take-over" in refused.stderr
            assert (directory / "run.json").read_bytes() == before
        with serve(request_answer) as server:
            taken = resume(directory, "-q", "--take-over", "-M", f"base_url={server.ollama_url}")
        assert taken.returncode == 0, taken.stderr
        results = (directory / "results.json").read_bytes()
        hesitating.allowed.set()
        _, told = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 1
        assert "error: another process has taken over the run" in told
    assert (directory / "results.json").read_bytes() == results
    assert results_of(directory) == results_of(whole)


# --- What is not as it was -------------------------------------------------------------------------------------------


PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [ModelInfo("mindful", "Goes on.", "moody_models:Mindful", circumstances=("address",))]
"""
MODELS = """
import random

from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInterface, ModelOutput


class Mindful(ModelInterface):
    model_name = "moody"

    def __init__(self, mood: int = 0, address: str = ""):
        self.mood = mood

    def begin_episode(self, episode):
        self.random = random.Random(f"{self.mood}/{episode.seed}/{episode.task_id}")

    def predict(self, input):
        drawn = self.random.random()
        if drawn < 0.25:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, "it mumbles")
        return ModelOutput(int(drawn * 1000) % 7, raw_output=str(drawn))

    def resume_episode(self, episode, steps):
        for _ in range(sum(len(step.requests) for step in steps)):
            self.random.random()
        return True
"""


@pytest.fixture(scope="session")
def moody(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution ``moody``, to be put on the path."""
    folder = tmp_path_factory.mktemp("moody")
    files = {"moody_plugin.py": PLUGIN, "moody_models.py": MODELS}
    write_distribution(folder, "moody", "1.4.2", {"models": "moody_plugin"}, files)
    return folder


@pytest.fixture
def moody_run(moody: Path, tasks: Path, tmp_path: Path) -> Path:
    line = ["-m", "mindful", "-M", "mood=1", "-M", "address=here", "--task-dir", tasks, "-q", "--max-requests", "5"]
    finished = run("multinet-run-eval", *line, "--run-dir", tmp_path / "run", path=[moody], variables=RECORDED)
    assert finished.returncode == 1, finished.stderr
    assert requests_in(tmp_path / "run") == 5
    return tmp_path / "run"


def assert_refused_as_different(refused: Finished, difference: str) -> None:
    told = f"error: the run cannot be resumed: result-affecting settings changed:\n  {difference}\n"
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", told)


def test_result_affecting_arguments_are_refused_others_noted(moody: Path, moody_run: Path) -> None:
    refused = resume(moody_run, "-q", "-M", "mood=2", path=[moody])
    assert_refused_as_different(refused, "model.arguments: mood=1 in the run, mood=2 now")
    noted = resume(moody_run, "-q", "-M", "address=there", "--max-requests", "none", path=[moody])
    assert noted.returncode == 0
    assert noted.stderr == "note: model_arguments: address=here in the run, address=there now\n"


@pytest.mark.more
def test_minor_versions_are_refused_patches_noted(moody: Path, moody_run: Path, tmp_path: Path) -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in moody.glob("*.py")}
    for version in ("1.5.0", "1.4.9"):
        write_distribution(tmp_path / version, "moody", version, {"models": "moody_plugin"}, sources)
    refused = resume(moody_run, "-q", path=[tmp_path / "1.5.0"])
    assert_refused_as_different(refused, "versions.moody: 1.4 in the run, 1.5 now")
    noted = resume(moody_run, "-q", "--max-requests", "none", path=[tmp_path / "1.4.9"])
    assert (noted.returncode, noted.stderr) == (0, "note: versions.moody: 1.4.2 in the run, 1.4.9 now\n")


@pytest.mark.more
def test_a_plugin_that_is_missing_is_named(moody_run: Path) -> None:
    refused = resume(moody_run, "-q")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "'mindful'" in refused.stderr


# --- Disks that fail -------------------------------------------------------------------------------------------------


OBEY_PERMISSIONS = ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []
"""Lets the administrator, too, write only where permissions allow it."""


def run_restricted(restriction: list[str], program: str, *arguments: str) -> Finished:
    """Run a program by another one, which takes something from it."""
    return subprocess.run(
        [*restriction, *command(program), *arguments],
        env=environment(variables=RECORDED),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


@pytest.mark.more
def test_metrics_are_printed_if_they_cannot_be_written(whole: Path, tmp_path: Path) -> None:
    directory = Path(shutil.copytree(whole, tmp_path / "run"))
    before = '{"num_success": 7}'
    (directory / "results.json").write_text(before, encoding="utf-8")
    line = ["runs", "rescore", str(directory), "--metric", "success", "--csv"]
    directory.chmod(0o555)
    try:
        read_only = run_restricted(OBEY_PERMISSIONS, "multinet", *line)
    finally:
        directory.chmod(0o755)
    assert read_only.returncode == 0
    assert read_only.stderr.endswith("; not written, since the folder is not writable\n")
    assert (directory / "results.json").read_text(encoding="utf-8") == before
    written = run("multinet", *line)
    assert (written.returncode, written.stdout) == (0, read_only.stdout)
    assert written.stderr.removesuffix("\n") == read_only.stderr.split(";")[0]


@pytest.mark.more
def test_an_unreadable_folder_hides_no_other_run(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "lost+found").mkdir(mode=0)
    listed = run_restricted(OBEY_PERMISSIONS, "multinet", "runs", "list", "--runs", str(tmp_path), "--json")
    assert ([each["name"] for each in json.loads(listed.stdout)], listed.returncode) == (["run"], 0)


@pytest.mark.more
@pytest.mark.parametrize("size", [0, 3000])
def test_a_full_disk_loses_nothing_recorded(tasks: Path, whole: Path, tmp_path: Path, size: int) -> None:
    directory = tmp_path / "run"
    with serve(request_answer) as server:
        failed = run_restricted(
            ["prlimit", f"--fsize={size}"], "multinet-run-eval", *beginning(server, tasks, directory)
        )
        assert_failed_cleanly(failed, directory, "File too large")
        assert_all_but_the_last_is_recorded(server, directory)
    go_on_or_begin(tasks, directory, whole)


def assert_all_but_the_last_is_recorded(server: ModelServer, directory: Path) -> None:
    """Check that at most one answer was not written."""
    assert len(server.chats) - requests_in(directory) in (0, 1)


def assert_failed_cleanly(failed: Finished, directory: Path, reason: str) -> None:
    assert (failed.returncode, failed.stdout) == (1, ""), failed.stderr
    assert failed.stderr.splitlines()[-1].startswith("error: cannot ")
    assert str(directory) in failed.stderr.splitlines()[-1]
    assert failed.stderr.endswith(f": {reason}\n")
    assert not (directory / "lock").exists()
    assert whole_lines_only(directory)


def whole_lines_only(directory: Path) -> bool:
    contents = [path.read_bytes() for path in directory.glob("episodes/*")]
    return all(content.endswith(b"\n") for content in contents if content)


def go_on_or_begin(tasks: Path, directory: Path, whole: Path) -> None:
    if (directory / "run.json").exists():
        assert_completed(directory, whole)
        return
    with serve(request_answer) as server:
        finished = run("multinet-run-eval", *beginning(server, tasks, directory), variables=RECORDED)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert results_of(directory) == results_of(whole)
