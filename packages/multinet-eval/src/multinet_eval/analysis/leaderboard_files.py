"""A leaderboard as files in a folder, each written whole or not at all, and always in the same way.

* ``leaderboard.json``: everything, the tests of all pairs among it;
* ``leaderboard.csv``: its table, RFC 4180 in UTF-8;
* ``leaderboard.md``: a page for people, in Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gridworld.support.files import replacing, write_text
from multinet_eval.analysis.leaderboard import Leaderboard
from multinet_eval.analysis.leaderboard_cells import cells_of, headings_of, notes_of, tables_by_axis
from multinet_eval.record.export import write_csv
from multinet_eval.support.json_text import json_text
from multinet_eval.support.markdown_text import markdown_text
from multinet_eval.support.writing import writing_to

__all__ = ["write_leaderboard"]


def write_leaderboard(found: Leaderboard, folder: Path) -> list[Path]:
    """Write all files; the folder is made if it is missing, and files of these names are replaced.

    Raises:
        GridworldError: they cannot be written.
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
            write_csv(rows[0], rows, place)
    return [*texts, table]


def _page(found: Leaderboard) -> Iterator[str]:
    yield "# Leaderboard"
    for note in notes_of(found):
        yield from ("", markdown_text(note))
    headings = [markdown_text(each) for each in headings_of(found)]
    for title, standings in tables_by_axis(found):
        yield from ("", f"## {title}", "", _line(headings), _line(["---"] * len(headings)))
        yield from (_line(map(markdown_text, cells_of(found, each))) for each in standings)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
