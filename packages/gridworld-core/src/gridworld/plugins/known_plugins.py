"""Names that the toolkit's distributions provide, so that messages can say what to install.

Used for advice only; installed plugins are found through entry points.
"""

from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from types import MappingProxyType

from gridworld.support.wording import how_to_install

PROVIDED_BY: dict[str, dict[str, tuple[str, ...]]] = {
    "gridworld-core": {
        "goal": ("collect_all", "push_block_to", "reach_position", "survive_steps"),
        "mechanism": ("blocks", "doors", "gates", "hazards", "keys", "switches", "teleporters"),
        "model": ("explorer", "file", "greedy", "optimal", "random", "replay"),
        "observation": ("coordinates", "map", "sentences", "text"),
        "renderer": ("png",),
        "tiling": ("square",),
    },
    "gridworld-minigrid": {"backend": ("minigrid",), "importer": ("minigrid",)},
    "gridworld-multigrid": {"backend": ("multigrid",), "tiling": ("3464", "488", "hex", "triangle")},
    "gridworld-generators": {
        "benchmark": ("fresh_100",),
        "generator": (
            "braided_maze",
            "cave",
            "decoy_ladder",
            "depth_ladder",
            "hazard_field",
            "islet",
            "lava_rivers",
            "mirrored",
            "open_rooms",
            "order",
            "path_choice",
            "perfect_maze",
            "recolored",
            "rooms_and_corridors",
            "sight",
            "spiral",
            "teleporter_house",
            "turned",
            "warehouse",
            "weights",
        ),
        "importer": ("ascii", "sokoban"),
    },
    "multinet-adapters": {"model": ("anthropic", "lmstudio", "manual", "ollama", "openai", "transformers")},
    "multinet-eval": {
        "benchmark": ("tiers", "validation_10", "worked_examples"),
        "executor": ("local", "processes", "ray"),
        "metric": (
            "action_efficiency",
            "budget_no_return",
            "chain_kept",
            "chain_used",
            "composite",
            "distractor_interactions",
            "ended",
            "illegal_share",
            "loops",
            "loss",
            "lost_steps",
            "mechanism_order",
            "no_effect_share",
            "optimal_overlap",
            "optimal_path",
            "optimality_ratio",
            "progress_best",
            "progress_final",
            "refused_share",
            "regret_mean",
            "regret_total",
            "requests",
            "requests_per_step",
            "requests_per_success",
            "revisits",
            "route",
            "route_overlap",
            "seconds",
            "seconds_per_step",
            "seconds_per_success",
            "spl",
            "steps",
            "structural_no_return",
            "success",
            "tokens",
            "tokens_per_step",
            "tokens_per_success",
            "unparsable_share",
        ),
        "model": ("human",),
        "protocol": ("chunk", "plan", "step", "subgoal"),
        "probe": ("board", "cell", "distance", "effects", "find", "front", "listing", "pose"),
        "renderer": ("gif", "webp"),
    },
    "multinet-report": {"command": ("play", "report"), "model": ("person",), "page": ("html",)},
}

TOOLKIT = frozenset(PROVIDED_BY)
"""The toolkit's own distributions, which are released together."""

PROVIDERS: dict[tuple[str, str], str] = {
    (kind, name): provider
    for provider, provided in PROVIDED_BY.items()
    for kind, names in provided.items()
    for name in names
}
"""Distribution that provides each (kind, name)."""


def advice_to_install(
    kind: str, name: str, failed: Iterable[str] = (), disabled: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return advice about an unknown name, such as which distribution to install.

    Args:
        kind: kind of the name, such as ``mechanism``.
        name: the name.
        failed: qualified names of plugins that failed to load.
        disabled: the option or variable that disables a plugin, by the plugin's qualified name.
    """
    provider = PROVIDERS.get((kind, name))
    if provider is not None:
        by = [each for plugin, each in disabled.items() if plugin.partition("/")[0] == provider]
        return _advice(name, provider, by[0] if by else None)
    culprits = ", ".join(failed)
    if culprits:
        return f"A plugin that failed to load may provide it ({culprits}): see 'multinet plugins'"
    if disabled:
        named = ", ".join(f"{plugin} by {each}" for plugin, each in disabled.items())
        return f"A plugin that provides it may be missing, or disabled ({named}): see 'multinet plugins'"
    return "A plugin that provides it may be missing: see 'multinet plugins'"


def advice_for_any_kind(name: str) -> str:
    """Return advice about an unknown name of any kind; empty if no distribution of the toolkit provides the name."""
    known = [provider for (_, each), provider in PROVIDERS.items() if each == name]
    return _advice(name, known[0]) if known else ""


def _advice(name: str, provider: str, disabled_by: str | None = None) -> str:
    try:
        distribution(provider)
    except PackageNotFoundError:
        return f"'{name}' is provided by {provider}: {how_to_install(provider)}"
    state = f"disabled by {disabled_by}" if disabled_by else "disabled or broken"
    return f"'{name}' is provided by {provider}, which is installed, but {state}: see 'multinet plugins'"
