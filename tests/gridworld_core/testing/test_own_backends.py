"""Our backends are tested by the kit that others test theirs by, on every tiling that they can show."""

from typing import Any

import pytest

from gridworld.plugins import get_registry
from gridworld.testing import BackendConformance
from gridworld.testing.conformance import checks_of, run_checks

TILINGS = get_registry().tilings.names()
ARGUMENTS = {
    "minigrid": [{}, {"tile_size": 8, "highlight": True}, {"render_mode": None}],
    "multigrid": [{}, *({"tiling": tiling, "image_size": 160} for tiling in TILINGS if tiling != "square")],
}
"""Backend to the arguments with which it is tested."""
INSTALLED = [(name, given) for name in get_registry().backends.names() for given in ARGUMENTS[name]]


def test_a_backend_is_installed() -> None:
    assert INSTALLED


@pytest.mark.parametrize("check", checks_of(BackendConformance))
@pytest.mark.parametrize(("name", "arguments"), INSTALLED, ids=str)
def test_it_conforms(name: str, arguments: dict[str, Any], check: str) -> None:
    kit = type("Kit", (BackendConformance,), {"backend": name, "arguments": arguments})
    (result,) = run_checks(kit, [check])
    assert result.verdict == "passed", result
