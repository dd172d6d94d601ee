"""A suite of quick tasks that are won and lost in different numbers of steps."""

from pathlib import Path

import pytest

from evaluating import write_corridor
from worlds import door, key


@pytest.fixture(scope="session")
def six_tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corridors of several lengths, and one with a door."""
    folder = tmp_path_factory.mktemp("suites") / "six"
    for number, row in enumerate(("@.G", "@....G", "@..G", "@.....G", "@...G")):
        write_corridor(folder, f"corridor_{number}", row, max_steps=5 + 3 * number)
    write_corridor(folder, "door", "@kD.G", tier=2, max_steps=30, k=key(), D=door("red"))
    return folder
