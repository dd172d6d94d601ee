"""The pages on the architecture, and on where things are decided, name existing places."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
EVAL = REPOSITORY / "packages" / "multinet-eval" / "src" / "multinet_eval"
ROOTS = (EVAL, *(REPOSITORY / "packages").glob("*/src"), REPOSITORY)
PAGE = (REPOSITORY / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
DECISIONS = (REPOSITORY / "docs" / "reference" / "decisions.md").read_text(encoding="utf-8")
PROSE = re.sub(r"^```.*?^```", "", PAGE + DECISIONS, flags=re.DOTALL | re.MULTILINE)
SPANS = re.findall(r"`([^`\n]+)`", PROSE)
PLACES = sorted({span for span in SPANS if re.fullmatch(r"[\w/.-]+/|[\w/.-]+\.(?:py|md)(?::[\w.]+)?", span)})
"""Folders, files and ``FILE:Name``."""


def find(path: str) -> Path | None:
    return next((root / path for root in ROOTS if (root / path).exists()), None)


@cache
def names_in(path: Path) -> frozenset[str]:
    """Names that a module defines, with ``Class.name`` for members of its classes."""
    names = set[str]()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names |= defined_by(node)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{name}" for each in node.body for name in defined_by(each)}
    return frozenset(names)


def defined_by(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


@pytest.mark.parametrize("place", [each for each in PLACES if each != "src/"])
def test_a_place_on_the_page_exists(place: str) -> None:
    file, _, name = place.partition(":")
    path = find(file)
    assert path is not None
    assert not name or name in names_in(path)


def test_the_rooms_on_the_page_and_in_its_drawing_are_the_folders_of_the_package() -> None:
    section = PAGE.split("## Rooms of `multinet_eval`")[1].split("\n## ")[0]
    listed = set(re.findall(r"^\| `(\w+)` \|", section, flags=re.MULTILINE))
    drawn = set(re.findall(r"[a-z]+", section.split("```text")[1].split("```")[0]))
    folders = {path.name for path in EVAL.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert listed == folders
    assert drawn <= folders
