"""Registration of the models: behind servers, and in this process."""

from collections.abc import Iterable

from gridworld.hookspecs import ModelInfo, hookimpl

CONNECTION = ("base_url", "connect_timeout", "read_timeout", "api_key_env", "max_reply_bytes", "proxy")
"""Arguments that cannot affect answers."""


@hookimpl
def gridworld_models() -> Iterable[ModelInfo]:
    return [
        ModelInfo(
            "ollama",
            "A model behind an Ollama server.",
            "multinet_adapters.ollama_vlm_adapter:OllamaVLMAdapter",
            CONNECTION,
            files=(),
            harmless=("model",),
        ),
        ModelInfo(
            "lmstudio",
            "A model behind LM Studio.",
            "multinet_adapters.lmstudio_vlm_adapter:LMStudioVLMAdapter",
            CONNECTION,
            files=(),
            harmless=("model",),
        ),
        ModelInfo(
            "openai",
            "A model behind any server with OpenAI's chat protocol, such as vLLM or llama.cpp.",
            "multinet_adapters.openai_compatible:OpenAICompatibleAdapter",
            (*CONNECTION, "max_tokens_field"),
            files=(),
            harmless=("model",),
        ),
        ModelInfo(
            "anthropic",
            "A model behind Anthropic's Messages API.",
            "multinet_adapters.anthropic_messages:AnthropicAdapter",
            CONNECTION,
            files=(),
            harmless=("model", "api_version"),
        ),
        ModelInfo(
            "transformers",
            "A local vision-language model, run in this process.",
            "multinet_adapters.transformers_model:TransformersModel",
            ("device",),
            files=("model",),
            harmless=("device",),
            extra="transformers",
        ),
    ]
