"""Model adapters of multinet-gridworld."""

from multinet_adapters._version import __version__

__all__ = ["__version__"]
