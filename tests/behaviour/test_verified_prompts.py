"""Verification renders the prompts of a recorded run again, from what is kept in it alone."""

import json
import shutil
from collections.abc import Callable
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridworld_minigrid import MiniGridBackend
from multinet_adapters import prompt_parts
from multinet_eval.record.fingerprint import prompt_digest
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.plugin_objects import make_model
from multinet_eval.verify import asked_prompts
from support.commands import multinet
from support.forked import play
from support.model_servers import ChatServer, said, write_prompt
from support.run_folders import play_corridor
from support.runs import record_run
from support.worlds import corridor

KEY = "verified-key-5512"
FIRST = "episodes/0.jsonl, line 2: request.sent[0]"
"""Place of the first request."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with pictures and texts, whose template and credential came from outside of it."""
    folder = tmp_path_factory.mktemp("played")
    model = ("-M", f"prompt={write_prompt(folder)}", "-M", "api_key_env=VERIFIED_KEY", "-M", "seed=3")
    shown = ("--observation", "image+text", "--feedback", "effect", "-B", "tile_size=8")
    with ChatServer(lambda body, number: said("move_forward")) as server:
        finished = play_corridor(folder, server, *model, *shown, VERIFIED_KEY=KEY)
    assert finished.exit_code == 0, finished.stderr
    (folder / "prompt.txt").unlink()
    return folder / "run"


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(played, tmp_path / "run"))


def verified(run: Path) -> dict[str, Any]:
    finished = multinet("runs", "verify", run, "--json")
    assert "Traceback" not in finished.stderr
    found: dict[str, Any] = json.loads(finished.stdout)["runs"][0]
    assert finished.exit_code == int(not found["consistent"])
    return found


def told(run: Path, kind: str = "problems") -> list[str]:
    """What is found, with places relative to the run's folder."""
    return [f"{each['path']}: {each['message']}".replace(f"{run}/", "") for each in verified(run)[kind]]


def change_manifest(run: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    change(manifest)
    (run / "run.json").write_text(json.dumps(manifest), encoding="utf-8")


def change_requests(run: Path, change: Callable[[dict[str, Any]], Any], most: int = 1) -> None:
    """Change the first requests of an episode."""
    file = run / "episodes" / "0.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for request in [line["request"] for line in lines if "request" in line][:most]:
        change(request)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def keep_text(run: Path, text: str) -> str:
    """Keep a text in a run, and return its digest."""
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    (run / "texts" / f"{digest}.txt").write_text(text, encoding="utf-8")
    return digest


def test_a_run_is_verified_without_its_credential_template_and_server(run: Path) -> None:
    assert (told(run), told(run, "unchecked")) == ([], [])
    assert verified(run)["complete"]


def test_a_changed_template_is_found_although_all_digests_agree(run: Path) -> None:
    manifest = RunDirectory(run).manifest
    kept = run / "texts" / f"{manifest.files['prompt']}.txt"
    other = keep_text(run, kept.read_text(encoding="utf-8").replace("You play.", "You play well."))
    kept.unlink()
    arguments = [each for each in manifest.settings.model_arguments if not each.startswith(("prompt=", "api_key_env="))]
    model = make_model("openai", [*arguments, f"prompt={run / 'texts' / other}.txt"])
    digest = prompt_digest(model, manifest.settings)
    change_manifest(run, lambda data: (data["files"].update(prompt=other), data["fingerprint"].update(prompt=digest)))

    (problem,) = told(run)
    assert problem.startswith(f'{FIRST}.messages[0][1]: found "You play.\\n')
    assert ', expected "You play well.\\n' in problem


def test_a_changed_renderer_of_texts_is_found(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_parts, "action_lines", lambda space: "0: turn_left, and more")
    digest, text = told(run)
    assert digest.startswith("run.json: fingerprint.prompt: found ")
    assert text.startswith(f"{FIRST}.messages[1][3]: found ")


def brightened(backend: MiniGridBackend, render: Any = MiniGridBackend.render) -> np.ndarray:
    picture: np.ndarray = render(backend).copy()
    picture[0, 0] ^= 1
    return picture


def test_a_changed_renderer_of_pictures_is_found(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniGridBackend, "render", brightened)
    (problem,) = told(run)
    assert problem.startswith(f"{FIRST}.messages[1][2][1]: found ")


def part_of(sent: dict[str, Any], name: str) -> dict[str, Any]:
    parts = (part for message in sent["messages"] for part in message["parts"])
    found: dict[str, Any] = next(part for part in parts if isinstance(part, dict) and part["name"] == name)
    return found


FORGERIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a text": lambda sent: part_of(sent, "mission").update(text="another mission"),
    "another part": lambda sent: sent["messages"][1]["parts"].append({"text": "Go left.", "name": "wording"}),
    "a part less": lambda sent: sent["messages"][1]["parts"].pop(0),
    "a picture": lambda sent: part_of(sent, "observation").update(picture="0123456789abcdef"),
    "a label": lambda sent: part_of(sent, "observation").update(label="The goal"),
    "a role": lambda sent: sent["messages"][0].update(role="user"),
    "another message": lambda sent: sent["messages"].insert(0, {"role": "user", "parts": []}),
    "the schema": lambda sent: sent.pop("schema"),
    "the seed": lambda sent: sent.update(seed=4),
}


@pytest.mark.parametrize("forged", FORGERIES)
def test_a_forged_request_is_found(run: Path, forged: str) -> None:
    change_requests(run, lambda request: FORGERIES[forged](request["sent"][0]))
    problems = told(run)
    assert problems
    assert all(each.startswith(FIRST) for each in problems), problems


def test_a_forged_text_that_episodes_share_is_found(run: Path) -> None:
    forged = keep_text(run, "There are no rules.")
    change_requests(run, lambda request: part_of(request["sent"][0], "rules").update(file=forged))
    (problem,) = [each for each in told(run) if each.startswith("episodes")]
    assert problem.startswith(f"{FIRST}.messages[0][1]: found ")


def test_requests_without_what_was_sent_are_found(run: Path) -> None:
    change_requests(run, lambda request: request.update(sent=[]), most=99)
    assert "episodes/0.jsonl, line 2: request.sent: found nothing, expected what was sent" in told(run)


def named_outside(run: Path, outside: Path) -> None:
    """Name the file as the template."""

    def change(data: dict[str, Any]) -> None:
        arguments = data["settings"]["model_arguments"]
        others = [each for each in arguments if not each.startswith("prompt=")]
        data["settings"]["model_arguments"] = [*others, f"prompt={outside / 'secret.txt'}"]
        del data["files"]

    change_manifest(run, change)


def kept_outside(run: Path, outside: Path) -> None:
    """Name the file as the kept copy of the template."""
    change_manifest(run, lambda data: data["files"].update(prompt=f"../../{outside.name}/secret"))


@pytest.mark.parametrize(
    ("way", "reason"),
    [(named_outside, "the template of its prompts is not kept in the run"), (kept_outside, "expected a digest")],
)
def test_a_template_outside_a_received_run_is_not_opened(
    run: Path, way: Callable[[Path, Path], None], reason: str
) -> None:
    outside = run.with_name("outside")
    outside.mkdir()
    (outside / "secret.txt").write_text("[user]\nthe secret of $nobody", encoding="utf-8")
    way(run, outside)
    ended = play(["multinet", "runs", "verify", run, "--json"], forbidden=outside)
    assert (ended.trespasses, ended.hung) == ([], "")
    (found,) = json.loads(ended.stdout)["runs"]
    (unchecked,) = [each["message"] for each in found["unchecked"] if each["path"].endswith("fingerprint.prompt")]
    assert unchecked.startswith("prompts cannot be rendered again: ")
    assert reason in unchecked


@pytest.mark.parametrize("library", ["numpy", "pillow"])
def test_pictures_drawn_by_another_version_are_not_compared(
    run: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MiniGridBackend, "render", brightened)
    change_manifest(run, lambda data: data["circumstances"]["drawn_with"].update({library: "0.1"}))
    assert told(run) == []
    (pictures,) = [each for each in told(run, "unchecked") if "pixels are not compared" in each]
    assert pictures.startswith(f"run.json: pictures: the run was played with {library} 0.1, and ")


def test_texts_of_another_version_of_the_prompts_are_not_compared(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_parts, "action_lines", lambda space: "0: turn_left, and more")
    change_manifest(run, lambda data: data["fingerprint"].update(prompt_version=1))
    assert told(run) == []
    assert any("texts are not compared" in each for each in told(run, "unchecked"))


@pytest.mark.parametrize("library", ["gridworld-core", "numpy"])
def test_inputs_of_models_without_prompts_are_compared_if_the_versions_agree(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record_run(tmp_path / "run", [corridor("@..G", max_steps=5)], "LFF").path
    of_pictures = library == "numpy"

    def change(data: dict[str, Any]) -> None:
        data["circumstances"]["drawn_with" if of_pictures else "versions"][library] = f"{version(library)}.99"

    change_manifest(run, change)
    assert told(run) == []
    monkeypatch.setattr(asked_prompts, "texts_of", lambda given: [("mission", "another")])
    assert bool(told(run)) is of_pictures
