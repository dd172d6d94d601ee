"""Records small runs for pages, and reads what is in a page."""

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluating import AnsweringModel
from gridworld.model_interface import AnswerOutcome, ModelOutput
from gridworld.task_spec import TaskSpecification
from multinet_eval.probing.probe_directory import ProbeDirectory
from multinet_eval.probing.questions import ProbeSettings
from multinet_eval.probing.running import new_probing
from multinet_eval.record.manifest import Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.run_settings import RunSettings
from probed import PROBES, AskedModel
from recorded_runs import record_run
from worlds import block, describe, door, draw, gate, hazard, key, switch

__all__ = [
    "HOSTILE",
    "TILINGS",
    "blocks_of",
    "keyed_task",
    "pushing_task",
    "record_hostile",
    "record_keyed",
    "record_probing",
]

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
"""What a model may say to whoever looks at it."""


def blocks_of(page: str) -> dict[str, Any]:
    """Name of each block of JSON to what is in it."""
    return {
        name: json.loads(zlib.decompress(b64decode(text))) for name, text in BLOCK.findall(page) if "frame-" not in name
    }


def keyed_task(**options: Any) -> TaskSpecification:
    """A key, a door, a switch and its gate, and lava, so that all sorts of looks and seams occur."""
    picture = """
        #######
        #@kDsg#
        #..#xG#
        #######
    """
    things = {"k": key("red"), "D": door("red"), "s": switch("g"), "g": gate(), "x": hazard()}
    return TaskSpecification.from_dict({**describe(picture, **options, **things), "task_id": "keyed"})


KEYED = "PTFFRFLWRPFDLT"
"""Takes the key on squares, and does what it does on other tilings."""


def record_keyed(path: Path, tilings: Sequence[str | None] = TILINGS, **options: Any) -> RunDirectory:
    """A run of that task on tilings, by a model that picks things up, bumps, and waits."""
    task = keyed_task(max_steps=28, **options)
    model = AnsweringModel(*(KEYED * 10))
    return record_run(path, [task], model, tilings=tuple(tilings), backend_arguments=())


def record_hostile(path: Path) -> RunDirectory:
    """A run by a model that says nothing but what is hostile, one text a step, and at last one of a million letters."""
    texts = [*HOSTILE, "long " * 200_000]
    answers = [ModelOutput(action=0, reasoning=text, raw_output=text) for text in texts]
    task = draw("#####\n#@.G#\n#####", max_steps=len(answers) + 1)
    return record_run(path, [task], AnsweringModel(*answers, AnswerOutcome.UNPARSABLE), suite=f"<b>{HOSTILE[0]}")


def pushing_task() -> TaskSpecification:
    """A task that takes seven actions, and cannot be won any more once its block has been pushed against a wall."""
    picture = """
        ########
        #......#
        #@.b..G#
        #..t...#
        ########
    """
    goal = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}
    return draw(picture, goal=goal, max_steps=12, b=block())


ON_ONE = '{"cell": [1, 1], "things": [[1, 1]], "number": 3, "answer": "A"}'
"""Says of everything that it is on [1, 1]."""


def record_probing(path: Path, tilings: Sequence[str | None] = ("hex", "square"), say: str = ON_ONE) -> ProbeDirectory:
    """All probes of that task, by a model that always says the same."""
    model = AskedModel(lambda parts: say)
    settings = RunSettings(model="random", tilings=tuple(tilings))
    new_probing(settings, ProbeSettings(PROBES, states=2), Suite("keyed", (keyed_task(),)), model, path).ask()
    return ProbeDirectory(path)
