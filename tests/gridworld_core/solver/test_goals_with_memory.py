"""Shortest plans for goals that remember: as short as those of a plain search that forgets nothing, and playable."""

import random
from collections.abc import Iterator

import attrs
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from gridworld.actions import Action
from gridworld.errors import InvalidTaskError
from gridworld.solver import solve
from gridworld.solver.relaxation import forgettable_entities
from gridworld.task_spec import GoalSpec, TaskSpecification
from gridworld.world import World, compile_world
from support.plain_search import explore_to_success
from support.sample_plugins import NAMED, clock, draw_carrying, with_carriers, with_remembering
from support.thoroughness import bounded
from support.tilings import TILINGS, make_topology
from support.worlds import compiled, corridor, door, gate, key, tasks

MAX_STATES = 4_000
FORWARD = Action.MOVE_FORWARD


@pytest.fixture(autouse=True, scope="module")
def _plugins() -> Iterator[None]:
    with with_carriers(), with_remembering():
        yield


def plain_length(world: World, max_states: int = MAX_STATES) -> int | None:
    plain = explore_to_success(world, max_states)
    assert plain is not None
    return plain.length


@st.composite
def memory_tasks(choose: st.DrawFn) -> World:
    """Worlds of small random tasks with a goal that remembers."""
    task = choose(tasks(max_side=5, goal_types=("reach_position",)))
    goal = GoalSpec(type=choose(st.sampled_from(sorted(NAMED))))
    topology = make_topology(choose(st.sampled_from(TILINGS)), task.maze.dimensions)
    try:
        return compile_world(attrs.evolve(task, goal=goal), topology)
    except InvalidTaskError:
        assume(False)
        raise


def test_plans_agree_with_plain_search() -> None:
    solved = relaxed = 0

    @bounded(40)
    @given(memory_tasks())
    def compare(world: World) -> None:
        nonlocal solved, relaxed
        plain = explore_to_success(world, MAX_STATES)
        if plain is None:
            return
        assert solve(world).length == plain.length
        solved += plain.length is not None
        relaxed += bool(forgettable_entities(world))

    compare()
    assert min(solved, relaxed) >= 5


@pytest.mark.parametrize(
    ("row", "length"), [("@G", 1 + 2 + 1), ("@..G", 3 + 2 + 3), ("@DG", 1 + 2 + 2 + 2), ("@>>.G.", 3 + 2 + 2)]
)
def test_there_and_back(row: str, length: int) -> None:
    edge = "#" * (len(row) + 2)
    things = {"D": door(initial_state="closed")} if "D" in row else {}
    task = draw_carrying(f"{edge}\n#{row}#\n{edge}", goal={"type": "there_and_back"}, **things)
    world = compiled(task)
    expected = None if ">" in row else length
    assert solve(world).length == plain_length(world) == expected


def test_fetching_every_key() -> None:
    task = corridor("k@l.G", goal={"type": "fetch_all"}, k=key("red"), l=key("blue"))
    world = compiled(task)
    assert forgettable_entities(world)
    assert solve(world).length == plain_length(world, 50_000)


# --- Where time passes ---------------------------------------------------------------------------------------------


def test_a_plan_can_wait_for_a_gate() -> None:
    world = compiled(draw_carrying("########\n#@gG..c#\n########", g=gate(), c=clock("g")))
    solution = solve(world)
    assert solution.length == plain_length(world) == 3
    assert solution.plan is not None
    assert solution.plan[1:] == (FORWARD, FORWARD)


def test_a_key_that_blocks_a_belt_is_not_forgotten() -> None:
    """The key has to be put down where the belt leads to: else nobody can stand on it and turn towards the goal."""
    world = compiled(draw_carrying("########\n####G###\n#.@k>..#\n#......#\n########", k=key()))
    expected = plain_length(world, 20_000)
    assert expected is not None
    assert solve(world).length == expected
    assert plain_length(compiled(draw_carrying("#######\n###G###\n#.@>..#\n#.....#\n#######")), 20_000) is None


@bounded(10)
@given(st.integers(0, 2**32 - 1))
def test_plans_with_belts_and_keys_agree_with_plain_search(seed: int) -> None:
    try:
        world = compiled(belts_and_a_key(seed))
    except InvalidTaskError:  # the agent is sealed in between belts
        reject()
    plain = explore_to_success(world, 20_000)
    assume(plain is not None)
    assert plain is None or solve(world).length == plain.length


def belts_and_a_key(seed: int) -> TaskSpecification:
    """A small room with a key to a door, and belts about."""
    rng = random.Random(seed)
    cells = [(x, y) for y in range(1, 4) for x in range(1, 6)]
    rng.shuffle(cells)
    grid = [list("#######"), *[list("#.....#") for _ in range(3)], list("#######")]
    for letter in ("@", "G", "k", "d", *rng.choices(">v<^", k=4), "#", "#"):
        x, y = cells.pop()
        grid[y][x] = letter
    return draw_carrying("\n".join("".join(line) for line in grid), k=key(), d=door("red"))
