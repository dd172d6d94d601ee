"""``multinet runs rescore``: the results of a recorded run, computed anew."""

from __future__ import annotations

from multinet_eval.cli.echo import echo
from multinet_eval.cli.errors import exit_on_error
from multinet_eval.cli.recording import RunPath, TakeOver

__all__ = ["rescore"]


def rescore(directory: RunPath, take_over: TakeOver = False) -> None:
    """Compute the results of a finished run anew from its recorded episodes, and write its results.json.

    No model is asked. It says which parts of the results have changed.
    """
    with exit_on_error():
        from multinet_eval.runs.rescoring import rescore_run

        rescored = rescore_run(directory, take_over)
        if rescored.changed:
            echo(f"results.json of {directory} has changed: {', '.join(rescored.changed)}")
        else:
            echo(f"results.json of {directory} is as it was")
