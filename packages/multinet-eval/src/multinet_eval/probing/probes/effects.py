"""``effects``: which actions would have an effect."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.world.rules import transition
from multinet_eval.probing.grading import Grade, Item, Unreadable, overlap, verdict
from multinet_eval.probing.probe import Probe, ProbeQuestion
from multinet_eval.probing.scene import Scene

__all__ = ["EffectsProbe"]


class EffectsProbe(Probe):
    """Asks which of the seven actions would change anything; ``done`` waits, which is no effect of its own."""

    name = "effects"
    needs_everything = True

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """One question, with the actions in an order that the dice give."""
        listed = [(number, name) for number, name in ACTION_SPACE.items() if name != "done"]
        dice.shuffle(listed)
        right = [name for number, name in listed if _has_effect(scene, number)]
        text = (
            f"Which of these actions would have an effect now: {', '.join(name for _, name in listed)}? To bump into "
            "something, or to act on nothing, is no effect. Answer with a JSON object: "
            '{"actions": [names of those that would]}.'
        )
        yield ProbeQuestion(text, {"actions": right})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> frozenset[str]:
        """The names of actions."""
        given = said.get("actions")
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise Unreadable("actions: expected a list of names")
        names = frozenset(" ".join(each.casefold().split()) for each in given)
        unknown = sorted(names - set(ACTION_SPACE.values()))
        if unknown:
            raise Unreadable(f"actions: '{unknown[0]}' is no action")
        return names

    def grade(self, question: ProbeQuestion, truth: frozenset[str], answer: frozenset[str]) -> Grade:
        """Micro-F1 of the actions, and the share of sets that are entirely right."""
        items = tuple(
            Item({"thing": name}, name if name in answer else "no effect", name in answer) for name in sorted(truth)
        )
        return Grade({"actions": overlap(truth, answer), "exact": verdict(truth == answer)}, items)


def _has_effect(scene: Scene, action: int) -> bool:
    _, events = transition(scene.world, scene.state, action)
    return bool(events) and events[0].effective
