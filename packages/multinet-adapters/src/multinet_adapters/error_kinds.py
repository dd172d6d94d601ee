"""Kinds of errors that servers report, told apart by status, code, parameter and words together.

Servers share no vocabulary, so the rules are about kinds of errors and not about providers. They come from error bodies
of OpenAI and Azure, Anthropic, Google, xAI, Mistral, Groq, DeepSeek, DashScope, Zhipu, OpenRouter, vLLM, SGLang,
llama.cpp, LM Studio and Ollama.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from typing import Any

import attrs

from multinet_adapters.refusals import RequestPart, plain_words, refused_part


class ErrorKind(Enum):
    """Kind of an error that a server reports."""

    PART = auto()
    """A part of the request is rejected, or a setting is out of range."""
    CONTENT = auto()
    """The server declines to answer because of the content of the request or the reply."""
    OUTPUT = auto()
    """The model replied, and the server rejected its output."""
    QUOTA = auto()
    """The account has no credit left; waiting does not help."""
    CREDENTIAL = auto()
    MODEL = auto()
    """The server does not know the model."""
    CONTEXT = auto()
    """The prompt is longer than the model's context."""
    OVERLOADED = auto()
    """Too many requests, in total or at the same time."""
    REQUEST = auto()
    """Another error that blames the request."""
    DEFECT = auto()
    """Anything else: a fault of the server, after which the request may be repeated."""


LONGEST_CODE = 100
LONGEST_WORDS = 2000
"""Characters of a message that are looked at."""
MOST_DEEP = 40
"""Depth to which errors are searched; a server may nest them, or quote the errors of another."""
CODES = ("code", "type", "status", "reason", "error_code", "err_code", "error_type")
"""Members of errors that name their kind."""
PARAMETERS = ("param", "parameter", "field")
MESSAGES = ("error", "message", "detail", "msg", "error_msg", "error_message", "errors", "description")
"""Members of errors with words, or with an inner error, the most telling first."""
INNER = (*MESSAGES, "details", "metadata", "innererror", "raw")
"""Members that may hold an inner error."""


@attrs.frozen
class ServerError:
    """An error as a server reports it."""

    status: int
    """HTTP status, or the one that an error in a successful reply names."""
    words: str
    """Message for people; empty without any."""
    codes: frozenset[str] = frozenset()
    """Codes, types and statuses of all nested errors, in lower case with underscores."""
    parameters: frozenset[str] = frozenset()
    """Names of the parameters that it is about."""
    output: str | None = None
    """The model's output, if the error quotes it."""
    retry_after: float | None = None
    """Seconds to wait, if the server says so."""
    is_json: bool = True
    """Whether it is JSON; the words of a page of a proxy tell little."""

    @property
    def plain(self) -> str:
        """The words in lower case, without quotes and line breaks."""
        return plain_words(self.words)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


UP_TO = r"[^.]{0,60}"
"""Anything within a sentence, at most a few words."""
JSON_REJECTED = _any(
    r"fail(?:ed|ure)? to (?:generate|validate|produce|parse) (?:an? |the )?(?:valid )?"
    r"(?:json\b|tool calls?|function calls?|model.{0,9}output|input at pos)",
    rf"(?:output|response|generation|generated (?:json|text)){UP_TO}(?:does not|did not|doesn t|not) (?:match|conform)",
    r"does not (?:match|conform to) the (?:expected |requested |provided |given )schema",
    rf"(?:model|assistant)(?: s)? (?:output|reply|generation){UP_TO}"
    r"(?:invalid|not valid|malformed|could not be parsed|cannot be parsed|unparsable|unparseable)",
    r"(?:could not|cannot|unable to) parse (?:the )?(?:model|assistant|generated)",
    r"invalid (?:json|output) (?:generated|produced|returned) by (?:the )?model",
    r"model (?:generated|produced|returned) (?:an? )?(?:invalid|malformed) (?:json|output|tool call|answer)",
)
ABOUT_REQUEST = re.compile(r"json[ _]schema|json mode|response[ _]format|grammar|request body|messages\[|\bat index\b")
"""Words about the request, with which an error is not about what the model wrote."""
OUTPUT_STATUSES = (200, 400, 422, 500)
"""HTTP statuses with which servers reject what the model wrote."""
OUTPUT_CODES = ("json_validate_failed", "output_parse_failed", "output_validation_failed", "tool_use_failed")
CONTENT_CODES = _any(
    r"content_?(?:filter|policy|moderation|management)",
    r"moderation|policy_?violation|responsible_?ai|data_?inspection|prohibited_content|safety|sensitive|censor",
    r"content_blocked|risk_control|\bblocklist\b|guardrail",
)
CONTENT_WORDS = _any(
    r"usage (?:guidelines?|polic)|content (?:polic|filter|management|moderation|safety)",
    r"safety (?:system|check|filter|polic|reason|guideline)|\bmoderation\b|moderated|data inspection",
    r"(?:inappropriate|prohibited|harmful|unsafe) content|sensitive (?:content|words?)|responsible ai",
    rf"flagged (?:as|for|by)|violat\w{{0,9}}{UP_TO}(?:polic|guideline|terms of (?:use|service))",
    rf"blocked (?:by|due to|because of){UP_TO}(?:safety|polic|content|filter)",
    rf"(?:content|input|output|prompt|request){UP_TO}(?:considered|deemed|detected as|may contain){UP_TO}"
    r"(?:unsafe|harmful|inappropriate|sensitive|risk)",
    r"不安全|敏感|违规|违反|内容安全|审核",
)
ABOUT_ACCOUNT = _any(
    r"account|organi[sz]ation|your company|\baccept|endpoints?\b|network|web content|parameter|not enabled|unsupported",
    r"not supported|timed out|api[ _-]?key|does not exist|settings?\b",
)
"""Words with which an error is not about the content of a request."""
CONTENT_STATUSES = (200, 400, 403, 422, 451)
SAFETY = re.compile(r"safety|polic|guideline|harm|violat|moderat|flagged|prohibited|unsafe|sensitive")
QUOTA_CODES = _any(
    r"insufficient_?(?:quota|balance|credit|funds?)|billing|credit_balance|payment_required|out_of_credits|arrearage",
    r"quota_exhausted|spend(?:ing)?_limit|budget_exceeded",
)
QUOTA_WORDS = _any(
    r"current quota|insufficient (?:quota|credits?|balance|funds?)|credit balance|\bbilling\b|payment required",
    r"out of credits|no (?:more |remaining )?credits?|more credits|top up|recharge|prepaid",
    r"credits? (?:is|are|has been|have been)? ?(?:exhausted|used up|depleted)",
    rf"(?:spend(?:ing)?|monthly|usage) (?:limit|cap|budget){UP_TO}(?:reached|exceeded)",
    r"余额不足|欠费|充值|额度",
)
CREDENTIAL_WORDS = re.compile(r"api[ _-]?key|credential|authenticat|unauthori[sz]ed|access token|bearer token")
CONTEXT_CODES = ("context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "prompt_too_long")
CONTEXT_WORDS = _any(
    r"context (?:length|window|size|limit)|maximum context|n_ctx|prompt (?:is )?too long|input (?:is )?too long",
    rf"(?:input|prompt|request){UP_TO}(?:exceed|longer than|more than){UP_TO}tokens|too many (?:input |prompt )?tokens",
    rf"input length{UP_TO}exceed|上下文|输入长度",
)
MODEL_CODES = ("model_not_found", "model_not_available", "unknown_model", "not_found_error", "model_decommissioned")
MODEL_WORDS = _any(
    rf"\bmodel\b{UP_TO}(?:not found|not exist|no longer|unknown|is not available|decommissioned|not a valid model)",
    r"(?:unknown|no such|invalid|unsupported) model\b|not a valid model",
)
NAMED_MODEL = _any(
    r"\bmodel [^\s,]{2,80} (?:is |was |does )?not (?:found|exist|supported|available)",
    r"(?:unknown|no such|invalid) model\b|not a valid model|\bmodel not found\b",
)
"""Words about a model by its name, which may hold words for parts of requests."""
OVERLOADED_CODES = re.compile(
    r"rate_?limit|overload|too_many_requests|throttl|resource_exhausted|engine_busy|server_busy|capacity|unavailable"
)
OVERLOADED_STATUSES = (429, 503, 529)
BLAMES_REQUEST = (400, 401, 402, 403, 404, 405, 406, 407, 410, 413, 414, 415, 422, 451, 501)
"""HTTP statuses that blame the request, so that repeating it would fail again."""
NAMED_STATUSES = {"overloaded_error": 529, "rate_limit_error": 429, "rate_limit_exceeded": 429}
"""Error names that stand for an HTTP status."""


@attrs.frozen
class Verdict:
    """Kind of an error, and the part of the request that it is about, if any."""

    kind: ErrorKind
    part: RequestPart | None = None


def verdict_on(error: ServerError) -> Verdict:
    """Tell the kind of an error; codes and words that name a kind decide before the parts that they mention."""
    kind = _kind_whatever_the_part(error)
    if kind is not None:
        return Verdict(kind)
    part = refused_part(error.status, error.plain, error.parameters)
    return Verdict(ErrorKind.PART, part) if part is not None else Verdict(_kind_without_part(error))


def _kind_whatever_the_part(error: ServerError) -> ErrorKind | None:
    words, is_busy = error.plain, error.status in OVERLOADED_STATUSES
    if _is_about_output(error):
        return ErrorKind.OUTPUT
    if _is_about_content(error):
        return ErrorKind.CONTENT
    has_quota_code = any(map(QUOTA_CODES.search, error.codes))
    if error.status == 402 or has_quota_code or (QUOTA_WORDS.search(words) and error.status in (400, 403, 429)):
        # Some servers speak of a quota that renews within seconds, or of billing beside a limit of the rate.
        waits = is_busy and not has_quota_code and (error.retry_after is not None or "rate limit" in words)
        return ErrorKind.OVERLOADED if waits else ErrorKind.QUOTA
    if error.status == 401 or (error.status in (400, 403) and CREDENTIAL_WORDS.search(words)):
        return ErrorKind.CREDENTIAL
    if error.status < 500 and not is_busy and (error.codes & set(MODEL_CODES) or NAMED_MODEL.search(words)):
        return ErrorKind.MODEL
    return None


def _is_about_output(error: ServerError) -> bool:
    """Whether the server rejected what the model wrote."""
    if error.status not in OUTPUT_STATUSES:
        return False
    if error.output is not None or error.codes & set(OUTPUT_CODES):
        return True
    return bool(JSON_REJECTED.search(error.plain)) and not ABOUT_REQUEST.search(error.plain)


def _kind_without_part(error: ServerError) -> ErrorKind:
    if _is_overload(error):
        return ErrorKind.OVERLOADED
    if error.codes & set(CONTEXT_CODES) or CONTEXT_WORDS.search(error.plain):
        return ErrorKind.CONTEXT
    if error.status < 500 and (error.codes & set(MODEL_CODES) or MODEL_WORDS.search(error.plain)):
        return ErrorKind.MODEL
    if error.status == 403:
        return ErrorKind.CREDENTIAL
    return ErrorKind.REQUEST if error.status in BLAMES_REQUEST else ErrorKind.DEFECT


def _is_about_content(error: ServerError) -> bool:
    """Whether the server declines because of the content of the request or the reply."""
    if error.status not in CONTENT_STATUSES or not error.is_json:
        return False
    if any(map(CONTENT_CODES.search, error.codes)):
        return True
    if error.codes & {"invalid_prompt"}:
        return bool(SAFETY.search(error.plain))
    return bool(CONTENT_WORDS.search(error.plain)) and not ABOUT_ACCOUNT.search(error.plain)


def _is_overload(error: ServerError) -> bool:
    named = any(map(OVERLOADED_CODES.search, error.codes))
    return error.status in OVERLOADED_STATUSES or (named and (error.status >= 500 or error.status == 200))


# --- what a reply says -------------------------------------------------------------------------------------------


def read_error(value: Any, status: int, headers: Mapping[str, str], text: str) -> ServerError:
    """Collect what an error says, from all its nested parts.

    Args:
        value: the JSON of the reply; None if it is none.
        status: the HTTP status of the reply.
        headers: its headers.
        text: its text, in place of a message if the JSON has none.
    """
    parts = list(_nested(value))
    codes = frozenset(_code(part[name]) for part in parts for name in CODES if isinstance(part.get(name), str | int))
    found = [part[name] for part in parts for name in PARAMETERS if isinstance(part.get(name), str)]
    found += [str(each) for part in parts for each in _place(part)]
    output = next((part["failed_generation"] for part in parts if isinstance(part.get("failed_generation"), str)), None)
    words = ("; ".join(dict.fromkeys(_words(value))) or text.strip())[:LONGEST_WORDS]
    stated = status if status >= 400 else _stated_status(codes, status)
    delay = delay_of(headers, parts, words)
    return ServerError(stated, words, codes, frozenset(found), output, delay, isinstance(value, dict | list))


def _code(value: object) -> str:
    """Return a code in lower case with underscores, also if it is written in capitals, words or camel case."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(value)[:LONGEST_CODE])
    return re.sub(r"[\s.-]+", "_", text).casefold()


def _stated_status(codes: frozenset[str], status: int) -> int:
    """Return the HTTP status that an error in a successful reply names; otherwise the reply's own."""
    for code in sorted(codes):
        if code in NAMED_STATUSES:
            return NAMED_STATUSES[code]
        if re.fullmatch("[45][0-9][0-9]", code):
            return int(code)
    return status


def _nested(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects of an error, the outermost first."""
    if depth > MOST_DEEP:
        return
    if isinstance(value, dict):
        yield value
        for name in INNER:
            yield from _nested(value.get(name), depth + 1)
    elif isinstance(value, list):
        for each in value[:MOST_DEEP]:
            yield from _nested(each, depth + 1)


def _words(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the messages of an error, with the place in the request where a validation error has one."""
    if depth > MOST_DEEP:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value[:MOST_DEEP]:
            yield from _words(each, depth + 1)
    elif isinstance(value, dict):
        place = f"{'.'.join(_place(value))}: " if _place(value) else ""
        inner = next((found for name in MESSAGES if (found := list(_words(value.get(name), depth + 1)))), [])
        yield from (f"{place}{each}" for each in inner)


def _place(problem: Mapping[str, Any]) -> list[str]:
    """Return where a validation error lies in the request, in the form of FastAPI and Pydantic."""
    place = problem.get("loc")
    return list(map(str, place)) if isinstance(place, list) else []


# --- how long to wait --------------------------------------------------------------------------------------------

LONGEST_DELAY = 10.0**7
"""Seconds; longer delays are no information."""
DELAYS = {"retrydelay": 1.0, "retry_delay": 1.0, "retry_after": 1.0, "retryafter": 1.0, "retry_after_seconds": 1.0,
          "retry_after_ms": 1e3, "retry_after_millis": 1e3}  # fmt: skip
"""Members of errors that name a delay, and their units per second."""
TOLD_DELAY = re.compile(
    r"(?:try again|retry|wait)(?: again)?(?: your request)?(?: (?:in|after|for))? (?:about |another )?"
    r"((?:\d+(?:\.\d+)? ?(?:ms|milliseconds?|h|hours?|m|min|minutes?|s|sec|seconds?)(?![a-z]) ?)+)"
)
DELAY_UNIT = re.compile(r"(\d+(?:\.\d+)?) ?(ms|milli|h|m|s)")
SECONDS = {"ms": 1e-3, "milli": 1e-3, "h": 3600.0, "m": 60.0, "s": 1.0}


def delay_of(headers: Mapping[str, str], parts: Sequence[Mapping[str, Any]], words: str) -> float | None:
    """Return the seconds to wait: from a header, a member of the error, or its words; None if it names none."""
    for name, unit in (("retry-after-ms", 1e3), ("x-ms-retry-after-ms", 1e3), ("Retry-After", 1.0)):
        header = headers.get(name, "").strip()
        found = _number(header, unit)
        found = _until(header, headers) if found is None else found
        if found is not None:
            return found
    for part in parts:
        for name, value in part.items():
            if name.casefold() in DELAYS:
                found = _number(str(value).strip().removesuffix("s"), DELAYS[name.casefold()])
                if found is not None:
                    return found
    told = TOLD_DELAY.search(words.casefold())
    if told is None:
        return None
    return _bounded(sum(float(number) * SECONDS[unit] for number, unit in DELAY_UNIT.findall(told[1])))


def _number(text: str, per_second: float) -> float | None:
    if not re.fullmatch(r"[0-9]{1,15}(?:\.[0-9]{1,15})?", text, re.ASCII):
        return None
    return _bounded(float(text) / per_second)


def _bounded(seconds: float) -> float | None:
    return seconds if 0 <= seconds <= LONGEST_DELAY else None


def _until(text: str, headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a date, by the server's own clock, since this machine's may be wrong."""
    then = _date(text)
    if then is None:
        return None
    now = _date(headers.get("Date", "")) or datetime.now(UTC)
    return _bounded(max(0.0, (then - now).total_seconds()))


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
