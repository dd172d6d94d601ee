"""`Game`: a run that a person plays, with the mazes that are played beforehand."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs

from gridworld.errors import ArgumentError, PluginFault
from gridworld.suites import find_suite
from gridworld.suites.choosing_examples import choose_examples
from gridworld.task_spec import TaskSpecification
from multinet_eval.evaluation_harness import EvaluationHarness
from multinet_eval.play.observers import RunObserver, RunStart
from multinet_eval.play.run import Run, closing_if_refused, new_run, open_run
from multinet_eval.record.fingerprint import backend_of
from multinet_eval.record.manifest import Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import EXAMPLES_SUITE, TILING_BACKEND
from multinet_eval.settings.plugin_objects import make_backend, make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_report.play.guard import LOOPBACK
from multinet_report.play.person_model import PersonModel, consent_version, read_consent

__all__ = ["MODEL", "Game", "PageOptions", "Person", "new_game", "open_game", "random_name"]

MODEL = "person"
"""The name by which the model is installed."""


@attrs.frozen
class PageOptions:
    """Where the page is; nothing of it changes a result."""

    host: str = LOOPBACK[0]
    port: int = 0
    open: bool = True

    @property
    def arguments(self) -> list[str]:
        """As arguments of the model."""
        return [f"host={self.host}", f"port={self.port}", f"open={str(self.open).lower()}"]


@attrs.frozen
class Person:
    """Who plays, and what comes before."""

    name: str
    """The pseudonym."""
    practice: int = 0
    """How many other mazes are played beforehand."""
    consent: Path | None = None
    """A text that has to be agreed to."""

    @property
    def arguments(self) -> list[str]:
        """As arguments of the model; raises ArgumentError where the text cannot be read."""
        practice = [f"practice={self.practice}"] if self.practice else []
        if self.consent is None:
            return [f"name={self.name}", *practice]
        version = consent_version(read_consent(self.consent))
        return [f"name={self.name}", *practice, *_consent_argument(self.consent), f"consent_hash={version}"]


def random_name() -> str:
    """A pseudonym that nobody else has."""
    return secrets.token_hex(4)


class Game(RunObserver):
    """A run and its person; it observes the run, so that the page can tell how much is left.

    Args:
        run: the run.
        person: the model of the run.
        beforehand: plays these mazes before.
        harness: plays them.
    """

    def __init__(
        self,
        run: Run,
        person: PersonModel,
        beforehand: Sequence[TaskSpecification] = (),
        harness: EvaluationHarness | None = None,
    ) -> None:
        self.run = run
        self.person = person
        self._beforehand = beforehand
        self._harness = harness

    @property
    def practises(self) -> bool:
        """Whether there is anything to play beforehand."""
        return self._harness is not None and bool(self._beforehand)

    def practise(self) -> None:
        """Have the mazes played that come beforehand, if there are any; nothing of it is recorded.

        Raises:
            KeyboardInterrupt: the person stops; the model has been closed.
            PluginFault: a plugin failed.
        """
        if self._harness is None or not self._beforehand:
            return
        with closing_if_refused(self.person):
            self.person.begin_series("Practice", len(self._beforehand))
            for task in self._beforehand:
                error = self._harness.evaluate_task(task).error
                if error is not None:
                    raise PluginFault(error)
            self.person.announce("Now it counts", "From here on, what you do is recorded, and each maze comes once.")
        for backend in self._harness.runner.backends:
            backend.close()

    def run_started(self, run: RunStart) -> None:
        """Let the page say which maze it is."""
        self.person.begin_series("Maze", run.episodes, len(run.finished))


def new_game(
    settings: RunSettings, suite: Suite, person: Person, page: PageOptions, directory: Path | None = None
) -> Game:
    """A new run of a person.

    Args:
        settings: what is asked of the run; its model is the person, whatever it says.
        suite: what is played.
        person: who plays.
        page: where.
        directory: the new folder to record it in; None to keep no record.

    Raises:
        ArgumentError: there is no server to play by, a text cannot be read, there are too few mazes to practise on, or
            settings and tasks do not fit together.
        PluginFault: the page cannot be served.
        RunError: the folder cannot be made.
    """
    arguments = [*person.arguments, *_board_argument(settings), *page.arguments]
    settings = attrs.evolve(settings, model=MODEL, model_arguments=tuple(arguments))
    model = _make_person(settings)
    with closing_if_refused(model):
        beforehand = choose_examples(person.practice, find_suite(EXAMPLES_SUITE), suite.tasks, EXAMPLES_SUITE)
        harness = _practice_harness(settings.about(suite.tasks), model) if beforehand else None
        if harness is not None:
            harness.runner.check_tasks(beforehand)
        return Game(new_run(settings, suite, model, directory), model, beforehand, harness)


def open_game(path: Path, page: PageOptions, consent: Path | None = None) -> tuple[Game, list[str]]:
    """A recorded run of a person, to go on with; nobody practises again.

    Args:
        path: its folder.
        page: where it is played now.
        consent: where the text of consent is now; by default where it was.

    Returns:
        The game, and what is not as it was without changing any result.

    Raises:
        ArgumentError: it is a run of another model; and as `open_run` does.
        RunError: as `open_run` does.
    """
    recorded = RunDirectory(path).manifest.settings.model
    if recorded != MODEL:
        raise ArgumentError(f"{path} is a run of '{recorded}': go on with multinet runs resume {path}")
    run, changed = open_run(path, [*page.arguments, *_consent_argument(consent)])
    assert isinstance(run.model, PersonModel)
    return Game(run, run.model), changed


def _make_person(settings: RunSettings) -> PersonModel:
    model = make_model(settings.model, list(settings.model_arguments))
    assert isinstance(model, PersonModel)
    return model


def _practice_harness(settings: RunSettings, model: PersonModel) -> EvaluationHarness:
    return EvaluationHarness(
        model,
        make_backend(settings.backend, list(settings.backend_arguments), settings.tilings[0]),
        mission=settings.mission,
        presentation=attrs.evolve(settings.presentation, observation_control="none"),
        briefing=settings.briefing,
    )


def _board_argument(settings: RunSettings) -> Iterable[str]:
    """The board is drawn where models are shown what looks like it: the pictures of tilings, as they are by default."""
    asked = settings.presentation
    special = asked.image_style != "own" or asked.image_coordinates or asked.swaps_observations
    return ["board=picture"] if special or backend_of(settings) != TILING_BACKEND else []


def _consent_argument(consent: Path | None) -> list[str]:
    return [] if consent is None else [f"consent={consent.resolve()}"]
