"""`ImporterConformance`: the checks that every importer of levels must pass."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, get_args

from gridworld.errors import GridworldError, describe_value
from gridworld.generation.importer import Importer, Level
from gridworld.hookspecs import ImporterInfo
from gridworld.task_spec import TaskSpecification
from gridworld.testing.conformance import TargetConformance, calling, expect


class ImporterConformance(TargetConformance):
    """The checks of an importer, to be subclassed in its author's tests.

    class TestLevels(ImporterConformance):
        importer = LevelImporter
        source = "levels.txt"
    """

    kind: ClassVar[str] = "importer"
    base: ClassVar[type] = Importer

    importer: ClassVar[ImporterInfo | type[Importer] | str]
    """The class, its descriptor, its import string, or its name if it is installed."""

    source: ClassVar[str | None] = None
    """A source of levels that the importer can read; None skips the check that needs one."""

    def test_its_levels_are_tasks_or_say_why_not(self) -> None:
        """Each level of the source is a valid task, `Inexpressible` or `Unreadable`."""
        if self.source is None:
            return
        with calling(f"levels of {self.source}"):
            levels = self._levels(self.source)
        expect(levels, f"there is no level in {self.source}")
        for task in levels:
            _, problems = task.validate() if isinstance(task, TaskSpecification) else (True, [])
            expect(not problems, f"a level is no valid task: {problems}")

    def test_a_source_that_it_cannot_read_is_refused(self) -> None:
        """A missing or empty file leads to an `ArgumentError`, a `TaskError`, or no level."""
        with TemporaryDirectory() as folder:
            empty = Path(folder) / "empty.txt"
            empty.touch()
            for source in (str(empty), str(Path(folder) / "missing.txt")):
                with calling("levels of a file that is missing or empty"), suppress(GridworldError):
                    self._levels(source)

    def _levels(self, source: str) -> list[Any]:
        """Return the levels of a source; only a `GridworldError` may reject it."""
        found = self.make().levels(source)
        expect(isinstance(found, Iterable) and not isinstance(found, str), f"levels returns {describe_value(found)}")
        levels = list(found)
        for level in levels:
            expect(isinstance(level, get_args(Level)), f"levels yields {describe_value(level)}")
        return levels
