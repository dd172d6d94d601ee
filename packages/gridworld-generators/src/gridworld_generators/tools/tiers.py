"""What a task of a tier may hold."""

from __future__ import annotations

from gridworld.task_spec import MechanismSet, Rules

__all__ = ["TIERS", "TIER_OF", "tier_of"]

TIERS = {
    1: "no mechanism",
    2: "keys and doors",
    3: "switches and gates",
    4: "blocks and hazards",
    5: "hidden things, limited sight and teleporters",
}
"""Each tier with what it adds to those before it."""
TIER_OF = {"keys": 2, "doors": 2, "switches": 3, "gates": 3, "blocks": 4, "hazards": 4, "teleporters": 5}
"""Mechanism type to the lowest tier that may hold it; all others belong to the highest."""


def tier_of(mechanisms: MechanismSet, rules: Rules) -> int:
    """The lowest tier that may hold a task with these mechanisms and rules, 1 to 5."""
    if rules.hidden_mechanisms or rules.observability != "full":
        return max(TIERS)
    return max((TIER_OF.get(kind, max(TIERS)) for kind, _ in mechanisms.groups()), default=1)
