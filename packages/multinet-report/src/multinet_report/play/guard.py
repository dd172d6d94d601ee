"""Checks that requests know the token and come from the page itself."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import attrs

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Names of this machine that no other host can claim."""
SAME = "same-origin"


@attrs.frozen
class Refusal(Exception):
    """A rejected request."""

    status: str
    """HTTP status line, such as ``403 Forbidden``."""
    reason: str


@attrs.frozen
class Guard:
    """Checks that requests have the token and come from the page itself.

    The token excludes everyone who was not given the address. The checks of Host and Origin prevent other pages from
    using the address, for instance by DNS rebinding.
    """

    host: str
    """Address at which the server listens."""
    port: int
    token: str

    def path(self, environ: Mapping[str, Any]) -> str:
        """Return the path of a request after the token.

        Raises:
            Refusal: the request fails a check.
        """
        host = str(environ.get("HTTP_HOST", ""))
        if not self._is_ours(host):
            raise Refusal("403 Forbidden", "this is not the address of the page")
        _, given, *rest = [*str(environ.get("PATH_INFO", "")).split("/", 2), ""]
        if not secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode("ascii")):
            raise Refusal("403 Forbidden", "the token is missing or wrong: open the address that the program printed")
        path = rest[0]
        self._check_origin(environ, f"http://{host}", path)
        return path

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header names this server rather than a foreign name that resolves to it."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname, parts.port
        except ValueError:
            return False
        if name is None or (port or 80) != self.port:
            return False
        if self.host in LOOPBACK:
            return name in LOOPBACK
        return name == self.host or (is_unspecified(self.host) and (name in LOOPBACK or _is_literal(name)))

    def _check_origin(self, environ: Mapping[str, Any], own: str, path: str) -> None:
        origin, site = environ.get("HTTP_ORIGIN"), environ.get("HTTP_SEC_FETCH_SITE", SAME)
        needed = environ["REQUEST_METHOD"] not in ("GET", "HEAD")
        if origin != own and (needed or origin is not None):
            raise Refusal("403 Forbidden", "only the page itself may send this")
        if path and site not in (SAME, "none"):  # a link may open the page itself
            raise Refusal("403 Forbidden", "only the page itself may request this")


def is_unspecified(host: str) -> bool:
    """Whether a host means all addresses of this machine, as ``0.0.0.0`` does."""
    return _is_literal(host) and ipaddress.ip_address(host).is_unspecified


def _is_literal(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
