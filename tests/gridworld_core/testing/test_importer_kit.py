"""The kit for importers passes a sound one, and each of its checks catches a broken one."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.errors import ArgumentError
from gridworld.generation.importer import Importer
from gridworld.testing import ImporterConformance
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones
from support.worlds import draw


class Rows(Importer):
    """Reads a corridor from each line."""

    def levels(self, source: str) -> Any:
        try:
            lines = Path(source).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise ArgumentError(f"cannot read {source}") from error
        return [self.level(line) for line in lines]

    def level(self, line: str) -> Any:
        return draw(f"{'#' * len(line)}\n{line}\n{'#' * len(line)}")


class Invalid(Rows):
    def level(self, line: str) -> Any:
        return attrs.evolve(super().level(line), max_steps=0)


class Talking(Rows):
    def level(self, line: str) -> Any:
        return "a level"


class Mute(Importer):
    def levels(self, source: str) -> Any:
        return None


class Raising(Importer):
    def levels(self, source: str) -> Any:
        return [1 / len(Path(source).read_text(encoding="utf-8"))]


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "levels.txt"
    file.write_text("#@.G#\n", encoding="utf-8")
    return str(file)


def test_a_sound_importer_conforms(source: str) -> None:
    assert_conforms(ImporterConformance, importer=Rows, source=source)


LEVELS, REFUSES = "its_levels_are_tasks_or_say_why_not", "a_source_that_it_cannot_read_is_refused"
BROKEN = [(LEVELS, Invalid), (LEVELS, Talking), (LEVELS, Mute), (REFUSES, Mute), (REFUSES, Raising)]


@pytest.mark.parametrize(("check", "importer"), BROKEN)
def test_a_broken_importer_is_caught(check: str, importer: type[Importer], source: str) -> None:
    assert_caught(ImporterConformance, check, importer=importer, source=source)


def test_every_check_has_a_broken_importer() -> None:
    assert_has_broken_ones(ImporterConformance, [check for check, _ in BROKEN])
