"""HTML reports of recorded runs, readable offline, and a page on which a person can play.

Names are imported on first use, so that listing plugins stays cheap.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from

if TYPE_CHECKING:
    __version__: str

    from multinet_report.report import write_report

__all__ = ["__version__", "write_report"]

MODULES = {
    "write_report": "report",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, MODULES)
