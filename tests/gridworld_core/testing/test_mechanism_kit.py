"""The kit for mechanisms passes sound ones, and each of its checks catches a broken one."""

import itertools
import random
from typing import Any

import attrs
import pytest

from gridworld.drawing.glyphs import Circle, Glyph
from gridworld.errors import Problem
from gridworld.task.meanings import Placed, references_field
from gridworld.task_spec import Position, TaskSpecification, one_of, to_position
from gridworld.testing import MechanismConformance
from gridworld.testing.conformance import Entry
from gridworld.world import Entity, State, World
from gridworld.world.events import Changed, NoEffect
from gridworld.world.mechanism_type import Explained, GridStateField, MechanismType, Trait
from support.sample_plugins import assert_caught, assert_conforms, assert_has_broken_ones, failures

LAMP = {"id": "example", "position": [2, 1]}


@attrs.frozen
class LampSpec:
    """A lamp that is lit by stepping onto it."""

    id: str
    position: Position = attrs.field(converter=to_position)
    shade: str = attrs.field(default="plain", validator=one_of("plain", "striped"))
    lights: tuple[str, ...] = ()


@attrs.define
class ChangeableSpec:
    """Not frozen, and so not hashable."""

    id: str
    position: Position = attrs.field(converter=to_position)


@attrs.frozen
class DoublingSpec:
    """Its converter does not accept what it makes."""

    id: str
    position: Position = attrs.field(converter=to_position)
    size: int = attrs.field(default=1, converter=lambda size: 2 * size)


@attrs.frozen
class ReferringSpec(Placed):
    """Its references are not called ``controls``."""

    opens: tuple[str, ...] = references_field()


@attrs.frozen
class RiddleSpec:
    """Nobody can guess what its answer has to be."""

    id: str
    position: Position = attrs.field(converter=to_position)
    answer: str = attrs.field(validator=attrs.validators.matches_re("forty-two"))


def light(world: World, state: State, lamp: Entity) -> Any:
    if lamp.value_name(state) == "lit":
        return None
    return state.with_value(lamp.index, 1), (Changed(lamp.id, lamp.cells, "lit"),)


LAMPS = MechanismType(
    name="lamps",
    noun="lamp",
    summary="Lit by stepping onto it.",
    spec=LampSpec,
    values=("dark", "lit"),
    traits=lambda lamp, value: Trait.TOGGLED_UNDERFOOT,
    glyph=lambda lamp, value: Glyph((Circle(0.5, 0.5, 0.3, "yellow" if value == "lit" else "grey"),)),
    fills_patch=False,
    on_enter=light,
    on_toggle=light,
)


def lamps(**changes: Any) -> MechanismType:
    """The lamp with something else about it."""
    return attrs.evolve(LAMPS, **changes)


SOUND = {
    "lamps": LAMPS,
    "carriers": lamps(carries=lambda world, state, lamp: 2 - 2 * state.values[lamp.index], fills_patch=True),
    "explained": lamps(explains=Explained("Stepping onto it lights it.", "yellow once lit", states=("lit",))),
    "local": lamps(local=True, sense=lambda world, state, lamp: (int(state.cell in lamp.cells), ())),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ("lamps", "carriers") else pytest.mark.more) for name in SOUND]
)
def test_a_sound_mechanism_conforms(name: str) -> None:
    assert_conforms(MechanismConformance, mechanism=SOUND[name], examples=[LAMP])


# --- Broken ones -----------------------------------------------------------------------------------------------------

count = itertools.count()


def paints_its_spec(world: World, state: State, lamp: Entity) -> Any:
    object.__setattr__(lamp.spec, "shade", "striped")


def far_right(world: World, state: State) -> int:
    return int(world.topology.lattice[state.cell].x > 4)


def by_the_key(world: World, state: State, lamp: Entity) -> Any:
    place = state.places[world.by_id["stage-key"].index]
    return int(place >= 0 and world.topology.lattice[place].x < 4), ()


def from_the_left(world: World, state: State, lamp: Entity) -> Any:
    return light(world, state, lamp) if world.topology.lattice[state.cell].x < 2 else None


def first_of_all(world: World, state: State, lamp: Entity) -> Any:
    return int(world.task.mechanisms.lamps[0].id == lamp.id), ()


def flicker(world: World, state: State, lamp: Entity) -> Any:
    return (1 - state.values[lamp.index], ()) if state.cell in lamp.cells else None


DESCRIPTOR = "its_descriptor_has_the_right_types"
VALUES = "its_entries_are_valid_values_that_survive_a_task_file"
VALIDATION = "validation_yields_problems_and_never_raises"
POSITIONS = "its_positions_are_the_cells_that_its_fields_hold"
LOOKS = "its_looks_and_words_depend_on_its_state_alone"
EXPLAINS = "it_explains_itself"
EFFECT = "its_hooks_and_traits_can_have_an_effect"
RETURNS = "its_hooks_return_what_they_have_to"
PURE = "its_hooks_are_pure"
STEPS = "its_hooks_do_not_depend_on_the_steps"
SETTLES = "sense_and_derive_depend_on_places_and_values_alone"
DROPPED = "it_ignores_what_was_dropped_if_it_says_so"
LOCAL = "it_does_not_mind_where_the_agent_is_if_it_says_so"
NAMES = "order_and_ids_in_the_file_change_nothing"
MOVABLE = {"traits": lambda lamp, value: Trait.SOLID | Trait.PORTABLE, "on_enter": None, "on_toggle": None}

BROKEN: list[tuple[str, dict[str, Any]]] = [
    (DESCRIPTOR, {"name": "my lamps"}),
    (DESCRIPTOR, {"name": "keys"}),
    (DESCRIPTOR, {"values": ("dark", "dark")}),
    (DESCRIPTOR, {"grid_state": GridStateField("lit_lamps", lambda world, state, lamp: True)}),
    (VALUES, {"spec": ChangeableSpec}),
    (VALUES, {"spec": DoublingSpec}),
    (VALUES, {"validate": lambda lamp, task: [Problem("shade", "too dark")]}),
    (VALIDATION, {"validate": lambda lamp, task: [Problem("shade", task.mechanisms.lamps[5].id)]}),
    (VALIDATION, {"validate": lambda lamp, task: ["lights nothing"] if lamp.lights else []}),
    (VALIDATION, {"validate": lambda lamp, task: [Problem("mechanisms.lamps[0]", "nothing")] if lamp.lights else []}),
    (POSITIONS, {"positions": lambda lamp: {"place": lamp.position}}),
    (POSITIONS, {**MOVABLE, "fills_patch": True}),
    (POSITIONS, {"carries": lambda world, state, lamp: 0}),
    (LOOKS, {"initial": lambda lamp, rules: "glowing"}),
    (LOOKS, {"traits": lambda lamp, value: "solid"}),
    (LOOKS, {"glyph": lambda lamp, value: [Circle(0.5, 0.5, 0.3, "red")]}),
    (LOOKS, {"glyph": lambda lamp, value: Glyph((Circle(5, 5, 3, "red"),))}),
    (LOOKS, {"glyph": lambda lamp, value: Glyph((Circle(random.random(), 0.5, 0.1, "red"),))}),
    (LOOKS, {"color": lambda lamp: "pinkish"}),
    (LOOKS, {"adjective": lambda lamp, value: None}),
    (EXPLAINS, {"explains": lambda lamp, rules: Explained(" ")}),
    (EXPLAINS, {"explains": lambda lamp, rules: Explained("It shines.\nBrightly.")}),
    (EXPLAINS, {"explains": lambda lamp, rules: Explained("The one at (3, 4) shines.")}),
    (EXPLAINS, {"explains": lambda lamp, rules: Explained("It shines.", states=("off",))}),
    (EXPLAINS, {"explains": lambda lamp, rules: Explained(f"It is {lamp.id}.")}),
    (EXPLAINS, {"values": tuple(f"dim-{number}" for number in range(10))}),
    (EFFECT, {"on_pickup": lambda world, state, lamp: None}),
    (EFFECT, {"traits": Trait.SOLID, "admits": lambda world, state, lamp: True, "on_enter": None}),
    (EFFECT, {"traits": Trait.SOLID}),
    (EFFECT, {"traits": Trait.SOLID, "carries": lambda world, state, lamp: 0, "fills_patch": True, "on_enter": None}),
    (EFFECT, {"traits": Trait.SOLID | Trait.DEADLY, "on_enter": None}),
    (EFFECT, {"traits": Trait.SOLID | Trait.TAKES_BLOCKS, "on_enter": None}),
    (EFFECT, {"traits": Trait.TOGGLED_UNDERFOOT, "on_toggle": None}),
    (EFFECT, {"traits": Trait.ACTIVE}),
    (EFFECT, {"controls": lambda lamp: ("stage-gate",)}),
    (EFFECT, {"on_enter": None, "on_toggle": None, "traits": Trait.NONE, "spec": ReferringSpec}),
    (EFFECT, {"on_enter": None, "on_toggle": None, "traits": Trait.NONE, "controllable": True}),
    (RETURNS, {"on_enter": lambda world, state, lamp: {}["no such lamp"]}),
    (RETURNS, {"on_enter": lambda world, state, lamp: (state, (Changed(lamp.id, lamp.cells, "glowing"),))}),
    (RETURNS, {"on_enter": lambda world, state, lamp: (state._replace(values=list(state.values)), ())}),
    (RETURNS, {"on_enter": lambda world, state, lamp: (state.with_value(lamp.index, 2), ())}),
    (RETURNS, {"on_enter": lambda world, state, lamp: (state.at(min(world.walls)), ())}),
    (RETURNS, {"on_enter": lambda world, state, lamp: (state._replace(steps=state.steps + 1), ())}),
    (RETURNS, {"on_enter": lambda world, state, lamp: (state, ("lit",))}),
    (RETURNS, {"on_enter": lambda world, state, lamp: state}),
    (RETURNS, {"sense": lambda world, state, lamp: (state.with_value(lamp.index, 1), ())}),
    (RETURNS, {"derive": lambda world, state, lamp: ("lit", ())}),
    (RETURNS, {"tick": lambda world, state, lamp: 1}),
    (RETURNS, {"carries": lambda world, state, lamp: 4, "fills_patch": True}),
    (RETURNS, {"admits": lambda world, state, lamp: None}),
    (PURE, {"on_enter": lambda world, state, lamp: (state.with_value(lamp.index, next(count) % 2), ())}),
    (PURE, {"on_enter": lambda world, state, lamp: (state.with_value(lamp.index, random.randrange(2)), ())}),
    (PURE, {"on_enter": paints_its_spec}),
    (PURE, {"on_enter": lambda world, state, lamp: world.by_id.pop("stage-gate", None) and None}),
    (STEPS, {"tick": lambda world, state, lamp: (state.steps % 2, ())}),
    (STEPS, {"derive": lambda world, state, lamp: (int(state.discovered != 0), ())}),
    (STEPS, {"admits": lambda world, state, lamp: state.steps % 2 == 0}),
    (SETTLES, {"sense": lambda world, state, lamp: (int(state.heading == 0), ())}),
    (SETTLES, {"derive": flicker}),
    (DROPPED, {"tick": by_the_key, "ignores_dropped": True}),
    (LOCAL, {"tick": lambda world, state, lamp: (far_right(world, state), ()), "local": True}),
    (LOCAL, {"sense": lambda world, state, lamp: (int(state.heading == 0), ()), "local": True}),
    (LOCAL, {"carries": lambda world, state, lamp: far_right(world, state), "fills_patch": True, "local": True}),
    (LOCAL, {"on_toggle": from_the_left, "local": True}),
    (LOCAL, {**MOVABLE, "on_pickup": from_the_left, "local": True}),
    ("a_walk_is_the_same_every_time", {"tick": lambda world, state, lamp: (next(count) // 50 % 2, ())}),
    (NAMES, {"tick": first_of_all}),
    (NAMES, {"carries": lambda world, state, lamp: int(lamp.id == "example"), "fills_patch": True}),
    (NAMES, {"adjective": lambda lamp, value: lamp.id}),
    (NAMES, {"tick": lambda world, state, lamp: (0, (NoEffect(f"{lamp.id} hums"),))}),
    (
        "it_appears_in_grid_state_and_survives_json",
        {"grid_state": GridStateField("block_positions", lambda world, state, lamp: {1, 2})},
    ),
    ("the_solver_can_search_a_world_with_it", {"tick": lambda world, state, lamp: {}["no such lamp"]}),
    (
        "hidden_it_is_not_told_of_before_it_is_discovered",
        {"tick": lambda world, state, lamp: (state.values[lamp.index], (NoEffect("a lamp hums nearby"),))},
    ),
]


@pytest.mark.parametrize(("check", "changes"), BROKEN)
def test_a_broken_mechanism_is_caught(check: str, changes: dict[str, Any]) -> None:
    assert_caught(MechanismConformance, check, mechanism=lamps(**changes), examples=[LAMP])


def test_every_check_has_a_broken_mechanism() -> None:
    assert_has_broken_ones(MechanismConformance, [check for check, _ in BROKEN])


# --- Examples --------------------------------------------------------------------------------------------------------


def test_it_may_be_named_by_an_import_string_or_by_the_name_under_which_it_is_installed() -> None:
    for name in ("gridworld.mechanisms.hazards:HAZARDS", "hazards"):
        kit = type("Kit", (MechanismConformance,), {"mechanism": name})
        assert kit().resolve().name == "hazards"


def test_examples_are_derived_once_for_all_checks_and_each_check_has_its_own() -> None:
    tried = []

    class Kit(MechanismConformance):
        mechanism = "keys"

        def task_with(self, entry: Entry, **rules: Any) -> TaskSpecification:
            tried.append(entry)
            return super().task_with(entry, **rules)

    (first, *_), times = Kit().entries(), len(tried)
    (again, *_) = Kit().entries()
    assert first == again
    assert first is not again
    assert len(tried) == times > 0


def test_where_no_example_can_be_derived_the_author_is_asked_for_one() -> None:
    riddles = lamps(spec=RiddleSpec)
    found = failures(MechanismConformance, mechanism=riddles)
    assert {result.verdict for result in found.values()} == {"undecided"}
    assert all("set `examples`" in result.wrong for result in found.values())
    assert_conforms(MechanismConformance, mechanism=riddles, examples=[{**LAMP, "answer": "forty-two"}])


def test_a_kit_without_anything_to_test_says_what_to_set() -> None:
    assert all("`mechanism`" in result.wrong for result in failures(MechanismConformance).values())
