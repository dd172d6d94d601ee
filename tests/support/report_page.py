"""What is in a page that ``multinet report`` has written."""

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.model_server import Prompt

__all__ = ["ReportPage"]

BLOCK = re.compile(r'<script type="application/octet-stream" data-block="([^"]*)">([^<]*)</script>')


class ReportPage:
    """The data of a page; `index` is that of its overview, and `runs` in it what that shows of each run."""

    def __init__(self, path: Path) -> None:
        self._blocks = dict(BLOCK.findall(path.read_text(encoding="utf-8")))
        self.index: dict[str, Any] = self._read("index")
        self.runs: list[dict[str, Any]] = self.index["runs"]

    def steps(self, episode: dict[str, Any]) -> list[dict[str, Any]]:
        """The steps of an episode of `runs`."""
        steps: list[dict[str, Any]] = self._read(episode["block"])["steps"]
        return steps

    def requests(self, episode: dict[str, Any]) -> Iterator[tuple[Prompt, dict[str, Any]]]:
        """Every request of an episode of `runs` with the prompt that is shown beside it, in order."""
        data = self._read(episode["block"])
        prompt: Prompt = ()
        for request in (each for step in [*data["steps"], {"requests": data["pending"]}] for each in step["requests"]):
            if request.get("prompt") is not None:
                prompt = _prompt(data["lines"], request["prompt"])
            yield prompt, request

    def _read(self, name: str) -> Any:
        return json.loads(zlib.decompress(b64decode(self._blocks[name])))


def _prompt(lines: list[str], written: list[tuple[str, list[int]]]) -> Prompt:
    """The texts of a prompt; what one speaker says in a row is one message, as servers receive it."""
    messages: list[tuple[str, str]] = []
    for role, numbers in written:
        text = "\n".join(lines[number] for number in numbers)
        if messages and messages[-1][0] == role:
            text = f"{messages.pop()[1]}\n\n{text}"
        messages.append((role, text))
    return tuple(messages)
