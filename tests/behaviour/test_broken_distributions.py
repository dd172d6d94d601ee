"""Distributions with broken metadata are listed with the reason, and disturb no command and no other plugin."""

import json
import os
import sys
import zipfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs
import pytest

from support import programs
from support.commands import run
from support.plugins import models_module, write_distribution
from support.programs import assert_refused, json_of, output_of

METADATA = "Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n"
OURS = "[gridworld]\nmodels = third_models\n"
STRANGERS = "[console_scripts]\nstranger = third_models:main\n"
FOLDER = "third_party-1.0.dist-info"
LATIN = "Author: Ren\xe9".encode("latin-1")

Content = str | bytes | None
"""Content of a file; None for a folder in its place."""


@attrs.frozen
class Row:
    """Metadata files of a distribution, and what is listed of it."""

    entry_points: Content = OURS
    metadata: Content = METADATA
    folder: str = FOLDER
    more: Mapping[str, Content] = attrs.field(factory=dict)
    left_out: tuple[str, ...] = ()
    listed: tuple[tuple[str, str, str, str, str], ...] = ()
    """Distribution, version, entry point, status and error of each record."""


def named(name: str) -> str:
    return METADATA.replace("third-party", name)


def failed(error: str, distribution: str = "third-party", release: str = "1.0", entry: str = "") -> Any:
    return {"listed": ((distribution, release, entry, "failed", error),)}


LOADED = ("third-party", "1.0", "models", "loaded", "")
EXPECTED = "expected NAME = MODULE or NAME = MODULE:OBJECT, got"

ROWS = {
    "METADATA in Latin-1": Row(metadata=LATIN, **failed("METADATA: not UTF-8 text: byte 11")),
    "no METADATA": Row(left_out=("METADATA",), **failed("METADATA: there is no such file")),
    "empty METADATA": Row(metadata="", **failed("METADATA: it has no Name")),
    "METADATA that is a folder": Row(metadata=None, **failed("METADATA: it is a folder, expected a regular file")),
    "METADATA without Name": Row(metadata="Version: 1.0\n", **failed("METADATA: it has no Name")),
    "METADATA without Version": Row(metadata="Name: third-party\n", **failed("METADATA: it has no Version")),
    "METADATA with a blank first line": Row(metadata="\n" + METADATA, **failed("METADATA: it has no Name")),
    "a Version that is none": Row(
        metadata="Name: third-party\nVersion: banana\n",
        **failed("METADATA: expected a Version such as 1.0, got 'banana'"),
    ),
    "the Name of another distribution": Row(
        metadata=named("fourth-party"),
        **failed(
            "METADATA: its Name is 'fourth-party', unlike that of its folder, as an interrupted installation leaves it"
        ),
    ),
    "the Name of an installed distribution": Row(metadata=named("gridworld-core")),
    "METADATA with a byte order mark": Row(metadata="\ufeff" + METADATA, listed=(LOADED,)),
    "a Name in another spelling": Row(metadata=named("Third.Party"), listed=(LOADED,)),
    "a folder without version": Row(folder="third_party.dist-info", listed=(LOADED,)),
    "a folder with a hyphen in the name": Row(folder="third-party-1.0.dist-info", listed=(LOADED,)),
    "a folder left by an interrupted pip": Row(
        folder="~hird_party-1.0.dist-info",
        **failed(
            "METADATA: its Name is 'third-party', unlike that of its folder, as an interrupted installation leaves it",
            "~hird-party",
        ),
    ),
    "a folder without a name": Row(
        folder=".dist-info", metadata="", **failed("METADATA: it has no Name", "-dist-info", "unknown")
    ),
    "entry points in Latin-1": Row(LATIN, **failed("entry_points.txt: not UTF-8 text: byte 11")),
    "entry points in UTF-16": Row(OURS.encode("utf-16"), **failed("entry_points.txt: not UTF-8 text: byte 0")),
    "entry points that are a folder": Row(None, **failed("entry_points.txt: it is a folder, expected a regular file")),
    "entry points with a byte order mark": Row("\ufeff" + OURS, listed=(LOADED,)),
    "entry points before a group": Row("models = third_models\n"),
    "empty entry points": Row(""),
    "an open bracket": Row(
        "[gridworld\nmodels = third_models\n", **failed("entry_points.txt: expected [GROUP], got '[gridworld'")
    ),
    "a line without =": Row(
        f"{OURS}third_models\n",
        listed=(
            LOADED,
            ("third-party", "1.0", "third_models", "failed", f"entry_points.txt: {EXPECTED} 'third_models'"),
        ),
    ),
    "a line without a name": Row(
        "[gridworld]\n= third_models\n", **failed(f"entry_points.txt: {EXPECTED} '= third_models'")
    ),
    "a line without a value": Row(
        "[gridworld]\nmodels =\n", **failed(f"entry_points.txt: {EXPECTED} 'models ='", entry="models")
    ),
    "a value that names no module": Row(
        "[gridworld]\nmodels = not a module!\n",
        **failed(f"entry_points.txt: {EXPECTED} 'models = not a module!'", entry="models"),
    ),
    "a name that is given twice": Row(
        f"{OURS}models = other_models\n",
        listed=(
            LOADED,
            ("third-party", "1.0", "models", "failed", "entry_points.txt: 'models' is already 'third_models'"),
        ),
    ),
    "a line that is repeated": Row(OURS + OURS, listed=(LOADED,)),
    "comments": Row(f"# ours\n; as well\n{OURS}\n# the end\n", listed=(LOADED,)),
    "extras": Row("[gridworld]\nmodels = third_models [all]\n", listed=(LOADED,)),
    "another group that is broken": Row(f"[console_scripts]\nno command\n{OURS}", listed=(LOADED,)),
    "a missing module": Row(
        "[gridworld]\nmodels = third_missing\n",
        **failed("ModuleNotFoundError: No module named 'third_missing'", entry="models"),
    ),
    "a relative module": Row(
        "[gridworld]\nmodels = .third_models\n",
        **failed(
            "TypeError: the 'package' argument is required to perform a relative import for '.third_models'",
            entry="models",
        ),
    ),
    "a missing object": Row(
        "[gridworld]\nmodels = third_models:missing\n",
        **failed("AttributeError: module 'third_models' has no attribute 'missing'", entry="models"),
    ),
    "a module that exits": Row(
        "[gridworld]\nmodels = third_exits\n",
        more={"third_exits.py": "raise SystemExit('no licence')"},
        **failed("SystemExit: no licence", entry="models"),
    ),
    "RECORD in Latin-1": Row(more={f"{FOLDER}/RECORD": LATIN}, listed=(LOADED,)),
    "an egg": Row(
        folder="third_party.egg-info",
        left_out=("METADATA",),
        more={"third_party.egg-info/PKG-INFO": METADATA},
        listed=(LOADED,),
    ),
    "an egg for another version": Row(
        folder="third_party.egg-info",
        left_out=("METADATA",),
        more={
            "third_party.egg-info/PKG-INFO": METADATA,
            "third_party.egg-info/requires.txt": "gridworld-core>=99\n\n[all]\nattrs\n",
        },
        **failed(f"it needs gridworld-core>=99, but {version('gridworld-core')} is installed", entry="models"),
    ),
    "an egg whose requirements are in Latin-1": Row(
        folder="third_party.egg-info",
        left_out=("METADATA",),
        more={
            "third_party.egg-info/PKG-INFO": METADATA,
            "third_party.egg-info/requires.txt": LATIN,
        },
        **failed("requires.txt: not UTF-8 text: byte 11", release="unknown"),
    ),
    "an egg that is a file": Row(left_out=("METADATA", "entry_points.txt"), more={"third_party-1.0.egg-info": LATIN}),
    "a stranger's METADATA in Latin-1": Row(STRANGERS, LATIN),
    "a stranger without METADATA": Row(STRANGERS, left_out=("METADATA",)),
    "a stranger without a name": Row(STRANGERS, "", ".dist-info"),
    "a stranger's line without =": Row(f"{STRANGERS}no command\n"),
    "a stranger's folder that is empty": Row(left_out=("METADATA", "entry_points.txt"), more={FOLDER: None}),
    "a stranger's folder that is a file": Row(left_out=("METADATA", "entry_points.txt"), more={FOLDER: LATIN}),
    "a distribution of the toolkit": Row(
        metadata=LATIN,
        folder="gridworld_generators-0.1.0.dist-info",
        **failed("METADATA: not UTF-8 text: byte 11", "gridworld-generators", "0.1.0"),
    ),
}


def write(folder: Path, row: Row) -> None:
    """Install the distribution of a row and one that is sane."""
    write_distribution(folder, "sane", "1.0", {"models": "sane_models"}, {"sane_models.py": models_module("sound")})
    files = {"third_models.py": models_module("third"), **row.more}
    own = {"entry_points.txt": row.entry_points, "METADATA": row.metadata}
    files |= {f"{row.folder}/{name}": content for name, content in own.items() if name not in row.left_out}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)


def records_of(listed: Any, *distributions: str) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            *(each[name] for name in ("distribution", "version", "entry_point", "status")),
            each["failure"]["error"] if each["failure"] else "",
        )
        for each in listed["plugins"]
        if each["distribution"] in distributions
    ]


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_broken_distribution_is_listed_with_the_reason_and_disturbs_no_other(tmp_path: Path, row: Row) -> None:
    write(tmp_path, row)

    listed = json_of(run("multinet", "plugins", "list", "--json", path=[tmp_path]))

    theirs = {"third-party", "fourth-party", "~hird-party", "-dist-info", *(each[0] for each in row.listed)}
    assert records_of(listed, *theirs) == list(row.listed)
    assert records_of(listed, "sane") == [("sane", "1.0", "models", "loaded", "")]
    assert records_of(listed, "gridworld-core")[0][3] == "loaded"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sane plugin, a plugin without readable metadata, and a stranger without readable entry points."""
    folder = tmp_path_factory.mktemp("broken")
    write(folder, ROWS["METADATA in Latin-1"])
    stranger = folder / "stranger-2.0.dist-info"
    stranger.mkdir()
    (stranger / "entry_points.txt").write_bytes(LATIN)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("multinet", "--help"),
        ("multinet", "plugins", "show", "stranger"),
        ("multinet", "plugins", "list", "--disable-plugin", "stranger"),
        ("multinet", "models", "list"),
        ("multinet-run-eval", "-m", "random", "-b", "validation_10/v01_empty_room"),
    ],
    ids=" ".join,
)
def test_broken_distributions_end_no_command(broken: Path, command: tuple[str, ...]) -> None:
    output_of(programs.run(*command, path=[broken]))


def test_a_broken_distribution_is_shown_with_its_file_and_folder(broken: Path) -> None:
    shown = output_of(run("multinet", "plugins", "list", path=[broken]))

    folder = broken / "stranger-2.0.dist-info"
    assert shown[shown.index("failed: stranger") :].splitlines()[:6] == [
        "failed: stranger 2.0",
        "  phase: discovery",
        "  error: entry_points.txt: not UTF-8 text: byte 11",
        f"  at: {folder / 'entry_points.txt'}",
        "  to disable it: --disable-plugin stranger",
        f"  to remove it:  pip uninstall stranger, or delete {folder}",
    ]


def test_a_broken_distribution_fails_its_check(broken: Path) -> None:
    checked = json.loads(run("multinet", "plugins", "check", "stranger", "--json", path=[broken]).stdout)
    assert [(each["name"], each["verdict"]) for each in checked] == [("stranger", "failed")]


def test_a_broken_distribution_can_be_disabled(broken: Path) -> None:
    options = ("--disable-plugin", "Third.Party", "--disable-plugin", "stranger", "--strict-plugins")
    listed = json_of(run("multinet", "plugins", "list", "--json", *options, path=[broken]))

    assert [each[3] for each in records_of(listed, "third-party", "stranger")] == ["disabled", "disabled"]


def test_strict_loading_refuses_a_broken_distribution(broken: Path) -> None:
    refused = run("multinet", "plugins", "list", "--strict-plugins", path=[broken])
    assert_refused(refused, "plugin stranger failed in phase 'discovery': entry_points.txt: not UTF-8", exit_code=1)


def test_a_requirement_on_a_distribution_of_the_toolkit_without_a_valid_version_is_not_met(tmp_path: Path) -> None:
    broken = tmp_path / "gridworld_generators-0.x.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Name: gridworld-generators\nVersion: 0.x\n")
    (broken / "entry_points.txt").write_text(OURS)
    needing = {"needing_models.py": models_module("third")}
    write_distribution(tmp_path, "needing", "1.0", {"models": "needing_models"}, needing, ["gridworld-generators>=0.1"])

    listed = json_of(run("multinet", "plugins", "list", "--json", path=[tmp_path]))

    error = "it needs gridworld-generators>=0.1, which is not installed"
    assert records_of(listed, "needing") == [("needing", "1.0", "models", "failed", error)]


def test_anything_may_be_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    write(folder, Row())
    archive = tmp_path / "plugins.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in filter(Path.is_file, folder.rglob("*")):
            file.write(path, path.relative_to(folder))
    (tmp_path / "broken.zip").write_bytes(archive.read_bytes()[:-30])
    (tmp_path / "text").write_text("no folder")
    entries = [None, b"bytes", tmp_path, *(str(tmp_path / name) for name in ("missing", "broken.zip", "text"))]
    monkeypatch.setattr("sys.path", [*entries, *sys.path])

    listed = json_of(run("multinet", "plugins", "list", "--json", path=[archive]))

    assert records_of(listed, "third-party") == [LOADED]


def test_a_distribution_that_cannot_be_read_in_a_zip_file_is_listed(tmp_path: Path) -> None:
    archive = tmp_path / "plugins.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(f"{FOLDER}/METADATA", LATIN)
        file.writestr(f"{FOLDER}/entry_points.txt", OURS)
        file.writestr("stranger-1.0.dist-info/entry_points.txt", OURS)
    archive.write_bytes(archive.read_bytes().replace(OURS.encode(), OURS.upper().encode()))  # unlike their checksums

    listed = json_of(run("multinet", "plugins", "list", "--json", path=[archive]))

    assert [each[3] for each in records_of(listed, "third-party", "stranger")] == ["failed", "failed"]


@attrs.frozen
class Copy:
    """A copy of the distribution: its folder on the path, its version, and whether its files are as recorded."""

    release: str
    site: str = "near"
    files: str = "unrecorded"
    entries: str = "[gridworld]\nmodels = third_models\n"
    metadata: bool = True
    folder: str = "third_party-{}.dist-info"


def install_copy(place: Path, copy: Copy) -> None:
    info = place / copy.site / copy.folder.format(copy.release)
    info.mkdir(parents=True)
    if copy.entries:
        (info / "entry_points.txt").write_text(copy.entries)
    if copy.metadata:
        (info / "METADATA").write_text(f"Name: third-party\nVersion: {copy.release}\n")
    module = models_module("third")
    (info.parent / "third_models.py").write_text(module)
    size = len(module) + {"changed": 1}.get(copy.files, 0)
    gone = "gone.py,sha256=abc,7\n" if copy.files == "gone" else ""
    if copy.files != "unrecorded":
        (info / "RECORD").write_text(f"third_models.py,sha256=abc,{size}\n{gone}{info.name}/RECORD,,\n")


COPIES = {
    "the latest in one folder": ("10.0", Copy("9.0"), Copy("10.0")),
    "the one whose files are there": ("1.0", Copy("1.0", files="recorded"), Copy("2.0", files="gone")),
    "the one whose files are unchanged": ("1.0", Copy("1.0", files="recorded"), Copy("2.0", files="changed")),
    "the one with a record": ("1.0", Copy("1.0", files="recorded"), Copy("2.0")),
    "the latest if both fit": ("2.0", Copy("1.0", files="recorded"), Copy("2.0", files="recorded")),
    "the first on the path": ("1.0", Copy("2.0", site="far"), Copy("1.0")),
    "one with metadata": ("1.0", Copy("2.0", metadata=False), Copy("1.0")),
    "one with metadata that is farther": ("1.0", Copy("2.0", metadata=False, entries=""), Copy("1.0", site="far")),
    "one that offers no plugin any more": (None, Copy("1.0"), Copy("2.0", entries="")),
    "one beside an interrupted pip": ("1.0", Copy("2.0", folder="~hird_party-{}.dist-info"), Copy("1.0")),
    "one in another spelling": ("2.0", Copy("1.0", folder="Third.Party-{}.dist-info"), Copy("2.0")),
}


@pytest.mark.parametrize(("expected", "one", "other"), COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("order", [1, -1], ids=["this order", "reversed"])
def test_of_two_copies_of_a_distribution_one_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str | None, one: Copy, other: Copy, order: int
) -> None:
    for copy in (one, other):
        install_copy(tmp_path, copy)
    list_folder = os.listdir
    monkeypatch.setattr("os.listdir", lambda *folder: sorted(list_folder(*folder))[::order])

    listed = json_of(run("multinet", "plugins", "list", "--json", path=[tmp_path / "near", tmp_path / "far"]))

    wanted = [] if expected is None else [("third-party", expected, "models", "loaded", "")]
    assert records_of(listed, "third-party", "~hird-party") == wanted


def test_a_run_records_the_version_of_the_copy_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for copy in (Copy("9.0"), Copy("10.0")):
        install_copy(tmp_path, copy)
    list_folder = os.listdir
    monkeypatch.setattr("os.listdir", lambda *folder: sorted(list_folder(*folder), reverse=True))  # 9.0 comes first

    played = ("-m", "third", "-b", "validation_10/v01_empty_room", "--run-dir", tmp_path / "run")
    output_of(run("multinet-run-eval", *played, path=[tmp_path / "near"]))

    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["circumstances"]["versions"]["third-party"] == "10.0"
