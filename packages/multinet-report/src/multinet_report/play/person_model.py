"""A person in front of a browser as the model: sees what a model is given, and answers with keys or buttons."""

# The annotations stay objects, since the command line reads them from the constructor.
import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import attrs

from gridworld.backends.scenes import Scene
from gridworld.errors import ArgumentError
from gridworld.model_interface import (
    AnswerFault,
    AnswerOutcome,
    AttendedModel,
    CheckedModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
    OracleInterface,
    PreflightCheck,
    Usage,
)
from gridworld.runner.record import Step
from gridworld.text import describe_events
from gridworld.world import Episode
from gridworld.world.state import State
from gridworld.world.world import World
from multinet_eval.human.persons import model_of
from multinet_report.play.application import PlayApplication
from multinet_report.play.guard import LOOPBACK, Guard, is_unspecified
from multinet_report.play.play_document import play_document
from multinet_report.play.server import PlayServer, check_installed
from multinet_report.play.stage import Answer, Stage
from multinet_report.play.views import GIVE_UP, GO_ON, STOP, Button, instructions, message, question, scene_now

__all__ = ["PersonModel", "consent_version", "read_consent"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LONGEST_KEY = 32
FAREWELL = 2.0
"""The seconds for which the browser is waited for to fetch what is shown at last."""

BEGIN, NEXT = Button(GO_ON, "Begin"), Button(GO_ON, "Go on")
AGREE, DECLINE = Button(GO_ON, "I agree"), Button(STOP, "I do not agree")
LATER = Button(STOP, "Stop for now")


@attrs.frozen
class Series:
    """What is played one after another."""

    name: str = "Maze"
    of: int | None = None
    """How many there are; None where that is not known."""
    number: int = 0
    """The number of the present one, from 1."""

    @property
    def heading(self) -> str:
        """The present one."""
        return f"{self.name} {self.number}" if self.of is None else f"{self.name} {self.number} of {self.of}"


class PersonModel(OracleInterface, CheckedModel, AttendedModel):
    """Serves a page on which somebody plays; the page is given what is shown to a model, and nothing else.

    It is handed the world in order to draw what is shown of it, as the backends do. A maze that is given up is one
    of which every further question is refused. The seconds of a request are those for which the page was to be seen.

    Args:
        name: the pseudonym of the person: letters, digits, full stops, hyphens and underscores.
        practice: how many mazes are played beforehand; it is recorded, and left to whoever starts the run.
        consent: a file with a text that the person has to agree to; it is asked for once in each session.
        consent_hash: the `consent_version` of that text, which is recorded; another text is refused.
        board: drawn: the board is drawn as in the report; picture: the picture is shown that models are given, which is
            needed where it is that of another task.
        host: the name or address of this machine at which the page is served.
        port: the port; 0 for any that is free.
        open: whether to show the page in the browser of this machine.

    Raises:
        ArgumentError: there is no server to play by, or the text of consent cannot be read or is another one.
        ValueError: a name of another form.
    """

    def __init__(
        self,
        name: str = "anonymous",
        practice: int = 0,
        consent: Path | None = None,
        consent_hash: str | None = None,
        board: Literal["drawn", "picture"] = "drawn",
        host: str = LOOPBACK[0],
        port: int = 0,
        open: bool = True,
    ) -> None:
        check_installed()
        if not NAME.fullmatch(name):
            raise ValueError(f"name: expected at most 64 letters, digits, '.', '-' and '_', got '{name}'")
        self._name = name
        self._consent = None if consent is None else _known_consent(Path(consent), consent_hash)
        self._draws = board == "drawn"
        self._host, self._port, self._opens = host, port, open
        self._stage = Stage()
        self._server: PlayServer | None = None
        self._token = secrets.token_urlsafe(24)
        self._series = Series()
        self._explained: Mapping[str, str] = {}
        """What has been explained last, by the names of the texts."""
        self._instructions = b"{}"
        self._before: dict[str, Any] | None = None
        """The end of the maze before, until the person has gone on from it."""
        self._scene: Scene | None = None
        self._episode: Episode | None = None
        self._shows_board = False
        self._said = ""
        self._given_up = False

    @property
    def model_name(self) -> str:
        """``human/`` and the pseudonym."""
        return model_of(self._name)

    @property
    def address(self) -> str:
        """Where the page is; it begins to be served.

        Raises:
            OSError: it cannot be.
        """
        named = LOOPBACK[0] if is_unspecified(self._host) else self._host
        host = f"[{named}]" if ":" in named else named
        return f"http://{host}:{self._serving().port}/{self._token}/"

    def notice(self) -> str:
        """Where to play."""
        told = f"you play, at {self.address}"
        if self._host in LOOPBACK:
            return told
        there = ", from elsewhere by an address of this machine" if is_unspecified(self._host) else ""
        return f"{told}{there}; whoever is given it can play, and nothing is encrypted"

    def check_ready(self) -> None:
        """Begin to serve the page.

        Raises:
            AnswerFault: it cannot be served; the outcome is `INFRASTRUCTURE`, and permanent.
        """
        try:
            self._serving()
        except OSError as error:
            where = f"{self._host}, port {self._port}"
            message = f"cannot serve a page at {where}: {error.strerror or error}; choose another --port or --host"
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True) from error

    def preflight(self) -> list[PreflightCheck]:
        """Whether the page can be served."""
        began = monotonic()
        try:
            self.check_ready()
        except AnswerFault as fault:
            return [PreflightCheck("page", False, fault.message, monotonic() - began)]
        return [PreflightCheck("page", True, f"it is served on port {self._serving().port}", monotonic() - began)]

    def begin_series(self, name: str, of: int | None = None, done: int = 0) -> None:
        """Say what is played from here on.

        Args:
            name: what one of them is called.
            of: how many there are.
            done: how many have been played.
        """
        self._series = Series(name, of, done)

    def announce(self, heading: str, *lines: str) -> None:
        """Show something to be read, and wait until the person goes on.

        Raises:
            KeyboardInterrupt: the person stops.
        """
        self._go_on_from_before()
        self._read(message(heading, lines, [BEGIN, LATER]))

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Count it."""
        self._series = attrs.evolve(self._series, number=self._series.number + 1)
        self._given_up, self._said = False, ""
        self._scene = self._episode = None

    def look_into(self, world: World) -> None:
        """Prepare to draw the board, from its start on."""
        self._scene, self._episode = Scene(world), Episode(world)
        self._episode.reset()

    def observe(self, state: State) -> None:
        """Make sure that what is drawn is what is played; raises ValueError if it is not."""
        if self._episode is not None and self._episode.state != state:
            raise ValueError("the board that is drawn is not the one that is played")

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Go on where it was left: the board is drawn from the recorded actions."""
        for step in steps:
            self._given_up |= step.last is not None and step.last.outcome is AnswerOutcome.REFUSED
            if step.action is not None:
                self._follow(step.action)
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Show the moment and wait for an action.

        Raises:
            KeyboardInterrupt: the person stops.
            AnswerFault: `REFUSED`, the maze has been given up.
        """
        if self._given_up:
            raise _refusal()
        self._serving()
        self._prepare(input)
        self._shows_board = self._draws and input.image is not None
        scene = self._drawn()
        view = question(self._series.heading, input, scene, self._said)
        choices = [*(action["choice"] for action in view["actions"]), GIVE_UP]
        answer = self._ask(view, choices)
        usage = Usage(seconds=answer.active)
        if answer.choice == GIVE_UP:
            self._given_up = True
            self._end("You have given this maze up.")
            raise _refusal(answer.by, usage)
        action = int(answer.choice)
        self._follow(action)
        self._end_if_over()
        return ModelOutput(action=action, raw_output=_account(answer), usage=usage)

    def close(self) -> None:
        """Say goodbye, and serve the page no longer."""
        if self._server is None:
            return
        lines = ["This was the last one. Thank you! You can close this page."]
        if self._before is None:
            lines = ["This session has ended. What you have done is kept. You can close this page."]
        board = {} if self._before is None else {"scene": self._before["scene"]}
        try:
            self._stage.finish({**message("The end", lines, **board), "final": True}, FAREWELL)
        finally:
            self._server.close()
            self._server = None

    def _serving(self) -> PlayServer:
        """The server, which begins to serve when it is first needed."""
        if self._server is None:
            self._server = PlayServer(self._host, self._port, self._application)
            if self._opens:
                import webbrowser

                webbrowser.open(self.address)
        return self._server

    def _application(self, port: int) -> PlayApplication:
        guard = Guard(self._host, port, self._token)
        return PlayApplication(self._stage, play_document(), lambda: self._instructions, guard)

    def _prepare(self, given: ModelInput) -> None:
        """Show what comes before a question, if anything does."""
        self._go_on_from_before()
        if self._consent is not None:
            text, self._consent = self._consent, None
            self._read(message("Before you begin", text.split("\n\n"), [AGREE, DECLINE]))
        told = {} if given.explanation is None else given.explanation.texts()
        if told != self._explained:
            self._explained = told
            self._instructions = json.dumps(instructions(given.explanation)).encode("ascii")
            if told:
                self._read(message("How it works", [], [BEGIN, LATER], explained=True))

    def _go_on_from_before(self) -> None:
        if self._before is not None:
            before, self._before = self._before, None
            self._read({**before, "buttons": [attrs.asdict(NEXT), attrs.asdict(LATER)]})

    def _read(self, view: dict[str, Any]) -> None:
        """Show something until the person goes on; raises KeyboardInterrupt if that is not what they choose."""
        self._ask(view, [GO_ON])

    def _ask(self, view: dict[str, Any], choices: Sequence[str]) -> Answer:
        answer = self._stage.ask(view, [*choices, STOP])
        if answer.choice == STOP:
            raise KeyboardInterrupt
        return answer

    def _drawn(self) -> dict[str, Any] | None:
        """The board, where it is drawn."""
        if not self._shows_board or self._scene is None or self._episode is None:
            return None
        return scene_now(self._scene, self._episode)

    def _follow(self, action: int) -> None:
        """Let what is drawn take an action, too."""
        if self._episode is not None:
            events = self._episode.step(action)
            self._said = describe_events(self._episode.world, self._episode.witnessed(events))

    def _end_if_over(self) -> None:
        episode = self._episode
        if episode is None or not (episode.terminated or episode.truncated):
            return
        if episode.succeeded:
            self._end("Solved.")
        else:
            self._end("This maze has ended without success." if episode.terminated else "There are no steps left.")

    def _end(self, told: str) -> None:
        """Show that a maze has ended, until there is something else to show."""
        self._before = message(self._series.heading, [told], scene=self._drawn(), said=self._said)
        self._stage.show(self._before)


def consent_version(text: str) -> str:
    """What a text of consent is recorded as: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def read_consent(path: Path) -> str:
    """The text of consent in a file; raises ArgumentError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ArgumentError(f"cannot read the text of consent in {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"cannot read the text of consent in {path}: it is not UTF-8 text") from error


def _known_consent(path: Path, version: str | None) -> str:
    text = read_consent(path)
    found = consent_version(text)
    if version not in (None, found):
        raise ArgumentError(f"{path} is not the text of consent that was agreed to: {found}, expected {version}")
    return text


def _refusal(by: str | None = None, usage: Usage | None = None) -> AnswerFault:
    return AnswerFault(AnswerOutcome.REFUSED, "the person has given this maze up", raw_output=by, usage=usage)


def _account(answer: Answer) -> str:
    """How an answer was given, and for how long the page was not to be seen."""
    hidden = answer.waited - answer.active
    by = answer.by[:LONGEST_KEY]
    return by if hidden < 1 else f"{by} (the page was hidden or closed for {hidden:.0f} s)"
