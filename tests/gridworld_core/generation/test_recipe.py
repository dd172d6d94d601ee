"""What a recipe may say, and which generators it draws from."""

from typing import Any

import pytest

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.generation.recipe import Band, Recipe, variations

pytestmark = pytest.mark.usefixtures("generators")


def parameters(recipe: Recipe) -> list[dict[str, Any]]:
    return [generator.parameters for generator in variations(recipe)]


def test_there_is_a_generator_for_each_combination_of_values() -> None:
    recipe = Recipe(family="corridors", parameters={"size": "9-10,20", "depth": "0-1"})
    drawn = {(each["size"], each["depth"]) for each in parameters(recipe)}
    assert drawn == {(size, depth) for size in (9, 10, 20) for depth in (0, 1)}


def test_combinations_that_contradict_themselves_are_left_out() -> None:
    recipe = Recipe(family="corridors", parameters={"depth": "0-1", "flaw": "unsolvable,none"})
    assert {(each["depth"], each["flaw"]) for each in parameters(recipe)} == {
        (0, "unsolvable"),
        (0, "none"),
        (1, "none"),
    }


def test_where_all_of_them_do_the_first_is_told() -> None:
    with pytest.raises(ArgumentError, match="'corridors': depth=1 flaw=unsolvable: a corridor with a door can always"):
        variations(Recipe(family="corridors", parameters={"depth": "1", "flaw": "unsolvable"}))


def test_the_size_is_free_where_a_length_is_asked_for_and_no_size() -> None:
    assert len({each["size"] for each in parameters(Recipe(family="corridors", length=Band(20, 30)))}) > 10
    assert {each["size"] for each in parameters(Recipe(family="corridors"))} == {9}
    asked = Recipe(family="corridors", length=Band(20, 30), parameters={"size": "11"})
    assert {each["size"] for each in parameters(asked)} == {11}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"siz": "9"}, r"generator 'corridors' has no parameter 'siz' \(did you mean 'size'\?\); it has size, depth"),
        ({"size": "wide"}, "generator 'corridors': argument 'size': expected int, got 'wide'"),
        ({"size": "12-9"}, "the band 12-9 is empty"),
        ({"size": "1-20000"}, "more than 10000 combinations of parameters"),
    ],
)
def test_wrong_parameters_are_told(parameters: dict[str, str], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        variations(Recipe(family="corridors", parameters=parameters))


def test_an_unknown_family_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown generator 'corridor' \(did you mean 'corridors'\?\)"):
        variations(Recipe(family="corridor"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("count", 0), ("seed", -1), ("tilings", ()), ("tilings", ("hex", "hex")), ("budget_factor", 0.5), ("salt", "abc")],
)
def test_fields_that_cannot_be_right_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Recipe(family="corridors", **{name: value})


def test_digests_tell_recipes_apart_by_all_that_decides_a_task() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"seed": 1},
        {"tilings": ("hex",)},
        {"parameters": {"size": "9"}},
        {"length": Band(1, 2)},
        {"budget_factor": 2.0},
        {"salt": "x" * 32},
        {"max_attempts": 3},
    ]
    assert len({Recipe(family="corridors", **change).digest for change in changes}) == len(changes)
    assert Recipe(family="corridors", count=5).digest == Recipe(family="corridors", count=6).digest


def test_a_salt_is_nowhere_to_be_read() -> None:
    recipe = Recipe(family="corridors", salt="0123456789abcdef0123456789abcdef")
    assert "abcdef" not in repr(recipe) + str(recipe.to_dict())
    assert recipe.to_dict()["salt"] is True


def test_a_salt_changes_all_seeds() -> None:
    recipes = [Recipe(family="corridors"), Recipe(family="corridors", salt="0123456789abcdef0123456789abcdef")]
    seeds = {recipe.seed_of(number, attempt) for recipe in recipes for number in range(9) for attempt in range(9)}
    assert len(seeds) == 2 * 9 * 9
