"""State tables, compared with trying every action in every state."""

import attrs
import numpy as np
import pytest

from gridworld.actions import Action
from gridworld.plugins import get_registry
from gridworld.solver.expansion import DEAD, WON
from gridworld.solver.exploration import SearchLimits
from gridworld.solver.search import TaskSearches
from gridworld.solver.state_table import LOST, NotTabulatedError, StateTable, tabulate
from gridworld.task.reading import task_from_dict
from gridworld.task_spec import TaskSpecification
from gridworld.world import State, World, compile_world, square_topology, transition
from gridworld.world.events import names_of
from gridworld.world.mechanism_type import Trait
from support.plain_search import DEAD as DIED
from support.plain_search import LATE, Explored, Name, explore_plainly, name_of
from support.plain_search import WON as SUCCEEDED
from support.plugins import with_item
from support.sample_plugins import plain_mechanism, with_remembering
from support.worlds import Thing, block, compiled, corridor, describe, door, draw, gate, hazard, key, switch, teleporter

PUSHING = {"type": "push_block_to", "target_ids": ["b"], "target_positions": ["t"]}
SURVIVAL = {"type": "survive_steps"}

TASKS = [
    pytest.param(corridor("@.G"), id="corridor"),
    pytest.param(corridor("@.#G"), id="unsolvable"),
    pytest.param(corridor("h@.G", h=hazard()), id="hazard"),
    pytest.param(corridor("@kD.G", k=key(), D=door("red")), id="key and door"),
    pytest.param(corridor("a@G#b", ab=teleporter(bidirectional=False)), id="way of no return"),
    pytest.param(corridor("@s.gG", s=switch("g", switch_type="hold"), g=gate()), id="gate that shuts"),
    pytest.param(draw("#####\n#@..#\n#.bt#\n#..G#\n#####", b=block(), goal=PUSHING), id="block to push"),
    pytest.param(draw("######\n#@..##\n#.b.G#\n######", b=block()), id="block that can bar the way"),
    pytest.param(
        draw("######\n#@D.G#\n#kE###\n######", k=key(), D=door("red"), E=door("red"), rules={"key_consumption": True}),
        id="key for one of two doors",
    ),
    pytest.param(
        corridor("@.dG", d=door(initial_state="closed"), rules={"hidden_mechanisms": ["d"]}), id="hidden door"
    ),
]


def tried(world: World) -> Explored:
    plain = explore_plainly(world, 50_000)
    assert plain is not None
    return plain


def meaning_of(table: StateTable) -> dict[int, Name]:
    """Meaning of the numbers in a table."""
    return {WON: SUCCEEDED, DEAD: DIED} | {
        number: name_of(table.world, table.state(number)) for number in range(len(table))
    }


def assert_agrees(table: StateTable, plain: Explored) -> None:
    meaning = meaning_of(table)
    assert {meaning[number] for number in range(len(table))} == set(plain.states)
    for number in range(len(table)):
        name = meaning[number]
        told = {action: meaning[int(table.successor[number, action])] for action in Action}
        assert told == plain.outcomes[name]
        distance = int(table.distance[number])
        assert (None if distance == LOST else distance) == plain.distance[name]
        assert {Action(each) for each in np.flatnonzero(table.optimal[number])} == plain.optimal[name]
        assert bool(table.lost[number]) == (name in plain.lost)


@pytest.mark.parametrize("task", TASKS)
def test_a_table_agrees_with_trying_everything(task: TaskSpecification) -> None:
    world = compiled(task)
    assert_agrees(tabulate(world), tried(world))


@pytest.mark.parametrize("task", TASKS)
def test_kinds_of_events(task: TaskSpecification) -> None:
    table = tabulate(compiled(task))
    for number in range(len(table)):
        for action in Action:
            _, events = transition(table.world, table.state(number), action)
            assert set(names_of(int(table.events[number, action]))) == {type(event).__name__ for event in events}


@pytest.mark.parametrize("task", TASKS)
def test_paths_are_shortest(task: TaskSpecification) -> None:
    table = tabulate(compiled(task))
    arena = attrs.evolve(table.world, max_steps=10**9)
    for number in range(len(table)):
        path, state = table.path_to(number), arena.start
        for action in path:
            state, _ = transition(arena, state, action)
        assert table.number(state) == number
        assert len(path) == table.depth[number]
    assert (np.diff(table.depth) >= 0).all()
    nearest = np.min([table.depth[table.successor[:, each].clip(0)] for each in Action], axis=0)
    assert (nearest <= table.depth + 1).all()


@pytest.mark.parametrize("task", TASKS)
def test_a_table_does_not_depend_on_earlier_searches(task: TaskSpecification) -> None:
    world = compiled(task)
    searches = TaskSearches(world)
    alone = tabulate(world)
    searches.from_state(alone.state(len(alone) - 1))
    after = tabulate(world, expand=searches.expansion_of)
    for name in ("successor", "events", "parent", "action"):
        assert np.array_equal(getattr(alone, name), getattr(after, name))
    states = after.states.to_arrays()
    for name, array in alone.states.to_arrays().items():
        assert np.array_equal(states[name], array)


@pytest.mark.parametrize("task", TASKS)
def test_limit_on_states(task: TaskSpecification) -> None:
    world = compiled(task)
    size = len(tabulate(world))
    assert len(tabulate(world, SearchLimits(states=size))) == size
    with pytest.raises(NotTabulatedError, match=f"more than {size - 1} states; raise limits.states$"):
        tabulate(world, SearchLimits(states=size - 1))


def test_limit_on_memory() -> None:
    with pytest.raises(NotTabulatedError, match=r"more than 500 bytes of tables; raise limits\.memory$"):
        tabulate(compiled(draw("#######\n#@k..G#\n#.....#\n#######", k=key())), SearchLimits(memory=500))


def test_progress_counts_expanded_states() -> None:
    told: list[int] = []
    table = tabulate(compiled(corridor("@..k..G", k=key())), progress=told.append)
    assert told == sorted(set(told))
    assert told[-1] == len(table)


def test_the_step_budget_is_ignored() -> None:
    table = tabulate(compiled(corridor("@....G", max_steps=1)))
    assert len(table) == 5 * 4
    assert not table.lost.any()


# --- Goals that depend on time -------------------------------------------------------------------------------------


SURVIVALS = [
    pytest.param(corridor("@hG", h=hazard(), goal=SURVIVAL, max_steps=4), id="beside a hazard"),
    pytest.param(draw("#####\n#@.h#\n#..G#\n#####", h=hazard(), goal=SURVIVAL, max_steps=6), id="in a room"),
]


@pytest.mark.parametrize("task", SURVIVALS)
def test_a_survival_table_agrees_with_trying_everything(task: TaskSpecification) -> None:
    world = compiled(task)
    table, plain = tabulate(world), tried(world)
    soonest: dict[int, State] = {}
    for state in plain.states.values():
        soonest.setdefault(table.number(state), state)
    for number, state in soonest.items():
        name = name_of(world, state)
        assert table.depth[number] == state.steps
        assert table.distance[number] == plain.distance[name]
        assert {Action(each) for each in np.flatnonzero(table.optimal[number])} == plain.optimal[name]
    assert LATE not in plain.states


def test_a_survival_is_lost_if_all_actions_kill() -> None:
    world = compiled(corridor("@.G", goal=SURVIVAL, max_steps=9))
    table = tabulate(world)
    doomed = attrs.evolve(table, successor=np.full_like(table.successor, DEAD))
    assert doomed.lost.all()
    assert not doomed.optimal.any()


def test_other_timed_goals_are_refused() -> None:
    survival = compiled(corridor("@.G", goal=SURVIVAL))
    elsewhere = attrs.evolve(survival.goal_type, only_at_last_step=False)
    choosy = attrs.evolve(survival, reached=lambda state: state.steps >= 100 and state.heading == 0)
    for world in (attrs.evolve(survival, goal_type=elsewhere), choosy):
        with pytest.raises(NotTabulatedError, match="'survive_steps' depends on the number of steps"):
            tabulate(world)


def test_goals_with_a_memory_are_tabulated() -> None:
    with with_remembering():
        world = compiled(draw("#####\n#@G.#\n#...#\n#####", goal={"type": "there_and_back"}))
        assert_agrees(tabulate(world), tried(world))


# --- Large numbers -------------------------------------------------------------------------------------------------


def test_more_values_than_a_byte_holds() -> None:
    counter = plain_mechanism(
        name="counters",
        noun="counter",
        values=tuple(map(str, range(300))),
        traits=lambda spec, value: Trait.SOLID,
        on_toggle=lambda world, state, it: (state.with_value(it.index, (state.values[it.index] + 1) % 300), ()),
    )
    catalogs = with_item(get_registry(), "mechanism", counter)
    task = task_from_dict(describe("######\n#@c.G#\n######", c=Thing("counters", {})), catalogs)
    table = tabulate(compile_world(task, square_topology(*task.maze.dimensions), catalogs))
    assert len(table) == 4 * 300
    assert table.number(table.state(len(table) - 1)) == len(table) - 1


def test_more_hidden_bits_than_a_word_holds() -> None:
    data = describe("#############\n#@.........G#\n" + "#...........#\n" * 6 + "#############")
    lava = [{"id": f"h{x}_{y}", "position": [x, y], "hazard_type": "lava"} for y in range(2, 8) for x in range(1, 12)]
    switches = [{"id": "s", "position": [5, 1], "switch_type": "toggle", "controls": ["g"]}]
    gates = [{"id": "g", "position": [10, 1]}]
    data |= {
        "mechanisms": {"hazards": lava, "switches": switches, "gates": gates},
        "rules": {"hidden_mechanisms": ["s"]},
    }
    world = compiled(TaskSpecification.from_dict(data))
    assert world.hidden >= 1 << 64
    assert_agrees(tabulate(world), tried(world))


# --- Rows and states -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [WON, DEAD, -1, 8])
def test_a_number_without_a_state_is_refused(number: int) -> None:
    table = tabulate(compiled(corridor("@.G")))
    assert len(table) == 8
    with pytest.raises(IndexError, match="there are 8 states"):
        table.state(number)
    with pytest.raises(IndexError, match="there are 8 states"):
        table.path_to(number)


@pytest.mark.parametrize(
    "change", [{"heading": 4}, {"heading": -1}, {"status": 1}, {"cell": 99}, {"cell": 9}, {"carried": 7}]
)
def test_a_state_of_another_task_has_no_number(change: dict[str, int]) -> None:
    table = tabulate(compiled(corridor("@.G")))
    with pytest.raises(KeyError):
        table.number(table.state(0)._replace(**change))


def test_states_beyond_the_budget_of_a_survival_are_lost() -> None:
    table = tabulate(compiled(draw("#######\n#@....#\n#.....#\n#....G#\n#######", goal=SURVIVAL, max_steps=4)))
    assert table.depth.max() > 4
    assert table.lost.tolist() == (table.depth >= 4).tolist()
