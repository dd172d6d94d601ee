"""Which distribution provides a well-known name, so that a message can say what to install.

Only for advice: what is installed is found through entry points alone.
"""

__all__ = ["advice_to_install"]

PROVIDERS: dict[tuple[str, str], str] = {
    ("backend", "minigrid"): "gridworld-minigrid",
    ("backend", "multigrid"): "gridworld-multigrid",
    ("benchmark", "validation_10"): "multinet-eval",
    ("tiling", "3464"): "gridworld-multigrid",
    ("tiling", "488"): "gridworld-multigrid",
    ("tiling", "hex"): "gridworld-multigrid",
    ("tiling", "triangle"): "gridworld-multigrid",
    ("model", "human"): "multinet-eval",
    ("model", "lmstudio"): "multinet-adapters",
    ("model", "ollama"): "multinet-adapters",
    ("model", "openai"): "multinet-adapters",
}


def advice_to_install(kind: str, name: str) -> str:
    """What to do about a name that nothing installed provides."""
    provider = PROVIDERS.get((kind, name))
    if provider is not None:
        return f"'{name}' is provided by {provider}: pip install {provider}"
    return "a plugin that provides it may be missing or may have failed to load: see 'multinet plugins'"
