"""Runs whose episodes are cut at any byte are resumed to the outcome and the record of an uncut run."""

import json
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gridworld.plugins import get_registry, load_registry, set_registry
from support.commands import multinet, run_eval
from support.plugins import install_example_backends, install_models
from support.run_folders import requests_of, results_of, shown, untimed
from support.scenarios import exported
from support.task_files import FOR_ANY_BACKEND, TASKS, write_tasks
from support.thoroughness import first_by_default

MODELS = """
import hashlib
import random

from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInterface, ModelOutput


class Forgetful(ModelInterface):
    '''Cannot resume an episode, and mumbles now and then.'''

    model_name = "moody"

    def begin_episode(self, episode):
        self.random = random.Random(f"{episode.seed}/{episode.task_id}")

    def predict(self, input):
        drawn = self.random.random()
        if drawn < 0.25:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, "it mumbles")
        return ModelOutput(int(drawn * 1000) % 7, raw_output=str(drawn))


class Mindful(Forgetful):
    '''Resumes after its recorded answers.'''

    def resume_episode(self, episode, steps):
        for _ in range(sum(len(step.requests) for step in steps)):
            self.random.random()
        return True


class Looker(ModelInterface):
    '''Acts by a hash of all its pictures and texts.'''

    model_name = "looker"
    shareable = True

    def resume_episode(self, episode, steps):
        return True

    def can_reply(self, form):
        return True

    def predict(self, input):
        digest = hashlib.sha256()
        self.look(input, digest)
        for turn in input.turns:
            self.look(turn.input, digest)
            digest.update(turn.reply.encode())
        drawn = digest.digest()
        if drawn[0] < 64:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, f"it blinks at {digest.hexdigest()}")
        actions = tuple(byte % 7 for byte in drawn[1:4]) if input.reply.max_actions == 3 else None
        note = digest.hexdigest()[:4] if input.reply.note_length and drawn[4] % 2 else None
        return ModelOutput(drawn[1] % 7, raw_output=digest.hexdigest(), actions=actions, note=note)

    def look(self, input, digest):
        for image in (input.image, *(input.prior_images or ())):
            digest.update(b"none" if image is None else image.tobytes())
        texts = (input.text_prompt, input.text_observation, input.additional_context, input.correction)
        for text in (*texts, input.feedback, input.note):
            digest.update(repr(text).encode())
"""
CASES: dict[str, tuple[object, ...]] = {
    **{model: ("-m", model, "--observation", "text") for model in ("random", "optimal", "mindful", "forgetful")},
    "pictures": ("-m", "looker", "--observation", "image+text", "--history-images", 2, "--history-text"),
    "tiling": ("-m", "looker", "--tiling", "hex", "-B", "image_size=96", "--history-images", 1, "--workers", 3),
    "epochs": ("-m", "looker", "--epochs", 3, "--seed", 7, "--observation", "text", "--workers", 3),
    "conversation": (
        *("-m", "looker", "--protocol", "chunk:3", "--observation", "image+text", "--feedback", "effect"),
        *("--context", "conversation", "--memory", "notes", "--note-length", 4),
    ),
    "another simulator": ("-m", "looker", "--backend", "warehouse", "--history-images", 1, "--image-size", 70),
    "formats": (
        *("-m", "looker", "--observation", "image+coordinates", "--history-images", 1, "--workers", 3),
        *("--image-size", 96, "--image-coordinates", "--image-style", "letters"),
    ),
}
"""Models and prompts; a model that is shown anything else after resuming acts differently."""
CUTS = 2
"""Number of times that a run is cut and resumed."""
SEEDS = 6
"""Number of seeds; all but the first are for thorough runs."""
BY_DEFAULT = ("mindful", "conversation")
"""Cases that are played whenever tests are run."""


@pytest.fixture(autouse=True)
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = get_registry()
    models = {name.lower(): name for name in ("Forgetful", "Mindful", "Looker")}
    install_models(monkeypatch, tmp_path / "moods", MODELS, models)
    install_example_backends(tmp_path / "site", monkeypatch)
    set_registry(load_registry())  # some commands use the plugins of this process
    yield
    set_registry(before)


def play(run: Path, *options: object) -> None:
    """Play a new run to its end."""
    tasks = run.parent.parent / "tasks"
    if not tasks.exists():
        write_tasks(tasks, FOR_ANY_BACKEND if "warehouse" in options else TASKS)
    finished = run_eval("--task-dir", tasks, "--run-dir", run, "-q", *options)
    assert finished.exit_code == 0, finished.stderr


def resume(*command: object) -> None:
    finished = multinet("runs", *command, "-q")
    assert finished.exit_code == 0, finished.stderr


def files_of(run: Path) -> dict[int, list[Path]]:
    """Files of each episode, in the order of writing."""
    found: dict[int, list[Path]] = {}
    for path in sorted((run / "episodes").iterdir(), key=lambda path: [*map(int, path.stem.split("."))]):
        found.setdefault(int(path.stem.split(".")[0]), []).append(path)
    return found


def cut(run: Path, shares: Sequence[float]) -> None:
    """Cut the last file of each episode to a share of its size; 0 removes it."""
    (run / "results.json").unlink()
    for paths, share in zip(files_of(run).values(), shares, strict=True):
        content = paths[-1].read_bytes()
        paths[-1].write_bytes(content[: round(len(content) * share)])
        if share == 0:
            paths[-1].unlink()


def outcome_of(run: Path) -> tuple[Any, ...]:
    """Verify a run, and return its results, episodes and steps."""
    verified = multinet("runs", "verify", run, "--json")
    assert (verified.exit_code, json.loads(verified.stdout)["complete"]) == (0, True), verified.stdout
    episodes = [{**untimed(row), "attempts": None} for row in exported(run, "episodes")]
    return results_of(run), episodes, untimed(exported(run, "steps"))


@pytest.mark.parametrize(
    ("case", "seed"),
    [
        pytest.param(
            *(case, seed),
            id=f"{case}-{seed}",
            marks=pytest.mark.thorough if seed else () if case in BY_DEFAULT else pytest.mark.more,
        )
        for case in CASES
        for seed in range(SEEDS)
    ],
)
def test_episodes_cut_at_any_byte_are_gone_on_with_to_the_same_end(case: str, seed: int, tmp_path: Path) -> None:
    whole, run = tmp_path / "whole" / "run", tmp_path / "cut" / "run"
    play(whole, *CASES[case])
    rng = random.Random(f"{case}/{seed}")
    expected, episodes = outcome_of(whole), len(files_of(whole))
    shutil.copytree(whole, run)
    for _ in range(CUTS):
        cut(run, [rng.choice((0.0, 1.0, rng.random(), rng.random())) for _ in range(episodes)])
        resume("resume", run)
        assert outcome_of(run) == expected
    if case != "forgetful":
        assert requests_of(run) == requests_of(whole), "what is recorded is not asked again"


def test_a_model_that_cannot_go_on_begins_another_attempt(tmp_path: Path) -> None:
    run = tmp_path / "left" / "run"
    play(run, *CASES["forgetful"])
    asked = requests_of(run)
    cut(run, (0.5, 0.5, 1.0))
    resume("resume", run)
    assert [row["attempts"] for row in exported(run, "episodes")] == [2, 2, 1]
    assert requests_of(run) > asked, "those of attempts that were left count"


@first_by_default("left", [0.4, 0.0, 1.0])
def test_an_extended_run_is_one_with_more_repetitions_from_the_start(tmp_path: Path, left: float) -> None:
    three, extended = tmp_path / "three" / "run", tmp_path / "extended" / "run"
    play(three, "-m", "mindful", "--epochs", 3, "--seed", 5)
    play(extended, "-m", "mindful", "--epochs", 1, "--seed", 5)
    cut(extended, (1.0, left, 1.0))
    resume("resume", extended, "--epochs", 3)
    assert outcome_of(extended) == outcome_of(three)
    assert requests_of(extended) == requests_of(three)
    resume("resume", extended, "--epochs", 2)  # which it has already
    assert outcome_of(extended) == outcome_of(three)


def test_what_is_in_no_plan_does_not_complete_a_run(tmp_path: Path) -> None:
    run = tmp_path / "left" / "run"
    play(run, "-m", "random")
    (run / "episodes" / "1.jsonl").rename(run / "episodes" / "7.jsonl")
    found = shown(run)["run"]
    assert (found["status"], found["finished"], found["planned"]) == ("unfinished", 2, 3)
