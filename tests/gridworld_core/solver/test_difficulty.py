"""The numbers that say how hard a task is, on worlds small enough to count by hand."""

from typing import Any

import attrs
import pytest

from gridworld.errors import GridworldError
from gridworld.solver import Difficulty, measure_difficulty, solve
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


def test_a_bare_corridor_has_nothing_but_its_length() -> None:
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


@pytest.mark.parametrize(
    ("task", "length"),
    [
        (corridor("@...G"), 4),
        (corridor("G.@"), 4),
        (corridor("@kD.G", k=key(), D=door("red")), 6),
        (corridor("@.G", goal={"type": "survive_steps"}, max_steps=5), 5),
    ],
    ids=["ahead", "behind", "key and door", "survival"],
)
def test_the_length_is_that_of_a_shortest_plan(task: TaskSpecification, length: int) -> None:
    assert measured(task).optimal_length == length


def test_the_states_searched_are_those_of_the_search_for_the_plan() -> None:
    task = corridor("@.kD.G", k=key(), D=door("red"))
    assert measured(task).states_searched == solve(compiled(task)).states_seen


@pytest.mark.parametrize(
    ("task", "moves"),
    [
        (corridor("k@D.G", k=key(), D=door("red")), 0),
        (corridor("k.@D.G", k=key(), D=door("red")), 1),
        (corridor("k..@D.G", k=key(), D=door("red")), 2),
        (corridor("a@b.G", ab=teleporter()), 0),
    ],
    ids=["turning is no moving", "one cell back", "two cells back", "ahead"],
)
def test_backtracking_counts_the_moves_into_cells_where_the_agent_has_been(task: TaskSpecification, moves: int) -> None:
    assert measured(task).backtracking == moves


def test_backtracking_counts_the_last_move_too() -> None:
    """Over the plate to the key, and back onto the plate, which wins."""
    task = corridor("k.s@G", k=key(), s=switch(switch_type="hold"), goal=collecting("k", "s"))
    assert measured(task).optimal_length == 8
    assert measured(task).backtracking == 1


LEVER_AND_KEY = corridor("@sgkD.G", s=switch("g"), g=gate(), k=key(), D=door("red"))


@pytest.mark.parametrize(
    ("task", "depth", "variety"),
    [
        (corridor("@kD.G", k=key(), D=door("red")), 2, 2),
        (corridor("@s.gG", s=switch("g"), g=gate()), 2, 2),
        (corridor("@kDlE.G", k=key(), D=door("red"), l=key("blue"), E=door("blue")), 4, 2),
        (LEVER_AND_KEY, 4, 4),
        (draw("#######\n#@b...#\n#.##G.#\n#######", b=block()), 1, 1),
        (corridor("@a#b.G", ab=teleporter()), 1, 1),
        (corridor("@kG", k=key(), goal=collecting("k")), 1, 1),
        (corridor("@btG", b=block(), goal=PUSHING), 1, 1),
        (corridor("@sG", s=switch(), goal=collecting("s")), 1, 1),
    ],
    ids=[
        "key and door",
        "switch and gate",
        "two keys and two doors",
        "lever, gate, key and door",
        "block in the way",
        "teleporter",
        "key that wins",
        "block that wins",
        "switch that wins",
    ],
)
def test_the_depth_counts_the_mechanisms_that_a_shortest_plan_needs_and_the_variety_their_types(
    task: TaskSpecification, depth: int, variety: int
) -> None:
    difficulty = measured(task)
    assert (difficulty.dependency_depth, difficulty.dependency_variety) == (depth, variety)


def test_the_depth_leaves_out_what_the_plan_changes_without_need() -> None:
    """Both ways round the wall are of one length; the plate lies on the one that is found first."""
    task = draw("#####\n#.s.#\n#@#G#\n#...#\n#####", s=switch(switch_type="hold"))
    assert measured(task).distractors == 0
    assert measured(task).dependency_depth == 0


def test_the_depth_leaves_out_what_the_plan_does_not_touch() -> None:
    assert measured(draw("######\n#@.G##\n#k.D.#\n######", k=key(), D=door("red"))).dependency_depth == 0


@pytest.mark.parametrize(
    ("thing", "number"),
    [
        (key(), 1),
        (block(), 1),
        (block(pushable=False), 0),
        (switch(), 1),
        (switch(switch_type="hold"), 1),
        (door(initial_state="closed"), 1),
        (gate(), 0),
        (hazard(), 0),
    ],
    ids=["key", "block", "fixed block", "switch", "plate", "door", "gate", "hazard"],
)
def test_distractors_are_what_can_be_acted_on_and_is_left_alone(thing: Any, number: int) -> None:
    assert measured(draw("#####\n#@.G#\n#.x.#\n#...#\n#####", x=thing)).distractors == number


@pytest.mark.parametrize(
    ("things", "quality"),
    [
        ({}, 0),
        ({"x": key("blue")}, 1),
        ({"x": switch()}, 0),
        ({"x": key("blue"), "y": switch()}, 1 / 2),
        ({"x": key("blue"), "y": door("blue"), "z": switch()}, 2 / 3),
    ],
    ids=["none", "a key like the one that is needed", "no switch is needed", "one of two", "two of three"],
)
def test_the_quality_of_distractors_is_the_share_of_those_of_a_needed_type(things: Any, quality: float) -> None:
    task = draw("#######\n#@kD.G#\n#x#####\n#y#####\n#z#####\n#######", k=key(), D=door("red"), **things)
    assert measured(task).distractor_quality == pytest.approx(quality)


def test_the_size_is_that_inside_the_border() -> None:
    assert measured(draw("######\n#@.G.#\n#.##.#\n######")).size == 4 * 2


def test_dimensions_are_all_fields_and_grow_with_what_is_harder() -> None:
    """A hazard that is 12 actions away is less than one 2 away, and more than none."""
    far, near = corridor("h.........@G", h=hazard()), draw("#####\n#@.G#\n#.h.#\n#####", h=hazard())
    found = [measured(task).dimensions() for task in (corridor("@.G"), far, near)]
    assert [each["fragility"] for each in found] == [0, 1 / 12, 1 / 2]
    assert {**found[0], "fragility": None} == attrs.asdict(measured(corridor("@.G")))
    assert len(found[0]) == 12


def test_dimensions_that_need_the_whole_state_space_are_not_known_where_that_is_too_large() -> None:
    found = measured(corridor("h.........@G", h=hazard()), max_states=20).dimensions()
    assert [name for name, value in found.items() if value is None] == ["irreversibility", "fragility"]


def test_a_teleporter_that_is_not_entered_is_a_distractor() -> None:
    assert measured(draw("#####\n#@.G#\n#a.b#\n#####", ab=teleporter())).distractors == 1


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(LEVER_AND_KEY, id="on the way"),
        pytest.param(corridor("@kG", k=key(), goal=collecting("k")), id="key picked up last"),
        pytest.param(corridor("@sG", s=switch(), goal=collecting("s")), id="switch switched on last"),
        pytest.param(
            corridor("@btG", b=block(), goal=PUSHING),
            id="block pushed last",
        ),
    ],
)
def test_what_the_plan_uses_is_no_distractor(task: TaskSpecification) -> None:
    assert measured(task).distractors == 0


@pytest.mark.parametrize(
    ("picture", "density"),
    [
        ("#####\n#@.G#\n#####", 0),
        ("#####\n#@.G#\n#.#.#\n#####", 1 / 6),
        ("#####\n#@.G#\n####.\n#####".replace("#.", "##", 1), 3 / 6),
        ("######\n#@G###\n######\n######", 6 / 8),
    ],
    ids=["none", "one of six", "three of six", "six of eight"],
)
def test_the_wall_density_is_that_inside_the_border(picture: str, density: float) -> None:
    assert measured(draw(picture)).wall_density == pytest.approx(density)


OPEN_ROOM = "#####\n#@..#\n#k.G#\n#..D#\n#####"


@pytest.mark.parametrize(
    ("rules", "share"),
    [
        ({}, 0),
        ({"hidden_mechanisms": ["k"]}, (0 + 1 / 2) / 2),
        ({"hidden_mechanisms": ["k", "D"]}, (0 + 1) / 2),
        ({"observability": "view_cone", "view_size": 3}, (3 / 9 + 0) / 2),
        ({"observability": "fog_of_war", "view_size": 3}, (3 / 9 + 0) / 2),
        ({"observability": "view_cone", "view_size": 3, "hidden_mechanisms": ["D"]}, (3 / 9 + 1 / 2) / 2),
    ],
    ids=str,
)
def test_the_hidden_share_is_that_of_unseen_cells_and_of_hidden_mechanisms(rules: dict[str, Any], share: float) -> None:
    """From the top left corner a view of three by three shows the upper two rows."""
    task = draw(OPEN_ROOM, k=key(), D=door("red"), rules=rules)
    assert measured(task).hidden_share == pytest.approx(share)


def test_irreversibility_is_the_share_of_living_states_that_are_lost() -> None:
    """Four headings at the start; beyond the teleporter four more, and the one in which it still cools down."""
    assert measured(corridor("a@G#b", ab=teleporter(bidirectional=False))).irreversibility == pytest.approx(5 / 9)


def test_dying_makes_nothing_irreversible() -> None:
    assert measured(corridor("h@G", h=hazard())).irreversibility == 0


@pytest.mark.parametrize(
    ("task", "actions"),
    [
        (corridor("a@G#b", ab=teleporter(bidirectional=False)), 3),  # turn around and go
        (corridor("h@G", h=hazard()), 3),
        (draw("#####\n#@.G#\n#.h.#\n#####", h=hazard()), 2),  # from beside it: turn and go
        (draw("#####\n#@h.#\n#..G#\n#####", h=hazard()), 1),  # straight on from the start
        (draw("######\n#@..##\n#.b.G#\n######", b=block()), 4),  # turn, go, turn, push
        (draw("#####\n#@.G#\n#####"), None),
    ],
    ids=["dead end", "death behind", "death beside", "death ahead", "block", "nothing"],
)
def test_the_fragility_is_how_few_wrong_actions_lose_the_task(task: TaskSpecification, actions: int | None) -> None:
    assert measured(task).fragility == actions


def test_what_needs_the_whole_state_space_is_none_where_that_is_too_large() -> None:
    task = corridor("h.........@G", h=hazard())
    small, whole = measured(task, max_states=20), measured(task)
    assert (small.irreversibility, small.fragility) == (None, None)
    assert (whole.irreversibility, whole.fragility) == (0.0, 12)
    assert small.optimal_length == whole.optimal_length == 1


def test_the_state_space_may_be_bounded_apart_from_the_search_for_plans() -> None:
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
def test_a_task_without_a_plan_has_no_difficulty(task: TaskSpecification, max_states: int, reason: str) -> None:
    with pytest.raises(GridworldError, match=reason):
        measured(task, max_states)


def test_what_takes_no_plan_is_known_without_one_and_everything_with_one() -> None:
    walled, open_one = compiled(corridor("@.#G")), compiled(corridor("@..G"))
    known = known_difficulty(TaskSearches(walled, ENOUGH))
    assert {name: number for name, number in known.items() if number is not None} == {
        "size": 4,
        "wall_density": 0.25,
        "hidden_share": 0.0,
    }
    assert known_difficulty(TaskSearches(open_one, ENOUGH)) == attrs.asdict(measure_difficulty(open_one))
    assert list(known) == list(attrs.asdict(measure_difficulty(open_one)))


def test_a_mechanism_of_which_it_was_not_found_out_is_not_counted_as_needed() -> None:
    """The allowance just suffices for the plan, which crosses a plate; without the plate there is one as short."""
    task = draw(
        "####\n#Gs#\n#tk#\n#D@#\n####",
        s=switch(switch_type="hold"),
        t=switch(switch_type="hold"),
        k=key("grey"),
        D=door("grey", "open"),
    )
    tight = solve(compiled(task)).states_seen
    assert measured(task).dependency_depth == 0
    assert measured(task, max_states=tight).dependency_depth in (0, None)
