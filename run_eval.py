"""``python run_eval.py ...`` is the same as ``multinet-run-eval ...``."""

from multinet_eval.cli import run_eval

if __name__ == "__main__":
    run_eval()
