"""The tables and references that the repository keeps and that follow from its code and measurements.

``nox -s figures`` or ``python docs/hooks/texts.py`` makes them anew; a test fails while one of them is out of date.
"""

import re

from cli_reference import cli_page
from kept import DOCS, kept, write
from mistakes_example import mistakes_example
from speed import SPEED_PARTS
from task_fields import field_tables, schema_text

from multinet_eval.analysis.metrics.measuring import load_metrics

__all__ = ["outdated_texts"]

PART = re.compile(r"(?P<mark><!-- made: (?P<name>[\w.-]+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
METRIC = re.compile(r"^(?P<mark>- \*\*`(?P<name>\w+)`\*\* \(.*?\): ).*$", re.MULTILINE)
"""An entry of the page on metrics, which is the docstring of one."""
PARTS = {"task-fields": field_tables, "mistakes-example": mistakes_example, **SPEED_PARTS}


def _made_texts() -> dict[str, str]:
    """Path below ``docs/`` to the text of each page and file that has made parts."""
    texts = {"reference/cli.md": cli_page(), "reference/task.schema.json": schema_text()}
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        if PART.search(text):
            texts[page.relative_to(DOCS).as_posix()] = PART.sub(_filled, text)
    page = "reference/metrics.md"
    texts[page] = METRIC.sub(_described, (DOCS / page).read_text(encoding="utf-8"))
    return texts


def _described(entry: re.Match[str]) -> str:
    (metric,) = load_metrics([entry["name"]]).values()
    return entry["mark"] + " ".join((metric.__doc__ or "").split()).replace("``", "`")


def _filled(part: re.Match[str]) -> str:
    return f"{part['mark']}\n{PARTS[part['name']]().strip()}\n\n{part['end']}"


def outdated_texts() -> dict[str, bytes]:
    """Paths of kept texts that the code no longer makes, to what it makes now."""
    made = {path: text.encode("utf-8") for path, text in _made_texts().items()}
    return {path: content for path, content in made.items() if kept(path) != content}


if __name__ == "__main__":
    write(outdated_texts())
