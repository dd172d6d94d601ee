"""Whatever goes wrong with a call is told apart from an answer, by its kind."""

import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gridworld.model_interface import AnswerFault, AnswerOutcome, EpisodeInfo, ModelOutput, Opaque, Trouble
from multinet_adapters import chat_adapter
from multinet_adapters.ollama_vlm_adapter import OllamaVLMAdapter
from multinet_adapters.testing.model_servers import (
    MODEL,
    Body,
    ChatRequest,
    Drop,
    Hang,
    Huge,
    Raw,
    Redirect,
    Refusal,
    Reply,
    Status,
    Text,
    Trickle,
    TrickleHeaders,
    action_json,
    refused_address,
    serve,
    serve_in_turn,
)

INFRASTRUCTURE = AnswerOutcome.INFRASTRUCTURE
SHORT = 0.3
"""Seconds after which a test gives up on a reply that does not come."""


def fault_of(call: Any) -> AnswerFault:
    with pytest.raises(AnswerFault) as caught:
        call()
    return caught.value


def fault_after(connect: Any, question: Any, reply: Reply | str, **options: Any) -> AnswerFault:
    """What comes of one call that is answered so; there is never a second call."""
    with serve_in_turn([reply]) as server:
        fault = fault_of(lambda: connect(server, **options).predict(question()))
        assert len(server.received) == 1
    return fault


# --- answers and what is none ----------------------------------------------------------------------------------


def test_an_answer_comes_with_all_that_was_said_of_it(connect: Any, question: Any) -> None:
    text = action_json("move_forward", "the way is free", 0.75)
    with serve_in_turn([text]) as server:
        output = connect(server).predict(question())
    assert (output.action, output.confidence, output.reasoning) == (2, 0.75, "the way is free")
    assert output.raw_output == text
    assert (output.usage.prompt_tokens, output.usage.completion_tokens) == (321, 45)
    assert output.usage.seconds > 0


def test_a_servers_own_time_is_told_in_seconds(connect_as: Any, question: Any) -> None:
    body = b'{"choices": [{"message": {"content": "Action: 2"}}], "timings": {"prompt_ms": 250, "predicted_ms": 500}}'
    for kind, reply, seconds in (("ollama", action_json(2), 1.5), ("openai", Body(body), 0.75)):
        with serve_in_turn([reply]) as server:
            assert connect_as(kind, server).predict(question()).usage.server_seconds == seconds


def test_what_a_prompt_costs_includes_what_the_server_has_cached(connect_as: Any, question: Any) -> None:
    usage = b'{"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": null}'
    body = b'{"content": [{"type": "text", "text": "Action: 2"}], "stop_reason": "end_turn", "usage": ' + usage + b"}"
    with serve_in_turn([Body(body)]) as server:
        usage = connect_as("anthropic", server).predict(question()).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (43, None)


def test_what_a_model_says_in_several_blocks_is_one_reply(connect_as: Any, question: Any) -> None:
    blocks = b'[{"type": "thinking", "thinking": "Action: 1"}, {"type": "text", "text": "Action"}, {"type": "new"}, 7,'
    body = b'{"content": ' + blocks + b'{"type": "text", "text": ": 2"}], "stop_reason": "end_turn"}'
    with serve_in_turn([Body(body)]) as server:
        output = connect_as("anthropic", server).predict(question())
    assert (output.action, output.raw_output, output.reasoning) == (2, "Action: 2", "Action: 1")
    assert output.returned == (Opaque("thinking", {"type": "thinking", "thinking": "Action: 1"}),)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Text("I see 3 walls and would go 2 steps."), AnswerOutcome.UNPARSABLE),
        (Text("Action: jump"), AnswerOutcome.ILLEGAL),
        (Text(None), AnswerOutcome.EMPTY),
        (Text("", thinking="Action: 2"), AnswerOutcome.EMPTY),
        (Text("Action: 2", finish="length"), AnswerOutcome.TRUNCATED),
    ],
    ids=str,
)
def test_a_reply_without_a_usable_answer_is_a_fault_of_the_model(
    connect: Any, question: Any, reply: Text, outcome: AnswerOutcome
) -> None:
    fault = fault_after(connect, question, reply)
    assert (fault.outcome, fault.raw_output) == (outcome, reply.text or "")
    assert fault.usage is not None
    assert (fault.usage.prompt_tokens, fault.retry_after) == (321, None)


FILTERED = Body(b'{"error": {"code": "content_filter", "message": "not this"}}', status=400)
DECLINED = Body(b'{"content": [], "stop_reason": "refusal", "stop_details": {"category": "bio", "explanation": null}}')


@pytest.mark.parametrize(
    ("kind", "reply", "words"),
    [
        ("openai", Refusal("I only do text."), "I only do text."),
        ("openai", Text("Action: 2", finish="content_filter"), "content filter"),
        ("openai", FILTERED, "not this"),
        ("anthropic", Refusal("I only do text."), "I only do text."),
        ("anthropic", Text("Action: 2", finish="content_filter"), "no reason is given"),
        ("anthropic", DECLINED, "bio"),
    ],
    ids=str,
)
def test_a_refusal_is_a_refusal(connect_as: Any, question: Any, kind: str, reply: Reply, words: str) -> None:
    fault = fault_after(lambda server: connect_as(kind, server), question, reply)
    assert (fault.outcome, fault.permanent) == (AnswerOutcome.REFUSED, False)
    assert words in fault.message


def test_a_context_that_is_full_cuts_a_reply_off(connect_as: Any, question: Any) -> None:
    reply = Text("Action: 2", finish="model_context_window_exceeded")
    fault = fault_after(lambda server: connect_as("anthropic", server), question, reply)
    assert fault.outcome is AnswerOutcome.TRUNCATED


# --- no reply of the model at all ------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [Hang(), Trickle(), TrickleHeaders()], ids=lambda reply: type(reply).__name__)
def test_a_reply_that_is_not_whole_in_time_is_given_up(connect_openai: Any, question: Any, reply: Reply) -> None:
    fault = fault_after(connect_openai, question, reply, read_timeout=SHORT)
    assert (fault.outcome, fault.trouble) == (INFRASTRUCTURE, Trouble.SLOW)
    assert f"within {SHORT} s" in fault.message
    assert "read_timeout" in fault.message


def test_the_time_for_a_reply_follows_from_the_replies_so_far(
    connect_openai: Any, question: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first reply may take long, since the model may have to be loaded; later ones three times the slowest."""
    monkeypatch.setattr(chat_adapter, "SHORTEST_WAIT", 0.2)
    monkeypatch.setattr(chat_adapter, "LONGEST_WAIT", 60.0)

    def answer(request: ChatRequest) -> Reply | str:
        time.sleep(0.5 if request.number == 0 else 0.0)
        return Hang() if request.number else action_json("done")

    with serve(answer) as server:
        adapter = connect_openai(server)
        adapter.predict(question())
        fault = fault_of(lambda: adapter.predict(question()))
    assert (fault.trouble, fault.permanent) == (Trouble.SLOW, False)
    assert "within 2 s" in fault.message


class Polled(OllamaVLMAdapter):
    """Waits before each request."""

    seconds = 0.0

    def exchange(self, body: chat_adapter.Body, deadline: float) -> chat_adapter.Body:
        self.pause(self.seconds, deadline)
        return super().exchange(body, deadline)


def test_a_poll_that_came_too_late_may_come_as_late_when_it_is_made_again(
    question: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_adapter, "SHORTEST_WAIT", 1.0)
    with serve(lambda request: action_json("done")) as server:
        adapter = Polled(MODEL, base_url=server.ollama_url)
        adapter.predict(question())
        adapter.seconds = 1.2
        assert fault_of(lambda: adapter.predict(question())).trouble is Trouble.SLOW
        assert adapter.predict(question()).action == 6


def test_a_refused_connection_tells_the_address_and_what_to_start(connect: Any, question: Any) -> None:
    address = refused_address()
    with serve(lambda request: "") as server:
        adapter = connect(server, base_url=address)
    fault = fault_of(lambda: adapter.predict(question()))
    assert fault.outcome is INFRASTRUCTURE
    assert f"no connection to {address}" in fault.message
    assert "Connection refused): start" in fault.message


def test_a_connection_that_is_cut_is_told_so(connect: Any, question: Any) -> None:
    fault = fault_after(connect, question, Drop())
    assert (fault.outcome, fault.trouble, fault.permanent) == (INFRASTRUCTURE, Trouble.UNREACHABLE, False)
    assert "was lost before the end of the reply" in fault.message


@pytest.mark.parametrize(
    "huge",
    [
        Huge(20_000_000, True),
        Huge(20_000_000, False),
        Huge(20_000_000, status=500),
        Huge(20_000_000, status=302, headers={"Location": "http://elsewhere.invalid/"}),
    ],
    ids=["announced", "not announced", "error", "redirect"],
)
def test_a_reply_that_is_too_large_is_not_read_to_its_end(connect_openai: Any, question: Any, huge: Huge) -> None:
    fault = fault_after(connect_openai, question, huge, max_reply_bytes=100_000)
    assert fault.outcome is INFRASTRUCTURE
    assert "larger than 100000 bytes (max_reply_bytes)" in fault.message
    assert huge.sent < huge.size


def test_20_megabytes_are_too_large_unless_they_are_asked_for(connect_openai: Any, question: Any) -> None:
    huge = Huge(20_000_000)
    assert "larger than 8000000 bytes" in fault_after(connect_openai, question, huge).message
    assert "not a JSON object" in fault_after(connect_openai, question, huge, max_reply_bytes=2**30).message


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_names_where_it_leads(connect_openai: Any, question: Any, status: int) -> None:
    with serve(lambda request: action_json(2)) as elsewhere:
        target = f"{elsewhere.address}/v1/chat/completions"
        fault = fault_after(connect_openai, question, Redirect(target, status))
        assert (fault.outcome, fault.permanent, elsewhere.received) == (INFRASTRUCTURE, True, [])
    assert f"redirects to {target} (HTTP {status})" in fault.message


@pytest.mark.parametrize(
    ("statuses", "trouble", "permanent"),
    [
        ((400, 401, 402, 403, 404, 405, 410, 413, 422), None, True),
        ((425, 500), None, False),
        ((408, 504), Trouble.SLOW, False),
        ((429, 503, 529), Trouble.OVERLOADED, False),
        ((502,), Trouble.UNREACHABLE, False),
    ],
)
def test_an_error_of_the_server_is_told_in_its_own_words_and_may_pass(
    connect_openai: Any, question: Any, statuses: Sequence[int], trouble: Trouble | None, permanent: bool
) -> None:
    for status in statuses:
        fault = fault_after(connect_openai, question, Status(status, "the model needs more memory"))
        found = (fault.outcome, fault.trouble, fault.permanent, fault.retry_after)
        assert found == (INFRASTRUCTURE, trouble, permanent, None), status
        assert f"(HTTP {status})" in fault.message
        assert "the model needs more memory" in fault.message


def test_a_server_that_is_asked_too_much_says_when_to_come_back(connect: Any, question: Any) -> None:
    for status in (429, 503, 529):
        fault = fault_after(connect, question, Status(status, "Overloaded", {"retry-after": "7"}))
        assert (fault.trouble, fault.retry_after, fault.permanent) == (Trouble.OVERLOADED, 7.0, False)


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": "sorry"}',
        b'{"error": {"message": "sorry"}}',
        b'{"message": "sorry"}',
        b'{"detail": "sorry"}',
        b"sorry",
    ],
)
def test_an_error_is_read_in_any_of_the_forms_that_servers_give_it(
    connect_openai: Any, question: Any, body: bytes
) -> None:
    assert "(HTTP 500): sorry" in fault_after(connect_openai, question, Body(body, status=500)).message


@pytest.mark.parametrize(
    ("error", "stated", "trouble", "permanent"),
    [
        ('"code": 429', 429, Trouble.OVERLOADED, False),
        ('"code": "429"', 429, Trouble.OVERLOADED, False),
        ('"code": "rate_limit_exceeded"', 429, Trouble.OVERLOADED, False),
        ('"code": null, "type": "overloaded_error"', 529, Trouble.OVERLOADED, False),
        ('"code": 502', 502, Trouble.UNREACHABLE, False),
        ('"code": 401', 401, None, True),
        ('"code": 500', 500, None, False),
        ('"code": 1', 200, None, False),
        ('"code": [429]', 200, None, False),
    ],
)
def test_the_code_of_an_error_in_a_reply_that_claims_success_stands_for_its_status(
    connect_openai: Any, question: Any, error: str, stated: int, trouble: Trouble | None, permanent: bool
) -> None:
    body = f'{{"error": {{"message": "sorry", {error}}}}}'.encode()
    fault = fault_after(connect_openai, question, Body(body))
    assert (fault.outcome, fault.trouble, fault.permanent) == (INFRASTRUCTURE, trouble, permanent)
    assert f"(HTTP 200{'' if stated == 200 else f', error {stated}'}): sorry" in fault.message
    same = fault_after(connect_openai, question, Body(body, status=500))
    assert (same.permanent, "(HTTP 500): sorry" in same.message) == (False, True)


def test_an_error_in_a_reply_that_claims_success_is_an_error_in_each_protocol(connect: Any, question: Any) -> None:
    fault = fault_after(connect, question, Body(b'{"error": {"message": "out of capacity", "code": 502}}'))
    assert (fault.outcome, "out of capacity" in fault.message) == (INFRASTRUCTURE, True)


@pytest.mark.parametrize(
    ("choice", "words", "trouble"),
    [
        (
            {"error": {"message": "the provider died", "code": 502}},
            "error 502): the provider died",
            Trouble.UNREACHABLE,
        ),
        ({"error": {"message": "sorry"}, "finish_reason": "error"}, "(HTTP 200): sorry", None),
        ({"finish_reason": "error"}, "(HTTP 200): the reply ended with error", None),
        ({"finish_reason": "error", "error": None}, "(HTTP 200): the reply ended with error", None),
    ],
)
def test_an_error_in_the_place_of_an_answer_is_no_answer_of_the_model(
    connect_as: Any, question: Any, choice: dict[str, Any], words: str, trouble: Trouble | None
) -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": ""}, **choice}]}
    with serve(lambda request: Body(json.dumps(body).encode())) as server:
        fault = fault_of(lambda: connect_as("openai", server).predict(question()))
    assert (fault.outcome, fault.trouble, words in fault.message) == (INFRASTRUCTURE, trouble, True)


def test_a_server_that_fails_once_is_well_at_the_next_call(connect: Any, question: Any) -> None:
    with serve_in_turn([Status(500), action_json("toggle")]) as server:
        adapter = connect(server)
        assert fault_of(lambda: adapter.predict(question())).outcome is INFRASTRUCTURE
        assert adapter.predict(question()).action == 5


def test_advice_is_given_where_the_model_or_the_way_to_it_is_wrong(connect_as: Any, question: Any) -> None:
    def advice(kind: str, **options: Any) -> str:
        with serve(lambda request: "") as server:
            return fault_of(lambda: connect_as(kind, server, **options).predict(question())).message

    assert "'absent' not found" in advice("ollama", model="absent")
    assert "'ollama pull absent'" in advice("ollama", model="absent")
    assert "does it have the model 'absent'" in advice("openai", model="absent")
    assert "does it have the model 'absent'" in advice("anthropic", model="absent")
    with serve(lambda request: "") as server:
        adapter = connect_as("openai", server, base_url=server.address)
        assert (
            f"usually ends in /v1: is it {server.openai_url}?" in fault_of(lambda: adapter.predict(question())).message
        )
        adapter = connect_as("openai", server, base_url=f"{server.openai_url}/chat/completions")
        assert f"is it {server.openai_url}?" in fault_of(lambda: adapter.predict(question())).message


# --- when to ask again -----------------------------------------------------------------------------------------

NOW = datetime(2020, 2, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        *(("7", 7.0), ("0", 0.0), ("soon", None), ("-3", None), ("1e9", None), ("", None), ("²", None)),
        *((format_datetime(NOW + timedelta(seconds=ahead), True), max(0.0, ahead)) for ahead in (90, 0, -90)),
    ],
)
def test_seconds_to_wait_are_taken_from_the_reply_and_dates_counted_by_its_clock(
    connect_openai: Any, question: Any, header: str, seconds: float | None
) -> None:
    headers = f"Date: {format_datetime(NOW, True)}\r\nRetry-After: {header}".encode("latin-1")
    reply = Raw(b"HTTP/1.1 429 Too Many\r\n" + headers + b"\r\nContent-Length: 0\r\n\r\n")
    fault = fault_after(connect_openai, question, reply)
    assert (fault.outcome, fault.retry_after) == (INFRASTRUCTURE, seconds)


def test_without_its_clock_a_date_is_counted_by_ours(connect_openai: Any, question: Any) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(days=1), True)
    reply = Raw(f"HTTP/1.1 429 Too Many\r\nRetry-After: {then}\r\nContent-Length: 0\r\n\r\n".encode())
    assert fault_after(connect_openai, question, reply).retry_after == pytest.approx(86_400, abs=600)


# --- replies of another protocol -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b'"Action: 2"',
        b"{}",
        b'{"message": "Action: 2"}',
        b'{"message": {"content": 2}, "done": true}',
        b'{"message": {"content": "Action: 2"}, "done": false}',
        b'{"choices": {}}',
        b'{"choices": []}',
        b'{"choices": [2]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": {"content": 2}}]}',
        b'{"content": "Action: 2"}',
        b'{"content": [{"type": "text"}]}',
        b"[" * 100_000,
        b'{"a": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda body: body[:40].decode("latin-1"),
)
def test_a_reply_that_is_not_of_the_protocol_is_no_answer(connect: Any, question: Any, body: bytes) -> None:
    fault = fault_after(connect, question, Body(body))
    assert fault.outcome is INFRASTRUCTURE
    assert fault.raw_output == "<html>" or body != b"<html>"


def test_what_no_file_can_hold_is_not_kept(connect_openai: Any, question: Any) -> None:
    text = '{"action": 2, "reasoning": "half a character: \\ud800", "more": "\ud800"}'
    with serve_in_turn([text]) as server:
        output = connect_openai(server).predict(question())
    assert output.reasoning == "half a character: ?"
    output.raw_output.encode("utf-8")


WIRE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                b"HTTP/1.1 200 OK\r\n",
                b"HTTP/1.1 302 Found\r\nLocation: ",
                b"HTTP/1.1 100 Continue\r\n\r\n",
                b"HTTP/9 abc\r\n",
                b"Content-Length: 3\r\n",
                b"Content-Length: 3, 4\r\n",
                b"Content-Length: x\r\n",
                b"Transfer-Encoding: chunked\r\n",
                b"Content-Encoding: gzip\r\n",
                b"Content-Encoding: deflate\r\n",
                b"Retry-After: x\r\n",
                b"\r\n",
                b"zz\r\n",
                b"3\r\nabc\r\n",
                b"{}",
            ]
        ),
        st.binary(max_size=20),
    ),
    max_size=8,
).map(b"".join)


@given(WIRE)
@example(b"HTTP/1.1 302 Found\r\nLocation: \x80\r\n\r\n")
def test_whatever_bytes_come_back_it_is_a_fault_of_the_infrastructure(question: Any, wire: bytes) -> None:
    with serve_in_turn([Raw(wire)]) as server:
        adapter = OllamaVLMAdapter(MODEL, base_url=server.ollama_url, read_timeout=1)
        assert fault_of(lambda: adapter.predict(question())).outcome is INFRASTRUCTURE
        adapter.close()


# --- at once ---------------------------------------------------------------------------------------------------


def test_threads_share_an_adapter_without_mixing_their_answers_and_seeds(connect_seeded: Any, question: Any) -> None:
    """Each thread asks for an action of its own by its mission, while all the others are asking, too."""
    barrier = threading.Barrier(4)

    def answer(request: Any) -> str:
        barrier.wait(10)
        return action_json(next(number for number in range(4) if f"mission {number}!" in request.text))

    with serve(answer) as server, ThreadPoolExecutor(4) as pool:
        adapter = connect_seeded(server, seed=1)

        def play(number: int) -> list[ModelOutput]:
            episode = EpisodeInfo(f"task {number}", 0, "", 5)
            return [adapter.predict(question(text_prompt=f"mission {number}!", episode=episode)) for _ in range(3)]

        played = list(pool.map(play, range(4)))
    assert [[output.action for output in outputs] for outputs in played] == [[number] * 3 for number in range(4)]
    assert len({chat.body.get("options", chat.body)["seed"] for chat in server.chats}) == 4
