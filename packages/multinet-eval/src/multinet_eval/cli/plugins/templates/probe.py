import random
from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.hookspecs import ProbeInfo
from multinet_eval import Grade, Probe, ProbeQuestion, Scene, read_integer, verdict


class WidthProbe(Probe):
    """How many columns the board has."""

    name = "width"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        text = 'How many columns has the board? Answer in JSON: {"columns": number}.'
        yield ProbeQuestion(text, {"columns": scene.topology.width})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> int:
        return read_integer(said, "columns")

    def grade(self, question: ProbeQuestion, truth: int, answer: int) -> Grade:
        return Grade({"right": verdict(answer == truth)})


WIDTH = ProbeInfo("width", "How many columns there are.", f"{__name__}:WidthProbe")
