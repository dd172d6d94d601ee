"""`PageEpisode`: an episode on the page, as far as it needs no pictures; made once, and kept (`Derived`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

from gridworld.errors import GridworldError
from gridworld.runner.record import EndReason, EpisodeEnd
from gridworld.support.files import FileError
from multinet_eval.analysis.metrics.episode_analysis import EpisodeAnalysis
from multinet_eval.analysis.metrics.known_tasks import KnownTask
from multinet_eval.analysis.mistakes.episode_mistakes import EpisodeMistakes, find_mistakes
from multinet_eval.record.episode_facts import EpisodeFacts
from multinet_eval.record.events import EpisodeRecord, read_episode
from multinet_eval.record.lines import RecordedLine
from multinet_eval.record.plan import PlannedEpisode
from multinet_eval.record.record_folders import RunError
from multinet_eval.record.run_directory import Attempt, RunDirectory
from multinet_report.analysis import Boards, chain_of, ways_of
from multinet_report.episode_data import episode_data
from multinet_report.page_file import packed_json
from multinet_report.page_mistakes import ending_row, step_rows, unknown_mistakes
from multinet_report.scene_data import check_step, read_scene

Row = dict[str, Any]


@attrs.frozen
class PageEpisode:
    """An episode on the page."""

    row: Row
    """Its state and figures."""
    problems: list[str] = attrs.Factory(list)
    """Parts that cannot be read."""
    notes: list[str] = attrs.Factory(list)
    """Harmless reasons why distances are missing."""
    facts: EpisodeFacts | None = None
    """Figures of all attempts that can be read; None if it has not begun, or its latest attempt cannot be read."""
    seconds: tuple[float, ...] = ()
    """Measured duration of each of their requests."""
    mistakes: EpisodeMistakes | None = None
    """Its mistakes; None if it has not ended."""
    scene: str | None = None
    """Digest of its scene, if that can be shown."""
    block: str | None = None
    """Its data, packed."""
    data: Row | None = None
    """Its data, if pictures have to be added before it is packed."""


class EpisodeReader:
    """Reads episodes of a run for the page.

    Args:
        directory: the run.
        boards: solved tasks.
    """

    def __init__(self, directory: RunDirectory, boards: Boards) -> None:
        self._directory = directory
        self._boards = boards
        self._scenes: dict[str, Row] = {}
        """Readable scenes by digest."""

    def read_all(self, episodes: Sequence[tuple[PlannedEpisode, Sequence[Attempt]]]) -> list[PageEpisode]:
        """Read episodes, in order."""
        return [self.read(planned, attempts) for planned, attempts in episodes]

    def read(self, planned: PlannedEpisode, attempts: Sequence[Attempt]) -> PageEpisode:
        """Read an episode; parts that cannot be read are told in its problems."""
        told = list[str]()
        try:
            begun = self._begun(attempts, told)
        except RunError as error:
            return PageEpisode({"state": "unreadable"}, [*told, str(error)])
        if not begun:
            return PageEpisode({"state": "not begun"}, told)
        records = [lines for lines, _ in begun]
        facts, seconds = EpisodeFacts.of(records), tuple(chain.from_iterable(map(_durations, records)))
        mistakes = None if facts.result is None else unknown_mistakes(facts.result)
        read = PageEpisode(_result_row(records[-1], facts), told, facts=facts, seconds=seconds, mistakes=mistakes)
        try:
            return self._opened(read, planned, *begun[-1])
        except RunError as error:  # it counts, but cannot be opened
            return attrs.evolve(read, problems=[*read.problems, str(error)])

    def _begun(self, attempts: Sequence[Attempt], told: list[str]) -> list[tuple[EpisodeRecord, list[RecordedLine]]]:
        """Return the readable attempts that have a header, the latest last, each as its record and its lines.

        Raises:
            RunError: the latest cannot be read.
        """
        begun: list[tuple[EpisodeRecord, list[RecordedLine]]] = []
        for each in reversed(attempts):
            try:
                written = list(each.lines())
                if written:
                    begun.append((read_episode(written), written))
            except FileError as error:
                if not begun:
                    raise RunError(str(error)) from error
                told.append(str(error))
        return begun[::-1]

    def _opened(
        self, read: PageEpisode, planned: PlannedEpisode, lines: EpisodeRecord, written: list[RecordedLine]
    ) -> PageEpisode:
        """Add the data of an episode, with its scene and distances; raises RunError if it cannot be read."""
        data, lost = episode_data(self._directory, written)
        problems, notes = [*read.problems, *lost], list(read.notes)
        read, analyzed = self._analyzed(read, planned, lines, problems, notes)
        data |= analyzed
        scene = None if data["scene"] is None else self._shown_scene(data, problems)
        requests = [*data["pending"], *(each for step in data["steps"] for each in step["requests"])]
        row = read.row | self._route(scene, read, data)
        found = attrs.evolve(read, row=row, problems=problems, notes=notes, scene=scene)
        if any(each["seen"] or "frame" in each for each in requests):
            return attrs.evolve(found, data=data)
        for each in requests:
            del each["seen"]
        return attrs.evolve(found, block=packed_json(data))

    def _shown_scene(self, data: Row, problems: list[str]) -> str | None:
        """Name the block of an episode's scene in its data, and return the digest; tell if it cannot be shown."""
        digest = str(data["scene"])
        try:
            if digest not in self._scenes:
                self._scenes[digest] = read_scene(self._directory, data["scene"])
            for number, step in enumerate(data["steps"], start=1):
                check_step(step, self._scenes[digest], f"step {number}")
        except RunError as error:
            problems.append(f"no board: {error}")
            data |= {"scene": None, "no_board": str(error)}
            return None
        data["scene"] = f"scene-{digest}"
        return digest

    def _route(self, scene: str | None, read: PageEpisode, data: Row) -> Row:
        """Return the cells that the agent visited, and the cell at which the decisive step was taken, if known."""
        if scene is None or not self._scenes[scene]["agent"]:
            return {}
        parts = [[self._scenes[scene]["agent"][0]]]
        decisive, cell = read.row.get("decisive_step"), None
        for number, step in enumerate(data["steps"], start=1):
            if number == decisive:
                cell = parts[-1][-1]
            now = step["agent"][0] if "agent" in step else parts[-1][-1]
            if any(event["kind"] == "Teleported" for event in step.get("events", ())):
                parts.append([now])
            elif now != parts[-1][-1]:
                parts[-1].append(now)
        return {"route": parts, "decisive_cell": cell}

    def _analyzed(
        self, read: PageEpisode, planned: PlannedEpisode, lines: EpisodeRecord, problems: list[str], notes: list[str]
    ) -> tuple[PageEpisode, Row]:
        """Return an episode with its mistakes, and its ``ways``, ``chain`` and ``mistakes``, each None if unknown."""
        end = lines.end or EpisodeEnd(EndReason.STOPPED)
        try:
            known = self._boards.known(self._directory, planned)
            task = planned.bound(self._directory.task(planned.task)) if known is None else known.world.task
            episode = EpisodeAnalysis(task, lines.header, tuple(lines.steps), end, known)
            ways = None if known is None else ways_of(episode)
            mistakes = find_mistakes(episode)
            found = read.mistakes and EpisodeMistakes.of(episode)
        except GridworldError as error:
            problems.append(f"no distances: {error}")
            return read, {"ways": None, "chain": None, "mistakes": []}
        if known is not None and ways is None:
            notes.append(f"no distances: {_why_not(known)}")
        row = read.row if found is None else read.row | ending_row(found, mistakes)
        analyzed = {"ways": ways, "chain": chain_of(episode), "mistakes": step_rows(mistakes)}
        return attrs.evolve(read, row=row, mistakes=found), analyzed


def read_in_worker(
    place: tuple[Path, int], episodes: Sequence[tuple[PlannedEpisode, Sequence[Attempt]]]
) -> list[PageEpisode]:
    """Read episodes of a run in a worker process, which keeps the solved tasks.

    Args:
        place: the run's folder, and the maximum number of states of a task (`Boards`).
        episodes: planned episodes and the attempts at each.
    """
    return _reader(*place).read_all(episodes)


@lru_cache(maxsize=1)
def _reader(path: Path, max_states: int) -> EpisodeReader:
    return EpisodeReader(RunDirectory(path), Boards(max_states))


def _why_not(known: KnownTask) -> str:
    """Return the reason why distances are missing."""
    if known.refusal is None:
        return "it cannot be won"
    advice = "" if known.refusal.limit is None else "; 'multinet report' has --max-states to allow more"
    return f"{known.refusal.reason}{advice}"


def _durations(lines: EpisodeRecord) -> list[float]:
    """Return the measured durations of the requests of an attempt."""
    return [each.usage.seconds for each in lines.requests if each.usage and each.usage.seconds]


def _result_row(lines: EpisodeRecord, facts: EpisodeFacts) -> Row:
    header, result = lines.header, facts.result
    row: Row = {
        "state": "unfinished",
        "tier": header.difficulty_tier,
        "mission": header.mission,
        "steps": len(lines.steps),
        "moves": _moves(lines),
        "max_steps": header.max_steps,
    }
    if result is None:
        return row
    return row | {
        "state": "finished",
        "success": result.success,
        "scored": result.scored,
        "end": facts.end,
        "steps": result.steps_taken,
        "optimal": result.optimal_steps,
        "unsolvable": result.unsolvable,
        "ratio": result.optimality_ratio,
        "reward": result.total_reward,
        "answered": result.answered,
        "tokens": result.usage.completion_tokens,
    }


def _moves(lines: EpisodeRecord) -> str:
    """Return the number of the action of each step, and ``-`` for a step without one."""
    return "".join("-" if step.action is None else str(step.action) for step in lines.steps)
