"""A tiny model of the library transformers, made here, plays in this process; nothing is fetched."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    CLIPImageProcessorPil,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

from gridworld.actions import ACTION_SPACE
from gridworld.model_interface import AnswerFault, AnswerOutcome, EpisodeInfo, ModelInput, ModelOutput, Text, Turn
from gridworld.model_interface.prompts import question as open_question
from gridworld.runner.record import Step
from multinet_adapters.transformers_model import TransformersModel
from multinet_eval.record.run_directory import RunDirectory
from support.programs import run

SPECIAL = ("<pad>", "<bos>", "<eos>", "<image>")
ACTIONS = tuple(f"Action: {action}" for action in range(7))
SIDE, PATCH = 32, 4
TEMPLATE = (
    "{% for message in messages %}"
    "{% if refuse_system and message['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{{ message['role'] }}: {% for piece in message['content'] %}"
    "{% if piece['type'] == 'image' %}<image>{% else %}{{ piece['text'] }}{% endif %}{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def save_tiny_model(folder: Path, refuse_system: bool = False, ends: bool = True) -> Path:
    """Save it with its processor and tokenizer; no file of anybody else is needed.

    The first token of a reply is that of an action, whichever of them is the likeliest; the last one possible ends it.

    Args:
        folder: where to.
        refuse_system: whether its chat template takes no message of the system.
        ends: whether replies end; otherwise actions follow each other for as long as they may.
    """
    tokenizer = _tokenizer()
    said = {*tokenizer.convert_tokens_to_ids(list(ACTIONS)), *([tokenizer.eos_token_id] if ends else [])}
    model = LlavaForConditionalGeneration(_config(len(tokenizer)))
    _draw_weights(model)
    model.generation_config.suppress_tokens = [token for token in range(len(tokenizer)) if token not in said]
    model.generation_config.min_new_tokens = 1
    model.generation_config.forced_eos_token_id = tokenizer.eos_token_id if ends else None
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    template = f"{{% set refuse_system = {str(refuse_system).lower()} %}}{TEMPLATE}"
    LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"height": SIDE, "width": SIDE}, do_center_crop=False, do_convert_rgb=True
        ),
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template,
    ).save_pretrained(folder)
    return folder


def _draw_weights(model: LlavaForConditionalGeneration) -> None:
    """Weights that are large enough for each part of a prompt to matter; the usual ones hardly look at it."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(std=0.3, generator=generator)


def _tokenizer() -> PreTrainedTokenizerFast:
    """A token for each byte, and one for each answer."""
    written = [*SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    inner = Tokenizer(models.BPE(vocab={token: number for number, token in enumerate(written)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        bos_token="<bos>",
        eos_token="<eos>",
        additional_special_tokens=["<image>"],
    )
    tokenizer.add_tokens(list(ACTIONS))
    return tokenizer


def _config(vocabulary: int) -> LlavaConfig:
    vision = CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=SIDE,
        patch_size=PATCH,
    )
    text = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=8192,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    return LlavaConfig(
        vision_config=vision.to_dict(), text_config=text.to_dict(), image_token_index=SPECIAL.index("<image>")
    )


OFFLINE = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
"""Nothing is fetched, and threads do not wait for each other at each of many small sums."""


@pytest.fixture(scope="module", autouse=True)
def _offline() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in OFFLINE.items():
            patch.setenv(name, value)
        yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tiny model."""
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def model(folder: Path) -> TransformersModel:
    return TransformersModel(str(folder), device="cpu", max_new_tokens=2, structured=False)


def asked(shade: int = 0, **changes: Any) -> ModelInput:
    noise = np.random.default_rng(shade).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    given = {"image": noise, "text_prompt": "reach the goal", "action_space": dict(ACTION_SPACE)}
    return ModelInput(**{**given, "step_number": shade, "max_steps": 50, **changes})


def questions() -> list[ModelInput]:
    """Of different lengths, with none, one and several pictures."""
    earlier = [np.full((9, 9, 3), shade, dtype=np.uint8) for shade in (10, 200)]
    return [
        *map(asked, range(8)),
        asked(20, text_prompt="collect the red key, then reach the goal"),
        asked(21, image=None, text_observation="a wall"),
        asked(22, prior_images=earlier),
        asked(23, image=None, text_observation="a door ahead"),
        asked(24, additional_context="Step 1: turn_left: turned."),
    ]


def said(outputs: Sequence[ModelOutput | AnswerFault]) -> list[tuple[int, str | None]]:
    return [(output.action, output.raw_output) for output in outputs if isinstance(output, ModelOutput)]


# --- one question and several ----------------------------------------------------------------------------------


def test_what_it_says_depends_on_what_it_is_asked(model: TransformersModel) -> None:
    outputs = [model.predict(question) for question in questions()]
    assert len({output.action for output in outputs}) > 1
    assert {output.raw_output for output in outputs} <= {f"Action: {action}" for action in range(7)}


def test_it_sees_its_pictures(model: TransformersModel) -> None:
    shown = [model.predict(asked(shade, step_number=0)).action for shade in range(12)]
    assert len(set(shown)) > 1


def test_several_questions_at_once_are_answered_as_one_by_one(model: TransformersModel) -> None:
    alone = [model.predict(question) for question in questions()]
    assert said(model.predict_batch(questions())) == said(alone)
    assert said(model.predict_batch(questions()[::-1])) == said(alone[::-1])


EPISODES = [EpisodeInfo(task, seed, "reach the goal", 50) for task in ("a", "b") for seed in range(8)]


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_drawn_depends_on_the_seed_and_the_question_alone(folder: Path, seed: int) -> None:
    def sampling(seed: int) -> TransformersModel:
        return TransformersModel(
            str(folder), device="cpu", max_new_tokens=2, structured=False, temperature=50.0, seed=seed
        )

    in_an_episode = [attrs.evolve(question, episode=EPISODES[0]) for question in questions()]
    drawn = said(sampling(seed).predict_batch(in_an_episode))
    assert said([sampling(seed).predict(question) for question in in_an_episode]) == drawn
    assert said(sampling(seed + 10).predict_batch(in_an_episode)) != drawn


def test_the_same_question_is_answered_anew_in_each_task_epoch_and_step(folder: Path) -> None:
    model = TransformersModel(str(folder), device="cpu", max_new_tokens=2, structured=False, temperature=50.0, seed=1)
    repeated = [asked(0, episode=episode, step_number=step) for episode in EPISODES for step in (0, 1)]
    drawn = said(model.predict_batch(repeated))
    assert all(len(set(drawn[start::2])) > 1 for start in (0, 1))
    assert [said([model.predict(question)])[0] for question in repeated[:6]] == drawn[:6]
    assert len(set(said(model.predict_batch(repeated[:1] * 8)))) == 1


def test_open_questions_are_answered_by_their_seeds(folder: Path) -> None:
    model = TransformersModel(str(folder), device="cpu", max_new_tokens=2, temperature=50.0, seed=1)
    prompt = open_question(Text("Where are you?"))
    seeds = [model.seed_for(asked(episode=episode)) for episode in EPISODES]
    drawn = [model.ask(attrs.evolve(prompt, seed=seed)) for seed in seeds]
    assert len(set(drawn)) > 1
    assert [model.ask(attrs.evolve(prompt, seed=seed)) for seed in seeds] == drawn
    assert model.ask(prompt) == model.ask(attrs.evolve(prompt, seed=1))


def test_without_a_seed_each_reply_is_drawn_anew(folder: Path) -> None:
    model = TransformersModel(str(folder), device="cpu", max_new_tokens=2, structured=False, temperature=50.0)
    assert model.samples
    drawn = {str(said(model.predict_batch([asked()] * 12))) for _ in range(4)}
    assert len(drawn) > 1


def test_the_costs_of_a_reply_are_told(model: TransformersModel) -> None:
    short, long = model.predict_batch([asked(), asked(text_prompt="reach the goal" + "!" * 100)])
    assert isinstance(short, ModelOutput)
    assert isinstance(long, ModelOutput)
    assert long.usage.prompt_tokens == short.usage.prompt_tokens + 100
    assert (short.usage.completion_tokens, short.usage.seconds > 0) == (2, True)


def test_a_reply_that_does_not_end_is_truncated(tmp_path: Path) -> None:
    endless = TransformersModel(str(save_tiny_model(tmp_path / "endless", ends=False)), max_new_tokens=3)
    (fault,) = endless.predict_batch([asked()])
    assert isinstance(fault, AnswerFault)
    assert (fault.outcome, str(fault.raw_output).count("Action:")) == (AnswerOutcome.TRUNCATED, 3)
    assert [sent.prompt.digest for sent in fault.sent] == [endless.prompt(asked()).digest]
    with pytest.raises(AnswerFault, match="token limit"):
        endless.predict(asked())


def test_a_conversation_is_one_prompt(model: TransformersModel) -> None:
    turn = Turn(asked(1), "Action: 2")
    alone, with_turn = model.predict_batch([asked(2), asked(2, turns=(turn,))])
    assert isinstance(alone, ModelOutput)
    assert isinstance(with_turn, ModelOutput)
    assert with_turn.usage.prompt_tokens > 1.5 * alone.usage.prompt_tokens


# --- what it cannot do -----------------------------------------------------------------------------------------


def test_a_template_that_takes_no_system_message_is_gone_round(tmp_path: Path, model: TransformersModel) -> None:
    picky = TransformersModel(
        str(save_tiny_model(tmp_path / "picky", refuse_system=True)), max_new_tokens=2, structured=False
    )
    folded = TransformersModel(picky.model, max_new_tokens=2, structured=False, system_message=False)
    assert picky.adjustments() == ()
    outputs = [picky.predict(asked()), picky.predict(asked())]
    assert said(outputs) == said([folded.predict(asked())]) * 2
    (adjustment,) = picky.adjustments()
    assert [output.adjustments for output in outputs] == [(adjustment,), ()]
    told = [sent.prompt.digest for output in outputs for sent in output.sent]
    assert told == [folded.prompt(asked()).digest] * 2
    assert [output.left_out for output in outputs] == [(adjustment.refused,)] * 2
    assert (adjustment.argument, adjustment.reason) == ("system_message=false", "System role not supported")
    assert folded.adjustments() == model.adjustments() == ()


@pytest.mark.parametrize("files", [{}, {"config.json": '{"model_type": "llama"}'}], ids=["empty", "of a text model"])
def test_a_folder_that_holds_no_such_model_is_told(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    model = TransformersModel(str(tmp_path))
    with pytest.raises(AnswerFault, match="cannot load the model") as caught:
        model.check_ready()
    assert (caught.value.outcome, caught.value.permanent) == (AnswerOutcome.INFRASTRUCTURE, True)
    for question, fault in zip(questions(), model.predict_batch(questions()), strict=True):
        assert isinstance(fault, AnswerFault)
        assert (fault.outcome, fault.permanent) == (AnswerOutcome.INFRASTRUCTURE, True)
        assert [sent.prompt.digest for sent in fault.sent] == [model.prompt(question).digest]


def test_a_device_that_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(AnswerFault, match="cannot load the model"):
        TransformersModel(str(folder), device="abacus").check_ready()


# --- whole programs --------------------------------------------------------------------------------------------


def arguments(folder: Path) -> list[str]:
    settings = (f"model={folder}", "device=cpu", "max_new_tokens=2", "structured=no", "prompt=minimal")
    return ["transformers", *(argument for setting in settings for argument in ("-M", setting))]


def played(folder: Path, directory: Path, *options: str) -> dict[str, list[Step]]:
    """The steps of each episode of a run of validation_10."""
    line = [
        "--benchmark",
        "validation_10",
        "--explain",
        "none",
        "--budget-factor",
        "1",
        "-B",
        "tile_size=8",
        "--json",
        "--run-dir",
        str(directory),
    ]
    finished = run("multinet-run-eval", "--model", *arguments(folder), *line, *options, variables=OFFLINE)
    assert finished.returncode == 0, finished.stderr
    results = json.loads(finished.stdout)
    assert (results["model_name"], results["num_tasks"]) == ("transformers/tiny", 10)
    return {lines[-1].header.task_id: list(lines[-1].steps) for _, lines in RunDirectory(directory).episodes()}


def test_it_plays_validation_10_single_and_batched_with_equal_results(folder: Path, tmp_path: Path) -> None:
    single = played(folder, tmp_path / "single")
    batched = played(folder, tmp_path / "batched", "--batch-size", "10")

    def essence(steps: Sequence[Step]) -> list[Any]:
        return [(step.action, step.digest, [request.raw_output for request in step.requests]) for step in steps]

    assert {task: essence(steps) for task, steps in single.items()} == {
        task: essence(steps) for task, steps in batched.items()
    }
    assert len({step.action for steps in single.values() for step in steps}) > 1


def test_it_is_tried_out_before_a_run(folder: Path) -> None:
    finished = run("multinet", "models", "check", *arguments(folder), "--json", variables=OFFLINE)
    told = {check["name"]: check for check in json.loads(finished.stdout)["checks"]}
    assert told["the model can be loaded"]["passed"]
    assert "is it a vision model?" in told["the model sees a picture"]["message"]
    assert told["format of the answer"]["passed"]
