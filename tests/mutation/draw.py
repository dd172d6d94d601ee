"""Draws a sample of the mutants of a session of cosmic-ray, which has no sampling of its own.

Run by ``nox -s mutation -- --seed 1 --count 20``. All mutants together would take months.
"""

import argparse
import random
import sqlite3
from contextlib import closing

ANNOTATIONS = "core/ReplaceBinaryOperator_BitOr_%"
"""Mutants of ``|``, which nearly always joins types: no module with one of these can be imported."""


def main() -> None:
    """Remove all but the drawn mutants from a session."""
    parser = argparse.ArgumentParser(description="Draw mutants from a session of cosmic-ray.")
    parser.add_argument("session", help="file that `cosmic-ray init` has made")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--count", type=int, default=20, help="number of mutants to draw")
    asked = parser.parse_args()
    with closing(sqlite3.connect(asked.session)) as session, session:
        # Job ids are random: only this order makes a draw repeatable.
        order = "module_path, operator_name, operator_args, occurrence"
        found = session.execute(
            f"SELECT job_id FROM mutation_specs WHERE operator_name NOT LIKE ? ORDER BY {order}", [ANNOTATIONS]
        ).fetchall()
        drawn = random.Random(asked.seed).sample(found, min(asked.count, len(found)))
        session.execute("CREATE TEMPORARY TABLE drawn (job_id)")
        session.executemany("INSERT INTO drawn VALUES (?)", drawn)
        for table in ("mutation_specs", "work_items"):
            session.execute(f"DELETE FROM {table} WHERE job_id NOT IN (SELECT job_id FROM drawn)")


if __name__ == "__main__":
    main()
