"""The generators that the tests of this folder draw from."""

from collections.abc import Iterator

import pytest

from gridworld.plugins import Registry
from support.sample_plugins import installed


@pytest.fixture
def generators() -> Iterator[Registry]:
    """A registry with the generators `Corridors`, in use."""
    with installed() as registry:
        yield registry
