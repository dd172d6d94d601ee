"""Counts are printed now and then where no bar can be shown."""

import pytest

from multinet_eval.cli.progress_bars import counting


@pytest.mark.parametrize(
    ("line_seconds", "told"),
    [(0, "playing: 999 of 100,000 steps\nplaying: 1,000 of 100,000 steps\n"), (3600, "")],
)
def test_on_a_pipe_a_line_now_and_then_says_how_much_is_done(
    line_seconds: float, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with counting("playing", "steps", line_seconds) as show:
        show(999, 100_000)
        show(1000, 100_000)
    assert capfd.readouterr() == ("", told)
