"""The public modules and names: those that docs/stability.md lists, those that are kept, and what uses others."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path

from code_blocks import blocks_of
from imports import imported_names

__all__ = [
    "changes",
    "documented_modules",
    "keep_names",
    "kept_names",
    "names_of",
    "private_imports",
    "shown_sources",
    "undocumented",
]

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "contract" / "public_names.json"
ROW = re.compile(r"^\| `([\w.]+)` \|", re.MULTILINE)
TOOLKIT = re.compile(r"(gridworld|gridworld_(minigrid|multigrid|generators)|multinet_(adapters|eval|report))(\.|$)")
SCAFFOLDS = ROOT / "packages" / "multinet-eval" / "src" / "multinet_eval" / "scaffolds"


def documented_modules(page: str) -> list[str]:
    """The modules in the table of a page."""
    return ROW.findall(page)


def names_of(modules: Iterable[str]) -> dict[str, list[str]]:
    """Module to its names, sorted; each is imported."""
    found = {module: sorted(import_module(module).__all__) for module in modules}
    for module, names in found.items():
        for name in names:
            getattr(import_module(module), name)
    return found


def kept_names() -> dict[str, list[str]]:
    """Module to its names, as they are committed."""
    kept: dict[str, list[str]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


def keep_names() -> None:
    """Write the list anew: the names of the modules in docs/stability.md."""
    names = names_of(documented_modules((ROOT / "docs" / "stability.md").read_text(encoding="utf-8")))
    KEPT.write_text(json.dumps(names, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def changes(kept: Mapping[str, Iterable[str]], present: Mapping[str, Iterable[str]]) -> list[str]:
    """Differences of two lists of names, a line for each name that is gone, new, or in another module."""
    before, now = ({(name, module) for module, names in each.items() for name in names} for each in (kept, present))
    gone, new = sorted(before - now), sorted(now - before)
    targets = dict(new)
    moved = {name for name, _ in gone if name in targets}
    return [
        *(f"moved: {module}.{name} to {targets[name]}" for name, module in gone if name in moved),
        *(f"gone: {module}.{name}" for name, module in gone if name not in moved),
        *(f"new: {module}.{name}" for name, module in new if name not in moved),
    ]


def undocumented(module: str) -> list[str]:
    """Public classes and functions of a module that have no docstring."""
    offered = import_module(module)
    named = ((name, getattr(offered, name)) for name in offered.__all__)
    return [name for name, value in named if (isclass(value) or isroutine(value)) and not value.__doc__]


def shown_sources() -> Iterator[tuple[str, str]]:
    """(place, source) of all Python that readers see: blocks of pages, examples, notebooks and templates."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("packages/*/README.md")]
    for page in sorted({*pages, *ROOT.glob("examples/*/README.md")}):
        blocks = (block for block in blocks_of(page) if block.language == "python" and "--8<--" not in block.text)
        yield from ((f"{page.relative_to(ROOT)}:{block.line}", block.text) for block in blocks)
    for path in sorted((ROOT / "examples").rglob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples").rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        yield str(path.relative_to(ROOT)), "\n".join(code)
    for path in sorted(SCAFFOLDS.rglob("*.py.template")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8").replace("$", "")


def private_imports(source: str, public: Mapping[str, Iterable[str]]) -> list[str]:
    """Names of the toolkit that a source uses and that are not public: imports, and attributes of what it imports.

    Args:
        source: Python.
        public: module to its names.
    """
    imported = [(module, name) for module, name in imported_names(source) if TOOLKIT.match(module)]
    whole = {module for module, name in imported if not name}
    tree = list(ast.walk(ast.parse(source)))
    used = [(ast.unparse(node.value), node.attr) for node in tree if isinstance(node, ast.Attribute)]
    plugins = [
        (node.value, "")
        for node in tree
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"[\w.]+pytest_plugin", node.value)
    ]
    asked = [*imported, *((module, name) for module, name in used if module in whole), *plugins]
    return sorted(
        ".".join(filter(None, (module, name)))
        for module, name in set(asked)
        if not (module in public and name in ("", *public[module])) and f"{module}.{name}" not in public
    )
