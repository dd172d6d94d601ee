"""JSON for people and terminals."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["json_text"]


def json_text(value: Any) -> str:
    """JSON in ASCII without control characters but line feeds, so that it does nothing to a terminal either."""
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f")
