"""Hooks of the MkDocs build: add the API reference and links into it, and check the built site."""

import re
import zlib
from functools import cache
from pathlib import Path

from api_reference import DISTRIBUTIONS, api_pages, documented_modules
from links import PAGES_OF_THE_REPOSITORY, REPOSITORY, with_api_links, with_sources
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from texts import outdated_texts

from figures import outdated_figures

API_TITLE, API_FOLDER = "API", "reference/api"
INNER_NAVIGATION, ARIA = re.compile(r'<nav class="md-nav"[^>]*>'), re.compile(r' aria-[a-z]+="[^"]*"')
FROM_ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//""")


@cache
def _api() -> dict[str, dict[str, str]]:
    return api_pages()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the API reference into the navigation, where it says so."""
    pages = [
        {distribution: [{name.rpartition(".")[2]: f"{API_FOLDER}/{name}.md"} for name in modules]}
        for distribution, modules in _api().items()
    ]
    for section in config.nav:
        for entry in next(iter(section.values())):
            if API_TITLE in entry:
                entry[API_TITLE] = pages
    return config


def on_pre_build(**_: object) -> None:
    """Refuse to build a site with figures or tables that are out of date."""
    outdated = [*outdated_texts(), *outdated_figures()]
    if outdated:
        raise PluginError(f"out of date: {', '.join(outdated)}; run 'nox -s figures'")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the API reference and the pages that are files of the repository."""
    made = {f"{API_FOLDER}/{name}.md": text for modules in _api().values() for name, text in modules.items()}
    for source, path in PAGES_OF_THE_REPOSITORY.items():
        made[path] = (REPOSITORY / source).read_text(encoding="utf-8").replace("](docs/", "](")
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Include sources, and link names of the API."""
    path = page.file.src_uri
    return markdown if path.startswith((API_FOLDER, "reference/cli")) else with_api_links(with_sources(markdown, path))


def on_post_page(output: str, **_: object) -> str:
    """Make the theme's pages readable for screen readers, by the rules of axe-core."""
    output = INNER_NAVIGATION.sub(_without_a_landmark, output)
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"').replace("<th></th>", "<td></td>")


on_post_template = on_post_page  # the page of the error 404


def _without_a_landmark(tag: re.Match[str]) -> str:
    """A list inside the navigation is none of its own: two could have the same name."""
    return ARIA.sub("", tag[0]).replace("<nav", '<nav role="presentation"')


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that lacks a documented name, or that loads anything from another server."""
    site = Path(config.site_dir)
    missing = sorted(_documented_names() - _inventory(site / "objects.inv"))
    if missing:
        raise PluginError(f"not in the API reference: {', '.join(missing)}")
    for page in site.rglob("*.html"):
        found = FROM_ELSEWHERE.search(page.read_text(encoding="utf-8"))
        if found:
            raise PluginError(f"{page.relative_to(site)} loads from another server: {found[0]}")


def _documented_names() -> set[str]:
    modules = [module for package in DISTRIBUTIONS.values() for module in documented_modules(package)]
    return {f"{module.name}.{name}" for module in modules for name in module.own if name not in module.undocumented}


def _inventory(path: Path) -> set[str]:
    """The names in an inventory of Sphinx's format: four lines of text, then compressed lines, the name first."""
    compressed = path.read_bytes().split(b"\n", 4)[4]
    return {line.split(" ")[0] for line in zlib.decompress(compressed).decode("utf-8").splitlines()}
