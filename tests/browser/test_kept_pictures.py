"""The pictures of pages in the documentation look like the pages of today."""

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "docs" / "hooks" / "browser_pictures.py"


def test_pictures_in_the_documentation_are_current() -> None:
    finished = subprocess.run([sys.executable, PROGRAM, "--check"], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
