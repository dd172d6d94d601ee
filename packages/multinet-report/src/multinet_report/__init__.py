"""A page that shows what a model did in recorded runs, to be read offline, and one on which a person plays.

Nothing is imported here, so that this package can be listed as a plugin at no cost.
"""

from multinet_report._version import __version__

__all__ = ["__version__"]
