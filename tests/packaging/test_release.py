"""Releases that `nox -s release` refuses."""

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "check_release.py"
DATED, UNRELEASED = "# Changelog\n\n## 1.2.0 - 2030-01-31\n\n## 1.1.0 - 2029-01-31\n", "# Changelog\n\n## Unreleased\n"


@pytest.fixture(scope="module")
def find_problems() -> Callable[..., list[str]]:
    spec = importlib.util.spec_from_file_location("check_release", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., list[str]] = module.find_problems
    return found


def built(version: str) -> set[str]:
    names = [path.parent.name.replace("-", "_") for path in SCRIPT.parents[1].glob("packages/*/pyproject.toml")]
    return {f"{name}-{version}{end}" for name in names for end in (".tar.gz", "-py3-none-any.whl")}


@pytest.mark.parametrize(
    ("changelog", "tags", "problems"),
    [
        (DATED, ["v1.2.0"], []),
        (DATED, [], []),
        (UNRELEASED, [], []),
        (UNRELEASED, ["v1.2.0"], ["newest section is 'Unreleased'"]),
        (DATED, ["v1.1.0"], ["the version is 1.2.0"]),
        (DATED.replace("1.2.0 - 2030-01-31", "1.2.0"), ["v1.2.0"], ["newest section is '1.2.0'"]),
        (DATED.replace("1.2.0", "1.3.0"), [], ["newest section is '1.3.0 - 2030-01-31'"]),
    ],
)
def test_the_version_agrees_with_the_changelog_and_the_tag(
    find_problems: Callable[..., list[str]], changelog: str, tags: Sequence[str], problems: list[str]
) -> None:
    found = find_problems("1.2.0", changelog, tags, built("1.2.0"))
    assert len(found) == len(problems)
    assert all(part in problem for part, problem in zip(problems, found, strict=True))


def test_each_distribution_has_a_wheel_and_an_sdist_of_the_version_and_no_other(
    find_problems: Callable[..., list[str]],
) -> None:
    files = built("1.2.0") - {"multinet_eval-1.2.0.tar.gz"} | {"multinet_eval-1.1.0.tar.gz"}
    missing, other = find_problems("1.2.0", DATED, [], files)
    assert missing == "dist/multinet_eval-1.2.0.tar.gz: missing"
    assert other == "dist/multinet_eval-1.1.0.tar.gz: not of this release"
