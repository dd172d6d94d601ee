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
from gridworld.model_interface import (
    AnswerOutcome,
    EpisodeInfo,
    Message,
    ModelInput,
    Opaque,
    Picture,
    Prompt,
    RandomModelInterface,
    Sent,
    Text,
    Usage,
)
from gridworld.runner.record import Request
from multinet_eval.play.answer_cache import AnswerCache, EpisodeCache, check_cacheable
from multinet_eval.play.model_caller import Made
from multinet_eval.settings.run_settings import CacheSettings
from support.runs import AskedModel

FINGERPRINT = {"name": "spender", "arguments": ["most=100"]}
EPISODE = EpisodeInfo("corridor", 3, "reach the goal", 20)
PICTURE = np.zeros((2, 3, 3), dtype=np.uint8)
INPUT = ModelInput(None, "reach the goal", dict(ACTION_SPACE), step_number=4, max_steps=20)
TEXT = Text("reach the goal", "mission")
PROMPT = Prompt((Message("user", (TEXT, Picture(PICTURE, "observation", "now"))),), {"type": "object"}, seed=5)
ANSWER = Request(AnswerOutcome.OK, action=2, reasoning="because", raw_output="Ä {}", usage=Usage(10, 20, 0.5))
FOUND = attrs.evolve(ANSWER, usage=None, cached=True)


class SpendingModel(AskedModel):
    """Says whether it samples, and which settings go with its prompts."""

    def __init__(self, sampled: bool = False, **settings: Any) -> None:
        super().__init__()
        self.samples_now = sampled
        self._settings = settings

    @property
    def model_name(self) -> str:
        return "spender"

    @property
    def samples(self) -> bool:
        return self.samples_now

    def settings_in_use(self) -> dict[str, Any]:
        return self._settings


def keep(cache: EpisodeCache, request: Request = ANSWER, input: ModelInput = INPUT, **settings: Any) -> None:
    cache.keep(input, Made(request, (Sent(PROMPT, settings),)))


def found(cache: EpisodeCache, input: ModelInput = INPUT, prompt: Prompt = PROMPT) -> Request | None:
    made = cache.find(input, prompt)
    return None if made is None else made.request


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
    assert cache_in(tmp_path).find(INPUT, PROMPT) is None
    keep(cache_in(tmp_path))
    copy = Prompt(
        (Message("user", (Text("reach "), Text("the goal"), Picture(PICTURE.copy(), "picture", "now"))),),
        {"type": "object"},
        seed=5,
    )
    assert cache_in(tmp_path).find(INPUT, copy) == Made(FOUND, (Sent(copy),))


def changed_by_one(picture: np.ndarray) -> np.ndarray:
    other = picture.copy()
    other[1, 2, 0] = 1
    return other


OTHER_PARTS: dict[str, tuple[Any, ...]] = {
    "another text": (Text("reach another goal"), Picture(PICTURE, "", "now")),
    "another pixel": (TEXT, Picture(changed_by_one(PICTURE), "", "now")),
    "pixels in another shape": (TEXT, Picture(PICTURE.reshape(3, 2, 3), "", "now")),
    "another label": (TEXT, Picture(PICTURE, "", "then")),
    "another order": (Picture(PICTURE, "", "now"), TEXT),
    "no picture": (TEXT,),
    "something opaque": (TEXT, Picture(PICTURE, "", "now"), Opaque("thinking", {})),
}
OTHER_PROMPTS = {
    **{name: attrs.evolve(PROMPT, messages=(Message("user", parts),)) for name, parts in OTHER_PARTS.items()},
    "another role": attrs.evolve(PROMPT, messages=(Message("system", PROMPT.messages[0].parts),)),
    "two messages": attrs.evolve(PROMPT, messages=tuple(Message("user", (each,)) for each in PROMPT.parts)),
    "another schema": attrs.evolve(PROMPT, schema=None),
    "another seed": attrs.evolve(PROMPT, seed=6),
}


@pytest.mark.parametrize("other", OTHER_PROMPTS)
def test_another_prompt_has_another_answer(tmp_path: Path, other: str) -> None:
    keep(cache_in(tmp_path))
    assert found(cache_in(tmp_path), prompt=OTHER_PROMPTS[other]) is None


@pytest.mark.parametrize("other", [{"step_number": 5}, {"attempt": 1}])
def test_another_step_or_attempt_has_another_answer(tmp_path: Path, other: dict[str, Any]) -> None:
    keep(cache_in(tmp_path))
    assert found(cache_in(tmp_path), attrs.evolve(INPUT, **other)) is None


def test_other_settings_have_another_answer(tmp_path: Path) -> None:
    keep(cache_in(tmp_path), temperature=0.0)
    assert found(cache_in(tmp_path, SpendingModel(temperature=0.0))) == FOUND
    assert found(cache_in(tmp_path, SpendingModel())) is None


def test_an_answer_in_two_requests_is_not_kept(tmp_path: Path) -> None:
    cache_in(tmp_path).keep(INPUT, Made(ANSWER, (Sent(PROMPT), Sent(PROMPT))))
    assert entries(tmp_path) == []


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
    keep(cache_in(tmp_path))
    assert found(cache_in(tmp_path, **other)) is None


@pytest.mark.parametrize("outcome", [each for each in AnswerOutcome if each not in ("ok", "no_effect")])
def test_only_usable_answers_are_kept(tmp_path: Path, outcome: AnswerOutcome) -> None:
    keep(cache_in(tmp_path), Request(outcome, "this is wrong", raw_output="7"))
    assert entries(tmp_path) == []


@given(cut=st.integers(0, 2000), flip=st.integers(0, 2000), how=st.integers(1, 255))
def test_a_damaged_entry_is_ignored_and_replaced(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flip: int, how: int
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    cache = cache_in(folder)
    keep(cache)
    (entry,) = entries(folder)
    whole = entry.read_bytes()

    entry.write_bytes(whole[: cut % (len(whole) - 1)])
    assert found(cache) is None
    damaged = bytearray(whole)
    damaged[flip % (len(whole) - 1)] ^= how
    entry.write_bytes(damaged)
    assert found(cache) is None

    keep(cache)
    assert entry.read_bytes() == whole
    assert found(cache) == FOUND


def test_a_model_that_begins_to_sample_is_asked_again(tmp_path: Path) -> None:
    model = SpendingModel()
    cache = cache_in(tmp_path, model)
    keep(cache)
    model.samples_now = True
    assert found(cache) is None
    keep(cache, input=attrs.evolve(INPUT, step_number=9))
    assert len(entries(tmp_path)) == 1


def test_sampling_models_are_refused(tmp_path: Path) -> None:
    settings = CacheSettings(str(tmp_path))
    check_cacheable(SpendingModel(), settings)
    check_cacheable(SpendingModel(sampled=True), attrs.evolve(settings, sampled=True))
    with pytest.raises(ArgumentError, match=r"'spender' samples its answers.* --cache-sampled"):
        check_cacheable(SpendingModel(sampled=True), settings)
    with pytest.raises(ArgumentError, match="the answers of model 'random' cannot be kept"):
        check_cacheable(RandomModelInterface(), attrs.evolve(settings, sampled=True))
