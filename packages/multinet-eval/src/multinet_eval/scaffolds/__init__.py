"""Templates of new plugin distributions: complete, minimal, and with passing tests.

The templates are the files next to this module: ``common`` has the files for every distribution, and the folder of each
kind has its own. They are texts with ``$name`` fields, named like the files they become, except for the suffix
``.template``, ``dot_`` instead of a leading dot, and ``package`` instead of the import package. Test modules are named
after the package, so that tests of several distributions can run together.
"""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

import attrs

from gridworld._version import __version__ as core_version
from gridworld.errors import ArgumentError
from gridworld.plugins.known_plugins import TOOLKIT
from gridworld.runner.presentation import IMAGE, NONE
from gridworld.support.wording import nearest_hint
from multinet_eval.record.fingerprint import UNKNOWN, version_of
from multinet_eval.settings.defaults import ALL_TILINGS
from multinet_eval.support.output import writing_to

__all__ = ["SCAFFOLDS", "Names", "Scaffold", "find_scaffold", "write_scaffold"]

TEMPLATES = Path(__file__).parent
SUFFIX = ".template"
VALID_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
"""Valid names of distributions."""


def _from_this_version(distribution: str) -> str:
    """Return the requirement on a distribution of the toolkit: from the installed minor to the next major version."""
    major, minor = core_version.split(".")[:2]
    return f"{distribution}>={major}.{minor},<{int(major) + 1}"


@attrs.frozen
class Scaffold:
    """A kind of distribution to create, with what its templates do not contain."""

    name: str
    """Name on the command line."""
    provides: str
    """Kind of object that the distribution provides, as in catalogs."""
    words: str
    """Phrase for the distribution's description."""
    try_out: str
    """A command that uses the provided object, with ``{name}`` for its name."""
    requires: tuple[str, ...] = ()
    """Requirements besides the core."""
    class_suffix: str = ""
    """Suffix of the provided class's name."""
    before: tuple[str, ...] = ()
    """Commands to run before `try_out`."""
    identifier: bool = False
    """Whether the provided object needs an identifier as its name, since task files contain it.

    True for mechanisms and goal types, whose descriptors have their own modules; others are in the package.
    """


RUN = "multinet-run-eval --model"
RECORDED = f"{RUN} random --run-dir run"
"""Command that makes the run on which some kinds are tried out."""
SHOW = "multinet plugins show {name}"

SCAFFOLDS: dict[str, Scaffold] = {
    scaffold.name: scaffold
    for scaffold in (
        Scaffold("adapter", "model", "The model", f"{RUN} {{name}} --benchmark validation_10", class_suffix="Adapter"),
        Scaffold("mechanism", "mechanism", "The mechanism", SHOW, identifier=True),
        Scaffold("goal", "goal", "The goal type", SHOW, identifier=True),
        Scaffold(
            "tiling",
            "tiling",
            "The tiling",
            f"{RUN} optimal --tiling {{name}}",
            (_from_this_version("gridworld-multigrid"),),
        ),
        Scaffold(
            "backend",
            "backend",
            "The backend",
            f"{RUN} random --backend {{name}}",
            ("numpy>=1.26",),
            class_suffix="Backend",
        ),
        Scaffold("benchmark", "benchmark", "The task suite", f"{RUN} optimal --benchmark {{name}}"),
        Scaffold("observation", "observation", "The format of observations", f"{RUN} random --observation {{name}}"),
        Scaffold(
            "observer",
            "observer",
            "The observer",
            f"{RUN} random --observer {{name}}",
            (_from_this_version("multinet-eval"),),
            class_suffix="Observer",
        ),
        Scaffold(
            "metric",
            "metric",
            "The metric",
            "multinet runs rescore run --metric {name}",
            (_from_this_version("multinet-eval"),),
            before=(RECORDED,),
        ),
        Scaffold(
            "protocol",
            "protocol",
            "The protocol",
            f"{RUN} optimal --protocol {{name}}",
            (_from_this_version("multinet-eval"),),
            class_suffix="Protocol",
        ),
        Scaffold("generator", "generator", "The generator", SHOW, ("attrs>=23.2",), class_suffix="Generator"),
        Scaffold("importer", "importer", "The importer", SHOW, class_suffix="Importer"),
        Scaffold("probe", "probe", "The probe", SHOW, (_from_this_version("multinet-eval"),), class_suffix="Probe"),
    )
}
"""Scaffolds by name, each with a folder of templates."""


ALIASES = {"model": "adapter", "suite": "benchmark"}
"""Alternative names of scaffolds, taken from the provided object."""


def find_scaffold(name: str) -> Scaffold:
    """Find a scaffold by name, or by the object it provides: ``model`` is ``adapter``, ``suite`` is ``benchmark``.

    Raises:
        ArgumentError: no scaffold has this name.
    """
    name = ALIASES.get(name, name)
    if name not in SCAFFOLDS:
        known = (*SCAFFOLDS, *ALIASES)
        raise ArgumentError(f"unknown kind of plugin '{name}'{nearest_hint(name, known)}; expected {', '.join(known)}")
    return SCAFFOLDS[name]


@attrs.frozen
class Names:
    """Names of a new distribution, its import package and its plugin."""

    distribution: str
    package: str
    name: str
    """Name of the provided object."""
    class_name: str
    noun: str

    @classmethod
    def of(cls, scaffold: Scaffold, name: str) -> Names:
        """Derive all names from one.

        Raises:
            ArgumentError: the name is not a valid distribution name, is taken, gives no usable import package, or has
                another meaning in options that name such plugins.
        """
        if not VALID_NAME.fullmatch(name):
            raise ArgumentError(f"'{name}' cannot name a distribution; {EXPECTED}")
        if name in TOOLKIT or version_of(name) != UNKNOWN:
            raise ArgumentError(f"a distribution '{name}' already exists; choose another name")
        if name in MEANT_OTHERWISE.get(scaffold.provides, ()):
            raise ArgumentError(f"'--{scaffold.provides} {name}' is already in use; choose another name")
        words = re.split(r"[-_.]+", name)
        package = "_".join(words).lower()
        _check_package(package)
        return cls(
            distribution=name,
            package=package,
            name=package if scaffold.identifier else name,
            class_name="".join(word[0].upper() + word[1:] for word in words).removesuffix(scaffold.class_suffix)
            + scaffold.class_suffix,
            noun=" ".join(words).lower(),
        )


MEANT_OTHERWISE = {"observation": (IMAGE, NONE), "tiling": (ALL_TILINGS,)}
"""Words with a special meaning in options that name plugins of a kind."""
EXPECTED = "expected letters of the English alphabet, digits, and -, _ or . between them, such as 'my-plugin'"


def _check_package(package: str) -> None:
    if not package.isidentifier() or keyword.iskeyword(package):
        raise ArgumentError(f"its import package would be '{package}', which Python cannot import; {EXPECTED}")
    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        raise ArgumentError(f"an import package '{package}' already exists in {spec.origin}; choose another name")


def write_scaffold(scaffold: Scaffold, names: Names, parent: Path) -> Path:
    """Write a new distribution into a new folder, atomically.

    Args:
        scaffold: the kind of distribution.
        names: its names.
        parent: parent of the folder, which is named like the distribution.

    Returns:
        The folder.

    Raises:
        ArgumentError: the folder exists, or `parent` does not.
        GridworldError: the distribution cannot be written.
    """
    target = parent / names.distribution
    if os.path.lexists(target):  # not so for a name that is too long
        raise ArgumentError(f"{target} exists already; choose another name, or another folder with -o")
    if not parent.is_dir():
        raise ArgumentError(f"the folder {parent} does not exist")
    with writing_to(target), TemporaryDirectory(prefix=f".{names.distribution}.", dir=parent) as temporary:
        written = Path(temporary) / names.distribution
        for path, text in _files(scaffold, names):
            (written / path).parent.mkdir(parents=True, exist_ok=True)
            (written / path).write_text(text, encoding="utf-8")
        written.rename(target)
    return target


def _files(scaffold: Scaffold, names: Names) -> Iterator[tuple[Path, str]]:
    """Yield the relative paths and texts of a distribution's files."""
    fields = _fields(scaffold, names)
    for folder in (TEMPLATES / "common", TEMPLATES / scaffold.name):
        for path in sorted(folder.rglob(f"*{SUFFIX}")):
            text = Template(path.read_text(encoding="utf-8")).substitute(fields)
            yield _target(path.relative_to(folder), names.package), text


def _fields(scaffold: Scaffold, names: Names) -> dict[str, str]:
    requires = sorted((_from_this_version("gridworld-core"), *scaffold.requires))
    module = f"{names.package}.{scaffold.name}" if scaffold.identifier else names.package
    return {
        "distribution": names.distribution,
        "package": names.package,
        "name": names.name,
        "entry_point": f"{module}:{scaffold.provides.upper()}",
        "class_name": names.class_name,
        "noun": names.noun,
        "description": f"{scaffold.words} {names.name}",
        "dependencies": ", ".join(f'"{requirement}"' for requirement in requires),
    }


def _target(path: Path, package: str) -> Path:
    """Return the path of a template's text in the distribution."""
    parts = (re.sub("^dot_", ".", part.removesuffix(SUFFIX)) for part in path.parts)
    return Path(*(part.replace("package", package) for part in parts))
