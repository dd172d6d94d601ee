"""The runs of a diagnosis, one for each way of playing, side by side in one folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import ArgumentError
from gridworld.model_interface import AnswerFault, AnswerOutcome
from gridworld.runner.rollout import Rollout, kernel_of
from multinet_eval.play.episode import replayed_steps
from multinet_eval.play.readiness import FAIL_AT_ONCE, ServerWait
from multinet_eval.play.run import Run, new_run, open_run
from multinet_eval.probing.diagnosed_mistakes import DiagnosedMistakes, DiagnosedSteps, causes_by_mistake
from multinet_eval.probing.diagnosis import Cause, Diagnosed, Diagnostician, read_reply
from multinet_eval.probing.diagnosis_report import (
    CONTRASTS,
    Contrast,
    DiagnosisReport,
    contrast,
    report_on_diagnosis,
)
from multinet_eval.record.confirmation import NOTHING_GIVEN, Given, settings_to_draw
from multinet_eval.record.events import EpisodeRecord, Spent
from multinet_eval.record.manifest import Suite
from multinet_eval.record.record_folders import DIAGNOSIS, RunError, begin_record, read_record, require_new
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.record.suite_metrics import observations_of
from multinet_eval.record.summary import inspect_run
from multinet_eval.settings.plugin_objects import make_backend, make_kernel_backend, make_player
from multinet_eval.settings.run_settings import RunSettings
from multinet_eval.settings.spending import PriceFinder
from multinet_eval.statistics import ESTIMATORS_VERSION
from multinet_eval.statistics.clusters import base_maze
from multinet_eval.statistics.paired_differences import Estimate, estimate_score

ELICITED = "diagnosis"
"""Name of the way of playing in which a model reports what it sees and intends."""
ALWAYS = (ELICITED, "ordinary")
FOR_CONTRASTS = ("text", "transcription", "plan")


@attrs.frozen
class DiagnosisResults:
    """Results of a diagnosis."""

    suite: str
    model: str
    report: DiagnosisReport
    by_mistake: tuple[DiagnosedMistakes, ...]
    """Causes by row of the table of mistakes, in its order."""
    success: Mapping[str, Estimate]
    """Success rate by way of playing."""
    contrasts: tuple[Contrast, ...]
    spent: Mapping[str, Spent]
    """Usage by way of playing."""
    cost: Mapping[str, float | None]
    """Cost by way of playing; None without prices."""
    complete: bool
    unread_reply: str | None
    """First reply of the diagnosis, if it has replies and none could be read."""

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a JSON-ready dictionary."""
        return {"estimators": ESTIMATORS_VERSION, **attrs.asdict(self)}


def settings_of(settings: RunSettings, contrasts: bool) -> dict[str, RunSettings]:
    """Return the settings of each way of playing.

    Args:
        settings: settings of ordinary play.
        contrasts: whether to include the ways that only contrasts need.
    """
    text = attrs.evolve(settings.presentation, observation="text")
    found = {
        ELICITED: attrs.evolve(settings, eliciting="diagnosis"),
        "ordinary": settings,
        "text": attrs.evolve(settings, presentation=text),
        "transcription": attrs.evolve(settings, eliciting="transcription"),
        "plan": attrs.evolve(settings, presentation=text, protocol="plan"),
    }
    return {name: each for name, each in found.items() if contrasts or name in ALWAYS}


def refuse_partial(suite: Suite) -> None:
    """Check that all tasks are fully observable.

    Raises:
        ArgumentError: some tasks are not fully observable; the message lists them.
    """
    partial = [task.task_id for task in suite.tasks if task.rules.observability != "full"]
    if partial:
        raise ArgumentError(
            "transcriptions can only be scored in fully observable tasks; these are not "
            f"fully observable: {', '.join(partial)}"
        )


def create_runs(
    settings: RunSettings, suite: Suite, contrasts: bool, folder: Path, wait: ServerWait = FAIL_AT_ONCE
) -> dict[str, Run]:
    """Create the folder with one run per way of playing, without querying the model.

    `wait` says how long to wait for a server that is still starting.

    Raises:
        ArgumentError: a task is not fully observable, the backend is not built on the kernel, or the model cannot
            answer open questions; also as `new_run` does.
        RunError: the folder cannot be created.
    """
    refuse_partial(suite)
    require_new(folder)
    make_kernel_backend(settings.backend, list(settings.backend_arguments), settings.tilings[0]).close()
    ways = settings_of(settings, contrasts)
    runs = {name: new_run(each, suite, make_player(each), folder / name, wait=wait) for name, each in ways.items()}
    begin_record(folder, DIAGNOSIS, {"ways": list(ways)}, files={}, folders=list(ways))
    return runs


def open_runs(
    folder: Path,
    given: Given = NOTHING_GIVEN,
    find_prices: PriceFinder = lambda name, own: own,
    wait: ServerWait = FAIL_AT_ONCE,
) -> dict[str, Run]:
    """Open the runs of a recorded diagnosis to resume them.

    Args:
        folder: folder of the diagnosis.
        given: settings given in place of recorded ones, as for `open_run`.
        find_prices: returns the prices of a model's tokens; the recorded ones by default.
        wait: how long to wait for a server that is still starting.

    Raises:
        NotRecordedError: the folder contains no complete diagnosis.
        RunError: as `open_run` does.
    """
    ways = _ways(folder)
    recorded = RunDirectory(folder / ELICITED).manifest
    prices = find_prices(recorded.model_name, recorded.settings.prices)
    return {name: open_run(folder / name, given, prices=prices, wait=wait)[0] for name in ways}


def _ways(folder: Path) -> list[str]:
    """Return the ways of playing of a recorded diagnosis."""
    ways: Any = read_record(folder, DIAGNOSIS).get("ways")
    are_names = isinstance(ways, list) and all(isinstance(each, str) for each in ways)
    if not are_names or not set(ALWAYS) <= set(ways) <= {*ALWAYS, *FOR_CONTRASTS}:
        raise RunError(f"{folder / DIAGNOSIS.file} is damaged: it names no ways of playing")
    return list(ways)


def diagnose_runs(folder: Path, names: Iterable[str]) -> DiagnosisResults:
    """Diagnose recorded runs, as far as they have been played, without querying a model.

    Raises:
        RunError: a record cannot be read.
        DivergedError: replaying an episode gives another one than recorded.
    """
    reports = {name: inspect_run(folder / name) for name in names}
    played = {name: observations_of(each.results.in_order) for name, each in reports.items()}
    directory = RunDirectory(folder / ELICITED)
    diagnosed = _diagnose(directory)
    report = report_on_diagnosis(_by_maze(directory, diagnosed))
    return DiagnosisResults(
        suite=directory.manifest.suite,
        model=directory.manifest.model_name,
        report=report,
        by_mistake=causes_by_mistake(directory, diagnosed),
        success={name: estimate_score(each) for name, each in played.items()},
        contrasts=tuple(contrast(*each, played) for each in CONTRASTS if each[1] in played and each[2] in played),
        spent={name: each.requests.spent for name, each in reports.items()},
        cost={name: each.cost for name, each in reports.items()},
        complete=all(each.results.complete for each in reports.values()),
        unread_reply=next(_replies(directory), None) if report.is_empty else None,
    )


def _replies(directory: RunDirectory) -> Iterator[str]:
    """Yield the text of each reply in the latest attempts at episodes, or the message about one without text."""
    for _, attempts in directory.episodes():
        for step in attempts[-1].steps:
            answered = (each for each in step.requests if each.outcome is not AnswerOutcome.INFRASTRUCTURE)
            yield from (each.raw_output or each.message for each in answered)


def _by_maze(directory: RunDirectory, diagnosed: DiagnosedSteps) -> dict[str, list[Diagnosed]]:
    """Group the diagnoses by base maze, over all episodes of its tasks."""
    tasks, found = directory.tasks(), dict[str, list[Diagnosed]]()
    for number, steps in diagnosed.items():
        maze = base_maze(tasks[directory.manifest.episode(number).task])
        found.setdefault(maze, []).extend(steps.values())
    return found


def _diagnose(directory: RunDirectory) -> DiagnosedSteps:
    """Return the diagnoses of the steps of each episode."""
    manifest, tasks = directory.manifest, directory.tasks()
    found: dict[int, dict[int, Diagnosed]] = {}
    known: dict[tuple[str, str | None], Diagnostician] = {}
    settings = settings_to_draw(manifest.settings, directory.is_own, directory.path)
    arguments = list(settings.backend_arguments)
    backends = {tiling: make_backend(settings.backend, arguments, tiling) for tiling in settings.tilings}
    for number, attempts in directory.episodes():
        planned = manifest.episode(number)
        backend, task = backends[planned.tiling], tasks[planned.task]
        rollout = Rollout(backend, planned.bound(task), planned.seed)
        key = planned.task, planned.tiling
        if key not in known:
            kernel = kernel_of(backend)
            assert kernel is not None
            known[key] = Diagnostician(kernel.world, kernel.make_topology, settings.max_states)
        found[number] = dict(_diagnose_episode(known[key], rollout, attempts[-1]))
    return found


def _diagnose_episode(
    diagnostician: Diagnostician, rollout: Rollout, record: EpisodeRecord
) -> Iterator[tuple[int, Diagnosed]]:
    """Replay an episode and diagnose each of its steps, by number."""
    replayed = replayed_steps(rollout, record)
    while (question := rollout.question) is not None:
        step = next(replayed, None)
        if step is None:
            return
        if step.action is None:
            yield step.number, Diagnosed(Cause.LOST)
        elif step.requests and step.requests[-1].raw_output is not None:
            assert question.snapshot is not None
            state = question.snapshot.state._replace(steps=step.number - 1)
            try:
                yield step.number, diagnostician.diagnose(state, read_reply(step.requests[-1].raw_output))
            except AnswerFault as fault:
                raise RunError(f"step {step.number} cannot be read again: {fault.message}") from fault
