"""Scenarios: rows of settings, how to play them, and their frozen outcomes."""

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gridworld.backends.base import AbstractGridBackend
from gridworld.task_spec import TaskSpecification
from support.commands import Finished, multinet, run_eval
from support.model_servers import MODEL, ModelServer, Schedule, Script, wander, write_prompt
from support.task_files import FOR_ANY_BACKEND, MECHANISMS, PLANS, TASKS, write_tasks

Row = dict[str, str]
"""One value of each factor; a partial row lacks some."""

FAULTS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "overload": ("overloaded", "overloaded_for_now", "overloaded_for_a_second", "unavailable", "reset"),
    "server": ("broken", "hang", "cut", "torn", "page"),
    "model": ("prose", "unfinished", "empty", "illegal", "refusal"),
    "fatal": ("bad_request",),
    "huge": ("huge",),
}
CONTEXTS: Mapping[str, tuple[str, ...]] = {
    "fresh": (),
    "history": ("--history-images", "2", "--history-text", "--history-text-window", "3"),
    "conversation": ("--context", "conversation", "--context-steps", "2", "--context-images", "1"),
    "feedback": ("--feedback", "effect"),
}
BUDGETS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "requests": ("--max-requests", "5"),
    "tokens": ("--max-tokens", "500"),
    "cost": ("--max-cost", "0.0015"),
}
MOST_SESSIONS = 40
PRICES = (3.0, 7.0)
"""Prices of a million prompt tokens and a million completion tokens."""
MODELS = {"random": ("-M", "seed=3"), "explorer": (), "greedy": (), "optimal": ()}
BACKENDS = {
    "minigrid": "gridworld_minigrid:MiniGridBackend",
    "multigrid": "gridworld_multigrid:MultiGridBackend",
    "text": "gridworld_example_text_backend.backend:TextBackend",
    "warehouse": "gridworld_example_simulator.backend:WarehouseBackend",
}
SMALL = {"minigrid": {"tile_size": 8}, "multigrid": {"image_size": 64}}
"""Arguments of backends for small pictures, which are drawn quickly; no model looks at them."""
LETTERS = {
    "L": "turn_left",
    "R": "turn_right",
    "F": "move_forward",
    "P": "pickup",
    "T": "toggle",
}


def make_backend(name: str, tiling: str | None) -> AbstractGridBackend:
    """The backend of a row."""
    module, _, member = BACKENDS[name].partition(":")
    make: Callable[..., AbstractGridBackend] = getattr(importlib.import_module(module), member)
    size = SMALL.get(name, {})
    return make(**size) if name in ("minigrid", "warehouse") else make(tiling=tiling, **size)


@dataclass(frozen=True)
class Stage:
    """A folder and server for the runs of one row."""

    row: Row
    folder: Path
    server: ModelServer | None
    plainly: bool
    """Whether to play with one worker, without budget and cache."""

    def play(self, run: Path) -> Finished:
        """Play a new run."""
        row = self.row
        return run_eval(
            *self._tasks(),
            *(word for name, size in SMALL.get(row["backend"], {}).items() for word in ("-B", f"{name}={size}")),
            *("--backend", row["backend"], *(() if row["tiling"] == "square" else ("--tiling", row["tiling"]))),
            *("--protocol", row.get("protocol", "step"), *CONTEXTS[row.get("context", "fresh")]),
            *("--memory", row.get("memory", "none"), "--observation", row.get("observation", self._observation())),
            *("--epochs", row.get("epochs", "1"), "--model", row["model"]),
            *(*self._model(), *self.ways(), *self._limits(), "--run-dir", run, "--json"),
        )

    def resume(self, run: Path) -> Finished:
        """Resume a run without a budget."""
        return multinet("runs", "resume", run, *self.ways(), *self._unlimited(), "--json")

    def finish(self, run: Path) -> Finished:
        """Play a new run, and resume it until it is finished or cannot be."""
        finished, sessions = self.play(run), 1
        while finished.exit_code == 1 and "multinet runs resume" in finished.stderr and sessions < MOST_SESSIONS:
            finished, sessions = self.resume(run), sessions + 1
        return finished

    def extend(self, run: Path) -> Finished:
        """Add an epoch to a run."""
        epochs = int(self.row.get("epochs", "1")) + 1
        return multinet("runs", "resume", run, "--epochs", epochs, *self.ways(), *self._unlimited(), "--json")

    def ways(self) -> tuple[str, ...]:
        """The options without effect on results."""
        given = {"--executor": "executor", "--workers": "workers", "--batch-size": "batch"}
        chosen = {} if self.plainly else {option: self.row[name] for option, name in given.items() if name in self.row}
        return tuple(each for pair in chosen.items() for each in pair)

    def _tasks(self) -> tuple[object, ...]:
        chosen = self.row.get("tasks", "small")
        if chosen not in ("small", "mechanisms"):
            return ("--benchmark", chosen)
        folder = self.folder / "tasks"
        if not folder.exists():
            small = FOR_ANY_BACKEND if self.row["backend"] == "warehouse" else TASKS
            write_tasks(folder, small if chosen == "small" else MECHANISMS)
        return ("--benchmark", "directory", "--task-dir", folder)

    def _observation(self) -> str:
        return "text" if self.row["backend"] == "text" else "image"

    def _model(self) -> tuple[object, ...]:
        if self.server is None:
            return MODELS[self.row["model"]]
        prices = self.folder / "prices.toml"
        prices.write_text(f'["openai/{MODEL}"]\ninput = {PRICES[0]}\noutput = {PRICES[1]}\n', encoding="utf-8")
        slow = ("read_timeout=1",) if self.row["faults"] == "server" else ()
        prompt = write_prompt(self.folder.parent)  # one path for all runs: it is a model argument
        given = (f"base_url={self.server.url}", f"model={MODEL}", "seed=1", f"prompt={prompt}", *slow)
        return (*(each for argument in given for each in ("-M", argument)), "--prices", prices)

    def _limits(self) -> tuple[object, ...]:
        if self.plainly:
            return ()
        cache = ("--cache", self.folder / "cache") if self.row.get("cache") == "yes" else ()
        return (*BUDGETS[self.row.get("budget", "none")], *cache)

    def _unlimited(self) -> tuple[str, ...]:
        """The option that removes the limit that a run remembers."""
        budget = BUDGETS[self.row.get("budget", "none")]
        return () if self.plainly or not budget else (budget[0], "none")


@contextmanager
def stage(row: Row, folder: Path, plainly: bool = False) -> Iterator[Stage]:
    """Make the stage of a row in a new folder, with a server if the model needs one."""
    folder.mkdir()
    if row["model"] != "openai":
        yield Stage(row, folder, None, plainly)
        return
    rate = 0.15 if row["faults"] == "fatal" else 0.4  # each fault ends the session
    schedule = Schedule(seed=5, kinds=FAULTS[row["faults"]], rate=rate)
    with ModelServer(_script(row["tiling"]), schedule) as server:
        yield Stage(row, folder, server, plainly)


def _script(tiling: str) -> Script:
    """Follow the shortest plan of a task, and wander in a task without one."""
    plans = PLANS["square" if tiling == "all" else tiling]

    def act(max_steps: int, step: int) -> str:
        plan = plans.get(max_steps, "")
        return LETTERS[plan[step - 1]] if step <= len(plan) else wander(max_steps, step)

    return act


Outcome = dict[str, Any]
"""``episodes``, each with its actions and, for each step, the entries of the state that changed."""

FOLDER = Path(__file__).parents[1] / "behaviour" / "outcomes"
"""Folder of frozen outcomes, one file per scenario."""
DIGESTS = FOLDER / "digests" / "digests.json"
"""Digests of the states in the outcomes; only they change with the hash."""

PLANNED = ("task_id", "tiling", "epoch", "seed", "end", "success", "steps_taken", "total_reward")
ENDED = ("terminated", "truncated", "optimal_steps", "ineffective_steps", "lost_steps")


def exported(run: Path, rows: str) -> list[dict[str, Any]]:
    """Export the ``episodes`` or ``steps`` of a recorded run."""
    file = run.parent / f"{run.name}-{rows}.jsonl"
    finished = multinet("runs", "export", run, "--format", "jsonl", "--rows", rows, "-o", file)
    assert finished.exit_code == 0, finished.stderr
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def outcome_of(run: Path, backend: str) -> tuple[Outcome, list[list[str]]]:
    """The outcome of a run, and the recorded digests of each episode's states.

    The states are recomputed by replaying the recorded actions on the named backend, and checked against the digests.
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
    """The states of an episode from its start, and the digests after its actions; None is a step without an action."""
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
    counted = {name.removeprefix("answers_"): count for name, count in row.items() if name.startswith("answers_")}
    return {
        **{name: row[name] for name in (*PLANNED, *ENDED)},
        "outcomes": {name: count for name, count in counted.items() if count},
        "start": states[0],
        "steps": [
            [step["action"], step["reward"], {name: after[name] for name in after if after[name] != before[name]}]
            for step, before, after in zip(steps, states, states[1:], strict=False)
        ],
    }


@dataclass(frozen=True)
class Kept:
    """A scenario and its frozen outcome."""

    row: Row
    outcome: Outcome
    digests: list[list[str]]


def kept_outcomes() -> dict[str, Kept]:
    """All frozen scenarios, by name."""
    digests = json.loads(DIGESTS.read_text(encoding="utf-8"))
    contents = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
    return {name: Kept(content.pop("row"), content, digests[name]) for name, content in contents.items()}
