"""What a recorded run comes to: actions, states and results of its episodes, without times and prompts."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gridworld.backends.base import AbstractGridBackend
from gridworld.task_spec import TaskSpecification
from support.commands import multinet
from support.covering import Row
from support.scenarios import make_backend

__all__ = ["DIGESTS", "FOLDER", "Kept", "Outcome", "exported", "kept_outcomes", "outcome_of", "replay", "write_outcome"]

Outcome = dict[str, Any]
"""``episodes``, each with its actions and the state after each step, as the entries that the step has changed."""

FOLDER = Path(__file__).parents[1] / "behaviour" / "outcomes"
"""Where outcomes are kept, a file for each scenario."""
DIGESTS = FOLDER / "digests" / "digests.json"
"""The digests of their states, which alone change with what is hashed."""

PLANNED = ("task_id", "tiling", "epoch", "seed", "end", "success", "steps_taken", "total_reward")
ENDED = ("terminated", "truncated", "optimal_steps", "ineffective_steps", "lost_steps")


def exported(run: Path, rows: str) -> list[dict[str, Any]]:
    """The rows of a recorded run, ``episodes`` or ``steps``."""
    file = run.parent / f"{run.name}-{rows}.jsonl"
    finished = multinet("runs", "export", run, "--format", "jsonl", "--rows", rows, "-o", file)
    assert finished.exit_code == 0, finished.stderr
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def outcome_of(run: Path, backend: str) -> tuple[Outcome, list[list[str]]]:
    """What a run has come to, and the digests that are recorded of the states after its actions, by episode.

    `backend` is the name by which it is chosen. The states are those of the recorded actions, played once more; they
    have the recorded digests.
    """
    steps = exported(run, "steps")
    episodes, digests = [], []
    for episode in exported(run, "episodes"):
        of_it = [step for step in steps if step["episode"] == episode["episode"]]
        task = TaskSpecification.from_json(run / "tasks" / f"{episode['task']}.json")
        made = make_backend(backend, episode["tiling"])
        states, replayed = replay(made, task, episode["seed"], [step["action"] for step in of_it])
        recorded = [step["digest"] for step in of_it if step["action"] is not None]
        assert replayed == recorded, f"episode {episode['episode']} of {run} has other digests"
        episodes.append(_episode(episode, of_it, states))
        digests.append(recorded)
    return {"episodes": episodes}, digests


def replay(
    backend: AbstractGridBackend, task: TaskSpecification, seed: int, actions: list[int | None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The states of an episode, the first one before its first step, and the digests after its actions.

    A step without an action changes nothing.
    """
    backend.configure(task)
    _, state, _ = backend.reset(seed=seed)
    states, digests = [state.to_dict()], []
    for action in actions:
        if action is not None:
            state = backend.step(action)[4]
            digests.append(backend.digest())
        states.append(state.to_dict())
    backend.close()
    return states, digests


def _episode(row: dict[str, Any], steps: list[dict[str, Any]], states: list[dict[str, Any]]) -> dict[str, Any]:
    counted = {name.removeprefix("requests_"): count for name, count in row.items() if name.startswith("requests_")}
    return {
        **{name: row[name] for name in (*PLANNED, *ENDED)},
        "outcomes": {name: count for name, count in counted.items() if count},
        "start": states[0],
        "steps": [
            [step["action"], step["reward"], {name: after[name] for name in after if after[name] != before[name]}]
            for step, before, after in zip(steps, states, states[1:], strict=False)
        ],
    }


def write_outcome(path: Path, content: dict[str, Any]) -> None:
    """Write JSON with a line for each episode and step, so that a change of one is a change of one line."""
    heads = ",\n".join(f"{json.dumps(key)}: {_compact(value)}" for key, value in content.items() if key != "episodes")
    episodes = ",\n".join(_episode_text(each) for each in content["episodes"])
    path.write_text(f'{{{heads},\n"episodes": [\n{episodes}\n]}}\n', encoding="utf-8")


def _episode_text(episode: dict[str, Any]) -> str:
    head = _compact({name: value for name, value in episode.items() if name != "steps"})
    steps = ",\n".join(_compact(step) for step in episode["steps"])
    return f'{head[:-1]},"steps":[\n{steps}]}}'


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


@dataclass(frozen=True)
class Kept:
    """A scenario, and what it has come to when it was frozen."""

    row: Row
    outcome: Outcome
    digests: list[list[str]]


def kept_outcomes() -> dict[str, Kept]:
    """All frozen scenarios by name."""
    digests = json.loads(DIGESTS.read_text(encoding="utf-8"))
    contents = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
    return {name: Kept(content.pop("row"), content, digests[name]) for name, content in contents.items()}
