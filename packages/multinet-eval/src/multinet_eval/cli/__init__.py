"""The command line: ``multinet`` with its subcommands, and ``multinet-run-eval``, the same as ``multinet eval``."""

from multinet_eval.cli.app import main, run_eval

__all__ = ["main", "run_eval"]
