"""Commands in processes forked from a warm one, which start in milliseconds and can be killed and hindered.

A process has one thread, calls installed commands one after the other, each with its own standard output and error, and
ends as a program does. Its children are waited for, too; those that outlive it are reported and killed.
"""

import atexit
import errno
import faulthandler
import gc
import itertools
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ctypes import CDLL
from importlib.metadata import entry_points
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

import attrs

from support import system_calls
from support.commands import VARIABLES, Finished

__all__ = ["Ended", "Process", "play", "start"]

TIMEOUT = 60.0
"""Seconds after which a process counts as hung and is killed."""
OUTLIVED = 12.0
"""Seconds for which children may outlive their parent: ten, and a margin for a busy machine."""
BECOME_SUBREAPER = 36
"""Option of prctl(2) that makes this process the parent of orphans below it."""

Command = Sequence[object]


@attrs.frozen
class Ended:
    """A process that has ended.

    Args:
        exit_code: exit code; -N after signal N.
        finished: the commands that returned.
        stdout: standard output of the last command called.
        stderr: standard error of the last command called.
        hung: the stacks at the timeout; empty without one.
        left: command lines of children that had to be killed.
        trespasses: accesses to the forbidden folder, or outside the folders to which it was confined.
        writes: writes counted below the trap's folder; none if the process was killed.
    """

    exit_code: int
    finished: list[Finished]
    stdout: str
    stderr: str
    hung: str
    left: list[str]
    trespasses: list[str]
    writes: list[str]


@attrs.define
class Process:
    """A started process; `wait` for it before starting the next one."""

    pid: int
    _nursery: "_Nursery"
    _folder: tempfile.TemporaryDirectory[str]

    def wait(self) -> Ended:
        """Wait until it and its children have ended."""
        with self._folder as folder:
            told = self._nursery.receive()
            finished, out, err = _read(Path(folder))
            trespasses = _lines(Path(folder, "trespasses"))
            writes = _lines(Path(folder, "writes"))
            return Ended(told["exit_code"], finished, out, err, told["hung"], told["left"], trespasses, writes)


def play(*commands: Command, **options: Any) -> Ended:
    """`start` a process and wait for its end."""
    return start(*commands, **options).wait()


def start(
    *commands: Command,
    path: Sequence[Path] = (),
    variables: Mapping[str, str] | None = None,
    trap: system_calls.Trap | None = None,
    hindrance: tuple[str, int] | None = None,
    forbidden: Path | None = None,
    confined: Sequence[Path] = (),
    memory: int | None = None,
    timeout: float = TIMEOUT,
) -> Process:
    """Start a process that calls commands such as ``("multinet", "runs", "list")``.

    Args:
        commands: words of each command; the exit code of the last one ends the process.
        path: folders with plugins.
        variables: variables of its environment.
        trap: acts at writes.
        hindrance: one of `HINDRANCES`, and how many can still be started.
        forbidden: folder whose accesses are reported.
        confined: folders; changes elsewhere, connections and programs that are started are reported.
        memory: limit of the address space in bytes, of each command.
        timeout: seconds after which the process is killed.
    """
    folder = tempfile.TemporaryDirectory(prefix="forked-")
    asked = {
        "commands": [[str(word) for word in command] for command in commands],
        "path": [str(each) for each in path],
        "variables": dict(variables or {}),
        "trap": None if trap is None else {"folder": trap.folder, "at": dict(trap.at), "cut": trap.cut},
        "hindrance": hindrance,
        "forbidden": None if forbidden is None else str(forbidden),
        "confined": [str(each) for each in confined],
        "memory": memory,
        "timeout": timeout,
        "folder": folder.name,
    }
    return Process(NURSERY.ask(asked), NURSERY, folder)


def _read(folder: Path) -> tuple[list[Finished], str, str]:
    finished, out, err = [], "", ""
    for number in range(len(list(folder.glob("out.*")))):
        out, err = (_text(folder / f"{name}.{number}") for name in ("out", "err"))
        if (ended := folder / f"code.{number}").exists():
            finished.append(Finished(int(ended.read_text()), out, err))
    return finished, out, err


def _text(path: Path) -> str:
    return path.read_bytes().decode(errors="replace")


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="backslashreplace").splitlines() if path.exists() else []


class _Nursery:
    """The warm process, started on first use."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def ask(self, asked: Any) -> int:
        """Fork a process and return its id."""
        if self._control is None:
            self._control, theirs = socket.socketpair()
            with theirs:
                code = "from support.forked import serve; serve()"
                path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
                self._process = subprocess.Popen(
                    [sys.executable, "-X", "utf8", "-c", code],
                    stdin=theirs,
                    env={**os.environ, **VARIABLES, "PYTHONPATH": path},
                    start_new_session=True,
                )
            self._lines = self._control.makefile()
            atexit.register(self.close)
        self._control.sendall(json.dumps(asked).encode() + b"\n")
        return int(self.receive())

    def receive(self) -> Any:
        """Read the next message of the warm process."""
        return json.loads(self._lines.readline())

    def close(self) -> None:
        """End the warm process."""
        if self._process is not None and self._control is not None:
            self._control.shutdown(socket.SHUT_RDWR)
            self._process.wait()


NURSERY = _Nursery()

# --- In the warm process, and those forked from it -----------------------------------------------------------------


def serve() -> None:
    """Fork a process for each line of standard input; report its id, and then how it ended."""
    system_calls.watch_writes()
    CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)
    with socket.socket(fileno=os.dup(0)) as control, control.makefile() as lines:
        _warm_up()
        for line in lines:
            asked = json.loads(line)
            pid = os.fork()
            if pid == 0:
                _become(asked)
            control.sendall(f"{pid}\n".encode())
            control.sendall(json.dumps(_see_to_the_end(pid, asked)).encode() + b"\n")


def _warm_up() -> None:
    """Call most commands once, to import their modules and fill caches of pictures and solutions."""
    streams = [(os.dup(stream), stream) for stream in (0, 1, 2)]
    with tempfile.TemporaryDirectory() as folder:
        for number, command in enumerate(_warming(folder)):
            _called(command, folder, number)
    for kept, stream in streams:
        os.dup2(kept, stream)
        os.close(kept)
    assert threading.active_count() == 1, "a process with threads cannot be forked"
    gc.collect()
    gc.freeze()


def _warming(folder: str) -> list[list[str]]:
    task, run, page = "worked_examples/e01_around_a_corner", f"{folder}/run", f"{folder}/page.html"
    away = ["-M", "model=m", "-M", "base_url=http://127.0.0.1:9/v1", "-M", "connect_timeout=0.1"]
    played = ["multinet", "runs"]
    suite = ["-b", "worked_examples", "--tier", "1"]
    return [
        ["multinet-run-eval", "-m", "random", *suite, "--run-dir", run, "--workers", "2"],
        ["multinet-run-eval", "-m", "openai", *away, *suite, "--run-dir", f"{folder}/away"],
        [*played, "resume", run],
        [*played, "resume", run, "--epochs", "1"],
        [*played, "show", run, "--episodes"],
        [*played, "show", run, "--json"],
        [*played, "verify", run],
        [*played, "list", "--runs", folder],
        [*played, "rescore", run],
        [*played, "export", run, "--format", "csv", "-o", f"{folder}/rows.csv"],
        [*played, "export", run, "--format", "jsonl", "-o", f"{folder}/rows.jsonl"],
        [*played, "render", run, "0", "-o", f"{folder}/run.gif"],
        ["multinet", "compare", run, run],
        ["multinet", "leaderboard", run],
        ["multinet", "report", run, "-o", page],
        ["multinet", "tasks", "show", task],
    ]


def _see_to_the_end(pid: int, asked: Any) -> Any:
    """Wait for a process and for the children it has left behind."""
    hung = ""
    watched = os.pidfd_open(pid)
    if not select.select([watched], [], [], asked["timeout"])[0]:
        hung = _where(pid, asked)
    os.close(watched)
    exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return {"exit_code": exit_code, "hung": hung, "left": _left_behind()}


def _where(pid: int, asked: Any) -> str:
    """Kill a process and return the stacks of its threads."""
    os.kill(pid, signal.SIGUSR1)  # faulthandler writes them
    told = Path(asked["folder"], "stacks")
    deadline = time.monotonic() + 1
    while not told.stat().st_size and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    return told.read_text() or "no stacks were written"


def _left_behind() -> list[str]:
    deadline = time.monotonic() + OUTLIVED
    try:
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.005)
        left = system_calls.children_of(os.getpid())
        told = [system_calls.command_of(each) for each in left]
        for each in left:
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)
    except ChildProcessError:
        return []
    return told


def _become(asked: Any) -> NoReturn:
    """Call the commands and exit."""
    code = 70
    try:
        os.setsid()
        faulthandler.register(signal.SIGUSR1, _opened(asked["folder"], "stacks"))
        sys.path[:0] = asked["path"]
        os.environ.update(asked["variables"])
        tempfile.tempdir = None  # asks $TMPDIR again
        os.environ["PYTHONPATH"] = os.pathsep.join([*asked["path"], os.environ["PYTHONPATH"]])
        if asked["trap"]:
            system_calls.set_trap(system_calls.Trap(**asked["trap"]))
        if asked["forbidden"] or asked["confined"]:
            told = _opened(asked["folder"], "trespasses")
            allowed = [asked["folder"], *asked["confined"]] if asked["confined"] else []
            system_calls.forbid(asked["forbidden"], lambda said: os.write(told, os.fsencode(f"{said}\n")), allowed)
        if asked["memory"]:
            resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))
        if asked["hindrance"]:
            name, number = asked["hindrance"]
            _start_no_more(HINDRANCES[name], number)
        for number, command in enumerate(asked["commands"]):
            code = _called(command, asked["folder"], number)
        if asked["trap"] and system_calls._trap is not None:
            Path(asked["folder"], "writes").write_text("\n".join(system_calls._trap.calls))
    finally:
        _end(code)


def _opened(folder: str, name: str) -> int:
    """Open a file for appending; its descriptor."""
    return os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def _called(command: Sequence[str], folder: str, number: int) -> int:
    """Call a command with its output in files; its exit code."""
    program, *arguments = command
    nothing = os.open(os.devnull, os.O_RDONLY)
    opened = (nothing, *(_opened(folder, f"{name}.{number}") for name in ("out", "err")))
    for stream, descriptor in enumerate(opened):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.argv = [program, *arguments]
    (entry,) = entry_points(group="console_scripts", name=program)
    code = 0
    try:
        entry.load()()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    Path(folder, f"code.{number}").write_text(str(code))
    return code


def _end(code: int) -> NoReturn:
    """Exit as the interpreter does, without tearing down modules."""
    with suppress(BaseException):
        threading._shutdown()  # wait for threads that are no daemons
    with suppress(BaseException):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _start_no_more(kind: type, number: int) -> None:
    """Refuse to start more than `number` threads or processes."""
    plain, started = kind.start, itertools.count(1)

    def start(self: Any) -> None:
        if next(started) > number:
            raise REFUSALS[kind]
        plain(self)

    kind.start = start


HINDRANCES = {"no more threads": threading.Thread, "no more processes": BaseProcess}
"""Kinds of hindrance, by name."""
REFUSALS: dict[type, Exception] = {
    threading.Thread: RuntimeError("can't start new thread"),
    BaseProcess: BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)),
}
"""Errors of Python where the system has no room for another thread or process."""
