"""The model in this process, as far as it goes without the libraries that it needs."""

import sys

import pytest

from gridworld.errors import ArgumentError
from multinet_adapters.transformers_model import TransformersModel


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_without_the_extra_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ArgumentError, match=f"needs .*{missing}") as caught:
        TransformersModel("any")
    assert "pip install 'multinet-adapters[transformers]'" in str(caught.value)
