"""Signing own content: what is recognised, and what happens without a usable key."""

import os
import stat
import threading
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from multinet_eval.record.ownership import KEY, is_own, key_problem, sign

CONTENT = b"content"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder, which does not exist yet."""
    monkeypatch.setenv("MULTINET_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def signed() -> str:
    mac = sign(CONTENT, "run")
    assert mac is not None
    return mac


@pytest.mark.parametrize(
    ("content", "label", "own"),
    [(CONTENT, "run", True), (b"other", "run", False), (CONTENT, "result", False), (b"\0content", "ru", False)],
)
def test_a_mac_is_valid_for_its_content_and_label_only(state: Path, content: bytes, label: str, own: bool) -> None:
    assert is_own(content, signed(), label) is own


@pytest.mark.parametrize("mac", [None, "", "0" * 64, "é", "\ud800", 3, ["a"], b"a"])
def test_anything_else_is_no_mac(state: Path, mac: object) -> None:
    signed()
    assert not is_own(CONTENT, mac, "run")


def test_the_key_is_made_once_and_read_by_its_owner_only(state: Path) -> None:
    mac = signed()
    key = state / KEY
    assert [key] == list(state.iterdir())
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert signed() == mac


def test_checking_makes_no_key(state: Path) -> None:
    assert not is_own(CONTENT, "0" * 64, "run")
    assert key_problem() == f"{state / KEY}: there is no key"
    assert not state.exists()


def test_another_key_recognises_nothing(state: Path) -> None:
    mac = signed()
    (state / KEY).unlink()
    assert signed() != mac
    assert not is_own(CONTENT, mac, "run")


def _make_readable_by_others(key: Path) -> None:
    key.chmod(0o644)


def _cut(key: Path) -> None:
    key.write_bytes(b"short")


def _lengthen(key: Path) -> None:
    key.write_bytes(key.read_bytes() * 2)


def _replace_by_link(key: Path) -> None:
    key.rename(key.with_name("elsewhere"))
    key.symlink_to("elsewhere")


def _replace_by_broken_link(key: Path) -> None:
    key.unlink()
    key.symlink_to("nowhere")


def _replace_by_pipe(key: Path) -> None:
    key.unlink()
    os.mkfifo(key, 0o600)


def _replace_by_folder(key: Path) -> None:
    key.unlink()
    key.mkdir()


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (_make_readable_by_others, "its mode is 0644"),
        (_cut, "it has 5 bytes"),
        (_lengthen, "it has 64 bytes"),
        (_replace_by_link, "it is a link"),
        (_replace_by_broken_link, "it is a link"),
        (_replace_by_pipe, "it is a FIFO"),
        (_replace_by_folder, "it is a folder"),
    ],
)
def test_a_spoilt_key_is_named_and_neither_used_nor_replaced(
    state: Path, spoil: Callable[[Path], object], problem: str
) -> None:
    mac = signed()
    spoil(state / KEY)
    kept = (state / KEY).lstat()
    assert sign(CONTENT, "run") is None
    assert not is_own(CONTENT, mac, "run")
    assert f"{state / KEY}: {problem}" in str(key_problem())
    assert (state / KEY).lstat().st_ino == kept.st_ino


def test_without_a_folder_for_it_there_is_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for state in ("", str(tmp_path / "file"), str(tmp_path / "file" / "state")):
        monkeypatch.setenv("MULTINET_STATE", state)
        assert sign(CONTENT, "run") is None
        assert key_problem() is not None


def test_without_the_variable_the_key_is_in_the_users_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MULTINET_STATE")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert is_own(CONTENT, signed(), "run")
    assert len(list(tmp_path.rglob(KEY))) == 1


def test_a_relative_state_folder_of_the_platform_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MULTINET_STATE")
    monkeypatch.setattr("platformdirs.user_state_path", Path)  # as of users without a home folder
    monkeypatch.chdir(tmp_path)
    assert sign(CONTENT, "run") is None
    assert list(tmp_path.iterdir()) == []


def _sign_at_once(barrier: Any, results: Any) -> None:
    barrier.wait()
    results.put(sign(CONTENT, "run"))


def test_processes_that_make_the_key_at_once_agree_on_one(state: Path) -> None:
    context = get_context("fork")
    barrier, results = context.Barrier(4), context.SimpleQueue()
    processes = [context.Process(target=_sign_at_once, args=(barrier, results)) for _ in range(4)]
    for process in processes:
        process.start()
    macs = {results.get() for _ in processes}
    for process in processes:
        process.join()
    assert macs == {signed()}
    assert list(state.iterdir()) == [state / KEY]


def test_threads_that_make_the_key_at_once_agree_on_one(state: Path) -> None:
    macs: list[str | None] = []
    threads = [threading.Thread(target=lambda: macs.append(sign(CONTENT, "run"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(macs) == {signed()}
