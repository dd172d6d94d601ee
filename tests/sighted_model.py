"""A model behind a server that passes every check before a run: it sees, reads, and answers in the form asked for."""

import json
import re
from typing import Any

from multinet_adapters.testing.model_servers import ChatRequest, action_json
from plain_pictures import color_of

__all__ = ["is_asked_to_act", "schema_of", "sighted"]

WORD_OF_THE_DAY = re.compile(r"The word of the day is '(\w+)'")


def is_asked_to_act(request: ChatRequest) -> bool:
    """Whether it is a step's question, not one of the checks before."""
    return "Mission:" in request.text


def schema_of(request: ChatRequest) -> dict[str, Any] | None:
    """The schema of the answer, if one is asked for."""
    body = request.body
    given = body.get("format") or body.get("output_config", {}).get("format", {}).get("schema")
    return given or body.get("response_format", {}).get("json_schema", {}).get("schema")


def sighted(request: ChatRequest) -> str:
    """What such a model says."""
    if is_asked_to_act(request):
        return action_json("turn_left")
    if schema := schema_of(request):
        return json.dumps({name: each["enum"][0] for name, each in schema["properties"].items()})
    if told := WORD_OF_THE_DAY.search(request.text):
        return f"{told[1].capitalize()}."
    if not request.images:
        return "Ready."
    return f"<think>red, green or blue?</think>\n{color_of(request.images[0]).capitalize()}."
