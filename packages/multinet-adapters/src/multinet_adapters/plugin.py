"""The plugin of this distribution: models behind servers."""

from collections.abc import Iterable

from gridworld.hookspecs import ModelInfo, hookimpl


@hookimpl
def gridworld_models() -> Iterable[ModelInfo]:
    return [
        ModelInfo(
            "ollama", "A model behind an Ollama server.", "multinet_adapters.ollama_vlm_adapter:OllamaVLMAdapter"
        ),
        ModelInfo("lmstudio", "A model behind LM Studio.", "multinet_adapters.lmstudio_vlm_adapter:LMStudioVLMAdapter"),
        ModelInfo(
            "openai",
            "A model behind any server with OpenAI's chat protocol, such as vLLM or llama.cpp.",
            "multinet_adapters.openai_compatible:OpenAICompatibleAdapter",
        ),
    ]
