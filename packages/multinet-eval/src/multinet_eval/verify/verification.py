"""`verify_run`: checks that a run's folder is consistent by replaying its answers.

The check finds damage and manual changes, and lists the missing episodes of unfinished runs. It cannot determine who
gave the answers: a run that plays invented answers is consistent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import GridworldError, Problem
from gridworld.support.files import JSONError, parse_json
from gridworld.support.wording import counted, first_lines, first_numbers
from gridworld.task_spec import TaskSpecification
from multinet_eval.play.played_tasks import find_budgets
from multinet_eval.play.run import backend_settings
from multinet_eval.record.lock import holder_of, played_by
from multinet_eval.record.plan import Budgets
from multinet_eval.record.record_folders import RUN, NotRecordedError, RunError
from multinet_eval.record.results import ResultsFold, RunResults
from multinet_eval.record.run_directory import RESULTS, Attempt, RunDirectory, stray_files
from multinet_eval.support.parallel import ALONE, Work
from multinet_eval.verify.asked_prompts import PromptCheck, prompt_check
from multinet_eval.verify.episode_check import EpisodeChecker, EpisodeFindings, ReplayGround, check_in_worker
from multinet_eval.verify.json_differences import json_differences
from multinet_eval.verify.run_files import (
    KeptFile,
    backend_problems,
    changed_files,
    fingerprint_problems,
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
        listed = "".join(f"\n  {line}" for line in first_lines(f"{each.path}: {_reason(each)}" for each in bad))
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


def verify_run(path: Path | str, work: Work = ALONE) -> Verification:
    """Check a recorded run without querying a model or writing anything; raises NotRecordedError without a run.

    Tasks, texts, scenes and pictures must exist and match the hashes in their names; plan and fingerprint must match
    tasks and settings; each line of the latest attempt at each episode must follow from the answers before it; each
    request must be the one that the model sends for its input, with the pictures drawn again; and ``results.json`` must
    match the episodes. Earlier attempts must be unfinished, or have ended with an error that is not the model's fault.
    The results of an incomplete run, which are written last, are not checked.

    Args:
        path: the folder of the run.
        work: how episodes are checked.
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
        return _Verifier(ReplayGround(directory, stack), work).verify(attempts)


class _Verifier:
    """Collects the problems of one run.

    Args:
        ground: what its episodes are replayed with.
        work: how they are checked.
    """

    def __init__(self, ground: ReplayGround, work: Work) -> None:
        self._ground = ground
        self._work = work
        self._directory = ground.directory
        self._manifest = ground.directory.manifest
        self._tasks = ground.tasks
        self._problems = list(ground.problems)
        self._unchecked = list(ground.unchecked)
        self._pending: list[Problem] = []
        self._fold = ResultsFold()
        self._copies: dict[tuple[float, ...], Path] = {}
        """File of each episode by the measured durations of its requests."""
        self._missing: set[KeptFile] = set()
        """Missing files already reported."""
        self._check = PromptCheck(None, is_plain=False, draws=False)
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
                self._problems += fingerprint_problems(self._directory, tasks, place, self._check.model)
            except GridworldError as error:
                self._problems += backend_problems(manifest, place)
                self._unchecked.append(Problem(self._place("fingerprint"), str(error)))
            return sound
        return len(self._problems) == before

    def _ground_problems(self) -> Iterator[Problem]:
        manifest = self._manifest
        expected = [self._ground.factories.get(tiling) for tiling in manifest.settings.tilings]
        for number, (found, factory) in enumerate(zip(manifest.grounds, expected, strict=True)):
            right = found if factory is None else backend_settings(factory.backend)
            for each in json_differences(attrs.asdict(found), attrs.asdict(right), f"grounds[{number}]"):
                yield Problem(self._place(each.path), f"found {each}")

    def _find_budgets(self, tasks: Sequence[TaskSpecification]) -> Budgets | None:
        """Find step budgets that differ from the tasks' own; None if this is impossible here."""
        settings = self._manifest.settings
        if len(self._ground.factories) < len(settings.tilings):
            return None
        try:
            return find_budgets(tasks, self._ground.factories, settings.budget_factor)
        except GridworldError as error:
            self._unchecked.append(Problem(self._place("settings.budget_factor"), str(error)))
            return None

    def _check_episodes(self, attempts: Mapping[int, Sequence[Attempt]]) -> None:
        before = len(self._problems)
        planned = {each.number: each for each in self._manifest.plan}
        for number in sorted(attempts.keys() - planned.keys()):
            first = attempts[number][0].path
            self._problems.append(Problem(str(first), f"there is no episode {number} in the plan"))
        ended = {found.number for found in self._findings(attempts) if self._add(found)}
        state = self._fold.results(self._manifest, {}).sequential
        needed = [each.number for each in planned.values() if state is None or state.is_needed(each)]
        left = [number for number in needed if number not in ended]
        if left:
            advice = "" if self._pending else f"; 'multinet runs resume {self._directory.path}' resumes it"
            verb = "has" if len(left) == 1 else "have"
            share = f"{len(left)} of {counted(len(planned), 'episode')}"
            text = f"{share} {verb} not ended: {first_numbers(left)}{advice}"
            self._pending.append(Problem(str(self._directory.path), text))
        elif len(self._problems) == before and all(each.task in self._tasks for each in planned.values()):
            self._check_results(self._fold.results(self._manifest, self._tasks))

    def _findings(self, attempts: Mapping[int, Sequence[Attempt]]) -> Iterator[EpisodeFindings]:
        """Check the episodes of the plan, in order."""
        episodes = [(each, attempts.get(each.number, ())) for each in self._manifest.plan]
        here = EpisodeChecker(self._ground, self._check).check_all
        check = partial(check_in_worker, self._directory.root)
        return self._work.map_together(check, episodes, "replaying episodes", here)

    def _add(self, found: EpisodeFindings) -> bool:
        """Add the findings about an episode; return whether it has ended or is unreadable."""
        self._problems += [each for file, each in found.missing.items() if file not in self._missing]
        self._missing.update(found.missing)
        self._problems += found.problems
        self._unchecked += found.unchecked
        self._episodes += found.is_replayed
        self._unplayed += found.is_unplayed
        self._steps += found.steps
        if found.path is not None:
            self._fold.add_result(found.number, found.result, found.adjustments)
            self._check_copy(found.path, found.times)
        return found.ended

    def _check_copy(self, path: Path, times: tuple[float, ...]) -> None:
        """Report an episode whose measured durations equal another's."""
        original = self._copies.setdefault(times, path) if times else path
        if original != path:
            text = f"it is a copy of {original.name}: its requests took the same times, to the last digit"
            self._problems.append(Problem(str(path), text))

    def _check_results(self, results: RunResults) -> None:
        """Report where ``results.json`` does not match the episodes."""
        file, advice = self._directory.path / RESULTS, f"'multinet runs rescore {self._directory.path}' rewrites it"
        text, expected = self._directory.results(), results.to_text()
        if text == expected:  # the values of many episodes take much memory
            return
        try:
            found = None if text is None else parse_json(text)
        except JSONError as error:
            self._problems.append(Problem(str(file), f"it is not JSON: {error}; {advice}"))
            return
        if found is None:
            self._problems.append(Problem(str(file), f"it is missing, or it cannot be read; {advice}"))
            return
        for each in json_differences(found, parse_json(expected)):
            self._problems.append(Problem(f"{file}: {each.path}", f"found {each}; {advice}"))
