"""Names that plugins import from `gridworld.hookspecs`."""

from pathlib import Path

import pytest

import gridworld
from gridworld import hookspecs
from support.sources import imported_names

CORE = Path(gridworld.__file__).parent


def source_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


BUILT_IN = sorted([*CORE.glob("mechanisms/*.py"), CORE / "goals.py", CORE / "builtin.py"])
OWN = ("gridworld.mechanisms", "gridworld.goals")


@pytest.mark.parametrize("path", BUILT_IN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_hookspecs_offers_everything_that_built_in_types_import(path: Path) -> None:
    imported = {
        name
        for module, name in imported_names(source_of(path))
        if module.startswith("gridworld.") and not module.startswith(OWN)
    }
    assert imported - {"RendererInfo"} <= set(hookspecs.__all__)  # the kind is not public


def test_the_seam_has_all_events_and_glyphs() -> None:
    from gridworld.drawing import glyphs
    from gridworld.world import events

    for_renderers, of_older_records = {"in_palette", "to_rgb"}, {"UnknownEvent"}
    names_of_events = {kind.__name__ for kind in events.EVENT_TYPES}
    assert set(glyphs.__all__) - for_renderers <= set(hookspecs.__all__)
    assert names_of_events - of_older_records <= set(hookspecs.__all__)


def test_each_name_is_there() -> None:
    assert all(hasattr(hookspecs, name) for name in hookspecs.__all__)
    assert len(set(hookspecs.__all__)) == len(hookspecs.__all__)
