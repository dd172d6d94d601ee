"""Addresses of servers: which ones can be used, and whether the way to them leads through a proxy."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from requests.utils import get_environ_proxies

__all__ = ["ENVIRONMENT", "NO_PROXY", "checked_url", "proxies_for"]

ENVIRONMENT = "environment"
"""The proxy that the usual environment variables name."""
NO_PROXY = "none"
"""No proxy."""


def checked_url(url: str, what: str = "base_url") -> str:
    """An address without the slash at its end.

    Raises:
        ValueError: it is no address of a server, or holds a credential.
    """
    if "@" in url:
        raise ValueError(
            f"{what} holds a user name or password, which would be kept with the results; "
            "a credential is named by api_key_env, one of a proxy stands in HTTPS_PROXY"
        )
    parts = _split(url, what)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{what}: expected an address such as http://127.0.0.1:8000, got '{url}'")
    if parts.query or parts.fragment:
        raise ValueError(f"{what}: expected an address without '?' and '#'")
    return url.rstrip("/")


def _split(url: str, what: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError(f"{what} is not an address such as http://127.0.0.1:8000") from None
    if not _has_usable_port(parts):
        port = parts.netloc.rpartition(":")[2]
        raise ValueError(f"{what}: expected a number from 1 to 65535 as the port, got '{port}' in '{url}'")
    return parts


def _has_usable_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def proxies_for(base_url: str, proxy: str) -> dict[str, str]:
    """Scheme to the proxy that leads to a server.

    Args:
        base_url: the server's address.
        proxy: the address of a proxy; ``environment`` for the one that the usual variables name, which is never used
            for this machine itself; ``none`` for none.

    Raises:
        ValueError: it is none of these.
    """
    if proxy == NO_PROXY:
        return {}
    if proxy != ENVIRONMENT:
        return dict.fromkeys(("http", "https"), checked_url(proxy, "proxy"))
    if _is_this_machine(urlsplit(base_url).hostname or ""):
        return {}
    return {scheme: str(url) for scheme, url in get_environ_proxies(base_url).items()}


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
