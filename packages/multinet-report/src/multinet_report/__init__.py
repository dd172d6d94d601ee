"""A page that shows what a model did in recorded runs, to be read offline, and one on which a person plays.

Its names are imported when first asked for, so that this package can be listed as a plugin at no cost.
"""

from typing import TYPE_CHECKING

from gridworld.support.lazy import names_from
from multinet_report._version import __version__

if TYPE_CHECKING:
    from multinet_report.report import write_report

__all__ = ["__version__", "write_report"]

MODULES = {
    "write_report": "report",
}

if not TYPE_CHECKING:  # so that type checkers know of no other names
    __getattr__ = names_from(__name__, MODULES)
