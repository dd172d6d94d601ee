"""The fixture that the tests of adapters can ask for."""

import requests

from multinet_adapters.testing.model_servers import ModelServer

pytest_plugins = ["multinet_adapters.testing.pytest_plugin"]


def ask(server: ModelServer, text: str) -> str:
    """What the server's model answers, by OpenAI's protocol."""
    question = {"model": server.models[0], "messages": [{"role": "user", "content": text}]}
    reply = requests.post(f"{server.openai_url}/chat/completions", json=question, timeout=5)
    answer: str = reply.json()["choices"][0]["message"]["content"]
    return answer


def test_its_model_is_done_until_a_test_says_otherwise(model_server: ModelServer) -> None:
    assert '"action": "done"' in ask(model_server, "Where to?")
    model_server.answer = lambda chat: "Action: turn_left"
    assert ask(model_server, "And now?") == "Action: turn_left"


def test_it_records_what_the_model_is_asked(model_server: ModelServer) -> None:
    ask(model_server, "Where to?")
    assert [chat.text for chat in model_server.chats] == ["Where to?"]
