"""Parts of requests that a server rejects, recognized by its error messages, and their fallbacks.

Servers share no error code for this. The patterns come from error bodies of OpenAI and Azure, Anthropic, vLLM, SGLang,
llama.cpp, LM Studio, Ollama, DeepSeek, Groq, Mistral and OpenRouter.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

import attrs

from gridworld.model_interface import Adjustment


class RequestPart(StrEnum):
    """Part of a request that some servers reject; its value is its name in messages."""

    STRUCTURED_OUTPUT = "structured output"
    REASONING_LENGTH = "maximum length of the reasoning"
    IMAGES = "images"
    SEVERAL_IMAGES = "several images in one request"
    IMAGES_IN_MESSAGE = "several images in one message"
    SYSTEM_MESSAGE = "the system message"
    TOKEN_LIMIT_NAME = "the name of the token limit"
    TEMPERATURE = "temperature"
    SEED = "seed"


@attrs.frozen
class Help:
    """Advice for a rejected part without a fallback."""

    text: str
    settings: tuple[str, ...]
    """Settings of the run that have to change."""


FEWER_IMAGES = Help(
    "lower --history-images or, in a conversation, --context-images (0 sends the current image only)",
    ("history_images", "context_images"),
)
HELP: Mapping[RequestPart, Help] = {
    RequestPart.IMAGES: Help(
        "the server takes no images for this model: use --observation text, or a vision model", ("observation",)
    ),
    RequestPart.SEVERAL_IMAGES: FEWER_IMAGES,
    RequestPart.IMAGES_IN_MESSAGE: FEWER_IMAGES,
}

STATUSES = (200, 400, 404, 415, 422, 500, 501)
"""HTTP statuses with which servers reject part of a request; some send errors with status 200."""

REFUSES = (
    r"(?:not support|n't support|cannot support|unsupported|not permitted|not allowed|not enabled|extra_forbidden"
    r"|unrecognized|unknown)"
)
GAP = ".{0,80}?"
RANGE = (
    r"(?:out of range|must be|has to be|should be|expected|valid range|between|strictly|greater than|less than|at least"
    r"|at most|larger than|smaller than|positive|non-?negative|not a valid|invalid value"
    r"|只能|必须|应该?为|范围|大于|小于|取值)"
)
"""Words about the values that a setting may have."""


def _refused(name: str) -> str:
    """Return a regular expression for a name near words of rejection, in either order."""
    alone = rf"(?<![\w-]){name}(?![\w-])"  # not within the name of a model
    return rf"(?:{alone}{GAP}{REFUSES}|{REFUSES}{GAP}{alone})"


PATTERNS: tuple[tuple[RequestPart, str], ...] = (
    (RequestPart.TOKEN_LIMIT_NAME, _refused("max_(?:completion_)?tokens")),
    (RequestPart.TEMPERATURE, _refused("temperature") + rf"|temperature{GAP}(?:only the default|deprecated|{RANGE})"),
    (RequestPart.SEED, _refused("seed") + rf"|(?<![\w-])seed(?![\w-]){GAP}{RANGE}"),
    (RequestPart.REASONING_LENGTH, _refused("max_?length")),
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
        r"|only (?:supports? )?(?:one|1|a single) image|maximum (?:number )?(?:of )?\d+ ?images?"
        r"|maximum number of images?",
    ),
    (
        RequestPart.IMAGES,
        _refused(r"(?:images?|image_url|vision|multi-?modal)")
        + r"|at most 0 image|not a (?:multi-?modal|vision) model|required for image input|only supports? text"
        r"|image_url is only supported|no endpoints found that support image"
        r"|^(?!.*too long).*\bmessages\b.{0,100}(?:expected|must be) a string",
    ),
    (
        RequestPart.SYSTEM_MESSAGE,
        rf"\b(?:system|developer) (?:role|message|prompt|instruction)s?\b{GAP}{REFUSES}"
        rf"|{REFUSES}{GAP}\bsystem\b|roles are supported{GAP}\bsystem\b"
        r"|^(?!.*optional system message).*roles must alternate",
    ),
)


PARAMETERS: Mapping[str, RequestPart] = {
    "temperature": RequestPart.TEMPERATURE,
    "seed": RequestPart.SEED,
    "response_format": RequestPart.STRUCTURED_OUTPUT,
    "output_config": RequestPart.STRUCTURED_OUTPUT,
    "format": RequestPart.STRUCTURED_OUTPUT,
}
"""Part of a request for each parameter that an error may name."""


QUOTES = re.compile("['\"`\u2018\u2019\u201c\u201d]")


def plain_words(words: str) -> str:
    """Return words in lower case, without quotes and line breaks."""
    return " ".join(QUOTES.sub(" ", words.casefold()).split())


def refused_part(status: int, words: str, parameters: Collection[str] = ()) -> RequestPart | None:
    """Return the part of a request that an error is about; None for an unknown error.

    Args:
        status: the HTTP status of the reply.
        words: the server's message.
        parameters: names of the parameters that the error names.
    """
    if status not in STATUSES:
        return None
    plain = plain_words(words)
    found = next((part for part, pattern in PATTERNS if re.search(pattern, plain)), None)
    if found is None and status < 500:
        roots = [name.partition(".")[0].partition("[")[0] for name in parameters]
        found = next((PARAMETERS[name] for name in roots if name in PARAMETERS), None)
    return found


@attrs.frozen
class Fallback:
    """Fallback for a part of a request that a server rejects."""

    instead: str
    """Description of the fallback, for messages."""
    argument: str
    """The adapter's argument that selects the fallback from the start."""


class Negotiation:
    """Parts of requests that a server has rejected or accepted, shared by all threads of an adapter.

    A part that is rejected from the start is never sent again by this adapter. A part that was accepted before is
    omitted only from the rejected request: otherwise a single error would change all later requests of a run.

    Args:
        fallbacks: the fallback of each part that can be omitted or replaced.
    """

    def __init__(self, fallbacks: Mapping[RequestPart, Fallback]) -> None:
        self._fallbacks = dict(fallbacks)
        self._adjustments: dict[RequestPart, Adjustment] = {}
        self._noted: tuple[Adjustment, ...] = ()
        self._for_good: dict[RequestPart, None] = {}
        self._taken: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    @property
    def accepted(self) -> frozenset[str]:
        """Parts that answered requests contained."""
        return self._taken

    @property
    def refused(self) -> frozenset[RequestPart]:
        """Parts for which the fallback is used."""
        return frozenset(self._adjustments)

    @property
    def adjustments(self) -> tuple[Adjustment, ...]:
        """Fallbacks in use and the server's reasons, oldest first."""
        return (*self._adjustments.values(), *self._noted)

    @property
    def refused_for_good(self) -> tuple[RequestPart, ...]:
        """Rejected parts without a fallback, oldest first."""
        return tuple(self._for_good)

    def can_avoid(self, part: RequestPart) -> bool:
        """Whether a part has a fallback."""
        return part in self._fallbacks

    def note_answer(self, sent: Iterable[str]) -> None:
        """Record which parts an answered request contained."""
        with self._lock:
            self._taken |= set(sent)

    def avoid(self, part: RequestPart, reason: str) -> Adjustment | None:
        """Use the fallback of a part from now on, unless the part was accepted before; `reason` is the server's.

        Returns:
            The adjustment; None if it is not new, or for the rejected request only.
        """
        fallback = self._fallbacks[part]
        with self._lock:
            if part in self._adjustments or part in self._taken:
                return None
            adjustment = Adjustment(part.value, fallback.instead, reason, fallback.argument)
            self._adjustments = {**self._adjustments, part: adjustment}
            return adjustment

    def note(self, adjustment: Adjustment) -> bool:
        """Record a workaround that changes no request; return whether it is new."""
        with self._lock:
            is_new = adjustment not in self._noted
            self._noted += (adjustment,) if is_new else ()
            return is_new

    def note_refusal(self, part: RequestPart) -> None:
        """Record a rejected part without a fallback; other requests stay unchanged."""
        with self._lock:
            self._for_good = {**self._for_good, part: None}
