"""Recipes: fields, digests, variations, TOML files and names; bands and derived seeds."""

from pathlib import Path
from typing import Any

import pytest

from gridworld.errors import ArgumentError, UnknownNameError
from gridworld.generation.recipe import Band, Recipe, derive_seed, recipe_from_name, recipes_from_file, variations


@pytest.mark.parametrize(("text", "band"), [("20-40", Band(20, 40)), ("7", Band(7, 7)), (" 0-0 ", Band(0, 0))])
def test_bands_are_read_from_texts(text: str, band: Band) -> None:
    assert Band.parse(text) == band
    assert Band.parse(str(band)) == band


@pytest.mark.parametrize("text", ["", "x", "-3", "3-", "1-2-3", "1.5", "40-20"])
def test_invalid_bands_are_refused(text: str) -> None:
    other = f"expected a number or a band such as 20-40, got '{text}'"
    message = "the band 40-20 is empty: 40 is above 20" if text == "40-20" else other
    with pytest.raises(ValueError, match=message):
        Band.parse(text)


def test_bands_include_both_ends() -> None:
    band = Band(3, 5)
    assert [number for number in range(8) if number in band] == [3, 4, 5]
    assert [band.distance(number) for number in (1, 3, 4, 5, 9)] == [2, 0, 0, 0, 4]


def test_derived_seeds_are_those_of_earlier_versions() -> None:
    assert derive_seed("salt", "family", 7, 0, 1) == 16234333326586


def test_derived_seeds_depend_on_each_part_and_its_place() -> None:
    parts = [("a", 1), ("a", 2), ("b", 1), ("a", 1, 0), ("a1",), (1, "a"), ("", "a", 1)]
    assert len({derive_seed(*each) for each in parts}) == len(parts)


pytestmark = pytest.mark.usefixtures("generators")


def parameters(recipe: Recipe) -> list[dict[str, Any]]:
    return [generator.parameters for generator in variations(recipe)]


def test_each_combination_of_values_gives_a_generator() -> None:
    recipe = Recipe(family="corridors", parameters={"size": "9-10,20", "depth": "0-1"})
    drawn = {(each["size"], each["depth"]) for each in parameters(recipe)}
    assert drawn == {(size, depth) for size in (9, 10, 20) for depth in (0, 1)}


def test_contradictory_combinations_are_left_out() -> None:
    recipe = Recipe(family="corridors", parameters={"depth": "0-1", "flaw": "unsolvable,none"})
    assert {(each["depth"], each["flaw"]) for each in parameters(recipe)} == {
        (0, "unsolvable"),
        (0, "none"),
        (1, "none"),
    }


def test_the_first_error_is_reported_if_no_combination_is_valid() -> None:
    with pytest.raises(ArgumentError, match="'corridors': depth=1 flaw=unsolvable: a corridor with a door can always"):
        variations(Recipe(family="corridors", parameters={"depth": "1", "flaw": "unsolvable"}))


def test_the_size_is_free_if_only_a_length_is_required() -> None:
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
def test_wrong_parameters_are_refused(parameters: dict[str, str], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        variations(Recipe(family="corridors", parameters=parameters))


def test_an_unknown_family_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown generator 'corridor' \(did you mean 'corridors'\?\)"):
        variations(Recipe(family="corridor"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("count", 0), ("seed", -1), ("tilings", ()), ("tilings", ("hex", "hex")), ("budget_factor", 0.5), ("salt", "abc")],
)
def test_invalid_fields_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Recipe(family="corridors", **{name: value})


def test_digests_depend_on_all_fields_except_count() -> None:
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


def test_a_salt_is_not_printed() -> None:
    recipe = Recipe(family="corridors", salt=SECRET)
    assert "abcdef" not in repr(recipe) + str(recipe.to_dict())
    assert recipe.to_dict()["salt"] is True


SECRET = "0123456789abcdef0123456789abcdef"


def test_names_of_suites_are_recipes() -> None:
    assert recipe_from_name("generated:spiral") == Recipe(family="spiral")
    assert recipe_from_name("generated:spiral?seed=7&count=50&length=20-40&depth=2-3&tilings=square,hex") == Recipe(
        family="spiral", seed=7, count=50, length=Band(20, 40), parameters={"depth": "2-3"}, tilings=("square", "hex")
    )


def test_the_salt_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "salt").write_text(f"{SECRET}\n", encoding="utf-8-sig")
    assert recipe_from_name(f"generated:spiral?salt_file={tmp_path / 'salt'}").salt == SECRET


def test_recipe_files_have_a_table_per_recipe(tmp_path: Path) -> None:
    file = tmp_path / "suite.toml"
    file.write_text(
        """
        [[recipes]]
        family = "spiral"
        count = 20
        tilings = ["square", "hex"]
        size = [9, 11]

        [[recipes]]
        family = "cave"
        length = "20-40"
        budget_factor = 2.5
        braided = true
        """
    )
    first, second = recipes_from_file(file, SECRET)
    assert first == Recipe(
        family="spiral", count=20, tilings=("square", "hex"), parameters={"size": "9,11"}, salt=SECRET
    )
    assert second == Recipe(
        family="cave", length=Band(20, 40), budget_factor=2.5, parameters={"braided": "true"}, salt=SECRET
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("generated:spiral?count=many", "argument 'count': expected int, got 'many'"),
        ("generated:spiral?length=40-20", "the band 40-20 is empty"),
        ("generated:spiral?length=long", "expected a number or a band such as 20-40, got 'long'"),
        ("generated:spiral?count=3&count=4", "duplicate field"),
        ("generated:spiral?count=0", "'count' must be >= 1: 0"),
        ("generated:spiral?salt=0123456789abcdef0123456789abcdef", "a salt is a secret and belongs in a file"),
        ("generated:spiral?salt_file=nowhere", "nowhere: No such file or directory"),
    ],
)
def test_invalid_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        recipe_from_name(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected only \[\[recipes\]\] tables"),
        ("recipes = 3", r"expected only \[\[recipes\]\] tables"),
        ("recipes = [3]", r"recipes\[0\]: expected a table"),
        ("name = 'x'\n[[recipes]]\nfamily = 'a'", r"expected only \[\[recipes\]\] tables"),
        ("[[recipes]]\ncount = 3", r"recipes\[0\] needs the argument family"),
        ("[[recipes]]\nfamily = 'a'\n[[recipes]]\nfamily = 'a'\nsize = {a = 1}", r"recipes\[1\].size: expected"),
        ("[[recipes]]\nfamily = 'a'\n" * 2, r"recipes\[1\] would give the tasks of recipes\[0\]: set another seed"),
        ("[[recipes]]\nfamily = 'a'\nsalt = '0123456789abcdef'", "a salt is a secret"),
        ("[[recipes]]\nfamily = x\n", "it is not TOML: .*line 2"),
    ],
)
def test_malformed_recipe_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "suite.toml"
    file.write_text(text)
    with pytest.raises(ArgumentError, match=message):
        recipes_from_file(file)


def test_recipe_files_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "suite.toml"
    file.write_text("[[recipes]]\nfamily = 'spiral'\n", encoding="utf-8-sig")
    assert recipes_from_file(file) == (Recipe(family="spiral"),)
