"""Links of pages resolve on the code host: relative, to files that exist, and to headings as it names them."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from support.sources import FENCE, headings_of

REPOSITORY = Path(__file__).parents[2]
PAGES = [
    path.relative_to(REPOSITORY).as_posix()
    for folder in (".", "docs", "packages", "examples")
    for path in sorted((REPOSITORY / folder).glob("*.md" if folder == "." else "**/*.md"))
    if not {"node_modules", ".nox", "site"} & set(path.parts)
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
ONLY_ON_THE_SITE = re.compile(r"\]\[[\w.]*\]|--8<--|^\?\?\? |^!!! |\{ *(?:width|\.[a-z])|#only-")
"""Markup that the code host shows as it is written."""


def prose_of(page: Path) -> str:
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))


@cache
def anchors_of(page: Path) -> frozenset[str]:
    """Anchors that the code host gives the headings of a page."""
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings_of(page)]
    seen = Counter[str]()
    found = set[str]()
    for name in names:
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return frozenset(found)


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_resolve_and_it_has_no_markup_that_only_the_site_understands(page: str) -> None:
    path = REPOSITORY / page
    broken = [link for link in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))) if is_broken(path, link)]
    assert broken == []
    assert [line for line in prose_of(path).splitlines() if ONLY_ON_THE_SITE.search(line)] == []


def is_broken(page: Path, link: str) -> bool:
    if re.match(r"https?://|mailto:", link):
        return False
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    return not target.exists() or bool(anchor and target.suffix == ".md" and anchor not in anchors_of(target))
