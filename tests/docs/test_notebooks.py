"""The notebooks of the tutorials run from top to bottom, and show what they are committed with."""

from pathlib import Path

import nbformat
import pytest

from support.notebooks import FOLDER, run_notebook, texts

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_the_outputs_that_it_is_committed_with(path: Path) -> None:
    """Pictures aside, whose bytes depend on fonts; `python tests/support/notebooks.py` writes the outputs anew."""
    committed = nbformat.read(path, as_version=4)
    assert texts(run_notebook(path)) == texts(committed)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_leads_to_a_table_and_a_figure(path: Path) -> None:
    committed = nbformat.read(path, as_version=4)
    shown = [output for cell in committed.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in shown) == 1
    assert sum(r"\begin{tabular}" in text for text in texts(committed)) == 1
