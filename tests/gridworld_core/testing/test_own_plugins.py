"""Our own plugins pass the kits that others test theirs by. Tilings do so in the tests of gridworld-multigrid."""

from typing import Any

import pytest

from gridworld.plugins import get_registry
from gridworld.testing import BackendConformance, PluginModuleConformance
from gridworld.testing.conformance import checks_of, run_checks
from gridworld.testing.installed import KITS
from support.sample_plugins import assert_conforms
from support.thoroughness import in_turn

TESTED = ("mechanism", "goal", "backend", "observation", "generator")
"""Kinds of which all that is installed is tested."""
CHOSEN = [("model", "random"), ("model", "greedy"), ("model", "optimal"), ("benchmark", "validation_10")]
OWN = [(kind, each.item.name) for kind in TESTED for each in get_registry().catalog(kind)] + CHOSEN
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "multigrid": {"arguments": {"image_size": 160}},
    "collect_all": {"examples": ({"target_ids": ["stage-key"]}, {"target_ids": ["stage-key", "stage-switch"]})},
    "reach_position": {"examples": ({}, {"target": [1, 4]})},
}
"""Further attributes of kits, by the name of what is tested."""
BY_DEFAULT = {
    *(("mechanism", name) for name in ("doors", "hazards", "teleporters")),
    *(("goal", name) for name in ("collect_all", "reach_position")),
    ("backend", "multigrid"),
    ("observation", "map"),
    ("generator", "perfect_maze"),
    *CHOSEN,
}
"""Those that are tested by default."""
FEW = (1, 2, 3)
"""Seeds of generators."""

TILINGS = [{"tiling": name, "image_size": 160} for name in get_registry().tilings.names() if name != "square"]
OTHERS = [("minigrid", {"tile_size": 8, "highlight": True}), ("minigrid", {"render_mode": None})]
OTHERS += [("multigrid", arguments) for arguments in TILINGS]


@pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(*own, marks=() if own in BY_DEFAULT else pytest.mark.more) for own in OWN]
)
def test_our_own_conform(kind: str, name: str) -> None:
    seeds = {"seeds": FEW} if kind == "generator" else {}
    assert_conforms(KITS[kind], **{kind: name}, **seeds, **ATTRIBUTES.get(name, {}))


@pytest.mark.more
@in_turn("check, other", checks_of(BackendConformance), OTHERS)
def test_backends_conform_with_other_arguments(check: str, other: tuple[str, dict[str, Any]]) -> None:
    name, arguments = other
    (result,) = run_checks(type("Kit", (BackendConformance,), {"backend": name, "arguments": arguments}), [check])
    assert result.verdict == "passed", result


@pytest.mark.more
@pytest.mark.parametrize("module", [record.module for record in get_registry().plugins])
def test_our_plugin_modules_conform(module: str) -> None:
    assert_conforms(PluginModuleConformance, plugin_module=module)
