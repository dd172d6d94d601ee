"""A run played by a person, with practice mazes."""

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
from multinet_eval.record.confirmation import Given, UnconfirmedError
from multinet_eval.record.fingerprint import backend_of
from multinet_eval.record.manifest import Suite
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import EXAMPLES_SUITE, TILING_BACKEND
from multinet_eval.settings.plugin_objects import make_backend, make_model
from multinet_eval.settings.run_settings import RunSettings
from multinet_report.play.guard import LOOPBACK
from multinet_report.play.person_model import PersonModel, consent_version, read_consent

MODEL = "person"
"""Registered name of the model."""


@attrs.frozen
class PageOptions:
    """Options of the page that do not affect results."""

    host: str = LOOPBACK[0]
    port: int = 0
    open: bool = True

    @property
    def arguments(self) -> list[str]:
        """The options as arguments of the model."""
        return [f"host={self.host}", f"port={self.port}", f"open={str(self.open).lower()}"]


@attrs.frozen
class Person:
    """The player, and preparations for the run."""

    name: str
    """Pseudonym of the player."""
    practice: int = 0
    """Number of practice mazes."""
    consent: Path | None = None
    """File with a text that the person must agree to."""

    @property
    def arguments(self) -> list[str]:
        """The player and preparations as model arguments; raises ArgumentError if the consent text cannot be read."""
        practice = [f"practice={self.practice}"] if self.practice else []
        if self.consent is None:
            return [f"name={self.name}", *practice]
        version = consent_version(read_consent(self.consent))
        return [f"name={self.name}", *practice, *_consent_argument(self.consent), f"consent_hash={version}"]


def random_name() -> str:
    """Return a random pseudonym."""
    return secrets.token_hex(4)


class Game(RunObserver):
    """A run and its player; observes the run, so that the page can show the progress.

    Args:
        run: the run.
        person: the model of the run.
        beforehand: practice mazes.
        harness: plays the practice mazes.
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
        """Whether there are practice mazes."""
        return self._harness is not None and bool(self._beforehand)

    def practise(self) -> None:
        """Play the practice mazes, if any, without recording them.

        Raises:
            KeyboardInterrupt: the person stopped; the model has been closed.
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
            self.person.announce("Now it counts", "From now on your actions are recorded, and each maze is shown once.")
        for backend in self._harness.runner.backends:
            backend.close()

    def run_started(self, run: RunStart) -> None:
        """Number the mazes on the page."""
        self.person.begin_series("Maze", run.episodes, len(run.finished))


def new_game(
    settings: RunSettings, suite: Suite, person: Person, page: PageOptions, directory: Path | None = None
) -> Game:
    """Start a new run of a person.

    Args:
        settings: settings of the run; their model is ignored.
        suite: the suite to play.
        person: the player.
        page: options of the page.
        directory: a new folder for the recording; None to record nothing.

    Raises:
        ArgumentError: the server library is missing, a text cannot be read, there are too few practice mazes, or the
            settings do not fit the tasks.
        PluginFault: the page cannot be served.
        RunError: the folder cannot be created.
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
    """Resume a recorded run of a person, without practice.

    Args:
        path: folder of the run.
        page: options of the page.
        consent: current path of the consent text; by default the recorded one.

    Returns:
        The game, and messages about changed settings that do not affect results.

    Raises:
        ArgumentError: the run is of another model; otherwise as `open_run` does.
        RunError: as `open_run` does.
    """
    recorded = RunDirectory(path).manifest.settings.model
    if recorded != MODEL:
        raise ArgumentError(f"{path} is a run of '{recorded}'; resume it with: multinet runs resume {path}")
    try:
        run, changed = open_run(path, Given([*page.arguments, *_consent_argument(consent)]))
    except UnconfirmedError as error:  # only the consent is not among the options of the page
        words = (("--consent", text.removeprefix("consent=")) for _, text in error.needed)
        raise UnconfirmedError(path, words) from error
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
    """Return the argument to show pictures instead of a drawn board, if models see pictures in another style."""
    asked = settings.presentation
    special = asked.image_style != "own" or asked.image_coordinates or asked.swaps_observations
    return ["board=picture"] if special or backend_of(settings) != TILING_BACKEND else []


def _consent_argument(consent: Path | None) -> list[str]:
    return [] if consent is None else [f"consent={consent.resolve()}"]
