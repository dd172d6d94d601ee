"""The command line: ``multinet`` with its subcommands, and ``multinet-run-eval``, the same as ``multinet eval``.

All that the programs need is imported inside of them, so that Ctrl-C meanwhile ends them without a traceback.
"""

__all__ = ["INTERRUPTED", "main", "run_eval"]

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C has ended."""


def main() -> None:
    """The program ``multinet``."""
    try:
        from multinet_eval.cli.app import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def run_eval() -> None:
    """The program ``multinet-run-eval``."""
    try:
        from multinet_eval.cli.app import run_eval as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
