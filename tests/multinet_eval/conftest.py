"""A suite of quick tasks; and models of a third party that answer at random, and now and then not at all.

``forgetful`` cannot go on with an episode, ``mindful`` can, and ``looker`` does as what it is shown makes it do.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gridworld.plugins import load_registry, using_registry
from support.plugins import install_examples, write_distribution
from support.runs import write_corridor
from support.worlds import door, key

PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    return [
        ModelInfo("forgetful", "Starts over.", "moody_models:Forgetful", circumstances=("address",)),
        ModelInfo("mindful", "Goes on.", "moody_models:Mindful", circumstances=("address",)),
        ModelInfo("looker", "Looks.", "moody_models:Looker"),
    ]
"""
MODELS = """
import hashlib
import random

from gridworld.model_interface import AnswerFault, AnswerOutcome, ModelInterface, ModelOutput


class Forgetful(ModelInterface):
    model_name = "moody"

    def __init__(self, mood: int = 0, address: str = ""):
        self.mood = mood

    def begin_episode(self, episode):
        self.random = random.Random(f"{self.mood}/{episode.seed}/{episode.task_id}")

    def predict(self, input):
        drawn = self.random.random()
        if drawn < 0.25:
            raise AnswerFault(AnswerOutcome.UNPARSABLE, "it mumbles")
        return ModelOutput(int(drawn * 1000) % 7, raw_output=str(drawn))


class Mindful(Forgetful):
    def resume_episode(self, episode, steps):
        for _ in range(sum(len(step.requests) for step in steps)):
            self.random.random()
        return True


class Looker(ModelInterface):
    model_name = "looker"
    shareable = True

    def resume_episode(self, episode, steps):
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
        note = digest.hexdigest()[:5] if drawn[4] % 2 else None
        return ModelOutput(drawn[1] % 7, raw_output=digest.hexdigest(), actions=actions, note=note)

    def can_reply(self, form):
        return True

    def look(self, input, digest):
        for image in (input.image, *(input.prior_images or ())):
            digest.update(b"none" if image is None else image.tobytes())
        texts = (input.text_prompt, input.text_observation, input.additional_context, input.correction)
        for text in (*texts, input.feedback, input.note):
            digest.update(repr(text).encode())
"""


@pytest.fixture(scope="session")
def moody(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution ``moody``, to be put on the path."""
    folder = tmp_path_factory.mktemp("moody")
    files = {"moody_plugin.py": PLUGIN, "moody_models.py": MODELS}
    write_distribution(folder, "moody", "1.4.2", {"models": "moody_plugin"}, files)
    return folder


@pytest.fixture
def moody_models(moody: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """These models, and the examples' plugins, in this process."""
    for folder in (moody, *install_examples(tmp_path / "examples")):
        monkeypatch.syspath_prepend(str(folder))
    with using_registry(load_registry()):
        yield


@pytest.fixture(scope="session")
def six_tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corridors of several lengths, and one with a door: they are won and lost in different numbers of steps."""
    folder = tmp_path_factory.mktemp("suites") / "six"
    for number, row in enumerate(("@.G", "@....G", "@..G", "@.....G", "@...G")):
        write_corridor(folder, f"corridor_{number}", row, max_steps=5 + 3 * number)
    write_corridor(folder, "door", "@kD.G", tier=2, max_steps=30, k=key(), D=door("red"))
    return folder
