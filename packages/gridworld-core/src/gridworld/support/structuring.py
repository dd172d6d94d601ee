"""Says what is wrong with JSON that does not have the form of the class that was to be made of it."""

from __future__ import annotations

from typing import Any

import cattrs

__all__ = ["describe_structure_error"]


def describe_structure_error(error: cattrs.BaseValidationError, path: str) -> str:
    """All problems, each with its place.

    Args:
        error: what was raised.
        path: what the outermost object is called.
    """
    return "; ".join(cattrs.transform_error(error, path=path, format_exception=_told))


def _told(error: BaseException, kind: Any) -> str:
    if isinstance(error, AttributeError):  # what is asked for its keys is no object
        return "expected an object"
    return (
        cattrs.v.format_exception(error, kind)
        if isinstance(error, KeyError | cattrs.ForbiddenExtraKeysError)
        else str(error)
    )
