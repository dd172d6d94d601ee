"""Runs the notebooks of the tutorials, and writes them with their outputs: ``python tests/support/notebooks.py``.

The outputs are committed, figures as PNG, so that the code host and the site show them without running anything.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"


def run_notebook(path: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of a fresh kernel."""
    notebook = nbformat.read(path, as_version=4)
    path_of_programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    client = NotebookClient(notebook, timeout=300, record_timing=False)
    client.execute(env={**os.environ, "PATH": path_of_programs})
    return notebook


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the printed and shown text of each code cell."""
    return ["".join(_texts(cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"]


def _texts(outputs: Iterable[nbformat.NotebookNode]) -> Iterable[str]:
    for output in outputs:
        if output.output_type == "stream":
            yield output.text
        elif "image/png" not in output.data:
            yield output.data["text/plain"]


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(run_notebook(path), path)
