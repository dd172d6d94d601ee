"""The page of a game over real HTTP: who is answered, and what is taken for an answer."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from gridworld.runner.record import EndReason
from multinet_eval import EvaluationHarness
from multinet_eval.record.task_result import TaskResult
from multinet_report.play.person_model import PersonModel
from support.players import PagePlayer
from support.worlds import draw

TASK = draw("#####\n#@.G#\n#####", max_steps=9)
FORWARD = "2"


class Played:
    """A maze that somebody plays, two steps from its goal."""

    def __init__(self) -> None:
        self.person = PersonModel(open=False)
        self.page = PagePlayer(self.person.address)
        self._thread = ThreadPoolExecutor(1)
        self._result = self._thread.submit(EvaluationHarness(self.person).evaluate_task, TASK)
        self.page.read_on()

    def result(self) -> TaskResult:
        """What came of it."""
        return self._result.result(30)

    def finish(self) -> None:
        """Let it come to its end."""
        if not self._result.done():
            self.page.answer("give up", number=json.loads(self.page.get("view").content)["number"])
        self.result()
        closed = self._thread.submit(self.person.close)
        while not self.page.present.get("final"):
            self.page.view()
        closed.result(30)
        self._thread.shutdown()


@pytest.fixture
def played() -> Iterator[Played]:
    """A maze to play."""
    game = Played()
    yield game
    game.finish()


@pytest.fixture(scope="module")
def untouched() -> Iterator[Played]:
    """A maze in which nothing has been done, nor may be."""
    game = Played()
    yield game
    present = json.loads(game.page.get("view").content)
    game.finish()
    assert (present["kind"], present.get("step")) == ("question", 0)


def test_the_page_may_load_nothing_and_be_shown_in_no_frame(untouched: Played) -> None:
    reply = untouched.page.get("")
    policy = reply.headers["Content-Security-Policy"]
    assert reply.status == 200
    assert b"<title>Play</title>" in reply.content
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert "*" not in policy
    assert reply.headers["Referrer-Policy"] == "no-referrer"
    assert {untouched.page.get(path).headers["Cache-Control"] for path in ("", "view", "instructions")} == {"no-store"}


@pytest.mark.parametrize("path", ["/", "/view", "/wrong/", "/wrong/view", "/%00/", "/caf%C3%A9/view"])
def test_without_the_token_nothing_is_answered(untouched: Played, path: str) -> None:
    for method in ("GET", "POST", "PUT"):
        reply = untouched.page.request(method, path, {"Origin": untouched.page.origin})
        assert (reply.status, TASK.task_id.encode() in reply.content) == (403, False)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[", "a@b:{port}", ""]
)
def test_a_name_that_leads_here_is_not_the_address_of_the_page(untouched: Played, host: str) -> None:
    given = host.format(port=untouched.page.port)
    assert untouched.page.get("view", Host=given).status in (400, 403)


def test_this_machine_has_several_names(untouched: Played) -> None:
    port = untouched.page.port
    assert [untouched.page.get("view", Host=f"{name}:{port}").status for name in ("localhost", "[::1]")] == [200, 200]


def test_who_is_served_at_all_addresses_may_use_each_but_no_name() -> None:
    person = PersonModel(host="0.0.0.0", open=False)
    assert "anyone with this address can play, and the connection is not encrypted" in person.notice()
    page = PagePlayer(person.address)
    hosts = {"127.0.0.1": 200, "localhost": 200, "192.0.2.7": 200, "[2001:db8::1]": 200, "evil.example": 403}
    assert {host: page.get("instructions", Host=f"{host}:{page.port}").status for host in hosts} == hosts
    person.close()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
def test_other_origins_can_neither_look_nor_play(untouched: Played, origin: str) -> None:
    given = origin.format(port=untouched.page.port)
    body = json.dumps(untouched.page.answer_to(FORWARD)).encode()
    assert untouched.page.post(body, Origin=given) == 403
    assert untouched.page.get("view", Origin=given).status == 403
    assert untouched.page.get("view", **{"Sec-Fetch-Site": "cross-site"}).status == 403
    assert untouched.page.get("", **{"Sec-Fetch-Site": "cross-site"}).status == 200  # a link in a letter
    assert json.loads(untouched.page.get("view").content) == untouched.page.present


def test_an_answer_says_where_it_comes_from(untouched: Played) -> None:
    body = json.dumps(untouched.page.answer_to(FORWARD)).encode()
    path, kind = f"{untouched.page.folder}answer", {"Content-Type": "application/json"}
    assert untouched.page.request("POST", path, kind, body).status == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"", 400),
        (b"\xff\xfe", 400),
        (b"[" * 4000, 400),
        (b"null", 400),
        (b"[]", 400),
        (b'{"number": 1}', 400),
        (b'{"number": true, "choice": "2", "by": "", "active": 0}', 400),
        (b'{"number": 1.5, "choice": "2", "by": "", "active": 0}', 400),
        (b'{"number": 1, "choice": 2, "by": "", "active": 0}', 400),
        (b'{"number": 1, "choice": "2", "by": "", "active": -1}', 400),
        (b'{"number": 1, "choice": "2", "by": "", "active": NaN}', 400),
        (b'{"number": 1, "choice": "2", "by": "", "active": Infinity}', 400),
        (b'{"number": 1, "choice": "2", "by": "", "active": true}', 400),
        (b" " * 5000, 413),
        (b" " * 500_000, 413),
    ],
    ids=lambda given: repr(given)[:40],
)
def test_what_is_no_answer_is_refused_and_changes_nothing(untouched: Played, body: bytes, status: int) -> None:
    assert untouched.page.post(body) == status
    assert json.loads(untouched.page.get("view").content) == untouched.page.present


@pytest.mark.parametrize("choice", ["7", "-1", "", "go on", "2 ", "\ud800", "x" * 3000])
def test_what_is_not_offered_cannot_be_chosen(untouched: Played, choice: str) -> None:
    assert untouched.page.answer(choice) == 400


def test_answers_are_json(untouched: Played) -> None:
    body = json.dumps(untouched.page.answer_to(FORWARD)).encode()
    assert untouched.page.post(body, **{"Content-Type": "text/plain"}) == 415


def test_there_is_nothing_else(untouched: Played) -> None:
    assert [untouched.page.get(path).status for path in ("x", "../", "page.html", "view/", "answer")] == [404] * 4 + [
        405
    ]
    assert [untouched.page.get(f"view?after={number}").status for number in ("x", "-1", "9" * 20, "%C2%B2")] == [
        400
    ] * 4


def test_of_two_tabs_each_shows_what_the_other_has_done(played: Played) -> None:
    other = PagePlayer(played.person.address)
    assert other.view() == played.page.present
    assert played.page.answer(FORWARD) == 204
    assert other.answer(FORWARD) == 409
    assert other.view() == played.page.view()
    assert other.present["step"] == 1


def test_nothing_can_be_done_after_the_end(played: Played) -> None:
    asked = played.page.present
    assert played.page.play([2, 2])["kind"] == "message"
    assert played.page.answer(FORWARD) == 400
    assert played.page.answer(FORWARD, number=asked["number"]) == 409
    assert played.result().steps_taken == 2


def test_the_seconds_of_a_request_are_those_for_which_the_page_was_to_be_seen(played: Played) -> None:
    played.page.answer(FORWARD, active=0.001)
    played.page.view()
    played.page.answer(FORWARD, active=1e6)
    result = played.result()
    first, second = (step.requests[0].usage for step in result.recording.steps)
    assert first is not None
    assert first.seconds == 0.001
    assert second is not None
    assert second.seconds is not None
    assert second.seconds < 60


def test_a_maze_that_is_given_up_is_refused_to_its_end(played: Played) -> None:
    played.page.answer(FORWARD)
    played.page.view()
    assert played.page.answer("give up") == 204
    result = played.result()
    assert (result.success, result.recording.end.reason) == (False, EndReason.BUDGET)
    assert [step.requests[0].outcome.value for step in result.recording.steps] == ["ok", *["refused"] * 8]
