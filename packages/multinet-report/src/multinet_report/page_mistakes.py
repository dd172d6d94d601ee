"""Mistakes on the page of a run: those of an episode, and the table of all, whose rows episodes refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from multinet_eval.analysis.mistakes.episode_mistakes import GOAL, Ending, EpisodeMistakes, Mistake
from multinet_eval.analysis.mistakes.mistake_table import MistakeTable
from multinet_eval.analysis.mistakes.needs import EXPLORED
from multinet_eval.record.results import RunResults
from multinet_eval.record.task_result import TaskResult

Row = dict[str, Any]


def unknown_mistakes(result: TaskResult) -> EpisodeMistakes:
    """Return the mistakes of a finished episode that cannot be analysed."""
    return EpisodeMistakes(Ending.SOLVED if result.success else Ending.UNKNOWN, (), False, None, None)


def step_rows(mistakes: Sequence[Mistake]) -> list[Row]:
    """Return the mistakes of an episode and its exploring steps as JSON-ready dictionaries, in order."""
    return [
        {
            "step": each.step,
            "needed": needed_words(each),
            "did": str(each.kind.did),
            "wasted": each.wasted,
            "exploring": each.kind == EXPLORED,
        }
        for each in mistakes
    ]


def ending_row(found: EpisodeMistakes, mistakes: Sequence[Mistake]) -> Row:
    """Return how an episode ended, and its decisive mistake.

    Args:
        found: summary of the episode's mistakes.
        mistakes: the mistakes.
    """
    decisive = next((each for each in mistakes if each.step == found.decisive_step), None)
    return {
        "ending": found.ending.value,
        "wasted": found.wasted_steps,
        "decisive_step": found.decisive_step,
        "needed": None if decisive is None else needed_words(decisive),
    }


def needed_words(mistake: Mistake) -> str | None:
    """Say what was needed, with the id of the entity, such as ``toggle door_red`` or ``turn towards key_red``.

    None for the rest of a reply after a mistake.
    """
    if not mistake.kind.needed:
        return None
    name = mistake.towards_id or f"the {GOAL}"
    acts = [f"{act.verb} {name}" if act.noun == mistake.towards else str(act) for act in mistake.kind.needed]
    words = " or ".join(acts)
    return words if any(act.noun for act in mistake.kind.needed) else f"{words} towards {name}"


def add_table(results: RunResults, mistakes: Mapping[int, EpisodeMistakes], episodes: Sequence[Row]) -> Row:
    """Return the table of mistakes of a run; each episode gets the numbers of its rows and of its decisive row.

    Args:
        results: results of the run.
        mistakes: mistakes of the finished episodes, by number.
        episodes: rows of all episodes.
    """
    table = MistakeTable.of_run(results, mistakes)
    places = {row.kind: place for place, row in enumerate(table.rows)}
    for row in episodes:
        found = mistakes.get(row["number"])
        if found is not None:
            kinds = {each.kind for each in found.counts}
            row["mistakes"] = sorted(places[kind] for kind in kinds if kind in places)
            row["decisive"] = None if found.decisive is None else places.get(found.decisive)
    return {
        "sentence": table.sentence,
        "rows": table.to_list(),
        "wasted_steps": None if table.unknown == sum(table.endings.values()) else table.wasted_steps,
        "failed": table.failed,
        "unknown": table.unknown,
    }
