"""Files: atomic writes, listings, safe names and home folders."""

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.support.files import (
    MAX_LENGTH,
    NO_TASKS,
    FileError,
    expand_user,
    json_files,
    open_plain,
    rename_new,
    replacing,
    safe_file_name,
    store_bytes,
    temporary_name,
    unique_file_names,
    write_bytes,
    write_text,
)

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


def test_a_file_is_written_or_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_bytes(tmp_path / "file", b"\x00\r\n\xff" * 9)
    assert (tmp_path / "file").read_bytes() == b"\x00\r\n\xff" * 9
    write_text(tmp_path / "file", "größe ✓\n")
    assert (tmp_path / "file").read_bytes() == "größe ✓\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_text_without_an_encoding_leaves_the_earlier_content_and_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("earlier")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "file", LONE_SURROGATE)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "earlier"}


def test_a_pipe_is_written_directly() -> None:
    outlet, inlet = os.pipe()
    write_text(Path(f"/proc/self/fd/{inlet}"), "content")
    os.close(inlet)
    assert os.read(outlet, 100) == b"content"
    os.close(outlet)


def test_an_unlinked_file_is_written_directly(tmp_path: Path) -> None:
    with (tmp_path / "gone").open("w+b") as file:
        (tmp_path / "gone").unlink()
        write_text(Path(f"/proc/self/fd/{file.fileno()}"), "content")
        assert file.read() == b"content"
    assert list(tmp_path.iterdir()) == []


def test_a_failed_rename_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    with pytest.raises(OSError, match="taken"):
        write_text(folder, "content")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert list(folder.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "text", "content")
    assert str(caught.value) == f"[Errno 2] the folder does not exist: '{tmp_path / 'nowhere'}'"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "error"), [("file/text", NotADirectoryError), ("x" * 300, OSError)])
def test_an_impossible_path_is_named(tmp_path: Path, name: str, error: type[OSError]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(error) as caught:
        write_text(tmp_path / name, "content")
    assert caught.value.filename == str(tmp_path / name)


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path, mask: int) -> None:
    previous = os.umask(mask)
    try:
        write_text(tmp_path / "text", "content")
        assert stat.S_IMODE((tmp_path / "text").stat().st_mode) == 0o666 & ~mask
        assert os.umask(mask) == mask
    finally:
        os.umask(previous)


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "text"
    target.write_text("earlier", encoding="utf-8")
    with replacing(target) as place, place.open("w", encoding="utf-8") as file:
        file.write("first ")
        file.write("second")
        assert target.read_text(encoding="utf-8") == "earlier"
    assert target.read_text(encoding="utf-8") == "first second"
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_an_interrupted_write_leaves_the_earlier_content(tmp_path: Path) -> None:
    target = tmp_path / "text"
    target.write_text("earlier", encoding="utf-8")

    def write_half() -> None:
        with replacing(target) as place:
            place.write_text("first ", encoding="utf-8")
            raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        write_half()
    assert target.read_text(encoding="utf-8") == "earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


@pytest.mark.parametrize("links", [True, False])
def test_a_new_name_is_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    if not links:
        monkeypatch.setattr(os, "link", Mock(side_effect=PermissionError(1, "Operation not permitted")))
    first, second, target = tmp_path / "first", tmp_path / "second", tmp_path / "target"
    first.write_text("1")
    second.write_text("2")
    rename_new(first, target)
    with pytest.raises(FileExistsError):
        rename_new(second, target)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"second": "2", "target": "1"}


def test_temporary_names_are_hidden_and_unique_to_a_thread(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(temporary_name, tmp_path / "text").result()
    own = temporary_name(tmp_path / "text")
    assert own != other
    assert {own.parent, other.parent} == {tmp_path}
    assert own.name.startswith(".text.")


def test_json_files_are_sorted_by_path(tmp_path: Path) -> None:
    for name in ("b.json", "a/z.json", "a.json", "a.json.d/y.json", "c.json/x.json", "c.txt", ".json", "a/.h/w.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    found = list(json_files(tmp_path))
    assert found == sorted(found)
    assert len(found) == 7
    assert not [*json_files(tmp_path / "c.txt"), *json_files(tmp_path / "nowhere")]


def test_a_marked_folder_is_skipped_below_another(tmp_path: Path) -> None:
    copies = tmp_path / "runs" / "first" / "tasks"
    copies.mkdir(parents=True)
    (copies / "copy.json").touch()
    (tmp_path / "own.json").touch()
    (copies.parent / NO_TASKS).touch()
    assert [path.name for path in json_files(tmp_path)] == ["own.json"]
    assert [path.name for path in json_files(copies.parent)] == ["copy.json"]


@given(any_text)
def test_every_text_gets_a_safe_name_of_bounded_length(text: str) -> None:
    name = safe_file_name(text)
    assert is_safe(name), name
    assert len(name) <= MAX_LENGTH


@given(any_text)
def test_safe_names_are_fixed_points(text: str) -> None:
    assert safe_file_name(safe_file_name(text)) == safe_file_name(text)


@pytest.mark.parametrize("text", SAFE)
def test_safe_ids_are_kept(text: str) -> None:
    assert safe_file_name(text) == text


@pytest.mark.parametrize("text", AWKWARD)
def test_other_ids_get_a_hash(text: str) -> None:
    assert re.search(r"-[0-9a-f]{8}$", safe_file_name(text))


def test_ids_that_differ_only_where_they_are_changed_get_different_names() -> None:
    alike = ["a/b", "a\\b", "a b", "a:b", "a_b", "a*b", "äb", "öb", "x" * 200, "x" * 201, "", "_"]
    assert len({safe_file_name(text) for text in alike}) == len(alike)


@given(any_text)
def test_dots_can_be_left_out(text: str) -> None:
    name = safe_file_name(text, keep_dots=False)
    assert is_safe(name)
    assert "." not in name
    assert safe_file_name("v1.2", keep_dots=False) != safe_file_name("v1_2", keep_dots=False) == "v1_2"
    assert safe_file_name("suite/maze one").startswith("suite_maze_one-")


@given(st.lists(any_text | st.sampled_from(["x", "X", "x-2", "X-2"]), max_size=20))
def test_unique_names_differ_even_without_case(texts: list[str]) -> None:
    names = unique_file_names(texts)
    assert len(names) == len(texts)
    assert len({name.lower() for name in names}) == len(texts)
    assert all(is_safe(name) for name in names)


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["a", "b", "a/b"], ["a", "b", safe_file_name("a/b")]),
        (["x", "x", "X", "x"], ["x", "x-2", "X-3", "x-4"]),
        (["x-2", "x", "x"], ["x-2", "x", "x-3"]),
    ],
)
def test_equal_names_are_numbered_in_order(ids: list[str], names: list[str]) -> None:
    assert unique_file_names(ids) == names


@pytest.mark.parametrize(
    ("path", "expanded"), [("~/runs", "/home/me/runs"), ("runs/~", "runs/~"), ("~nobody-here/x",) * 2]
)
def test_a_home_folder_is_expanded(monkeypatch: pytest.MonkeyPatch, path: str, expanded: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert expand_user(path) == expanded


def test_opening_what_is_no_file_leaves_nothing_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(FileError, match="it is a folder, expected a regular file"):
            open_plain(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_storing_does_not_follow_a_link_that_has_the_temporary_name(tmp_path: Path) -> None:
    outside, path = tmp_path / "outside", tmp_path / "stored"
    outside.write_bytes(b"untouched")
    temporary_name(path).symlink_to(outside)
    store_bytes(path, b"content")
    assert (outside.read_bytes(), path.read_bytes(), path.is_symlink()) == (b"untouched", b"content", False)
