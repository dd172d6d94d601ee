"""The scripts of ``benchmarks/`` as modules."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

__all__ = ["BENCHMARKS", "load_benchmark"]

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@cache
def load_benchmark(name: str) -> ModuleType:
    """One of them by its name, which other modules may have too."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where attrs looks up the names in annotations
    with patch.object(sys, "path", [str(BENCHMARKS), *sys.path]):  # they import each other
        spec.loader.exec_module(module)
    return module
