"""Links of pages that the code host cannot have: names into the API reference, and files outside of ``docs/``.

Pages name things of the API in code spans. On the site, the first such span of a page links to the reference. A
paragraph that is only a link to a source file is the file itself on the site.
"""

import posixpath
import re
from collections import Counter
from functools import cache
from pathlib import Path

from api_reference import DISTRIBUTIONS, documented_modules

__all__ = ["PAGES_OF_THE_REPOSITORY", "REPOSITORY", "api_target", "with_api_links", "with_sources"]

REPOSITORY = Path(__file__).parents[2]
PAGES_OF_THE_REPOSITORY = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files beside ``docs/`` that are pages of the site."""
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
SKIPPED_OR_SPAN = re.compile(r"^#.*$|!?\[[^\]]*\][(\[][^)\]]*[)\]]|``.*?``|`(?P<name>[A-Za-z_][\w.]*)`", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<path>[^)\s#:]+)(?:#[^)]*)?\)")
ALONE = re.compile(r"^\[[^\]\n]*\]\((?P<path>[^)\s#:]+)\)$", re.MULTILINE)
OTHERWISE_ON_PAGES = {
    *("turn_left", "turn_right", "move_forward"),  # actions
    *("view_size", "image_size", "backend_arguments", "lost_steps", "success_curves"),  # fields and keys of files
    "ignores_dropped",  # a promise of mechanisms
}
"""Names of functions that pages use for something else."""
LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".txt": "text"}


@cache
def _api() -> tuple[dict[str, str], dict[str, str]]:
    """Full names, re-exported ones included, to where they are documented; and unambiguous short names."""
    modules = [module for package in DISTRIBUTIONS.values() for module in documented_modules(package)]
    aliases = {f"{module.name}.{name}": target for module in modules for name, target in module.elsewhere.items()}
    full = {module.name: module.name for module in modules}
    own = [(name, f"{module.name}.{name}") for module in modules for name in module.own]
    full |= {target: target for _, target in own}
    for alias, target in aliases.items():
        while target in aliases and target not in full:
            target = aliases[target]
        if target in full:
            full[alias] = full[target]
    counted = Counter(name for name, _ in own)
    named = {name for name in counted if (name[0].isupper() or "_" in name) and name not in OTHERWISE_ON_PAGES}
    short = {name: target for name, target in own if counted[name] == 1 and name in named}
    return full, short


def api_target(name: str) -> str | None:
    """Return the address where a name is documented: a full name, an unambiguous one, or a member of such a class."""
    full, short = _api()
    owner, _, _ = name.partition(".")
    return full.get(name) or short.get(name) or (short.get(owner) if owner[0].isupper() else None)


def with_api_links(markdown: str) -> str:
    """A page with a link at the first mention of each name of the API."""
    linked = set[str]()

    def link(found: re.Match[str]) -> str:
        target = api_target(found["name"]) if found["name"] else None
        if target is None or target in linked:
            return found[0]
        linked.add(target)
        return f"[{found[0]}][{target}]"

    return _outside_of_code(markdown, lambda prose: SKIPPED_OR_SPAN.sub(link, prose))


def with_sources(markdown: str, page: str) -> str:
    """A page with the files that it links to: those in paragraphs of their own included, others named.

    Args:
        markdown: of the page.
        page: its path below ``docs/``.
    """

    def outside(found: re.Match[str]) -> Path | None:
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), found["path"]))
        return None if path.startswith("docs/") else REPOSITORY / path

    def include(found: re.Match[str]) -> str:
        path = outside(found)
        if path is None or path.suffix not in LANGUAGES:
            return found[0]
        title = path.relative_to(REPOSITORY).as_posix()
        return f'```{LANGUAGES[path.suffix]} title="{title}"\n{path.read_text(encoding="utf-8").rstrip()}\n```'

    def name(found: re.Match[str]) -> str:
        path = outside(found)
        if path is None:
            return found[0]
        there = PAGES_OF_THE_REPOSITORY.get(path.relative_to(REPOSITORY).as_posix())
        return (
            f"[{found['text']}]({posixpath.relpath(there, posixpath.dirname(page) or '.')})" if there else found["text"]
        )

    included = _outside_of_code(markdown, lambda prose: ALONE.sub(include, prose))
    return _outside_of_code(included, lambda prose: LINK.sub(name, prose))


def _outside_of_code(markdown: str, change) -> str:
    parts, end = [], 0
    for block in FENCED.finditer(markdown):
        parts += [change(markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(markdown[end:])])
