"""Difficulty of tasks small enough to count by hand."""

from typing import Any

import attrs
import pytest

from gridworld.errors import GridworldError
from gridworld.solver import Difficulty, measure_difficulty
from gridworld.solver.difficulty import known_difficulty
from gridworld.solver.search import TaskSearches
from gridworld.task_spec import TaskSpecification
from support.worlds import block, compiled, corridor, door, draw, gate, hazard, key, switch, teleporter

ENOUGH = 50_000
PUSHING = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}


def measured(task: TaskSpecification, max_states: int = ENOUGH) -> Difficulty:
    return measure_difficulty(compiled(task), max_states, max_states)


def collecting(*ids: str) -> dict[str, Any]:
    return {"type": "collect_all", "target_ids": list(ids)}


def test_a_bare_corridor() -> None:
    assert measured(corridor("@.G")) == Difficulty(
        optimal_length=2,
        states_searched=4,  # the start, after a turn to either side, and one cell on
        backtracking=0,
        dependency_depth=0,
        dependency_variety=0,
        distractors=0,
        distractor_quality=0.0,
        size=3,
        wall_density=0.0,
        hidden_share=0.0,
        irreversibility=0.0,
        fragility=None,
    )


KEY_AND_DOOR = {"k": key(), "D": door("red")}
LEVER_AND_KEY = corridor("@sgkD.G", s=switch("g"), g=gate(), **KEY_AND_DOOR)
ONE_WAY = corridor("a@G#b", ab=teleporter(bidirectional=False))
PLATE_AND_KEY = corridor("k.s@G", k=key(), s=switch(switch_type="hold"), goal=collecting("k", "s"))
"""Over the plate to the key, and back onto the plate, which wins."""
TWO_WAYS = draw("#####\n#.s.#\n#@#G#\n#...#\n#####", s=switch(switch_type="hold"))
"""Both ways round the wall are of one length; the plate lies on the one that is found first."""


def beside(thing: Any) -> TaskSpecification:
    return draw("#####\n#@.G#\n#.x.#\n#...#\n#####", x=thing)


def with_decoys(**things: Any) -> TaskSpecification:
    return draw("#######\n#@kD.G#\n#x#####\n#y#####\n#z#####\n#######", **KEY_AND_DOOR, **things)


def hiding(**rules: Any) -> TaskSpecification:
    """A room in which a view of three by three shows two of three rows from the start."""
    return draw("#####\n#@..#\n#k.G#\n#..D#\n#####", **KEY_AND_DOOR, rules=rules)


CONE = {"observability": "view_cone", "view_size": 3}


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (corridor("@...G"), {"optimal_length": 4}),
        (corridor("G.@"), {"optimal_length": 4}),
        (corridor("@kD.G", **KEY_AND_DOOR), {"optimal_length": 6, "dependency_depth": 2, "dependency_variety": 2}),
        (corridor("@.G", goal={"type": "survive_steps"}, max_steps=5), {"optimal_length": 5}),
        (corridor("k@D.G", **KEY_AND_DOOR), {"backtracking": 0}),
        (corridor("k.@D.G", **KEY_AND_DOOR), {"backtracking": 1}),
        (corridor("k..@D.G", **KEY_AND_DOOR), {"backtracking": 2}),
        (corridor("a@b.G", ab=teleporter()), {"backtracking": 0}),
        (PLATE_AND_KEY, {"optimal_length": 8, "backtracking": 1}),
        (corridor("@s.gG", s=switch("g"), g=gate()), {"dependency_depth": 2, "dependency_variety": 2}),
        (
            corridor("@kDlE.G", **KEY_AND_DOOR, l=key("blue"), E=door("blue")),
            {"dependency_depth": 4, "dependency_variety": 2},
        ),
        (LEVER_AND_KEY, {"dependency_depth": 4, "dependency_variety": 4, "distractors": 0}),
        (draw("#######\n#@b...#\n#.##G.#\n#######", b=block()), {"dependency_depth": 1, "dependency_variety": 1}),
        (corridor("@a#b.G", ab=teleporter()), {"dependency_depth": 1, "dependency_variety": 1}),
        *(
            (task, {"dependency_depth": 1, "dependency_variety": 1, "distractors": 0})
            for task in (
                corridor("@kG", k=key(), goal=collecting("k")),
                corridor("@btG", b=block(), goal=PUSHING),
                corridor("@sG", s=switch(), goal=collecting("s")),
            )
        ),
        (TWO_WAYS, {"dependency_depth": 0, "distractors": 0}),
        (draw("######\n#@.G##\n#k.D.#\n######", **KEY_AND_DOOR), {"dependency_depth": 0}),
        *((beside(thing), {"distractors": 0}) for thing in (block(pushable=False), gate(), hazard())),
        *(
            (beside(thing), {"distractors": 1})
            for thing in (key(), block(), switch(), switch(switch_type="hold"), door(initial_state="closed"))
        ),
        (draw("#####\n#@.G#\n#a.b#\n#####", ab=teleporter()), {"distractors": 1}),
        (with_decoys(), {"distractor_quality": 0}),
        (with_decoys(x=key("blue")), {"distractor_quality": 1}),
        (with_decoys(x=switch()), {"distractor_quality": 0}),
        (with_decoys(x=key("blue"), y=switch()), {"distractor_quality": 1 / 2}),
        (with_decoys(x=key("blue"), y=door("blue"), z=switch()), {"distractor_quality": 2 / 3}),
        (draw("######\n#@.G.#\n#.##.#\n######"), {"size": 4 * 2}),
        (draw("#####\n#@.G#\n#####"), {"wall_density": 0, "fragility": None}),
        (draw("#####\n#@.G#\n#.#.#\n#####"), {"wall_density": 1 / 6}),
        (draw("#####\n#@.G#\n#####\n#####"), {"wall_density": 3 / 6}),
        (draw("######\n#@G###\n######\n######"), {"wall_density": 6 / 8}),
        (hiding(), {"hidden_share": 0}),
        (hiding(hidden_mechanisms=["k"]), {"hidden_share": (0 + 1 / 2) / 2}),
        (hiding(hidden_mechanisms=["k", "D"]), {"hidden_share": (0 + 1) / 2}),
        (hiding(**CONE), {"hidden_share": (3 / 9 + 0) / 2}),
        (hiding(observability="fog_of_war", view_size=3), {"hidden_share": (3 / 9 + 0) / 2}),
        (hiding(**CONE, hidden_mechanisms=["D"]), {"hidden_share": (3 / 9 + 1 / 2) / 2}),
        # Four headings at the start; beyond the teleporter four more, and the state in which it still cools down.
        (ONE_WAY, {"irreversibility": 5 / 9, "fragility": 3}),
        (corridor("h@G", h=hazard()), {"irreversibility": 0, "fragility": 3}),
        (draw("#####\n#@.G#\n#.h.#\n#####", h=hazard()), {"fragility": 2}),
        (draw("#####\n#@h.#\n#..G#\n#####", h=hazard()), {"fragility": 1}),
        (draw("######\n#@..##\n#.b.G#\n######", b=block()), {"fragility": 4}),
    ],
)
def test_difficulty(task: TaskSpecification, expected: dict[str, float | None]) -> None:
    found = attrs.asdict(measured(task))
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_fragility_grows_with_the_nearness_of_a_hazard() -> None:
    far, near = corridor("h.........@G", h=hazard()), draw("#####\n#@.G#\n#.h.#\n#####", h=hazard())
    found = [measured(task).dimensions() for task in (corridor("@.G"), far, near)]
    assert [each["fragility"] for each in found] == [0, 1 / 12, 1 / 2]
    assert {**found[0], "fragility": None} == attrs.asdict(measured(corridor("@.G")))
    assert len(found[0]) == 12


def test_unknown_fields_of_a_large_state_space() -> None:
    task = corridor("h.........@G", h=hazard())
    small, whole = measured(task, max_states=20), measured(task)
    unknown = [name for name, value in small.dimensions().items() if value is None]
    assert unknown == ["irreversibility", "fragility"]
    assert (small.irreversibility, small.fragility) == (None, None)
    assert (whole.irreversibility, whole.fragility) == (0.0, 12)
    assert small.optimal_length == whole.optimal_length == 1


def test_separate_limits_of_search_and_table() -> None:
    world = compiled(corridor("h.........@G", h=hazard()))
    size = 10 * 4
    assert measure_difficulty(world, 1, max_table_states=size).fragility == 12
    assert measure_difficulty(world, ENOUGH, max_table_states=size - 1).fragility is None


@pytest.mark.parametrize(
    ("task", "max_states", "reason"),
    [
        (corridor("@.#G"), ENOUGH, "drawn: unsolvable after 8 states"),
        (corridor("@......G"), 5, "drawn: gave up after 5 states"),
    ],
    ids=["unsolvable", "gave up"],
)
def test_no_difficulty_without_a_plan(task: TaskSpecification, max_states: int, reason: str) -> None:
    with pytest.raises(GridworldError, match=reason):
        measured(task, max_states)


def test_known_difficulty_with_and_without_a_plan() -> None:
    walled, open_one = compiled(corridor("@.#G")), compiled(corridor("@..G"))
    known = known_difficulty(TaskSearches(walled, ENOUGH))
    assert {name: number for name, number in known.items() if number is not None} == {
        "size": 4,
        "wall_density": 0.25,
        "hidden_share": 0.0,
    }
    assert known_difficulty(TaskSearches(open_one, ENOUGH)) == attrs.asdict(measure_difficulty(open_one))
    assert list(known) == list(attrs.asdict(measure_difficulty(open_one)))
