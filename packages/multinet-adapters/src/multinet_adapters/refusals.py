"""Which part of a request a server refuses, told from the words of its error.

Servers do not agree on a code for this, so their wording is what there is. The patterns are made from error bodies of
OpenAI and Azure, Anthropic, vLLM, SGLang, llama.cpp, LM Studio, Ollama, DeepSeek, Groq, Mistral and OpenRouter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

__all__ = ["HELP", "RequestPart", "refused_part"]


class RequestPart(StrEnum):
    """A part of a request that some servers refuse, by its name in messages."""

    STRUCTURED_OUTPUT = "structured output"
    IMAGES = "images"
    SEVERAL_IMAGES = "several images in one request"
    IMAGES_IN_MESSAGE = "several images in one message"
    SYSTEM_MESSAGE = "the system message"
    TOKEN_LIMIT_NAME = "the name of the token limit"
    TEMPERATURE = "temperature"
    SEED = "seed"


FEWER_IMAGES = "use a smaller --history-images or, in a conversation, --context-images (0 sends the current image only)"
HELP: Mapping[RequestPart, str] = {
    RequestPart.IMAGES: "the server takes no images for this model: use --observation text, or a vision model",
    RequestPart.SEVERAL_IMAGES: FEWER_IMAGES,
    RequestPart.IMAGES_IN_MESSAGE: FEWER_IMAGES,
}
"""What helps where nothing can be sent instead."""

STATUSES = (200, 400, 404, 415, 422, 500, 501)
"""The HTTP statuses with which servers refuse a part of a request; some send an error with status 200."""

REFUSES = (
    r"(?:not support|n't support|cannot support|unsupported|not permitted|not allowed|not enabled|extra_forbidden"
    r"|unrecognized|unknown)"
)
QUOTES = re.compile("['\"`\u2018\u2019\u201c\u201d]")
GAP = ".{0,80}?"


def _refused(name: str) -> str:
    """A pattern for a name beside a refusal, in either order."""
    return rf"(?:\b{name}\b{GAP}{REFUSES}|{REFUSES}{GAP}\b{name}\b)"


PATTERNS: tuple[tuple[RequestPart, str], ...] = (
    (RequestPart.TOKEN_LIMIT_NAME, _refused("max_(?:completion_)?tokens")),
    (RequestPart.TEMPERATURE, _refused("temperature") + rf"|\btemperature\b{GAP}(?:only the default|deprecated)"),
    (RequestPart.SEED, _refused("seed")),
    (
        RequestPart.STRUCTURED_OUTPUT,
        r"response[_ .]format|output[_ ](?:config|format)|json[_ ]schema|structured[_ ]outputs?"
        r"|guided[_ ](?:json|decoding)|\bgrammar\b"
        r"|chatrequest\.format|(?:schema in|required for|invalid) format\b|\bformat\b" + GAP + REFUSES,
    ),
    (
        RequestPart.IMAGES_IN_MESSAGE,
        r"\bimages?(?:\(s\))?"
        + GAP
        + r"\b(?:per|in (?:a|one|each|the same|a single|any)) message|\bmessage"
        + GAP
        + r"(?:at most|only|no more than|more than) (?:one|1|a single) image",
    ),
    (
        RequestPart.SEVERAL_IMAGES,
        r"at most [1-9]\d* image|too many images|too much media|(?:multiple|more than (?:one|1|\d+)) images?"
        r"|only (?:supports? )?(?:one|1|a single) image|maximum (?:number )?(?:of )?\d* ?images?",
    ),
    (
        RequestPart.IMAGES,
        _refused(r"(?:images?|image_url|vision|multi-?modal)")
        + r"|at most 0 image|not a (?:multi-?modal|vision) model|required for image input|only supports? text"
        r"|image_url is only supported|no endpoints found that support image"
        r"|\bmessages\b.{0,100}(?:expected|must be) a string",
    ),
    (
        RequestPart.SYSTEM_MESSAGE,
        rf"\b(?:system|developer) (?:role|message|prompt|instruction)s?\b{GAP}{REFUSES}"
        rf"|{REFUSES}{GAP}\bsystem\b|roles are supported{GAP}\bsystem\b"
        r"|^(?!.*optional system message).*roles must alternate",
    ),
)


def refused_part(status: int, words: str) -> RequestPart | None:
    """The part of a request that an error is about; None for an error that is not known.

    Args:
        status: the HTTP status of the reply.
        words: the server's message.
    """
    if status not in STATUSES:
        return None
    plain = " ".join(QUOTES.sub(" ", words.casefold()).split())
    return next((part for part, pattern in PATTERNS if re.search(pattern, plain)), None)
