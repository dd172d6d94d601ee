"""Ranges of whole numbers, such as ``20-40``."""

from __future__ import annotations

import re

import attrs

__all__ = ["Band"]

FORM = re.compile(r"(\d+)(?:-(\d+))?")


@attrs.frozen
class Band:
    """The numbers from `least` to `most`, both included; raises ValueError if there are none."""

    least: int
    most: int

    def __attrs_post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError(f"the band {self} is empty: {self.least} is above {self.most}")

    @classmethod
    def parse(cls, text: str) -> Band:
        """A band from a text such as ``20-40`` or ``20``; raises ValueError for any other."""
        match = FORM.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"expected a number or a band such as 20-40, got '{text}'")
        least = int(match[1])
        return cls(least, least if match[2] is None else int(match[2]))

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.most

    def __str__(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"

    def distance(self, number: int) -> int:
        """How far a number is outside; 0 inside."""
        return max(self.least - number, number - self.most, 0)
