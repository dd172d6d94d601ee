"""Pages of ``multinet report`` and ``multinet play``: runs for them, their data, and players of them."""

from __future__ import annotations

import http.client
import json
import re
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import attrs

from gridworld.backends.scenes import Scene
from gridworld.model_interface import AnswerOutcome, ModelOutput
from gridworld.plugins.tilings import compile_on
from gridworld.task_spec import TaskSpecification
from gridworld.world import Episode
from gridworld.world.knowledge import shown_look
from gridworld.world.looks import look_at
from gridworld.world.state import NOTHING
from multinet_eval.play.run import RunOutcome
from multinet_eval.probing.probe_directory import ProbeDirectory
from multinet_eval.probing.questions import ProbeSettings
from multinet_eval.probing.running import new_probing
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.run_settings import RunSettings
from multinet_report.play.game import Game, PageOptions, Person, new_game
from support.model_servers import Prompt
from support.programs import Program, start
from support.runs import PROBES, AnsweringModel, AskedModel, record_run
from support.worlds import describe, door, draw, gate, hazard, key, switch

if TYPE_CHECKING:
    from playwright.sync_api import Page


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
    model = AskedModel(lambda parts: say)
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


def _prompt(lines: list[str], written: list[tuple[str, list[int]]]) -> Prompt:
    """The messages of a prompt; consecutive texts of one role are one message, as servers receive it."""
    messages: list[tuple[str, str]] = []
    for role, numbers in written:
        text = "\n".join(lines[number] for number in numbers)
        if messages and messages[-1][0] == role:
            text = f"{messages.pop()[1]}\n\n{text}"
        messages.append((role, text))
    return tuple(messages)


CHROMIUM = "/usr/bin/chromium"


@attrs.frozen
class Opened:
    """A page in a browser."""

    page: Page

    def board(self) -> dict[str, Any]:
        """The drawn board: the agent's cell and heading, the kind of each cell, and the numbers of glyphs."""
        return dict(
            self.page.evaluate(
                """() => {
                    const all = (selector) => [...document.querySelectorAll(`.player .board ${selector}`)];
                    const [agent] = all(".agent polygon");
                    const glyphs = all(".things [data-glyph]").map((each) => Number(each.dataset.glyph));
                    return {
                        agent: [Number(agent.dataset.cell), Number(agent.dataset.heading)],
                        kinds: all(".cells polygon").map((cell) => cell.dataset.kind),
                        glyphs: [...new Set(glyphs)].sort((a, b) => a - b),
                        hand: all(".hand [data-glyph]").length,
                    };
                }"""
            )
        )

    def scrub(self, step: int) -> None:
        """Move the slider to a step."""
        self.page.evaluate(
            """(step) => {
                const slider = document.querySelector("input[type=range]");
                slider.value = step;
                slider.dispatchEvent(new Event("input", { bubbles: true }));
            }""",
            step,
        )

    def press(self, *keys: str) -> None:
        """Press keys, one after another."""
        for each in keys:
            self.page.keyboard.press(each)

    def text(self, selector: str) -> str:
        """The visible text of an element."""
        return self.page.inner_text(selector)


Opener = Callable[..., AbstractContextManager[Opened]]


def expected(run: Path, number: int, moment: int, truth: bool, tiling: str) -> dict[str, Any]:
    """The board after a number of steps, by replaying them."""
    directory = RunDirectory(run)
    planned = directory.manifest.episode(number)
    world = compile_on(tiling, directory.task(planned.task))
    lines = directory.latest(directory.attempts(number))
    assert lines is not None
    episode = Episode(world)
    episode.reset()
    for step in lines.steps[:moment]:
        episode.step(step.action)
    scene, snapshot = Scene(world), episode.snapshot
    cells = range(world.topology.cell_count)
    whole = (look_at(world, snapshot.state, cell, snapshot.knowledge.met) for cell in cells)
    looks = [
        scene.look_data(look) for look in (whole if truth else (shown_look(world, snapshot, cell) for cell in cells))
    ]
    walls = [None if look is None else look[0] for look in looks]
    glyphs = {glyph for look in looks if look and not look[0] for glyph in look[2]}
    return {
        "agent": [snapshot.state.cell, snapshot.state.heading],
        "walls": walls,
        "glyphs": sorted(glyphs),
        "hand": int(snapshot.state.carried != NOTHING),
    }


def shown(board: dict[str, Any], goal: int) -> dict[str, Any]:
    """The drawn board in the form of `expected`."""
    walls = {"unseen": None, "wall": True}
    kinds = [walls.get(kind, False) for kind in board["kinds"]]
    return {
        **{name: board[name] for name in ("agent", "hand")},
        "walls": kinds,
        "glyphs": [each for each in board["glyphs"] if each != goal],
    }


View = dict[str, Any]


@attrs.frozen
class Reply:
    """Response to a request."""

    status: int
    headers: http.client.HTTPMessage
    content: bytes


class PagePlayer:
    """Plays on the page of ``multinet play`` over HTTP, like a browser tab without display."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port = parts.hostname, parts.port
        self.address = address
        self.folder = parts.path
        self.present: View = {"number": 0}
        self.read: list[bytes] = []
        """Contents of all responses."""

    @property
    def origin(self) -> str:
        """Origin of the page."""
        return f"http://{self.host}:{self.port}"

    def request(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Reply:
        """Make a request for an absolute path, with only these headers."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        connection.request(method, path, body or None, headers or {})
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        connection.close()
        self.read.append(reply.content)
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        """Get something below the page's address."""
        return self.request("GET", self.folder + path, headers)

    def view(self) -> View:
        """Get the next view."""
        reply = self.get(f"view?after={self.present['number']}")
        assert reply.status == 200, reply
        self.present = json.loads(reply.content)
        return self.present

    def post(self, body: bytes, **headers: str) -> int:
        """Post an answer; returns the status."""
        given = {"Content-Type": "application/json", "Origin": self.origin, **headers}
        return self.request("POST", f"{self.folder}answer", given, body).status

    def answer(self, choice: str, **changes: Any) -> int:
        """Answer the present view; returns the status."""
        status = self.post(json.dumps(self.answer_to(choice, **changes)).encode("utf-8"))
        if status == 204:
            self.present = {"number": self.present["number"]}
        return status

    def answer_to(self, choice: str, **changes: Any) -> dict[str, Any]:
        """The JSON of an answer to the present view."""
        return {"number": self.present["number"], "choice": choice, "by": "test", "active": 0.25, **changes}

    def read_on(self) -> View:
        """Continue until the next question or the end."""
        while self.present.get("kind") != "question" and not self.present.get("final"):
            if self.present.get("buttons"):
                assert self.answer(self.present["buttons"][0]["choice"]) == 204
            self.view()
        return self.present

    def play(self, actions: Iterable[int]) -> View:
        """Take actions from the start of a maze; returns the last view."""
        view = self.read_on()
        for action in actions:
            assert self.answer(str(action)) == 204
            view = self.view()
        return view


UNOPENED = PageOptions(open=False)
TIMEOUT = 60
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S+/")


@attrs.frozen
class PlayedGame:
    """A game that waits for its page."""

    page: PagePlayer
    outcome: Future[RunOutcome]


def begin_game(
    tasks: list[TaskSpecification], directory: Path | None = None, person: Person | None = None, **settings: Any
) -> Game:
    """Begin a game of some tasks, on squares by default."""
    given = RunSettings(**{"model": "", "tilings": ("square",), **settings})
    return new_game(given, Suite("small", tuple(tasks)), person or Person("ada"), UNOPENED, directory)


@contextmanager
def played(game: Game) -> Iterator[PlayedGame]:
    """Play a game in a thread; by the end of the block, the page has to have finished it."""

    def play() -> RunOutcome:
        game.practise()
        return game.run.play(RunOptions(), game)

    page = PagePlayer(game.person.address)
    with ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(play)
        try:
            yield PlayedGame(page, outcome)
        finally:
            _stop(page, outcome)
        outcome.result(30)


def _stop(page: PagePlayer, outcome: Future[RunOutcome]) -> None:
    """Stop an unfinished game, so that a failing test does not wait forever."""
    page.present = {"number": 0}
    with suppress(OSError):  # closing
        while not outcome.done() and not page.view().get("final"):
            if page.present["buttons"]:
                page.answer("stop")


@contextmanager
def program(*arguments: str | Path) -> Iterator[tuple[str, Program]]:
    """Run ``multinet play``; yields its address and the program."""
    started = start("multinet", "play", *arguments, "--no-open", stdout=DEVNULL)
    assert started.stderr is not None
    try:
        said = ""
        while (found := ADDRESS.search(said)) is None:
            line = started.stderr.readline()
            assert line, said
            said += line
        yield found[0], started
        started.communicate(timeout=TIMEOUT)
    finally:
        started.kill()
