"""``multinet runs show --episode --step``: what was sent for a step, as the server received it."""

import json
import shutil
from base64 import b64encode
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gridworld_minigrid import MiniGridBackend
from support.commands import multinet
from support.model_servers import ChatServer, failed, said
from support.run_folders import play_corridor


class Played(NamedTuple):
    """A run, and the requests that the server received."""

    run: Path
    bodies: list[dict[str, Any]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A conversation in which the second request failed and was repeated."""
    folder = tmp_path_factory.mktemp("shown")
    shown = ("--observation", "image+text", "--context", "conversation", "-B", "tile_size=8", "-M", "seed=3")
    with ChatServer(lambda body, number: failed(503, "busy") if number == 1 else said("move_forward")) as server:
        finished = play_corridor(folder, server, *shown)
    assert finished.exit_code == 0, finished.stderr
    return Played(folder / "run", server.bodies)


def show(run: Path, *options: object) -> Any:
    finished = multinet("runs", "show", run, "--json", *options)
    assert (finished.exit_code, finished.stderr) == (0, "")
    return json.loads(finished.stdout)


def as_received(sent: dict[str, Any]) -> list[dict[str, Any]]:
    """Shown messages in the protocol of the server, with the pictures in their files."""
    return [{"role": each["role"], "content": content(each["parts"])} for each in sent["messages"]]


def content(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    pieces: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        if part["kind"] == "image":
            picture = b64encode(Path(part["file"]).read_bytes()).decode()
            pieces.append({"type": "text", "text": f"{part['label']}:"})
            pieces.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}})
        elif number and parts[number - 1]["kind"] == "text":
            pieces[-1]["text"] += part["text"]
        else:
            pieces.append({"type": "text", "text": part["text"]})
    return pieces if any(part["kind"] == "image" for part in parts) else "".join(each["text"] for each in pieces)


@pytest.mark.parametrize(
    ("step", "numbers", "counts"), [(1, [0], [True]), (2, [1, 2], [False, True]), (3, [3], [True])]
)
def test_requests_are_shown_as_the_server_received_them(
    played: Played, tmp_path: Path, step: int, numbers: list[int], counts: list[bool]
) -> None:
    shown = show(played.run, "--episode", 0, "--step", step, "--images", tmp_path / "pictures")
    assert [each["counts"] for each in shown["requests"]] == counts
    sent = [each["sent"][0] for each in shown["requests"]]
    bodies = [played.bodies[number] for number in numbers]
    assert [as_received(each) for each in sent] == [each["messages"] for each in bodies]
    assert [each["seed"] for each in sent] == [each["seed"] for each in bodies]
    assert [each["schema"] for each in sent] == [each["response_format"]["json_schema"]["schema"] for each in bodies]
    assert [each["settings"] for each in sent] == [
        {name: each[name] for name in ("temperature", "max_tokens")} for each in bodies
    ]
    assert shown["not_drawn"] == ""


def test_each_line_is_shown_after_the_names_of_its_parts(played: Played) -> None:
    lines = multinet("runs", "show", played.run, "--episode", 0, "--step", 2).stdout.splitlines()
    assert [line for line in lines if line.startswith("request ")] == [
        "request 1 of 2 for step 2: infrastructure, repeated",
        "request 2 of 2 for step 2: ok",
    ]
    named = [[each.strip() for each in line.split(" | ", 1)] for line in lines if " | " in line]
    assert ["mission", "Mission: reach the goal"] in named
    pictures = [text for name, text in named if name == "observation" and text.startswith("[picture ")]
    assert len(pictures) == 4
    assert all(text.endswith(": Current observation] drawn again, the same pixels") for text in pictures)
    assert sum(line.startswith("--- sent with temperature 0.0, max_tokens 2048, seed ") for line in lines) == 2


def test_a_picture_that_is_drawn_otherwise_is_not_passed_off(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    render: Any = MiniGridBackend.render
    monkeypatch.setattr(MiniGridBackend, "render", lambda backend: 255 - render(backend))
    shown = show(played.run, "--episode", 0, "--step", 1, "--images", tmp_path / "pictures")
    parts = [part for each in shown["requests"][0]["sent"][0]["messages"] for part in each["parts"]]
    observed = [part for part in parts if part["kind"] == "image" and part["name"] == "observation"]
    assert [(part["drawn"], "file" in part) for part in observed] == [(False, False)]


def test_a_run_that_cannot_be_played_again_is_shown_without_pictures(played: Played, tmp_path: Path) -> None:
    run = Path(shutil.copytree(played.run, tmp_path / "run"))
    file = run / "episodes" / "0.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines[1]["request"]["action"] = 9
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert show(run, "--episode", 0, "--step", 2)["not_drawn"].startswith("action 9 is not in the action space")
    reported = multinet("report", run, "-o", tmp_path / "report.html")
    assert (reported.exit_code, "Traceback" in reported.stderr) == (1, False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--episode", 0, "--step", 99), "episode 0 has no request for step 99: expected a step from 1 to 4"),
        (("--episode", 7, "--step", 1), "no episode 7: expected a number from 0 to 0"),
        (("--episode", 0), "--episode and --step go together"),
        (("--images", "pictures"), "--episode and --step go together"),
    ],
)
def test_what_is_not_there_is_refused(played: Played, options: tuple[object, ...], told: str) -> None:
    finished = multinet("runs", "show", played.run, *options)
    assert finished.exit_code == 2
    assert told in finished.stderr
