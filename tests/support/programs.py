"""Installed programs, run in processes of their own as a person would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO, Any


class Program(subprocess.Popen[str]):
    """A started program."""

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Write to its standard input, close it and wait; returns what is left of its output to pipes.

        Unlike its own method, this one may follow on reading lines.
        """
        with ThreadPoolExecutor(2) as threads:
            printed = [threads.submit(_read, each) for each in (self.stdout, self.stderr)]
            try:
                if self.stdin is not None:
                    _write(self.stdin, input or "")
                out, err = (each.result(timeout) for each in printed)
                self.wait(timeout)
            except (TimeoutError, subprocess.TimeoutExpired):
                self.kill()
                raise
        return out, err


def _read(stream: IO[str] | None) -> str:
    return "" if stream is None or stream.closed else stream.read()


def _write(stream: IO[str], text: str) -> None:
    with suppress(BrokenPipeError), stream:
        stream.write(text)


TIMEOUT = 120
REPOSITORY = Path(__file__).parents[2]
MEANT_FOR_TERMINALS = ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS")

Finished = subprocess.CompletedProcess[str]


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
    return Program(
        [*command(program), *map(str, arguments)],
        env=environment(path, variables),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def run(
    program: str,
    *arguments: str | Path,
    path: Iterable[Path] = (),
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Finished:
    """Run a program, with the plugin distributions in the folders of `path` installed, too."""
    return _run([*command(program), *map(str, arguments)], environment(path, variables), cwd)


def run_python(code: str, path: Iterable[Path], variables: Mapping[str, str] | None = None) -> Finished:
    """Run code in a new interpreter, with the folders of `path` first on its path."""
    return _run([sys.executable, "-c", code], environment(path, variables), None)


def _run(words: Sequence[str], variables: Mapping[str, str], cwd: Path | None) -> Finished:
    return subprocess.run(
        words,
        env=variables,
        cwd=cwd,
        stdin=DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
    )


def words(text: str) -> str:
    """A text without line breaks and without the frames that Typer draws around usage errors."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


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
