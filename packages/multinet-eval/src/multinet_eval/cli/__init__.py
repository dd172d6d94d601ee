"""The command line: ``multinet`` and its subcommands, and ``multinet-run-eval``, which is ``multinet eval``.

Everything is imported inside the programs, so that Ctrl-C during an import ends them without a traceback.
"""

import signal

__all__ = ["main", "run_eval"]

_ended_by = signal.SIGINT


def end_by(number: int) -> None:
    """Set the signal that `interrupted_code` is for, until the next call."""
    global _ended_by
    _ended_by = signal.Signals(number)


def interrupted_code() -> int:
    """Return the exit code of an interrupted program: 128 and the number of the signal, by default of Ctrl-C."""
    return 128 + _ended_by


def main() -> None:
    """Run the program ``multinet``."""
    try:
        from multinet_eval.cli.app import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(interrupted_code()) from None


def run_eval() -> None:
    """Run the program ``multinet-run-eval``."""
    try:
        from multinet_eval.cli.app import run_eval as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(interrupted_code()) from None
