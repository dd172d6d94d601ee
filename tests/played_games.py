"""Plays games of ``multinet play`` in this process, with a page over HTTP in place of a browser."""

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import attrs

from command_line import start
from gridworld.plugins.tilings import compile_on
from gridworld.solver.plans import optimal_solution
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.run import RunOptions, RunOutcome
from multinet_eval.record.manifest import Suite
from multinet_eval.settings.run_settings import RunSettings
from multinet_report.play.game import Game, PageOptions, Person, new_game
from page_player import PagePlayer
from started_programs import Program

__all__ = ["TIMEOUT", "UNOPENED", "begin_game", "played", "program", "shortest_plan"]

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
    """A new game on small tasks, on squares as they are drawn."""
    given = RunSettings(**{"model": "", "tilings": ("square",), **settings})
    return new_game(given, Suite("small", tuple(tasks)), person or Person("ada"), UNOPENED, directory)


@contextmanager
def played(game: Game) -> Iterator[PlayedGame]:
    """Have a game played in a thread; at the end, the page has to have let it come to its end."""

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
    """End a game that has not come to its end, so that a test that fails does not wait for ever."""
    page.present = {"number": 0}
    with suppress(OSError):  # it is closing
        while not outcome.done() and not page.view().get("final"):
            if page.present["buttons"]:
                page.answer("stop")


@contextmanager
def program(*arguments: str | Path) -> Iterator[tuple[str, Program]]:
    """``multinet play``, with the address that it tells."""
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


def shortest_plan(task: TaskSpecification, tiling: str = "square") -> list[int]:
    """The actions of a shortest plan."""
    plan = optimal_solution(compile_on(tiling, task)).plan
    assert plan is not None
    return [int(action) for action in plan]
