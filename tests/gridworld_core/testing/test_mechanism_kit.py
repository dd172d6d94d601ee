"""The kit for mechanisms passes a sound one, and catches each of many broken ones."""

import importlib
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from gridworld.drawing.glyphs import Circle, Glyph
from gridworld.errors import Problem
from gridworld.task_spec import Position, Rules, TaskSpecification, one_of, to_position
from gridworld.testing import MechanismConformance
from gridworld.testing.conformance import Entry
from gridworld.world import Entity, State, World
from gridworld.world.events import Changed, Event, NoEffect
from gridworld.world.mechanism_type import Explained, GridStateField, MechanismType, Trait
from support.sample_plugins import assert_caught, assert_conforms, assert_passes, failures

Outcome = tuple[State, tuple[Event, ...]] | None


@attrs.frozen
class LampSpec:
    """A lamp that is lit by stepping onto it."""

    id: str
    position: Position = attrs.field(converter=to_position)
    shade: str = attrs.field(default="plain", validator=one_of("plain", "striped"))
    lights: tuple[str, ...] = ()


def light(world: World, state: State, lamp: Entity) -> Outcome:
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


def test_a_sound_mechanism_conforms() -> None:
    assert_conforms(MechanismConformance, mechanism=LAMPS)


def test_it_may_be_named_by_an_import_string_or_by_the_name_under_which_it_is_installed() -> None:
    for name in ("gridworld.mechanisms.hazards:HAZARDS", "hazards"):
        assert_passes(MechanismConformance, "its_descriptor_has_the_right_types", mechanism=name)


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


# --- What it does --------------------------------------------------------------------------------------------------

count = itertools.count()
rng = random.Random()
met: dict[int, tuple[int, State]] = {}
"""By identity, and kept, so that no address is given out again."""


def forgets_nothing(world: World, state: State, lamp: Entity) -> Outcome:
    """Returns something else each time."""
    return state.with_value(lamp.index, next(count) % 2), ()


def by_chance(world: World, state: State, lamp: Entity) -> Outcome:
    return state.with_value(lamp.index, rng.randrange(2)), ()


def by_identity(world: World, state: State, lamp: Entity) -> Outcome:
    """Every second object is another matter, whatever addresses they have."""
    met.setdefault(id(state), (len(met) % 2, state))
    return state.with_value(lamp.index, met[id(state)][0]), ()


def paints_its_spec(world: World, state: State, lamp: Entity) -> Outcome:
    object.__setattr__(lamp.spec, "shade", "striped")
    return None


def moves_its_entity(world: World, state: State, lamp: Entity) -> Outcome:
    object.__setattr__(lamp, "cells", ())
    return None


def removes_from_the_world(world: World, state: State, lamp: Entity) -> Outcome:
    world.by_id.pop("stage-gate", None)
    return None


def raises(world: World, state: State, lamp: Entity) -> Outcome:
    raise KeyError("no such lamp")


def values_as_a_list(world: World, state: State, lamp: Entity) -> Any:
    return state._replace(values=list(state.values)), ()  # type: ignore[arg-type]


def too_large_a_value(world: World, state: State, lamp: Entity) -> Outcome:
    return state.with_value(lamp.index, 2), ()


def into_the_wall(world: World, state: State, lamp: Entity) -> Outcome:
    return state.at(min(world.walls)), ()


def one_step_more(world: World, state: State, lamp: Entity) -> Outcome:
    return state._replace(steps=state.steps + 1), ()


def events_as_words(world: World, state: State, lamp: Entity) -> Any:
    return state, ("lit",)


def a_state_alone(world: World, state: State, lamp: Entity) -> Any:
    return state


@pytest.mark.parametrize(
    ("hook", "check", "wrong", "remedy"),
    [
        (forgets_nothing, "its_hooks_are_pure", "on_enter of 'example'", "no cache"),
        (by_chance, "its_hooks_are_pure", "for the same state", "no random numbers"),
        (by_identity, "its_hooks_are_pure", "for the same state", "no id()"),
        (paints_its_spec, "its_hooks_are_pure", "has modified its arguments", "return another state instead"),
        (moves_its_entity, "its_hooks_are_pure", "has modified its arguments", "return another state instead"),
        (removes_from_the_world, "its_hooks_are_pure", "has modified its arguments", "never modify the world"),
        (raises, "its_hooks_return_what_they_have_to", "KeyError: 'no such lamp'", "must not raise"),
        (
            values_as_a_list,
            "its_hooks_return_what_they_have_to",
            "whose values are [",
            "state.with_value(...)",
        ),
        (too_large_a_value, "its_hooks_return_what_they_have_to", "the value 2", "values.index(name)"),
        (into_the_wall, "its_hooks_return_what_they_have_to", "puts the agent on cell 0", "world.is_free"),
        (one_step_more, "its_hooks_return_what_they_have_to", "number of steps", "the kernel counts"),
        (
            events_as_words,
            "its_hooks_return_what_they_have_to",
            "('lit',)",
            "a tuple of `gridworld.hookspecs",
        ),
        (
            a_state_alone,
            "its_hooks_return_what_they_have_to",
            "returns State(",
            "a tuple of the new state and",
        ),
    ],
)
def test_a_broken_hook_is_caught(hook: Callable[..., Any], check: str, wrong: str, remedy: str) -> None:
    broken = lamps(on_enter=hook)
    assert_caught(MechanismConformance, check, wrong, remedy, mechanism=broken, examples=[LAMP])


NextOutcome = tuple[int, tuple[Event, ...]]

LAMP = {"id": "example", "position": [2, 1]}


# --- What passes with time -----------------------------------------------------------------------------------------


def a_state_for_a_value(world: World, state: State, lamp: Entity) -> Any:
    return state.with_value(lamp.index, 1), ()


def the_name_of_a_value(world: World, state: State, lamp: Entity) -> Any:
    return "lit", ()


def a_value_too_many(world: World, state: State, lamp: Entity) -> NextOutcome:
    return 2, ()


def a_value_alone(world: World, state: State, lamp: Entity) -> Any:
    return 1


@pytest.mark.parametrize("phase", ["sense", "derive", "tick"])
@pytest.mark.parametrize(
    ("hook", "wrong", "remedy"),
    [
        (a_state_for_a_value, "returns (State(", "the index of its next value"),
        (the_name_of_a_value, "returns ('lit', ())", "`1, ()`"),
        (a_value_alone, "returns 1", "a tuple of events"),
        (a_value_too_many, "the value 2", "values.index(name)"),
    ],
)
def test_a_phase_that_gives_anything_but_its_own_next_value_is_caught(
    phase: str, hook: Callable[..., Any], wrong: str, remedy: str
) -> None:
    broken = lamps(**{phase: hook})
    check = "its_hooks_return_what_they_have_to"
    assert_caught(MechanismConformance, check, wrong, remedy, mechanism=broken, examples=[LAMP])


def lit_in_every_other_step(world: World, state: State, lamp: Entity) -> NextOutcome:
    return state.steps % 2, ()


def lit_late(world: World, state: State, lamp: Entity) -> Outcome:
    return (state.with_value(lamp.index, 1), ()) if state.steps > 9 else None


def carries_late(world: World, state: State, lamp: Entity) -> int | None:
    return 0 if state.steps > 9 else None


def open_in_every_other_step(world: World, state: State, lamp: Entity) -> bool:
    return state.steps % 2 == 0


def lit_once_something_is_discovered(world: World, state: State, lamp: Entity) -> NextOutcome:
    return int(state.discovered != 0), ()


@pytest.mark.parametrize(
    ("phase", "hook"),
    [
        *((phase, lit_in_every_other_step) for phase in ("sense", "derive", "tick")),
        ("derive", lit_once_something_is_discovered),
        ("carries", carries_late),
        ("on_enter", lit_late),
        ("admits", open_in_every_other_step),
    ],
)
def test_a_hook_that_reads_the_number_of_steps_is_caught(phase: str, hook: Callable[..., Any]) -> None:
    assert_caught(
        MechanismConformance,
        "its_hooks_do_not_depend_on_the_steps",
        f"{phase} of 'example' depends on the number of steps",
        "count in the entity's own value",
        mechanism=lamps(fills_patch=True, **{phase: hook}),
        examples=[LAMP],
    )


def test_a_sound_carrier_conforms() -> None:
    def leftwards_while_dark(world: World, state: State, lamp: Entity) -> int | None:
        return 2 if lamp.value_name(state) == "dark" else None

    carrier = lamps(carries=leftwards_while_dark, fills_patch=True)
    assert_conforms(MechanismConformance, mechanism=carrier, examples=[LAMP])


@pytest.mark.parametrize("direction", [4, -1, "right", (1, 0), True, 1.0])
def test_a_carrier_that_gives_no_direction_is_caught(direction: Any) -> None:
    assert_caught(
        MechanismConformance,
        "its_hooks_return_what_they_have_to",
        f" returns {direction!r}",
        "0 for right, 1 down, 2 left, 3 up",
        mechanism=lamps(carries=lambda world, state, lamp: direction, fills_patch=True),
        examples=[LAMP],
    )


def test_a_carrier_that_is_not_pure_is_caught() -> None:
    turns = itertools.count()
    assert_caught(
        MechanismConformance,
        "its_hooks_are_pure",
        "carries of 'example'",
        "no cache",
        mechanism=lamps(carries=lambda world, state, lamp: next(turns) % 4, fills_patch=True),
        examples=[LAMP],
    )


def test_a_carrier_that_takes_only_the_anchor_is_caught() -> None:
    assert_caught(
        MechanismConformance,
        "what_carries_fills_its_patch",
        "takes only the anchor",
        "set fills_patch=True",
        mechanism=lamps(carries=lambda world, state, lamp: 0, fills_patch=False),
        examples=[LAMP],
    )


# --- What it tells of itself -----------------------------------------------------------------------------------------


def raising(lamp: LampSpec, rules: Rules) -> Explained:
    raise KeyError("lamp")


@pytest.mark.parametrize(
    ("explains", "complaint"),
    [
        (raising, "raised KeyError"),
        (lambda lamp, rules: Explained(), "tells nothing of what it does"),
        (lambda lamp, rules: Explained(" "), "tells nothing of what it does"),
        (lambda lamp, rules: "a lamp", "is 'a lamp'"),
        (lambda lamp, rules: Explained("It shines.\nBrightly."), "holds line breaks"),
        (lambda lamp, rules: Explained("It shines.", states=("off",)), "names the states ['off']"),
        (lambda lamp, rules: Explained(f"It stands at {lamp.position.x}."), "at another place"),
        (lambda lamp, rules: Explained(f"It is {lamp.id}."), "with another id"),
    ],
)
def test_an_explanation_that_fails_or_tells_nothing_or_too_much_is_caught(explains: Any, complaint: str) -> None:
    assert_caught(
        MechanismConformance,
        "it_explains_itself",
        complaint,
        "",
        mechanism=lamps(explains=explains),
        examples=[LAMP],
    )


def test_a_sound_explanation_conforms() -> None:
    explains = Explained("Stepping onto it lights it.", "a yellow disc once it is lit", states=("lit",))
    assert_conforms(MechanismConformance, mechanism=lamps(explains=lambda lamp, rules: explains), examples=[LAMP])


# --- Order and names -----------------------------------------------------------------------------------------------


def lit_if_listed_first(world: World, state: State, lamp: Entity) -> NextOutcome:
    return int(world.task.mechanisms.lamps[0].id == lamp.id), ()


def lit_if_first_in_the_alphabet(world: World, state: State, lamp: Entity) -> NextOutcome:
    return int(lamp.id == min(each.id for each in world.entities if each.type.name == "lamps")), ()


def lit_by_its_name(world: World, state: State, lamp: Entity) -> Outcome:
    return (state.with_value(lamp.index, 1), ()) if lamp.id.startswith("ex") else None


def carries_by_its_name(world: World, state: State, lamp: Entity) -> int | None:
    return 0 if lamp.id.startswith("ex") else 1


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"tick": lit_if_listed_first}, "another order in the file"),
        ({"derive": lit_if_listed_first}, "another order in the file"),
        ({"tick": lit_if_first_in_the_alphabet}, "with other ids"),
        ({"sense": lit_if_first_in_the_alphabet}, "with other ids"),
        ({"on_enter": lit_by_its_name}, "with other ids"),
        ({"carries": carries_by_its_name, "fills_patch": True}, "with other ids"),
        ({"adjective": lambda lamp, value: lamp.id}, "with other ids, the text after"),
        (
            {"glyph": lambda lamp, value: Glyph((Circle(0.5, 0.5, len(lamp.id) / 100, "red"),))},
            "with other ids, the look of the things",
        ),
        ({"tick": lambda world, state, lamp: (0, (NoEffect(f"{lamp.id} hums"),))}, "with other ids"),
    ],
)
def test_one_that_minds_its_place_in_the_file_or_its_name_is_caught(changes: dict[str, Any], wrong: str) -> None:
    assert_caught(
        MechanismConformance,
        "order_and_names_in_the_file_change_nothing",
        wrong,
        "do not depend on ids",
        mechanism=lamps(**changes),
        examples=[LAMP],
    )


def test_a_sense_that_looks_at_the_heading_is_caught() -> None:
    def faces_right(world: World, state: State, lamp: Entity) -> NextOutcome:
        return int(state.heading == 0), ()

    assert_caught(
        MechanismConformance,
        "sense_and_derive_depend_on_places_and_values_alone",
        "depends on the agent's heading",
        "put what changes with time into `tick`",
        mechanism=lamps(sense=faces_right),
    )


SETTLING = "settling_twice_is_settling_once"


def test_a_derive_that_never_comes_to_rest_is_caught() -> None:
    def flicker(world: World, state: State, lamp: Entity) -> NextOutcome | None:
        return (1 - state.values[lamp.index], ()) if state.cell in lamp.cells else None

    wrong = "mechanism 'lamps' (under-test): settling never ends in the task 'stage': each change of 'example'"
    assert_caught(
        MechanismConformance, SETTLING, wrong, "return None if it is unchanged", mechanism=lamps(derive=flicker)
    )


def test_a_derive_that_does_not_settle_at_the_start_is_told_as_the_reason_why_no_example_is_valid() -> None:
    def flicker(world: World, state: State, lamp: Entity) -> NextOutcome:
        return 1 - state.values[lamp.index], ()

    result = failures(MechanismConformance, mechanism=lamps(derive=flicker))[SETTLING]
    assert result.verdict == "undecided"
    assert "mechanisms.lamps[0]: never settles at the start" in result.wrong


def test_a_walk_that_depends_on_what_was_before_is_caught() -> None:
    turns = itertools.count()

    def differently(world: World, state: State, lamp: Entity) -> NextOutcome:
        return next(turns) // 50 % 2, ()

    assert_caught(
        MechanismConformance,
        "a_walk_is_the_same_every_time",
        "lead to other states the second time",
        "keep everything in the state",
        mechanism=lamps(tick=differently),
    )


def test_one_that_says_falsely_that_it_ignores_dropped_things_is_caught() -> None:
    def lit_by_what_lies_left(world: World, state: State, lamp: Entity) -> NextOutcome:
        place = state.places[world.by_id["stage-key"].index]
        return int(place >= 0 and world.topology.lattice[place].x < 4), ()

    assert_caught(
        MechanismConformance,
        "it_ignores_what_was_dropped_if_it_says_so",
        "depends on where a dropped thing lies",
        "set ignores_dropped=False",
        mechanism=lamps(tick=lit_by_what_lies_left, ignores_dropped=True),
    )


# --- Where the agent is --------------------------------------------------------------------------------------------

NOT_LOCAL, MINDS_POSE = "it_does_not_mind_where_the_agent_is_if_it_says_so", "set local=False"


def column(world: World, state: State) -> int:
    return world.topology.lattice[state.cell].x


def in_front(world: World, state: State) -> int:
    return world.exits[state.cell * world.headings + state.heading]


def lit_by_who_is_right(world: World, state: State, lamp: Entity) -> NextOutcome:
    return int(column(world, state) > 4), ()


def lit_by_who_is_near(world: World, state: State, lamp: Entity) -> NextOutcome:
    exits = world.exits[state.cell * world.headings : (state.cell + 1) * world.headings]
    return int(any(cell in lamp.cells for cell in exits)), ()


def lit_by_a_look(world: World, state: State, lamp: Entity) -> NextOutcome:
    return int(in_front(world, state) in lamp.cells), ()


def lit_by_who_looks_right(world: World, state: State, lamp: Entity) -> NextOutcome:
    return int(state.heading == 0), ()


def told_by_who_looks_right(world: World, state: State, lamp: Entity) -> NextOutcome | None:
    """The value is the same; only the events differ."""
    return (state.values[lamp.index], (Changed(lamp.id, lamp.cells, "lit"),)) if state.heading == 0 else None


def lit_from_the_left(world: World, state: State, lamp: Entity) -> Outcome:
    x = world.topology.lattice[lamp.anchors[0]].x
    return light(world, state, lamp) if column(world, state) < x else None


def lit_from_the_left_and_told(world: World, state: State, lamp: Entity) -> Outcome:
    """Only the events differ."""
    if column(world, state) < world.topology.lattice[lamp.anchors[0]].x:
        return state, (NoEffect("it is stuck"),)
    return state, (Changed(lamp.id, lamp.cells, "lit"),)


def kicks_who_looks_right(world: World, state: State, lamp: Entity) -> Outcome:
    """The pose is changed from one side, and not from others."""
    return (state.facing(world.left[state.cell * world.headings + state.heading]), ()) if state.heading == 0 else None


def to_where_the_agent_is(world: World, state: State, lamp: Entity) -> int:
    return int(column(world, state) > 4)


def taken_by_who_looks_right(world: World, state: State, lamp: Entity) -> Outcome:
    return light(world, state, lamp) if state.heading == 0 else None


PORTABLE = {"traits": lambda lamp, value: Trait.SOLID | Trait.PORTABLE, "on_enter": None, "on_toggle": None}


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"tick": lit_by_who_is_right}, "tick of 'example'"),
        ({"tick": lit_by_who_is_near}, "tick of 'example'"),
        ({"tick": lit_by_a_look}, "tick of 'example'"),
        ({"tick": lit_by_who_looks_right}, "tick of 'example'"),
        ({"tick": told_by_who_looks_right}, "tick of 'example'"),
        ({"sense": lit_by_who_is_right}, "sense of 'example'"),
        ({"derive": lit_by_who_is_near}, "derive of 'example'"),
        ({"carries": to_where_the_agent_is, "fills_patch": True}, "carries of 'example'"),
        ({"on_toggle": lit_from_the_left}, "on_toggle of 'example'"),
        ({"on_toggle": lit_from_the_left_and_told}, "on_toggle of 'example'"),
        ({"on_toggle": kicks_who_looks_right}, "on_toggle of 'example'"),
        ({**PORTABLE, "on_pickup": taken_by_who_looks_right}, "on_pickup of 'example'"),
    ],
)
def test_one_that_says_falsely_that_it_is_local_is_caught(changes: dict[str, Any], wrong: str) -> None:
    broken = lamps(local=True, **changes)
    assert_caught(MechanismConformance, NOT_LOCAL, wrong, MINDS_POSE, mechanism=broken, examples=[LAMP])
    honest = attrs.evolve(broken, local=False)
    assert_passes(MechanismConformance, NOT_LOCAL, mechanism=honest, examples=[LAMP])


def lit_underfoot(world: World, state: State, lamp: Entity) -> NextOutcome:
    return int(state.cell in lamp.cells), ()


def from_the_left_only(world: World, state: State, lamp: Entity) -> bool:
    return state.heading == 0


@pytest.mark.parametrize(
    "changes", [{"sense": lit_underfoot}, {"tick": lit_underfoot}, {"admits": from_the_left_only}, {}]
)
def test_what_depends_on_who_stands_on_it_or_enters_it_is_local(changes: dict[str, Any]) -> None:
    assert_passes(MechanismConformance, NOT_LOCAL, mechanism=lamps(local=True, **changes), examples=[LAMP])


# --- What it says of itself ----------------------------------------------------------------------------------------


@attrs.define
class ChangeableSpec:
    """Not frozen, and so not hashable."""

    id: str
    position: Position = attrs.field(converter=to_position)


@attrs.frozen
class ListSpec:
    """Frozen, but with a list inside."""

    id: str
    position: Position = attrs.field(converter=to_position)
    notes: list[str] = attrs.Factory(list)


@attrs.frozen
class DoublingSpec:
    """Its converter does not accept what it makes."""

    id: str
    position: Position = attrs.field(converter=to_position)
    size: int = attrs.field(default=1, converter=lambda size: 2 * size)


@pytest.mark.parametrize(
    ("changes", "check", "wrong", "remedy"),
    [
        ({"spec": ChangeableSpec}, "its_entries_are_frozen_and_hashable", "TypeError: unhashable", "@attrs.frozen"),
        ({"spec": ListSpec}, "its_entries_are_frozen_and_hashable", "unhashable", "tuples instead of lists"),
        ({"spec": DoublingSpec}, "its_entries_survive_a_task_file", "differs after", "accept what they return"),
        ({"name": "my lamps"}, "its_descriptor_has_the_right_types", "'my lamps'", "lower-case plural"),
        (
            {"values": ("dark", "dark")},
            "its_descriptor_has_the_right_types",
            "has duplicates",
            "give each state a name of its own",
        ),
        ({"on_enter": "light"}, "its_hooks_are_functions", "`on_enter` is 'light'", "make it a function, or None"),
        (
            {"grid_state": GridStateField("lit_lamps", lambda world, state, lamp: True)},
            "its_field_of_grid_state_can_hold_it",
            "no set or dictionary `lit_lamps`",
            "leave `grid_state` out",
        ),
        (
            {"grid_state": GridStateField("block_positions", lambda world, state, lamp: {1, 2})},
            "it_appears_in_grid_state_and_survives_a_dictionary",
            "GridState",
            "let `grid_state` return",
        ),
        (
            {"initial": lambda lamp, rules: "glowing"},
            "it_starts_in_one_of_its_values",
            "initial(LampSpec(",
            "return one of ('dark', 'lit')",
        ),
        (
            {"traits": lambda lamp, value: "solid"},
            "its_traits_are_flags_that_depend_on_its_state_alone",
            "is 'solid'",
            "return a `Trait`",
        ),
        (
            {"glyph": lambda lamp, value: [Circle(0.5, 0.5, 0.3, "red")]},
            "its_glyph_is_made_of_shapes_within_the_cell",
            "glyph(",
            "return a `Glyph`",
        ),
        (
            {"glyph": lambda lamp, value: Glyph((Circle(5, 5, 3, "red"),))},
            "its_glyph_is_made_of_shapes_within_the_cell",
            "is not within the cell",
            "fractions of the cell",
        ),
        (
            {"glyph": lambda lamp, value: Glyph((Circle(rng.random(), 0.5, 0.1, "red"),))},
            "its_glyph_is_made_of_shapes_within_the_cell",
            "differs between calls",
            "depend on its arguments only",
        ),
        ({"color": lambda lamp: "pinkish"}, "its_words_are_texts", "color(", "return the name of a CSS colour"),
        ({"adjective": lambda lamp, value: None}, "its_words_are_texts", "adjective(", "return a string"),
        ({"controls": lambda lamp: ["stage-gate"]}, "its_words_are_texts", "controls(", "a tuple of ids"),
        (
            {"positions": lambda lamp: {"place": lamp.position}},
            "it_stands_on_the_cells_that_its_fields_name",
            "no field 'place'",
            "from a field of the spec",
        ),
        (
            {"traits": lambda lamp, value: Trait.SOLID | Trait.PORTABLE, "fills_patch": True},
            "what_moves_takes_one_cell",
            "takes more than one cell",
            "fills_patch=False",
        ),
        (
            {"validate": lambda lamp, task: [Problem("shade", task.mechanisms.lamps[5].id)]},
            "validation_yields_problems_and_never_raises",
            "IndexError",
            "yield a Problem instead",
        ),
    ],
)
def test_a_broken_descriptor_is_caught(changes: dict[str, Any], check: str, wrong: str, remedy: str) -> None:
    assert_caught(MechanismConformance, check, wrong, remedy, mechanism=lamps(**changes), examples=[LAMP])


@pytest.mark.parametrize(
    ("problem", "wrong", "remedy"),
    [
        ("lights nothing", "yields 'lights nothing'", "yield `gridworld.errors.Problem("),
        (Problem("mechanisms.lamps[0].lights", "nothing"), "it has no field 'mechanisms'", "relative to the entry"),
    ],
)
def test_problems_of_the_wrong_kind_are_caught(problem: Any, wrong: str, remedy: str) -> None:
    def validate(lamp: LampSpec, task: Any) -> Any:
        return [problem] if "no-such-id" in lamp.lights else []

    broken = lamps(validate=validate)
    check = "validation_yields_problems_and_never_raises"
    assert_caught(MechanismConformance, check, wrong, remedy, mechanism=broken, examples=[LAMP])


# --- What is hidden ------------------------------------------------------------------------------------------------


def test_a_hidden_one_that_is_told_of_is_caught() -> None:
    def hum(world: World, state: State, lamp: Entity) -> NextOutcome:
        return state.values[lamp.index], (NoEffect("a lamp hums nearby"),)

    assert_caught(
        MechanismConformance,
        "hidden_it_is_not_told_of_before_it_is_discovered",
        "a lamp hums nearby",
        "set `subject` in your own events",
        mechanism=lamps(tick=hum),
    )


# --- What it imports -----------------------------------------------------------------------------------------------

HEAVY = """
import attrs
import numpy
from gridworld.task_spec import Position, to_position

@attrs.frozen
class HeavySpec:
    id: str
    position: Position = attrs.field(converter=to_position)
"""


def test_a_module_that_imports_a_heavy_library_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "heavy_lamps.py").write_text(HEAVY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    heavy_lamps = importlib.import_module("heavy_lamps")
    assert_caught(
        MechanismConformance,
        "importing_it_imports_no_heavy_library",
        "importing heavy_lamps imports numpy",
        "inside the function that needs it",
        mechanism=lamps(spec=heavy_lamps.HeavySpec),
    )


# --- Examples ------------------------------------------------------------------------------------------------------


@attrs.frozen
class RiddleSpec:
    """Nobody can guess what its answer has to be."""

    id: str
    position: Position = attrs.field(converter=to_position)
    answer: str = attrs.field(validator=attrs.validators.matches_re("forty-two"))


def test_where_no_example_can_be_derived_the_author_is_asked_for_one() -> None:
    found = failures(MechanismConformance, mechanism=lamps(spec=RiddleSpec))
    assert {result.verdict for result in found.values()} == {"undecided"}
    assert all("set `examples`" in result.remedy for result in found.values())
    given = {"id": "r", "position": [2, 2], "answer": "forty-two"}
    assert_conforms(MechanismConformance, mechanism=lamps(spec=RiddleSpec), examples=[given])


def test_an_example_that_is_not_valid_is_refused() -> None:
    outside = {"id": "example", "position": [20, 20]}
    assert_caught(
        MechanismConformance,
        "its_entries_are_valid",
        "is outside the maze",
        "give valid examples",
        mechanism=LAMPS,
        examples=[outside],
    )


def test_a_kit_without_anything_to_test_says_what_to_set() -> None:
    found = failures(MechanismConformance)
    assert all("`mechanism`" in result.remedy for result in found.values())
