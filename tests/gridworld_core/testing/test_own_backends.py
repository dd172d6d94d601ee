"""Our backends are tested by the kit that others test theirs by, on every tiling that they can show.

By default each check is made with every backend as it is, and with one of its other arguments, which take turns.
"""

from typing import Any

import pytest

from gridworld.plugins import get_registry
from gridworld.testing import BackendConformance
from gridworld.testing.conformance import checks_of, run_checks
from support.thoroughness import in_turn

TILINGS = get_registry().tilings.names()
ARGUMENTS = {
    "minigrid": [{"tile_size": 8, "highlight": True}, {"render_mode": None}],
    "multigrid": [{"tiling": tiling, "image_size": 160} for tiling in TILINGS if tiling != "square"],
}
"""Backend to the arguments with which it is tested, besides none."""
INSTALLED = get_registry().backends.names()
CHECKS = checks_of(BackendConformance)


def conforms(name: str, arguments: dict[str, Any], check: str) -> None:
    kit = type("Kit", (BackendConformance,), {"backend": name, "arguments": arguments})
    (result,) = run_checks(kit, [check])
    assert result.verdict == "passed", result


def test_a_backend_is_installed() -> None:
    assert set(INSTALLED) == set(ARGUMENTS)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", INSTALLED)
def test_it_conforms(name: str, check: str) -> None:
    conforms(name, {}, check)


@in_turn("check, arguments", CHECKS, ARGUMENTS["minigrid"])
def test_minigrid_conforms_with_other_arguments(check: str, arguments: dict[str, Any]) -> None:
    conforms("minigrid", arguments, check)


@in_turn("check, arguments", CHECKS, ARGUMENTS["multigrid"])
def test_multigrid_conforms_on_other_tilings(check: str, arguments: dict[str, Any]) -> None:
    conforms("multigrid", arguments, check)
