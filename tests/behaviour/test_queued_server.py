"""The adapter in the documentation, for a server with two kinds of requests for an answer."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import load_registry, using_registry
from support.commands import Finished, run_eval
from support.model_servers import Raw, failed, said
from support.plugins import install_models
from support.task_files import write_tasks

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "plugins" / "adapter.md"


class Queue:
    """Jobs of a server: the replies to each request, by ``(method, number among those of its method)``."""

    def __init__(self, answer: Callable[["Queue", str, str], Raw]) -> None:
        self.answer = answer
        self.requests: list[tuple[str, str, str | None]] = []
        self.bodies: list[dict[str, Any]] = []
        self.looked_at: dict[str, int] = {}
        self.lock = threading.Lock()

    def submit(self) -> Raw:
        """Take a job."""
        return Raw(202, json.dumps({"id": str(len(self.bodies)), "state": "waiting"}).encode())

    def look(self, path: str) -> Raw:
        """The state of a job, which is done when it is looked at for the second time."""
        job = path.rpartition("/")[2]
        self.looked_at[job] = self.looked_at.get(job, 0) + 1
        if self.looked_at[job] < 2:
            return Raw(200, json.dumps({"id": job, "state": "waiting"}).encode())
        response = json.loads(said(action="move_forward").content)
        return Raw(200, json.dumps({"id": job, "state": "done", "response": response}).encode())


@contextmanager
def serving(queue: Queue) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, method: str, body: dict[str, Any] | None = None) -> None:
            with queue.lock:
                queue.requests.append((method, self.path, self.headers["Authorization"]))
                if body is not None:
                    queue.bodies.append(body)
                reply = queue.answer(queue, method, self.path)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.content)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Requests are kept, not printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1"
        http.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _queued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    found = re.search(r'title="src/my_package/queued.py"\n(.*?)^```', PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    source = found[1].replace("self.pause(0.2, ", "self.pause(0.01, ")
    install_models(monkeypatch, tmp_path / "queued_adapter", source, {"queued": "QueuedAdapter"})
    with using_registry(load_registry()):
        yield


def corridor(folder: Path) -> Path:
    write_tasks(folder)
    for path in folder.glob("*.json"):
        if path.stem != "corridor":
            path.unlink()
    return folder


def played(url: str, tmp_path: Path) -> Finished:
    arguments = ["--benchmark", "directory", "--task-dir", corridor(tmp_path / "tasks"), "--json", "--model", "queued"]
    return run_eval(
        *arguments, "-M", "model=m", "-M", f"base_url={url}", "-M", "api_key_env=QUEUED_KEY",
        "--run-dir", tmp_path / "run", QUEUED_KEY="sesame-9f31",
    )  # fmt: skip


def listed(queue: Queue, method: str, path: str) -> Raw:
    """A list of models, a job, or its state."""
    if path.endswith("/models"):
        return Raw(200, json.dumps({"data": [{"id": "m"}]}).encode())
    return queue.submit() if method == "POST" else queue.look(path)


def test_each_answer_is_submitted_and_asked_for_until_it_is_there(tmp_path: Path) -> None:
    queue = Queue(listed)

    with serving(queue) as url:
        run = played(url, tmp_path)

    assert run.exit_code == 0, run.stderr
    assert json.loads(run.stdout)["num_success"] == 1
    asked = [each for each in queue.requests if not each[1].endswith("/models")]
    jobs = [(method, path) for method, path, _ in asked]
    assert jobs == [
        each
        for job in range(1, len(queue.bodies) + 1)
        for each in [("POST", "/v1/jobs"), *[("GET", f"/v1/jobs/{job}")] * 2]
    ]
    assert len(queue.bodies) == json.loads(run.stdout)["mean_answered"] == 2
    assert {authorization for *_, authorization in asked} == {"Bearer sesame-9f31"}


def test_a_state_that_is_no_object_is_a_fault_and_a_part_that_the_server_refuses_is_left_out(tmp_path: Path) -> None:
    def answer(queue: Queue, method: str, path: str) -> Raw:
        if method == "POST" and "response_format" in queue.bodies[-1]:
            return failed(400, "response_format is not supported")
        first = len(queue.bodies) == 2 and method == "GET" and not path.endswith("/models")
        return Raw(200, b"[]") if first else listed(queue, method, path)

    queue = Queue(answer)
    with serving(queue) as url:
        run = played(url, tmp_path)

    results = json.loads(run.stdout)
    assert run.exit_code == 0, run.stderr
    assert (results["num_success"], sum(results["outcomes"].values())) == (1, 2)
    assert [("response_format" in body) for body in queue.bodies] == [True, *[False] * (len(queue.bodies) - 1)]
    assert len(queue.bodies) == 4
