"""The notebooks of the tutorials run from top to bottom, and show what they are committed with."""

from pathlib import Path

import nbformat
import pytest

from support.notebooks import FOLDER, run_notebook, texts


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_shows_a_table_and_a_figure_which_are_those_that_it_is_committed_with(path: Path) -> None:
    """Pictures aside, whose bytes depend on fonts; `python tests/support/notebooks.py` writes the outputs anew."""
    committed = nbformat.read(path, as_version=4)
    shown = [output for cell in committed.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in shown) == 1
    assert sum(r"\begin{tabular}" in text for text in texts(committed)) == 1
    assert texts(run_notebook(path)) == texts(committed)
