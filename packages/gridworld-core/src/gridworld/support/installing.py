"""How to install distributions of this project, in words."""

from __future__ import annotations

__all__ = ["how_to_install"]


def how_to_install(distribution: str, extra: str | None = None) -> str:
    """The command that installs a distribution from the package index, and the one that does in a clone.

    Args:
        distribution: its name, which is that of its folder, too.
        extra: which of its extras is needed.
    """
    quote, wanted = ("", distribution) if extra is None else ("'", f"{distribution}[{extra}]")
    return f"pip install {quote}{wanted}{quote} (in a clone: pip install {quote}./packages/{wanted}{quote})"
