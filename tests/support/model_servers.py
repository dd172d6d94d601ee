"""Servers on 127.0.0.1 that speak OpenAI's chat protocol.

`ChatServer` gives the replies of a function; `ModelServer` answers by a script and fails by a seeded schedule:

    with ModelServer(wander, Schedule(seed=3, kinds=("overloaded", "torn"))) as server:
        multinet(..., "-M", f"base_url={server.url}", "-M", f"prompt={write_prompt(folder)}", "-M", "seed=1")
        server.received      # every request, with its texts and what came of it

An answer and a fault follow from the question and from how often that question has come, never from the order in which
questions of several episodes arrive: so runs with any number of workers come out alike. A question is told by the
step and the step budget of its task, which the prompt of `write_prompt` names, by the sampling seed, which differs
between tasks and epochs, and by the system message, which differs between tilings. One that is asked again since the
answer was of no use may have another seed; it is told by the correction in its prompt.
"""

import json
import random
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

MODEL = "scripted"
HANG = 20.0
"""Seconds for which a reply is held back, unless the client goes away before."""


def model_arguments(url: str, *arguments: str) -> tuple[str, ...]:
    """The options for the model ``openai`` behind a server, with further arguments such as ``"seed=1"``."""
    return (
        "-m",
        "openai",
        *(word for each in (f"model={MODEL}", f"base_url={url}", *arguments) for word in ("-M", each)),
    )


@dataclass(frozen=True)
class Raw:
    """A reply: status, contents, and headers beside ``Content-Length``, which is right unless it is among them."""

    status: int
    content: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def said(action: str | None = None, usage: Any = None, text: str | None = None, **answer: Any) -> Raw:
    """A reply of the model: an action and other parts of an answer as JSON, or any text."""
    words = text if text is not None else json.dumps({"reasoning": "so", "action": action, "confidence": 0.5, **answer})
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}}
    return Raw(200, json.dumps({"choices": [choice], "usage": usage}).encode())


def failed(status: int, message: str, **headers: str) -> Raw:
    """An error; names of headers are written with underscores."""
    content = json.dumps({"error": {"message": message}}).encode()
    return Raw(status, content, {name.replace("_", "-"): value for name, value in headers.items()})


RESET, HANGING = Raw(0, b"reset"), Raw(0, b"hanging")
"""A connection that is reset in place of a reply, and one on which none comes."""


class ChatServer:
    """A server for the time of a ``with``.

    Args:
        answer: ``(body of a chat request, its number from 0) -> reply``.
        path: what stands before ``/v1`` in its address.
        models: the list of models, if it is not as usual.
        port: by default any that is free.
        loading: how many requests it answers as llama.cpp's server does while it loads the model.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any], int], Raw],
        path: str = "",
        models: Raw | None = None,
        port: int = 0,
        loading: int = 0,
    ) -> None:
        self.answer = answer
        self.models = models or Raw(200, json.dumps({"data": [{"id": MODEL}]}).encode())
        self.bodies: list[dict[str, Any]] = []
        self.loading = loading
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self._path = path
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.chat_server = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """The base address."""
        return f"http://127.0.0.1:{self.port}{self._path}/v1"

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return self._http.server_port

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.end_connections()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    chat_server: ChatServer

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.connections: set[socket.socket] = set()

    def end_connections(self) -> None:
        """Shut down those that clients keep open, so that their threads end."""
        for each in list(self.connections):
            with suppress(OSError):  # it may have ended by itself
                each.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def do_GET(self) -> None:
        if not self._is_loading():
            self._send(self.server.chat_server.models)

    def do_POST(self) -> None:
        body, chat_server = json.loads(self.rfile.read(int(self.headers["Content-Length"]))), self.server.chat_server
        if self._is_loading():
            return
        with chat_server.lock:
            number = len(chat_server.bodies)
            chat_server.bodies.append(body)
        self._send(chat_server.answer(body, number))

    def _is_loading(self) -> bool:
        """Whether the model is still loaded, which is then the reply."""
        chat_server = self.server.chat_server
        with chat_server.lock:
            chat_server.loading -= 1
            is_loading = chat_server.loading >= 0
        if is_loading:
            self._send(failed(503, "Loading model"))
        return is_loading

    def _send(self, reply: Raw) -> None:
        self.close_connection = reply in (RESET, HANGING) or "Content-Length" in reply.headers
        if reply is RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif reply is HANGING:
            self.server.chat_server.closing.wait(HANG)
        else:
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.content)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Requests are kept, not printed."""


# --- a server that follows a script ----------------------------------------------------------------------------------


Prompt = tuple[tuple[str, str], ...]
"""Role and text of each message in order; pictures and their labels are left out."""
Script = Callable[[int, int], str]
"""``(step budget of the task, step from 1) -> name of an action``"""

ACTIONS = ("turn_left", "turn_right", "move_forward", "pickup", "drop", "toggle", "done")
STEP = re.compile(r"[Tt]his is step (\d+) of at most (\d+)")
TEMPLATE = """\
[system]
You play.

$rules

$legend

$examples

[user]
$mission

You have $pictures.

$text_observation

$history

$feedback

$note

This is step $step of at most $max_steps.

$actions

Corrected: $correction

$answer_format
"""
CORRECTED = "\nCorrected: "


def write_prompt(folder: Path) -> Path:
    """Write a prompt of our own, whose words no change of the built-in ones can alter."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "prompt.txt"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


def wander(max_steps: int, step: int) -> str:
    """Any action, mostly forward; the same one for the same step."""
    return random.Random(f"{max_steps}/{step}").choice((*ACTIONS, "move_forward", "move_forward", "move_forward"))


@dataclass(frozen=True)
class Schedule:
    """Which questions meet which fault.

    A question fails at most twice, and not twice in a row by a lost connection, which the client may or may not count.
    After an answer of no use it is answered, but for a few questions that are never answered in the form asked for.

    Args:
        seed: decides everything.
        kinds: the names of faults in `FAULTS`.
        rate: the share of questions that fail when they come for the first time.
    """

    seed: int = 0
    kinds: tuple[str, ...] = ()
    rate: float = 0.4

    def fault(self, question: tuple[int, int], earlier: int) -> str | None:
        """The fault of a question that came so often before; None for an answer."""
        useless = [kind for kind in self.kinds if kind in USELESS]
        hopeless = random.Random(f"{self.seed}/{question}")
        if useless and hopeless.random() < HOPELESS:
            return hopeless.choice(useless)
        kinds = self.kinds if earlier == 0 else tuple(kind for kind in self.kinds if kind not in ONCE)
        drawn = random.Random(f"{self.seed}/{question}/{earlier}")
        if not kinds or earlier > 1 or drawn.random() >= self.rate / (1 + earlier):
            return None
        return drawn.choice(kinds)


@dataclass(frozen=True)
class Received:
    """A chat request, and what came of it."""

    prompt: Prompt
    pictures: int
    step: int
    max_steps: int
    seed: int | None
    fault: str | None
    prompt_tokens: int
    """Those that the reply reports; 0 where there is no whole reply."""
    completion_tokens: int


# --- faults --------------------------------------------------------------------------------------------------------

REPLIES: dict[str, dict[str, Any]] = {
    "prose": {"content": "I would rather go left, I think."},
    "unfinished": {"finish_reason": "length"},
    "empty": {"content": ""},
    "illegal": {"content": '{"reasoning": "why not", "action": "fly", "actions": ["fly"], "subgoal": "up"}'},
    "refusal": {"refusal": "I cannot help with that."},
    "huge": {},
}
"""Whole replies, with their usage, that say something else."""
STATUSES: dict[str, tuple[int, dict[str, str]]] = {
    "overloaded": (429, {}),
    "overloaded_for_now": (429, {"Retry_After": "0"}),
    "overloaded_for_a_second": (429, {"Retry_After": "1"}),
    "unavailable": (503, {}),
    "broken": (500, {}),
    "bad_request": (400, {}),
}
"""Errors of HTTP: status and headers."""
ONCE = ("reset", "cut")
USELESS = ("prose", "unfinished", "empty", "illegal", "refusal")
HOPELESS = 0.1
"""The share of questions that are never answered in the form asked for, where there are such faults."""
CORRECTION = 99
"""How often a question that is corrected counts as having come before."""
FAULTS = (*REPLIES, *STATUSES, "reset", "cut", "hang", "torn", "page")
"""Every fault: replies that say something else; errors of HTTP; and a connection that is reset or cut in the middle of
a reply, a reply that never comes, JSON that is not complete, and a page of HTML in place of JSON."""


class ModelServer(ChatServer):
    """A server that answers by a script, and fails by a schedule.

    Args:
        script: the model's actions.
        schedule: when it fails instead.
        actions_a_reply: how many actions a reply holds where several are asked for.
        huge: the tokens that a reply claims to have taken after the fault ``huge``.
    """

    def __init__(
        self, script: Script = wander, schedule: Schedule = Schedule(), actions_a_reply: int = 3, huge: int = 10**8
    ) -> None:
        super().__init__(self._answer_or_fail)
        self.script = script
        self.schedule = schedule
        self.actions_a_reply = actions_a_reply
        self.huge = huge
        self.received: list[Received] = []
        self._come = Counter[object]()

    @property
    def prompt_tokens(self) -> int:
        """All that replies have reported."""
        return sum(each.prompt_tokens for each in self.received)

    @property
    def completion_tokens(self) -> int:
        """All that replies have reported."""
        return sum(each.completion_tokens for each in self.received)

    def _answer_or_fail(self, body: dict[str, Any], number: int) -> Raw:
        prompt = prompt_of(body["messages"])
        step, max_steps = map(int, STEP.findall(prompt[-1][1])[-1])
        question = (max_steps, step, body.get("seed"), prompt[0])
        with self.lock:
            earlier = self._come[question]
            self._come[question] += 1
        fault = self.schedule.fault((max_steps, step), CORRECTION if CORRECTED in prompt[-1][1] else earlier)
        reply = self._reply(fault, body, step, max_steps)
        metered = fault is None or fault in REPLIES
        usage = reply["usage"] if metered else {"prompt_tokens": 0, "completion_tokens": 0}
        pictures = json.dumps(body["messages"]).count('"type": "image_url"')
        with self.lock:
            self.received.append(Received(prompt, pictures, step, max_steps, body.get("seed"), fault, **usage))
        return _spoilt(fault, json.dumps(reply))

    def _reply(self, fault: str | None, body: dict[str, Any], step: int, max_steps: int) -> dict[str, Any]:
        words = json.dumps(self._answer(body["response_format"]["json_schema"]["schema"], step, max_steps))
        spoilt = {"finish_reason": "stop"} | REPLIES.get(fault or "", {})
        text = words[: len(words) // 2] if fault == "unfinished" else spoilt.get("content", words)
        message = {"role": "assistant", "content": text, "refusal": spoilt.get("refusal")}
        tokens = self.huge if fault == "huge" else 100 + step
        return {
            "choices": [{"index": 0, "finish_reason": spoilt["finish_reason"], "message": message}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 10},
        }

    def _answer(self, schema: dict[str, Any], step: int, max_steps: int) -> dict[str, Any]:
        said = {
            "reasoning": f"It is step {step}.",
            "subgoal": f"get on from step {step}",
            "action": self.script(max_steps, step),
            "actions": [self.script(max_steps, step + later) for later in range(self.actions_a_reply)],
            "note": f"asked at step {step}",
            "confidence": 0.5,
        }
        return {name: said[name] for name in schema["properties"]}


def _spoilt(fault: str | None, text: str) -> Raw:
    """A reply with a fault that concerns more than what it says."""
    if fault in STATUSES:
        status, headers = STATUSES[fault]
        return failed(status, f"made to fail: {fault}", **headers)
    if fault == "cut":
        return Raw(200, text[:20].encode(), {"Content-Length": str(len(text))})
    spoilt = {"torn": text[: len(text) // 2], "page": "<html>This is a gateway. {</html>"}
    return {"reset": RESET, "hang": HANGING}.get(fault or "", Raw(200, spoilt.get(fault or "", text).encode()))


def prompt_of(messages: Sequence[dict[str, Any]]) -> Prompt:
    """The texts of messages; the text before a picture is its label."""
    return tuple((message["role"], "\n\n".join(_texts(message["content"]))) for message in messages)


def _texts(content: str | list[dict[str, Any]]) -> list[str]:
    if isinstance(content, str):
        return [content]
    following = [*content[1:], {"type": "end"}]
    pairs = zip(content, following, strict=True)
    return [each["text"] for each, then in pairs if each["type"] == "text" and then["type"] != "image_url"]
