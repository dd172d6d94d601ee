"""Sources and documentation: code blocks, imports, public names, and benchmark scripts as modules."""

import ast
import importlib.util
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import attrs

from support.commands import multinet, run_eval

FENCE = re.compile(r'^```(?P<language>\w*)(?: title="(?P<title>[^"]*)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
TEMPLATE = re.compile(r"^\[`\w+\.py`\]\([./]+/(?P<path>packages/[\w/.-]+/templates/\w+\.py)\)$", re.MULTILINE)
"""A link on a line of its own, which the site replaces by the plugin with which a page begins."""
INCLUDED = "--8<--"
NOT_RUN = "needs"
"""Beginning of the title of a block, or of the comment after a command, that cannot be run here."""

PROGRAMS = ("multinet", "multinet-run-eval", "run_eval.py")
LEFT_OUT = "..."
RUN_ELSEWHERE = ("multinet tasks list",)
"""Slow commands, which only their own tests run."""


@attrs.frozen
class Block:
    """A code block of a page."""

    language: str
    title: str
    text: str
    line: int
    """Line number of its text, from 1."""
    follows: bool
    """Whether it follows another block without prose between."""

    @property
    def is_run(self) -> bool:
        """Whether to run it here; included code of examples is run elsewhere."""
        return not self.title.startswith(NOT_RUN) and INCLUDED not in self.text


def blocks_of(page: Path) -> Iterator[Block]:
    """The unindented code blocks of a page."""
    text, end = page.read_text(encoding="utf-8"), 0
    for found in TEMPLATE.finditer(text):
        yield Block("python", "", (ROOT / found["path"]).read_text(encoding="utf-8"), 1, follows=False)
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("text")) + 1
        follows = end > 0 and not text[end : found.start()].strip()
        yield Block(found["language"], found["title"] or "", found["text"], line, follows)
        end = found.end()


def headings_of(page: Path) -> list[str]:
    """The headings of a page, without ``#``."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    return [line.lstrip("#").strip() for line in prose.splitlines() if line.startswith("#")]


class Reader:
    """Follows a page from top to bottom, as a reader would.

    Args:
        page: Markdown file.
        folder: the current folder, for files.
        leave_out: commands to skip.
    """

    def __init__(self, page: Path, folder: Path, leave_out: tuple[str, ...] = ()) -> None:
        self._page = page
        self._folder = folder
        self._left_out = (*RUN_ELSEWHERE, *leave_out)
        self._names: dict[str, Any] = {"__name__": "page", "__file__": str(folder / "page.py")}
        self._printed: list[str] | None = None

    def follow(self) -> int:
        """Run the blocks, and return how many there were to run."""
        return sum(self._do(block) for block in blocks_of(self._page) if block.is_run)

    def _do(self, block: Block) -> bool:
        printed, self._printed = self._printed, None
        if block.title:
            self._write(block)
        if block.language == "python":
            self._execute(block)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "text":
            self._compare(block, printed)
        elif block.language in ("sh", ""):
            self._run_all(block)
        return block.language in ("python", "json", "sh")

    def _write(self, block: Block) -> None:
        path = self._folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def _execute(self, block: Block) -> None:
        """Run Python, with the page's line numbers in tracebacks."""
        code = compile("\n" * (block.line - 1) + block.text, str(self._page), "exec")
        exec(code, self._names)

    def _run_all(self, block: Block) -> None:
        self._printed = []
        for line in block.text.splitlines():
            command, _, comment = line.rpartition("&& ")[2].partition(" #")  # what is installed first is installed here
            if comment.strip().startswith(NOT_RUN) or LEFT_OUT in command or command.strip() in self._left_out:
                continue
            words = [word for word in shlex.split(command) if word != "python"]
            if words and (words[0] in PROGRAMS or block.language == "sh"):
                self._run(words)

    def _run(self, words: list[str]) -> None:
        assert words[0] in PROGRAMS, f"{self._page}: '{words[0]}' cannot be run; mark the block: title=\"needs ...\""
        call = multinet if words[0] == "multinet" else run_eval
        finished = call(*words[1:], GRIDWORLD_CACHE=os.environ["GRIDWORLD_CACHE"])  # as for Python blocks
        assert finished.exit_code == 0, f"{self._page}: {shlex.join(words)}\n{finished.stdout}{finished.stderr}"
        assert self._printed is not None
        self._printed += map(_squeezed, finished.stdout.splitlines())

    def _compare(self, block: Block, printed: list[str] | None) -> None:
        """Check that a text right after commands is printed by them, except for omitted lines.

        Only a terminal has rules below the headings of tables.
        """
        if printed is None or block.title or not block.follows:
            return
        shown = [_squeezed(line) for line in block.text.splitlines() if line.strip() not in ("", LEFT_OUT)]
        missing = [line for line in shown if line not in printed and line != RULE]
        assert not missing, f"{self._page}, line {block.line}: not printed: {missing}"


RULE = "─"


def _squeezed(line: str) -> str:
    """A line regardless of the terminal's width."""
    return re.sub(r"─+", RULE, " ".join(line.split()))


def imported_names(source: str) -> Iterator[tuple[str, str]]:
    """(module, name) of every import in a source; the name is empty for a whole module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import of {node.module}"
            yield from ((str(node.module), alias.name) for alias in node.names)


ROOT = Path(__file__).parents[2]
KEPT = ROOT / "tests" / "contract" / "public_names.json"
ROW = re.compile(r"^\| `([\w.]+)` \|", re.MULTILINE)
TOOLKIT = re.compile(r"(gridworld|gridworld_(minigrid|multigrid|generators)|multinet_(adapters|eval|report))(\.|$)")
TEMPLATES = ROOT / "packages" / "multinet-eval" / "src" / "multinet_eval" / "cli" / "plugins" / "templates"
"""Plugins with which the pages of their kinds begin."""


def documented_modules(page: str) -> list[str]:
    """The modules in the table of public modules."""
    return ROW.findall(page)


def names_of(modules: Iterable[str]) -> dict[str, list[str]]:
    """Sorted public names of modules, which are imported."""
    found = {module: sorted(import_module(module).__all__) for module in modules}
    for module, names in found.items():
        for name in names:
            getattr(import_module(module), name)
    return found


def kept_names() -> dict[str, list[str]]:
    """The committed public names, by module."""
    kept: dict[str, list[str]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


def keep_names() -> None:
    """Write the public names of the modules in docs/reference/stability.md."""
    names = names_of(documented_modules((ROOT / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")))
    KEPT.write_text(json.dumps(names, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def changes(kept: Mapping[str, Iterable[str]], present: Mapping[str, Iterable[str]]) -> list[str]:
    """Names that are gone, new, or moved to another module, one line each."""
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
    """Public classes and functions of a module without a docstring."""
    offered = import_module(module)
    named = ((name, getattr(offered, name)) for name in offered.__all__)
    return [name for name, value in named if (isclass(value) or isroutine(value)) and not value.__doc__]


def shown_sources() -> Iterator[tuple[str, str]]:
    """(place, source) of all Python shown to readers: code blocks, examples, notebooks and templates."""
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
    for path in sorted(TEMPLATES.glob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def private_imports(source: str, public: Mapping[str, Iterable[str]]) -> list[str]:
    """Non-public names of the toolkit that a source imports, or uses as attributes of imported modules."""
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


BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@cache
def load_benchmark(name: str) -> ModuleType:
    """A benchmark script as a module."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for attrs to resolve annotations
    with patch.object(sys, "path", [str(BENCHMARKS), *sys.path]):  # they import each other
        spec.loader.exec_module(module)
    return module
