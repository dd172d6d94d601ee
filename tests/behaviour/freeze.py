"""Play every scenario and write what it comes to: after a change of rules or scenarios, and only then.

A new scenario begins as a file in `outcomes` with nothing but its ``row``.

python tests/behaviour/freeze.py [NAME...]
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.plugins import install_example_backends
from support.scenarios import DIGESTS, FOLDER, Row, outcome_of, stage


def write_outcome(path: Path, content: dict[str, Any]) -> None:
    """Write JSON with one line for each episode and step, for readable diffs."""
    heads = ",\n".join(f"{json.dumps(key)}: {_compact(value)}" for key, value in content.items() if key != "episodes")
    episodes = ",\n".join(_episode_text(each) for each in content["episodes"])
    path.write_text(f'{{{heads},\n"episodes": [\n{episodes}\n]}}\n', encoding="utf-8")


def _episode_text(episode: dict[str, Any]) -> str:
    head = _compact({name: value for name, value in episode.items() if name != "steps"})
    steps = ",\n".join(_compact(step) for step in episode["steps"])
    return f'{head[:-1]},"steps":[\n{steps}]}}'


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


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
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        install_example_backends(Path(folder) / "site", patch)
        for path in sorted(FOLDER.glob("*.json")):
            if not names or path.stem in names:
                freeze(path.stem, json.loads(path.read_text(encoding="utf-8"))["row"], Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
