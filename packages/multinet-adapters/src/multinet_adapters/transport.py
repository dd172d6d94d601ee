"""One HTTP exchange with a server: a complete reply, or a fault that explains why there is none."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version
from types import TracebackType
from typing import Any

import attrs
import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError
from urllib3.response import HTTPResponse

from gridworld.model_interface import AnswerFault, AnswerOutcome, Trouble
from multinet_adapters.addresses import address_of


class _Current(threading.local):
    """Deadline of the current thread's request."""

    deadline: Deadline | None = None


_current = _Current()


class Deadline:
    """Time limit for one reply, counted from the end of the request.

    Socket timeouts apply to each read, so a server that sends a byte now and then could block its client forever. Here
    a timer shuts the connection down. Use it in a ``with`` block around an exchange of this thread through a
    `DeadlineAdapter`.
    """

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._seconds = seconds
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._over = False

    def __enter__(self) -> Deadline:
        _current.deadline = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.deadline = None
        with self._lock:
            self._over = True
            if self._timer is not None:
                self._timer.cancel()

    def watch(self, connection: socket.socket) -> None:
        """Start the timer that shuts this connection down."""
        self._timer = threading.Timer(self._seconds, self._expire, [connection])
        self._timer.daemon = True
        self._timer.start()

    def _expire(self, connection: socket.socket) -> None:
        with self._lock:
            if self._over:
                return
            self.expired = True
            # The plain socket's method: that of a TLS socket would interfere with the reading thread.
            with suppress(OSError, TypeError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


class _Watched(HTTPConnection):
    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # urllib3's class differs from that of http.client
        if _current.deadline is not None and self.sock is not None:
            _current.deadline.watch(self.sock)
        return super().getresponse()


class _WatchedTLS(_Watched, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTLS


POOLS = {"http": _Pool, "https": _TLSPool}


class DeadlineAdapter(HTTPAdapter):
    """Transport of a `requests.Session` whose connections obey their thread's `Deadline`."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pools of direct connections."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> ProxyManager:
        """Make the pools of connections through a proxy; pools of SOCKS proxies are left unchanged."""
        manager: ProxyManager = super().proxy_manager_for(proxy, **kwargs)
        if proxy.lower().startswith("http"):
            manager.pool_classes_by_scheme = POOLS
        return manager


SHORTEST_WAIT, LONGEST_WAIT = 120.0, 600.0
"""Seconds to wait for a reply if no `read_timeout` is given."""
CHUNK = 65_536
NEVER_CONNECTED = (NewConnectionError, requests.exceptions.SSLError, requests.exceptions.ProxyError)
MAX_DETAIL = 300
"""Maximum number of quoted characters in a message."""


@attrs.frozen
class ReplyLimits:
    """Limits of an exchange."""

    connect_timeout: float
    """Seconds to establish the connection."""
    max_reply_bytes: int
    """Maximum size of a reply after decompression, in bytes."""


@attrs.frozen
class HttpReply:
    """A complete reply; it may repeat credentials, so redact it before recording or showing it."""

    status: int
    headers: Mapping[str, str]
    """Headers of the reply; names are case-insensitive."""
    text: str
    seconds: float
    """Duration from before the connection to the end of the reply, in seconds."""


class Server:
    """A server at one address.

    Redirects are not followed, requests are not repeated, and a reply is limited in size and time.

    Args:
        base_url: the address to which paths are appended.
        limits: limits of an exchange.
        headers: headers of every request, including the credential.
        proxies: proxies for the server, by scheme (`multinet_adapters.addresses.proxies_for`).
        start_hint: advice if no server listens at the address.
    """

    def __init__(
        self,
        base_url: str,
        limits: ReplyLimits,
        headers: Mapping[str, str],
        proxies: Mapping[str, str],
        start_hint: str,
    ) -> None:
        self.base_url = base_url
        self._limits = limits
        self._headers = dict(headers)
        self._proxies = dict(proxies)
        self._start_hint = start_hint
        self._local = _Local()
        self._sessions: list[requests.Session] = []
        self._lock = threading.Lock()

    def get(self, path: str, read_timeout: float) -> HttpReply:
        """Fetch a resource; arguments and exceptions as for `post`."""
        return self._exchange("GET", path, None, read_timeout)

    def post(self, path: str, body: Mapping[str, Any], read_timeout: float) -> HttpReply:
        """Send JSON.

        Args:
            path: the path below the server's address.
            body: the JSON object.
            read_timeout: seconds from the end of the request to the end of the reply; also the longest to connect.

        Raises:
            AnswerFault: `INFRASTRUCTURE`, for an incomplete reply or a redirect.
        """
        return self._exchange("POST", path, body, read_timeout)

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for session in self._sessions:
                session.close()

    def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None, read_timeout: float) -> HttpReply:
        url = address_of(self.base_url, path)
        begun = time.monotonic()
        deadline = Deadline(read_timeout)
        try:
            with deadline:
                status, headers, text = self._receive(method, url, body, read_timeout)
        except (requests.RequestException, HTTPError, ValueError) as error:  # ValueError for nonsense as a chunk's size
            message, trouble = self._explain(url, error, deadline, read_timeout)
        else:
            # The part of a reply received before the deadline may look like a complete one.
            if not deadline.expired:
                return _final(url, HttpReply(status, headers, text, time.monotonic() - begun))
            message, trouble = _too_slow(url, read_timeout), Trouble.SLOW
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, trouble=trouble)

    def _receive(
        self, method: str, url: str, body: Mapping[str, Any] | None, read_timeout: float
    ) -> tuple[int, Mapping[str, str], str]:
        limits = self._limits
        with self._session().request(
            method,
            url,
            json=body,
            headers=self._headers,
            timeout=(min(limits.connect_timeout, read_timeout), read_timeout),
            allow_redirects=False,
            stream=True,
        ) as response:
            content = b"".join(_limited(url, response, limits.max_reply_bytes))
            text = content.decode(json.detect_encoding(content), "replace")
            return response.status_code, response.headers, text

    def _session(self) -> requests.Session:
        """Return the session of this thread."""
        if self._local.session is None:
            self._local.session = self._new_session()
            with self._lock:
                self._sessions.append(self._local.session)
        return self._local.session

    def _new_session(self) -> requests.Session:
        session = _Session()
        # Otherwise proxies of the environment would catch loopback calls, and ~/.netrc would add credentials.
        session.trust_env = False
        session.proxies = self._proxies
        session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
        session.headers["User-Agent"] = f"multinet-adapters/{version('multinet-adapters')}"
        session.headers["Accept-Encoding"] = "identity"
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        for scheme in ("http://", "https://"):
            session.mount(scheme, DeadlineAdapter())
        return session

    def _explain(self, url: str, error: Exception, deadline: Deadline, read_timeout: float) -> tuple[str, Trouble]:
        if isinstance(error, requests.ConnectTimeout):
            limit = f"{min(self._limits.connect_timeout, read_timeout):.3g} s"
            return f"no connection to {url} within {limit}: {self._start_hint}", Trouble.UNREACHABLE
        if deadline.expired or isinstance(error, requests.Timeout):
            return _too_slow(url, read_timeout), Trouble.SLOW
        return self._explain_connection(url, error), Trouble.UNREACHABLE

    def _explain_connection(self, url: str, error: Exception) -> str:
        causes = list(_causes(error))
        reason = _words_of(causes[-1])[:MAX_DETAIL]
        if any(isinstance(cause, NEVER_CONNECTED) for cause in causes):
            return f"no connection to {url} ({reason}): {self._start_hint}"
        return f"the connection to {url} was lost before the end of the reply ({reason})"


class _Session(requests.Session):
    """A session that resolves no redirects: `requests` would read the whole reply even if told not to follow."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None, so that no redirect is followed."""


class _Local(threading.local):
    session: requests.Session | None = None


def _limited(url: str, response: requests.Response, limit: int) -> Iterator[bytes]:
    """Yield the chunks of the content; raises when they exceed the limit."""
    announced = response.headers.get("Content-Length", "")
    if announced.isdecimal() and float(announced) > limit:  # an integer may not have any number of digits
        raise _too_large(url, limit)
    size = 0
    for chunk in response.iter_content(CHUNK):
        size += len(chunk)
        if size > limit:
            raise _too_large(url, limit)
        yield chunk


def _too_slow(url: str, read_timeout: float) -> str:
    return f"no whole reply within {read_timeout:g} s from {url}; give a slow model more time with -M read_timeout"


def _too_large(url: str, limit: int) -> AnswerFault:
    message = f"the reply from {url} is larger than {limit} bytes (max_reply_bytes) and was not read to the end"
    return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message)


def _final(url: str, reply: HttpReply) -> HttpReply:
    """Return the reply, unless it is a redirect."""
    if 300 <= reply.status < 400:
        target = reply.headers.get("Location", "nowhere")[:MAX_DETAIL]
        message = (
            f"{url} redirects to {target} (HTTP {reply.status}), which is not followed; "
            "if you want that server, pass its address as base_url"
        )
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True, status=reply.status)
    return reply


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its chain of causes."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _words_of(error: BaseException) -> str:
    """Return the system's description of an error, or the error's text, or its type name."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
