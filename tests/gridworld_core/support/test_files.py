"""Files are written whole or not at all, and JSON files are found in order."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gridworld.support.files import NO_TASKS, json_files, rename_new, replacing, temporary_name, write_bytes, write_text


def test_a_text_file_is_written_as_utf_8(tmp_path: Path) -> None:
    write_text(tmp_path / "text", "größe ✓\n")
    assert (tmp_path / "text").read_bytes() == "größe ✓\n".encode()


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_bytes(tmp_path / "data", b"\x00\r\n\xff")
    assert (tmp_path / "data").read_bytes() == b"\x00\r\n\xff"


def test_a_file_that_is_there_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "text"
    target.write_text("a much longer earlier content", encoding="utf-8")
    write_text(target, "new")
    assert target.read_text(encoding="utf-8") == "new"


def test_a_pipe_is_written_itself() -> None:
    """By the name that the system has for it, behind which there is no path."""
    outlet, inlet = os.pipe()
    write_text(Path(f"/proc/self/fd/{inlet}"), "content")
    os.close(inlet)
    assert os.read(outlet, 100) == b"content"
    os.close(outlet)


def test_a_file_without_a_name_is_written_itself(tmp_path: Path) -> None:
    """As programs that start others give them for their output."""
    with (tmp_path / "gone").open("w+b") as file:
        (tmp_path / "gone").unlink()
        write_text(Path(f"/proc/self/fd/{file.fileno()}"), "content")
        assert file.read() == b"content"
    assert list(tmp_path.iterdir()) == []


def test_nothing_else_is_left_in_the_folder(tmp_path: Path) -> None:
    write_text(tmp_path / "text", "content")
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_a_failed_write_leaves_the_earlier_content_and_no_other_file(tmp_path: Path) -> None:
    target = tmp_path / "text"
    target.write_text("earlier", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "\ud800")
    assert target.read_text(encoding="utf-8") == "earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_a_write_that_cannot_take_its_place_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    with pytest.raises(OSError, match="taken"):
        write_text(folder, "content")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert list(folder.iterdir()) == []


def test_a_missing_folder_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "text", "content")
    assert str(caught.value) == f"[Errno 2] the folder does not exist: '{tmp_path / 'nowhere'}'"
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_folder_is_refused_so_too(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError) as caught:
        write_text(tmp_path / "file" / "text", "content")
    assert caught.value.filename == str(tmp_path / "file" / "text")


def test_so_is_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File name too long") as caught:
        write_text(tmp_path / ("x" * 300), "content")
    assert caught.value.filename == str(tmp_path / ("x" * 300))


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path, mask: int) -> None:
    previous = os.umask(mask)
    try:
        write_text(tmp_path / "text", "content")
        assert stat.S_IMODE((tmp_path / "text").stat().st_mode) == 0o666 & ~mask
        assert os.umask(mask) == mask
    finally:
        os.umask(previous)


def test_what_is_written_piece_by_piece_takes_its_place_in_the_end(tmp_path: Path) -> None:
    target = tmp_path / "text"
    target.write_text("earlier", encoding="utf-8")
    with replacing(target) as place, place.open("w", encoding="utf-8") as file:
        file.write("first ")
        file.write("second")
        assert target.read_text(encoding="utf-8") == "earlier"
    assert target.read_text(encoding="utf-8") == "first second"
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_what_fails_half_way_leaves_the_earlier_content_and_no_other_file(tmp_path: Path) -> None:
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
def test_a_new_name_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    if not links:
        monkeypatch.setattr(os, "link", _no_links)
    first, second, target = tmp_path / "first", tmp_path / "second", tmp_path / "target"
    first.write_text("1")
    second.write_text("2")
    rename_new(first, target)
    with pytest.raises(FileExistsError):
        rename_new(second, target)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"second": "2", "target": "1"}


def _no_links(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_temporary_names_are_hidden_and_belong_to_one_thread(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(temporary_name, tmp_path / "text").result()
    own = temporary_name(tmp_path / "text")
    assert own != other
    assert {own.parent, other.parent} == {tmp_path}
    assert own.name.startswith(".text.")


def test_json_files_are_found_in_the_order_of_their_paths_whatever_the_folders_are_called(tmp_path: Path) -> None:
    for name in ("b.json", "a/z.json", "a.json", "a.json.d/y.json", "c.json/x.json", "c.txt", ".json", "a/.h/w.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    found = list(json_files(tmp_path))
    assert found == sorted(found)
    assert len(found) == 7
    assert not [*json_files(tmp_path / "c.txt"), *json_files(tmp_path / "nowhere")]


def test_a_folder_that_holds_no_tasks_is_passed_over_unless_it_is_the_one_that_is_asked_for(tmp_path: Path) -> None:
    copies = tmp_path / "runs" / "first" / "tasks"
    copies.mkdir(parents=True)
    (copies / "copy.json").touch()
    (tmp_path / "own.json").touch()
    (copies.parent / NO_TASKS).touch()
    assert [path.name for path in json_files(tmp_path)] == ["own.json"]
    assert [path.name for path in json_files(copies.parent)] == ["copy.json"]


def test_no_more_folders_are_looked_into_than_json_files_are_asked_for(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").touch()
    files = json_files(tmp_path)
    next(files)
    (tmp_path / "b" / "x.json").rename(tmp_path / "b" / "y.json")
    assert next(files).name == "y.json"
