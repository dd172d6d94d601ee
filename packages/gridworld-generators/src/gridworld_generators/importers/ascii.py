"""The importer of drawings: a map of characters with a legend, as ``multinet tasks show`` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gridworld.ascii import read_drawing
from gridworld.generation.importer import Importer, Level, read_levels_in_texts
from gridworld.plugins import get_registry
from gridworld.task_spec import TaskSpecification

ENDINGS = (".txt", ".ascii")


class AsciiImporter(Importer):
    """Imports drawings of tasks, one per file; the source is a file, or a folder of ``*.txt`` and ``*.ascii`` files.

    Every drawing can be expressed as a task. The id defaults to the name of the file.
    """

    def levels(self, source: str) -> Iterator[Level]:
        """Yield the task of each drawing.

        Raises:
            ArgumentError: as `gridworld.generation.importer.read_levels_in_texts` does.
            DrawingError: a single file is not a drawing of a task; each problem has its line and column.
        """
        return read_levels_in_texts(source, ENDINGS, _read)


def _read(file: Path, text: str) -> Iterator[TaskSpecification]:
    yield read_drawing(text, get_registry(), file.stem, str(file))
