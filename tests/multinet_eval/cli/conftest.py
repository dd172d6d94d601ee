"""Folders that the programs are run on: a few quick tasks, and a third party's models on the path."""

from pathlib import Path

import pytest

from support.plugins import write_distribution
from support.runs import write_corridor
from support.worlds import door, key

PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    names = ("Walker", "Looker", "Confused", "Talker", "Unready", "Clinging", "Sleeper", "Remover", "Defective")
    return [ModelInfo(name.lower(), "A model.", "third_models:" + name) for name in names]
"""

MODELS = """
import json
import sys
import time
from pathlib import Path

from gridworld.model_interface import AnswerFault, AnswerOutcome, CheckedModel, ModelInterface, ModelOutput, Usage


class Walker(ModelInterface):
    '''Always moves forward.'''

    model_name = "walker"

    def predict(self, input):
        return ModelOutput(action=2)


class Looker(Walker):
    '''Writes down what it is given, a line for each step.'''

    def __init__(self, notes: Path):
        self.notes = notes

    def predict(self, input):
        seen = {
            "image": input.image is not None and input.image.shape,
            "prior_images": input.prior_images and len(input.prior_images),
            "text": input.additional_context,
        }
        with self.notes.open("a") as notes:
            notes.write(json.dumps(seen) + chr(10))
        return super().predict(input)


class Confused(Walker):
    '''Names an action outside the action space.'''

    def predict(self, input):
        return ModelOutput(action=9)


class Talker(Walker):
    '''Answers one request after another as its script says, again from its beginning in each episode, then walks.

    A word of the script is a kind of fault, "walk", "crash", "exit" or "interrupt".
    '''

    def __init__(self, script: str, repeat: int = 1, episodes: str = ""):
        self.words = script.split(",") * repeat
        self.episodes = episodes.split(",") if episodes else None

    def begin_episode(self, episode):
        talks = self.episodes is None or episode.task_id in self.episodes
        self.script = iter(self.words if talks else ())

    def predict(self, input):
        word = next(self.script, "walk")
        if word == "crash":
            raise LookupError("out of words")
        if word == "exit":
            sys.exit(9)
        if word == "interrupt":
            raise KeyboardInterrupt
        if word != "walk":
            raise AnswerFault(AnswerOutcome(word), "this is " + word, retry_after=0.01)
        usage = Usage(prompt_tokens=100, seconds=0.5)
        return ModelOutput(action=2, reasoning="The way" + chr(10) + "is free.", usage=usage)


class Unready(CheckedModel, Walker):
    '''Never ready.'''

    def check_ready(self):
        raise AnswerFault(AnswerOutcome.INFRASTRUCTURE, "nobody listens; start the server")

    def preflight(self):
        return []

    def close(self):
        print("closed", file=sys.stderr)


class Clinging(Walker):
    '''Cannot be closed.'''

    def close(self):
        raise OSError("still in use")


class Remover(Walker):
    '''Removes a folder as soon as it plays.'''

    def __init__(self, folder: Path):
        self.folder = folder

    def begin_episode(self, episode):
        if self.folder.is_dir():
            self.folder.rmdir()


class Defective(Walker):
    '''Returns in the third episode what nobody can make sense of.'''

    played = 0

    def begin_episode(self, episode):
        self.played += 1

    def predict(self, input):
        output = super().predict(input)
        return ModelOutput(action=2, usage="a lot") if self.played == 3 else output


class Sleeper(Walker):
    '''Finishes some episodes, and then takes longer than anybody waits.'''

    def __init__(self, finishes: int):
        self.finishes = finishes

    def begin_episode(self, episode):
        self.finishes -= 1

    def predict(self, input):
        if self.finishes < 0:
            print("asleep", file=sys.stderr, flush=True)
            time.sleep(600)
        return super().predict(input)
"""


@pytest.fixture(scope="session")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tasks of the tiers 1 to 3, won in 2, 5 and 4 steps; a forward walk wins the first and the last."""
    folder = tmp_path_factory.mktemp("suites") / "small"
    write_corridor(folder, "a_short", "@.G", tier=1)
    write_corridor(folder, "b_door", "@kD.G", tier=2, max_steps=30, k=key(), D=door("red"))
    write_corridor(folder, "c_long", "@...G", tier=3, max_steps=30)
    return folder


@pytest.fixture(scope="session")
def third_party(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution ``third-party``, to be put on the path."""
    folder = tmp_path_factory.mktemp("third-party")
    write_distribution(
        folder,
        "third-party",
        "0.7",
        {"models": "third_plugin"},
        {"third_plugin.py": PLUGIN, "third_models.py": MODELS},
        requires=["gridworld-core>=0.1"],
    )
    return folder
