"""Names that users give to commands and functions, by the distribution that they may have to install for them.

The table is for advice and for the ids of Gymnasium environments; installed plugins are found through entry points.
"""

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution

from gridworld.plugins.records import PluginRecord
from gridworld.support.wording import how_to_install

TOOLKIT = frozenset(
    {
        "gridworld-core",
        "gridworld-generators",
        "gridworld-minigrid",
        "gridworld-multigrid",
        "multinet-adapters",
        "multinet-eval",
        "multinet-report",
    }
)
"""The toolkit's own distributions, which are released together."""

PROVIDED_BY: dict[str, dict[str, tuple[str, ...]]] = {
    "gridworld-minigrid": {"backend": ("minigrid",), "importer": ("minigrid",)},
    "gridworld-multigrid": {
        "backend": ("multigrid",),
        "importer": ("multigrid",),
        "tiling": ("3464", "488", "hex", "triangle"),
    },
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
    "multinet-adapters": {"model": ("anthropic", "lmstudio", "ollama", "openai", "transformers")},
    "multinet-eval": {
        "benchmark": ("tiers", "validation_10", "worked_examples"),
        "renderer": ("gif", "webp"),
    },
    "multinet-report": {"command": ("play", "report"), "model": ("person",), "page": ("html",)},
}

PROVIDERS: dict[tuple[str, str], str] = {
    (kind, name): provider
    for provider, provided in PROVIDED_BY.items()
    for kind, names in provided.items()
    for name in names
}
"""Distribution that provides each (kind, name)."""


def advice_to_install(kind: str, name: str, unused: Iterable[PluginRecord] = ()) -> str:
    """Return advice about an unknown name, such as which distribution to install.

    Args:
        kind: kind of the name, such as ``mechanism``.
        name: the name.
        unused: plugins that failed to load or are disabled.
    """
    provider = PROVIDERS.get((kind, name))
    if provider is None:
        reasons = ", ".join(f"{record.qualified_name}: {_reason(record)}" for record in unused)
        may_be = f"missing, or unused ({reasons})" if reasons else "missing"
        return f"A plugin that provides it may be {may_be}: see 'multinet plugins list'"
    reason = next((_reason(record) for record in unused if record.distribution == provider), None)
    if reason is None and not _is_installed(provider):
        return f"'{name}' is provided by {provider}: {how_to_install(provider)}"
    return (
        f"'{name}' is provided by {provider}, which is installed, but {reason or 'unused'}: see 'multinet plugins list'"
    )


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _reason(record: PluginRecord) -> str:
    return f"disabled by {record.disabled_by}" if record.disabled_by else "failed to load"
