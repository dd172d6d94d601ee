"""An episode that a plugin does not let begin is one that ended by that plugin, recorded or not."""

from pathlib import Path

import pytest

from gridworld.model_interface import EpisodeInfo
from multinet_eval.play.observers import RunObserver
from multinet_eval.play.run import new_run
from multinet_eval.record.manifest import RunOptions, Suite
from multinet_eval.settings.run_settings import RunSettings
from support.runs import AnsweringModel
from support.worlds import corridor


class Unwilling(AnsweringModel):
    """Cannot begin any episode."""

    def begin_episode(self, episode: EpisodeInfo) -> None:
        raise LookupError("no seat")


@pytest.mark.parametrize("recorded", [True, False])
def test_the_next_episode_is_played_all_the_same(tmp_path: Path, recorded: bool) -> None:
    suite = Suite("two", (corridor("@.G"), corridor("@..G")))
    run = new_run(RunSettings(model="random"), suite, Unwilling(), tmp_path / "run" if recorded else None)
    outcome = run.play(RunOptions(), RunObserver())
    assert outcome.stopped is None
    first, second = (result.error or "" for result in outcome.results.in_order)
    assert first == second
    assert first.startswith(
        "model 'scripted' failed in begin_episode before the first step: LookupError: no seat (test_faults_before"
    )
