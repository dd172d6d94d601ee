"""The server of ``multinet play`` with clients that send slowly, or send huge numbers."""

import json
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from gridworld.plugins import get_registry
from gridworld.support.import_strings import load_object

CLIENTS = 16
"""As many as the server has threads."""


class Served(NamedTuple):
    """A page that is served."""

    host: str
    port: int
    path: str

    def request(self, method: str, name: str, body: bytes | None = None) -> int:
        """Make a request as the page does; returns the status."""
        connection = HTTPConnection(self.host, self.port, timeout=30)
        headers = {"Origin": f"http://{self.host}:{self.port}", "Content-Type": "application/json"}
        connection.request(method, self.path + name, body, headers)
        status = connection.getresponse().status
        connection.close()
        return status


@pytest.fixture
def served() -> Iterator[Served]:
    """The page of a person who has not begun."""
    person: Any = load_object(get_registry().models.get("person").target)(open=False)
    parts = urlsplit(person.address)
    assert parts.hostname is not None
    assert parts.port is not None
    yield Served(parts.hostname, parts.port, parts.path)
    person.close()


def _drip(clients: list[socket.socket], until: float) -> list[bytes]:
    """Send a byte for each client now and then; returns what came back until each had been closed."""
    came = dict.fromkeys(clients, b"")
    waiting = set(clients)
    while waiting and time.monotonic() < until:
        for client in list(waiting):
            try:
                client.send(b"x")
                found = client.recv(4096)
                came[client] += found
                if not found:
                    waiting.remove(client)
            except TimeoutError:
                continue
            except OSError:
                waiting.remove(client)
    assert not waiting
    return list(came.values())


@pytest.mark.more
@pytest.mark.parametrize("begun", ["header", "body"])
def test_slow_clients_are_closed_and_others_are_served(served: Served, begun: str) -> None:
    host = f"{served.host}:{served.port}"
    head = f"POST {served.path}answer HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    body = "Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
    clients = [socket.create_connection((served.host, served.port)) for _ in range(CLIENTS)]
    for client in clients:
        client.settimeout(0.005)
        client.sendall((head + (body if begun == "body" else "X-Slow: ")).encode())
    assert served.request("GET", "instructions") == 200
    came = _drip(clients, time.monotonic() + 8)
    assert any(came)
    assert all(each.startswith(b"HTTP/1.1 408 ") for each in came if each)
    for client in clients:
        client.close()


@pytest.mark.parametrize("name", ["number", "active"])
def test_a_number_that_cannot_be_is_refused(served: Served, name: str) -> None:
    for number in ("1" + "0" * 400, "1e400", "-1", "NaN", "1" + "0" * 9 + "1"):
        answer = json.dumps({"number": 0, "choice": "2", "by": "key", "active": 0, name: "HERE"})
        assert served.request("POST", "answer", answer.replace('"HERE"', number).encode()) == 400, number
    assert served.request("GET", "instructions") == 200
