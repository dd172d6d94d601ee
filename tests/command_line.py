"""Runs the installed programs as a person would, and looks at nothing but what they print and how they exit."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from subprocess import DEVNULL, PIPE

from started_programs import Program, Starter

__all__ = [
    "STARTER",
    "Finished",
    "assert_refused",
    "command",
    "environment",
    "everything_written_to",
    "run",
    "run_anew",
    "start",
    "words",
]

TIMEOUT = 120
REPOSITORY = Path(__file__).parents[1]
MEANT_FOR_TERMINALS = ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS")

Finished = subprocess.CompletedProcess[str]

STARTER = Starter()


def command(program: str) -> list[str]:
    """The installed console script of that name, or a Python file of the repository."""
    if program.endswith(".py"):
        return [sys.executable, str(REPOSITORY / program)]
    return [str(Path(sys.executable).parent / program)]


def environment(path: Iterable[Path] = (), variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a program that finds the plugins in the folders of `path`, and prints lines of any length."""
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
    """Run a program to its end, with the plugin distributions in the folders of `path` installed too.

    It starts with much of what it needs imported: `run_anew` is for tests of what is imported, and by whom.
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
    """Start a program as `run` does, in a session of its own, and do not wait for its end."""
    script = [command(program)[-1], *map(str, arguments)]
    return STARTER.start(script, environment(path, variables), Path.cwd(), (stdin, stdout, stderr))


def run_anew(
    program: str,
    *arguments: str | Path,
    path: Iterable[Path] = (),
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Finished:
    """Run a program as `run` does, in a new interpreter."""
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
    """A text without the line breaks, and without the frames that Typer draws around usage errors."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def assert_refused(finished: Finished, *fragments: str, exit_code: int = 2) -> None:
    """The program exited with a message that has these fragments, in this order, and with nothing else."""
    assert "Traceback" not in finished.stderr
    message = words(finished.stderr)
    position = 0
    for fragment in fragments:
        assert fragment in message[position:], f"{fragment!r} is not where it should be in: {message}"
        position = message.index(fragment, position) + len(fragment)
    assert (finished.returncode, finished.stdout) == (exit_code, "")


def everything_written_to(terminal: int) -> str:
    """What is to be read from the master of a terminal until its other end is closed."""
    written = b""
    try:
        while chunk := os.read(terminal, 65536):
            written += chunk
    except OSError:  # how Linux says that there is no more
        pass
    os.close(terminal)
    return written.decode()
