"""Names that plugins import from `gridworld.hookspecs`."""

from pathlib import Path

import pytest

import gridworld
from gridworld import hookspecs
from support.sources import TEMPLATES, imported_names

ROOT = Path(__file__).parents[2]
CORE = Path(gridworld.__file__).parent
SEAM = {"gridworld.hookspecs"}

SOURCES = sorted(
    [
        *ROOT.glob("examples/gridworld-example-*/src/*/*.py"),
        *TEMPLATES.glob("*.py"),
    ]
)
FURTHER = {
    "scripted.py": {"gridworld.model_interface"},
    "templates/model.py": {"gridworld.model_interface"},
    "gridworld-example-text-backend/backend.py": {
        "gridworld.backends.kernel",
        "gridworld.plugins",
        "gridworld.text",
    },
    "gridworld-example-simulator/backend.py": {"gridworld.backends.base", "gridworld.backends.simulator"},
    "observer.py": {"gridworld.runner"},
    "gridworld-example-mazes/bits.py": {"gridworld.generation"},
    "surroundings.py": {"gridworld.world"},
    "templates/observation.py": {"gridworld.world"},
    "templates/generator.py": {"gridworld.generation"},
    "templates/importer.py": {"gridworld.generation"},
    "templates/protocol.py": {"gridworld.model_interface", "gridworld.runner"},
    "templates/backend.py": {"gridworld.backends.kernel", "gridworld.text", "gridworld.world"},
}
"""End of a file's path to what a model, backend, observation, observer or importer imports beside the seam."""


def source_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def label(path: Path) -> str:
    """``distribution/module.py``, or ``templates/kind.py``."""
    return f"{(path.parent if path.parent == TEMPLATES else path.parents[2]).name}/{path.name}"


@pytest.mark.parametrize("path", SOURCES, ids=label)
def test_examples_and_templates_import_hookspecs_and_base_classes_only(path: Path) -> None:
    further = [modules for end, modules in FURTHER.items() if label(path).endswith(end)]
    imported = {module for module, _ in imported_names(source_of(path))}
    ours = {module for module in imported if module.split(".")[0] == "gridworld"}
    assert ours <= SEAM.union(*further)


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
