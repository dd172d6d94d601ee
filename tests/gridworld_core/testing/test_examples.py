"""Examples of entries are made from nothing but an attrs class."""

from itertools import islice
from typing import Any, Literal

import attrs
import pytest

from gridworld.task.colors import parse_color
from gridworld.task_spec import Position, one_of
from gridworld.testing.conformance import Undecided
from gridworld.testing.examples import derive_entries, telling
from gridworld.testing.stage import ENTRY_CELLS, HEIGHT, WIDTH


def first(kind: type, count: int = 1) -> list[dict[str, Any]]:
    return list(islice(derive_entries(kind), count))


def test_each_required_position_has_a_cell_of_its_own_inside_the_stage() -> None:
    @attrs.frozen
    class Pair:
        id: str
        one: Position
        other: Position
        third: Position | None = None

    (entry,) = first(Pair)
    assert entry == {"id": "example", "one": [3, 1], "other": [5, 3]}
    assert len(set(ENTRY_CELLS)) == len(ENTRY_CELLS)
    assert all(0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1 for x, y in ENTRY_CELLS)


@pytest.mark.parametrize(
    ("annotation", "options", "values"),
    [
        (Literal["in", "out"], {}, ["in", "out"]),
        (str, {"validator": one_of("thick", "thin")}, ["thick", "thin"]),
        (str, {"converter": parse_color}, ["red", "green", "blue"]),
        (int, {"validator": attrs.validators.in_(range(4))}, [0, 1, 2]),
        (int, {"validator": attrs.validators.ge(5)}, [5, 6]),
        (float, {}, [1, 2]),
        (bool, {}, [False, True]),
        (tuple[str, ...], {}, [[], ["stage-key"], ["stage-switch"], ["stage-gate"], ["stage-block"], ["red"]]),
        (tuple[int, bool], {}, [[1, False]]),
        (int | None, {}, [1, 2]),
    ],
)
def test_a_required_field_gets_what_its_type_allows(
    annotation: Any, options: dict[str, Any], values: list[Any]
) -> None:
    kind = attrs.make_class("Kind", {"field": attrs.field(type=annotation, **options)}, frozen=True)
    assert [entry["field"] for entry in derive_entries(kind)] == values


def test_a_field_with_a_default_is_left_out_first_and_then_varied() -> None:
    @attrs.frozen
    class Lamp:
        id: str
        lit: bool = False

    assert first(Lamp, 5) == [{"id": "example"}, {"id": "example", "lit": True}]


def test_where_a_required_field_says_nothing_the_author_is_asked() -> None:
    @attrs.frozen
    class Odd:
        id: str
        what: bytes

    with pytest.raises(Undecided, match="required field `what`"):
        first(Odd)


def test_telling_entries_are_those_with_something_new() -> None:
    entries = [{"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 3}, {"a": 4}]
    assert telling(entries, 3) == [{"a": 1}, {"a": 1, "b": 2}, {"a": 3}]
