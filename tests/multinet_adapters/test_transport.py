"""The way to a server: proxies, TLS, and what a connection must not bring along."""

import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme

from gridworld.model_interface import AnswerFault, AnswerOutcome
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.testing.model_servers import (
    Body,
    Hang,
    Reply,
    Trickle,
    TrickleHeaders,
    refused_address,
    serve,
    serve_in_turn,
)
from multinet_adapters.testing.model_servers.protocols import CHAT_PATHS, OLLAMA

AWAY = "http://model.example:11434"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


def fault_of(call: Any) -> AnswerFault:
    with pytest.raises(AnswerFault) as caught:
        call()
    return caught.value


# --- proxies ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_proxy_of_the_environment_does_not_catch_calls_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, question: Any, host: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", refused_address())
    monkeypatch.setenv("ALL_PROXY", refused_address())
    with serve(lambda request: "Action: 2") as server:
        address = server.ollama_url.replace("127.0.0.1", host)
        assert OllamaVLMAdapter("gridplayer:2b", base_url=address).predict(question()).action == 2


def test_other_hosts_are_reached_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, question: Any
) -> None:
    with serve(lambda request: "") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.address)
        fault_of(lambda: OllamaVLMAdapter("m", base_url=AWAY).predict(question()))
    assert [each.path for each in proxy.received] == [f"{AWAY}/api/chat"]


def test_a_reply_through_a_proxy_has_its_deadline_too(monkeypatch: pytest.MonkeyPatch, question: Any) -> None:
    monkeypatch.setitem(CHAT_PATHS, f"{AWAY}/api/chat", OLLAMA)
    with serve_in_turn([TrickleHeaders()]) as proxy:
        adapter = OllamaVLMAdapter("gridplayer:2b", base_url=AWAY, proxy=proxy.address, read_timeout=0.3)
        assert "within 0.3 s" in fault_of(lambda: adapter.predict(question())).message


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [({"NO_PROXY": "model.example"}, "environment"), ({}, "none")],
    ids=["excepted by NO_PROXY", "switched off"],
)
def test_a_proxy_of_the_environment_can_be_passed_by(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], proxy: str
) -> None:
    with serve(lambda request: "") as server:
        monkeypatch.setenv("HTTP_PROXY", server.address)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert "no connection to" in fault_of(OllamaVLMAdapter("m", base_url=AWAY, proxy=proxy).check_ready).message
        assert server.received == []


def test_a_proxy_that_is_named_is_used_for_any_host(question: Any) -> None:
    with serve(lambda request: "") as proxy:
        for address in (AWAY, "http://127.0.0.1:9"):
            fault_of(lambda address=address: OllamaVLMAdapter("m", base_url=address, proxy=proxy.address).check_ready())
    assert [each.path for each in proxy.received] == [f"{AWAY}/api/tags", "http://127.0.0.1:9/api/tags"]


def test_a_proxy_that_does_not_answer_is_no_connection(question: Any) -> None:
    adapter = OllamaVLMAdapter("m", base_url=AWAY, proxy=refused_address())
    fault = fault_of(lambda: adapter.predict(question()))
    assert fault.outcome is AnswerOutcome.INFRASTRUCTURE
    assert f"no connection to {AWAY}" in fault.message


# --- what must not be brought along ----------------------------------------------------------------------------


def test_passwords_of_the_netrc_file_are_not_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, connect_openai: Any, question: Any
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with serve(lambda request: "Action: 2") as server:
        connect_openai(server).predict(question())
    assert "authorization" not in server.received[0].headers


def test_cookies_are_not_taken(connect_openai: Any, question: Any) -> None:
    with serve_in_turn([Body(b"{}", headers={"Set-Cookie": "session=1; Path=/"})]) as server:
        adapter = connect_openai(server)
        for _ in range(2):
            fault_of(lambda: adapter.predict(question()))
    assert all("cookie" not in each.headers for each in server.received)


def test_a_server_that_was_closed_meanwhile_is_no_connection(connect_openai: Any, question: Any) -> None:
    with serve(lambda request: "Action: 2") as server:
        adapter = connect_openai(server)
        adapter.predict(question())
    assert fault_of(lambda: adapter.predict(question())).outcome is AnswerOutcome.INFRASTRUCTURE


# --- TLS -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def certificate(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def _trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "authority.pem"))


@pytest.mark.usefixtures("_trusted")
def test_a_server_is_reached_through_tls(connect: Any, question: Any, certificate: ssl.SSLContext) -> None:
    with serve(lambda request: "Action: 2", tls=certificate) as server:
        assert server.address.startswith("https:")
        assert connect(server).predict(question()).action == 2


@pytest.mark.usefixtures("_trusted")
@pytest.mark.parametrize("reply", [Hang(), Trickle(), TrickleHeaders()], ids=lambda reply: type(reply).__name__)
def test_a_reply_through_tls_has_its_deadline_too(
    connect_openai: Any, question: Any, certificate: ssl.SSLContext, reply: Reply
) -> None:
    with serve_in_turn([reply], tls=certificate) as server:
        fault = fault_of(lambda: connect_openai(server, read_timeout=0.3).predict(question()))
    assert "within 0.3 s" in fault.message


def test_a_certificate_that_nobody_vouches_for_is_no_connection(
    connect_openai: Any, question: Any, certificate: ssl.SSLContext
) -> None:
    with serve(lambda request: "Action: 2", tls=certificate) as server:
        fault = fault_of(lambda: connect_openai(server).predict(question()))
        assert server.received == []
    assert fault.outcome is AnswerOutcome.INFRASTRUCTURE
    assert "no connection to" in fault.message
    assert "certificate" in fault.message
