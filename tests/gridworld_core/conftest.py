"""Contents of task files that several test modules use."""

from typing import Any

import pytest

from support.worlds import describe, describe_every_field


@pytest.fixture
def plain() -> dict[str, Any]:
    """The contents of a valid task file without mechanisms: start (1, 1), goal (3, 1), and (2, 1) between them."""
    return describe("#####\n#@.G#\n#####")


@pytest.fixture
def full() -> dict[str, Any]:
    """The contents of a valid task file in which every part and every field is used."""
    return describe_every_field()
