"""The tables and references that the repository keeps and that follow from its code and measurements.

``nox -s figures`` or ``python docs/hooks/texts.py`` makes them anew; a test fails while one of them is out of date.
"""

import re
import sys
from pathlib import Path

from cli_reference import cli_page
from speed import SPEED_PARTS
from task_fields import field_tables, schema_text

__all__ = ["DOCS", "kept", "outdated_texts", "write"]

DOCS = Path(__file__).parents[1]
PART = re.compile(r"(?P<mark><!-- made: (?P<name>[\w.-]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
PARTS = {"task-fields": field_tables, **SPEED_PARTS}


def _made_texts() -> dict[str, str]:
    """Path below ``docs/`` to the text of each page and file that has made parts."""
    texts = {"reference/cli.md": cli_page(), "reference/task.schema.json": schema_text()}
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        if PART.search(text):
            texts[page.relative_to(DOCS).as_posix()] = PART.sub(_filled, text)
    return texts


def _filled(part: re.Match[str]) -> str:
    return f"{part['mark']}\n{PARTS[part['name']]().strip()}\n\n{part['end']}"


def outdated_texts() -> dict[str, bytes]:
    """Paths of kept texts that the code no longer makes, to what it makes now."""
    made = {path: text.encode("utf-8") for path, text in _made_texts().items()}
    return {path: content for path, content in made.items() if kept(path) != content}


def kept(path: str) -> bytes | None:
    """The content of a file below ``docs/``, if there is one."""
    return (DOCS / path).read_bytes() if (DOCS / path).exists() else None


def write(made: dict[str, bytes]) -> None:
    """Write files below ``docs/``, and name them."""
    for path, content in made.items():
        sys.stdout.write(f"docs/{path}\n")
        (DOCS / path).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / path).write_bytes(content)


if __name__ == "__main__":
    write(outdated_texts())
