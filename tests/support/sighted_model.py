"""A model that sees, and answers all that it is asked before a run: for servers of `multinet_adapters.testing`."""

import io
import json
import re
from typing import Any

from multinet_adapters.testing.model_servers import ChatRequest, action_json

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


COLORS = {(220, 0, 0): "red", (0, 170, 0): "green", (0, 0, 220): "blue"}


def color_of(data: bytes) -> str:
    """The name of the only colour of a picture."""
    from PIL import Image

    (only,) = Image.open(io.BytesIO(data)).getcolors()
    return COLORS[only[1]]
