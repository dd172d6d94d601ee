"""The bundled task files say themselves what the earlier system and this one understood differently."""

import json
from pathlib import Path

import pytest

import multinet_eval

FILES = sorted((Path(multinet_eval.__file__).parent / "benchmarks").rglob("*.json"))


def test_there_are_bundled_files() -> None:
    assert len(FILES) > 60


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_says_whether_keys_are_used_up(path: Path) -> None:
    assert isinstance(json.loads(path.read_text())["rules"]["key_consumption"], bool)
