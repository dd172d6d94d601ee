"""`MechanismConformance`: the checks that every mechanism must pass."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, ClassVar

import attrs

from gridworld import solver
from gridworld.backends.grid_state import GridState, full_grid_state, known_grid_state
from gridworld.drawing.glyphs import Glyph, Tint
from gridworld.errors import TaskError
from gridworld.explaining.legend import MOST_ROWS
from gridworld.plugins import get_registry, using_registry
from gridworld.plugins.known_plugins import TOOLKIT
from gridworld.task.colors import ANY_COLORS
from gridworld.task.meanings import Meaning, meaning_of
from gridworld.task_spec import Position, Rules, TaskSpecification
from gridworld.testing.conformance import Entry, Undecided, at, calling, expect, fail, with_item
from gridworld.testing.examples import ExampleConformance, derive_entries, telling
from gridworld.testing.expectations import (
    call_twice,
    expect_explained,
    expect_problems,
    expect_same_under_other_names,
    expect_through_a_task_file,
    expect_through_json,
)
from gridworld.testing.hook_calls import (
    Alike,
    CallCheck,
    call_hook,
    dropped,
    elsewhere,
    is_pure,
    later,
    turned,
    watched,
)
from gridworld.testing.stage import WalkedStep, every_topology, kit_task, stage, walk, walk_through
from gridworld.world import Episode, State, World, compile_world, square_topology
from gridworld.world.mechanism_type import CONTROLS, GridStateField, MechanismType, Trait, own_controls
from gridworld.world.owned_hooks import plain

SEEDS = (1, 2)
LENGTH = 60
"""Number of steps of one random walk."""
MAX_EXAMPLES = 5
MAX_STATES = 1_000
"""Number of states after which a search on the stage stops."""
NO_SUCH_ID = "no-such-id"
EXPLAINED_RULES = (Rules(), Rules(key_consumption=False, switch_type="hold", observability="fog_of_war"))
TWIN_CELLS = ([6, 2], [6, 3], [1, 4])
"""Cells of the stage for a second mechanism like the example."""


class MechanismConformance(ExampleConformance):
    """The checks of a mechanism, to be subclassed in its author's tests.

        class TestIce(MechanismConformance):
            mechanism = ICE
            examples = [{"id": "ice1", "position": [2, 1]}]

    Each example is placed on the stage alone, and the agent walks about there.
    """

    kind: ClassVar[str] = "mechanism"

    mechanism: ClassVar[MechanismType | str]
    """The mechanism, its import string, or its name if it is installed."""

    def task_with(self, entry: Entry, **rules: Any) -> TaskSpecification:
        """Return the stage with an example."""
        return kit_task(stage({self.resolve().name: [entry]}, rules=rules))

    def derive(self, mechanism: MechanismType) -> list[Entry]:
        """Return different examples that are valid on the stage."""
        different: dict[str, Entry] = {}
        refused = ""
        for entry in derive_entries(mechanism.spec):
            try:
                task = self.task_with(entry)
                compile_world(task, square_topology(*task.maze.dimensions))
            except TaskError as error:
                refused = f"; the last one tried: {error}"
                continue
            different.setdefault(repr(self._spec_in(task, entry)), entry)
        if not different:
            raise Undecided(
                f"no example of '{mechanism.name}' that is valid could be made from its fields{refused}; subclass the "
                "kit in your tests and set `examples`"
            )
        return telling(different.values(), MAX_EXAMPLES)

    def specs(self) -> list[tuple[Any, TaskSpecification]]:
        """Return each example as its attrs object, with its task."""
        tasks = [(self.task_with(entry), entry) for entry in self.entries()]
        return [(self._spec_in(task, entry), task) for task, entry in tasks]

    def _spec_in(self, task: TaskSpecification, entry: Entry) -> Any:
        groups = dict(task.mechanisms.groups())
        return next(spec for spec in groups[self.resolve().name] if spec.id == entry["id"])

    def looks(self) -> Iterator[tuple[Any, str]]:
        """Yield (spec, value name) for every example in each of its states."""
        return ((spec, value) for spec, _ in self.specs() for value in self.resolve().values)

    def twice(self, function: str, *arguments: Any) -> Any:
        """Call a function of the mechanism twice with equal arguments, which it must not modify; return the result."""
        called = self.functions()[function]
        return call_twice(at(f"{function}{arguments!r}", called), called, *arguments)

    def functions(self) -> dict[str, Any]:
        """Return the fields of the mechanism, its functions among them, by name."""
        return attrs.asdict(self.resolve(), recurse=False)

    # --- The descriptor ------------------------------------------------------------------------------------------

    def test_its_descriptor_has_the_right_types(self) -> None:
        """Name, noun and summary are texts, and `values` has at least one text, each once.

        The name is a field of task files, such as `keys`; `grid_state` names a set or dictionary of `GridState`.
        """
        mechanism = self.resolve()
        expect(isinstance(mechanism, MechanismType), f"{mechanism!r} is no `gridworld.hookspecs.MechanismType`")
        fields, name = self.functions(), str(mechanism.name).rpartition("/")[2]
        expect(name.isidentifier(), f"`name` is {mechanism.name!r}, which cannot be a field")
        for other in self.installed.mechanisms:
            taken = other.distribution in TOOLKIT and other.given_name == name and other.item != mechanism
            expect(not taken, f"`name` is {name!r}, as of a mechanism of {other.distribution}: choose another one")
        for field in ("noun", "summary"):
            expect(isinstance(fields[field], str) and fields[field].strip(), f"`{field}` is {fields[field]!r}")
        values = mechanism.values
        texts = isinstance(values, tuple) and values and all(isinstance(value, str) for value in values)
        expect(texts and len(set(values)) == len(values), f"`values` is {values!r}")
        field = mechanism.grid_state
        expect(field is None or isinstance(field, GridStateField), f"`grid_state` is {field!r}, no GridStateField")
        if field is not None:
            empty = attrs.asdict(GridState((0, 0), 0), recurse=False).get(field.name)
            expect(isinstance(empty, (set, dict)), f"`GridState` has no set or dictionary `{field.name}`")

    # --- Its entries in task files -------------------------------------------------------------------------------

    def test_its_entries_are_valid_values_that_survive_a_task_file(self) -> None:
        """The examples pass the mechanism's own validation; the spec is decorated with @attrs.frozen, and hashable.

        Its fields hold tuples instead of lists and dictionaries, and their converters accept what they return.
        """
        for entry in self.entries():
            with calling(f"reading the example {entry}"):
                task = self.task_with(entry)
                _, problems = task.validate()
            expect(not problems, f"the example {entry} is refused: {'; '.join(problems)}")
            spec = self._spec_in(task, entry)
            with calling(f"hash({spec!r})"):
                hash(spec)
            expect_through_a_task_file(f"{spec!r} in its task", task)
            try:
                spec.id = spec.id
            except attrs.exceptions.FrozenInstanceError:
                continue
            fail(f"{spec!r} is mutable")

    def test_validation_yields_problems_and_never_raises(self) -> None:
        """Problems are yielded, not raised, also for dangling references, with paths relative to the entry."""
        mechanism = self.resolve()
        for spec, task in self.specs():
            for broken in (spec, *_mangled(spec)):
                for around in (task, attrs.evolve(task, mechanisms={mechanism.name: [broken]})):
                    what = at(f"validate({broken!r}, task)", mechanism.validate)
                    fields = attrs.fields_dict(type(spec))
                    expect_problems(what, fields, mechanism.validate, broken, around)

    def test_its_positions_are_the_cells_that_its_fields_hold(self) -> None:
        """`positions` maps fields of the spec to the `Position` in each. What can be moved has one, on one cell.

        A mechanism with `carries` fills its patch: otherwise the agent can stand beside it in the same lattice cell.
        """
        mechanism = self.resolve()
        expect(mechanism.carries is None or mechanism.fills_patch, "it carries, but takes only the anchor of its patch")
        for spec, task in self.specs():
            positions = self.twice("positions", spec)
            what = at(f"positions({spec!r})", mechanism.positions)
            expect(isinstance(positions, dict) and positions, f"{what} is {positions!r}")
            for field, position in positions.items():
                expect(field in attrs.fields_dict(type(spec)), f"{what} names {field!r}, which is no field of it")
                inside = isinstance(position, Position) and task.maze.contains(position)
                expect(inside, f"{what} is {position!r} for {field}")
            movable = any(mechanism.traits(spec, value) & Trait.MOVABLE for value in mechanism.values)
            expect(
                not movable or (len(positions) == 1 and not mechanism.fills_patch),
                f"{spec!r} can be carried or pushed, but takes more than one cell; set fills_patch=False",
            )

    # --- How it looks --------------------------------------------------------------------------------------------

    def test_its_looks_and_words_depend_on_its_state_alone(self) -> None:
        """`initial`, `traits`, `glyph` and all functions that return words are pure and return the right types.

        Glyphs are made of the shapes in `gridworld.hookspecs`, within the unit cell from (0, 0) to (1, 1).
        """
        mechanism = self.resolve()
        for spec, task in self.specs():
            for rules in (task.rules, Rules(switch_type="hold"), Rules(key_consumption=True)):
                what = at(f"initial({spec!r}, {rules!r})", mechanism.initial)
                call_twice(what, mechanism.initial_value, spec, rules)
            self._expect("controls", lambda ids: all(map(_is_text, ids)), spec)
            self._expect("color", lambda color: color is None or color in ANY_COLORS, spec)
            self._expect("kind", _is_text, spec)
            for field in mechanism.positions(spec):
                self._expect("part", _is_text, spec, field)
        for spec, value in self.looks():
            self._expect("traits", lambda traits: isinstance(traits, Trait), spec, value)
            self._expect("adjective", _is_text, spec, value)
            self._expect("glyph", _is_glyph, spec, value)
            for field in mechanism.positions(spec) if mechanism.glyph_at else ():
                self._expect("glyph_at", _is_glyph, spec, value, field)

    def _expect(self, function: str, is_sound: Any, *arguments: Any) -> None:
        returned = self.twice(function, *arguments)
        expect(is_sound(returned), f"{at(f'{function}{arguments!r}', self.functions()[function])} is {returned!r}")

    def test_it_explains_itself(self) -> None:
        """`explains` returns an `Explained` under all rules, without a place or an id: models read it beforehand.

        At most nine states have different names; others share an `adjective`, or `Explained.states` leaves them out.
        """
        mechanism = self.resolve()
        named: dict[str, set[str]] = {}
        for (spec, task), rules in product(self.specs(), EXPLAINED_RULES):
            completed = mechanism.completed(spec, task.rules)
            places = {field: Position(20 + x, 20 + y) for field, (x, y) in mechanism.positions(completed).items()}
            what = at(f"explains({completed!r}, {rules!r})", mechanism.explains)
            explained = call_twice(what, mechanism.explained, completed, rules)
            expect_explained(what, explained, mechanism.values)
            with calling(what):
                other = mechanism.explained(attrs.evolve(completed, id="elsewhere", **places), rules)
            expect(explained == other, f"{what} is another for one with another id, at another place")
            states = mechanism.values if explained.states is None else explained.states
            named.setdefault(mechanism.kind(completed), set()).update(
                mechanism.adjective(completed, value) for value in states
            )
        for names in named.values():
            expect(len(names) <= MOST_ROWS, f"it has {len(names)} states with different names: {sorted(names)}")

    # --- What it does --------------------------------------------------------------------------------------------

    def test_its_hooks_and_traits_can_have_an_effect(self) -> None:
        """Some state of an example lets each hook be called, and each trait count.

        `on_pickup` needs `PORTABLE`; `admits`, `on_enter` and `carries` a state that is not `SOLID`, as do `DEADLY` and
        `TAKES_BLOCKS`; `TOGGLED_UNDERFOOT` needs `on_toggle`; `ACTIVE` and `controls` need each other.
        """
        mechanism = self.resolve()
        states = [mechanism.traits(spec, value) for spec, value in self.looks()]
        controls = any(mechanism.controls(spec) for spec, _ in self.specs())
        for field, wrong in without_effect(mechanism, states, controls):
            fail(f"{at(f'`{field}`', self.functions()[field])} {wrong}")

    def test_its_hooks_return_what_they_have_to(self) -> None:
        """Hooks return values in range, move nothing into a wall, and report events that can be described."""
        self._watch(call_hook)

    def test_its_hooks_are_pure(self) -> None:
        """Equal states have equal results, and no argument is modified: no random numbers, clock, id(), or cache."""
        self._watch(is_pure)

    def test_its_hooks_do_not_depend_on_the_steps(self) -> None:
        """Hooks ignore `steps` and `discovered`: count in the entity's own value, as the example of timers does."""
        self._watch(Alike(later))

    def test_sense_and_derive_depend_on_places_and_values_alone(self) -> None:
        """`sense` and `derive` ignore the heading; called again, they change nothing and return None."""
        self._watch(Alike(turned))
        for world in self.worlds():
            with calling(f"a walk on {world.topology.name}"):
                states = [state for _, _, state, _ in self._steps(world)]
            for state in states:
                once = _settled(world, state)
                if _settled(world, once) != once:
                    fail(f"on {world.topology.name}, `sense` and `derive` change {once} when they are called again")

    def test_it_ignores_what_was_dropped_if_it_says_so(self) -> None:
        """With `ignores_dropped`, no hook depends on where dropped things lie; the solver relies on it."""
        self._watch(Alike(dropped))

    def test_it_does_not_mind_where_the_agent_is_if_it_says_so(self) -> None:
        """With `local`, no hook depends on the agent's pose on bare floor; the solver relies on it."""
        if self.resolve().local:
            self._watch(Alike(elsewhere, wherever=True))

    def test_a_walk_is_the_same_every_time(self) -> None:
        """Equal actions lead to equal states and events: everything that matters is in the state."""
        for world in self.worlds():
            again = compile_world(kit_task(world.task.to_dict()), world.topology)
            if list(self._steps(world)) != list(self._steps(again)):
                fail(f"on {world.topology.name}, the same actions lead to other states the second time")

    def test_order_and_ids_in_the_file_change_nothing(self) -> None:
        """States, events, looks and texts depend neither on the order in the file nor on ids."""
        for entry in self.entries():
            task = self._with_a_twin(entry)
            expect_same_under_other_names(task, every_topology(*task.maze.dimensions))

    def _with_a_twin(self, entry: Entry) -> TaskSpecification:
        """Return the task with a second mechanism like the example, or with the example alone if there is no room."""
        task = self.task_with(entry)
        moved = dict(zip(self.resolve().positions(self._spec_in(task, entry)), TWIN_CELLS, strict=False))
        data = task.to_dict()
        data["mechanisms"][self.resolve().name].append({**entry, **moved, "id": "a-twin"})
        try:
            crowded = kit_task(data)
            compile_world(crowded, square_topology(*task.maze.dimensions))
        except TaskError:
            return task
        return crowded

    def test_it_appears_in_grid_state_and_survives_json(self) -> None:
        """`grid_state` returns True or False for a set, and for a dictionary a value like the other entries."""
        for world in self.worlds():
            episode = Episode(world)
            for _ in walk_through(episode, SEEDS[0], LENGTH):
                with calling("the entry of `grid_state`"):
                    states = full_grid_state(world, episode.snapshot), known_grid_state(world, episode.snapshot)
                for state in states[:1] if states[0] == states[1] else states:
                    expect_through_json("its GridState", state)

    def test_the_solver_can_search_a_world_with_it(self) -> None:
        """A plan of the solver always leads to the same final state."""
        for world in self.worlds():
            with calling(f"a search on {world.topology.name}"):
                plan = solver.solve(world, MAX_STATES).plan
                ends = [] if plan is None else [solver.replay(world, plan)[-1] for _ in "ab"]
            if ends and (ends[0] != ends[1] or not ends[0].status):
                fail(f"on {world.topology.name}, a plan of the solver leads to {ends[0]} and then to {ends[1]}")

    def test_hidden_it_is_not_told_of_before_it_is_discovered(self) -> None:
        """Until it is discovered, no event tells of it: events of its own have a `subject`."""
        for entry in self.entries():
            task = self.task_with(entry, hidden_mechanisms=[entry["id"]])
            for topology, seed in product(every_topology(*task.maze.dimensions), SEEDS):
                self._expect_silence(compile_world(task, topology), entry["id"], seed)

    def _expect_silence(self, world: World, name: str, seed: int) -> None:
        episode, entity = Episode(world), world.by_id[name]
        for events in walk_through(episode, seed, LENGTH):
            if not world.is_hidden(episode.state, entity.index):
                return
            for sentence in (event.sentence(lambda each: each) for event in episode.witnessed(events)):
                told = {name, entity.type.noun} & set(sentence.split())
                expect(not told, f"while '{name}' was hidden on {world.topology.name}, the agent was told {sentence!r}")

    # --- Walking -------------------------------------------------------------------------------------------------

    def _steps(self, world: World) -> Iterator[WalkedStep]:
        return (step for seed in SEEDS for step in walk(world, seed, LENGTH))

    def _watch(self, check: CallCheck) -> None:
        """Walk through every world, checking each hook call of the mechanism under test."""
        mechanism, tasks = self.resolve(), self.tasks()
        with using_registry(with_item(get_registry(), self.kind, watched(mechanism, check))):
            for task in tasks:
                for topology in every_topology(*task.maze.dimensions):
                    with calling(f"a walk on {topology.name}"):
                        for _ in self._steps(compile_world(task, topology)):
                            pass


def without_effect(mechanism: MechanismType, states: Sequence[Trait], controls: bool) -> Iterator[tuple[str, str]]:
    """Yield the fields of a mechanism that can never have an effect, each with the reason.

    Args:
        mechanism: the mechanism.
        states: traits of its examples in each of their states.
        controls: whether an example controls anything.
    """
    some, in_all = functools.reduce(operator.or_, states), functools.reduce(operator.and_, states)
    solid, shut_out = Trait.SOLID in in_all, "is never called: every state is `SOLID`"
    wrong: dict[str, tuple[object, str]] = {
        "on_pickup": (not some & Trait.PORTABLE and mechanism.on_pickup, "is never called: no state is `PORTABLE`"),
        "admits": (solid and mechanism.admits, shut_out),
        "on_enter": (solid and mechanism.on_enter, shut_out),
        "carries": (solid and mechanism.carries, "carries nothing: every state is `SOLID`"),
        "traits": (
            solid and some & (Trait.DEADLY | Trait.TAKES_BLOCKS),
            "lets nothing in: every state is `SOLID`",
        ),
        "on_toggle": (some & Trait.TOGGLED_UNDERFOOT and not mechanism.on_toggle, "is missing for `TOGGLED_UNDERFOOT`"),
        "controllable": (
            mechanism.controllable and mechanism.is_inert,
            "is True, but there is no hook",
        ),
    }
    yield from ((field, reason) for field, (holds, reason) in wrong.items() if holds)
    yield from _control_without_effect(mechanism, Trait.ACTIVE in some, controls)


def _control_without_effect(mechanism: MechanismType, active: bool, controls: bool) -> Iterator[tuple[str, str]]:
    references = [field.name for field in attrs.fields(mechanism.spec) if meaning_of(field) is Meaning.REFERENCE]
    by_default = plain(mechanism.controls) is own_controls
    controls = controls or (by_default and CONTROLS in references)
    unread = f": it reads the field `{CONTROLS}`, not {', '.join(references)}" if references else ""
    if controls and not active:
        yield CONTROLS, "names mechanisms that never change: no state is `ACTIVE`"
    elif by_default and not controls and (active or (references and mechanism.is_inert)):
        yield CONTROLS, f"names nothing{', though a state is `ACTIVE`' if active else ''}{unread}"


def _mangled(spec: Any) -> Iterator[Any]:
    """Yield copies of an entry with dangling references, where its class accepts them."""
    for name, value in attrs.asdict(spec, recurse=False).items():
        wrong: Sequence[Any] = [NO_SUCH_ID, None] if name != "id" and isinstance(value, str | None) else []
        if isinstance(value, tuple):
            wrong = [Position(0, 0), Position(-1, 99)] if isinstance(value, Position) else [(), (NO_SUCH_ID,)]
        for each in wrong:
            try:
                yield attrs.evolve(spec, **{name: each})
            except Exception:
                continue


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_glyph(glyph: Any) -> bool:
    return isinstance(glyph, Glyph) and all(map(_is_shape, glyph.shapes))


def _is_shape(shape: Any) -> bool:
    """Whether a shape has a colour, and lies within the unit cell."""
    if not attrs.has(type(shape)):
        return False
    fields = attrs.asdict(shape, recurse=False)
    color = fields.pop("color", None)
    rgb = (
        isinstance(color, tuple) and len(color) == 3 and all(type(part) is int and part in range(256) for part in color)
    )
    numbers = [number for point in fields.pop("points", ()) for number in point]
    numbers += fields.values()
    within = all(isinstance(number, (int, float)) and 0 <= number <= 1 for number in numbers)
    return within and (rgb or isinstance(color, Tint))


def _settled(world: World, state: State) -> State:
    for phase in (world.sensing, world.deriving):
        outcomes = [(entity.index, hook(world, state, entity)) for entity, hook in phase]
        for index, outcome in outcomes:
            state = state.with_value(index, outcome[0]) if outcome else state
    return state
