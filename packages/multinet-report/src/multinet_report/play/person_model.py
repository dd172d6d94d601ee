"""A person at a browser as the model, who sees the model inputs and answers with keys or buttons."""

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
from multinet_eval.settings.defaults import PERSON_PREFIX
from multinet_report.play.application import PlayApplication, play_document
from multinet_report.play.guard import LOOPBACK, Guard, is_unspecified
from multinet_report.play.server import PlayServer, check_installed
from multinet_report.play.stage import Answer, Stage
from multinet_report.play.views import GIVE_UP, GO_ON, STOP, Button, instructions, message, question, scene_now

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LONGEST_KEY = 32
FAREWELL = 2.0
"""Seconds to wait for the browser to fetch the final view."""

BEGIN, NEXT = Button(GO_ON, "Begin"), Button(GO_ON, "Continue")
AGREE, DECLINE = Button(GO_ON, "I agree"), Button(STOP, "I do not agree")
LATER = Button(STOP, "Stop for now")


@attrs.frozen
class Series:
    """A numbered series of mazes."""

    name: str = "Maze"
    of: int | None = None
    """Length of the series; None if unknown."""
    number: int = 0
    """Number of the current maze, from 1."""

    @property
    def heading(self) -> str:
        """Heading for the current maze."""
        return f"{self.name} {self.number}" if self.of is None else f"{self.name} {self.number} of {self.of}"


class PersonModel(OracleInterface, CheckedModel, AttendedModel):
    """Serves a page on which a person plays, seeing exactly what a model is shown.

    The model gets the world in order to draw what is shown of it, as backends do. After the person gives up a maze, all
    further questions about it are refused. The duration of a request is the time for which the page was visible.

    Args:
        name: pseudonym of letters, digits, full stops, hyphens and underscores.
        practice: number of practice mazes; recorded here, played by the caller.
        consent: a file with a text that the person must agree to in each session.
        consent_hash: the recorded `consent_version` of that text; any other text is rejected.
        board: ``drawn``: draw the board as in the report; ``picture``: show the picture of the model input, for
            pictures in another style.
        host: name or address of this machine at which to serve the page.
        port: port; 0 for any free one.
        open: whether to open the page in the browser of this machine.

    Raises:
        ArgumentError: the server library is missing, or the consent text cannot be read or differs.
        ValueError: the name is malformed.
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
        """Texts of the latest explanation, by name."""
        self._instructions = b"{}"
        self._before: dict[str, Any] | None = None
        """View of the previous maze's end, until the person continues."""
        self._scene: Scene | None = None
        self._episode: Episode | None = None
        self._shows_board = False
        self._said = ""
        self._given_up = False

    @property
    def model_name(self) -> str:
        """The name in results: ``human/NAME``."""
        return f"{PERSON_PREFIX}{self._name}"

    @property
    def address(self) -> str:
        """The address of the page; starts the server.

        Raises:
            OSError: the page cannot be served.
        """
        named = LOOPBACK[0] if is_unspecified(self._host) else self._host
        host = f"[{named}]" if ":" in named else named
        return f"http://{host}:{self._serving().port}/{self._token}/"

    def notice(self) -> str:
        """Return the address of the page, with a warning if others can reach it."""
        told = f"play at {self.address}"
        if self._host in LOOPBACK:
            return told
        there = ", or from elsewhere at an address of this machine" if is_unspecified(self._host) else ""
        return f"{told}{there}; anyone with this address can play, and the connection is not encrypted"

    def check_ready(self) -> None:
        """Start the server.

        Raises:
            AnswerFault: permanent `INFRASTRUCTURE`, if the page cannot be served.
        """
        try:
            self._serving()
        except OSError as error:
            where = f"{self._host}, port {self._port}"
            message = f"cannot serve a page at {where}: {error.strerror or error}; choose another --port or --host"
            raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True) from error

    def preflight(self) -> list[PreflightCheck]:
        """Check whether the page can be served."""
        began = monotonic()
        try:
            self.check_ready()
        except AnswerFault as fault:
            return [PreflightCheck("page", False, fault.message, monotonic() - began)]
        return [PreflightCheck("page", True, f"it is served on port {self._serving().port}", monotonic() - began)]

    def begin_series(self, name: str, of: int | None = None, done: int = 0) -> None:
        """Start a series of mazes.

        Args:
            name: name of a maze in headings.
            of: length of the series; None if unknown.
            done: number of mazes already played.
        """
        self._series = Series(name, of, done)

    def announce(self, heading: str, *lines: str) -> None:
        """Show a text and wait until the person continues.

        Raises:
            KeyboardInterrupt: the person stopped.
        """
        self._go_on_from_before()
        self._read(message(heading, lines, [BEGIN, LATER]))

    def begin_episode(self, episode: EpisodeInfo) -> None:
        """Advance the maze number."""
        self._series = attrs.evolve(self._series, number=self._series.number + 1)
        self._given_up, self._said = False, ""
        self._scene = self._episode = None

    def look_into(self, world: World) -> None:
        """Prepare to draw the board from its start."""
        self._scene, self._episode = Scene(world), Episode(world)
        self._episode.reset()

    def observe(self, state: State) -> None:
        """Raise ValueError unless the drawn board matches the played one."""
        if self._episode is not None and self._episode.state != state:
            raise ValueError("the drawn board differs from the one being played")

    def resume_episode(self, episode: EpisodeInfo, steps: Sequence[Step]) -> bool:
        """Resume an episode by replaying the recorded actions on the drawn board."""
        for step in steps:
            self._given_up |= step.last is not None and step.last.outcome is AnswerOutcome.REFUSED
            if step.action is not None:
                self._follow(step.action)
        return True

    def predict(self, input: ModelInput) -> ModelOutput:
        """Show the input and wait for an action.

        Raises:
            KeyboardInterrupt: the person stopped.
            AnswerFault: `REFUSED`, if the person has given up the maze.
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
            self._end("You gave up this maze.")
            raise _refusal(answer.by, usage)
        action = int(answer.choice)
        self._follow(action)
        self._end_if_over()
        return ModelOutput(action=action, raw_output=_account(answer), usage=usage)

    def close(self) -> None:
        """Show the final view and stop the server."""
        if self._server is None:
            return
        lines = ["This was the last one. Thank you! You can close this page."]
        if self._before is None:
            lines = ["This session has ended. Your progress is saved. You can close this page."]
        board = {} if self._before is None else {"scene": self._before["scene"]}
        try:
            self._stage.finish({**message("The end", lines, **board), "final": True}, FAREWELL)
        finally:
            self._server.close()
            self._server = None

    def _serving(self) -> PlayServer:
        """Return the server, started on first use."""
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
        """Show the end of the previous maze, the consent text and new explanations."""
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
        """Show a text until the person continues; raises KeyboardInterrupt if they stop."""
        self._ask(view, [GO_ON])

    def _ask(self, view: dict[str, Any], choices: Sequence[str]) -> Answer:
        answer = self._stage.ask(view, [*choices, STOP])
        if answer.choice == STOP:
            raise KeyboardInterrupt
        return answer

    def _drawn(self) -> dict[str, Any] | None:
        """Return the board, if it is drawn."""
        if not self._shows_board or self._scene is None or self._episode is None:
            return None
        return scene_now(self._scene, self._episode)

    def _follow(self, action: int) -> None:
        """Apply an action to the drawn board."""
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
            self._end("This maze ended without success." if episode.terminated else "There are no steps left.")

    def _end(self, told: str) -> None:
        """Store the view of a maze's end, to be shown before the next view."""
        self._before = message(self._series.heading, [told], scene=self._drawn(), said=self._said)
        self._stage.show(self._before)


def consent_version(text: str) -> str:
    """Return the version of a consent text: the first 16 hexadecimal digits of its SHA-256 digest."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def read_consent(path: Path) -> str:
    """Read a consent text; raises ArgumentError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ArgumentError(f"cannot read the consent text in {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"cannot read the consent text in {path}: it is not UTF-8 text") from error


def _known_consent(path: Path, version: str | None) -> str:
    text = read_consent(path)
    found = consent_version(text)
    if version not in (None, found):
        raise ArgumentError(f"{path} differs from the recorded consent text: {found}, expected {version}")
    return text


def _refusal(by: str | None = None, usage: Usage | None = None) -> AnswerFault:
    return AnswerFault(AnswerOutcome.REFUSED, "the person gave up this maze", raw_output=by, usage=usage)


def _account(answer: Answer) -> str:
    """Describe which key or button gave an answer, and for how long the page was hidden."""
    hidden = answer.waited - answer.active
    by = answer.by[:LONGEST_KEY]
    return by if hidden < 1 else f"{by} (the page was hidden or closed for {hidden:.0f} s)"
