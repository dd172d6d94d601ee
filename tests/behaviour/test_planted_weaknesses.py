"""Models with one planted weakness: the first row of the table of mistakes and the sentence tell which it is."""

from pathlib import Path

import attrs
import pytest

from gridworld.plugins.tilings import compile_on
from gridworld.task_spec import TaskSpecification
from gridworld.world.rules import transition
from multinet_eval import read
from support import weaknesses
from support.plain_search import Explored, explore_plainly, name_of, outcome_of
from support.runs import record_run
from support.weaknesses import WeakModel
from support.worlds import block, door, draw, gate, hazard, key, switch

MOST_STATES = 20_000
KEY_ASIDE = """
    #######
    #@..DG#
    #.#####
    #k#####
    #######
"""
KEY_BEYOND = """
    ########
    #k.@..D#
    ######.#
    ######G#
    ########
"""
LOCKED = tuple(draw(picture, k=key("red"), D=door("red")) for picture in (KEY_ASIDE, KEY_BEYOND))
SWITCHED = (
    draw("######\n#s####\n#@.gG#\n######", s=switch("g"), g=gate()),
    draw("#######\n#@...##\n###.g.#\n###s#G#\n#######", s=switch("g"), g=gate()),
)
ROUND = (
    draw("#######\n#G#@..#\n#.###.#\n#.....#\n#######"),
    draw("########\n#G##@..#\n#.####.#\n#......#\n########"),
)
HAZARDS = (
    draw("######\n#@.h##\n##.###\n##..G#\n######", h=hazard()),
    draw("#######\n#@..h##\n###..##\n####.G#\n#######", h=hazard("pit")),
)
TO_TARGET = {"type": "push_block_to", "target_ids": ["B"], "target_positions": ["t"]}
BLOCKS = (
    draw("#######\n#..t..#\n#@.B..#\n#.....#\n#G....#\n#######", B=block(), goal=TO_TARGET),
    draw("########\n#......#\n#...t..#\n#.@.B..#\n#......#\n#G.....#\n########", B=block(), goal=TO_TARGET),
)
TWO_KEYS = (
    draw("######\n#@b###\n#.####\n#.D.G#\n#.####\n#k####\n######", k=key("red"), b=key("blue"), D=door("red")),
    draw("#######\n#.D.G##\n#.#####\n#@b####\n#.#####\n#k#####\n#######", k=key("red"), b=key("blue"), D=door("red")),
)
DARK = tuple(
    draw(picture, rules={"observability": "fog_of_war", "view_size": 3})
    for picture in ("##########\n#@.......#\n########.#\n#G.......#\n##########", "########\n#@....G#\n########")
)
PLANTED = {
    "never_toggles_doors": (LOCKED, "toggle a door", "walked into a door", "toggle a door, but walked into it"),
    "avoids_switches": (SWITCHED, "toggle a switch", "turned", "toggle a switch, but turned"),
    "turns_when_the_goal_is_behind": (ROUND, "go on", "turned", "go on towards the goal, but turned"),
    "walks_into_walls": (ROUND, "turn", "walked into a wall", "turn towards the goal, but walked into a wall"),
    "drops_keys": (LOCKED, "go on", "dropped a key", "go on towards a door, but dropped a key"),
    "ignores_keys": (LOCKED, "turn", "walked into a door", "turn towards a key, but walked into a door"),
    "walks_into_hazards": (HAZARDS, "turn", "entered a hazard", "turn towards the goal, but entered a hazard"),
    "pushes_blocks": (BLOCKS, "turn", "pushed a block", "turn towards a block, but pushed a block"),
    "takes_any_key": (TWO_KEYS, "turn", "picked up another key", "turn towards a key, but picked up another key"),
    "stops_looking": (DARK, "explore", "waited", "explore towards the goal, but waited"),
}
"""Tasks on which a weakness shows; what is needed and done in its row; and the row in words, after "Needed to"."""


@pytest.mark.parametrize("tiling", ["square", "hex"])
@pytest.mark.parametrize("weakness", PLANTED)
def test_the_first_row_and_the_sentence_tell_the_weakness(weakness: str, tiling: str, tmp_path: Path) -> None:
    drawn, needed, did, words = PLANTED[weakness]
    tasks = [attrs.evolve(task, task_id=f"task_{number}") for number, task in enumerate(drawn)]
    model = WeakModel(getattr(weaknesses, weakness))
    record_run(tmp_path / "run", tasks, model, backend="multigrid", tilings=(tiling,), backend_arguments=())
    run = read(tmp_path / "run")
    first, *_ = run.mistakes()
    assert (first["needed"], first["did"]) == (needed, did)
    results = [each.result for each in run.played if each.result is not None]
    failed = sum(not result.success for result in results)
    if failed:
        assert first["decisive"] == failed
        expected = f"Needed to {words}: decisive in {failed} of {failed} failed episodes."
    else:
        explored = {task.task_id: explore(task, tiling) for task in tasks}
        wasted = sum(result.steps_taken - (explored[result.task_id].length or 0) for result in results)
        planted = planted_waste(model, explored)
        assert first["wasted_steps"] == planted
        expected = f"Needed to {words}: {planted} of {wasted} wasted steps."
    assert run.mistake_table.sentence == expected


def explore(task: TaskSpecification, tiling: str) -> Explored:
    found = explore_plainly(compile_on(tiling, task), MOST_STATES)
    assert found is not None
    return found


def planted_waste(model: WeakModel, explored: dict[str, Explored]) -> int:
    """Steps wasted by the actions that a weakness chose, by a plain search."""
    wasted = 0
    for world, state, action in model.planted:
        distance = explored[world.task.task_id].distance
        before = distance[name_of(world, state)]
        after = distance[outcome_of(world, transition(world, state, action)[0])]
        assert before is not None
        assert after is not None
        wasted += 1 + after - before
    return wasted
