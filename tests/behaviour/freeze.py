"""Play every scenario and write what it comes to: after a change of rules or scenarios, and only then.

python tests/behaviour/freeze.py [NAME...]
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.plugins import install_example_backends
from support.scenarios import (
    DIGESTS,
    EXTRAS,
    FACTORS,
    FOLDER,
    FORBIDDEN,
    Row,
    covering_rows,
    outcome_of,
    stage,
    write_outcome,
)


def scenarios() -> dict[str, Row]:
    """All scenarios by name, those of the table numbered."""
    rows = enumerate(covering_rows(FACTORS, FORBIDDEN))
    named = {
        f"{n:02}-{'-'.join(row[each] for each in ('backend', 'tiling', 'model', 'faults'))}": row for n, row in rows
    }
    return {**named, **EXTRAS}


def freeze(name: str, row: Row, folder: Path) -> None:
    """Play a scenario in the plainest way, and write its outcome."""
    with stage(row, folder / name, plainly=True) as played:
        finished = played.finish(folder / name / "run")
        assert finished.exit_code == 0, finished.stderr
        outcome, digests = outcome_of(folder / name / "run", row["backend"])
    write_outcome(FOLDER / f"{name}.json", {"row": row, **outcome})
    kept = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    lines = (f"{json.dumps(key)}: {json.dumps(each)}" for key, each in sorted({**kept, name: digests}.items()))
    DIGESTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(names: list[str]) -> None:
    """Freeze the scenarios with these names; by default all of them."""
    if not names:
        for path in (*FOLDER.glob("*.json"), DIGESTS):
            path.unlink(missing_ok=True)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        install_example_backends(Path(folder) / "site", patch)
        for name, row in scenarios().items():
            if not names or name in names:
                freeze(name, row, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
