"""`EpisodeChecker`: checks the record of one episode at a time, so that several processes may share the work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path

import attrs

from gridworld.errors import GridworldError, Problem
from gridworld.model_interface import Adjustment
from gridworld.runner.record import EndReason
from gridworld.support.files import FileError
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.played_tasks import shown_tasks
from multinet_eval.play.recorder import KeptArtifacts
from multinet_eval.play.worker import make_factory
from multinet_eval.record.confirmation import settings_to_replay
from multinet_eval.record.events import EpisodeRecord, read_episode
from multinet_eval.record.lines import RecordedLine
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RUN, RunError
from multinet_eval.record.run_directory import Attempt, RunDirectory
from multinet_eval.record.task_result import TaskResult, measured_times
from multinet_eval.verify.asked_prompts import PromptCheck, prompt_check
from multinet_eval.verify.replayed_attempt import RecordedModel, lines_in_order, replay_problems
from multinet_eval.verify.run_files import KeptFile, files_named, kept_files


@attrs.frozen
class EpisodeFindings:
    """Findings about an episode."""

    number: int
    ended: bool
    """Whether it has ended, or cannot be read."""
    problems: tuple[Problem, ...] = ()
    missing: Mapping[KeptFile, Problem] = attrs.Factory(dict)
    """Files that its lines name and that there are not."""
    unchecked: tuple[Problem, ...] = ()
    is_replayed: bool = False
    is_unplayed: bool = False
    """Whether it is scored, and could not be replayed here."""
    steps: int = 0
    result: TaskResult | None = None
    """Result of the latest attempt; None if it has not ended."""
    adjustments: tuple[Adjustment, ...] = ()
    times: tuple[float, ...] = ()
    """Measured durations of the requests of the latest attempt (`measured_times`)."""
    path: Path | None = None
    """File of the latest attempt; None for an episode that has not begun."""


class ReplayGround:
    """Tasks of a run, and a factory for each tiling, to replay its episodes with.

    Args:
        directory: the run.
        stack: closes the backends.
    """

    def __init__(self, directory: RunDirectory, stack: ExitStack) -> None:
        self.directory = directory
        self.problems: list[Problem] = []
        """Tasks that cannot be read, or were changed."""
        self.unchecked: list[Problem] = []
        """Reasons why episodes cannot be replayed."""
        self.model = RecordedModel(directory.manifest.model_name)
        self.tasks = self._read_tasks()
        """Readable tasks by hash."""
        self.factories = self._make_factories(stack)
        """Factory for each tiling where replaying is possible."""

    def _read_tasks(self) -> dict[str, TaskSpecification]:
        found = {}
        for digest in sorted({each.task for each in self.directory.manifest.plan}):
            try:
                found[digest] = self.directory.task(digest)
            except RunError as error:
                self.problems.append(Problem("", str(error)))
        return found

    def _make_factories(self, stack: ExitStack) -> dict[str | None, EpisodeFactory]:
        manifest, path = self.directory.manifest, self.directory.path
        try:
            settings = settings_to_replay(manifest.settings, self.directory.is_own, path)
            whole = settings.about([self.tasks[each] for each in manifest.suite_tasks if each in self.tasks])
        except GridworldError as error:  # credentials of the backend, or worked examples, are missing, or not confirmed
            place = f"{path / RUN.file}: settings"
            self.unchecked.append(Problem(place, f"its episodes cannot be replayed: {error}"))
            return {}
        found = dict[str | None, EpisodeFactory]()
        for tiling in manifest.settings.tilings:
            try:
                found[tiling] = make_factory(whole, self.model, tiling)
            except GridworldError as error:
                where = "its episodes" if tiling is None else f"its episodes on {tiling}"
                self.unchecked.append(Problem(str(path), f"{where} cannot be replayed: {error}"))
            else:
                for backend in found[tiling].backends:
                    stack.callback(backend.close)
        return found


Played = tuple[PlannedEpisode, Sequence[Attempt]]
"""A planned episode and the attempts at it."""


class EpisodeChecker:
    """Checks episodes of a run.

    Args:
        ground: what they are replayed with.
        check: compares what was sent.
    """

    def __init__(self, ground: ReplayGround, check: PromptCheck) -> None:
        self._ground = ground
        self._directory = ground.directory
        self._check = check
        self._scenes = KeptArtifacts()
        self._kept = set(kept_files(ground.directory.path))
        self._shown = shown_tasks(ground.directory.manifest, ground.tasks)

    def check_all(self, episodes: Sequence[Played]) -> list[EpisodeFindings]:
        """Check episodes, in order."""
        return [self.check(planned, attempts) for planned, attempts in episodes]

    def check(self, planned: PlannedEpisode, attempts: Sequence[Attempt]) -> EpisodeFindings:
        """Check an episode."""
        problems = list(_attempt_problems(attempts))
        missing: dict[KeptFile, Problem] = {}
        begun = []
        for each in attempts:
            try:
                written = list(each.lines())
                lines = read_episode(written) if written else None
                missing = {**self._missing(written), **missing}
            except FileError as error:
                return EpisodeFindings(planned.number, True, (*problems, Problem("", str(error))), missing)
            if lines is None:
                continue
            begun.append((each, written, lines))
            # A killed process may leave a torn line, but none after the end.
            if lines.end is not None and each.is_torn:
                problems.append(Problem(str(each.path), "its last line is torn: it does not end"))
        for attempt, _, lines in begun[:-1]:
            if lines.end is not None and lines.end.error is None:
                text = "the episode ended here, but there is another attempt at it"
                problems.append(Problem(str(attempt.path), text))
        if not begun:
            return EpisodeFindings(planned.number, False, tuple(problems), missing)
        found = self._replayed(planned, *begun[-1])
        return attrs.evolve(found, problems=(*problems, *found.problems), missing=missing)

    def _missing(self, lines: Sequence[RecordedLine]) -> dict[KeptFile, Problem]:
        """Report missing files at the first line of an attempt that names them; raises FileError."""
        missing: dict[KeptFile, Problem] = {}
        for line in lines:
            for inner, file in files_named(line):
                if file not in self._kept:
                    missing.setdefault(file, Problem(f"{line.place}: {inner}", f"{file.place} is missing"))
        return missing

    def _replayed(
        self, planned: PlannedEpisode, attempt: Attempt, written: list[RecordedLine], lines: EpisodeRecord
    ) -> EpisodeFindings:
        end = lines.end
        found = EpisodeFindings(
            planned.number,
            ended=end is not None and not end.permanent,
            result=None if end is None else TaskResult.of(lines.header, lines.steps, end),
            adjustments=tuple(lines.adjustments),
            times=measured_times(lines.steps),
            path=attempt.path,
        )
        ground = self._ground
        if planned.tiling not in ground.factories or planned.task not in ground.tasks:
            return attrs.evolve(found, is_unplayed=end is not None and end.error is None)
        if lines.header.digest is None and end is not None and end.reason is EndReason.PLUGIN:
            text = "a plugin failed before its first step, which cannot be replayed"
            return attrs.evolve(found, unchecked=(Problem(str(attempt.path), text),))
        bound = planned.bound(ground.tasks[planned.task])
        problems = replay_problems(
            ground.factories[planned.tiling],
            ground.model,
            EpisodeJob(planned, bound, swapped=self._shown.get(planned.task)),
            lines_in_order(written, self._directory.text),
            self._scenes,
            attempt.path,
            self._check,
        )
        return attrs.evolve(found, problems=tuple(problems), is_replayed=True, steps=len(lines.steps))


def _attempt_problems(attempts: Sequence[Attempt]) -> Iterator[Problem]:
    numbers = [each.number for each in attempts]
    if numbers != list(range(1, len(attempts) + 1)):
        text = f"found the attempts {', '.join(map(str, numbers))}, expected 1 to {len(attempts)}"
        yield Problem(str(attempts[-1].path), text)


def check_in_worker(path: Path, episodes: Sequence[Played]) -> list[EpisodeFindings]:
    """Check episodes of a run in a worker process, which keeps what they are replayed with."""
    return _checker(path).check_all(episodes)


@lru_cache(maxsize=1)
def _checker(path: Path) -> EpisodeChecker:
    directory = RunDirectory(path)
    check, _ = prompt_check(directory, "")
    return EpisodeChecker(ReplayGround(directory, ExitStack()), check)
