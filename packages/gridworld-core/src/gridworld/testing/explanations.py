"""Checks of the explanations that plugins give to models."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from gridworld.testing.conformance import expect
from gridworld.world.mechanism_type import Explained

__all__ = ["expect_explained"]

PLACE = re.compile(r"[(\[]\s*\d+\s*,\s*\d+\s*[)\]]|\b(?:columns?|rows?|cells?)\s+\d|\b[xy]\s*=\s*\d", re.IGNORECASE)
"""Pattern of a cell's coordinates in a text."""


def expect_explained(explained: Any, what: str, values: Collection[str] = ()) -> None:
    """Check that an explanation is given, in one-line texts.

    Args:
        explained: the explanation.
        what: name of the explained object in messages.
        values: names of the possible states.

    Raises:
        NotConforming: the explanation is missing or has texts of several lines.
    """
    expect(isinstance(explained, Explained), f"{what} is {explained!r}", "return a gridworld.hookspecs.Explained")
    texts = (*explained.does, explained.looks)
    expect(all(isinstance(text, str) for text in texts), f"{what} holds {texts!r}", "tell everything in texts")
    expect(
        bool(explained.does) and all(text.strip() for text in explained.does),
        f"{what} tells nothing of what it does",
        "give `does` at least one sentence, and none that is empty",
    )
    expect(
        all("\n" not in text and "\t" not in text for text in texts),
        f"{what} holds line breaks or tabs: {texts!r}",
        "write each text on one line",
    )
    placed = [text for text in texts if PLACE.search(text)]
    expect(
        not placed,
        f"{what} names a place: {placed}",
        "tell what holds wherever it stands: models are told before they have seen anything",
    )
    unknown = sorted(set(explained.states or ()) - set(values))
    expect(not unknown, f"{what} names the states {unknown}, of {sorted(values)}", "name states among its `values`")
    expect(explained.states != (), f"{what} leaves no state that it can be in", "leave `states` out, or name some")
