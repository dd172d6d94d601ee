"""Loopback servers that speak the protocols of model servers, with scripted answers.

One server speaks all protocols: Ollama's (``/api/chat``, ``/api/tags``), OpenAI's (``/v1/chat/completions``,
``/v1/models``) and Anthropic's (``/anthropic/v1/messages``, ``/anthropic/v1/models``). It records every request, and a
function of the request answers each chat:

    with serve(lambda request: '{"action": "turn_left"}') as server:
        adapter = OllamaVLMAdapter(model=MODEL, base_url=server.ollama_url)
        ...
        server.chats[0].text      # all texts of the request
        server.chats[0].images    # its pictures as PNG files, in order

`serve_plan(["move_forward", "turn_left"])` answers with one action after the other; `serve_in_turn([...])` gives one
reply after the other, including misbehaviour: `Text` (with a finish reason), `Refusal`, `Status`, `Body`, `Raw`,
`Hang`, `Trickle`, `TrickleHeaders`, `Drop`, `Huge`, `Redirect`. `refused_address()` returns an address without a
server.

Only the standard library and attrs are used.
"""

from multinet_adapters.testing.model_servers.misbehaviour import Drop, Hang, Huge, Raw, Trickle, TrickleHeaders
from multinet_adapters.testing.model_servers.received import ChatRequest, Received
from multinet_adapters.testing.model_servers.replies import (
    Answer,
    Body,
    Redirect,
    Refusal,
    Reply,
    Status,
    Text,
    action_json,
)
from multinet_adapters.testing.model_servers.server import MODEL, ModelServer
from multinet_adapters.testing.model_servers.serving import refused_address, serve, serve_in_turn, serve_plan

__all__ = [
    "MODEL",
    "Answer",
    "Body",
    "ChatRequest",
    "Drop",
    "Hang",
    "Huge",
    "ModelServer",
    "Raw",
    "Received",
    "Redirect",
    "Refusal",
    "Reply",
    "Status",
    "Text",
    "Trickle",
    "TrickleHeaders",
    "action_json",
    "refused_address",
    "serve",
    "serve_in_turn",
    "serve_plan",
]
