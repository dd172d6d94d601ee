"""Folders of runs, probings, diagnoses and experiments: one that is given as another kind says what it is."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from gridworld.errors import ArgumentError, GridworldError
from gridworld.suites import load_folder
from gridworld.support.files import NO_TASKS
from multinet_eval.record.record_folders import (
    DIAGNOSIS,
    EXPERIMENT,
    KINDS,
    PROBING,
    RUN,
    NotAFolderError,
    NotEmptyError,
    RecordKind,
    RunError,
    begin_record,
    kind_of,
    read_record,
    records_in,
    reserved_folder,
    task_files,
)
from support.commands import invoke
from support.runs import write_corridor

READERS: dict[RecordKind, list[list[str]]] = {
    RUN: [
        ["runs", "show"],
        ["runs", "resume"],
        ["runs", "rescore"],
        ["runs", "verify"],
    ],
    PROBING: [["probe", "--resume"]],
    DIAGNOSIS: [["diagnose", "--resume"]],
}
CALLS = [(kind, line) for kind, lines in READERS.items() for line in lines]


@pytest.mark.parametrize("held", [*KINDS, None], ids=lambda kind: "nothing" if kind is None else kind.name)
@pytest.mark.parametrize(("expected", "line"), CALLS, ids=lambda value: " ".join(value) if type(value) is list else "")
def test_another_kind_of_record_names_its_kind_and_reader(
    expected: RecordKind, line: list[str], held: RecordKind | None, tmp_path: Path
) -> None:
    if held is expected:
        return
    path = tmp_path / "folder"
    path.mkdir()
    if held is not None:
        begin_record(path, held, {}, files={})
    refused = invoke([*line, path])
    assert refused.exit_code == 2
    assert f"{path} is not a recorded {expected.name}: it has no {expected.file}" in refused.stderr
    if held is not None:
        assert f"it holds a recorded {held.name}, which '{held.read_with} {path}' reads" in refused.stderr


def test_a_missing_run_gets_suggestions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(4):
        begin_record(Path(f"runs/2026-{number}-greedy"), RUN, {}, files={})
    told = "runs is not a recorded run: it has no run.json; runs in it: "
    latest = [f"runs/2026-{number}-greedy" for number in (3, 2, 1)]
    assert f"{told}{', '.join(latest)} and others" in invoke(["runs", "show", "runs"]).stderr
    for given in ("2026-3-greedy", "runs/2026-3-gredy"):
        missing = f"{given} is not a recorded run: there is no such folder (did you mean {latest[0]}?)"
        assert missing in invoke(["runs", "show", given]).stderr


def test_other_records_beside_runs_are_listed(tmp_path: Path) -> None:
    begin_record(tmp_path / "study", EXPERIMENT, {"runs": []}, files={})
    listed = invoke(["runs", "list", "--runs", tmp_path])
    assert listed.exit_code == 0
    location = tmp_path / "study"
    assert f"study is a recorded experiment; read it with: multinet runs list --runs {location}" in listed.stderr
    assert records_in(tmp_path) == [(tmp_path / "study", EXPERIMENT)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_record_is_read_back_and_not_overwritten(kind: RecordKind, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "record"
    begin_record(path, kind, {"says": "this"}, {"tasks/a.json": b"{}"}, ["tasks"])
    assert kind_of(path) is kind
    assert read_record(path, kind) == {"says": "this"}
    assert (path / "tasks" / "a.json").read_bytes() == b"{}"
    with pytest.raises(NotEmptyError, match="is not empty, expected a new folder") as refused:
        begin_record(path, kind, {}, files={})
    assert isinstance(refused.value, ArgumentError)


@pytest.mark.parametrize("inner", ["", "deep/record"])
def test_a_file_is_no_place_for_a_record(inner: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(NotAFolderError, match=f"^{file} is a file, expected a new folder") as refused:
        begin_record(file / inner, RUN, {}, files={})
    assert isinstance(refused.value, ArgumentError)
    assert str(refused.value).endswith(f"{file / inner}" if inner else "expected a new folder")
    assert file.read_text() == "mine"


def test_an_unreadable_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"^cannot read .*: File name too long$"):
        begin_record(tmp_path / ("x" * 300), RUN, {}, files={})


@pytest.mark.parametrize("left", ["tasks/a.json", ".run.json.17.17.tmp"])
def test_leftovers_of_a_killed_process_are_no_obstacle(left: str, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / left).write_text("{")
    begin_record(tmp_path, RUN, {}, {"tasks/a.json": b"{}"}, ["tasks"])
    assert (tmp_path / "tasks" / "a.json").read_bytes() == b"{}"


@pytest.mark.parametrize(("text", "message"), [("{", "it is not JSON"), ("[]", "expected an object")])
def test_a_damaged_file_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "probe.json").write_text(text)
    with pytest.raises(RunError, match=f"probe.json.*: {message}"):
        read_record(tmp_path, PROBING)


SETTLED = {
    "probe": [["--states", "2"], ["--seed", "3"], ["--explain", "none"], ["validation_10"], ["--dry-run"], ["-m", "x"]],
    "diagnose": [["--contrasts"], ["--epochs", "2"], ["--context", "fresh"], ["--no-record"]],
}


@pytest.mark.parametrize(("command", "given"), [(name, each) for name, lines in SETTLED.items() for each in lines])
def test_options_fixed_by_the_record_are_refused(command: str, given: list[str]) -> None:
    refused = invoke([command, "--resume", "nowhere", *given])
    assert refused.exit_code == 2
    said = {"validation_10": "SUITE", "-m": "--model"}.get(given[0], given[0])
    assert f"--resume continues a record with its own settings: leave out {said}" in refused.stderr


def test_simultaneous_runs_get_their_own_folders(tmp_path: Path) -> None:
    """The first has made the folder around them and leaves last: whoever made it removes it if nothing is in it."""
    within = tmp_path / "runs"
    with reserved_folder("s", "m", within) as first, ThreadPoolExecutor(8) as pool, ExitStack() as held:
        found = [first, *pool.map(lambda _: held.enter_context(reserved_folder("s", "m", within)), range(40))]
        assert len(set(found)) == 41
        assert all(re.fullmatch(r"\d{8}T\d{6}Z-s-m(-\d+)?", path.name) for path in found)
    assert not within.exists()


@pytest.mark.parametrize("place", ["file", "missing/link", "x" * 300])
def test_an_impossible_folder_still_has_a_name(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "missing").mkdir()
    (tmp_path / "missing" / "link").symlink_to(tmp_path / "unmounted" / "disk")
    with reserved_folder("s", "m", tmp_path / place) as path:
        assert path.parent == tmp_path / place
        with pytest.raises(GridworldError, match=r"cannot|expected a new folder"):
            begin_record(path, RUN, {}, files={})


def test_a_reserved_folder_with_content_is_kept(tmp_path: Path) -> None:
    with reserved_folder("s", "m", tmp_path) as used, reserved_folder("s", "m", tmp_path) as unused:
        (used / "run.json").write_text("{}")
    assert [path.exists() for path in (used, unused)] == [True, False]


def test_kept_tasks_do_not_belong_to_the_outer_folder(tmp_path: Path) -> None:
    write_corridor(tmp_path, "own", "@.G")
    (own,) = load_folder(tmp_path)
    for kind in KINDS:
        begin_record(tmp_path / "runs" / kind.name, kind, {}, task_files([own]), ("tasks",))
    assert load_folder(tmp_path) == [own]
    assert load_folder(tmp_path / "runs" / RUN.name) == [own]


def test_a_folder_with_only_its_first_file_counts_as_new(tmp_path: Path) -> None:
    (tmp_path / NO_TASKS).touch()
    begin_record(tmp_path, RUN, {}, files={})
    assert kind_of(tmp_path) is RUN
