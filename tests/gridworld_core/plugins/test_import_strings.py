"""Import strings: targets of descriptors are imported on use."""

import pytest

from gridworld.errors import PluginFault
from gridworld.support.import_strings import load_object
from support.plugins import Install

BROKEN_TARGETS = {
    "raising_target.py": "raise RuntimeError('no graphics card')",
    "exiting.py": "raise SystemExit('no licence')",
    "empty.py": "",
}


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("nowhere.to_be_found:Model", "ModuleNotFoundError: No module named 'nowhere'"),
        ("empty:Model", "AttributeError: module 'empty' has no attribute 'Model'"),
        ("raising_target:Model", "RuntimeError: no graphics card"),
        ("exiting:Model", "SystemExit: no licence"),
        ("empty", "AttributeError"),
        (":Model", "ValueError"),
        ("", "ValueError"),
    ],
)
def test_a_target_that_cannot_be_loaded_is_a_fault_of_its_plugin(install: Install, target: str, error: str) -> None:
    install("third-party", {}, BROKEN_TARGETS)

    with pytest.raises(PluginFault) as caught:
        load_object(target)

    assert f"cannot load '{target}': {error}" in str(caught.value)
