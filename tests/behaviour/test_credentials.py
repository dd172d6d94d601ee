"""No file of a run and no output holds a credential, whatever the server replies and wherever it is cut."""

import json
from pathlib import Path

import pytest

from support.commands import Finished, multinet
from support.model_servers import MODEL, ChatServer, Raw, failed, said
from support.run_folders import play_corridor
from support.thoroughness import first_by_default

KEY = "sk-live-7Qw2Zr9Xk4Lm8Np1Vb6Tc3Yd5H"
WHOLE = len(KEY)
TELLING = KEY[:8]
"""The beginning of the key, which may not be found anywhere."""


def play(folder: Path, server: ChatServer, *arguments: str, key: str = KEY, asked: bool = True) -> Finished:
    options = ("-M", "api_key_env=THE_KEY", "--on-infrastructure", "fail", "--patience", "0", *arguments)
    finished = play_corridor(folder, server, *options, length=3, max_steps=4, THE_KEY=key)
    assert bool(server.bodies) == asked, finished.stderr
    return finished


def checked(server: ChatServer, *options: str, key: str = KEY) -> Finished:
    model = ("-M", f"model={MODEL}", "-M", f"base_url={server.url}", "-M", "api_key_env=THE_KEY")
    return multinet("models", "check", "openai", *model, *options, THE_KEY=key)


def written(folder: Path) -> str:
    assert (folder / "run").is_dir()
    return "\n".join(path.read_text() for path in sorted((folder / "run").rglob("*")) if path.is_file())


def check(found: str, redacted: bool = True) -> None:
    assert TELLING not in found
    assert KEY[-8:] not in found
    assert ("[credential]" in found) == redacted


PADDED = [size - WHOLE + 1 for size in (500, 10_000)]
"""Lengths of text before the key such that limits of 500 and 10,000 characters cut off its last one."""


START = "http://elsewhere.invalid/?key="
FIRST = said("turn_left", actions=["turn_left"])
"""The first answer, since a run without any is not recorded."""
REPLIES = {
    **{
        f"error {status} cut at {padding}": failed(status, "x" * padding + KEY + "y" * 600)
        for status in (400, 500)
        for padding in PADDED
    },
    **{
        f"page cut at {padding}": Raw(502, b" " + b"x" * (padding - 1) + KEY.encode() + b"y" * 100)
        for padding in (10_000 - WHOLE + 1, 10_000 - 12)
    },
    "page that ends in the key": Raw(502, f"wrong key {KEY[:-1]}".encode()),
    "message cut by the server": failed(400, f"wrong key {KEY[:-1]}… (cut)"),
    "redirect": Raw(307, b"", {"Location": f"{START}{'x' * (300 - WHOLE + 1 - len(START))}{KEY}&more={'y' * 300}"}),
    **{
        f"action cut at {length}": said(
            text=json.dumps({"reasoning": "", **{name: {"x" * (length - 30): KEY} for name in ("action", "actions")}})
        )
        for length in (60, 70)
    },
}
"""Replies with the key, mostly where a text is cut off."""


@first_by_default("reply", REPLIES)
def test_a_reply_with_the_key(tmp_path: Path, reply: str) -> None:
    with ChatServer(lambda body, number: REPLIES[reply] if number else FIRST) as server:
        finished = play(tmp_path, server, *(("--protocol", "chunk:3") if reply.startswith("action") else ()))
    check(written(tmp_path) + finished.stdout + finished.stderr)


@pytest.mark.more
def test_a_key_that_json_escapes(tmp_path: Path) -> None:
    escaped = "".join(f"\\u{ord(each):04x}" for each in KEY)
    content = f'{{"error": {{"message": "wrong key {escaped}"}}}}'.encode()
    with ChatServer(lambda body, number: Raw(400, content) if number else FIRST) as server:
        finished = play(tmp_path, server)
    check(written(tmp_path) + finished.stdout + finished.stderr)
    assert escaped[:60].replace("\\", "") not in written(tmp_path).replace("\\", "")


@pytest.mark.parametrize("spelled", [KEY, "".join(f"\\u{ord(each):04x}" for each in KEY)], ids=["plain", "escaped"])
def test_the_parts_of_an_answer(tmp_path: Path, spelled: str) -> None:
    words = (
        f'{{"reasoning": "I am {spelled}", "subgoal": "use {spelled}", "actions": ["move_forward"], '
        f'"note": "keep {spelled}", "confidence": 0.5}}'
    )
    with ChatServer(lambda body, number: said(text=words)) as server:
        finished = play(tmp_path, server, "--protocol", "subgoal", "--memory", "notes")
    assert finished.exit_code == 0, finished.stderr
    check(written(tmp_path) + finished.stdout + finished.stderr)
    assert '"note":"keep [credential]"' in written(tmp_path)
    assert '"subgoal":"use [credential]"' in written(tmp_path)
    assert KEY not in json.dumps(server.bodies)


def test_what_a_server_says_of_what_it_refuses(tmp_path: Path) -> None:
    def answer(body: dict[str, object], number: int) -> Raw:
        refused = "response_format" in body
        return failed(400, f"response_format {'x' * 450} {KEY}") if refused else said(text="Action: move_forward")

    with ChatServer(answer) as server:
        finished = play(tmp_path, server)
    assert finished.exit_code == 0, finished.stderr
    assert '"adjustment"' in written(tmp_path)
    check(written(tmp_path) + finished.stdout + finished.stderr)


@first_by_default("output", [(), ("--json",)])
def test_models_check(output: tuple[str, ...]) -> None:
    told = f"{'x' * (500 - WHOLE + 1)}{KEY}{'y' * 600}"
    models = Raw(200, json.dumps({"data": [{"id": f"one-{KEY}"}]}).encode())
    for answer in (lambda body, number: said(text=told), lambda body, number: failed(400, told)):
        with ChatServer(answer, models=models) as server:
            finished = checked(server, *output)
        check(finished.stdout + finished.stderr)


# --- keys that are ordinary words or numbers ---


@first_by_default("key", ["1", "100", "null", MODEL])
def test_a_key_that_occurs_in_every_reply_spoils_none(tmp_path: Path, key: str) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "prompt_tokens_details": None}
    words = json.dumps({"reasoning": f"it is {key}", "action": "move_forward", "confidence": 1, "note": None})
    with ChatServer(lambda body, number: said(text=words, usage=usage)) as server:
        finished = play(tmp_path, server, key=key)
    assert finished.exit_code == 0, finished.stderr
    assert len(server.bodies) == 3
    assert '"reasoning":"it is [credential]"' in written(tmp_path)
    assert '"prompt_tokens":100,"completion_tokens":1' in written(tmp_path)
    assert multinet("runs", "verify", tmp_path / "run").exit_code == 0


def test_a_key_that_is_a_number_leaves_the_time_to_wait(tmp_path: Path) -> None:
    def answer(body: dict[str, object], number: int) -> Raw:
        return failed(429, "too fast", Retry_After="1") if number == 0 else said("move_forward")

    with ChatServer(answer) as server:
        finished = play(tmp_path, server, key="1")
    assert '"retry_after":1.0' in written(tmp_path), finished.stderr


@first_by_default("key", ["1", "null", MODEL])
def test_models_check_with_a_key_that_occurs_in_every_reply(key: str) -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "prompt_tokens_details": None}
    with ChatServer(lambda body, number: said("move_forward", usage)) as server:
        finished = checked(server, "--json", key=key)
    passed = {check["name"]: check["passed"] for check in json.loads(finished.stdout)["checks"]}
    assert passed["it has the model"]
    assert passed["format of the answer"]
    assert "is not in the server's list" not in finished.stdout


# --- addresses -----------------------------------------------------------------------------------------------------


def test_an_address_with_the_configured_key_is_refused_before_anything_is_recorded(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: said("move_forward"), path=f"/{KEY}") as server:
        finished = play(tmp_path, server, asked=False)
    assert finished.exit_code == 2
    assert "base_url contains the credential in the environment variable 'THE_KEY'" in finished.stderr
    assert not (tmp_path / "run").exists()
    check(finished.stdout + finished.stderr, redacted=False)


SEGMENT = "tk-4f9a8b7c6d5e4f3a2b1c0d9e"


def test_what_looks_like_a_key_in_the_path_of_an_address_is_not_recorded(tmp_path: Path) -> None:
    def answer(body: dict[str, object], number: int) -> Raw:
        return said("move_forward") if number < 2 else failed(500, "no")

    with ChatServer(answer, path=f"/{SEGMENT}") as server:
        finished = play(tmp_path, server)
        assert finished.exit_code == 1
        assert SEGMENT not in written(tmp_path) + finished.stdout + finished.stderr
        server.answer = lambda body, number: said("move_forward")
        arguments = ("runs", "resume", tmp_path / "run", "--retry-faults")
        refused = multinet(*arguments, THE_KEY=KEY)
        assert refused.exit_code == 2
        assert "credentials are not recorded: give --base-url URL again" in refused.stderr
        resumed = multinet(*arguments, "--base-url", server.url, THE_KEY=KEY)
    assert resumed.exit_code == 0, resumed.stderr
    assert SEGMENT not in written(tmp_path) + resumed.stdout + resumed.stderr
    assert multinet("runs", "verify", tmp_path / "run").exit_code == 0


def test_what_looks_like_a_key_in_an_address_is_not_in_what_a_lost_server_leaves_behind(tmp_path: Path) -> None:
    with ChatServer(lambda body, number: Raw(200, b"{", {"Content-Length": "900"}), path=f"/{SEGMENT}") as server:
        finished = play(tmp_path, server)
    assert finished.exit_code == 1
    assert "was lost before the end of the reply" in written(tmp_path)
    assert SEGMENT not in written(tmp_path) + finished.stdout + finished.stderr
    with ChatServer(lambda body, number: failed(500, "no"), path=f"/{SEGMENT}") as server:
        finished = checked(server)
    assert SEGMENT not in finished.stdout + finished.stderr
