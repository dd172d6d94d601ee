"""Folders that the programs are run on: a few quick tasks, and a third party's models on the path."""

from pathlib import Path

import pytest

from evaluating import write_corridor
from plugin_factory import write_distribution
from worlds import door, key

PLUGIN = """
from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models():
    names = ("Walker", "Looker", "Confused", "Speechless", "Sleeper")
    return [ModelInfo(name.lower(), "A model.", "third_models:" + name) for name in names]
"""

MODELS = """
import json
import sys
import time
from pathlib import Path

from gridworld.model_interface import ModelInterface, ModelOutput


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
    '''Names an action that there is not.'''

    def predict(self, input):
        return ModelOutput(action=9)


class Speechless(Walker):
    '''Names no action at all.'''

    def predict(self, input):
        return ModelOutput(action=None)


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
