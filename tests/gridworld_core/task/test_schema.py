"""The JSON Schema of the task format accepts what the reader accepts, with whatever plugins are installed."""

import importlib
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gridworld.errors import TaskFormatError
from gridworld.goals import REACH_POSITION
from gridworld.mechanisms.keys import KEYS
from gridworld.plugins import get_registry, load_registry, using_registry
from gridworld.suites import benchmark_place
from gridworld.task.catalogs import GivenTypes
from gridworld.task.schema import task_schema
from gridworld.task_spec import TaskSpecification
from support.plugins import write_distribution
from support.thoroughness import bounded
from support.worlds import describe_every_field

Data = dict[str, Any]

THIRD_PARTY = '''
from typing import Literal

import attrs
from gridworld.task.colors import parse_color
from gridworld.drawing.glyphs import Glyph
from gridworld.hookspecs import GoalType, MechanismType, hookimpl
from gridworld.task_spec import OneOf, Position, to_position
from gridworld.world.mechanism_type import Trait

@attrs.frozen
class Bell:
    """A part of a lamp."""
    tone: int = attrs.field(validator=attrs.validators.in_(range(4)))
    word: Literal["ding", "dong"] = "ding"

@attrs.frozen
class LampSpec:
    """A lamp in a task file."""
    id: str
    position: Position = attrs.field(converter=to_position)
    bell: Bell | None = None
    watts: float = attrs.field(default=1.5, validator=[attrs.validators.ge(0.5), attrs.validators.lt(100)])
    size: tuple[int, str] = (1, "m")
    names: tuple[str, ...] = attrs.field(default=(), validator=attrs.validators.max_len(2))
    words: tuple[str, ...] = attrs.field(default=(), validator=attrs.validators.deep_iterable(OneOf(("a", "b"))))
    mood: str | None = attrs.field(default=None, validator=attrs.validators.optional(OneOf(("calm",))))

@attrs.frozen
class TourFields:
    corner: Position
    heading: int = attrs.field(validator=attrs.validators.in_(range(4)))
    color: str = attrs.field(default="red", converter=parse_color)
    stops: tuple[Position, ...] = ()

@hookimpl
def gridworld_mechanisms():
    return [MechanismType(
        name="lamps", noun="lamp", summary="Shines.", spec=LampSpec,
        traits=lambda lamp, value: Trait.NONE, glyph=lambda lamp, value: Glyph(()),
    )]

@hookimpl
def gridworld_goals():
    return [GoalType(
        name="tour", summary="Stand in a corner.", fields=("target_ids",), parameters=TourFields,
        reached=lambda world: lambda state: False, mission=lambda world: "tour", validate=lambda task, entries: (),
    )]
'''

LAMP = {
    "id": "l",
    "position": [3, 3],
    "bell": {"tone": 3, "word": "dong"},
    "watts": 2,
    "size": [3, "xl"],
    "names": ["one"],
    "words": ["a", "b"],
    "mood": "calm",
}


@pytest.fixture(autouse=True, scope="module")
def _third_party(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A mechanism and a goal of a third party's are installed."""
    site = tmp_path_factory.mktemp("site")
    write_distribution(site, "lamps", "1.0", {"lamps": "third_party_lamps"}, {"third_party_lamps.py": THIRD_PARTY})
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(site)
        importlib.invalidate_caches()
        with using_registry(load_registry()):
            yield


def full_task() -> Data:
    """A task file in which every part and every field is used, a third party's too."""
    data = describe_every_field()
    data["mechanisms"]["lamps"] = [deepcopy(LAMP)]
    return data


def older_task() -> Data:
    """A task in the spellings of older files."""
    data = full_task()
    data["goal"] = {"goal_type": "reach_position", "target": {"x": 7, "y": 3}, "auxiliary_conditions": []}
    data["maze"] = {"start": {"x": 1, "y": 1}, "layout": data["maze"] | {"mechanisms": data.pop("mechanisms")}}
    data["rules"] = None
    return {"TaskSpecification": data}


def with_goal(goal: Data) -> Callable[[], Data]:
    return lambda: full_task() | {"goal": deepcopy(goal)}


TASKS: dict[str, Callable[[], Data]] = {
    "full": full_task,
    "older": older_task,
    "tour": with_goal(
        {"type": "tour", "corner": [1, 1], "heading": 3, "color": "gray", "stops": [[2, 2]], "target_ids": ["k"]}
    ),
    "push": with_goal({"type": "push_block_to", "target_ids": ["b"], "target_positions": [[4, 2]]}),
    "qualified": with_goal({"type": "gridworld-core/survive_steps"}),
}


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


def accepts(data: Any) -> bool:
    """Whether the schema of the installed plugins accepts a task file of this content."""
    return bool(_validator(json.dumps(task_schema(get_registry()))).is_valid(data))


LIMITED = ("difficulty_tier", "max_steps", "maze.dimensions", "rules.view_size", "dependency_chain.depth", "goal.type")


def is_read(data: Any) -> bool:
    """Whether the reader accepts it, and validation finds nothing wrong that one field alone shows."""
    try:
        _, problems = TaskSpecification.from_dict(data).validate()
    except TaskFormatError:
        return False
    return not any(problem.startswith(LIMITED) or problem.endswith("does not use it") for problem in problems)


# --- The document ----------------------------------------------------------------------------------------------


def test_the_schema_is_a_valid_one() -> None:
    schema = task_schema(get_registry())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_what_plugins_and_docstrings_say_is_in_the_descriptions() -> None:
    schema = task_schema(get_registry())
    mechanisms = schema["$defs"]["mechanisms"]["properties"]
    assert mechanisms["keys"]["description"] == get_registry().mechanisms.get("keys").summary
    assert schema["$defs"]["gridworld.mechanisms.keys.KeySpec"]["description"] == "Task file entry of a key."
    assert "odd" in schema["$defs"]["gridworld.task_spec.Rules"]["properties"]["view_size"]["description"]


def test_defaults_are_told() -> None:
    rules = task_schema(get_registry())["$defs"]["gridworld.task_spec.Rules"]["properties"]
    assert {name: field["default"] for name, field in rules.items() if "default" in field} == {
        "key_consumption": True,
        "switch_type": "toggle",
        "observability": "full",
        "view_size": 7,
    }


# --- What is installed -----------------------------------------------------------------------------------------


def test_every_installed_mechanism_and_goal_type_is_in_it() -> None:
    registry = get_registry()
    definitions = task_schema(registry)["$defs"]
    assert set(registry.mechanisms.names()) <= set(definitions["mechanisms"]["properties"])
    assert set(registry.goals.names()) <= set(definitions["goal"]["properties"]["type"]["enum"])
    assert {"lamps", "keys"} <= set(registry.mechanisms.names())
    assert {"tour", "reach_position"} <= set(registry.goals.names())


def test_a_schema_can_be_made_of_any_types_whatever_is_installed() -> None:
    definitions = task_schema(GivenTypes({"keys": KEYS}, {"reach_position": REACH_POSITION}))["$defs"]
    assert set(definitions["mechanisms"]["properties"]) == {"keys"}
    assert definitions["goal"]["properties"]["type"]["enum"] == ["reach_position"]


def test_what_is_not_installed_is_refused() -> None:
    with using_registry(load_registry(disabled=["lamps"])):
        assert not accepts(full_task())
        assert not accepts(TASKS["tour"]())
        data = full_task()
        del data["mechanisms"]["lamps"]
        assert accepts(data)


OTHER_KEYS = THIRD_PARTY.replace('"lamps"', '"keys"').replace('"tour"', '"survive_steps"')


def test_types_with_built_in_names_are_accepted_under_qualified_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_distribution(tmp_path, "other", "1.0", {"keys": "other_keys"}, {"other_keys.py": OTHER_KEYS})
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    with using_registry(load_registry()):
        keys = [{"id": "k", "position": [2, 1], "color": "red"}]
        for name, entries in {
            "keys": keys,
            "gridworld-core/keys": keys,
            "other/keys": [LAMP],
            "lamps/lamps": [LAMP],
        }.items():
            data = full_task()
            data["mechanisms"] = {name: entries}
            assert accepts(data) == is_read(data) is True
        tour = TASKS["tour"]()
        for name, goal in {
            "survive_steps": {},
            "gridworld-core/survive_steps": {},
            "other/survive_steps": tour["goal"],
        }.items():
            data = tour | {"goal": {**goal, "type": name}}
            assert accepts(data) == is_read(data) is True
        wrong = tour | {"goal": {**tour["goal"], "type": "survive_steps"}}
        assert accepts(wrong) == is_read(wrong) is False


# --- What it accepts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TASKS)
def test_a_task_that_uses_everything_is_accepted(name: str) -> None:
    assert is_read(TASKS[name]())
    assert accepts(TASKS[name]())


def test_every_bundled_task_file_is_accepted() -> None:
    benchmarks = get_registry().benchmarks
    files = [path for name in benchmarks.names() for path in benchmark_place(benchmarks.get(name)).rglob("*.json")]
    assert len(files) >= 48
    assert [path.name for path in files if not accepts(json.loads(path.read_text(encoding="utf-8")))] == []


@pytest.mark.parametrize(
    "color",
    [
        "red",
        "green",
        "blue",
        "purple",
        "yellow",
        "grey",
        "gray",
        "pink",
        None,
        3,
        "white",
        "darkgray",
        "slategrey",
    ],
)
def test_the_colours_are_those_that_are_read(color: Any) -> None:
    data = full_task()
    data["mechanisms"]["blocks"][0]["color"] = color
    assert accepts(data) == is_read(data)


def test_only_the_reader_knows_colours_in_upper_case() -> None:
    data = full_task()
    data["mechanisms"]["blocks"][0]["color"] = "Red"
    assert (accepts(data), is_read(data)) == (False, True)


# --- The reader and the schema agree ---------------------------------------------------------------------------

JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 300, 2.5, "", "x", "red", "gray", "open", "hold", "reach_position", "tour",
    [], [1], [1, 2], [1, 2, 3], ["x"], [[1, 2]], {}, {"x": 1, "y": 2}, {"x": 1}, {"layout": {}},
)  # fmt: skip
NAMES = (
    "x", "type", "goal_type", "auxiliary_conditions", "layout", "mechanisms", "TaskSpecification", "keys", "doors",
    "maze", "start", "id", "target", "target_ids", "corner", "gridworld-core/keys", "lamps/lamps",
)  # fmt: skip
Place = tuple[Any, Any]


def _places(value: Any) -> Iterator[Place]:
    """Every (container, key or index) in a task file."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in entries:
        yield value, name
        yield from _places(inner)


@st.composite
def mutated_tasks(draw: st.DrawFn) -> Any:
    """A task file with up to three changes, each of which may or may not spoil it."""
    data = [TASKS[draw(st.sampled_from(sorted(TASKS)))]()]
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(data))
        container, name = places[draw(st.integers(0, len(places) - 1))]
        change = draw(st.sampled_from(("drop", "replace", "add", "copy", "move")))
        if change == "replace":
            container[name] = deepcopy(draw(st.sampled_from(JUNK)))
        elif change == "copy":
            donor, place = places[draw(st.integers(0, len(places) - 1))]
            container[name] = deepcopy(donor[place])
        elif isinstance(container, dict) and change in ("drop", "move"):
            value = container.pop(name)
            if change == "move":
                container[draw(st.sampled_from(NAMES))] = value
        elif change == "add" and isinstance(container[name], dict):
            container[name][draw(st.sampled_from(NAMES))] = deepcopy(draw(st.sampled_from(JUNK)))
    return data[0]


LAMP_PLACE = "mechanisms.lamps[0]"
EDGES: tuple[tuple[str, str, Any], ...] = (
    ("older", "TaskSpecification.mechanisms", None),
    ("older", "TaskSpecification.mechanisms", {}),
    ("older", "TaskSpecification.maze.mechanisms", {}),
    ("older", "TaskSpecification.maze.layout.start", "nowhere"),
    ("older", "TaskSpecification.maze.layout.goal", "nowhere"),
    ("older", "TaskSpecification.maze.layout.layout", {}),
    ("older", "TaskSpecification.goal.type", "reach_position"),
    ("older", "TaskSpecification.goal.auxiliary_conditions", None),
    ("older", "TaskSpecification.goal.auxiliary_conditions", ["hold the key"]),
    ("full", "goal.target_ids", []),
    ("full", "goal.target_ids", ["k"]),
    ("full", "goal.target", None),
    ("push", "goal.target", [1, 1]),
    ("push", "goal.target", None),
    ("tour", "goal.target_positions", [[1, 1]]),
    ("tour", "goal.heading", 4),
    ("full", "maze.dimensions", [512, 5]),
    ("full", "maze.dimensions", [513, 5]),
    ("full", "rules.view_size", 1023),
    ("full", "rules.view_size", 1025),
    ("full", "$schema", "task.schema.json"),
    ("older", "$schema", "task.schema.json"),
    ("full", "rules.$schema", "task.schema.json"),
    ("full", "maze._note", 1),
    ("full", "mechanisms._note", 1),
    ("full", "mechanisms.keys[0].x-rank", 1),
    ("full", "mechanisms.doors[0].color", "red"),
    ("full", "mechanisms.gates[0].color", "black"),
    ("full", "mechanisms.gates[0].color", "no color"),
    ("full", "goal._note", 1),
    ("full", "maze.start", {"x": 1, "y": 1, "_note": 1}),
    ("full", "maze.start", {"x": 1, "y": 1, "z": 1}),
    ("full", "maze.dimensions", [9, 5, 1]),
    ("full", "dependency_chain.depth", -1),
    ("full", f"{LAMP_PLACE}.watts", 0.25),
    ("full", f"{LAMP_PLACE}.watts", 100),
    ("full", f"{LAMP_PLACE}.names", ["a", "b"]),
    ("full", f"{LAMP_PLACE}.names", ["a", "b", "c"]),
    ("full", f"{LAMP_PLACE}.words", ["c"]),
    ("full", f"{LAMP_PLACE}.mood", None),
    ("full", f"{LAMP_PLACE}.mood", "wild"),
    ("full", f"{LAMP_PLACE}.size", [1]),
    ("full", f"{LAMP_PLACE}.size", [1, "m", 2]),
    ("full", f"{LAMP_PLACE}.bell", None),
    ("full", f"{LAMP_PLACE}.bell.word", "bing"),
    ("full", f"{LAMP_PLACE}.bell.pitch", 1),
)
"""(task, place, value), each on the edge of what is accepted."""


@pytest.mark.parametrize(("name", "path", "value"), EDGES)
def test_the_schema_and_the_reader_have_the_same_edges(name: str, path: str, value: Any) -> None:
    data = TASKS[name]()
    *way, last = [int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")]
    inner: Any = data
    for step in way:
        inner = inner[step]
    inner[last] = value
    assert accepts(data) == is_read(data)


@bounded(40)
@given(mutated_tasks())
@example(None)
@example({"TaskSpecification": None})
def test_the_schema_accepts_a_changed_task_exactly_if_it_is_read(data: Any) -> None:
    assert accepts(data) == is_read(data)
