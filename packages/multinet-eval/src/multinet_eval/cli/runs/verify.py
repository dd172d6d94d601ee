"""``multinet runs verify``: whether recorded runs are consistent, by playing their answers once more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multinet_eval.cli.echo import echo, echo_json
from multinet_eval.cli.errors import FAILED, exit_on_error
from multinet_eval.cli.options import AsJson, DisablePlugin, load_plugins

if TYPE_CHECKING:
    from multinet_eval.verify.verification import Verification

__all__ = ["verify_runs"]


def verify_runs(
    directories: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of recorded runs.")],
    as_json: AsJson = False,
    disable_plugin: DisablePlugin = None,
) -> None:
    """Check that recorded runs are complete and consistent: every recorded answer is played once more.

    Hashes, plan, fingerprint, every step with the digest of the state after it, how each episode ended and the results
    have to be what follows. Who gave the answers cannot be proven. Of an unfinished run what there is is checked. Exit
    code 1 when anything is not as it says, or a run is not complete.
    """
    with exit_on_error():
        load_plugins(disable_plugin, strict=False)
        from multinet_eval.cli.table import print_prose
        from multinet_eval.record.record_folders import RUN, NotRecordedError, is_run
        from multinet_eval.verify.verification import NOT_PROVEN, verify_run

        for directory in directories:
            if not is_run(directory):
                raise NotRecordedError(directory, RUN)
        found = []
        for directory in directories:
            found.append(verify_run(directory))
            if not as_json:
                _say(found[-1])
        consistent = all(each.consistent for each in found)
        complete = all(each.complete for each in found)
        if as_json:
            runs = [each.to_dict() for each in found]
            echo_json({"consistent": consistent, "complete": complete, "runs": runs, "not_proven": NOT_PROVEN})
        else:
            print_prose(NOT_PROVEN)
        if not (consistent and complete):
            raise typer.Exit(FAILED)


def _say(found: Verification) -> None:
    from gridworld.support.wording import counted, visible_line

    state = "consistent" if found.complete else "unfinished, and consistent so far"
    known = ", as far as it can be checked here" if found.unplayed else ""
    played = f"{counted(found.episodes, 'episode')} and {counted(found.steps, 'step')} played again"
    echo(f"{visible_line(str(found.path))} is {state + known if found.consistent else 'NOT consistent'}: {played}")
    for each in found.problems:
        echo(f"  {visible_line(str(each))}")
    for each in found.pending:
        echo(f"  unfinished: {visible_line(str(each))}")
    for each in found.unchecked:
        echo(f"  not checked: {visible_line(str(each))}")
