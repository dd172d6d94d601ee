"""A person as the model: the real program on a real terminal, with keys typed into it."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from support.programs import assert_refused, run, start
from support.runs import write_corridor
from support.worlds import key

TIMEOUT = 60
INTERRUPTED = 130
END = "\0end\0"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A run of ``multinet-run-eval --model human`` whose input and standard error are a terminal."""

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self._master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 80, 0, 0))
        self.settings = termios.tcgetattr(terminal)
        self._results = folder / "printed.json"
        self.written = ""
        colors = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "80", "LINES": "30"}
        with self._results.open("w") as printed:
            self._process = start(
                "multinet-run-eval", "-m", "human", "--task-dir", folder / "tasks", "--json", *options,
                variables=colors | variables, stdin=terminal, stdout=printed.fileno(), stderr=terminal,
            )  # fmt: skip
        self._terminal = terminal

    def wait_for(self, text: str) -> str:
        """Read until the program has written a text; all that it has written since the last time."""
        start = len(self.written)
        while text not in CONTROL.sub("", self.written[start:]):
            ready, _, _ = select.select([self._master], [], [], TIMEOUT)
            assert ready, f"no {text!r} in {self.written[start:]!r}"
            self.written += self._read()
        return self.written[start:]

    def _read(self) -> str:
        return os.read(self._master, 65536).decode("utf-8", "replace")

    def interrupt(self) -> None:
        """Press Ctrl-C, as the terminal of a shell understands it."""
        self._process.send_signal(signal.SIGINT)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def end(self) -> tuple[int, list[Any]]:
        """Wait until the program ends; its exit code, and the results of the tasks."""
        drain = Thread(target=self._read_on)
        drain.start()
        exit_code = self._process.wait(TIMEOUT)
        os.write(self._terminal, END.encode())
        drain.join(TIMEOUT)
        return exit_code, json.loads(self._results.read_text())["task_results"]

    def _read_on(self) -> None:
        while not self.written.endswith(END):
            self.written += self._read()

    def settings_now(self) -> list[Any]:
        return termios.tcgetattr(self._terminal)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)
        os.close(self._terminal)


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Any]:
    """Opens terminals on two tasks, of which nothing is explained, and closes them in the end."""
    write_corridor(tmp_path / "tasks", "first", "@.G", max_steps=9)
    write_corridor(tmp_path / "tasks", "second", "@k.G", max_steps=9, k=key())
    opened: list[Terminal] = []

    def open_(*options: str, **variables: str) -> Terminal:
        explained = () if "--explain" in options else ("--explain", "none")
        opened.append(Terminal(tmp_path, *explained, *options, **variables))
        return opened[-1]

    yield open_
    for terminal in opened:
        terminal.close()


def test_what_is_explained_is_shown_before_the_first_step_and_again_for_a_question_mark(terminals: Any) -> None:
    terminal = terminals("--explain", "full")
    explained = CONTROL.sub("", terminal.wait_for("any key continues"))
    assert "- key: It stops the agent" in " ".join(explained.split())
    assert "Legend: red key" in explained
    terminal.type("x")
    terminal.wait_for("first  step 1 of 9")
    terminal.type("?")
    terminal.wait_for("any key continues")
    terminal.type(" ")
    terminal.wait_for("first  step 1 of 9")
    terminal.type("ff")
    terminal.wait_for("second  step 1 of 9")  # the same is not explained twice
    terminal.type("pfff")

    exit_code, results = terminal.end()

    assert exit_code == 0
    assert [result["steps_taken"] for result in results] == [2, 4]


def test_keys_are_actions_and_the_run_is_scored_like_any_other(terminals: Any) -> None:
    terminal = terminals()
    terminal.wait_for("first  step 1 of 9")
    terminal.type("\x1b[A")
    terminal.wait_for("first  step 2 of 9")
    terminal.type("f")
    terminal.wait_for("second  step 1 of 9")
    terminal.type("pf\x1bOA2")

    exit_code, results = terminal.end()

    assert exit_code == 0
    assert [(result["task_id"], result["success"], result["steps_taken"]) for result in results] == [
        ("first", True, 2),
        ("second", True, 4),
    ]


KEYS = {
    "turn_left": ["\x1b[D", "l", "0"],
    "turn_right": ["\x1b[C", "r", "1"],
    "move_forward": ["\x1b[A", "f", "2"],
    "pickup": ["p", "3"],
    "drop": ["d", "4"],
    "toggle": ["t", " ", "5"],
    "done": ["w", ".", "6"],
}


def test_every_action_has_its_keys(terminals: Any, tmp_path: Path) -> None:
    write_corridor(tmp_path / "tasks", "first", "@......G", max_steps=40)
    terminal = terminals("--history-text", "--observation", "text")
    terminal.wait_for("step 1 of 40")
    typed = [(action, key_) for action, keys in KEYS.items() for key_ in keys]
    for step, (action, key_) in enumerate(typed, start=1):
        terminal.type(key_)
        terminal.wait_for(f"Step {step}: {action}: ")


def test_what_a_model_is_given_is_shown_with_the_keys(terminals: Any) -> None:
    terminal = terminals("--observation", "image+text")
    shown = terminal.wait_for("q quit")
    words = CONTROL.sub("", shown)
    assert "first  step 1 of 9" in words
    assert "reach the goal" in words
    assert "#>.G#" in words
    assert "▀" in words
    assert "\x1b[38;2;" in shown
    for help_ in ("←/l/0 turn_left", "↑/f/2 move_forward", "t/space/5 toggle", "w/./6 done"):
        assert help_ in words


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb", "COLORTERM": ""}])
def test_a_terminal_without_colours_says_how_to_see_anything(terminals: Any, variables: dict[str, str]) -> None:
    shown = terminals(**variables).wait_for("q quit")
    assert "use --observation text" in shown
    assert "▀" not in shown


def test_a_key_without_an_action_is_no_answer(terminals: Any) -> None:
    terminal = terminals("--history-text")
    terminal.wait_for("step 1 of 9")
    terminal.type("x")
    terminal.wait_for("no action on 'x'")
    for typed, name in (
        ("9", "'9'"),
        ("\x1b[B", "that key"),
        ("\x1b[1;5A", "that key"),
        ("\x1b", "that key"),
        ("ß", "'ß'"),
    ):
        terminal.type(typed)
        terminal.wait_for(f"no action on {name}")
    terminal.type("r")
    terminal.wait_for("Step 1: turn_right: turned right.")


QUITTING: dict[str, Callable[[Terminal], None]] = {
    "q": lambda terminal: terminal.type("q"),
    "Ctrl-D": lambda terminal: terminal.type("\x04"),
    "Ctrl-C": lambda terminal: terminal.interrupt(),
}


@pytest.mark.parametrize("quit_", QUITTING.values(), ids=QUITTING)
def test_quitting_keeps_what_has_been_finished_and_leaves_the_terminal_as_it_was(
    terminals: Any, quit_: Callable[[Terminal], None]
) -> None:
    terminal = terminals()
    terminal.wait_for("first  step 1 of 9")
    terminal.type("ff")
    terminal.wait_for("second  step 1 of 9")
    quit_(terminal)

    exit_code, results = terminal.end()

    assert exit_code == INTERRUPTED
    assert [result["task_id"] for result in results] == ["first"]
    assert "interrupted, after 1 of 2 episodes" in terminal.written
    assert terminal.settings_now() == terminal.settings


def test_without_a_terminal_it_is_refused() -> None:
    assert_refused(run("multinet-run-eval", "--model", "human"), "model 'human' needs a terminal", "standard input")
