"""A simulator of a robot in a warehouse.

It stands for any simulator that exists already: it has its own vocabulary, coordinates and rules, and knows nothing of
tasks, backends or models.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["Badge", "Place", "Shutter", "Warehouse"]

Place = tuple[int, int]
"""(row, column), counted from the bottom left."""

FACINGS = "NESW"
"""The directions in which the robot can face, clockwise."""
AHEAD = {"N": (1, 0), "E": (0, 1), "S": (-1, 0), "W": (0, -1)}

FLOOR, RACK, DOCK, ROBOT, NOSE = (230, 230, 220), (90, 60, 30), (0, 160, 0), (40, 40, 200), (250, 250, 250)
CODES = {
    "red": (220, 40, 40),
    "green": (40, 220, 40),
    "blue": (60, 60, 240),
    "purple": (150, 50, 190),
    "yellow": (240, 220, 40),
    "grey": (130, 130, 130),
}
"""How badges and shutters of a code are painted."""
SIDE = 6
"""The pixels along one side of a place."""


@dataclass(frozen=True)
class Badge:
    """Raises shutters of its code."""

    place: Place
    code: str


@dataclass(frozen=True)
class Shutter:
    """Bars the way until it is raised, for which a locked one needs a badge of its code, and then stays up."""

    place: Place
    code: str
    locked: bool
    raised: bool


@dataclass
class Warehouse:
    """A robot that drives to its dock; it drives over badges that lie on the floor, and carries any number of them."""

    rows: int
    columns: int
    racks: frozenset[Place]
    dock: Place
    robot: Place
    badges: Mapping[str, Badge]
    shutters: Mapping[str, Shutter]
    single_use: bool
    """Whether a badge is used up by the first shutter that it raises."""

    def __post_init__(self) -> None:
        self.place, self.facing = self.robot, "E"
        self.pocket: list[str] = []
        """The names of the carried badges, the last one on top."""
        self.lying = {name: badge.place for name, badge in self.badges.items()}
        self.grabbed: set[str] = set()
        self.raised = {name for name, shutter in self.shutters.items() if shutter.raised}

    @property
    def docked(self) -> bool:
        """Whether the robot is at its dock."""
        return self.place == self.dock

    @property
    def carried(self) -> str | None:
        """The name of the badge on top of the pocket."""
        return self.pocket[-1] if self.pocket else None

    def carry_out(self, order: str) -> None:
        """Carry out an order, if it is possible: left, right, drive, grab, put down, present badge or idle."""
        rows, columns = AHEAD[self.facing]
        ahead = self.place[0] + rows, self.place[1] + columns
        shut = next((name for name in self.shutters.keys() - self.raised if self.shutters[name].place == ahead), None)
        barred = ahead in self.racks or shut is not None
        if order in ("left", "right"):
            self.facing = FACINGS[(FACINGS.index(self.facing) + (1 if order == "right" else -1)) % len(FACINGS)]
        elif order == "drive" and not barred:
            self.place = ahead
        elif order == "grab":
            self._grab(ahead)
        elif order == "put down" and self.pocket and not (barred or ahead in (self.dock, *self.lying.values())):
            self.lying[self.pocket.pop()] = ahead
        elif order == "present badge" and shut is not None:
            self._raise(shut)

    def _grab(self, ahead: Place) -> None:
        for name in [name for name, place in self.lying.items() if place == ahead]:
            del self.lying[name]
            self.pocket.append(name)
            self.grabbed.add(name)

    def _raise(self, shutter: str) -> None:
        code, locked = self.shutters[shutter].code, self.shutters[shutter].locked
        fitting = [name for name in self.pocket if locked and self.badges[name].code == code]
        if fitting or not locked:
            self.raised.add(shutter)
        if fitting and self.single_use:
            self.pocket.remove(fitting[0])

    def picture(self) -> np.ndarray:
        """The view from above, north at the top: shape (rows * SIDE, columns * SIDE, 3), uint8."""
        floor = np.full((self.rows, self.columns, 3), FLOOR, dtype=np.uint8)
        for place in self.racks:
            floor[place] = RACK
        floor[self.dock] = DOCK
        for name in self.shutters.keys() - self.raised:
            floor[self.shutters[name].place] = CODES[self.shutters[name].code]
        large = floor.repeat(SIDE, axis=0).repeat(SIDE, axis=1)
        painted = [(place, 2, (0, 0), CODES[self.badges[name].code]) for name, place in self.lying.items()]
        painted += [(self.place, 1, (0, 0), ROBOT), (self.place, 2, AHEAD[self.facing], NOSE)]
        for place, margin, shift, color in painted:
            row, column = (SIDE * each + margin + by for each, by in zip(place, shift, strict=True))
            large[row : row + SIDE - 2 * margin, column : column + SIDE - 2 * margin] = color
        return np.ascontiguousarray(large[::-1])
