"""Arguments that have to be of a kind."""

from __future__ import annotations

__all__ = ["refuse_other_kinds"]


def refuse_other_kinds(name: str, value: object, kind: type, how: str) -> None:
    """Make sure that an argument is of a kind, so that what it lacks is not told in the words of whoever uses it.

    Args:
        name: the argument's.
        value: what is given.
        kind: what it has to be an instance of.
        how: where one comes from, as the message says after the rest.

    Raises:
        TypeError: it is of another kind, or the class itself.
    """
    if isinstance(value, kind):
        return
    if isinstance(value, type) and issubclass(value, kind):
        raise TypeError(f"{name} has to be an instance of {kind.__name__}, got the class {value.__name__} itself")
    got = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    raise TypeError(f"{name} has to be an instance of {kind.__name__}, got {got}; {how}")
