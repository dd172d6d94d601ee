"""Runs whose files were damaged, changed, moved or written by another version."""

import json
import shutil
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import Result

from multinet_eval.record.journal import AttemptFile
from multinet_eval.record.record_folders import RECORDS_VERSION, RunError
from multinet_eval.record.run_directory import RunDirectory
from support.commands import invoke
from support.run_folders import results_of
from support.runs import write_corridor
from support.thoroughness import in_turn
from support.worlds import door, key


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two episodes."""
    folder = tmp_path_factory.mktemp("runs")
    write_corridor(folder / "small", "door", "@kD.G", max_steps=6, k=key(), D=door("red"))
    write_corridor(folder / "small", "far", "@...G", max_steps=4)
    line = ["eval", "-m", "random", "--observation", "text", "--task-dir", folder / "small", "-q"]
    assert invoke([*line, "--run-dir", folder / "whole"]).exit_code == 0
    return folder / "whole"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, of which the second episode is not finished."""
    copied = tmp_path / "run"
    shutil.copytree(whole, copied)
    (copied / "results.json").unlink()
    cut_lines(copied / "episodes/1.jsonl", 3)
    return copied


def cut_lines(path: Path, left: int) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:left]))


def contents(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}


def resume(run: Path) -> Result:
    return invoke(["runs", "resume", run, "-q"])


def assert_refused_unchanged(run: Path, *fragments: str, exit_code: int = 1) -> None:
    """Resuming fails with a message on one line that has these fragments, and changes nothing."""
    before = contents(run)
    result = resume(run)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert isinstance(result.exception, SystemExit)
    message = result.stderr
    assert message.startswith("error: ")
    for fragment in fragments:
        assert fragment in message, message
    assert contents(run) == before


def assert_goes_on(run: Path, whole: Path) -> None:
    result = resume(run)
    assert (result.exit_code, result.output) == (0, "")
    assert results_of(run) == results_of(whole)
    assert not (run / "lock").exists()


# --- What does no harm -----------------------------------------------------------------------------------------------


def test_a_run_may_be_moved_and_copied(run: Path, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = run.parent / "else where" / "näme"
    moved.parent.mkdir()
    run.rename(moved)
    shutil.copytree(moved, run.parent / "copied")
    monkeypatch.chdir(moved)
    assert_goes_on(Path(), whole)
    assert_goes_on(run.parent / "copied", whole)


@pytest.mark.parametrize(("kept", "zeros"), [(0.0, True), (0.5, False)])
def test_lines_lost_to_a_power_loss_are_replayed(kept: float, zeros: bool, whole: Path, tmp_path: Path) -> None:
    """Also of a run that had its results; in place of lines there may be nothing, or zero bytes."""
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    for path in [run / "episodes/1.jsonl", *(run / "scenes").iterdir(), *(run / "texts").iterdir()]:
        content = path.read_bytes()
        left = content[: int(len(content) * kept)]
        path.write_bytes(left.ljust(len(content), b"\0") if zeros else left)
    (run / "episodes/0.jsonl").write_bytes(b"")
    assert invoke(["runs", "list", "--runs", tmp_path, "--json"]).stdout.count('"finished": 0') == 1
    assert_goes_on(run, whole)
    if not kept:  # an episode that goes on has kept its files before
        assert invoke(["runs", "verify", run]).exit_code == 0


def test_temporary_files_of_killed_processes_are_ignored(run: Path, whole: Path) -> None:
    for name in (".results.json.77.tmp", "tasks/.x.77.tmp", ".lock.0123", "episodes/notes.txt", "episodes/1.jsonl~"):
        (run / name).write_text("{")
    assert_goes_on(run, whole)


# --- What is refused -------------------------------------------------------------------------------------------------


def test_zero_bytes_between_lines_are_reported_with_advice(run: Path, whole: Path) -> None:
    path = run / "episodes/1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"\0" * 300, *lines[1:]]))
    assert_refused_unchanged(run, f"{path}, line 2: it holds zero bytes, which a loss of power may leave", "delete it")
    path.write_bytes(lines[0])
    assert_goes_on(run, whole)


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """JSON with another value at one place."""
    if not path:
        return value
    copied = dict(data) if isinstance(data, dict) else list(data)
    copied[path[0]] = changed(data[path[0]], path[1:], value) if len(path) > 1 else value
    return copied


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ((), [], "is damaged: "),
        ((), None, "is damaged: "),
        ((), {}, "is damaged: "),
        (("plan",), None, "is damaged: "),
        (("plan", 0), {}, "is damaged: required field missing @ run.plan"),
        (("plan", 0, "seed"), "x", "is damaged: "),
        (("settings", "epochs"), 0, "is damaged: epochs: expected at least 1, got 0 @ run.settings"),
        (("settings", "colour"), 1, "is damaged: extra fields found (colour) @ run.settings"),
        (("fingerprint", "versions"), False, "is damaged: fingerprint.versions: expected names and versions"),
        (("version",), 4, f"has version 4, and this release reads version {RECORDS_VERSION}"),
        (("version",), None, "is damaged: it has no version"),
    ],
)
def test_a_damaged_or_other_manifest_is_named(run: Path, path: tuple[Any, ...], value: Any, told: str) -> None:
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(changed(manifest, path, value)))
    assert_refused_unchanged(run, f"{run / 'run.json'} ", told)


def test_a_task_that_was_changed_or_lost_is_named(run: Path, whole: Path) -> None:
    task = sorted((run / "tasks").iterdir())[0]
    content = task.read_text()
    task.write_text(content.replace('"max_steps": ', '"max_steps": 1'))
    assert_refused_unchanged(run, f"{task}: the task is not the one that was played; its file has been changed")
    task.write_text(content[:100])
    assert_refused_unchanged(run, f"{task}: the task cannot be read: ")
    task.unlink()
    assert_refused_unchanged(run, f"{task}: the task cannot be read: ")
    task.write_text(json.dumps(json.loads(content)))  # written otherwise, it is the same task
    assert_goes_on(run, whole)


def test_missing_distributions_of_a_task_are_named_once(run: Path) -> None:
    manifest = json.loads((run / "run.json").read_text())
    versions = manifest["circumstances"]["versions"] | {"acme-belts": "0.1.2", "unnamed": "unknown"}
    (run / "run.json").write_text(json.dumps(changed(manifest, ("circumstances", "versions"), versions)))
    task = sorted((run / "tasks").iterdir())[0]
    task.write_text(json.dumps(changed(json.loads(task.read_text()), ("mechanisms",), {"acme_belts": [{}]})))
    refused = resume(run)
    assert refused.exit_code == 1
    assert "unknown mechanism 'acme_belts'" in refused.stderr
    assert refused.stderr.endswith("; it was played with acme-belts 0.1.2, which is not installed here\n")
    assert refused.stderr.count(str(task)) == 1


Lines = list[bytes]
GARBAGE = [
    b"",
    b"\xff\x00",
    b"{",
    b"3",
    b"[]",
    b"{}",
    b"[" * 100_000,
    b'{"step":null}',
    b'{"step":{}}',
    b'{"step":{"number":1,"kind":"jump"}}',
    b'{"step":{"number":9,"kind":"lost"}}',
    b'{"step":{"number":1,"kind":"lost","effect":false}}',
    b'{"step":{"number":1,"kind":"lost","digest":{}}}',
    b'{"request":[]}',
    b'{"request":{"outcome":"splendid"}}',
    b'{"request":{"outcome":"ok","action":"2"}}',
    b'{"fault":3}',
    b'{"adjustment":{"colour":1}}',
    b'{"end":{}}',
    b'{"header":{}}',
    b'{"resumed":{},"step":{}}',
    b'{"surprise":{}}',
]


@in_turn("garbage, episode", GARBAGE, ["0", "1"], ids=lambda value: repr(value[:40]))
def test_a_line_of_garbage_is_named(run: Path, episode: str, garbage: bytes) -> None:
    path = run / f"episodes/{episode}.jsonl"
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], garbage, *lines[2:]]))
    assert_refused_unchanged(run, f"{path}, line ")


CHANGES: dict[str, Callable[[Lines], Lines]] = {
    "header of another version": lambda lines: [lines[0].replace(b'"version":1', b'"version":2'), *lines[1:]],
    "no header": lambda lines: lines[1:],
    "two headers": lambda lines: [lines[0], *lines],
    "a step twice": lambda lines: [*lines[:3], *lines[1:]],
    "a step too few": lambda lines: [lines[0], *lines[3:]],
    "a line after the end": lambda lines: [*lines, lines[1]],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_impossible_sequences_of_lines_are_named(run: Path, change: Callable[[Lines], Lines]) -> None:
    path = run / "episodes/0.jsonl"
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    assert_refused_unchanged(run, f"{path}, line ")


def test_a_diverging_episode_is_named(run: Path, whole: Path) -> None:
    path = run / "episodes/1.jsonl"
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    step = json.loads(lines[2])
    step["step"]["digest"] = "0" * 16
    path.write_bytes(b"".join([*lines[:2], json.dumps(step).encode() + b"\n"]))
    result = resume(run)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "error: 'far', played again, is another episode than was recorded from step 1" in result.stderr
    path.write_bytes(content)
    assert_goes_on(run, whole)


# --- Writing ---------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_a_torn_last_line_is_cut_off(tmp_path_factory: pytest.TempPathFactory, left: bytes, new: bytes) -> None:
    path = tmp_path_factory.mktemp("lines") / "0.jsonl"
    path.write_bytes(left)
    file = AttemptFile(path)
    whole = left[: left.rfind(b"\n") + 1]
    file.add(new + b"\n")
    file.close()
    assert path.read_bytes() == whole + new + b"\n"


@pytest.mark.more
def test_threads_write_a_kept_file_once(run: Path) -> None:
    directory, many, content = RunDirectory(run), 8, b"text" * 100_000
    begin = threading.Barrier(many, timeout=60)

    def keep(_: int) -> None:
        for number in range(50):
            begin.wait()
            directory.keep("frames", f"{number}.txt", content)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(many) as pool:
            list(pool.map(keep, range(many)))
    finally:
        sys.setswitchinterval(before)
    assert {path.read_bytes() for path in (run / "frames").iterdir()} == {content}
    assert len(list((run / "frames").iterdir())) == 50


def test_one_of_several_simultaneous_creations_succeeds(whole: Path, tmp_path: Path) -> None:
    directory, many = RunDirectory(whole), 8
    tasks = list(directory.tasks().values())
    begin, refused = threading.Barrier(many, timeout=60), []

    def create(place: Path) -> bool:
        begin.wait()
        try:
            return RunDirectory.create(place, directory.manifest, tasks).manifest == directory.manifest
        except RunError as error:
            refused.append(str(error))
            return False

    with ThreadPoolExecutor(many) as pool:
        for number in range(3):
            assert sum(pool.map(create, [tmp_path / str(number)] * many)) == 1
    assert all("is not empty" in message for message in refused)
