"""`verify_run`: checks that a run's folder is consistent by replaying its answers.

The check finds damage and manual changes, and lists the missing episodes of unfinished runs. It cannot determine who
gave the answers: a run that plays invented answers is consistent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import GridworldError, Problem
from gridworld.runner.record import EndReason
from gridworld.support.files import FileError, JSONError, parse_json
from gridworld.support.wording import counted, first_numbers
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.episode import EpisodeJob
from multinet_eval.play.episode_factory import EpisodeFactory
from multinet_eval.play.played_tasks import find_budgets, shown_tasks
from multinet_eval.play.recorder import KeptArtifacts
from multinet_eval.play.run import backend_settings
from multinet_eval.play.worker import make_factory
from multinet_eval.record.events import EpisodeRecord, read_episode
from multinet_eval.record.fingerprint import override_arguments
from multinet_eval.record.lines import RecordedLine
from multinet_eval.record.lock import holder_of, played_by
from multinet_eval.record.plan import Budgets, PlannedEpisode
from multinet_eval.record.record_folders import RUN, NotRecordedError, RunError
from multinet_eval.record.results import ResultsFold, RunResults
from multinet_eval.record.run_directory import RESULTS, Attempt, RunDirectory, stray_files
from multinet_eval.record.task_result import measured_times
from multinet_eval.statistics.clusters import base_maze
from multinet_eval.verify.asked_prompts import PromptCheck, prompt_check
from multinet_eval.verify.json_differences import json_differences
from multinet_eval.verify.replayed_attempt import RecordedModel, lines_in_order, replay_problems
from multinet_eval.verify.run_files import (
    KeptFile,
    changed_files,
    files_named,
    fingerprint_problems,
    kept_files,
    plan_problems,
    sequential_problems,
    stray_tasks,
    unchecked_parts,
)

NOT_PROVEN = (
    "This does not prove who gave the answers: a run that plays invented answers is consistent, too. "
    "Not checked: whether replies match the parsed actions, and the name of a suite that is not installed."
)
"""Statement of what verification cannot prove, to be printed with every result."""


@attrs.frozen
class Verification:
    """Findings about a run."""

    path: Path
    problems: tuple[Problem, ...]
    """Inconsistencies, each with file, line and JSON path."""
    unchecked: tuple[Problem, ...] = ()
    """Parts that could not be checked here, and why."""
    pending: tuple[Problem, ...] = ()
    """Reasons why the run is incomplete; its record is checked nevertheless."""
    episodes: int = 0
    """Number of replayed episodes."""
    steps: int = 0
    """Number of steps of the replayed episodes."""
    unplayed: int = 0
    """Number of scored episodes that could not be replayed here."""

    @property
    def consistent(self) -> bool:
        """Whether no check found a problem."""
        return not self.problems

    @property
    def complete(self) -> bool:
        """Whether every planned episode has ended and no process plays the run."""
        return not self.pending

    @property
    def verified(self) -> bool:
        """Whether the run is complete and consistent, and every scored episode was replayed."""
        return self.complete and self.consistent and not self.unplayed

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready data."""
        own = attrs.asdict(self, filter=attrs.filters.exclude(attrs.fields(Verification).path))
        return {"run": str(self.path), "consistent": self.consistent, "complete": self.complete, **own}


class UnverifiedError(GridworldError):
    """Some recorded runs are not verified."""


def refuse_unverified(found: Iterable[Verification]) -> None:
    """Raise UnverifiedError, listing runs and reasons, unless all runs are verified."""
    bad = [each for each in found if not each.verified]
    if bad:
        listed = "".join(f"\n  {each.path}: {_reason(each)}" for each in bad)
        raise UnverifiedError(
            f"only verified runs are ranked, and {counted(len(bad), 'run')} cannot be verified:{listed}"
        )


def _reason(found: Verification) -> str:
    if found.consistent and not found.complete:
        return f"it is not complete: {found.pending[0].message}"
    if found.consistent:
        return f"{counted(found.unplayed, 'episode')} cannot be replayed here: {found.unchecked[0]}"
    more = len(found.problems) - 1
    rest = f" (and {counted(more, 'more problem')}: see 'multinet runs verify {found.path}')" if more else ""
    return f"{found.problems[0]}{rest}"


def verify_run(path: Path | str) -> Verification:
    """Check a recorded run without querying a model or writing anything; raises NotRecordedError without a run.

    Tasks, texts, scenes and pictures must exist and match the hashes in their names; plan and fingerprint must match
    tasks and settings; each line of the latest attempt at each episode must follow from the answers before it; each
    request must be the one that the model sends for its input, with the pictures drawn again; and ``results.json`` must
    match the episodes. Earlier attempts must be unfinished, or have ended with an error that is not the model's fault.
    The results of an incomplete run, which are written last, are not checked.
    """
    path = Path(path)
    try:
        directory = RunDirectory(path)
        attempts = directory.all_attempts()
    except NotRecordedError:
        raise
    except RunError as error:
        return Verification(path, (Problem("", str(error)),))
    with ExitStack() as stack:
        return _Verifier(directory, stack).verify(attempts)


class _Verifier:
    """Collects the problems of one run.

    Args:
        directory: the run.
        stack: closes the backends.
    """

    def __init__(self, directory: RunDirectory, stack: ExitStack) -> None:
        self._directory = directory
        self._manifest = directory.manifest
        self._problems: list[Problem] = []
        self._unchecked: list[Problem] = []
        self._pending: list[Problem] = []
        self._tasks = self._read_tasks()
        self._scenes = KeptArtifacts()
        self._model = RecordedModel(self._manifest.model_name)
        self._playable = self._make_factories(stack)
        self._fold = ResultsFold()
        self._copies: dict[tuple[float, ...], Path] = {}
        """File of each episode by the measured durations of its requests."""
        self._check = PromptCheck(None, is_plain=False, draws=False)
        self._kept: set[KeptFile] = set(kept_files(directory.path))
        """Stored files, and missing files already reported."""
        self._episodes = self._steps = self._unplayed = 0

    def verify(self, attempts: Mapping[int, Sequence[Attempt]]) -> Verification:
        """Check everything, given the attempts at each episode by its number."""
        holder = holder_of(self._directory.path)
        if holder is not None:
            self._pending.append(Problem("", played_by(self._directory.path, holder)))
        self._problems += changed_files(self._directory.path)
        self._problems += stray_files(self._directory.path)
        self._problems += stray_tasks(self._directory.path, (each.task for each in self._manifest.plan))
        if self._check_manifest():
            self._check_episodes(attempts)
        return Verification(
            path=self._directory.path,
            problems=tuple(self._problems),
            unchecked=tuple(self._unchecked),
            pending=tuple(self._pending),
            episodes=self._episodes,
            steps=self._steps,
            unplayed=self._unplayed,
        )

    def _place(self, inner: str) -> str:
        """Return a place in ``run.json``, for messages."""
        return f"{self._directory.path / RUN.file}: {inner}"

    def _read_tasks(self) -> dict[str, TaskSpecification]:
        """Read the tasks by hash; report those that cannot be read or were changed."""
        found = {}
        for digest in sorted({each.task for each in self._manifest.plan}):
            try:
                found[digest] = self._directory.task(digest)
            except RunError as error:
                self._problems.append(Problem("", str(error)))
        return found

    def _make_factories(self, stack: ExitStack) -> dict[str | None, EpisodeFactory]:
        """Make the factory for replays on each tiling where this is possible."""
        manifest = self._manifest
        try:
            arguments = override_arguments(manifest.settings.backend_arguments, (), "-B")
            settings = manifest.settings.about(
                [self._tasks[each] for each in manifest.suite_tasks if each in self._tasks]
            )
        except GridworldError as error:  # credentials of the backend, or worked examples, are missing
            self._unchecked.append(Problem(self._place("settings"), f"its episodes cannot be replayed: {error}"))
            return {}
        whole = attrs.evolve(settings, cache=None, backend_arguments=arguments)
        found = dict[str | None, EpisodeFactory]()
        for tiling in manifest.settings.tilings:
            try:
                found[tiling] = make_factory(whole, self._model, tiling)
            except GridworldError as error:
                where = "its episodes" if tiling is None else f"its episodes on {tiling}"
                self._unchecked.append(Problem(str(self._directory.path), f"{where} cannot be replayed: {error}"))
            else:
                for backend in found[tiling].backends:
                    stack.callback(backend.close)
        return found

    def _check_manifest(self) -> bool:
        """Check ``run.json``; return whether plan and backends are sound, so that episodes can be checked."""
        manifest, before = self._manifest, len(self._problems)
        place = str(self._directory.path / RUN.file)
        self._unchecked += unchecked_parts(manifest, place)
        self._check, unchecked = prompt_check(self._directory, place)
        self._unchecked += unchecked
        self._problems += self._ground_problems()
        if all(digest in self._tasks for digest in manifest.suite_tasks):
            tasks = [self._tasks[digest] for digest in manifest.suite_tasks]
            self._problems += plan_problems(manifest, tasks, self._find_budgets(tasks), place)
            self._problems += sequential_problems(manifest, tasks, place)
            sound = len(self._problems) == before
            try:
                self._problems += fingerprint_problems(manifest, tasks, place, self._check.model)
            except GridworldError as error:
                self._unchecked.append(Problem(self._place("fingerprint"), str(error)))
            return sound
        return len(self._problems) == before

    def _ground_problems(self) -> Iterator[Problem]:
        manifest = self._manifest
        expected = [self._playable.get(tiling) for tiling in manifest.settings.tilings]
        for number, (found, factory) in enumerate(zip(manifest.grounds, expected, strict=True)):
            right = found if factory is None else backend_settings(factory.backend)
            for each in json_differences(attrs.asdict(found), attrs.asdict(right), f"grounds[{number}]"):
                yield Problem(self._place(each.path), f"found {each}")

    def _find_budgets(self, tasks: Sequence[TaskSpecification]) -> Budgets | None:
        """Find step budgets that differ from the tasks' own; None if this is impossible here."""
        settings = self._manifest.settings
        if len(self._playable) < len(settings.tilings):
            return None
        try:
            return find_budgets(tasks, self._playable, settings.budget_factor)
        except GridworldError as error:
            self._unchecked.append(Problem(self._place("settings.budget_factor"), str(error)))
            return None

    def _check_episodes(self, attempts: Mapping[int, Sequence[Attempt]]) -> None:
        before = len(self._problems)
        planned = {each.number: each for each in self._manifest.plan}
        for number in sorted(attempts.keys() - planned.keys()):
            first = attempts[number][0].path
            self._problems.append(Problem(str(first), f"there is no episode {number} in the plan"))
        ended = {each.number for each in planned.values() if self._check_episode(each, attempts.get(each.number, ()))}
        state = self._fold.results(self._manifest, {}).sequential
        needed = [each.number for each in planned.values() if state is None or state.is_needed(each)]
        left = [number for number in needed if number not in ended]
        if left:
            advice = "" if self._pending else f"; 'multinet runs resume {self._directory.path}' resumes it"
            verb = "has" if len(left) == 1 else "have"
            share = f"{len(left)} of {counted(len(planned), 'episode')}"
            text = f"{share} {verb} not ended: {first_numbers(left)}{advice}"
            self._pending.append(Problem(str(self._directory.path), text))
        elif len(self._problems) == before:
            bases = {digest: base_maze(task) for digest, task in self._tasks.items()}
            self._check_results(self._fold.results(self._manifest, bases))

    def _check_episode(self, planned: PlannedEpisode, attempts: Sequence[Attempt]) -> bool:
        """Check an episode; return whether it has ended or is unreadable."""
        numbers = [each.number for each in attempts]
        if numbers != list(range(1, len(attempts) + 1)):
            text = f"found the attempts {', '.join(map(str, numbers))}, expected 1 to {len(attempts)}"
            self._problems.append(Problem(str(attempts[-1].path), text))
        read = []
        for each in attempts:
            try:
                written = list(each.lines())
                lines = read_episode(written) if written else None
                self._check_kept(written)
            except FileError as error:
                self._problems.append(Problem("", str(error)))
                return True
            read.append((each, written, lines))
            # A killed process may leave a torn line, but none after the end.
            if lines is not None and lines.end is not None and each.is_torn:
                self._problems.append(Problem(str(each.path), "its last line is torn: it does not end"))
        begun = [(attempt, written, lines) for attempt, written, lines in read if lines is not None]
        for attempt, _, lines in begun[:-1]:
            if lines.end is not None and lines.end.error is None:
                text = "the episode ended here, but there is another attempt at it"
                self._problems.append(Problem(str(attempt.path), text))
        if not begun:
            return False
        attempt, written, lines = begun[-1]
        self._fold.add(planned.number, lines)
        self._check_copy(attempt.path, lines)
        self._replay(planned, attempt, written, lines)
        return lines.end is not None and not lines.end.permanent

    def _check_kept(self, lines: Iterable[RecordedLine]) -> None:
        """Report missing files that an attempt's lines name; raises FileError."""
        for line in lines:
            for inner, file in files_named(line):
                if file not in self._kept:
                    self._kept.add(file)
                    self._problems.append(Problem(f"{line.place}: {inner}", f"{file.place} is missing"))

    def _check_copy(self, path: Path, lines: EpisodeRecord) -> None:
        """Report an episode whose measured durations equal another's."""
        times = measured_times(lines.steps)
        original = self._copies.setdefault(times, path) if times else path
        if original != path:
            text = f"it is a copy of {original.name}: its requests took the same times, to the last digit"
            self._problems.append(Problem(str(path), text))

    def _replay(
        self, planned: PlannedEpisode, attempt: Attempt, written: list[RecordedLine], lines: EpisodeRecord
    ) -> None:
        if planned.tiling not in self._playable or planned.task not in self._tasks:
            self._unplayed += lines.end is not None and lines.end.error is None
            return
        if lines.header.digest is None and lines.end is not None and lines.end.reason is EndReason.PLUGIN:
            self._unchecked.append(
                Problem(str(attempt.path), "a plugin failed before its first step, which cannot be replayed")
            )
            return
        shown = shown_tasks(self._manifest, self._tasks)
        job = EpisodeJob(planned, planned.bound(self._tasks[planned.task]), swapped=shown.get(planned.task))
        self._problems += replay_problems(
            self._playable[planned.tiling],
            self._model,
            job,
            lines_in_order(written, self._directory.text),
            self._scenes,
            attempt.path,
            self._check,
        )
        self._episodes += 1
        self._steps += len(lines.steps)

    def _check_results(self, results: RunResults) -> None:
        """Report where ``results.json`` does not match the episodes."""
        file, advice = self._directory.path / RESULTS, f"'multinet runs rescore {self._directory.path}' rewrites it"
        text = self._directory.results()
        try:
            found = None if text is None else parse_json(text)
        except JSONError as error:
            self._problems.append(Problem(str(file), f"it is not JSON: {error}; {advice}"))
            return
        if found is None:
            self._problems.append(Problem(str(file), f"it is missing, or it cannot be read; {advice}"))
            return
        for each in json_differences(found, parse_json(results.to_text())):
            self._problems.append(Problem(f"{file}: {each.path}", f"found {each}; {advice}"))
