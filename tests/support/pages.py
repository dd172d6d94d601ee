"""Pages of ``multinet report``: runs for them, and their data."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from gridworld.model_interface import AnswerOutcome, ModelOutput
from gridworld.task_spec import TaskSpecification
from multinet_eval.probing.probe_directory import ProbeDirectory
from multinet_eval.probing.questions import ProbeSettings
from multinet_eval.probing.running import new_probing
from multinet_eval.record.manifest import Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.run_settings import RunSettings
from support.model_servers import Prompt
from support.runs import PROBES, AnsweringModel, AskedModel, record_run
from support.worlds import describe, door, draw, gate, hazard, key, switch

TILINGS = ("3464", "488", "hex", "square", "triangle")

BLOCK = re.compile(r'<script type="application/octet-stream" data-block="([^"]*)">([^<]*)</script>')

HOSTILE = (
    "<script>window.owned = 1</script></script><script>window.owned = 2</script>",
    '<img src="x" onerror="window.owned = 3"><svg onload="window.owned = 4">',
    '"><iframe srcdoc="<script>parent.owned = 5</script>"></iframe>',
    "[link](javascript:window.owned=6) ![picture](http://192.0.2.1/x.png) <a href='javascript:window.owned=7'>here</a>",
    "\x1b]0;owned\x07\x00\x7f \u202eright to left\u2066 \u200bnothing\ufeff \ud800 half of a character \U000e0041",
    "{title} {script} ${window.owned = 8} <!-- --> ]]> &lt;b&gt;",
)
"""Texts of a hostile model."""


def blocks_of(page: str) -> dict[str, Any]:
    """The JSON blocks of a page by name, without pictures; fails for what a browser's `JSON.parse` refuses."""
    return {
        name: json.loads(zlib.decompress(b64decode(text)), parse_constant=_refuse)
        for name, text in BLOCK.findall(page)
        if "frame-" not in name
    }


def page_data(path: Path) -> dict[str, Any]:
    """The JSON blocks of the page in a file."""
    return blocks_of(path.read_text(encoding="utf-8"))


def _refuse(constant: str) -> NoReturn:
    raise AssertionError(f"expected JSON, got {constant}")


def keyed_task(**options: Any) -> TaskSpecification:
    """A task with a key, a door, a switch and its gate, and lava."""
    picture = """
        #######
        #@kDsg#
        #..#xG#
        #######
    """
    things = {"k": key("red"), "D": door("red"), "s": switch("g"), "g": gate(), "x": hazard()}
    return TaskSpecification.from_dict({**describe(picture, **options, **things), "task_id": "keyed"})


KEYED = "PTFFRFLWRPFDLT"
"""Actions that take the key on squares."""


def record_keyed(path: Path, tilings: Sequence[str | None] = TILINGS, **options: Any) -> RunDirectory:
    """Record a run of the keyed task, by a model that picks things up, bumps into them, and waits."""
    task = keyed_task(max_steps=28, **options)
    model = AnsweringModel(*(KEYED * 10))
    return record_run(path, [task], model, tilings=tuple(tilings), backend_arguments=("image_size=96",))


def record_hostile(path: Path) -> RunDirectory:
    """Record a run by a hostile model, with one text a step, and at last one of a million letters."""
    texts = [*HOSTILE, "long " * 200_000]
    answers = [ModelOutput(action=0, reasoning=text, raw_output=text) for text in texts]
    task = draw("#####\n#@.G#\n#####", max_steps=len(answers) + 1)
    return record_run(path, [task], AnsweringModel(*answers, AnswerOutcome.UNPARSABLE), suite=f"<b>{HOSTILE[0]}")


ON_ONE = '{"cell": [1, 1], "things": [[1, 1]], "number": 3, "answer": "A"}'
"""An answer that puts everything on [1, 1]."""


def record_probing(path: Path, tilings: Sequence[str | None] = ("hex", "square"), say: str = ON_ONE) -> ProbeDirectory:
    """Record all probes of the keyed task, by a model that always gives the same answer."""
    model = AskedModel(lambda prompt: say)
    settings = RunSettings(model="random", tilings=tuple(tilings))
    new_probing(settings, ProbeSettings(PROBES, states=2), Suite("keyed", (keyed_task(),)), model, path).ask()
    return ProbeDirectory(path)


class ReportPage:
    """Data of a page: `index` of its overview, with `runs`."""

    def __init__(self, path: Path) -> None:
        self._blocks = page_data(path)
        self.index: dict[str, Any] = self._blocks["index"]
        self.runs: list[dict[str, Any]] = self.index["runs"]

    def steps(self, episode: dict[str, Any]) -> list[dict[str, Any]]:
        """The steps of an episode of `runs`."""
        steps: list[dict[str, Any]] = self._blocks[episode["block"]]["steps"]
        return steps

    def requests(self, episode: dict[str, Any]) -> Iterator[tuple[Prompt, dict[str, Any]]]:
        """Each request of an episode of `runs`, with the prompt shown beside it."""
        data = self._blocks[episode["block"]]
        prompt: Prompt = ()
        for request in (each for step in [*data["steps"], {"requests": data["pending"]}] for each in step["requests"]):
            if request.get("prompt") is not None:
                prompt = _prompt(data["lines"], request["prompt"])
            yield prompt, request


def _prompt(lines: list[str], written: list[tuple[str, str, list[int]]]) -> Prompt:
    """The messages of a prompt; consecutive parts of one role are one message, as servers receive it."""
    messages: list[tuple[str, list[str]]] = []
    for role, _, numbers in written:
        text = "\n".join(lines[number] for number in numbers)
        if not messages or messages[-1][0] != role:
            messages.append((role, [""]))
        texts = messages[-1][1]
        if not PICTURE.match(text):
            texts[-1] += text
        elif texts[-1]:
            texts.append("")
    return tuple((role, "\n\n".join(filter(None, texts))) for role, texts in messages)


PICTURE = re.compile(r"\[picture [0-9a-f]{16}\b")
"""Begin of what the page shows in place of a picture."""
