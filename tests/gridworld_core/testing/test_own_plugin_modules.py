"""Our plugins' modules are tested by the kit that others test theirs by."""

import pytest

from gridworld.plugins import get_registry
from gridworld.testing import PluginModuleConformance
from gridworld.testing.conformance import run_checks


@pytest.mark.parametrize("module", [record.module for record in get_registry().plugins])
def test_it_conforms(module: str) -> None:
    kit = type("Kit", (PluginModuleConformance,), {"plugin_module": module})
    assert [result for result in run_checks(kit) if result.verdict != "passed"] == []
