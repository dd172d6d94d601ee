"""The cache of answers: keys, damage and failing disks."""

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridworld.actions import ACTION_SPACE
from gridworld.errors import ArgumentError
from gridworld.explaining.explanation import DrawnLater, Explanation, LabelledPicture
from gridworld.model_interface import (
    AnswerOutcome,
    CacheableModel,
    EpisodeInfo,
    ModelInput,
    ModelOutput,
    PromptedModel,
    PromptImage,
    PromptText,
    RandomModelInterface,
    ReplyForm,
    Turn,
    Usage,
)
from gridworld.runner.record import Request
from multinet_eval.play.answer_cache import AnswerCache, EpisodeCache, check_cacheable
from multinet_eval.settings.run_settings import CacheSettings

FINGERPRINT = {"name": "spender", "arguments": ["most=100"]}
EPISODE = EpisodeInfo("corridor", 3, "reach the goal", 20)
PICTURE = np.zeros((2, 3, 3), dtype=np.uint8)
INPUT = ModelInput(
    image=PICTURE,
    text_prompt="reach the goal",
    action_space=dict(ACTION_SPACE),
    step_number=4,
    max_steps=20,
    prior_images=[PICTURE],
)
ANSWER = Request(AnswerOutcome.OK, action=2, reasoning="because", raw_output="Ä {}", usage=Usage(10, 20, 0.5))
FOUND = attrs.evolve(ANSWER, usage=None, cached=True)


class SpendingModel(PromptedModel, CacheableModel):
    """Turns left; says whether it samples."""

    def __init__(self, sampled: bool = False) -> None:
        self.samples_now = sampled

    @property
    def model_name(self) -> str:
        return "spender"

    @property
    def samples(self) -> bool:
        return self.samples_now

    def rendered_prompt(self, input: ModelInput) -> list[PromptText | PromptImage]:
        picture = [] if input.image is None else [PromptImage("now", input.image)]
        return [PromptText("user", f"{input.text_prompt} Step {input.step_number}."), *picture]

    def predict(self, input: ModelInput) -> ModelOutput:
        return ModelOutput(0)


def cache_in(
    folder: Path, model: SpendingModel | None = None, episode: EpisodeInfo = EPISODE, epoch: int = 0, **fingerprint: Any
) -> EpisodeCache:
    settings = CacheSettings(str(folder))
    made = AnswerCache(settings, {**FINGERPRINT, **fingerprint}).of_episode(model or SpendingModel(), episode, epoch)
    assert made is not None
    return made


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_an_answer_is_found_again_and_marked(tmp_path: Path) -> None:
    assert cache_in(tmp_path).find(INPUT) is None
    cache_in(tmp_path).keep(INPUT, ANSWER)
    assert cache_in(tmp_path).find(attrs.evolve(INPUT, image=PICTURE.copy())) == FOUND


class SchemaModel(SpendingModel):
    """Asks for its answers in a schema."""

    def answer_schema(self, input: ModelInput) -> dict[str, Any]:
        return {"type": "object"}


def test_an_answer_that_was_asked_for_in_another_schema_is_another(tmp_path: Path) -> None:
    cache_in(tmp_path).keep(INPUT, ANSWER)
    assert cache_in(tmp_path, SchemaModel()).find(INPUT) is None


def changed_by_one(picture: np.ndarray) -> np.ndarray:
    other = picture.copy()
    other[1, 2, 0] = 1
    return other


OTHER_INPUTS = {
    "image": changed_by_one(PICTURE),
    "text_prompt": "reach another goal",
    "action_space": {0: "turn_left"},
    "step_number": 5,
    "max_steps": 21,
    "additional_context": "Step 1: moved.",
    "prior_images": [changed_by_one(PICTURE)],
    "text_observation": "a wall",
    "correction": "it was not JSON",
    "attempt": 1,
    "reply": ReplyForm(3),
    "feedback": "turn_left: turned left.",
    "note": "east is shut",
    "episode": attrs.evolve(EPISODE, seed=4),
    "turns": (Turn(INPUT, "{}"),),
    "explanation": Explanation("- key", None, DrawnLater(lambda: [LabelledPicture("key", PICTURE)])),
}


@pytest.mark.parametrize("field", sorted(OTHER_INPUTS))
def test_another_input_has_another_answer(tmp_path: Path, field: str) -> None:
    cache_in(tmp_path).keep(INPUT, ANSWER)
    assert cache_in(tmp_path).find(attrs.evolve(INPUT, **{field: OTHER_INPUTS[field]})) is None


@pytest.mark.parametrize("image", [None, PICTURE.reshape(3, 2, 3)])
def test_a_picture_of_the_same_bytes_is_another_one(tmp_path: Path, image: np.ndarray | None) -> None:
    cache_in(tmp_path).keep(INPUT, ANSWER)
    assert cache_in(tmp_path).find(attrs.evolve(INPUT, image=image)) is None


@pytest.mark.parametrize(
    "other",
    [
        {"episode": attrs.evolve(EPISODE, seed=4)},
        {"episode": attrs.evolve(EPISODE, task_id="other")},
        {"epoch": 1},
        {"arguments": ["most=101"]},
        {"version": "0.2"},
    ],
)
def test_another_model_or_episode_has_another_answer(tmp_path: Path, other: dict[str, Any]) -> None:
    cache_in(tmp_path).keep(INPUT, ANSWER)
    assert cache_in(tmp_path, **other).find(INPUT) is None


class Reworded(SpendingModel):
    """A spending model with another template."""

    def rendered_prompt(self, input: ModelInput) -> list[Any]:
        first, *others = super().rendered_prompt(input)
        return [attrs.evolve(first, role="system"), *others]


def test_another_prompt_has_another_answer(tmp_path: Path) -> None:
    cache_in(tmp_path).keep(INPUT, ANSWER)
    assert cache_in(tmp_path, Reworded()).find(INPUT) is None


@pytest.mark.parametrize("outcome", [each for each in AnswerOutcome if each not in ("ok", "no_effect")])
def test_only_usable_answers_are_kept(tmp_path: Path, outcome: AnswerOutcome) -> None:
    cache_in(tmp_path).keep(INPUT, Request(outcome, "this is wrong", raw_output="7"))
    assert entries(tmp_path) == []


@given(cut=st.integers(0, 2000), flip=st.integers(0, 2000), how=st.integers(1, 255))
def test_a_damaged_entry_is_ignored_and_replaced(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flip: int, how: int
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    cache = cache_in(folder)
    cache.keep(INPUT, ANSWER)
    (entry,) = entries(folder)
    whole = entry.read_bytes()

    entry.write_bytes(whole[: cut % (len(whole) - 1)])
    assert cache.find(INPUT) is None
    damaged = bytearray(whole)
    damaged[flip % (len(whole) - 1)] ^= how
    entry.write_bytes(damaged)
    assert cache.find(INPUT) is None

    cache.keep(INPUT, ANSWER)
    assert entry.read_bytes() == whole
    assert cache.find(INPUT) == FOUND


def test_a_model_that_begins_to_sample_is_asked_again(tmp_path: Path) -> None:
    model = SpendingModel()
    cache = cache_in(tmp_path, model)
    cache.keep(INPUT, ANSWER)
    model.samples_now = True
    assert cache.find(INPUT) is None
    cache.keep(attrs.evolve(INPUT, step_number=9), ANSWER)
    assert len(entries(tmp_path)) == 1


def test_sampling_models_are_refused(tmp_path: Path) -> None:
    settings = CacheSettings(str(tmp_path))
    check_cacheable(SpendingModel(), settings)
    check_cacheable(SpendingModel(sampled=True), attrs.evolve(settings, sampled=True))
    with pytest.raises(ArgumentError, match=r"'spender' samples its answers.* --cache-sampled"):
        check_cacheable(SpendingModel(sampled=True), settings)
    with pytest.raises(ArgumentError, match="the answers of model 'random' cannot be kept"):
        check_cacheable(RandomModelInterface(), attrs.evolve(settings, sampled=True))
