"""``multinet plugins new``: write a plugin as a distribution of its own.

``templates`` has a file for each kind, ``KIND.py``: the plugin with which the page of the kind begins, under another
name. The distribution around it is the same for all kinds.
"""

from __future__ import annotations

import keyword
import os
import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from string import Template

import typer

from gridworld._version import __version__ as core_version
from gridworld.errors import ArgumentError
from gridworld.plugins import get_registry
from gridworld.support.wording import nearest_hint
from multinet_eval.cli.commands import command
from multinet_eval.cli.echo import echo
from multinet_eval.support.output import writing_to

TEMPLATES = Path(__file__).with_name("templates")
SHOW, RUN = "multinet plugins show $name", "multinet-run-eval --model"
TRY_OUT = {
    "model": f"{RUN} $name",
    "mechanism": SHOW,
    "goal": SHOW,
    "tiling": f"{RUN} optimal --tiling $name",
    "backend": f"{RUN} random --backend $name",
    "benchmark": f"{RUN} optimal --benchmark $name",
    "generator": SHOW,
    "importer": SHOW,
    "observation": f"{RUN} random --observation $name",
    "observer": f"{RUN} random --observer $name",
    "protocol": f"{RUN} optimal --protocol $name",
    "probe": SHOW,
    "metric": SHOW,
}
"""Kind to a command that uses the plugin."""
KINDS = ", ".join(TRY_OUT)
MAJOR, MINOR = core_version.split(".")[:2]
RELEASE = f">={MAJOR}.{MINOR},<{int(MAJOR) + 1}"
REQUIREMENTS = {
    "gridworld": f"gridworld-core{RELEASE}",
    "gridworld_polygons": f"gridworld-multigrid{RELEASE}",
    "multinet_eval": f"multinet-eval{RELEASE}",
    "numpy": "numpy>=1.26",
}
"""Package to the requirement of a distribution that imports it."""
DESCRIPTOR = re.compile(r"(?P<variable>\w+) = (?P<type>\w+)\(\s*(name=)?(?P<name>\"\w+\")")
VALID_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
EXPECTED = "expected letters of the English alphabet, digits, and -, _ or . between them, such as 'my-plugin'"


@command(plugins=False)
def new_plugin(
    kind: str = typer.Argument(..., metavar="KIND", show_default=False, help=f"What it provides: {KINDS}."),
    name: str = typer.Argument(..., metavar="NAME", help="Name of the distribution, such as my-plugin."),
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FOLDER", help="Parent folder; the current one by default."
    ),
) -> None:
    """Create a plugin: a distribution with a passing test."""
    folder, try_out = write_plugin(kind, name, output or Path())
    # Without a slash, pip takes a folder for a name.
    path = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    echo(f"wrote {folder}. Next:")
    for line in (f"pip install {path} pytest", f"pytest {path}", try_out):
        echo(f"  {line}")


def write_plugin(kind: str, distribution: str, parent: Path) -> tuple[Path, str]:
    """Write a new distribution into a new folder of its name.

    Returns:
        The folder, and a command that uses the plugin.

    Raises:
        ArgumentError: the kind is unknown, the name is taken or cannot be used, or the folder exists.
        GridworldError: the distribution cannot be written.
    """
    if kind not in TRY_OUT:
        raise ArgumentError(f"unknown kind of plugin '{kind}'{nearest_hint(kind, TRY_OUT)}; expected {KINDS}")
    package = _package_of(distribution)
    if package in get_registry().catalog(kind):
        raise ArgumentError(f"there is a {kind} '{package}' already; choose another name")
    folder = parent / distribution
    if os.path.lexists(folder):  # not so for a name that is too long
        raise ArgumentError(f"{folder} exists already; choose another name, or another folder with -o")
    if not parent.is_dir():
        raise ArgumentError(f"the folder {parent} does not exist")
    try_out = Template(TRY_OUT[kind]).substitute(name=package)
    with writing_to(folder):
        folder.mkdir()
        for path, text in _files(kind, distribution, package, try_out).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    return folder, try_out


def _package_of(distribution: str) -> str:
    """Return the import package of a distribution, whose name the plugin shares; raises ArgumentError."""
    if not VALID_NAME.fullmatch(distribution):
        raise ArgumentError(f"'{distribution}' cannot name a distribution; {EXPECTED}")
    package = re.sub(r"[-_.]+", "_", distribution).lower()
    if not package.isidentifier() or keyword.iskeyword(package):
        raise ArgumentError(f"its import package would be '{package}', which Python cannot import; {EXPECTED}")
    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        raise ArgumentError(f"an import package '{package}' already exists; choose another name")
    return package


def _files(kind: str, distribution: str, package: str, try_out: str) -> dict[str, str]:
    """Return the texts of a distribution by their paths."""
    plugin = _template(f"{kind}.py")
    descriptor = DESCRIPTOR.search(plugin)
    assert descriptor is not None
    plugin = plugin.replace(descriptor["name"], f'"{package}"')
    required = [each for name, each in REQUIREMENTS.items() if re.search(rf"^(from|import) {name}\b", plugin, re.M)]
    fields = {
        "kind": kind,
        "distribution": distribution,
        "package": package,
        "descriptor": descriptor["variable"],
        "dependencies": ", ".join(f'"{each}"' for each in required),
        "multinet_eval": REQUIREMENTS["multinet_eval"],
        "try_out": try_out,
    }
    skeleton = {
        "pyproject.toml": "pyproject.toml.template",
        "README.md": "README.md.template",
        f"tests/test_{package}.py": "test_plugin.py.template",
    }
    files = {path: Template(_template(name)).substitute(fields) for path, name in skeleton.items()}
    modules = _modules(kind, plugin, descriptor["type"])
    if kind == "benchmark":
        modules["tasks/first_door.json"] = _template("first_door.json")
    return files | {f"src/{package}/{path}": text for path, text in modules.items()}


def _modules(kind: str, plugin: str, descriptor_type: str) -> dict[str, str]:
    """Return the modules of a plugin.

    All commands import ``__init__.py``, which the entry point names: what the descriptor names by an import string goes
    into a module of its own.
    """
    if "{__name__}:" not in plugin:
        return {"__init__.py": plugin}
    target, _, descriptor = plugin.rpartition("\n\n")
    unused = rf"{descriptor_type}, |, {descriptor_type}\b|from gridworld.hookspecs import {descriptor_type}\n"
    descriptor = descriptor.replace("{__name__}:", f"{{__name__}}.{kind}:")
    return {
        "__init__.py": f"from gridworld.hookspecs import {descriptor_type}\n\n{descriptor}",
        f"{kind}.py": f"{re.sub(unused, '', target).rstrip()}\n",
    }


def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
