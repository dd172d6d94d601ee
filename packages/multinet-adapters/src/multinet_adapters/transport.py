"""One exchange with a server over HTTP: a whole reply, or a fault that says why there is none.

No redirect is followed, nothing is asked for twice, and a reply has a size and a time that it may not exceed.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import attrs
import requests
from urllib3.exceptions import HTTPError, NewConnectionError

from gridworld.model_interface import AnswerFault, AnswerOutcome, Trouble
from multinet_adapters._version import __version__
from multinet_adapters.deadlines import Deadline, DeadlineAdapter

__all__ = ["Limits", "Reply", "Server"]

CHUNK = 65_536
NEVER_CONNECTED = (NewConnectionError, requests.exceptions.SSLError, requests.exceptions.ProxyError)
MAX_DETAIL = 300
"""How many characters of what others say are repeated in a message."""


@attrs.frozen
class Limits:
    """What a server may take."""

    connect_timeout: float
    """Seconds until the connection stands."""
    read_timeout: float
    """Seconds from the end of the request to the end of the reply."""
    max_reply_bytes: int
    """The size of a reply, unpacked."""


@attrs.frozen
class Reply:
    """A whole reply as it came; what is kept or shown of it may repeat credentials until it is redacted."""

    status: int
    headers: Mapping[str, str]
    """Names in any case."""
    text: str
    seconds: float
    """The time from before the connection to the end of the reply."""


class Server:
    """A server at one address.

    Args:
        base_url: the address that paths are added to.
        limits: what a reply may take.
        headers: what every request has, the credential among it.
        proxies: scheme to the proxy that leads to the server (`multinet_adapters.addresses.proxies_for`).
        start_hint: what to do if nobody listens there.
    """

    def __init__(
        self,
        base_url: str,
        limits: Limits,
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

    def get(self, path: str) -> Reply:
        """Ask for a resource; raises as `post` does."""
        return self._exchange("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """Send JSON.

        Raises:
            AnswerFault: there is no whole reply, or it is a redirect; the outcome is `INFRASTRUCTURE`.
        """
        return self._exchange("POST", path, body)

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for session in self._sessions:
                session.close()

    def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None) -> Reply:
        url = self.base_url + path
        begun = time.monotonic()
        deadline = Deadline(self._limits.read_timeout)
        try:
            with deadline:
                status, headers, text = self._receive(method, url, body)
        except (requests.RequestException, HTTPError) as error:
            message, trouble = self._explain(url, error, deadline)
        else:
            # What a connection that was shut down at the deadline has brought by then may look like a whole reply.
            if not deadline.expired:
                return _final(url, Reply(status, headers, text, time.monotonic() - begun))
            message, trouble = self._too_slow(url), Trouble.SLOW
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, trouble=trouble)

    def _receive(self, method: str, url: str, body: Mapping[str, Any] | None) -> tuple[int, Mapping[str, str], str]:
        limits = self._limits
        with self._session().request(
            method,
            url,
            json=body,
            headers=self._headers,
            timeout=(limits.connect_timeout, limits.read_timeout),
            allow_redirects=False,
            stream=True,
        ) as response:
            content = b"".join(_limited(url, response, limits.max_reply_bytes))
            text = content.decode(json.detect_encoding(content), "replace")
            return response.status_code, response.headers, text

    def _session(self) -> requests.Session:
        """The session of this thread."""
        if self._local.session is None:
            self._local.session = self._new_session()
            with self._lock:
                self._sessions.append(self._local.session)
        return self._local.session

    def _new_session(self) -> requests.Session:
        session = _Session()
        # Otherwise proxies of the environment would catch calls of this machine, and ~/.netrc would add credentials.
        session.trust_env = False
        session.proxies = self._proxies
        session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
        session.headers["User-Agent"] = f"multinet-adapters/{__version__}"
        session.headers["Accept-Encoding"] = "identity"
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        for scheme in ("http://", "https://"):
            session.mount(scheme, DeadlineAdapter())
        return session

    def _explain(self, url: str, error: Exception, deadline: Deadline) -> tuple[str, Trouble]:
        if isinstance(error, requests.ConnectTimeout):
            limit = f"{self._limits.connect_timeout:g} s"
            return f"no connection to {url} within {limit}: {self._start_hint}", Trouble.UNREACHABLE
        if deadline.expired or isinstance(error, requests.Timeout):
            return self._too_slow(url), Trouble.SLOW
        return self._explain_connection(url, error), Trouble.UNREACHABLE

    def _explain_connection(self, url: str, error: Exception) -> str:
        causes = list(_causes(error))
        reason = _words_of(causes[-1])[:MAX_DETAIL]
        if any(isinstance(cause, NEVER_CONNECTED) for cause in causes):
            return f"no connection to {url} ({reason}): {self._start_hint}"
        return f"the connection to {url} was lost before the end of the reply ({reason})"

    def _too_slow(self, url: str) -> str:
        return (
            f"no whole reply from {url} within {self._limits.read_timeout:g} s; "
            "give a slow model more time with a longer read_timeout"
        )


class _Session(requests.Session):
    """Knows of no redirects: `requests` would read the whole reply to find out where one leads, even if told not to."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Nowhere."""


class _Local(threading.local):
    session: requests.Session | None = None


def _limited(url: str, response: requests.Response, limit: int) -> Iterator[bytes]:
    """The contents in pieces, as long as they keep to the limit."""
    announced = response.headers.get("Content-Length", "")
    if announced.isdecimal() and float(announced) > limit:  # an integer may not have any number of digits
        raise _too_large(url, limit)
    size = 0
    for chunk in response.iter_content(CHUNK):
        size += len(chunk)
        if size > limit:
            raise _too_large(url, limit)
        yield chunk


def _too_large(url: str, limit: int) -> AnswerFault:
    message = f"the reply from {url} is larger than {limit} bytes (max_reply_bytes) and was not read to its end"
    return AnswerFault(AnswerOutcome.INFRASTRUCTURE, message)


def _final(url: str, reply: Reply) -> Reply:
    """The reply, unless it sends the caller elsewhere."""
    if 300 <= reply.status < 400:
        target = reply.headers.get("Location", "nowhere")[:MAX_DETAIL]
        message = (
            f"{url} redirects to {target} (HTTP {reply.status}), which is not followed; "
            "if that is the server that you mean, give its address as base_url"
        )
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, message, permanent=True)
    return reply


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came from, the first cause last."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _words_of(error: BaseException) -> str:
    """An error in the words of the system, where it has some."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
