"""The page of each kind of plugin begins with a short, complete example, and is short without its reference."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridworld.plugins import Registry, load_registry
from gridworld.plugins.catalog import KINDS
from gridworld.testing.installed import check, find_candidates
from multinet_eval.cli.plugins.kits import FURTHER_KITS
from support.sources import TEMPLATES, blocks_of

PAGES = Path(__file__).parents[2] / "docs" / "how-to" / "plugins"
NAMES = {"benchmark": "suite"}
"""Kind to the name of its page, where that is another one."""
MOST_LINES_OF_A_PLUGIN, MOST_LINES_OF_A_PAGE = 25, 100
WITH_MORE_FILES = ("benchmark",)
"""Kinds whose plugins are more than a Python file."""
CHECKED_ELSEWHERE = ("mechanism", "goal", "backend", "tiling")
"""Kinds whose kits take long; what `multinet plugins new` writes passes them."""

on_every_page = pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.public])


def page_of(kind: str) -> Path:
    return PAGES / f"{NAMES.get(kind, kind)}.md"


def plugin_of(kind: str) -> str:
    return (TEMPLATES / f"{kind}.py").read_text(encoding="utf-8")


@pytest.fixture
def registry(kind: str, tmp_path: Path) -> Iterator[Registry]:
    """The installed plugins, and that of a page, in a file of its own."""
    file = tmp_path / f"the_{kind}_of_a_page.py"
    file.write_text(plugin_of(kind), encoding="utf-8")
    yield load_registry(files=[str(file)])
    del sys.modules[file.stem]


@on_every_page
def test_a_page_begins_with_the_template_of_few_lines(kind: str) -> None:
    assert next(blocks_of(page_of(kind))).text == plugin_of(kind)
    assert len(list(filter(str.strip, plugin_of(kind).splitlines()))) <= MOST_LINES_OF_A_PLUGIN


@on_every_page
def test_it_is_complete(kind: str, registry: Registry) -> None:
    provided = [each for record in registry.plugins if record.file for each in record.provides]
    assert [name for name, _ in provided] == [kind]
    if kind in (*WITH_MORE_FILES, *CHECKED_ELSEWHERE):
        return
    candidates = [each for each in find_candidates(registry, provided[0][1]) if each.kind == kind]
    (checked,) = [check(each, registry, further_kits=FURTHER_KITS) for each in candidates]
    assert checked.verdict in ("passed", "skipped"), checked.results


@on_every_page
def test_a_page_is_short_before_its_reference(kind: str) -> None:
    lines, _, _ = page_of(kind).read_text(encoding="utf-8").partition("\n## Reference\n")
    assert len(lines.splitlines()) <= MOST_LINES_OF_A_PAGE
