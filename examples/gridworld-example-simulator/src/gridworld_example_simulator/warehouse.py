"""A simulator of a robot in a warehouse.

It stands for any simulator that exists already: it has its own vocabulary, coordinates and rules, and knows nothing of
tasks, backends or models.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["FACINGS", "Badge", "FloorPlan", "Place", "Shutter", "Warehouse"]

Place = tuple[int, int]
"""(row, column), counted from the bottom left."""

FACINGS = "NESW"
"""The directions in which the robot can face, clockwise."""
AHEAD = {"N": (1, 0), "E": (0, 1), "S": (-1, 0), "W": (0, -1)}

FLOOR, RACK, DOCK, ROBOT, NOSE = (230, 230, 220), (90, 60, 30), (0, 160, 0), (40, 40, 200), (250, 250, 250)
SIDE = 6
"""The pixels along one side of a place."""

Color = tuple[int, int, int]


@dataclass(frozen=True)
class Badge:
    """Raises shutters of its code."""

    place: Place
    code: str
    color: Color


@dataclass(frozen=True)
class Shutter:
    """Bars the way until it is raised, and then stays up."""

    place: Place
    code: str | None
    """The code of the badge that raises it; None if no badge is needed."""
    color: Color
    raised: bool = False


@dataclass(frozen=True)
class FloorPlan:
    """A warehouse at opening time."""

    rows: int
    columns: int
    racks: frozenset[Place]
    dock: Place
    robot: Place
    charge: int
    """The number of orders that the battery lasts for."""
    badges: Mapping[str, Badge]
    shutters: Mapping[str, Shutter]
    single_use: bool = True
    """Whether a badge is used up by the first shutter that it raises."""


class Warehouse:
    """A robot that drives to its dock.

    It drives over badges that lie on the floor, and may carry any number of them.
    """

    def __init__(self, plan: FloorPlan) -> None:
        self.plan = plan
        self.restart()

    def restart(self) -> None:
        """Go back to opening time."""
        self.place = self.plan.robot
        self.facing = "E"
        self.orders = 0
        self.pocket: list[str] = []
        """The names of the carried badges, the last one on top."""
        self.lying = {name: badge.place for name, badge in self.plan.badges.items()}
        self.grabbed: set[str] = set()
        self.raised = {name for name, shutter in self.plan.shutters.items() if shutter.raised}

    @property
    def docked(self) -> bool:
        """Whether the robot is at its dock."""
        return self.place == self.plan.dock

    @property
    def flat(self) -> bool:
        """Whether the battery is empty."""
        return self.orders >= self.plan.charge

    @property
    def carried(self) -> str | None:
        """The name of the badge on top of the pocket."""
        return self.pocket[-1] if self.pocket else None

    def carry_out(self, order: str) -> None:
        """Carry out one of `ORDERS`; one that is impossible costs its charge all the same.

        Raises:
            KeyError: there is no such order.
        """
        ORDERS[order](self)
        self.orders += 1

    def _place_ahead(self) -> Place:
        rows, columns = AHEAD[self.facing]
        return self.place[0] + rows, self.place[1] + columns

    def _shutter_at(self, place: Place) -> str | None:
        lowered = (name for name, shutter in self.plan.shutters.items() if name not in self.raised)
        return next((name for name in lowered if self.plan.shutters[name].place == place), None)

    def _turn_left(self) -> None:
        self.facing = FACINGS[FACINGS.index(self.facing) - 1]

    def _turn_right(self) -> None:
        self.facing = FACINGS[(FACINGS.index(self.facing) + 1) % len(FACINGS)]

    def _drive(self) -> None:
        ahead = self._place_ahead()
        if ahead not in self.plan.racks and self._shutter_at(ahead) is None:
            self.place = ahead

    def _grab(self) -> None:
        ahead = self._place_ahead()
        found = next((name for name, place in self.lying.items() if place == ahead), None)
        if found is not None:
            del self.lying[found]
            self.pocket.append(found)
            self.grabbed.add(found)

    def _put_down(self) -> None:
        ahead = self._place_ahead()
        taken = ahead in self.plan.racks or ahead in self.lying.values() or ahead == self.plan.dock
        if self.pocket and not taken and self._shutter_at(ahead) is None:
            self.lying[self.pocket.pop()] = ahead

    def _present_badge(self) -> None:
        name = self._shutter_at(self._place_ahead())
        if name is None:
            return
        code = self.plan.shutters[name].code
        fitting = next((badge for badge in self.pocket if self.plan.badges[badge].code == code), None)
        if code is None or fitting is not None:
            self.raised.add(name)
        if fitting is not None and self.plan.single_use:
            self.pocket.remove(fitting)

    def _idle(self) -> None:
        pass

    def picture(self) -> np.ndarray:
        """The view from above, north at the top: shape (rows * SIDE, columns * SIDE, 3), uint8."""
        plan = self.plan
        floor = np.full((plan.rows, plan.columns, 3), FLOOR, dtype=np.uint8)
        for place in plan.racks:
            floor[place] = RACK
        floor[plan.dock] = DOCK
        for name, shutter in plan.shutters.items():
            if name not in self.raised:
                floor[shutter.place] = shutter.color
        large = floor.repeat(SIDE, axis=0).repeat(SIDE, axis=1)
        for name, place in self.lying.items():
            _paint(large, place, 2, (0, 0), plan.badges[name].color)
        _paint(large, self.place, 1, (0, 0), ROBOT)
        _paint(large, self.place, 2, AHEAD[self.facing], NOSE)
        return np.ascontiguousarray(large[::-1])


ORDERS: dict[str, Callable[[Warehouse], None]] = {
    "left": Warehouse._turn_left,
    "right": Warehouse._turn_right,
    "drive": Warehouse._drive,
    "grab": Warehouse._grab,
    "put down": Warehouse._put_down,
    "present badge": Warehouse._present_badge,
    "idle": Warehouse._idle,
}
"""What the robot can be told."""


def _paint(picture: np.ndarray, place: Place, margin: int, shift: Place, color: Color) -> None:
    """Paint a square inside a place, shifted by some pixels."""
    row, column = (SIDE * each + margin + by for each, by in zip(place, shift, strict=True))
    size = SIDE - 2 * margin
    picture[row : row + size, column : column + size] = color
