"""A generator for tests: corridors in which everything that can go wrong with a drawing does so, as its seed says.

It is not installed: `installed` puts it into a registry as a plugin would.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import attrs

from gridworld.generation import Drawing, Generator, NothingDrawn
from gridworld.hookspecs import GeneratorInfo
from gridworld.plugins import Provided, Registry, get_registry, using_registry
from gridworld.task_spec import TaskSpecification
from worlds import door, draw, key

__all__ = ["Corridors", "Twins", "installed"]


@attrs.frozen(kw_only=True)
class Corridors(Generator):
    """Corridors with a door.

    Args:
        size: how long they are, border included.
        depth: 0 without a door, 1 with one.
        flaw: what is wrong with every other one.
    """

    size: int = attrs.field(default=9, validator=attrs.validators.ge(7))
    depth: int = attrs.field(default=0, validator=attrs.validators.in_((0, 1)))
    flaw: Literal["none", "nothing", "invalid", "unsolvable", "needless", "crash"] = "none"

    def __attrs_post_init__(self) -> None:
        if self.depth and self.flaw == "unsolvable":
            raise ValueError("a corridor with a door can always be solved")

    def draw(self, seed: int) -> Drawing:
        """A corridor whose goal is as far away as the seed says."""
        if seed % 2 and self.flaw != "none":
            return self._flawed(seed)
        return Drawing((self._corridor(seed),))

    def _corridor(self, seed: int, reachable: bool = True) -> TaskSpecification:
        inside = self.size - 2
        goal = 3 + seed // 2 % (inside - 3)
        row = ["@", *"." * (inside - 1)]
        row[goal] = "G"
        if not reachable:
            row[goal - 1] = "#"
        if self.depth:
            row[1:3] = "kD"
        picture = "\n".join(("#" * self.size, f"#{''.join(row)}#", "#" * self.size))
        if not self.depth:
            return draw(picture)
        task = draw(picture, k=key("red"), D=door("red"))
        chain = {"depth": 1, "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "D"}]}
        return TaskSpecification.from_dict({**task.to_dict(), "dependency_chain": chain})

    def _flawed(self, seed: int) -> Drawing:
        if self.flaw == "nothing":
            raise NothingDrawn("the seed is odd")
        if self.flaw == "crash":
            raise RuntimeError("the dice fell off the table")
        if self.flaw == "unsolvable":
            return Drawing((self._corridor(seed, reachable=False),))
        if self.flaw == "invalid":
            task = self._corridor(seed)
            return Drawing((attrs.evolve(task, maze=attrs.evolve(task.maze, start=(0, 0))),))
        needless = {"depth": 1, "sequence": [{"step": 1, "type": "key-door", "element": "k", "unlocks": "D"}]}
        task = draw(
            f"{'#' * self.size}\n#@{'.' * (self.size - 5)}GD#\n#k{'.' * (self.size - 3)}#\n{'#' * self.size}",
            k=key("red"),
            D=door("red"),
        )
        return Drawing((TaskSpecification.from_dict({**task.to_dict(), "dependency_chain": needless}),))


@attrs.frozen(kw_only=True)
class Twins(Generator):
    """Two corridors of one length.

    Args:
        claim: what is said of them.
    """

    claim: Literal["held", "varied"] = "held"

    def draw(self, seed: int) -> Drawing:
        """A corridor, and the same one with other sight."""
        (one,) = Corridors(size=40).draw(seed).tasks
        fog = attrs.evolve(one, rules=attrs.evolve(one.rules, observability="fog_of_war"))
        tasks = [attrs.evolve(task, metadata={"variant": name}) for name, task in (("clear", one), ("fog", fog))]
        length = ("length",)
        if self.claim == "held":
            return Drawing(tuple(tasks), held=length, varied=("observability",))
        return Drawing(tuple(tasks), varied=length)


@contextmanager
def installed() -> Iterator[Registry]:
    """A registry that has `Corridors` as ``corridors`` and `Twins` as ``twins``, in use inside a ``with`` block."""
    kinds = {"corridors": Corridors, "twins": Twins}
    provided = [
        Provided(GeneratorInfo(name, "For tests.", f"{__name__}:{kind.__name__}"), "gridworld-core", "corridors")
        for name, kind in kinds.items()
    ]
    registry = get_registry()
    with using_registry(registry.with_provided("generator", [*registry.generators, *provided])) as used:
        yield used
