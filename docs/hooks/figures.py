"""The figures that the repository keeps and that follow from its code and measurements.

``nox -s figures`` makes them and the tables (`texts`) anew. The site is not built while one of them is out of date.
Pictures of the report page need a browser and have their own program (`browser_pictures`).
"""

from kept import is_current, write
from pictures import all_pictures
from speed_charts import speed_charts
from texts import outdated_texts

__all__ = ["outdated_figures"]


def outdated_figures() -> dict[str, bytes]:
    """Paths below ``docs/`` of kept pictures that look different from those that the code draws now."""
    charts = {f"pictures/{name}.svg": chart.encode("utf-8") for name, chart in speed_charts()}
    drawn = {**all_pictures(), **charts}
    return {path: content for path, content in drawn.items() if not is_current(path, content)}


if __name__ == "__main__":
    write(outdated_texts() | outdated_figures())
