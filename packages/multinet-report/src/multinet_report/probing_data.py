"""Data of a recorded probing for the page: its scores, and the questions, answers and board of each moment.

Boards are not recorded; they are recomputed in the same way as the questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from gridworld.backends.scenes import Scene as DrawnScene
from gridworld.errors import GridworldError
from gridworld.plugins.registry import owner_of
from gridworld.support.faults import calling
from gridworld.support.files import parse_json
from gridworld.support.wording import counted
from gridworld.world.knowledge import shown_look
from gridworld.world.looks import look_at
from multinet_eval.probing.probe import Probe, Scene, Unreadable
from multinet_eval.probing.probe_directory import AnsweredQuestion, ProbeDirectory
from multinet_eval.probing.report import grade_answer, report_on
from multinet_eval.probing.running import load_probes, make_scenes
from multinet_eval.record.record_folders import RunError
from multinet_eval.statistics.clusters import bases_by_id
from multinet_report.page_file import Blocks
from multinet_report.scene_data import check_numbers, colored_scene

Moment = tuple[str, str, str, int]
"""Task, tiling, walk and step."""


@attrs.frozen
class ProbingReading:
    """Data read from a probing."""

    data: dict[str, Any]
    """Entry in the index of the page, JSON-ready."""
    problems: tuple[str, ...]
    """Messages about parts that could not be read or failed."""


def read_probing_data(directory: ProbeDirectory, name: str, blocks: Blocks) -> ProbingReading:
    """Read a probing; the data of each moment goes into its own block.

    Args:
        directory: the probing, finished or not.
        name: unique key of the probing on the page.
        blocks: blocks of the page.

    Raises:
        RunError: an answer cannot be read.
    """
    return _Reader(directory, name, blocks).read()


class _Reader:
    def __init__(self, directory: ProbeDirectory, name: str, blocks: Blocks) -> None:
        self._directory = directory
        self._name = name
        self._blocks = blocks
        self._problems: list[str] = []

    def _bases(self) -> dict[str, str]:
        """Return the base maze of each task id; empty if the tasks cannot be read, which `_boards` reports."""
        try:
            return bases_by_id(self._directory.tasks())
        except RunError:
            return {}

    def read(self) -> ProbingReading:
        manifest, answers = self._directory.manifest, list(self._directory.answered())
        by_moment: dict[Moment, list[AnsweredQuestion]] = {}
        for each in answers:
            place = each.place
            by_moment.setdefault((place.task, place.tiling, place.walk, place.step), []).append(each)
        probes = self._probes(manifest.probing.probes)
        boards = self._boards()
        missing = sum(moment not in boards for moment in by_moment)
        if missing and boards:
            self._problems.append(f"no board: {counted(missing, 'moment')} could not be recomputed")
        rows = [
            self._row(number, moment, [_question(each, probes) for each in asked], boards.get(moment))
            for number, (moment, asked) in enumerate(by_moment.items())
        ]
        data = {
            "name": self._directory.path.resolve().name,
            "model": manifest.run.model_name,
            "suite": manifest.run.suite,
            "created": manifest.run.created,
            "scores": list(_scores(answers, probes, self._bases())),
            "moments": rows,
            "problems": self._problems,
        }
        return ProbingReading(data, tuple(f"{data['name']}: {problem}" for problem in self._problems))

    def _probes(self, names: tuple[str, ...]) -> dict[str, Probe]:
        """Return those of the named probes that are installed."""
        found: dict[str, Probe] = {}
        for name in names:
            try:
                found |= load_probes([name])
            except GridworldError as error:
                self._problems.append(f"no grades: {error}")
        return found

    def _boards(self) -> dict[Moment, dict[str, Any]]:
        """Return the board of each moment; empty if the tasks cannot be loaded."""
        manifest = self._directory.manifest
        try:
            scenes = make_scenes(manifest.run.settings, manifest.probing, self._directory.tasks())
            return {_moment_of(scene): self._board(scene) for scene in scenes}
        except GridworldError as error:
            self._problems.append(f"no boards: {error}")
            return {}

    def _board(self, scene: Scene) -> dict[str, Any]:
        """Return the board of a moment, with the name of its scene's block."""
        drawn = DrawnScene(scene.world)
        block = f"scene-probing-{self._name}-{scene.task_id}-{scene.topology.name}"
        if block not in self._blocks:
            self._blocks.add_json(block, colored_scene(parse_json(drawn.to_json())))
        world, snapshot = scene.world, scene.snapshot
        cells = range(world.topology.cell_count)
        full = world.task.rules.observability == "full"
        true = (look_at(world, snapshot.state, cell, snapshot.knowledge.met) for cell in cells)
        return {
            "scene": block,
            "agent": drawn.agent(snapshot),
            "looks": [drawn.look_data(look) for look in true],
            "shown": None if full else [drawn.look_data(shown_look(world, snapshot, cell)) for cell in cells],
        }

    def _row(
        self, number: int, moment: Moment, questions: list[dict[str, Any]], board: dict[str, Any] | None
    ) -> dict[str, Any]:
        block = f"moment-{self._name}-{number}"
        try:
            check_numbers([each["right"] for each in questions])
        except ValueError as error:
            raise RunError(f"{self._directory.path}: the right answers of {moment}: {error}") from error
        self._blocks.add_json(block, {"board": board, "questions": questions})
        task, tiling, walk, step = moment
        return {
            "task": task,
            "tiling": tiling,
            "walk": walk,
            "step": step,
            "block": block,
            "asked": len(questions),
            "right": sum(each["verdict"] == "right" for each in questions),
        }


def _moment_of(scene: Scene) -> Moment:
    return scene.task_id, scene.topology.name, scene.walk, scene.step


def _question(answered: AnsweredQuestion, probes: Mapping[str, Probe]) -> dict[str, Any]:
    question, last = answered.question, answered.requests[-1]
    try:
        said: Any = answered.said()
    except Unreadable:
        said = None
    return {
        "probe": answered.place.probe,
        "text": question.text,
        "right": question.right,
        "outcome": str(last.outcome),
        "raw": last.raw_output,
        "reasoning": last.reasoning,
        "verdict": _verdict(answered, probes),
        "cells": {
            "asked": sorted(question.cells),
            "right": sorted(set(_cells_in(question.right))),
            "said": sorted(set(_cells_in(said))),
        },
    }


def _verdict(answered: AnsweredQuestion, probes: Mapping[str, Probe]) -> str:
    """Return ``right``, ``partly``, ``wrong``, ``unreadable``, or ``not graded`` if the probe is not installed."""
    probe = probes.get(answered.place.probe)
    if probe is None:
        return "not graded"
    with calling(owner_of("probe", probe, answered.place.probe), "grade"):
        grade = grade_answer(answered, probe).grade
    if grade is None:
        return "unreadable"
    score = next(iter(grade.scores.values())).f1
    return "right" if score == 1 else "partly" if score > 0 else "wrong"


def _cells_in(value: Any) -> Iterator[tuple[int, int]]:
    """Yield all pairs of integers in an answer, which denote cells."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _cells_in(each)
    elif isinstance(value, list):
        if len(value) == 2 and all(type(each) is int for each in value):
            yield value[0], value[1]
        else:
            for each in value:
                yield from _cells_in(each)


def _scores(
    answers: list[AnsweredQuestion], probes: Mapping[str, Probe], bases: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    for report in report_on(answers, probes, bases):
        measure = report.measures[0]
        yield {
            "probe": report.probe,
            "answered": report.answered,
            "unreadable": sum(report.unreadable.values()),
            "mazes": measure.mazes,
            "score": measure.score,
            "interval": list(measure.interval),
            "constant": measure.best_constant,
            "otherTask": measure.other_task,
        }
