"""Finds the code blocks of a Markdown page and runs them as a reader would, from top to bottom in one folder."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from command_line import run

__all__ = ["Block", "Reader", "blocks_of", "headings_of"]

FENCE = re.compile(r'^```(?P<language>\w*)(?: title="(?P<title>[^"]*)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
INCLUDED = "--8<--"
NOT_RUN = "needs"
"""How the title of a block begins, or the comment after a command, that cannot be run here."""

PROGRAMS = ("multinet", "multinet-run-eval", "run_eval.py")
LEFT_OUT = "..."
RUN_ELSEWHERE = ("multinet tasks list",)
"""Commands that only the tests of their own run: this one measures every installed task."""


@attrs.frozen
class Block:
    """A code block of a page."""

    language: str
    title: str
    text: str
    line: int
    """That of the first line of its text, from 1."""
    follows: bool
    """Whether it comes right after another block, with no prose between."""

    @property
    def is_run(self) -> bool:
        """Whether it can be run here, and is not run elsewhere, as the code of the examples is."""
        return not self.title.startswith(NOT_RUN) and INCLUDED not in self.text


def blocks_of(page: Path) -> Iterator[Block]:
    """The blocks of a page that are not indented."""
    text, end = page.read_text(encoding="utf-8"), 0
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("text")) + 1
        follows = end > 0 and not text[end : found.start()].strip()
        yield Block(found["language"], found["title"] or "", found["text"], line, follows)
        end = found.end()


def headings_of(page: Path) -> list[str]:
    """The headings of a page, without their signs."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    return [line.lstrip("#").strip() for line in prose.splitlines() if line.startswith("#")]


class Reader:
    """Follows a page in a folder, which has to be the current one.

    Args:
        page: what is read.
        folder: where its files are written and its commands are run.
        leave_out: commands that are not run.
    """

    def __init__(self, page: Path, folder: Path, leave_out: tuple[str, ...] = ()) -> None:
        self._page = page
        self._folder = folder
        self._left_out = (*RUN_ELSEWHERE, *leave_out)
        self._names: dict[str, Any] = {"__name__": "page", "__file__": str(folder / "page.py")}
        self._printed: list[str] | None = None

    def follow(self) -> int:
        """Do what the blocks say; returns how many had something to be done."""
        return sum(self._do(block) for block in blocks_of(self._page) if block.is_run)

    def _do(self, block: Block) -> bool:
        printed, self._printed = self._printed, None
        if block.title:
            self._write(block)
        if block.language == "python":
            self._execute(block)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "text":
            self._compare(block, printed)
        elif block.language in ("sh", ""):
            self._run_all(block)
        return block.language in ("python", "json", "sh")

    def _write(self, block: Block) -> None:
        path = self._folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def _execute(self, block: Block) -> None:
        """Run Python; a traceback names the line of the page."""
        code = compile("\n" * (block.line - 1) + block.text, str(self._page), "exec")
        exec(code, self._names)

    def _run_all(self, block: Block) -> None:
        self._printed = []
        for line in block.text.splitlines():
            command, _, comment = line.partition(" #")
            if comment.strip().startswith(NOT_RUN) or LEFT_OUT in command or command.strip() in self._left_out:
                continue
            words = [word for word in shlex.split(command) if word != "python"]
            if words and (words[0] in PROGRAMS or block.language == "sh"):
                self._run(words)

    def _run(self, words: list[str]) -> None:
        assert words[0] in PROGRAMS, f"{self._page}: '{words[0]}' cannot be run; mark the block: title=\"needs ...\""
        cache = {"GRIDWORLD_CACHE": os.environ["GRIDWORLD_CACHE"]}  # that of the Python blocks
        finished = run(words[0], *words[1:], variables=cache, cwd=self._folder)
        assert finished.returncode == 0, f"{self._page}: {shlex.join(words)}\n{finished.stdout}{finished.stderr}"
        assert self._printed is not None
        self._printed += map(_squeezed, finished.stdout.splitlines())

    def _compare(self, block: Block, printed: list[str] | None) -> None:
        """A text right after commands is what they print, but for lines that are left out."""
        if printed is None or block.title or not block.follows:
            return
        shown = [_squeezed(line) for line in block.text.splitlines() if line.strip() not in ("", LEFT_OUT)]
        missing = [line for line in shown if line not in printed]
        assert not missing, f"{self._page}, line {block.line}: not printed: {missing}"


def _squeezed(line: str) -> str:
    """A line as it is in a terminal of any width."""
    return re.sub(r"─+", "─", " ".join(line.split()))
