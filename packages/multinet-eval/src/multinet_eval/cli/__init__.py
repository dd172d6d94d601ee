"""The command line: ``multinet`` and its subcommands, and ``multinet-run-eval``, which is ``multinet eval``.

Everything is imported inside the programs, so that Ctrl-C during an import ends them without a traceback.
"""

__all__ = ["INTERRUPTED", "main", "run_eval"]

INTERRUPTED = 130
"""Exit code of a program ended by Ctrl-C."""


def main() -> None:
    """Run the program ``multinet``."""
    try:
        from multinet_eval.cli.app import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def run_eval() -> None:
    """Run the program ``multinet-run-eval``."""
    try:
        from multinet_eval.cli.app import run_eval as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
