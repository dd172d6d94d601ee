"""What the solver has found out about a task, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gridworld.support.wording import visible_line
from multinet_eval.cli.echo import echo

__all__ = ["is_wrong", "tell_check"]


def tell_check(result: Mapping[str, Any], err: bool = False) -> None:
    """Print a line for a task, and one for each finding; to standard error if `err`.

    Args:
        result: what `gridworld.solver.TaskReport.to_dict` gives, with ``file`` for what the task is called; of a file
            that holds no task, ``file``, ``ok`` and ``findings`` alone.
        err: where to print.
    """
    echo(f"{_verdict(result)}  {visible_line(result['file'])}{_facts(result)}", err=err)
    for finding in result["findings"]:
        place = f"{finding['path']}: " if finding["path"] else ""
        echo(f"      {finding['severity']}: {place}{finding['message']}", err=err)


def is_wrong(result: Mapping[str, Any]) -> bool:
    """Whether something is wrong with a task, rather than not found out."""
    return any(finding["severity"] == "error" for finding in result["findings"])


def _verdict(result: Mapping[str, Any]) -> str:
    if result["ok"]:
        return "good"
    return "BAD " if is_wrong(result) else "open"


def _facts(result: Mapping[str, Any]) -> str:
    if result.get("optimal_steps") is None:
        return ""
    facts = f": {result['optimal_steps']} of {result['max_steps']} actions, {result['states_seen']} states"
    dead_end = result["dead_end"]
    return facts + (f", dead end after {len(dead_end)}: {' '.join(dead_end)}" if dead_end else "")
