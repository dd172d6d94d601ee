"""Pages of a leaderboard: one with all tables, and one per entry with its runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from gridworld.support.files import safe_file_name
from gridworld.support.wording import counted
from multinet_eval.analysis.leaderboard import WHOLE, Entry, Leaderboard, Standing
from multinet_eval.analysis.leaderboard_output import cells_of, headings_of, notes_of, tables_by_axis
from multinet_eval.analysis.pages import PageProgress, WrittenPage, say_nothing
from multinet_eval.record.manifest import suites_told
from multinet_report.page_file import Blocks, page, write_page
from multinet_report.report import write_report

INDEX = "index.html"


def write_leaderboard(found: Leaderboard, folder: Path, progress: PageProgress = say_nothing) -> WrittenPage:
    """Write ``index.html`` with all tables and a grid of tasks and entries, and a page with the runs of each entry.

    Args:
        found: the leaderboard; its runs are read again.
        folder: folder for the pages; existing files are replaced.
        progress: called after each episode of any run.

    Raises:
        RunError: a run cannot be read.
        GridworldError: a page cannot be written.
    """
    numbers, planned = count(1), sum(len(run.played) for entry in found.entries for run in entry.runs)
    pages = [
        write_report(
            [run.path for run in entry.runs],
            folder / f"{number}-{safe_file_name(entry.name)}.html",
            progress=lambda _, of_entry: progress(next(numbers), planned),
        )
        for number, entry in enumerate(found.entries, start=1)
    ]
    blocks = Blocks()
    blocks.add_json("index", {"leaderboard": _data(found, [each.path.name for each in pages])})
    problems = tuple(problem for each in pages for problem in each.problems)
    notes = tuple(note for each in pages for note in each.notes)
    text = page("Leaderboard", blocks)
    return write_page(text, folder / INDEX, f"leads to {counted(len(pages), 'page')} of runs", problems, notes)


def _data(found: Leaderboard, pages: list[str]) -> dict[str, Any]:
    return {
        "suites": suites_told(found.suites),
        "notes": notes_of(found),
        "score": found.score,
        "tables": [_table(found, title, standings) for title, standings in tables_by_axis(found)],
        "entries": [{"name": each.name, "page": name} for each, name in zip(found.entries, pages, strict=True)],
        "tasks": _grid(found),
    }


def _table(found: Leaderboard, title: str, standings: list[Standing]) -> dict[str, Any]:
    first = 1 if standings[0].part == WHOLE else 0
    rows = [{"entry": each.entry.name, "cells": cells_of(found, each)[first:]} for each in standings]
    return {"title": title, "headings": headings_of(found)[first:], "rows": rows}


def _grid(found: Leaderboard) -> list[dict[str, Any]]:
    """Return one row per task and tiling, with the outcomes of each entry."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for number, entry in enumerate(found.entries):
        for task, tiling, tier, end in _played(entry):
            row = rows.setdefault(
                (task, tiling), {"task": task, "tiling": tiling, "tier": tier, "ends": [[] for _ in found.entries]}
            )
            row["ends"][number].append(end)
    return list(rows.values())


def _played(entry: Entry) -> Iterator[tuple[str, str, int, list[Any]]]:
    """Yield the task, tiling, tier and ``[run, episode, success]`` of each finished episode."""
    for number, run in enumerate(entry.runs):
        for each in run.played:
            planned = each.planned
            if each.result is not None:
                ground, tier = run.manifest.backend_on(planned.tiling), run.tasks[planned.task].difficulty_tier
                yield (
                    planned.task_id,
                    ground.tiling or "none",
                    tier,
                    [number, planned.number, each.result.success if each.result.scored else None],
                )
