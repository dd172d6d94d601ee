"""Output of a leaderboard: tables for terminals and pages, and files in a folder.

Each file is written atomically and reproducibly:

* ``leaderboard.json``: everything, including the tests of all pairs;
* ``leaderboard.csv``: its table, RFC 4180 in UTF-8;
* ``leaderboard.md``: a page in Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from gridworld.support.files import replacing, write_text
from gridworld.support.wording import counted
from multinet_eval.analysis.export import write_csv_file
from multinet_eval.analysis.leaderboard import WHOLE, Leaderboard, Part, Standing
from multinet_eval.record.manifest import suites_told
from multinet_eval.statistics.paired_differences import Estimate
from multinet_eval.support.output import json_text, markdown_text, writing_to
from multinet_eval.verify.verification import NOT_PROVEN

READING = (
    "The ranks of an entry run from 1 plus the number of significantly better entries to the number of entries minus "
    "the significantly worse ones, by paired sign-flip tests at level 0.05. Holm's method adjusts the tests of all "
    "pairs within a part, which form a family, but not across parts, so some of many parts show a difference by "
    "chance. A significant test means that two entries are not interchangeable on every maze; the mean decides which "
    "one is called better. Entries with equal means and unequal spread may be told apart, too. Each score has its own "
    "95 % interval; intervals may overlap although a test shows a difference."
)
"""Explanation of the tables."""
WHO = ("Part", "Ranks", "Entry")
SCORES = ("Success", "95 % interval", "Bounds", "SPL", "95 % of SPL")
"""Headings of score columns; the bounds of the success rate are shown only if episodes are missing."""
COUNTS = ("Mazes", "Episodes", "Missing")
SPL_MAZES = "Mazes of SPL"
"""Heading for the number of mazes of an SPL; shown only if some are missing."""
SHOWN = ("success", "spl")
"""Scores that are always shown."""
UNVERIFIED = "not verified"
UNFINISHED = "unfinished"


def tables_by_axis(found: Leaderboard) -> Iterator[tuple[str, list[Standing]]]:
    """Yield the title and standings of each table: first all episodes, then one for each criterion."""
    for axis, standings in groupby(found.standings, key=lambda each: each.part.axis):
        yield ("Leaderboard" if axis == "all" else f"By {axis}", list(standings))


def headings_of(found: Leaderboard) -> list[str]:
    """Return the headings of the tables; scores come right after the names, so that narrow screens show them."""
    own = [] if found.score in SHOWN else [found.score, f"95 % of {found.score}"]
    return [*WHO, *own, *SCORES, *[SPL_MAZES] * _is_partial(found), *COUNTS]


def _is_partial(found: Leaderboard) -> bool:
    """Whether an SPL covers fewer mazes than its success rate."""
    return any(each.scores["spl"].clusters < each.scores["success"].clusters for each in found.standings)


def notes_of(found: Leaderboard) -> list[str]:
    """Return notes on the tables, one paragraph each."""
    weights = found.weights
    given = "" if weights is None else f", with the weights of {weights.path.name}, SHA-256 {weights.sha256}"
    varied = [path for path in found.varied if not path.startswith("model.")]
    return [
        f"Ranked by {found.score} on {suites_told(found.suites)}{given}. {READING}",
        *_families(found),
        *_majorities(found),
        NOT_PROVEN,
        *([f"Settings that differ between runs: {', '.join(varied)}."] if varied else []),
    ]


def _families(found: Leaderboard) -> Iterator[str]:
    """Yield the number of tests in each part's family."""
    counts = {part: len(list(pairs)) for part, pairs in groupby(found.pairs, key=lambda each: each.part)}
    if counts:
        told = (f"{_called(part)}: {counted(number, 'test')}" for part, number in counts.items())
        yield f"Families of tests, by part: {'; '.join(told)}."


def _called(part: Part) -> str:
    return "all" if part == WHOLE else f"{part.axis} {part.value}"


def _majorities(found: Leaderboard) -> Iterator[str]:
    """Yield the significant pairs in which most mazes favour the other entry."""
    for each in found.pairs:
        winner = each.tested.winner
        if winner is not None and each.tested.majority_disagrees:
            better, worse = (each.first, each.second) if winner == each.tested.first else (each.second, each.first)
            more, of = max(each.tested.better, each.tested.worse), len(each.tested.differences)
            yield (
                f"{_called(each.part)}: {better.name} ranks above {worse.name} by its mean, but {worse.name} is better "
                f"in {more} of {of} mazes."
            )


def cells_of(found: Leaderboard, standing: Standing) -> list[str]:
    """Return the cells of a row, one for each heading."""
    success, spl, rank = standing.scores["success"], standing.scores["spl"], standing.rank
    entry = standing.entry
    marks = [UNVERIFIED] * (not entry.verified) + [UNFINISHED] * (not entry.complete)
    return [
        standing.part.value,
        str(rank.first) if rank.first == rank.last else f"{rank.first} to {rank.last}",
        f"{entry.name} [{', '.join(marks)}]" if marks else entry.name,
        *([] if found.score in SHOWN else _score(standing.scores[found.score])),
        *_score(success),
        _range(success.bounds) if success.missing else "-",
        *_score(spl),
        *[str(spl.clusters)] * _is_partial(found),
        str(success.clusters),
        str(success.episodes),
        str(success.missing),
    ]


MISTAKES = ("Entry", "Needed to", "Did", "Decisive in episodes", "Failed episodes", "Mean share of waste")
"""Headings of the table of each entry's first row of mistakes; the share is of the wasted steps."""


def mistake_rows_of(found: Leaderboard) -> list[list[str]]:
    """Return the first row of mistakes of each entry that has any, with the cells of `MISTAKES`."""
    rows = []
    for entry, table in zip(found.entries, found.mistakes, strict=True):
        for row in table.rows[:1]:
            counts = [str(row.decisive), str(table.failed), f"{row.share:.0%}"]
            rows.append([entry.name, row.needed or "-", row.did, *counts])
    return rows


def _score(estimate: Estimate) -> list[str]:
    if estimate.score is None:
        return ["-", "-"]
    return [f"{estimate.score:z.3f}", _range(estimate.interval)]


def _range(ends: tuple[float, float]) -> str:
    return f"{ends[0]:z.3f} to {ends[1]:z.3f}"


def write_leaderboard(found: Leaderboard, folder: Path) -> list[Path]:
    """Write all files; creates the folder and replaces existing files.

    Raises:
        GridworldError: the files cannot be written.
    """
    rows, table = found.table(), folder / "leaderboard.csv"
    texts = {
        folder / "leaderboard.json": json_text(found.to_dict()) + "\n",
        folder / "leaderboard.md": "\n".join(_page(found)) + "\n",
    }
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            write_text(path, text)
        with replacing(table) as place:
            write_csv_file(rows[0], rows, place)
    return [*texts, table]


def _page(found: Leaderboard) -> Iterator[str]:
    yield "# Leaderboard"
    for note in notes_of(found):
        yield from ("", markdown_text(note))
    headings = [markdown_text(each) for each in headings_of(found)]
    for title, standings in tables_by_axis(found):
        yield from ("", f"## {title}", "", _line(headings), _line(["---"] * len(headings)))
        yield from (_line(map(markdown_text, cells_of(found, each))) for each in standings)
    if rows := mistake_rows_of(found):
        yield from ("", "## Main mistakes", "", _line(MISTAKES), _line(["---"] * len(MISTAKES)))
        yield from (_line(map(markdown_text, row)) for row in rows)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
