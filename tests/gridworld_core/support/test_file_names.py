"""File names for ids: usable on every common file system, always the same, and as different as the ids."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.support.files import MAX_LENGTH, safe_file_name, unique_file_names

LONE_SURROGATE = "\ud800"
AWKWARD = [
    "",
    ".",
    "..",
    "../../x",
    "a/b",
    "a\\b",
    "/etc/passwd",
    "C:x",
    ".hidden",
    "ends with a dot.",
    "dot.",
    "a b",
    "größe",
    "迷路",
    "a\0b",
    "line\nbreak",
    "CON",
    "con",
    "nul.txt",
    "Com1.tar.gz",
    "lpt9",
    "x" * (MAX_LENGTH + 1),
    "é" * 500,
    LONE_SURROGATE,
]
SAFE = ["maze_simple_001", "a.b", "a-b", "A_1", "x" * MAX_LENGTH, "console", "com", "com10", "null", "-", "0", "a..b"]

any_text = st.text(st.characters() | st.sampled_from("./\\:* ~-_"), max_size=150) | st.sampled_from(AWKWARD + SAFE)


def is_safe(name: str) -> bool:
    device = re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name, re.IGNORECASE)
    return bool(re.fullmatch(r"[A-Za-z0-9_-]([A-Za-z0-9._-]*[A-Za-z0-9_-])?", name)) and device is None


@given(any_text)
def test_every_text_becomes_a_safe_name_of_bounded_length(text: str) -> None:
    name = safe_file_name(text)
    assert is_safe(name), name
    assert len(name) <= MAX_LENGTH


@given(any_text)
def test_a_safe_name_stays_as_it_is(text: str) -> None:
    assert safe_file_name(safe_file_name(text)) == safe_file_name(text)


@pytest.mark.parametrize("text", SAFE)
def test_an_id_that_is_a_safe_name_is_kept(text: str) -> None:
    assert safe_file_name(text) == text


@pytest.mark.parametrize("text", AWKWARD)
def test_any_other_id_is_changed_and_marked_with_a_hash(text: str) -> None:
    assert re.search(r"-[0-9a-f]{8}$", safe_file_name(text))


def test_ids_that_differ_only_where_they_are_changed_get_different_names() -> None:
    alike = ["a/b", "a\\b", "a b", "a:b", "a_b", "a*b", "äb", "öb", "x" * 200, "x" * 201, "", "_"]
    assert len({safe_file_name(text) for text in alike}) == len(alike)


@given(st.lists(any_text, unique=True, max_size=20))
def test_different_ids_get_different_names(texts: list[str]) -> None:
    assert len({safe_file_name(text) for text in texts}) == len(texts)


def test_what_can_be_kept_of_an_id_can_be_recognized() -> None:
    assert safe_file_name("suite/maze one").startswith("suite_maze_one-")


def test_names_are_the_same_in_another_process() -> None:
    program = "from gridworld.support.files import safe_file_name; print(safe_file_name('a/b'))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == safe_file_name("a/b")


@given(any_text)
def test_dots_can_be_left_out_too(text: str) -> None:
    name = safe_file_name(text, keep_dots=False)
    assert is_safe(name)
    assert "." not in name


def test_without_dots_an_id_with_a_dot_is_told_from_one_without() -> None:
    assert safe_file_name("v1.2", keep_dots=False) != safe_file_name("v1_2", keep_dots=False) == "v1_2"


@pytest.mark.parametrize("text", AWKWARD)
def test_a_file_of_that_name_lies_in_the_folder_it_is_written_to(text: str, tmp_path: Path) -> None:
    path = tmp_path / safe_file_name(text)
    path.write_bytes(b"")
    assert [found.resolve() for found in tmp_path.iterdir()] == [path.resolve()]


@given(st.lists(any_text | st.sampled_from(["x", "X", "x-2", "X-2"]), max_size=20))
def test_names_in_one_folder_are_all_different_even_if_case_does_not_count(texts: list[str]) -> None:
    names = unique_file_names(texts)
    assert len(names) == len(texts)
    assert len({name.lower() for name in names}) == len(texts)
    assert all(is_safe(name) for name in names)


def test_ids_that_do_not_meet_are_not_numbered() -> None:
    assert unique_file_names(["a", "b", "a/b"]) == ["a", "b", safe_file_name("a/b")]


def test_equal_ids_are_numbered_in_order() -> None:
    assert unique_file_names(["x", "x", "X", "x"]) == ["x", "x-2", "X-3", "x-4"]


def test_a_number_that_is_an_id_of_its_own_is_not_given_twice() -> None:
    assert unique_file_names(["x-2", "x", "x"]) == ["x-2", "x", "x-3"]
