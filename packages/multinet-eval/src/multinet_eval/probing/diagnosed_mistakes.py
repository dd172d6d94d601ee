"""Causes of the mistakes of a diagnosed run, by row of the table of mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain

import attrs

from multinet_eval.analysis.metrics.analysed_episodes import Analyst, grouped
from multinet_eval.analysis.mistakes.episode_mistakes import find_mistakes
from multinet_eval.analysis.mistakes.mistake_table import MistakeTable
from multinet_eval.analysis.mistakes.needs import MistakeKind
from multinet_eval.analysis.mistakes.run_mistakes import mistakes_of_run
from multinet_eval.probing.diagnosis import Cause, Diagnosed
from multinet_eval.record.derived import Records
from multinet_eval.record.results import recorded_results
from multinet_eval.record.run_directory import RunDirectory
from multinet_eval.settings.defaults import MAX_STATES_OF_METRICS

DiagnosedSteps = Mapping[int, Mapping[int, Diagnosed]]
"""Diagnoses by number of the episode and of the step."""


@attrs.frozen
class DiagnosedMistakes:
    """Causes of the mistakes of one row."""

    needed: str | None
    did: str
    causes: Mapping[str, int]
    """Number of these mistakes by cause, every `Cause` of an error included."""


CAUSES = (Cause.ACTING, Cause.SEEING, Cause.PLANNING, Cause.UNDETERMINED, Cause.LOST)
"""Possible causes of a mistake."""


def causes_by_mistake(directory: RunDirectory, diagnosed: DiagnosedSteps) -> tuple[DiagnosedMistakes, ...]:
    """Count the causes of mistakes by row of the table of mistakes, in its order.

    Args:
        directory: the diagnosed run.
        diagnosed: the diagnoses of its steps.

    Raises:
        GridworldError: as `mistakes_of_run` does.
    """
    counts: dict[MistakeKind, Counter[Cause]] = {}
    records = Records(directory)
    begun = [each for each in directory.manifest.plan if each.number in records.attempts]
    groups = chain.from_iterable(grouped(begun, records))
    for planned, episode in Analyst(directory, MAX_STATES_OF_METRICS).analyses(groups):
        for mistake in find_mistakes(episode):
            found = diagnosed[planned.number].get(mistake.step)
            if found is not None:
                counts.setdefault(mistake.kind, Counter())[found.cause] += 1
    table = MistakeTable.of_run(recorded_results(directory), mistakes_of_run(directory))
    return tuple(
        DiagnosedMistakes(row.needed, row.did, {cause.value: counts[row.kind][cause] for cause in CAUSES})
        for row in table.rows
        if row.kind in counts
    )
