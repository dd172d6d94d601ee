"""`MechanismConformance`: the checks that every mechanism must pass."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from io import StringIO
from itertools import product
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import attrs

from gridworld import solver
from gridworld.backends.grid_state import GridState, full_grid_state, known_grid_state
from gridworld.drawing.glyphs import Glyph, Tint
from gridworld.errors import Problem, TaskError, describe_error
from gridworld.explaining.legend import MOST_ROWS
from gridworld.plugins import get_registry, using_registry
from gridworld.task.colors import ANY_COLORS
from gridworld.task_spec import Position, Rules, TaskSpecification
from gridworld.testing.bare_floor import NOT_LOCAL, LocalInspection, differences_on_bare_floor
from gridworld.testing.combinations import Example, Fault, Member, find_fault
from gridworld.testing.conformance import (
    Conformance,
    Entry,
    NeedsExamples,
    calling,
    expect,
    fail,
    with_item,
)
from gridworld.testing.examples import derive_entries, telling
from gridworld.testing.explanations import expect_explained
from gridworld.testing.hook_calls import (
    Inspection,
    ignores_dropped,
    is_pure,
    is_settled_by_place,
    is_timeless,
    returns_an_outcome,
    watched,
)
from gridworld.testing.light_imports import heavy_imports_of
from gridworld.testing.rearranging import expect_that_order_and_names_change_nothing
from gridworld.testing.stage import HEIGHT, WIDTH, every_topology, stage
from gridworld.testing.walks import WalkedStep, walk, walk_through
from gridworld.text import text_view
from gridworld.world import Episode, State, World, compile_world, square_topology
from gridworld.world.mechanism_type import MECHANISM_HOOKS, GridStateField, MechanismType, Trait

__all__ = ["MechanismConformance"]

SEEDS = (1, 2)
LENGTH = 60
"""Number of steps of one random walk."""
MAX_EXAMPLES = 5
MAX_STATES = 1_000
"""Number of states after which a search on the stage stops."""
MOST_TRIED = 4
"""Number of states per walk in which actions are tried in all poses."""
NO_SUCH_ID = "no-such-id"
SETTLES = "let `sense` and `derive` compute the value from the state, and return None if it is unchanged"
REPORT = (
    "look at what the hooks return in the last of these actions; if that is what you mean, the kernel is at fault: "
    "report it with the scene"
)
"""Advice for mechanisms that fail in combination."""
EXPLAINED_RULES = (Rules(), Rules(key_consumption=False, switch_type="hold", observability="fog_of_war"))
ROOM = [(x, y) for y in range(HEIGHT - 2, 0, -1) for x in range(1, WIDTH - 1)]
"""The cells of the stage where a second mechanism like the example can be placed."""


class MechanismConformance(Conformance):
    """The checks of a mechanism, to be subclassed in its author's tests.

        class TestIce(MechanismConformance):
            mechanism = ICE
            examples = [{"id": "ice1", "position": [2, 1]}]

    Each example is placed on the stage (`gridworld.testing.stage`) alone, and the agent walks about there, on every
    installed tiling.
    """

    kind: ClassVar[str] = "mechanism"

    mechanism: ClassVar[MechanismType | str]
    """The mechanism, its import string, or its name if it is installed."""

    examples: ClassVar[Sequence[Entry]] = ()
    """Entries as in a task file, on the cells (1, 1) to (6, 4); by default they are derived from the spec's fields."""

    def task_with(self, entry: Entry, **rules: Any) -> TaskSpecification:
        """Return the task in which an example is tested; override it for a mechanism that does not fit the stage."""
        return TaskSpecification.from_dict(stage({self.resolve().name: [entry]}, rules=rules))

    # --- What the checks look at ---------------------------------------------------------------------------------

    def entries(self) -> list[Entry]:
        """Return the examples, given or derived.

        Raises:
            NeedsExamples: no example is given and none can be derived.
        """
        return list(self.examples) or self.derived(self._derived_entries)

    def _derived_entries(self, mechanism: MechanismType) -> list[Entry]:
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
        found = telling(different.values(), MAX_EXAMPLES)
        if not found:
            raise NeedsExamples(
                f"no example of '{mechanism.name}' that is valid could be made from its fields{refused}",
                "subclass the kit in your tests and set `examples`",
            )
        return found

    def tasks(self, **rules: Any) -> list[TaskSpecification]:
        """Return one task for each example."""
        return [self.task_with(entry, **rules) for entry in self.entries()]

    def specs(self) -> list[tuple[Any, TaskSpecification]]:
        """Return each example as its attrs object, with its task."""
        return [(self._spec_in(task, entry), task) for entry, task in zip(self.entries(), self.tasks(), strict=True)]

    def _spec_in(self, task: TaskSpecification, entry: Entry) -> Any:
        groups = dict(task.mechanisms.groups())
        return next(spec for spec in groups[self.resolve().name] if spec.id == entry["id"])

    def worlds(self, **rules: Any) -> Iterator[World]:
        """Yield the task of each example, compiled on every installed tiling."""
        for task in self.tasks(**rules):
            for topology in every_topology(*task.maze.dimensions):
                with calling(f"compiling '{task.task_id}' on {topology.name}", "give examples that are valid"):
                    world = compile_world(task, topology)
                yield world

    def looks_at(self) -> Iterator[tuple[Any, str]]:
        """Yield (spec, value name) for every example in each of its states."""
        return ((spec, value) for spec, _ in self.specs() for value in self.resolve().values)

    # --- The descriptor ------------------------------------------------------------------------------------------

    def test_its_descriptor_has_the_right_types(self) -> None:
        """The mechanism's name is usable as a field of a task file, and its states have names."""
        mechanism = self.resolve()
        expect(
            isinstance(mechanism, MechanismType),
            f"{mechanism!r} is not a MechanismType",
            "make a `gridworld.hookspecs.MechanismType`",
        )
        expect(
            str(mechanism.name).isidentifier(),
            f"the name {mechanism.name!r} cannot be a field of a task file",
            "name it with a lower-case plural such as 'keys'",
        )
        for field in ("noun", "summary"):
            text = attrs.asdict(mechanism, recurse=False)[field]
            expect(
                isinstance(text, str) and text.strip(), f"`{field}` is {text!r}", "give it a string for human readers"
            )
        values = mechanism.values
        expect(
            isinstance(values, tuple) and values and all(isinstance(value, str) for value in values),
            f"`values` is {values!r}",
            "make it a tuple of at least one string",
        )
        expect(
            len(set(values)) == len(values), f"`values` {values!r} has duplicates", "give each state a name of its own"
        )

    def test_its_hooks_are_functions(self) -> None:
        """Every hook is callable, or None where that is allowed."""
        fields = attrs.asdict(self.resolve(), recurse=False)
        for name in FUNCTIONS:
            expect(callable(fields[name]), f"`{name}` is {fields[name]!r}", "make it a function")
        for name in MECHANISM_HOOKS:
            hook = fields[name]
            expect(hook is None or callable(hook), f"`{name}` is {hook!r}", "make it a function, or None")

    def test_its_field_of_grid_state_can_hold_it(self) -> None:
        """`grid_state` names a set or dictionary of `GridState`."""
        field = self.resolve().grid_state
        if field is None:
            return
        expect(isinstance(field, GridStateField), f"`grid_state` is {field!r}", "make it a GridStateField, or None")
        empty = attrs.asdict(GridState((0, 0), 0), recurse=False)
        expect(
            isinstance(empty.get(field.name), (set, dict)),
            f"`GridState` has no set or dictionary `{field.name}`",
            "name an existing field, or leave `grid_state` out: the value's name then appears in `mechanism_states`",
        )

    def test_importing_it_imports_no_heavy_library(self) -> None:
        """Importing the mechanism imports no heavy library, so that listing plugins stays fast."""
        module = self.resolve().spec.__module__
        heavy = heavy_imports_of(module)
        expect(
            not heavy,
            f"importing {module} imports {', '.join(heavy)}, which makes every listing of plugins slow",
            "import it inside the function that needs it",
        )

    # --- Its entries in task files -------------------------------------------------------------------------------

    def test_its_entries_are_valid(self) -> None:
        """The mechanism's own validation accepts the examples."""
        for entry in self.entries():
            with calling(f"reading the example {entry}", "give examples that are valid on the stage"):
                _, problems = self.task_with(entry).validate()
            expect(not problems, f"the example {entry} is refused: {'; '.join(problems)}", "give valid examples")

    def test_its_entries_are_frozen_and_hashable(self) -> None:
        """The mechanism's spec is a frozen attrs class with hashable fields."""
        for spec, _ in self.specs():
            with calling(f"hash({spec!r})", "use @attrs.frozen, and tuples instead of lists and dictionaries"):
                hash(spec)
            expect(not _can_be_changed(spec), f"{spec!r} is mutable", "decorate its class with @attrs.frozen")

    def test_its_entries_survive_a_task_file(self) -> None:
        """Reading a written task file gives the same entry."""
        for spec, task in self.specs():
            with calling(f"writing {spec!r} to a task file and reading it again"):
                again = TaskSpecification.from_dict(json.loads(json.dumps(task.to_dict())))
            expect(
                again == task and hash(again.mechanisms) == hash(task.mechanisms),
                f"{spec!r} differs after it has been written to a task file and read again",
                "let the converters of its fields accept what they return, and keep no data outside its fields",
            )

    def test_validation_yields_problems_and_never_raises(self) -> None:
        """Problems are yielded, also for dangling references, with paths relative to the entry; nothing is raised."""
        mechanism = self.resolve()
        for spec, task in self.specs():
            for broken in (spec, *_mangled(spec)):
                for surroundings in (task, attrs.evolve(task, mechanisms={mechanism.name: [broken]})):
                    with calling(f"validate({broken!r}, task)", "yield a Problem instead of raising"):
                        problems = list(mechanism.validate(broken, surroundings))
                    for problem in problems:
                        _expect_problem(problem, broken)

    # --- How it looks --------------------------------------------------------------------------------------------

    def test_it_starts_in_one_of_its_values(self) -> None:
        """`initial` names one of `values`, and always the same one."""
        mechanism = self.resolve()
        for spec, task in self.specs():
            for rules in (task.rules, Rules(switch_type="hold"), Rules(key_consumption=True)):
                with calling(f"initial({spec!r}, {rules!r})", f"return one of {mechanism.values}"):
                    first, second = (mechanism.initial_value(spec, rules) for _ in "ab")
                expect(
                    first == second, f"initial({spec!r}) differs between calls", "let it depend on its arguments only"
                )

    def test_its_traits_are_flags_that_depend_on_its_state_alone(self) -> None:
        """`traits` is pure and returns a `Trait`."""
        for spec, value in self.looks_at():
            traits = self._twice("traits", spec, value)
            expect(
                isinstance(traits, Trait),
                f"traits({spec!r}, {value!r}) is {traits!r}",
                "return a `Trait`, such as Trait.SOLID | Trait.OPAQUE, or Trait.NONE",
            )

    def test_its_glyph_is_made_of_shapes_within_the_cell(self) -> None:
        """`glyph` and `glyph_at` are pure and return a `Glyph` of shapes on the unit cell."""
        for spec, value in self.looks_at():
            self._expect_glyph("glyph", spec, value)
            if self.resolve().glyph_at:
                for field in self.resolve().positions(spec):
                    self._expect_glyph("glyph_at", spec, value, field)

    def _expect_glyph(self, function: str, *arguments: Any) -> None:
        glyph = self._twice(function, *arguments)
        expect(isinstance(glyph, Glyph), f"{function}{arguments!r} is {glyph!r}", "return a `Glyph`")
        for shape in glyph.shapes:
            _expect_shape(shape)

    def test_its_words_are_texts(self) -> None:
        """`adjective`, `kind`, `part`, `color` and `controls` are pure and return the right types."""
        for spec, value in self.looks_at():
            adjective = self._twice("adjective", spec, value)
            expect(isinstance(adjective, str), f"adjective({spec!r}, {value!r}) is {adjective!r}", "return a string")
            kind = self._twice("kind", spec)
            expect(isinstance(kind, str), f"kind({spec!r}) is {kind!r}", "return a string")
            for field in self.resolve().positions(spec):
                part = self._twice("part", spec, field)
                expect(isinstance(part, str), f"part({spec!r}, {field!r}) is {part!r}", "return a string")
            color = self._twice("color", spec)
            expect(
                color is None or color in ANY_COLORS,
                f"color({spec!r}) is {color!r}",
                "return the name of a CSS colour, or None",
            )
            controls = self._twice("controls", spec)
            expect(
                isinstance(controls, tuple) and all(isinstance(name, str) for name in controls),
                f"controls({spec!r}) is {controls!r}",
                "return a tuple of ids",
            )

    def test_it_explains_itself(self) -> None:
        """`explains` returns an explanation under all rules, without the position or the id of an entity."""
        mechanism = self.resolve()
        named: dict[str, set[str]] = {}
        for (spec, task), rules in product(self.specs(), EXPLAINED_RULES):
            completed = mechanism.completed(spec, task.rules)
            what = f"explains({completed!r}, {rules!r})"
            with calling(what):
                explained, again = mechanism.explained(completed, rules), mechanism.explained(completed, rules)
                elsewhere = mechanism.explained(_placed_elsewhere(mechanism, completed), rules)
            expect_explained(explained, what, mechanism.values)
            told = mechanism.values if explained.states is None else explained.states
            named.setdefault(mechanism.kind(completed), set()).update(
                mechanism.adjective(completed, value) for value in told
            )
            expect(explained == again, f"{what} differs between calls", "let it depend on its arguments only")
            expect(
                explained == elsewhere,
                f"{what} is another for one with another id, at another place",
                "tell nothing of ids and places: models are told before they have seen anything",
            )
        for states in named.values():
            expect(
                len(states) <= MOST_ROWS,
                f"it has {len(states)} states with different names, the legend tells {MOST_ROWS}: {sorted(states)}",
                "have fewer values, let some share an `adjective`, or name those that can occur in `Explained.states`",
            )

    def test_it_stands_on_the_cells_that_its_fields_name(self) -> None:
        """`positions` returns the cells that the entry's fields hold."""
        for spec, task in self.specs():
            positions = self._twice("positions", spec)
            expect(isinstance(positions, dict) and positions, f"positions({spec!r}) is {positions!r}", NAME_CELLS)
            for field, position in positions.items():
                expect(field in attrs.asdict(spec, recurse=False), f"{spec!r} has no field {field!r}", NAME_CELLS)
                expect(
                    isinstance(position, Position) and task.maze.contains(position),
                    f"the position {field} of {spec!r} is {position!r}",
                    "return a `Position` inside the maze: use the converter `gridworld.task_spec.to_position`",
                )

    def test_what_moves_takes_one_cell(self) -> None:
        """A portable or pushable mechanism has one position, on the first cell of its patch."""
        mechanism = self.resolve()
        for spec, value in self.looks_at():
            if mechanism.traits(spec, value) & Trait.MOVABLE:
                expect(
                    len(mechanism.positions(spec)) == 1 and not mechanism.fills_patch,
                    f"{spec!r} can be carried or pushed, but takes more than one cell",
                    "give it one position and set fills_patch=False",
                )

    def test_what_carries_fills_its_patch(self) -> None:
        """A mechanism that carries does so from every cell of its lattice cell, and does not move itself."""
        mechanism = self.resolve()
        expect(
            mechanism.carries is None or mechanism.fills_patch,
            "it carries what is on it, but takes only the anchor of its lattice cell",
            "set fills_patch=True; otherwise, on some tilings, the agent can stand beside it in the same lattice cell",
        )

    def _twice(self, function: str, *arguments: Any) -> Any:
        """Call a hook twice with equal arguments, which it must not modify, and return the result."""
        called = attrs.asdict(self.resolve(), recurse=False)[function]
        what = f"{function}{arguments!r}"
        kept = deepcopy(arguments)
        with calling(what):
            first, second = called(*arguments), called(*deepcopy(arguments))
        expect(first == second, f"{what} differs between calls", "let it depend on its arguments only")
        expect(repr(kept) == repr(arguments), f"{what} has modified its arguments", "never modify arguments")
        return first

    # --- What it does --------------------------------------------------------------------------------------------

    def test_its_hooks_return_what_they_have_to(self) -> None:
        """Hooks return values in range, move nothing into a wall, and report events that can be described."""
        self._inspect(returns_an_outcome)

    def test_its_hooks_are_pure(self) -> None:
        """Hooks return equal results for equal states and modify none of their arguments."""
        self._inspect(is_pure)

    def test_its_hooks_do_not_depend_on_the_steps(self) -> None:
        """Hooks depend neither on the step count nor on what has been discovered."""
        self._inspect(is_timeless)

    def test_sense_and_derive_depend_on_places_and_values_alone(self) -> None:
        """`sense` and `derive` depend only on positions and values; they are not called while these are unchanged."""
        self._inspect(is_settled_by_place)

    def test_it_ignores_what_was_dropped_if_it_says_so(self) -> None:
        """With `ignores_dropped`, no hook depends on where dropped entities lie."""
        self._inspect(ignores_dropped)

    def test_it_does_not_mind_where_the_agent_is_if_it_says_so(self) -> None:
        """With `local`, no hook depends on the agent's position or heading on bare floor."""
        if not self.resolve().local:
            return
        self._inspect(LocalInspection())
        for world in self.worlds():
            if all(entity.type.local for entity in world.entities):
                self._expect_the_same_everywhere(world)

    def _expect_the_same_everywhere(self, world: World) -> None:
        """Check that whole steps, with all hooks together, have the same effect everywhere on bare floor."""
        endless = attrs.evolve(world, max_steps=LENGTH + 1, reached=lambda state: False)
        states = {
            state._replace(cell=0, heading=0, steps=0): state for _, _, state, _ in walk(endless, SEEDS[0], LENGTH)
        }
        for state in list(states.values())[:MOST_TRIED]:
            if not state.status:
                difference = next(differences_on_bare_floor(endless, state), "")
                expect(not difference, f"on {world.topology.name}, {difference}", NOT_LOCAL)

    def test_settling_twice_is_settling_once(self) -> None:
        """Calling `sense` and `derive` again changes nothing."""
        for world in self.worlds():
            with calling(f"a walk on {world.topology.name}", SETTLES):
                states = [state for _, _, state, _ in self._steps(world)]
            for state in states:
                once = _settled(world, state)
                expect(
                    _settled(world, once) == once,
                    f"on {world.topology.name}, `sense` and `derive` change {once} when they are called again",
                    SETTLES,
                )

    def test_a_walk_is_the_same_every_time(self) -> None:
        """Equal actions lead to equal states and events."""
        for world in self.worlds():
            again = compile_world(TaskSpecification.from_dict(world.task.to_dict()), world.topology)
            expect(
                list(self._steps(world)) == list(self._steps(again)),
                f"on {world.topology.name}, the same actions lead to other states the second time",
                "use no random numbers, no clock, no id() or hash(), and keep everything in the state",
            )

    def test_order_and_names_in_the_file_change_nothing(self) -> None:
        """States, events, looks and texts of a run depend neither on the order of the file nor on ids."""
        for entry in self.entries():
            task = self._with_a_twin(entry)
            expect_that_order_and_names_change_nothing(task, every_topology(*task.maze.dimensions))

    def _with_a_twin(self, entry: Entry) -> TaskSpecification:
        """Return the task with a second mechanism like the example, or with the example alone if there is no room."""
        task = self.task_with(entry)
        fields = tuple(self.resolve().positions(self._spec_in(task, entry)))
        taken = {*task.maze.wall_cells(), task.maze.start, task.maze.goal, *_positions_in(task)}
        free = (list(each) for each in ROOM if each not in taken)
        moved = dict(zip(fields, free, strict=False))
        data = task.to_dict()
        data["mechanisms"][self.resolve().name].append({**entry, **moved, "id": "a-twin"})
        try:
            crowded = TaskSpecification.from_dict(data)
            compile_world(crowded, square_topology(*task.maze.dimensions))
        except TaskError:
            return task
        return crowded

    def test_it_appears_in_grid_state_and_survives_a_dictionary(self) -> None:
        """`GridState` represents the mechanism in every state and can be written as JSON."""
        for world in self.worlds():
            episode = Episode(world)
            for _ in walk_through(episode, SEEDS[0], LENGTH):
                with calling("the entry of `grid_state`"):
                    states = (
                        full_grid_state(world, episode.snapshot),
                        known_grid_state(world, episode.snapshot),
                    )
                for state in states[:1] if states[0] == states[1] else states:
                    _expect_round_trip(state)

    def test_the_solver_can_search_a_world_with_it(self) -> None:
        """A plan of the solver always leads to the same final state."""
        for world in self.worlds():
            with calling(f"a search on {world.topology.name}"):
                plan = solver.solve(world, MAX_STATES).plan
                if plan is None:
                    continue
                ends = [solver.replay(world, plan)[-1] for _ in "ab"]
            expect(
                ends[0] == ends[1] and ends[0].status,
                f"on {world.topology.name}, a plan of the solver does not always lead to the same final state",
                "keep everything that matters in the state: values, places, the agent's cell",
            )

    # --- Beside others -------------------------------------------------------------------------------------------

    def test_it_works_beside_every_mechanism(self) -> None:
        """The mechanism follows the rules next to each installed mechanism.

        Tests walking onto it, pushing, carrying, dropping and deriving. Mechanisms that are faulty on their own, or
        have no possible example, are skipped with a warning; output printed during the check is dropped.
        """
        own = self.as_member()
        fault = find_fault(own)
        expect(fault is None, f"alone, {fault and fault.wrong}", REPORT)
        for provided in get_registry().mechanisms:
            other = own if provided.item is own.mechanism else _member_if_sound(provided.item)
            with redirect_stdout(StringIO()):
                fault = find_fault(own, other) if isinstance(other, Member) else Fault(other, (provided.item.name,))
            if fault is None:
                continue
            if fault.blamed and own.mechanism.name not in fault.blamed:
                warnings.warn(f"{provided.described('mechanism')} is left out: {fault.wrong}", stacklevel=2)
                continue
            fail(f"beside '{provided.item.name}', {fault.wrong}", REPORT)

    def as_member(self) -> Member:
        """Return the mechanism with its examples, skipping those that differ from another only in colour."""
        mechanism = self.resolve()
        different: dict[str, Example] = {}
        for entry, (spec, _) in zip(self.entries(), self.specs(), strict=True):
            behaviour = {name: value for name, value in entry.items() if str(value) not in ANY_COLORS}
            movable = any(mechanism.traits(spec, value) & Trait.MOVABLE for value in mechanism.values)
            different.setdefault(repr(behaviour), Example(entry, tuple(mechanism.positions(spec)), movable))
        return Member(mechanism, list(different.values()))

    # --- Hidden --------------------------------------------------------------------------------------------------

    def test_hidden_it_looks_like_wall_or_like_nothing(self) -> None:
        """At the start, the agent cannot tell a hidden mechanism from its absence."""
        for entry in self.entries():
            hidden, absent = self._hidden_and_absent(entry)
            worlds = [compile_world(task, square_topology(*task.maze.dimensions)) for task in (hidden, *absent)]
            with_it, *without_it = (
                _told(world) for world in worlds if _others(world, entry) == _others(worlds[0], entry)
            )
            expect(
                all(told == with_it for told in without_it),
                f"with {entry['id']!r} hidden, the agent perceives\n{with_it}\nand without it\n{without_it}",
                "let nothing else, such as another thing's look or the mission, reveal it before it is discovered",
            )

    def test_hidden_it_is_not_told_of_before_it_is_discovered(self) -> None:
        """Hooks do not reveal a hidden mechanism before it is discovered."""
        for entry in self.entries():
            task = self.task_with(entry, hidden_mechanisms=[entry["id"]])
            for topology in every_topology(*task.maze.dimensions):
                for seed in SEEDS:
                    self._expect_silence(compile_world(task, topology), entry["id"], seed)

    def _hidden_and_absent(self, entry: Entry) -> tuple[TaskSpecification, list[TaskSpecification]]:
        """Return the task with the example hidden, and valid tasks with wall or floor in its place."""
        hidden = self.task_with(entry, hidden_mechanisms=[entry["id"]])
        spec, mechanism = self._spec_in(hidden, entry), self.resolve()
        groups = dict(hidden.mechanisms.groups())
        others = {name: [each for each in specs if each != spec] for name, specs in groups.items()}
        traits = mechanism.traits(spec, mechanism.values[mechanism.initial_value(spec, hidden.rules)])
        walls = mechanism.positions(spec).values() if traits & Trait.SOLID else ()
        maze = attrs.evolve(hidden.maze, walls=(*hidden.maze.walls, *walls))
        rules = attrs.evolve(hidden.rules, hidden_mechanisms=())
        absent = attrs.evolve(hidden, mechanisms=others, maze=maze, rules=rules)
        return hidden, [absent] if absent.validate()[0] else []

    def _expect_silence(self, world: World, name: str, seed: int) -> None:
        episode, entity = Episode(world), world.by_id[name]
        for events in walk_through(episode, seed, LENGTH):
            if not world.is_hidden(episode.state, entity.index):
                return
            for event in episode.witnessed(events):
                sentence = event.sentence(lambda each: each)
                expect(
                    not {name, entity.type.noun} & set(sentence.split()),
                    f"while '{name}' was still hidden on {world.topology.name}, the agent was shown {sentence!r}",
                    "set `subject` in your own events, and do not name undiscovered things in reasons",
                )

    # --- Walking -------------------------------------------------------------------------------------------------

    def _steps(self, world: World) -> Iterator[WalkedStep]:
        return (step for seed in SEEDS for step in walk(world, seed, LENGTH))

    def _inspect(self, inspection: Inspection) -> None:
        """Walk through every world, inspecting each hook call of the mechanism under test."""
        mechanism = self.resolve()
        tasks = self.tasks()
        registry = with_item(get_registry(), self.kind, watched(mechanism, inspection))
        with using_registry(registry):
            for task in tasks:
                for topology in every_topology(*task.maze.dimensions):
                    for _ in self._steps(compile_world(task, topology)):
                        pass


_sound_members: WeakKeyDictionary[MechanismType, Member | str] = WeakKeyDictionary()
"""Each mechanism as a `Member` with its examples, or a description of its own fault."""


def _member_if_sound(mechanism: MechanismType) -> Member | str:
    """Return a mechanism with examples, or a description of its own fault."""
    if mechanism not in _sound_members:
        kit = type("Other", (MechanismConformance,), {"mechanism": mechanism})
        try:
            with redirect_stdout(StringIO()):
                member = kit().as_member()
                fault = find_fault(member)
            found = member if fault is None else fault.wrong
        except NeedsExamples as error:
            found = error.wrong
        except Exception as error:  # whatever goes wrong in somebody else's code
            found = describe_error(error)
        _sound_members[mechanism] = found
    return _sound_members[mechanism]


FUNCTIONS = ("traits", "glyph", "completed", "positions", "color", "adjective", "kind", "part", "controls", "validate")
NAME_CELLS = "return a dictionary from a field of the spec to the `Position` in it"


def _placed_elsewhere(mechanism: MechanismType, spec: Any) -> Any:
    places = {field: Position(20 + x, 20 + y) for field, (x, y) in mechanism.positions(spec).items()}
    return attrs.evolve(spec, id="elsewhere", **places)


def _can_be_changed(spec: Any) -> bool:
    try:
        spec.id = spec.id
    except attrs.exceptions.FrozenInstanceError:
        return False
    return True


def _mangled(spec: Any) -> Iterator[Any]:
    """Yield copies of an entry with dangling references, where its class accepts them."""
    for name, value in attrs.asdict(spec, recurse=False).items():
        for wrong in _wrong_values(name, value):
            try:
                yield attrs.evolve(spec, **{name: wrong})
            except Exception:
                continue


def _wrong_values(name: str, value: Any) -> Sequence[Any]:
    if isinstance(value, Position):
        return [Position(0, 0), Position(-1, 99)]
    if isinstance(value, tuple):
        return [(), (NO_SUCH_ID,)]
    return [NO_SUCH_ID, None] if name != "id" and isinstance(value, str | None) else []


def _expect_problem(problem: Any, spec: Any) -> None:
    expect(
        isinstance(problem, Problem) and isinstance(problem.path, str) and bool(problem.message),
        f"validate({spec!r}) yields {problem!r}",
        'yield `gridworld.errors.Problem("field", "what is wrong with it")`',
    )
    field = problem.path.split(".")[0].split("[")[0]
    expect(
        not field or field in attrs.asdict(spec, recurse=False),
        f"validate({spec!r}) yields a problem with the path {problem.path!r}, but it has no field {field!r}",
        "give the path relative to the entry, such as `position` or `controls[0]`; the kernel adds the prefix",
    )


def _expect_shape(shape: Any) -> None:
    if not attrs.has(type(shape)):
        fail(f"{shape!r} is not a shape", "use the shapes of `gridworld.hookspecs`, such as `Rectangle`")
    fields = attrs.asdict(shape, recurse=False)
    color = fields.pop("color", None)
    expect(
        isinstance(color, Tint) or _is_rgb(color),
        f"{shape!r} has the colour {color!r}",
        "give the name of a colour or (red, green, blue), each an integer from 0 to 255",
    )
    points = fields.pop("points", ())
    numbers = [*fields.values(), *(number for point in points for number in point)]
    expect(
        all(isinstance(number, (int, float)) and 0 <= number <= 1 for number in numbers),
        f"{shape!r} is not within the cell",
        "give fractions of the cell, from (0, 0) at the top left to (1, 1)",
    )


def _is_rgb(color: Any) -> bool:
    return (
        isinstance(color, tuple) and len(color) == 3 and all(type(part) is int and 0 <= part <= 255 for part in color)
    )


def _expect_round_trip(state: GridState) -> None:
    with calling(
        f"writing the state after {state.step_count} steps as JSON",
        "let `grid_state` return strings, numbers and pairs of numbers",
    ):
        again = GridState.from_dict(json.loads(json.dumps(state.to_dict())))
    if again != state:
        fail(
            f"{state} differs after to_dict and from_dict: {again}",
            "let `grid_state` return True or False for a set, and a value like the other entries for a dictionary",
        )


def _settled(world: World, state: State) -> State:
    for phase in (world.sensing, world.deriving):
        outcomes = [(entity.index, hook(world, state, entity)) for entity, hook in phase]
        for index, outcome in outcomes:
            state = state.with_value(index, outcome[0]) if outcome else state
    return state


def _positions_in(task: TaskSpecification) -> Iterator[Position]:
    catalog = get_registry().mechanisms
    for name, specs in task.mechanisms.groups():
        for spec in specs:
            yield from catalog.get(name).positions(spec).values()


def _others(world: World, entry: Entry) -> list[tuple[str, int]]:
    """Return the ids of all other entities, with their initial values."""
    return [(thing.id, world.start.values[thing.index]) for thing in world.entities if thing.id != entry["id"]]


def _told(world: World) -> str:
    """Return everything that an agent perceives at the start of a task."""
    episode = Episode(world)
    episode.reset()
    mission = world.goal_type.mission(world)
    return f"{mission}\n{text_view(episode)}\n{known_grid_state(world, episode.snapshot).to_dict()}"
