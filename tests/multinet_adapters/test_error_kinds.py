"""Errors of servers are told apart by what they mean, whatever words a provider has for it."""

from typing import Any

import pytest

from multinet_adapters.error_kinds import ErrorKind, read_error, verdict_on
from multinet_adapters.refusals import RequestPart

Case = tuple[ErrorKind | RequestPart, int, Any]


def message(text: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": text, **more}}


CASES: list[Case] = [
    # what the model wrote was rejected
    (ErrorKind.OUTPUT, 400, message("Failed to generate JSON. Please adjust it.", code="json_validate_failed")),
    (ErrorKind.OUTPUT, 400, message("Failed to validate JSON", failed_generation="go")),
    (ErrorKind.OUTPUT, 400, message("Generated JSON does not match the expected schema. Errors: action is required")),
    (ErrorKind.OUTPUT, 422, message("The model output could not be parsed as JSON")),
    (ErrorKind.OUTPUT, 500, message("Failed to parse input at pos 12: {{", code=500, type="server_error")),
    (ErrorKind.OUTPUT, 500, message("Model generated invalid JSON")),
    (ErrorKind.DEFECT, 500, message("Model generation failed: CUDA out of memory")),
    (ErrorKind.OVERLOADED, 503, message("model response failed: no healthy upstream")),
    (RequestPart.STRUCTURED_OUTPUT, 400, message("Failed to generate grammar from json_schema: unsupported type")),
    (ErrorKind.CREDENTIAL, 403, message("Your organization was disabled for violating our usage policies")),
    (ErrorKind.OVERLOADED, 429, message("Rate limit reached; add a payment method at /account/billing")),
    (ErrorKind.MODEL, 404, message("The model seed-1.6 does not exist; unsupported region")),
    (ErrorKind.OUTPUT, 400, message("Tool call validation failed", code="tool_use_failed")),
    # content was refused
    (ErrorKind.CONTENT, 403, {"code": "no permission", "error": "Content violates usage guidelines. Failed check: X"}),
    (ErrorKind.CONTENT, 400, message("rejected by the safety system", code="moderation_blocked")),
    (ErrorKind.CONTENT, 400, message("no", innererror={"code": "ResponsibleAIPolicyViolation"})),
    (ErrorKind.CONTENT, 400, {"code": "DataInspectionFailed", "message": "Input data: inappropriate"}),
    (ErrorKind.CONTENT, 400, message("Output blocked by content filtering policy", type="invalid_request_error")),
    (ErrorKind.CONTENT, 400, message("flagged as violating our usage policy", code="invalid_prompt")),
    (ErrorKind.CONTENT, 403, message("The request requires moderation. It was flagged for violence")),
    (ErrorKind.CONTENT, 400, {"error": {"code": "1301", "message": "内容可能包含不安全或敏感内容"}}),
    (ErrorKind.CONTENT, 451, message("Prohibited content")),
    (ErrorKind.REQUEST, 400, message("Invalid prompt: messages must not be empty", code="invalid_prompt")),
    # no credit left
    (ErrorKind.QUOTA, 429, message("You exceeded your current quota", code="insufficient_quota")),
    (ErrorKind.QUOTA, 402, message("Insufficient Balance")),
    (ErrorKind.QUOTA, 400, message("Your credit balance is too low")),
    (ErrorKind.QUOTA, 403, message("its monthly spending limit is reached")),
    (ErrorKind.QUOTA, 429, message("billing hard limit reached", code="billing_hard_limit_reached")),
    (ErrorKind.QUOTA, 400, {"code": "Arrearage", "message": "Access denied."}),
    (ErrorKind.QUOTA, 429, {"error": {"code": "1113", "message": "账户余额不足,请充值"}}),
    # too much at a time
    (ErrorKind.OVERLOADED, 429, message("Rate limit reached for requests", code="rate_limit_exceeded")),
    (ErrorKind.OVERLOADED, 529, message("Overloaded", type="overloaded_error")),
    (ErrorKind.OVERLOADED, 503, message("The model is overloaded. Please try again later.", status="UNAVAILABLE")),
    (ErrorKind.OVERLOADED, 500, message("Engine is busy", code="engine_busy")),
    (ErrorKind.OVERLOADED, 200, message("slow down", type="rate_limit_error")),
    (ErrorKind.OVERLOADED, 429, message("current quota", details=[{"retryDelay": "34s"}])),
    # the credential, the model, the length
    (ErrorKind.CREDENTIAL, 401, message("Incorrect API key provided", code="invalid_api_key")),
    (ErrorKind.CREDENTIAL, 401, message("Your key violates our usage policy")),
    (ErrorKind.CREDENTIAL, 403, message("Forbidden")),
    (ErrorKind.CREDENTIAL, 400, message("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT")),
    (ErrorKind.MODEL, 404, message("The model `x` does not exist.", code="model_not_found")),
    (ErrorKind.MODEL, 404, {"error": 'model "x" not found, try pulling it first'}),
    (ErrorKind.MODEL, 400, message("x is not a valid model ID", code=400)),
    (ErrorKind.CONTEXT, 400, message("maximum length is 4096 tokens", code="context_length_exceeded")),
    (ErrorKind.CONTEXT, 400, message("prompt is too long: 210000 tokens > 200000 maximum")),
    (ErrorKind.CONTEXT, 400, message("the request is too large", type="exceed_context_size_error")),
    # parts of the request
    (RequestPart.TEMPERATURE, 422, message("`temperature` must be strictly positive")),
    (RequestPart.TEMPERATURE, 400, message("temperature must be in range (0, +inf)")),
    (RequestPart.TEMPERATURE, 400, {"error": {"code": "1210", "message": "temperature 必须大于0"}}),
    (RequestPart.TEMPERATURE, 400, message("it does not support 0 here", param="temperature")),
    (RequestPart.TEMPERATURE, 422, {"detail": [{"loc": ["body", "temperature"], "msg": "should be above 0"}]}),
    (RequestPart.SEED, 400, message("seed: expected a number between 1 and 100")),
    (RequestPart.STRUCTURED_OUTPUT, 400, message("Invalid schema for 'answer'", param="response_format")),
    (RequestPart.STRUCTURED_OUTPUT, 400, message("This response_format type is unavailable now")),
    (RequestPart.IMAGES, 404, message("No endpoints found that support image input")),
    (RequestPart.SYSTEM_MESSAGE, 400, message("System role not supported")),
    # anything else
    (ErrorKind.REQUEST, 400, message("messages: at least one message is required")),
    (ErrorKind.DEFECT, 500, message("CUDA error: an illegal memory access was encountered")),
    (ErrorKind.DEFECT, 500, None),
    (ErrorKind.DEFECT, 520, "<html>error</html>"),
    (ErrorKind.DEFECT, 200, message("internal error", code=500)),
]  # fmt: skip


@pytest.mark.parametrize(("right", "status", "body"), CASES, ids=lambda value: str(value)[:60])
def test_an_error_is_told_by_what_it_means(right: ErrorKind | RequestPart, status: int, body: Any) -> None:
    verdict = verdict_on(read_error(body, status, {}, ""))
    assert (verdict.part or verdict.kind) is right


DELAYS: list[tuple[float | None, dict[str, str], Any]] = [
    (4274.5, {"Retry-After": "4274.5"}, None),
    (12.0, {"Retry-After": "12"}, message("try again in 99 s")),
    (0.85, {"retry-after-ms": "850"}, None),
    (34.07, {}, message("quota", details=[{"retryDelay": "34.07s"}])),
    (2.5, {}, message("busy", retry_after_ms=2500)),
    (20.0, {}, message("Rate limit reached. Please try again in 20s. Visit the pages")),
    (90.5, {}, message("Please try again in 1m30.5s")),
    (0.85, {}, message("Try again in 850ms")),
    (5.0, {}, message("please retry after 5 seconds")),
    (None, {"Retry-After": "-3"}, message("try again")),
    (None, {"Retry-After": "1e400"}, message("retry with a model of 7 billion parameters")),
    (None, {"Retry-After": "9" * 400}, None),
]


@pytest.mark.parametrize(("seconds", "headers", "body"), DELAYS, ids=str)
def test_the_time_to_wait_is_read_from_headers_members_and_words(
    seconds: float | None, headers: dict[str, str], body: Any
) -> None:
    found = read_error(body, 429, headers, "").retry_after
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_an_error_nested_without_end_is_a_server_fault() -> None:
    body: Any = "deep"
    for _ in range(400):
        body = {"error": body}
    assert verdict_on(read_error(body, 500, {}, "")).kind is ErrorKind.DEFECT
