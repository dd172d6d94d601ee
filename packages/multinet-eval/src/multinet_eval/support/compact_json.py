"""`compact_json`: data as JSON in one line."""

from __future__ import annotations

import json

__all__ = ["compact_json"]

compact_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
"""From JSON-ready data to its text without spaces; what is no ASCII stays as it is."""
