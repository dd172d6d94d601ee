"""Errors of the toolkit can be sent to other processes."""

import pickle

import pytest

from gridworld.errors import (
    AmbiguousNameError,
    ArgumentError,
    GridworldError,
    InvalidAction,
    InvalidTaskError,
    PluginFault,
    Problem,
    TaskFormatError,
    UnknownNameError,
)


class Elaborate(GridworldError):
    """One with a constructor and fields of its own."""

    def __init__(self, number: int, *, name: str) -> None:
        super().__init__(f"{name}: {number}")
        self.number = number


@pytest.mark.parametrize(
    "error",
    [
        AmbiguousNameError("model", "m", ["a/m", "b/m"]),
        ArgumentError("text"),
        Elaborate(3, name="three"),
        InvalidAction("text"),
        InvalidTaskError([Problem("goal", "is missing")], source="a.json"),
        PluginFault("text"),
        TaskFormatError([Problem("", "is no object")]),
        UnknownNameError("tiling", "hexx", ["hex"], listed_as="there are"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_that_is_sent_arrives_as_it_was(error: GridworldError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert (str(arrived), arrived.args, vars(arrived)) == (str(error), error.args, vars(error))
