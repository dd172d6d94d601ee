"""Addresses of servers and proxies."""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from requests.utils import get_environ_proxies

ENVIRONMENT = "environment"
"""Value of `proxy` that selects the proxies in the usual environment variables."""
QUERY = re.compile(r"(?:api-version=[\w.-]{1,40})?", re.ASCII)
"""Queries of addresses that are certainly no credentials."""
NO_PROXY = "none"
"""Value of `proxy` that disables proxies."""


def checked_url(url: str, what: str = "base_url") -> str:
    """Return the address of a server without its trailing slash.

    Raises:
        ValueError: the address is malformed or contains a credential.
    """
    if "@" in url:
        raise ValueError(
            f"{what} contains a user name or password, which would be kept with the results; "
            "pass a credential through api_key_env, and that of a proxy through HTTPS_PROXY"
        )
    parts = _split(url, what)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{what}: expected an address such as http://127.0.0.1:8000, got '{url}'")
    if parts.fragment or not QUERY.fullmatch(parts.query):
        raise ValueError(
            f"{what}: expected an address without '?' and '#', other than ?api-version=VERSION; pass a credential "
            "through api_key_env, or as a header (headers.NAME=@VARIABLE)"
        )
    return parts._replace(path=parts.path.rstrip("/")).geturl()


def address_of(base_url: str, path: str) -> str:
    """Return the address of a path below a server's, in front of its query, such as ``?api-version=VERSION``."""
    base, _, query = base_url.partition("?")
    return f"{base}{path}{('&' if '?' in path else '?') + query if query else ''}"


def path_of(base_url: str) -> str:
    """Return the path of an address, without a slash at its end."""
    return urlsplit(base_url).path.rstrip("/")


def _split(url: str, what: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError(f"{what} is not an address such as http://127.0.0.1:8000") from None
    try:
        usable = parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        port = parts.netloc.rpartition(":")[2]
        raise ValueError(f"{what}: expected a port from 1 to 65535, got '{port}' in '{url}'")
    return parts


def proxies_for(base_url: str, proxy: str) -> dict[str, str]:
    """Return the proxies for a server, by scheme.

    Args:
        base_url: the server's address.
        proxy: the address of a proxy; ``environment`` for the proxy of the usual environment variables, which is not
            used for loopback addresses; ``none`` for no proxy.

    Raises:
        ValueError: `proxy` is none of these.
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
