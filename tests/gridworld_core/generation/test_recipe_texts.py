"""Recipes as people write them."""

from pathlib import Path

import pytest

from gridworld.errors import ArgumentError
from gridworld.generation.recipe import Band, Recipe, recipe_from_name, recipes_from_file

SECRET = "0123456789abcdef0123456789abcdef"


def test_a_suite_is_named_by_its_recipe() -> None:
    assert recipe_from_name("generated:spiral") == Recipe(family="spiral")
    assert recipe_from_name("generated:spiral?seed=7&count=50&length=20-40&depth=2-3&tilings=square,hex") == Recipe(
        family="spiral", seed=7, count=50, length=Band(20, 40), parameters={"depth": "2-3"}, tilings=("square", "hex")
    )


def test_the_salt_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "salt").write_text(f"{SECRET}\n", encoding="utf-8-sig")
    assert recipe_from_name(f"generated:spiral?salt_file={tmp_path / 'salt'}").salt == SECRET


def test_a_file_has_a_table_for_each_recipe(tmp_path: Path) -> None:
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
        ("generated:spiral?count=3&count=4", "a field is given twice"),
        ("generated:spiral?count=0", "'count' must be >= 1: 0"),
        ("generated:spiral?salt=0123456789abcdef0123456789abcdef", "a salt is a secret, and is kept in a file"),
        ("generated:spiral?salt_file=nowhere", "nowhere: No such file or directory"),
    ],
)
def test_names_that_cannot_be_right_are_refused(name: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        recipe_from_name(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected tables \[\[recipes\]\], and nothing else"),
        ("recipes = 3", r"expected tables \[\[recipes\]\]"),
        ("recipes = [3]", r"recipes\[0\]: expected a table"),
        ("name = 'x'\n[[recipes]]\nfamily = 'a'", "and nothing else"),
        ("[[recipes]]\ncount = 3", r"recipes\[0\] needs the argument family"),
        ("[[recipes]]\nfamily = 'a'\n[[recipes]]\nfamily = 'a'\nsize = {a = 1}", r"recipes\[1\].size: expected"),
        ("[[recipes]]\nfamily = 'a'\n" * 2, r"recipes\[1\] would give the tasks of recipes\[0\]: set another seed"),
        ("[[recipes]]\nfamily = 'a'\nsalt = '0123456789abcdef'", "a salt is a secret"),
        ("[[recipes]]\nfamily = x\n", "not a TOML file: .*line 2"),
    ],
)
def test_files_that_hold_something_else_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "suite.toml"
    file.write_text(text)
    with pytest.raises(ArgumentError, match=message):
        recipes_from_file(file)


def test_a_byte_order_mark_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "suite.toml"
    file.write_text("[[recipes]]\nfamily = 'spiral'\n", encoding="utf-8-sig")
    assert recipes_from_file(file) == (Recipe(family="spiral"),)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="No such file"):
        recipes_from_file(tmp_path / "suite.toml")
