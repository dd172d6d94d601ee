"""A tiny vision-language model with random weights, which always answers with one of the actions."""

from pathlib import Path

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

__all__ = ["save_tiny_model"]

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
