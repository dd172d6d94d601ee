"""``cell``: what is on a cell."""

from __future__ import annotations

import random
from collections.abc import Iterable

from gridworld.task_spec import Position
from multinet_eval.probing.board import contents_of
from multinet_eval.probing.names import read_names
from multinet_eval.probing.probe import ProbeQuestion
from multinet_eval.probing.probes.labels import labels_of
from multinet_eval.probing.probes.options import BARE, OptionsProbe, absent_things, options_question
from multinet_eval.probing.scene import Scene

__all__ = ["CellProbe"]


class CellProbe(OptionsProbe):
    """Asks for a cell with a thing, a wall inside the border and a bare cell, where there are such."""

    name = "cell"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """A question for each of the three; never for the agent's cell, or for one that is not shown."""
        shown = dict(_shown_cells(scene))
        things = sorted({words for words in shown.values() if words not in ("wall", BARE)})
        absent = absent_things(scene, dice)
        for wanted in (things, ["wall"], [BARE]):
            cells = sorted(cell for cell, words in shown.items() if words in wanted)
            if not cells:
                continue
            cell = dice.choice(cells)
            others = [*dice.sample(things, min(2, len(things))), *absent[:1], "wall", BARE, *absent[1:]]
            text = f"What is on the cell [{cell.x}, {cell.y}]?"
            labels = labels_of(read_names(shown[cell])[-1], cell, scene.agent)
            yield options_question(text, shown[cell], others, {"labels": labels}, dice)


def _shown_cells(scene: Scene) -> Iterable[tuple[Position, str]]:
    topology = scene.topology
    for y in range(1, topology.height - 1):
        for x in range(1, topology.width - 1):
            cell = Position(x, y)
            look = scene.look(topology.anchor(cell))
            if look is not None and cell != scene.agent:
                yield cell, " and ".join(contents_of(look, scene)) or BARE
