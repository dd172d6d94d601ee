"""The HTML file: what may run in it, and what it is made of."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files

import pytest

import gridworld_multigrid.rendering.palette as drawn
from multinet_report.page_file import MODULES, Blocks, page, program
from multinet_report.play.application import MODULES as PLAY_MODULES
from support.pages import HOSTILE

SOURCES = files("multinet_report") / "page"
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:function\*? |const |let |class )(\w+)", re.MULTILINE)
both_pages = pytest.mark.parametrize("modules", [MODULES, PLAY_MODULES], ids=["report", "play"])
IMPORTED = re.compile(r'^import .* from "\./([\w.]+)";$', re.MULTILINE)


def source(name: str) -> str:
    return (SOURCES / name).read_text(encoding="utf-8")


def a_page(title: str = "title") -> str:
    blocks = Blocks()
    blocks.add_json("index", {"runs": []})
    return page(title, blocks)


def test_every_module_is_part_of_a_page() -> None:
    assert {*MODULES, *PLAY_MODULES} == {path.name for path in SOURCES.iterdir() if path.name.endswith(".js")}


@both_pages
def test_every_module_follows_those_that_it_imports(modules: Sequence[str]) -> None:
    for place, name in enumerate(modules):
        assert set(IMPORTED.findall(source(name))) <= set(modules[:place]), name


@both_pages
def test_no_name_of_one_module_is_that_of_another(modules: Sequence[str]) -> None:
    names = [name for module in modules for name in TOP_LEVEL.findall(source(module))]
    assert sorted(names) == sorted(set(names))


@both_pages
def test_a_program_imports_and_exports_nothing(modules: Sequence[str]) -> None:
    assert not re.search(r"^(import|export)\b", program(modules), re.MULTILINE)


@both_pages
def test_no_module_makes_elements_of_markup(modules: Sequence[str]) -> None:
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function"
    assert not re.search(markup, program(modules))


def test_the_policy_lets_run_what_is_in_the_file_and_nothing_else() -> None:
    text = a_page()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    for tag, directive in (("style", "style-src"), ('script type="module"', "script-src")):
        content = re.search(rf"<{tag}>(.*?)</{tag.split()[0]}>", text, re.DOTALL)
        assert content is not None
        digest = b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'; ")
    assert "unsafe" not in policy[1]


def test_a_title_is_a_text() -> None:
    for text in HOSTILE:
        found = re.search(r"<title>(.*?)</title>", a_page(text), re.DOTALL)
        assert found is not None
        assert not re.search("[<>\x00-\x1f\u202e\ud800]", found[1])


def test_nothing_in_it_comes_from_elsewhere() -> None:
    assert re.findall(r'(?:src|href|url)\s*[=(]\s*["\']?https?:', a_page()) == []
    assert set(re.findall(r"https?://[^\s\"']+", a_page())) == {"http://www.w3.org/2000/svg"}  # the name of SVG


def test_colours_are_those_of_the_pictures_of_tilings() -> None:
    colors = dict(re.findall(r'(\w+): "(#[0-9a-f]{6})"', source("board.js")))
    for name, rgb in (
        ("floor", drawn.FLOOR),
        ("wall", drawn.WALL),
        ("outline", drawn.OUTLINE),
        ("goal", drawn.GOAL),
        ("sign", drawn.SIGN),
        ("halo", drawn.HALO),
        ("agent", drawn.AGENT),
        ("agentRim", drawn.AGENT_RIM),
        ("unseen", drawn.UNSEEN[0]),
        ("stripe", drawn.UNSEEN[1]),
    ):
        assert colors[name] == "#{:02x}{:02x}{:02x}".format(*rgb), name
