"""The importer of Sokoban levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from gridworld.actions import Action
from gridworld.generation.importer import Importer, Inexpressible, Level, read_levels_in_texts
from gridworld.goals import PUSH_BLOCK_TO
from gridworld.mechanisms.blocks import BLOCKS, BlockSpec
from gridworld.plugins.tilings import find_tiling, lay_out
from gridworld.solver import Verdict, replay, solve
from gridworld.task.catalogs import GivenTypes
from gridworld.task.colors import COLOR_NAMES
from gridworld.task.validation import MAX_SIDE, MAX_STEPS
from gridworld.task_spec import GoalSpec, MazeLayout, MechanismSet, Position, TaskSpecification
from gridworld.world import State, World, compile_world
from gridworld_generators.importers.sokoban_text import SokobanLevel, read_sokoban

ENDINGS = (".txt", ".xsb", ".sok")
ASSIGNMENT = "each box belongs on the target where a shortest solution with boxes that are alike puts it"


class NoCounterpart(Exception):
    """A level cannot be expressed as a task; the message says why."""


class SokobanImporter(Importer):
    """Imports Sokoban levels; the source is a file, or a folder of ``*.txt``, ``*.xsb`` and ``*.sok`` files.

    In Sokoban any box may end on any target; in a task each block has its own target: the one on which the box ends in
    a shortest solution of the level with interchangeable boxes. The task can be won in as few actions as the level, but
    a solution that exchanges boxes does not win it. Unlike in Sokoban, turning counts as an action.

    Args:
        max_states: number of states to search per level; a level without a solution among them is inexpressible.
        budget_factor: step budget as a multiple of the shortest solution, at least 1.
    """

    def __init__(self, max_states: int = 500_000, budget_factor: float = 3.0) -> None:
        if max_states < 1:
            raise ValueError(f"max_states: expected at least 1, got {max_states}")
        if not 1 <= budget_factor <= 1000:
            raise ValueError(f"budget_factor: expected 1 to 1000, got {budget_factor}")
        self._max_states = max_states
        self._budget_factor = budget_factor

    def levels(self, source: str) -> Iterator[Level]:
        """Yield the task of each level.

        Raises:
            ArgumentError: as `gridworld.generation.importer.read_levels_in_texts` does, or a single file has no level.
        """
        return read_levels_in_texts(source, ENDINGS, self._read, other_encoding="latin-1")

    def _read(self, file: Path, text: str) -> Iterator[TaskSpecification | Inexpressible]:
        for number, level in enumerate(read_sokoban(text), start=1):
            name = f"{file}, line {level.first_line}, level {number}{f' ({level.title})' if level.title else ''}"
            try:
                yield self._task_of(level, f"{file.stem}-{number:03d}")
            except NoCounterpart as reason:
                yield Inexpressible(name, str(reason))

    def _task_of(self, level: SokobanLevel, task_id: str) -> TaskSpecification:
        """Return the task of a level; raises `NoCounterpart`."""
        if level.problem:
            raise NoCounterpart(level.problem)
        if not all(side <= MAX_SIDE for side in level.size):
            raise NoCounterpart("it has {} x {} cells, expected at most {} each".format(*level.size, MAX_SIDE))
        inside = _inside(level)
        targets = [cell for cell in level.targets if cell in inside]
        boxes = [cell for cell in level.boxes if cell in inside]
        _refuse_numbers(level, boxes, targets)
        task = _with_targets(level, task_id, inside, boxes, targets)
        solved = self._solve(task)
        if solved is None:
            return task
        plan, final = solved
        chosen = _with_targets(level, task_id, inside, boxes, final)
        told = {"title": level.title, "line": level.first_line, "assignment": ASSIGNMENT}
        steps = min(math.ceil(self._budget_factor * len(plan)), MAX_STEPS)
        return attrs.evolve(chosen, max_steps=steps, metadata={"sokoban": told})

    def _solve(self, task: TaskSpecification) -> tuple[tuple[Action, ...], list[Position]] | None:
        """Return a shortest solution with interchangeable boxes, and where each box ends; None if there is none.

        Raises:
            NoCounterpart: the search gave up.
        """
        world = compile_world(task, lay_out(find_tiling("square"), task), ALIKE)
        solution = solve(world, self._max_states)
        if solution.verdict is Verdict.GAVE_UP:
            advice = solution.advice(self._max_states)
            raise NoCounterpart(f"no solution was found within {solution.states_seen} states{advice}")
        if solution.plan is None:
            return None
        final = replay(world, solution.plan)[-1]
        places = [final.places[world.by_id[name].index] for name in task.goal.target_ids]
        return solution.plan, [world.topology.lattice[place] for place in places]


# --- From a level to a task --------------------------------------------------------------------------------------


def _inside(level: SokobanLevel) -> set[Position]:
    """Return the cells that the player could reach without boxes; raises `NoCounterpart` if the wall has a gap."""
    players = level.players
    if len(players) != 1:
        places = f" ({_listed(level, players)})" if players else ""
        raise NoCounterpart(f"it has {len(players) or 'no'} players, expected one '@' or '+'{places}")
    seen, waiting = {players[0]}, [players[0]]
    while waiting:
        x, y = waiting.pop()
        for there in (Position(x + 1, y), Position(x, y + 1), Position(x - 1, y), Position(x, y - 1)):
            if not level.has(there):
                gap = f"the wall has a gap at {level.place_of(Position(x, y))}"
                raise NoCounterpart("; ".join(filter(None, (gap, level.doubt))))
            if there not in seen and not level.is_wall(there):
                seen.add(there)
                waiting.append(there)
    return seen


def _refuse_numbers(level: SokobanLevel, boxes: list[Position], targets: list[Position]) -> None:
    """Raise `NoCounterpart` unless there are as many boxes as targets, all reachable."""
    outside = [
        *(cell for cell in level.boxes if cell not in boxes and cell not in level.targets),
        *(cell for cell in level.targets if cell not in targets and cell not in level.boxes),
    ]
    if outside:
        raise NoCounterpart(f"the player cannot reach {_listed(level, outside)}")
    if len(boxes) != len(targets) or not boxes:
        raise NoCounterpart(
            f"it has {len(boxes)} boxes and {len(targets)} targets, expected equal numbers, at least one of each"
        )
    if boxes == targets:
        raise NoCounterpart("every box is on a target at the start")


def _listed(level: SokobanLevel, cells: list[Position]) -> str:
    return "; ".join(map(level.place_of, cells))


def _with_targets(
    level: SokobanLevel, task_id: str, inside: set[Position], boxes: list[Position], targets: list[Position]
) -> TaskSpecification:
    """Return the task in which each box belongs on the target with the same index."""
    width, height = level.size
    start = level.players[0]
    cells = [Position(x, y) for y in range(1, height - 1) for x in range(1, width - 1)]
    free = [cell for cell in cells if cell in inside and cell not in boxes and cell != start]
    if not free:
        raise NoCounterpart("it has no free cell")
    blocks = [
        BlockSpec(f"box_{number}", cell, color=COLOR_NAMES[(number - 1) % len(COLOR_NAMES)])
        for number, cell in enumerate(boxes, start=1)
    ]
    return TaskSpecification(
        task_id=task_id,
        seed=0,
        difficulty_tier=4,
        maze=MazeLayout((width, height), start, free[0], [cell for cell in cells if cell not in inside]),
        mechanisms=MechanismSet(blocks=blocks),
        goal=GoalSpec("push_block_to", target_ids=[block.id for block in blocks], target_positions=targets),
        max_steps=MAX_STEPS,
    )


# --- Boxes that are alike ----------------------------------------------------------------------------------------


def _all_covered(world: World) -> Callable[[State], bool]:
    """Return a predicate for whether every target has a box, no matter which."""
    goal = world.task.goal
    boxes = [world.by_id[name].index for name in goal.target_ids]
    wanted = {world.topology.anchor(cell) for cell in goal.target_positions}
    return lambda state: {state.places[box] for box in boxes} == wanted


def _any_target(world: World) -> dict[int, list[int]]:
    """Map each box to all targets."""
    goal = world.task.goal
    wanted = [world.topology.anchor(cell) for cell in goal.target_positions]
    return {world.by_id[name].index: wanted for name in goal.target_ids}


ANY_BOX = attrs.evolve(PUSH_BLOCK_TO, reached=_all_covered, thing_cells=_any_target)
ALIKE = GivenTypes({BLOCKS.name: BLOCKS}, {ANY_BOX.name: ANY_BOX})
"""Vocabulary for solving levels, in which any box may end on any target."""
