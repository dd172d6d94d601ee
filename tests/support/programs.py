"""Installed programs, run in processes of their own as a person would."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from subprocess import DEVNULL, PIPE
from typing import Any, Self, TextIO

from support import fork_server
from support.fork_server import MARK


class Program:
    """A started program, with the interface of `subprocess.Popen` that tests use."""

    def __init__(self, starter: Starter, pid: int, ended: int, streams: Sequence[TextIO | None]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin, self.stdout, self.stderr = streams
        self._starter = starter
        self._ended = ended

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if self.returncode is None and self._has_ended(0):
            self.returncode = self._starter.reap(self.pid)
            os.close(self._ended)
        return self.returncode

    def _has_ended(self, timeout: float | None) -> bool:
        """Whether the other end of the pipe is closed; the program holds it open while it runs."""
        with DefaultSelector() as selector:
            selector.register(self._ended, EVENT_READ)
            return bool(selector.select(timeout))

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, and return the exit code; raises TimeoutExpired after `timeout` seconds."""
        if self.returncode is None:
            self._has_ended(timeout)
        if (code := self.poll()) is None:
            raise subprocess.TimeoutExpired(f"the program of process {self.pid}", timeout or 0)
        return code

    def communicate(self, text: str = "", timeout: float | None = None) -> tuple[str, str]:
        """Write to its standard input, close it and wait; returns the output to pipes."""
        with ThreadPoolExecutor(2) as threads:
            printed = [threads.submit(_read, each) for each in (self.stdout, self.stderr)]
            try:
                if self.stdin is not None:
                    _write(self.stdin, text)
                out, err = (each.result(timeout) for each in printed)
                self.wait(timeout)
            except (TimeoutError, subprocess.TimeoutExpired):
                self.kill()
                raise
        return out, err

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()


def _read(stream: TextIO | None) -> str:
    return "" if stream is None or stream.closed else stream.read()


def _write(stream: TextIO, text: str) -> None:
    with suppress(BrokenPipeError), stream:
        stream.write(text)


class Starter:
    """The process that programs are forked from, started with the first one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._lock = threading.Lock()

    def run(
        self, script: Sequence[str], variables: Mapping[str, str], cwd: Path, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a Python file with arguments; raises TimeoutExpired after `timeout` seconds."""
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            with out.open("wb") as printed, err.open("wb") as told:
                program = self.start(script, variables, cwd, (DEVNULL, printed.fileno(), told.fileno()))
            try:
                code = program.wait(timeout)
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()
                raise
            return subprocess.CompletedProcess(
                list(script), code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")
            )

    def start(self, script: Sequence[str], variables: Mapping[str, str], cwd: Path, streams: Sequence[int]) -> Program:
        """Start a Python file with arguments, in a session of its own.

        Args:
            script: file and arguments.
            variables: environment.
            cwd: current folder.
            streams: standard input, output and error: descriptors, `subprocess.PIPE` or `subprocess.DEVNULL`.
        """
        ended, held = os.pipe()
        opened = [_opened(number, each) for number, each in enumerate(streams)]
        asked = {"script": script, "variables": variables, "cwd": str(cwd)}
        pid = self._ask(asked, [*(theirs for theirs, _ in opened), held])
        for theirs, given in [(held, PIPE), *zip((theirs for theirs, _ in opened), streams, strict=True)]:
            if given in (PIPE, DEVNULL):
                os.close(theirs)
        return Program(self, pid, ended, [ours for _, ours in opened])

    def reap(self, pid: int) -> int:
        """Wait for a program, and return its exit code."""
        return self._ask(pid, ())

    def close(self) -> None:
        """End the process, so that its time counts as that of the tests."""
        if self._process is not None and self._control is not None:
            self._control.close()
            self._process.wait()
            self._process = self._control = None

    def _ask(self, asked: Any, descriptors: Sequence[int]) -> int:
        """Send a request, with descriptors if there are any, and return the number that is the answer."""
        with self._lock:
            if self._control is None:
                self._control, theirs = socket.socketpair()
                with theirs:
                    self._process = subprocess.Popen(
                        [sys.executable, "-X", "utf8", fork_server.__file__], stdin=theirs, start_new_session=True
                    )
            if descriptors:
                socket.send_fds(self._control, [MARK], descriptors)
            else:
                self._control.sendall(MARK)
            self._control.sendall(json.dumps(asked).encode() + b"\n")
            with self._control.makefile() as answers:
                return int(answers.readline())


def _opened(number: int, given: int) -> tuple[int, TextIO | None]:
    """The descriptor for a standard stream of a program, and the other end of a pipe."""
    if given == DEVNULL:
        return os.open(os.devnull, os.O_RDWR), None
    if given != PIPE:
        return given, None
    reading, writing = os.pipe()
    if number == 0:
        return reading, os.fdopen(writing, "w", encoding="utf-8")
    return writing, os.fdopen(reading, encoding="utf-8")


TIMEOUT = 120
REPOSITORY = Path(__file__).parents[2]
MEANT_FOR_TERMINALS = ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS")

Finished = subprocess.CompletedProcess[str]

STARTER = Starter()


def command(program: str) -> list[str]:
    """The command of an installed console script, or of a Python file of the repository."""
    if program.endswith(".py"):
        return [sys.executable, str(REPOSITORY / program)]
    return [str(Path(sys.executable).parent / program)]


def environment(path: Iterable[Path] = (), variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables of a program that finds plugins in `path` and prints long lines."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GRIDWORLD_") and name not in MEANT_FOR_TERMINALS
    }
    folders = [*map(str, path), *filter(None, [inherited.get("PYTHONPATH")])]
    given = {
        "PYTHONPATH": os.pathsep.join(folders),
        "COLUMNS": "250",
        "PYTHONUTF8": "1",
        "MULTINET_NO_RECORD": "1",  # unless --run-dir is given
        "GRIDWORLD_CACHE": "",  # no table is kept
    }
    return inherited | given | dict(variables or {})


def run(
    program: str,
    *arguments: str | Path,
    path: Iterable[Path] = (),
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Finished:
    """Run a program, with the plugin distributions in the folders of `path` installed, too.

    It is forked from a process that has imported much of what it needs; tests of imports use `run_anew`.
    """
    script = [command(program)[-1], *map(str, arguments)]
    return STARTER.run(script, environment(path, variables), cwd or Path.cwd(), TIMEOUT)


def start(
    program: str,
    *arguments: str | Path,
    path: Iterable[Path] = (),
    variables: Mapping[str, str] | None = None,
    stdin: int = DEVNULL,
    stdout: int = PIPE,
    stderr: int = PIPE,
) -> Program:
    """Start a program as `run` does, in a session of its own, without waiting for its end."""
    script = [command(program)[-1], *map(str, arguments)]
    return STARTER.start(script, environment(path, variables), Path.cwd(), (stdin, stdout, stderr))


def run_anew(
    program: str,
    *arguments: str | Path,
    path: Iterable[Path] = (),
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Finished:
    """Run a program as `run` does, but in a new interpreter."""
    return subprocess.run(
        [*command(program), *map(str, arguments)],
        env=environment(path, variables),
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
    )


def words(text: str) -> str:
    """A text without line breaks and without the frames that Typer draws around usage errors."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def runner(*command: str) -> Callable[..., Finished]:
    """Make a function that runs a program with further arguments and checks that it shows no traceback."""

    def call(*arguments: str | Path, **options: Any) -> Finished:
        finished = run(*command, *arguments, **options)
        assert "Traceback" not in finished.stderr
        return finished

    return call


def output_of(finished: Finished) -> str:
    """Standard output of a program, which has to succeed and print nothing on standard error."""
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


def json_of(finished: Finished) -> Any:
    """Like `output_of`, parsed as JSON."""
    return json.loads(output_of(finished))


def assert_refused(finished: Finished, *fragments: str, exit_code: int = 2) -> None:
    """Check that a program exited with only a message, which has these fragments in this order."""
    assert "Traceback" not in finished.stderr
    message = words(finished.stderr)
    position = 0
    for fragment in fragments:
        assert fragment in message[position:], f"{fragment!r} is missing, or out of order, in: {message}"
        position = message.index(fragment, position) + len(fragment)
    assert (finished.returncode, finished.stdout) == (exit_code, "")


def everything_written_to(terminal: int) -> str:
    """Read from the master of a terminal until its other end is closed."""
    written = b""
    try:
        while chunk := os.read(terminal, 65536):
            written += chunk
    except OSError:  # the end, on Linux
        pass
    os.close(terminal)
    return written.decode()
