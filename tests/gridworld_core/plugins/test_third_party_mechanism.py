"""A mechanism that a third party writes once works in task files, the rules, the solver and `GridState`."""

import json
import pickle
from typing import Any

import pytest

from gridworld.actions import Action
from gridworld.backends.grid_state import GridState, full_grid_state, known_grid_state
from gridworld.errors import TaskFormatError
from gridworld.plugins import load_registry, set_registry
from gridworld.solver import solve
from gridworld.task_spec import Position, TaskSpecification
from gridworld.world import Episode, World, compile_world, square_topology, transition
from gridworld.world.events import Bumped, Changed, Moved, Opened
from support.plugins import Install

FORWARD = Action.MOVE_FORWARD

ONE_WAY = """
import attrs
from gridworld.errors import Problem
from gridworld.drawing.glyphs import Glyph, Line
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait
from gridworld.world.square import DIRECTIONS

@attrs.frozen
class OneWay:
    id: str
    position: Position = attrs.field(converter=to_position)
    heading: int = attrs.field(validator=attrs.validators.in_(range(4)))

def entered_from_a_wall(floor, task):
    (x, y), (dx, dy) = floor.position, DIRECTIONS[floor.heading]
    if (x - dx, y - dy) in task.maze.wall_cells():
        yield Problem("heading", "it could only be entered from a wall")

ONE_WAYS = MechanismType(
    name="one_ways", noun="one-way floor", summary="Can be entered in one direction only.", spec=OneWay,
    traits=lambda floor, value: Trait.NONE, glyph=lambda floor, value: Glyph((Line(0.1, 0.5, 0.9, 0.5, 0.05, "grey"),)),
    validate=entered_from_a_wall, admits=lambda world, state, floor: state.heading == floor.spec.heading,
)

@hookimpl
def gridworld_mechanisms():
    return [ONE_WAYS]
"""

ICE = """
import attrs
from gridworld.drawing.glyphs import Glyph, Rectangle
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait
from gridworld.world.events import Changed, Moved

@attrs.frozen
class Ice:
    id: str
    position: Position = attrs.field(converter=to_position)

def slide(world, state, ice):
    beyond = world.exits[state.cell * world.headings + state.heading]
    if not world.is_free(state, beyond):
        return None
    scratch = Changed(ice.id, ice.cells, "scratched")
    return state.with_value(ice.index, 1).at(beyond), (scratch, Moved(state.cell, beyond))

ICE = MechanismType(
    name="ice", noun="ice", summary="The agent slides over it.", spec=Ice, values=("smooth", "scratched"),
    initial=lambda ice, rules: "smooth", traits=lambda ice, value: Trait.NONE,
    glyph=lambda ice, value: Glyph((Rectangle(0, 0, 1, 1, (200, 220, 255)),)), on_enter=slide,
)

@hookimpl
def gridworld_mechanisms():
    return [ICE]
"""

TRIPWIRE = """
import attrs
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait
from gridworld.world.events import Changed

@attrs.frozen
class Tripwire:
    id: str
    position: Position = attrs.field(converter=to_position)
    releases: tuple[str, ...] = ()

TRIPWIRES = MechanismType(
    name="tripwires", noun="tripwire", summary="Opens gates for good.", spec=Tripwire, values=("tight", "torn"),
    initial=lambda wire, rules: "tight", controls=lambda wire: wire.releases, glyph=lambda wire, value: Glyph(()),
    traits=lambda wire, value: Trait.ACTIVE if value == "torn" else Trait.NONE,
    on_enter=lambda world, state, wire: (state.with_value(wire.index, 1), (Changed(wire.id, wire.cells, "torn"),)),
)

@hookimpl
def gridworld_mechanisms():
    return [TRIPWIRES]
"""

PLAIN = """
import attrs
from typing import Literal
from gridworld.errors import Problem
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import GridStateField, MechanismType, hookimpl
from gridworld.task_spec import Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Thing:
    id: str
    position: Position = attrs.field(converter=to_position)
    {fields}

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="things", noun="thing", summary="A thing.", spec=Thing, glyph=lambda thing, value: Glyph(()),
        traits=lambda thing, value: {traits}, {more}
    )]
"""


def full(episode: Episode) -> GridState:
    return full_grid_state(episode.world, episode.snapshot)


def known(episode: Episode) -> GridState:
    return known_grid_state(episode.world, episode.snapshot)


@pytest.fixture(autouse=True)
def _third_parties(install: Install) -> None:
    install("one-way", {"floor": "one_way"}, {"one_way.py": ONE_WAY})
    install("slippery", {"ice": "slippery"}, {"slippery.py": ICE})
    install("tripwire", {"wire": "tripwire"}, {"tripwire.py": TRIPWIRE})
    set_registry(load_registry())


def provide_things(install: Install, fields: str = "pass", traits: str = "Trait.NONE", more: str = "") -> None:
    """Provide one more mechanism, ``things``, with further fields of its entries and further arguments of its type."""
    install("plain", {"things": "things"}, {"things.py": PLAIN.format(fields=fields, traits=traits, more=more)})
    set_registry(load_registry())


def task_dict(width: int = 7, height: int = 3, **mechanisms: Any) -> dict[str, Any]:
    return {
        "task_id": "third-party",
        "seed": 1,
        "difficulty_tier": 1,
        "maze": {"dimensions": [width, height], "start": [1, 1], "goal": [width - 2, 1]},
        "mechanisms": mechanisms,
        "goal": {"type": "reach_position"},
        "max_steps": 30,
    }


def world_of(data: dict[str, Any]) -> World:
    task = TaskSpecification.from_dict(data)
    return compile_world(task, square_topology(*task.maze.dimensions))


def cell_at(world: World, x: int) -> int:
    return world.topology.anchor(Position(x, 1))


def problems_of_format(data: dict[str, Any]) -> list[str]:
    with pytest.raises(TaskFormatError) as caught:
        TaskSpecification.from_dict(data)
    return [str(problem) for problem in caught.value.problems]


def one_way(heading: Any, x: int = 2, y: int = 1) -> dict[str, Any]:
    return {"id": "w1", "position": [x, y], "heading": heading}


def ice(*columns: int) -> list[dict[str, Any]]:
    return [{"id": f"i{x}", "position": [x, 1]} for x in columns]


def thing(**fields: Any) -> dict[str, Any]:
    return {"id": "t1", "position": [2, 1], **fields}


# In task files


def test_a_task_with_it_is_read_into_the_third_partys_own_class() -> None:
    (floor,) = TaskSpecification.from_dict(task_dict(one_ways=[one_way(2)])).mechanisms.one_ways

    assert type(floor).__name__ == "OneWay"
    assert (floor.id, floor.position.x, floor.heading) == ("w1", 2, 2)


def test_a_task_with_it_survives_writing_and_reading() -> None:
    data = task_dict(one_ways=[one_way(0)], ice=ice(4))
    task = TaskSpecification.from_dict(data)

    written = task.to_dict()

    assert written["mechanisms"] == data["mechanisms"]
    assert TaskSpecification.from_dict(written) == task
    assert TaskSpecification.from_dict(json.loads(json.dumps(written))) == task


def test_a_task_with_it_survives_pickling() -> None:
    task = TaskSpecification.from_dict(task_dict(ice=ice(2)))

    assert pickle.loads(pickle.dumps(task)) == task


def test_problems_of_its_fields_are_reported() -> None:
    assert problems_of_format(
        task_dict(one_ways=[one_way(0), one_way("east"), one_way(7), {"id": 1, "heding": 0}])
    ) == [
        'mechanisms.one_ways[1].heading: expected an integer, got "east" (str)',
        "mechanisms.one_ways[2].heading: 'heading' must be in range(0, 4) (got 7)",
        "mechanisms.one_ways[3].id: expected a string, got 1 (int)",
        "mechanisms.one_ways[3].position: this field is required",
        "mechanisms.one_ways[3].heading: this field is required",
        "mechanisms.one_ways[3].heding: unknown field (did you mean 'heading'?); known: id, position, heading",
    ]


def test_a_misspelt_mechanism_is_refused_with_the_nearest_installed_one() -> None:
    (problem,) = problems_of_format(task_dict(one_way=[one_way(0)]))

    assert problem.startswith("mechanisms.one_way: unknown mechanism 'one_way' (did you mean 'one_ways'?); installed: ")
    assert "A plugin that provides it may be missing" in problem


# Validation


def test_its_own_validation_is_part_of_the_tasks_validation() -> None:
    task = TaskSpecification.from_dict(task_dict(one_ways=[one_way(0), {**one_way(1, x=3), "id": "w2"}]))

    assert task.validate() == (False, ["mechanisms.one_ways[1].heading: it could only be entered from a wall"])


def test_the_common_rules_hold_for_it_too() -> None:
    data = task_dict(
        ice=[*ice(1, 2), {"id": "i2", "position": [3, 1]}, {"id": "far", "position": [9, 1]}], one_ways=[one_way(0)]
    )

    valid, problems = TaskSpecification.from_dict(data).validate()

    assert not valid
    assert {problem.partition(":")[0] for problem in problems} == {
        "mechanisms.ice[0].position",
        "mechanisms.ice[2].id",
        "mechanisms.ice[3].position",
        "mechanisms.one_ways[0].position",
    }


def test_a_problem_of_a_whole_entry_has_the_path_of_the_entry(install: Install) -> None:
    provide_things(install, more="validate=lambda thing, task: [Problem('', 'there is no room for it')]")

    valid, problems = TaskSpecification.from_dict(task_dict(things=[thing()])).validate()

    assert (valid, problems) == (False, ["mechanisms.things[0]: there is no room for it"])


# What happens


def test_a_one_way_floor_lets_the_agent_in_along_its_heading_and_in_no_other_direction() -> None:
    world = world_of(task_dict(one_ways=[one_way(0)]))
    state, events = transition(world, world.start, FORWARD)
    assert (state.cell, events) == (cell_at(world, 2), (Moved(world.start.cell, state.cell),))
    world = world_of(task_dict(one_ways=[one_way(2)]))
    state, events = transition(world, world.start, FORWARD)
    assert (state.cell, events) == (world.start.cell, (Bumped("w1"),))


def test_ice_passes_the_agent_on_as_far_as_there_is_ice_in_one_step() -> None:
    world = world_of(task_dict(ice=ice(2, 3)))

    state, events = transition(world, world.start, FORWARD)

    one, two, three, four = (cell_at(world, x) for x in (1, 2, 3, 4))
    assert (state.cell, state.steps) == (four, 1)
    assert events == (
        Moved(one, two),
        Changed("i2", (two,), "scratched"),
        Moved(two, three),
        Changed("i3", (three,), "scratched"),
        Moved(three, four),
    )


def test_the_agent_stays_on_ice_when_nothing_beyond_it_is_free() -> None:
    gate = {"id": "g1", "position": [3, 1]}
    world = world_of(task_dict(ice=ice(2), gates=[gate]))

    state, _ = transition(world, world.start, FORWARD)

    assert state.cell == cell_at(world, 2)
    assert world.by_id["i2"].value_name(state) == "smooth"


def test_ice_can_carry_the_agent_into_a_built_in_hazard() -> None:
    world = world_of(task_dict(ice=ice(2), hazards=[{"id": "h1", "position": [3, 1]}]))

    state, _ = transition(world, world.start, FORWARD)

    assert state.cell == cell_at(world, 3)
    assert world.is_over(state)


def test_it_can_open_a_built_in_gate_that_it_controls() -> None:
    wire = {"id": "t1", "position": [2, 1], "releases": ["g1"]}
    world = world_of(task_dict(tripwires=[wire], gates=[{"id": "g1", "position": [4, 1]}]))

    state, events = transition(world, world.start, FORWARD)

    assert world.by_id["t1"].value_name(state) == "torn"
    assert Opened("g1", world.by_id["g1"].cells) in events
    assert solve(world).length == 4


def test_it_starts_with_the_first_of_its_values_unless_it_says_otherwise(install: Install) -> None:
    provide_things(install, more="values=('asleep', 'awake')")

    world = world_of(task_dict(things=[thing()]))

    assert world.by_id["t1"].value_name(world.start) == "asleep"


def test_it_acts_on_an_agent_that_stands_on_it_also_when_it_can_be_picked_up(install: Install) -> None:
    provide_things(
        install,
        traits="Trait.PORTABLE",
        more="values=('whole', 'trodden'), initial=lambda thing, rules: 'whole', fills_patch=False, "
        "on_enter=lambda world, state, thing: (state.with_value(thing.index, 1), ())",
    )
    world = world_of(task_dict(things=[thing()]))

    state, _ = transition(world, world.start, FORWARD)

    assert state.cell == cell_at(world, 2)
    assert world.by_id["t1"].value_name(state) == "trodden"


# The solver


def test_the_solver_goes_with_a_one_way_floor_and_around_it_otherwise() -> None:
    along = world_of(task_dict(width=5, height=4, one_ways=[one_way(0)]))
    against = world_of(task_dict(width=5, height=4, one_ways=[one_way(2)]))

    assert solve(along).plan == (FORWARD, FORWARD)
    assert solve(against).length == 7


def test_the_solver_slides_over_ice_and_its_plan_can_be_played() -> None:
    world = world_of(task_dict(ice=ice(2, 3)))

    plan = solve(world).plan

    assert plan == (FORWARD, FORWARD)
    episode = Episode(world)
    episode.reset()
    for action in plan:
        episode.step(action)
    assert episode.succeeded


# GridState


def test_its_state_appears_in_the_grid_state_by_type_and_id() -> None:
    episode = Episode(world_of(task_dict(width=9, ice=ice(2, 3, 5))))
    episode.reset()
    assert full(episode).mechanism_states == {"ice": {"i2": "smooth", "i3": "smooth", "i5": "smooth"}}

    episode.step(FORWARD)

    assert full(episode).mechanism_states == {"ice": {"i2": "scratched", "i3": "scratched", "i5": "smooth"}}
    assert GridState.from_dict(json.loads(json.dumps(full(episode).to_dict()))) == full(episode)


def test_a_hidden_one_is_kept_from_the_agent_until_it_has_been_discovered() -> None:
    data = task_dict(width=9, ice=ice(2, 5))
    data["rules"] = {"hidden_mechanisms": ["i2"]}
    episode = Episode(world_of(data))
    episode.reset()
    assert known(episode).mechanism_states == {"ice": {"i5": "smooth"}}

    episode.step(FORWARD)

    assert known(episode).mechanism_states == {"ice": {"i2": "scratched", "i5": "smooth"}}


def test_mechanism_states_omit_single_states_and_own_fields() -> None:
    key = {"id": "k1", "position": [4, 1], "color": "red"}
    episode = Episode(world_of(task_dict(one_ways=[one_way(0)], keys=[key])))
    episode.reset()

    assert full(episode).mechanism_states == {}


def test_it_can_appear_in_a_field_of_the_grid_state_instead(install: Install) -> None:
    field = "GridStateField('active_switches', lambda world, state, thing: thing.value_name(state) == 'awake')"
    provide_things(
        install,
        more=f"values=('asleep', 'awake'), initial=lambda thing, rules: 'awake', grid_state={field}",
    )
    episode = Episode(world_of(task_dict(things=[thing()])))
    episode.reset()

    assert full(episode).active_switches == {"t1"}
    assert full(episode).mechanism_states == {}


# The fields that its author may choose

FIELDS = {
    "a number": ("weight: float = 1.0", {"weight": 0.5}),
    "a choice": ("mood: Literal['calm', 'wild'] = 'calm'", {"mood": "wild"}),
    "an optional one": ("partner: str | None = None", {"partner": "t2"}),
    "a list": ("numbers: list[int] = attrs.Factory(list)", {"numbers": [1, 2]}),
    "positions": ("path: tuple[Position, ...] = ()", {"path": [[1, 1], [2, 1]]}),
    "a mapping": ("costs: dict[str, int] = attrs.Factory(dict)", {"costs": {"a": 1}}),
    "a pair of different kinds": ("label: tuple[str, int] = ('a', 1)", {"label": ["b", 2]}),
    "a triple": ("rgb: tuple[int, int, int] = (0, 0, 0)", {"rgb": [1, 2, 3]}),
    "a validator of two fields": (
        "low: int = 0\n    high: int = attrs.field(default=1)\n"
        "    @high.validator\n    def not_below(self, attribute, value):\n"
        "        if value < self.low:\n            raise ValueError('high is below low')",
        {"low": 2, "high": 3},
    ),
}


@pytest.mark.parametrize(("declared", "given"), FIELDS.values(), ids=FIELDS)
def test_its_entries_can_have_any_field_that_json_can_hold(
    install: Install, declared: str, given: dict[str, Any]
) -> None:
    provide_things(install, fields=declared)

    task = TaskSpecification.from_dict(task_dict(things=[thing(**given)]))

    assert task.validate() == (True, [])
    assert json.loads(json.dumps(task.to_dict()["mechanisms"]["things"])) == [thing(**given)]
    assert TaskSpecification.from_dict(task.to_dict()) == task


WRONG_VALUES = {
    "a word for a number": ("weight: float = 1.0", {"weight": "heavy"}, "weight"),
    "a number in quotes": ("weight: float = 1.0", {"weight": "0.5"}, "weight"),
    "a word that is no choice": ("mood: Literal['calm', 'wild'] = 'calm'", {"mood": "odd"}, "mood"),
    "a wrong item": ("numbers: list[int] = attrs.Factory(list)", {"numbers": [1, "2"]}, "numbers[1]"),
    "too short a triple": ("rgb: tuple[int, int, int] = (0, 0, 0)", {"rgb": [1, 2]}, "rgb"),
    "what its converter does not know": (
        "level: int = attrs.field(default=1, converter=lambda value: {1: 'low', 2: 'high'}[value])",
        {"level": 3},
        "level",
    ),
}


@pytest.mark.parametrize(("declared", "given", "place"), WRONG_VALUES.values(), ids=WRONG_VALUES)
def test_a_wrong_value_in_a_field_of_its_own_is_named_by_the_fields_place(
    install: Install, declared: str, given: dict[str, Any], place: str
) -> None:
    provide_things(install, fields=declared)

    (problem,) = problems_of_format(task_dict(things=[thing(**given)]))

    assert problem.startswith(f"mechanisms.things[0].{place}: ")
