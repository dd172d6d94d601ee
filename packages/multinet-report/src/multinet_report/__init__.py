"""A page that shows what a model did in recorded runs: one HTML file, to be read offline.

Nothing is imported here, so that this package can be listed as a plugin at no cost.
"""

from multinet_report._version import __version__

__all__ = ["__version__"]
