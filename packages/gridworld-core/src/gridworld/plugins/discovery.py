"""Discovery of installed plugins: each distribution on the path is read on its own.

A distribution that cannot be read is found with the reason, and hides no other one. With
`importlib.metadata.entry_points`, one broken file of any distribution fails the whole call.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from email.parser import HeaderParser
from functools import partial
from importlib.metadata import DistributionFinder, EntryPoint, MetadataPathFinder, PathDistribution
from itertools import takewhile
from pathlib import Path
from typing import cast
from zipfile import BadZipFile
from zipfile import Path as ZipPath
from zlib import error as ZlibError  # noqa: N812  # it is an exception

import attrs
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from gridworld.plugins.records import PluginFailure
from gridworld.support.files import MIB, FileError, MissingFileError, exists, read_given

ENTRY_POINT_GROUP = "gridworld"
"""Entry point group of plugins."""
DISCOVERY = "discovery"
"""Phase of failures to read a distribution's metadata."""
UNKNOWN = "unknown"
"""Version reported for a distribution without a readable one."""
FOLDER = re.compile(r"(.+?)(?:-(\d[^-]*).*)?")
"""Name and version in the name of a metadata folder without its suffix."""
OBJECT = re.compile(r"[\w.]+\s*(:\s*[\w.]+\s*)?(\[.*\])?")
"""Value of an entry point: a module, or an object in it; then extras, which have no meaning."""
LOWEST = Version("0.dev0")


@attrs.frozen
class Found:
    """A discovered plugin: an entry point with its distribution's metadata, or a file."""

    distribution: str
    version: str
    name: str
    """Name of the entry point; empty if the entry points cannot be read."""
    value: str
    load: Callable[[], object]
    requires: tuple[str, ...] = ()
    file: str = ""
    failure: PluginFailure | None = None
    """Why it cannot be loaded, if that is known without trying."""

    @property
    def qualified_name(self) -> str:
        """``distribution/entry point``, or the distribution alone."""
        return f"{self.distribution}/{self.name}" if self.name else self.distribution


def installed_version(name: str) -> str:
    """Return the version of a distribution; `UNKNOWN` if it is not installed, or its metadata cannot be read."""
    try:
        found = next(iter(_distributions(name=name)), None)
        return (found and found.version) or UNKNOWN  # None or KeyError if its metadata have none
    except (KeyError, ValueError):  # ValueError of an empty name, or of metadata that are not UTF-8
        return UNKNOWN


def _distributions(**context: str) -> Iterable[PathDistribution]:
    path = [entry for entry in dict.fromkeys(sys.path) if isinstance(entry, str)]  # imports ignore others, too
    return MetadataPathFinder.find_distributions(DistributionFinder.Context(path=path, **context))


def find_plugins() -> list[Found]:
    """Find the installed plugins and the distributions that cannot be read, by distribution and entry point."""
    installed: dict[str, list[_Installed]] = {}
    for distribution in _distributions():
        each = _Installed.at(cast("Path | ZipPath", distribution._path))  # which no public attribute has
        installed.setdefault(each.name, []).append(each)
    found: list[Found] = []
    for same in installed.values():
        if any(each.may_be_plugin for each in same) and (current := _current(same)).may_be_plugin:
            found += _plugins_of(current, installed)
    return sorted(found, key=lambda each: (each.distribution, each.name))


@attrs.frozen
class _Entry:
    """An entry point of the group, or the problem of its line."""

    name: str
    value: str
    problem: FileError | None = None

    def load(self) -> object:
        """Import the module or the object in it."""
        return EntryPoint(self.name, self.value, ENTRY_POINT_GROUP).load()


@attrs.frozen
class _Installed:
    """A metadata folder on the path."""

    path: Path | ZipPath
    label: str
    """Name of the folder without its suffix."""
    name: str
    """Normalized name of the distribution, according to the folder's name."""
    entries: tuple[_Entry, ...] = ()
    problem: FileError | None = None
    """Why its entry points are unknown."""

    @classmethod
    def at(cls, path: Path | ZipPath) -> _Installed:
        """Read the entry points of a distribution."""
        named = cast("Path", path.parent if path.name.lower() == "egg-info" else path)
        label = named.name.rpartition(".")[0]
        match = FOLDER.fullmatch(label)
        made = partial(cls, path, label, canonicalize_name(match[1] if match else path.name))
        try:
            return made(entries=tuple(_read_entries(path / "entry_points.txt")))
        except MissingFileError:
            return made()
        except FileError as error:
            return made(problem=error)

    @property
    def version(self) -> Version | None:
        """Version, according to the folder's name."""
        match = FOLDER.fullmatch(self.label)
        return _version(match[2] or "") if match else None

    @property
    def may_be_plugin(self) -> bool:
        """Whether it has entry points of the group, or unknown ones."""
        return bool(self.entries) or self.problem is not None

    @property
    def metadata_file(self) -> Path | ZipPath:
        """Its ``METADATA`` or, in an egg, ``PKG-INFO``; the path of the former if there is neither."""
        named = [self.path / name for name in ("METADATA", "PKG-INFO")]
        return next(filter(_exists, named), named[0])


def _exists(path: Path | ZipPath) -> bool:
    return exists(str(path)) if isinstance(path, Path) else path.exists()


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _read_text(path: Path | ZipPath) -> str:
    """Read a file of metadata.

    Raises:
        MissingFileError: the file does not exist.
        FileError: it is not a file, not UTF-8, or cannot be read.
    """
    try:
        content = read_given(path, 16 * MIB) if isinstance(path, Path) else path.read_bytes()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(str(path), f"not UTF-8 text: byte {error.start}") from error
    except FileNotFoundError as error:
        raise MissingFileError(str(path), "there is no such file") from error
    except (OSError, BadZipFile, ZlibError, RuntimeError) as error:  # of zip files
        raise FileError(str(path), f"it cannot be read: {error}") from error


def _read_entries(path: Path | ZipPath) -> Iterator[_Entry]:
    """Read the entry points of the group; raises `FileError` if the group cannot be told from others."""
    section, values = "", dict[str, str]()
    for number, line in enumerate(map(str.strip, _read_text(path).splitlines()), start=1):
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            if line[-1] != "]":
                raise FileError(str(path), f"expected [GROUP], got {line!r}", number)
            section = line.strip("[]")
        elif section == ENTRY_POINT_GROUP:
            name, _, value = (part.strip() for part in line.partition("="))
            problem = None
            if not name or not OBJECT.fullmatch(value):
                problem = f"expected NAME = MODULE or NAME = MODULE:OBJECT, got {line!r}"
            elif values.setdefault(name, value) != value:
                problem = f"'{name}' is already {values[name]!r}"
            yield _Entry(name, value, FileError(str(path), problem, number) if problem else None)


def _current(same: list[_Installed]) -> _Installed:
    """Choose the distribution that counts among those of one name.

    The first one on the path counts, as in imports; a folder without metadata does not count. Of several in one folder,
    all but one are left over: the one whose files are there, as its ``RECORD`` says, counts, then the latest version.
    """
    if len(same) == 1:
        return same[0]
    whole = [each for each in same if _exists(each.metadata_file)] or same
    rivals = [each for each in whole if str(each.path.parent) == str(whole[0].path.parent)]
    if len(rivals) == 1:
        return rivals[0]
    rivals.sort(key=lambda each: str(each.path))
    return max(rivals, key=lambda each: (-_count_missing(each.path), each.version or LOWEST))


def _count_missing(path: Path | ZipPath) -> int:
    """Count the recorded files that do not exist with the recorded size; 1 if there is no record."""
    try:
        rows = list(csv.reader(_read_text(path / "RECORD").splitlines()))
    except (FileError, csv.Error):
        return 1
    folder = cast("Path | ZipPath", path.parent)
    return sum(not _is_there(folder, *row) for row in rows if row and not row[0].endswith(".pyc"))


def _is_there(folder: Path | ZipPath, name: str, _hash: str = "", size: str = "", *_: str) -> bool:
    file = folder / name
    if not _exists(file):
        return False
    return not size or not isinstance(file, Path) or size == str(file.stat().st_size)


def _plugins_of(installed: _Installed, others: Mapping[str, object]) -> list[Found]:
    """Return the plugins of a distribution, or one without an entry point and with the reason if it cannot be read."""
    try:
        if installed.problem is not None:
            raise installed.problem
        name, version, requires = _read_metadata(installed)
        if name != installed.name and name in others:
            return []  # such as ~ame-1.0.dist-info, left over by an interrupted pip
        if not f"{canonicalize_name(installed.label)}-".startswith(f"{name}-"):
            problem = f"its Name is '{name}', unlike that of its folder, as an interrupted installation leaves it"
            raise FileError(str(installed.metadata_file), problem)
    except FileError as error:
        return [_found(_Entry("", "", error), installed.name, str(installed.version or UNKNOWN), ())]
    return [_found(entry, name, version, requires) for entry in dict.fromkeys(installed.entries)]


def _found(entry: _Entry, distribution: str, version: str, requires: tuple[str, ...]) -> Found:
    failure = None
    if (error := entry.problem) is not None:
        line = "" if error.line is None else f":{error.line}"
        failure = PluginFailure(DISCOVERY, f"{error.path.name}: {error.problem}", f"{error.path}{line}")
    return Found(distribution, version, entry.name, entry.value, entry.load, requires, failure=failure)


def _read_metadata(installed: _Installed) -> tuple[str, str, tuple[str, ...]]:
    """Return the normalized name, the version and the requirements of a distribution; raises `FileError`."""
    file = installed.metadata_file
    headers = HeaderParser().parsestr(_read_text(file))
    for name in ("Name", "Version"):
        if not headers.get(name, "").strip():
            raise FileError(str(file), f"it has no {name}")
    version = headers["Version"].strip()
    if _version(version) is None:
        raise FileError(str(file), f"expected a Version such as 1.0, got {version!r}")
    requires = headers.get_all("Requires-Dist") or _egg_requirements(installed.path)
    return canonicalize_name(headers["Name"].strip()), version, tuple(requires)


def _egg_requirements(path: Path | ZipPath) -> list[str]:
    """Read the unconditional requirements of an egg."""
    try:
        lines = _read_text(path / "requires.txt").splitlines()
    except MissingFileError:
        return []
    return [line for line in takewhile(lambda line: line[:1] != "[", lines) if line]
