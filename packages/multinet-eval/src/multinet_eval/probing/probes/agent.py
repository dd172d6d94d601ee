"""Probes about the agent: ``pose``, ``distance`` and ``effects``."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from gridworld.actions import ACTION_SPACE
from gridworld.observations.shown_cells import describe_heading
from gridworld.solver import solve
from gridworld.task_spec import Position
from gridworld.world.rules import transition
from multinet_eval.probing.probe import Grade, Item, Probe, ProbeQuestion, Scene, Unreadable, overlap, verdict
from multinet_eval.probing.probes.answer_parts import read_cell, read_integer, read_word


class PoseProbe(Probe):
    """Asks for the agent's cell and direction, with the directions in random order."""

    name = "pose"

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question."""
        topology, state = scene.topology, scene.state
        directions = [describe_heading(topology, heading) for heading in range(topology.heading_count)]
        facing = directions[state.heading]
        dice.shuffle(directions)
        text = (
            "Where is the agent, and which way does it face? Answer with a JSON object: "
            f'{{"cell": [column, row], "facing": one of {", ".join(directions)}}}.'
        )
        yield ProbeQuestion(text, {"cell": list(scene.agent), "facing": facing}, {"directions": directions})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> tuple[Position, str]:
        """Read the cell and the direction."""
        cell, facing = read_cell(said, "cell"), read_word(said, "facing")
        if facing not in question.facts["directions"]:
            raise Unreadable(f"facing: '{facing}' is not a direction")
        return cell, facing

    def grade(self, question: ProbeQuestion, truth: tuple[Position, str], answer: tuple[Position, str]) -> Grade:
        """Grade three measures: both, the cell, and the direction."""
        at, faces = answer[0] == truth[0], answer[1] == truth[1]
        scores = {"both": verdict(at and faces), "cell": verdict(at), "facing": verdict(faces)}
        return Grade(scores, (Item({"thing": f"facing {truth[1]}"}, f"facing {answer[1]}", faces),))


MOST_STATES = 200_000
"""State limit of the solver; larger scenes are skipped."""
NEAR = 0.2
"""Relative tolerance of a nearly right answer."""


class DistanceProbe(Probe):
    """Asks for the length of a shortest plan from the current state."""

    name = "distance"
    needs_everything = True

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question, if a plan exists."""
        length = solve(scene.world, MOST_STATES, scene.state).length
        if length is None:
            return
        text = (
            f"The mission is: {scene.input.text_prompt}\n"
            "What is the least number of actions that accomplishes it from here, turns counted? Answer with a JSON "
            'object: {"actions": number}.'
        )
        yield ProbeQuestion(text, {"actions": length})

    def read(self, question: ProbeQuestion, said: Mapping[str, Any]) -> int:
        """Read the number."""
        number = read_integer(said, "actions")
        if number < 0:
            raise Unreadable(f"actions: expected at least 0, got {number}")
        return number

    def grade(self, question: ProbeQuestion, truth: int, answer: int) -> Grade:
        """Grade two measures: exactly right, and within `NEAR`."""
        scores = {"right": verdict(answer == truth), "near": verdict(abs(answer - truth) <= NEAR * truth)}
        return Grade(scores, (Item({"distance": _band(truth)}, _band(answer), answer == truth),))


def _band(length: int) -> str:
    return "1-4" if length < 5 else "5-9" if length < 10 else "10-19" if length < 20 else "20+"


class EffectsProbe(Probe):
    """Asks which of the seven actions would change anything; ``done`` waits and has no effect."""

    name = "effects"
    needs_everything = True

    def questions(self, scene: Scene, dice: random.Random) -> Iterable[ProbeQuestion]:
        """Ask one question, with the actions in random order."""
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
        """Read the names of actions."""
        given = said.get("actions")
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise Unreadable("actions: expected a list of names")
        names = frozenset(" ".join(each.casefold().split()) for each in given)
        unknown = sorted(names - set(ACTION_SPACE.values()))
        if unknown:
            raise Unreadable(f"actions: '{unknown[0]}' is no action")
        return names

    def grade(self, question: ProbeQuestion, truth: frozenset[str], answer: frozenset[str]) -> Grade:
        """Compute the micro-F1 over the actions, and whether the set is exactly right."""
        items = tuple(
            Item({"thing": name}, name if name in answer else "no effect", name in answer) for name in sorted(truth)
        )
        return Grade({"actions": overlap(truth, answer), "exact": verdict(truth == answer)}, items)


def _has_effect(scene: Scene, action: int) -> bool:
    _, events = transition(scene.world, scene.state, action)
    return bool(events) and events[0].effective
